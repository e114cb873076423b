"""The words that the translator knows, in three languages, and what each of them goes with.

English writes a noun's or a verb's few forms; French adds gender and agreement, Chinese the measure word that a noun
is counted with. Regular forms are made by rule and only the others written down. A word that English writes alike for
two things (sheep, fish) is not among them, so that every reference is the only right one.
"""

from dataclasses import dataclass

from core.train.dictionary import ADJECTIVES, ADVERBS, NAMES, NOUNS, PLACES, PRONOUNS, TIMES, VERBS

TENSES = ("present", "past", "now")  # sees, saw, is seeing
VOWELS = frozenset("aàâeéèêëiîïoôöuùûüyœæ")
ASPIRATED = ("héros", "hibou")  # an h that no article slides over


@dataclass(frozen=True)
class Noun:
    english: tuple[str, str]  # singular, plural
    french: tuple[str, str]
    chinese: str
    measure: str
    feminine: bool
    kinds: frozenset[str]  # animal, person, thing, food ...: what a verb or an adjective asks for

    @property
    def mass(self) -> bool:
        """Not counted: water, bread."""
        return "mass" in self.kinds

    @property
    def named(self) -> bool:
        return "name" in self.kinds


@dataclass(frozen=True)
class Adjective:
    english: str
    french: tuple[str, str, str, str, str]  # masculine, feminine, their plurals, masculine before a vowel
    chinese: tuple[str, str]  # of things, of what lives
    before: bool  # stands before the French noun
    manner: str  # how Chinese says it: plain (大猫, 很大), de (聪明的猫), colour (是红色的), state (坏了)
    alone: bool  # only after "is"
    having: bool  # French has it: il a faim
    kinds: frozenset[str]

    def agrees(self, *, feminine: bool, plural: bool) -> str:
        return self.french[feminine + 2 * plural]


@dataclass(frozen=True)
class Verb:
    english: tuple[str, str, str, str]  # see, sees, saw, seeing
    particle: str  # look *for*
    french: tuple[str, str, str, str, str, str]
    participle: str
    moving: bool  # the past is made with "être", and agrees
    chinese: str
    cannot: str  # Chinese for "does not", where it is not 不
    subjects: frozenset[str]
    objects: frozenset[str]  # kinds or English nouns; none for a verb without an object
    tenses: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.english[0]


@dataclass(frozen=True)
class Pronoun:
    """A subject pronoun with its object and possessive; `person` counts je, tu, il, nous, vous, ils."""

    english: tuple[str, str, str]  # I, me, my
    french: tuple[str, str, str]  # je, me, mon
    chinese: str
    person: int
    feminine: bool

    @property
    def plural(self) -> bool:
        return self.person > 2


@dataclass(frozen=True)
class Preposition:
    english: str
    french: str
    chinese: str  # what follows the place: 里, 上


@dataclass(frozen=True)
class Place:
    """A preposition and a noun that it goes with."""

    preposition: Preposition
    noun: Noun


@dataclass(frozen=True)
class Adverb:
    english: str
    french: str
    chinese: str


def vowel(word: str) -> bool:
    """Whether a French word begins with the sound of a vowel."""
    low = word.lower()
    return low[0] in VOWELS or (low[0] == "h" and not low.startswith(ASPIRATED))


def _rows(table: str) -> list[list[str]]:
    return [line.split("|") for line in table.strip().splitlines()]


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def _pluriel(word: str) -> str:
    if word.endswith(("s", "x")):
        return word
    return word + ("x" if word.endswith("eau") else "s")


def _pair(forms: str, plural: str) -> tuple[str, str]:
    one, _, more = forms.partition(" ")
    return one, more or plural


def _noun(english: str, french: str, gender: str, chinese: str, measure: str, kinds: str) -> Noun:
    singular, singulier = english.split()[0], french.split()[0]
    return Noun(
        _pair(english, _plural(singular)), _pair(french, _pluriel(singulier)), chinese, measure, gender == "f",
        _kinds(kinds),
    )  # fmt: skip


def _kinds(words: str) -> frozenset[str]:
    """The kinds that a table names; "living" is short for both kinds that live."""
    return frozenset(words.replace("living", "animal person").split())


def _adjective(english: str, french: str, chinese: str, manner: str, marks: str, kinds: str) -> Adjective:
    masculine, *rest = french.split()
    feminine = rest[0] if rest else masculine + ("" if masculine.endswith("e") else "e")
    smooth = rest[1] if len(rest) > 1 else masculine
    having = "having" in marks.split()
    forms = (masculine, feminine, _pluriel(masculine), _pluriel(feminine), smooth)
    things, _, living = chinese.partition(" ")
    return Adjective(
        english, (masculine,) * 5 if having else forms, (things, living or things), "before" in marks.split(),
        manner, "alone" in marks.split() or having, having, frozenset(kinds.split()),
    )  # fmt: skip


def _verb(english: str, french: str, participle: str, chinese: str, who: str, what: str, marks: str) -> Verb:
    base, third, past, doing, *particle = english.split()
    word, _, cannot = chinese.partition(" ")
    six = french.split()
    if len(six) == 1:  # a regular -er verb
        stem = french[:-2]
        nous = stem + "e" if stem.endswith("g") else stem
        six = [stem + "e", stem + "es", stem + "e", nous + "ons", stem + "ez", stem + "ent"]
        participle = stem + "é"
    je, tu, il, nous, vous, ils = six
    wrong = {"steady": {"past", "now"}, "whole": {"now"}, "unpast": {"past"}}
    never = {tense for mark in marks.split() for tense in wrong.get(mark, ())}
    return Verb(
        (base, third, past, doing), " ".join(particle), (je, tu, il, nous, vous, ils), participle,
        "moving" in marks.split(), word, cannot, _kinds(who), _kinds(what),
        tuple(tense for tense in TENSES if tense not in never),
    )  # fmt: skip


def _pronoun(english: str, french: str, chinese: str, person: str, gender: str) -> Pronoun:
    i, me, my = english.split(",")
    je, moi, mon = french.split(",")
    return Pronoun((i, me, my), (je, moi, mon), chinese, int(person), gender == "f")


def _name(english: str, gender: str, chinese: str) -> Noun:
    return Noun((english, english), (english, english), chinese, "个", gender == "f", frozenset({"person", "name"}))


EVERY_NOUN = {row[0].split()[0]: _noun(*row) for row in _rows(NOUNS)}
PEOPLE = tuple(_name(*row) for row in _rows(NAMES))
EVERY_ADJECTIVE = tuple(_adjective(*row) for row in _rows(ADJECTIVES))
EVERY_VERB = tuple(_verb(*row) for row in _rows(VERBS))
EVERY_PRONOUN = tuple(_pronoun(*row) for row in _rows(PRONOUNS))
EVERY_PLACE = tuple(
    Place(Preposition(english, french, chinese), EVERY_NOUN[noun])
    for english, french, chinese, nouns in _rows(PLACES)
    for noun in nouns.split()
)
OFTEN = tuple(Adverb(*row) for row in _rows(ADVERBS))
WHEN = tuple(Adverb(*row) for row in _rows(TIMES))
