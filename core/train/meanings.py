"""What a sentence says before any language says it: who does what to whom, where, when and why, drawn from a seed.

A clause is drawn, checked against the few rules that keep its translation unique, and handed to `english`, `french`
and `chinese`, which only know how to say it. Some combinations of noun, adjective and verb are never drawn for
training: `held_out` names them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from zlib import crc32

from core.train.lexicon import (
    EVERY_ADJECTIVE,
    EVERY_NOUN,
    EVERY_PLACE,
    EVERY_PRONOUN,
    EVERY_VERB,
    OFTEN,
    PEOPLE,
    WHEN,
    Adjective,
    Adverb,
    Noun,
    Place,
    Pronoun,
    Verb,
)

HELD_OUT_ONE_IN = 12
NOUNS = tuple(EVERY_NOUN.values())
OWNERS = tuple(p for p in EVERY_PRONOUN if p.english[0] in ("I", "you", "he", "she", "we", "they"))
SHAPES = {"do": 0.62, "be": 0.14, "at": 0.07, "there": 0.07, "name": 0.10}  # "name" names a thing and says no more


@dataclass(frozen=True)
class Phrase:
    """A noun with what belongs to it."""

    noun: Noun
    determiner: str  # the, a, this, two, three, my, none; "a" is "some" for a plural and for what is not counted
    many: bool = False
    adjectives: tuple[Adjective, ...] = ()
    owner: Pronoun | None = None


Subject = Phrase | Pronoun


@dataclass(frozen=True)
class Clause:
    """One clause: `do` (verb), `be` (adjective), `at` (place) or `there` (is), or the bare `name` of something."""

    shape: str
    subject: Subject
    tense: str = "present"
    verb: Verb | None = None
    thing: Phrase | Pronoun | None = None  # the object
    adjective: Adjective | None = None
    very: bool = False
    where: Phrase | None = None
    place: Place | None = None
    often: Adverb | None = None
    when: Adverb | None = None
    negated: bool = False
    never: bool = False
    asked: bool = False
    because: "Clause | None" = None
    meant: Phrase | None = None  # whom the pronoun of a reason stands for


def combinations(clause: Clause) -> list[tuple[str, str, str]]:
    """Each noun with each adjective of its phrase and the verb of the clause; "is" where there is no other."""
    verb = clause.verb.name if clause.verb else "be"
    phrases = [p for p in (clause.subject, clause.thing, clause.where) if isinstance(p, Phrase)]
    return [(p.noun.english[0], a.english, verb) for p in phrases for a in p.adjectives]


def held_out(combination: tuple[str, str, str]) -> bool:
    """True for the combinations of noun, adjective and verb that no training sentence contains."""
    return crc32("/".join(combination).encode()) % HELD_OUT_ONE_IN == 0


def meanings(seed: int, *, held: bool = False) -> Iterator[Clause]:
    """Endless clauses: each with a held-out combination, or (for training) all without one."""
    rng = Random(seed)
    while True:
        clause = _clause(rng)
        if clause and held == any(map(held_out, combinations(clause))):
            yield clause


def _clause(rng: Random) -> Clause | None:
    """A clause, or nothing where what was drawn does not go together."""
    shape = rng.choices(list(SHAPES), list(SHAPES.values()))[0]
    if shape == "name":
        return Clause("name", _phrase(rng, rng.choice(NOUNS), full=True))
    if shape == "there":
        noun = rng.choice([n for n in NOUNS if n.kinds & {"animal", "person", "thing"}])
        return _mood(rng, _located(rng, Clause("there", _phrase(rng, noun, new=True))))
    if shape == "at":
        return _mood(rng, _located(rng, Clause("at", _subject(rng, {"animal", "person", "thing"}))))
    if shape == "be":
        adjective = rng.choice(EVERY_ADJECTIVE)
        very = not adjective.manner.startswith(("colour", "state")) and rng.random() < 0.25
        clause = Clause("be", _subject(rng, adjective.kinds), adjective=adjective, very=very)
        return _mood(rng, clause) if _sane(clause) else None
    return _deed(rng)


def _deed(rng: Random) -> Clause | None:
    verb = rng.choice(EVERY_VERB)
    subject = _subject(rng, verb.subjects)
    thing = _object(rng, verb, subject)
    tense = rng.choice(verb.tenses)
    clause = Clause("do", subject, tense, verb, thing)
    draw = rng.random()
    if draw < 0.25 and verb.name not in ("have", "want", "like", "know", "visit"):
        clause = _located(rng, clause)
    elif draw < 0.40 and tense != "now":
        clause = replace(clause, when=WHEN[tense == "past"])
    elif draw < 0.55 and tense == "present":
        clause = replace(clause, often=rng.choice(OFTEN))
    elif draw < 0.62 and tense == "present" and not verb.cannot:
        clause = replace(clause, never=True)
    if rng.random() < 0.22:
        clause = replace(clause, because=_reason(rng, clause))
    clause = _mood(rng, clause)
    return clause if _sane(clause) else None


def _mood(rng: Random, clause: Clause) -> Clause:
    """Said, denied or asked; never two of them, so that a question asks nothing else."""
    asked = not clause.because and not clause.never and rng.random() < 0.12
    negated = not (asked or clause.often or clause.never) and rng.random() < 0.27
    return replace(clause, negated=negated, asked=asked)


def _sane(clause: Clause) -> bool:
    """No phrase twice, nobody acting on himself, and no adjective said of a noun that already has it."""
    subject, thing, where = clause.subject, clause.thing, clause.where
    nouns = [p.noun for p in (subject, thing, where) if isinstance(p, Phrase)]
    if len(set(nouns)) < len(nouns):
        return False
    if isinstance(subject, Pronoun) and isinstance(thing, Pronoun):
        return subject.person % 3 != thing.person % 3 and (subject.person, thing.person) not in ((0, 3), (3, 0))
    said = subject.adjectives if isinstance(subject, Phrase) else ()
    return clause.adjective is None or all(a.before != clause.adjective.before for a in said)


def _subject(rng: Random, kinds: frozenset[str] | set[str]) -> Subject:
    draw = rng.random()
    living = bool(kinds & {"person", "animal"})
    if draw < 0.28 and living:
        it = {"person"} <= set(kinds)
        return rng.choice([p for p in EVERY_PRONOUN if it or p.english[0] == "it"])
    if draw < 0.36 and "person" in kinds:
        return Phrase(rng.choice(PEOPLE), "none")
    fitting = [n for n in NOUNS if n.kinds & kinds or n.english[0] in kinds]
    return _phrase(rng, rng.choice(fitting))


def _object(rng: Random, verb: Verb, subject: Subject) -> Phrase | Pronoun | None:
    if not verb.objects:
        return None
    if rng.random() < 0.2 and "person" in verb.objects:
        return rng.choice([p for p in EVERY_PRONOUN if p.english[0] != "it"])
    fitting = [n for n in NOUNS if n.kinds & verb.objects or n.english[0] in verb.objects]
    if "person" in verb.objects and rng.random() < 0.08:
        return Phrase(rng.choice(PEOPLE), "none")
    return _phrase(rng, rng.choice(fitting), new=verb.name == "have")


def _phrase(rng: Random, noun: Noun, *, new: bool = False, full: bool = False) -> Phrase:
    """`new` things are not known yet: a cat, two cats. `full` ones have more adjectives."""
    if noun.mass:
        determiner, many = ("a" if new else rng.choice(["the", "a", "a", "my"])), False
    else:
        many = rng.random() < 0.3
        known = ["the"] * 5 + ["this", "my"] + (["two", "three"] if many else ["my"])
        unknown = ["a", "a", "two", "three"] if many else ["a"]
        determiner = rng.choice(unknown if new or rng.random() < 0.3 else known)
    owner = rng.choice(OWNERS) if determiner == "my" else None
    fitting = [a for a in EVERY_ADJECTIVE if not a.alone and a.kinds & noun.kinds]
    before = [a for a in fitting if a.before]
    after = [a for a in fitting if not a.before]
    draw = 0.6 * rng.random() if full else rng.random()
    chosen: list[Adjective] = []
    if before and (draw < 0.22 or draw > 0.94):
        chosen.append(rng.choice(before))
    if after and (0.15 < draw < 0.42):
        chosen.append(rng.choice(after))
    return Phrase(noun, determiner, many, tuple(chosen), owner)


def _located(rng: Random, clause: Clause) -> Clause:
    place = rng.choice(EVERY_PLACE)
    while isinstance(clause.subject, Phrase) and clause.subject.noun == place.noun:
        place = rng.choice(EVERY_PLACE)
    phrase = Phrase(place.noun, "the") if rng.random() < 0.7 else replace(_phrase(rng, place.noun), many=False)
    if phrase.determiner in ("two", "three"):
        phrase = replace(phrase, determiner="the")
    return replace(clause, where=phrase, place=place)


def _reason(rng: Random, clause: Clause) -> Clause | None:
    """Because it is red: a pronoun for the subject or the object, and an adjective that only one of them can have."""
    named = [p for p in (clause.subject, clause.thing) if p is not None]
    who = rng.choice(named)
    kinds = who.noun.kinds if isinstance(who, Phrase) else frozenset({"person"})
    if isinstance(who, Pronoun) and who.english[0] in ("it", "they"):
        return None
    fitting = [a for a in EVERY_ADJECTIVE if a.kinds & kinds and a.english not in ("new", "young")]
    said = who.adjectives if isinstance(who, Phrase) else ()
    fitting = [a for a in fitting if a not in said]
    if not fitting:
        return None
    adjective = rng.choice(fitting)
    pronoun = standing_for(who)
    others = [p for p in named if p is not who]
    if any(standing_for(p).english == pronoun.english for p in others if _could(p, adjective)):
        return None
    very = adjective.manner not in ("colour", "state") and rng.random() < 0.2
    tense = "past" if clause.tense == "past" else "present"
    meant = who if isinstance(who, Phrase) else None
    return Clause("be", pronoun, tense, adjective=adjective, very=very, negated=rng.random() < 0.1, meant=meant)


def _could(who: Subject, adjective: Adjective) -> bool:
    return isinstance(who, Pronoun) or bool(who.noun.kinds & adjective.kinds)


def standing_for(who: Subject) -> Pronoun:
    """The subject pronoun that English uses for somebody or something: he, she, it, they."""
    if isinstance(who, Pronoun):
        return who
    person = "person" in who.noun.kinds
    english = "they" if who.many else ("she" if who.noun.feminine else "he") if person else "it"
    found = next(p for p in EVERY_PRONOUN if p.english[0] == english)
    if not who.many and person:
        return found
    one = "elle" if who.noun.feminine else "il"
    there = {"animal", "thing"} & who.noun.kinds or not person
    chinese = "它" if there else ("她" if who.noun.feminine else "他")
    they = ("elles" if who.noun.feminine else "ils", *found.french[1:]) if who.many else (one, *found.french[1:])
    return replace(found, french=they, chinese=chinese + ("们" if who.many else ""), feminine=who.noun.feminine)
