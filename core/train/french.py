"""How French says a meaning: agreement, the place of adjectives and pronouns, ne ... pas, and what melts together."""

from dataclasses import replace

from core.train.lexicon import Noun, Pronoun, vowel
from core.train.meanings import Clause, Phrase, Subject
from core.train.wording import Word, within

ETRE = {
    "present": ("suis", "es", "est", "sommes", "êtes", "sont"),
    "past": ("étais", "étais", "était", "étions", "étiez", "étaient"),
}
AVOIR = {
    "present": ("ai", "as", "a", "avons", "avez", "ont"),
    "past": ("avais", "avais", "avait", "avions", "aviez", "avaient"),
}
ELIDED = ("le", "la", "je", "ne", "de", "me", "te", "que", "parce que", "Est-ce que")
NUMBERS = {"two": "deux", "three": "trois"}


def say(clause: Clause) -> list[Word]:
    """The words of a clause without its full stop."""
    words = _plain(clause)
    if clause.asked:
        words = [Word("est-ce que"), *words, Word("?")]
    return _melted(words)


def _plain(clause: Clause) -> list[Word]:
    if clause.shape == "name":
        assert isinstance(clause.subject, Phrase)
        return within("subject", phrase(clause.subject))
    words = _there(clause) if clause.shape == "there" else [*_subject(clause.subject), *_predicate(clause)]
    if clause.where and clause.place:
        words += _where(clause.place.preposition.french, within("where", phrase(clause.where)))
    if clause.when:
        words.append(Word(clause.when.french, "when"))
    if clause.because:
        words += [Word("parce que", "because"), *within("reason", _plain(clause.because))]
    return words


def phrase(said: Phrase, *, denied: bool = False) -> list[Word]:
    """A noun with its article and adjectives, which agree with it; `denied` after pas: de."""
    noun, many = said.noun, said.many
    before = [(i, a) for i, a in enumerate(said.adjectives) if a.before]
    after = [(i, a) for i, a in enumerate(said.adjectives) if not a.before]
    words = [Word(noun.french[many], "noun")]
    for i, adjective in reversed(before):
        form = adjective.agrees(feminine=noun.feminine, plural=many)
        if not noun.feminine and not many and vowel(words[0].text):
            form = adjective.french[4]
        words.insert(0, Word(form, f"adjective{i}"))
    words += [Word(a.agrees(feminine=noun.feminine, plural=many), f"adjective{i}") for i, a in after]
    return [*(replace(w, part="determiner") for w in _determiner(said, words[0].text, bool(before), denied)), *words]


def _determiner(said: Phrase, following: str, before: bool, denied: bool) -> list[Word]:
    noun, many, kind = said.noun, said.many, said.determiner
    if kind == "none":
        return []
    if kind in NUMBERS:
        return [Word(NUMBERS[kind])]
    article = "les" if many else "la" if noun.feminine else "le"
    if kind == "the":
        return [Word(article)]
    if kind == "this":
        one = "cette" if noun.feminine else "cet" if vowel(following) else "ce"
        return [Word("ces" if many else one)]
    if kind == "my" and said.owner:
        return [Word(possessive(said.owner, noun, many, following))]
    if denied:
        return [Word("de")]
    if noun.mass:
        return _of(article, following)
    if many:
        return [Word("de" if before else "des")]  # de grands chats, des chats noirs
    return [Word("une" if noun.feminine else "un")]


def possessive(owner: Pronoun, noun: Noun, many: bool, following: str) -> str:
    """My, your, his ...: it agrees with what is owned, and "ma" gives way to "mon" before a vowel."""
    mon = owner.french[2]
    if mon in ("notre", "votre", "leur"):
        plural = {"notre": "nos", "votre": "vos", "leur": "leurs"}[mon]
        return plural if many else mon
    if many:
        return mon[0] + "es"
    return mon[0] + "a" if noun.feminine and not vowel(following) else mon


def _of(article: str, following: str) -> list[Word]:
    """De with an article: du, de la, de l', des."""
    if article == "les":
        return [Word("des")]
    if article == "le" and not vowel(following):
        return [Word("du")]
    return [Word("de"), Word(article)]


def _where(preposition: str, words: list[Word]) -> list[Word]:
    said = Word(preposition, "where.preposition")
    if preposition != "près de":
        return [said, *words]
    near, first = Word("près", "where.preposition"), words[0]
    if first.part == "where.determiner" and first.text in ("le", "la", "les"):
        de = [replace(word, part="where.determiner") for word in _of(first.text, words[1].text)]
        return [near, *de, *words[1:]]
    return [near, Word("de", "where.preposition"), *words]


def person(subject: Subject) -> int:
    """0 to 5: je, tu, il, nous, vous, ils."""
    return (5 if subject.many else 2) if isinstance(subject, Phrase) else subject.person


def _traits(who: Subject) -> tuple[bool, bool]:
    """Feminine and plural, as an adjective or a participle sees them."""
    if isinstance(who, Phrase):
        return who.noun.feminine, who.many
    return who.feminine, who.plural


def _subject(subject: Subject) -> list[Word]:
    if isinstance(subject, Phrase):
        return within("subject", phrase(subject))
    return [Word(subject.french[0], "subject.pronoun")]


def _not(clause: Clause, form: Word, clitic: list[Word]) -> list[Word]:
    """The verb with what stands right before it, between ne and pas or jamais."""
    if not (clause.negated or clause.never):
        return [*clitic, form]
    return [Word("ne", "not"), *clitic, form, Word("jamais" if clause.never else "pas", "not")]


def _predicate(clause: Clause) -> list[Word]:
    who = person(clause.subject)
    if clause.shape in ("be", "at"):
        adjective, very = clause.adjective, [Word("très", "very")] if clause.very else []
        if adjective is None:
            return _not(clause, Word(ETRE[clause.tense][who], "be"), [])
        feminine, plural = _traits(clause.subject)
        form = Word(adjective.agrees(feminine=feminine, plural=plural and not adjective.having), "adjective")
        helper = AVOIR if adjective.having else ETRE
        return [*_not(clause, Word(helper[clause.tense][who], "be"), []), *very, form]
    verb, thing = clause.verb, clause.thing
    assert verb
    clitic = [Word(thing.french[1], "thing.pronoun")] if isinstance(thing, Pronoun) else []
    if clause.tense == "past":
        feminine, plural = _traits(clause.subject) if verb.moving else _ahead(thing)
        done = Word(_agreed(verb.participle, feminine=feminine, plural=plural), "verb")
        words = [*_not(clause, Word((ETRE if verb.moving else AVOIR)["present"][who]), clitic), done]
    else:
        words = _not(clause, Word(verb.french[who], "verb"), clitic)
    words += [Word(clause.often.french, "often")] if clause.often else []
    if isinstance(thing, Phrase):
        words += within("thing", phrase(thing, denied=clause.negated or clause.never))
    return words


def _ahead(thing: Phrase | Pronoun | None) -> tuple[bool, bool]:
    """A participle made with avoir agrees with an object that stands before it: je les ai vus."""
    return _traits(thing) if isinstance(thing, Pronoun) else (False, False)


def _agreed(participle: str, *, feminine: bool, plural: bool) -> str:
    return participle + "e" * feminine + "s" * (plural and (feminine or not participle.endswith("s")))


def _there(clause: Clause) -> list[Word]:
    assert isinstance(clause.subject, Phrase)
    a = [Word("ne", "not")] * clause.negated + [Word("y", "there"), Word("a", "there")]
    said = within("subject", phrase(clause.subject, denied=clause.negated))
    return [Word("il", "there"), *a, *[Word("pas", "not")] * clause.negated, *said]


def _melted(words: list[Word]) -> list[Word]:
    """Le arbre becomes l'arbre, parce que il parce qu'il."""
    found: list[Word] = []
    for word, following in zip(words, [*words[1:], Word("")], strict=True):
        glued = bool(found) and found[-1].text.endswith("'")
        text = word.text
        if text.lower() in {e.lower() for e in ELIDED} and following.text and vowel(following.text):
            text = text[:-1] + "'"
        found.append(replace(word, text=text, glued=glued))
    return found
