"""How Chinese says a meaning: no forms to agree, but measure words, particles (的, 了, 吗) and an order of its own."""

from core.train.lexicon import Adjective, Noun, Pronoun
from core.train.meanings import Clause, Phrase, Subject
from core.train.wording import Word, within

LIVING = frozenset({"animal", "person", "plant"})
DRUNK = {("eat", "soup"): "喝"}  # what is eaten in Europe
COUNTED = {"a": "一", "this": "这", "two": "两", "three": "三"}
SEVERAL = {"the": "那些", "a": "一些", "this": "这些"}


def say(clause: Clause) -> list[Word]:
    """The words of a clause without its full stop."""
    if clause.shape == "name":
        assert isinstance(clause.subject, Phrase)
        return within("subject", phrase(clause.subject))
    words = _there(clause) if clause.shape == "there" else [*_subject(clause.subject), *_predicate(clause)]
    if clause.because:
        words += [Word("，"), Word("因为", "because"), *within("reason", say(clause.because))]
    return words + ([Word("吗"), Word("？")] if clause.asked else [])


def phrase(said: Phrase, *, denied: bool = False) -> list[Word]:
    """A noun with its measure word and adjectives; after a "not" nothing is counted."""
    words: list[Word] = []
    if said.determiner == "my" and said.owner:
        words = [Word(said.owner.chinese, "determiner"), Word("的")]
    elif said.determiner == "a" and (denied or said.noun.mass):
        pass
    elif said.many and said.determiner in SEVERAL:
        words = [Word(SEVERAL[said.determiner], "determiner")]
    elif said.determiner == "this" and said.noun.mass:
        words = [Word("这些", "determiner")]
    elif said.determiner in COUNTED:
        words = [Word(COUNTED[said.determiner], "determiner"), Word(said.noun.measure)]
    adjectives = sorted(enumerate(said.adjectives), key=lambda pair: pair[1].manner == "plain")
    for i, adjective in adjectives:  # 红色的大汽车: what needs 的 comes first
        words.append(Word(_form(adjective, said.noun), f"adjective{i}"))
        words += [Word("的")] if adjective.manner != "plain" else []
    return [*words, Word(said.noun.chinese, "noun")]


def _form(adjective: Adjective, noun: Noun | None) -> str:
    """Old is 旧 for a thing and 老 for what lives."""
    return adjective.chinese[noun is None or bool(noun.kinds & LIVING)]


def _subject(subject: Subject) -> list[Word]:
    if isinstance(subject, Phrase):
        return within("subject", phrase(subject))
    return [Word(subject.chinese, "subject.pronoun")]


def _where(clause: Clause) -> list[Word]:
    if not (clause.where and clause.place):
        return []
    return [*within("where", phrase(clause.where)), Word(clause.place.preposition.chinese, "where.preposition")]


def _predicate(clause: Clause) -> list[Word]:
    no = [Word("不", "not")] if clause.negated else []
    when = [Word(clause.when.chinese, "when")] if clause.when else []
    if clause.shape == "at":
        return [*when, *no, Word("在", "be"), *_where(clause)]
    if clause.adjective:
        meant = clause.meant or (clause.subject if isinstance(clause.subject, Phrase) else None)
        form = _form(clause.adjective, meant.noun if meant else None)
        return _quality(clause, clause.adjective, Word(form, "adjective"))
    return [*when, *_deed(clause)]


def _quality(clause: Clause, adjective: Adjective, said: Word) -> list[Word]:
    if adjective.manner == "colour":
        return [*[Word("不", "not")] * clause.negated, Word("是", "be"), said, Word("的")]
    if adjective.manner == "state":
        return [Word("没有", "not"), said] if clause.negated else [said, Word("了")]
    if clause.very:
        return [Word("不太", "very") if clause.negated else Word("非常", "very"), said]
    return [Word("不", "not") if clause.negated else Word("很"), said]


def _deed(clause: Clause) -> list[Word]:
    verb = clause.verb
    assert verb
    where = _where(clause)
    where = [Word("在", "where.preposition"), *where] if where else []
    eaten = clause.thing.noun.english[0] if isinstance(clause.thing, Phrase) else ""
    said, done = Word(DRUNK.get((verb.name, eaten), verb.chinese), "verb"), list[Word]()
    no: list[Word] = []
    if clause.negated and (clause.tense != "present" or verb.cannot == "没有"):
        no = [Word("没有", "not")]
    elif clause.negated and verb.cannot:
        said = Word(verb.cannot, "verb")
    elif clause.negated:
        no = [Word("不", "not")]
    elif clause.never:
        no = [Word("从不", "not")]
    elif clause.tense == "past":
        done = [Word("了")]
    elif clause.tense == "now":
        where = [Word("正在"), *where[1:]]
    often = [Word(clause.often.chinese, "often")] if clause.often else []
    if isinstance(clause.thing, Pronoun):
        thing = [Word(clause.thing.chinese, "thing.pronoun")]
    elif clause.thing:
        thing = within("thing", phrase(clause.thing, denied=clause.negated or clause.never))
    else:
        thing = []
    said_no = bool(no) and verb.cannot == "没有"
    return [*often, *no, *where, *([] if said_no else [said]), *done, *thing]


def _there(clause: Clause) -> list[Word]:
    assert isinstance(clause.subject, Phrase)
    have = [Word("没有", "not")] if clause.negated else [Word("有", "there")]
    return [*_where(clause), *have, *within("subject", phrase(clause.subject, denied=clause.negated))]
