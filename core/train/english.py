"""How English says a meaning."""

from core.train.meanings import Clause, Phrase, Subject
from core.train.wording import Word, within

BE = {"present": ("am", "are", "is", "are", "are", "are"), "past": ("was", "were", "was", "were", "were", "were")}


def say(clause: Clause, *, short: bool = False) -> list[Word]:
    """The words of a clause without its full stop; `short` writes doesn't for does not."""
    if clause.shape == "name":
        assert isinstance(clause.subject, Phrase)
        return within("subject", phrase(clause.subject))
    words = _there(clause, short) if clause.shape == "there" else _statement(clause, short)
    if clause.where and clause.place:
        words += [Word(clause.place.preposition.english, "where.preposition"), *within("where", phrase(clause.where))]
    if clause.when:
        words.append(Word(clause.when.english, "when"))
    if clause.because:
        words += [Word("because", "because"), *within("reason", say(clause.because, short=short))]
    return words + ([Word("?", "", glued=True)] if clause.asked else [])


def phrase(said: Phrase, *, denied: bool = False) -> list[Word]:
    """A noun with its article and adjectives; `denied` after not: any cats."""
    adjectives = [Word(a.english, f"adjective{i}") for i, a in enumerate(said.adjectives)]
    noun = Word(said.noun.english[said.many], "noun")
    following = [*adjectives, noun][0].text
    determiner = said.determiner
    if determiner == "this":
        determiner = "these" if said.many else "this"
    elif determiner == "my" and said.owner:
        determiner = said.owner.english[2]
    elif determiner == "a":
        some = "any" if denied else "some"
        determiner = some if said.many else "" if said.noun.mass else "an" if following[0] in "aeiou" else "a"
    first = [Word(determiner, "determiner")] if determiner not in ("", "none") else []
    return [*first, *adjectives, noun]


def person(subject: Subject) -> int:
    """0 to 5: I, you, he, we, you all, they."""
    return (5 if subject.many else 2) if isinstance(subject, Phrase) else subject.person


def _subject(subject: Subject) -> list[Word]:
    if isinstance(subject, Phrase):
        return within("subject", phrase(subject))
    return [Word(subject.english[0], "subject.pronoun")]


def _not(short: bool) -> Word:
    return Word("n't", "not", glued=True) if short else Word("not", "not")


def _statement(clause: Clause, short: bool) -> list[Word]:
    who, subject = person(clause.subject), _subject(clause.subject)
    helper, rest = _predicate(clause, who)
    first = [helper] if helper else []
    if clause.asked:
        return [*first, *subject, *rest]
    denied = [_not(short and first[0].text != "am")] if clause.negated else []
    return [*subject, *first, *denied, *rest]


def _predicate(clause: Clause, who: int) -> tuple[Word | None, list[Word]]:
    """The helping verb, if there is one, and all that follows it."""
    if clause.shape in ("be", "at"):
        rest = [Word("very", "very")] if clause.very else []
        rest += [Word(clause.adjective.english, "adjective")] if clause.adjective else []
        return Word(BE[clause.tense][who], "be"), rest
    verb = clause.verb
    assert verb
    after = [Word(verb.particle, "verb")] if verb.particle else []
    if isinstance(clause.thing, Phrase):
        after += within("thing", phrase(clause.thing, denied=clause.negated or clause.never))
    elif clause.thing:
        after.append(Word(clause.thing.english[1], "thing.pronoun"))
    if clause.tense == "now":
        return Word(BE["present"][who], "be"), [Word(verb.english[3], "verb"), *after]
    often = [Word(clause.often.english, "often")] if clause.often else []
    if clause.negated or clause.asked:
        do = "did" if clause.tense == "past" else "does" if who == 2 else "do"
        return Word(do, "do"), [*often, Word(verb.english[0], "verb"), *after]
    form = 2 if clause.tense == "past" else int(who == 2)
    never = [Word("never", "not")] if clause.never else []
    return None, [*often, *never, Word(verb.english[form], "verb"), *after]


def _there(clause: Clause, short: bool) -> list[Word]:
    assert isinstance(clause.subject, Phrase)
    be, there = Word("are" if clause.subject.many else "is", "there"), Word("there", "there")
    said = within("subject", phrase(clause.subject, denied=clause.negated))
    if clause.asked:
        return [be, there, *said]
    if clause.negated and said[0].text in ("a", "an", "any"):
        return [there, be, Word("no", "not"), *said[1:]]
    return [there, be, *[_not(short)] * clause.negated, *said]
