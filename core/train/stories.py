"""Stories from a seed: a plot, a cast, and a note of who every pronoun means.

The same `random.Random` state gives the same story. Beside its text a story carries, for each pronoun, the character
spans of all earlier mentions of whom it means (antecedents) and of those whom it cannot mean because their pronoun
is another (distractors), so that a head's attention can be measured against them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from zlib import crc32

from core.train.plots import LINES, PLOTS, Plot
from core.train.world import KINDS, PEOPLE, PRONOUNS, WORDS, Entity

Span = tuple[int, int]  # start, end: text[start:end]

SHARES = {  # of the stories, by family; "beats" are strung together, "foreign" are greetings in other scripts
    "because": 0.28,
    "lives": 0.24,
    "beats": 0.18,
    "senses": 0.08,
    "agreement": 0.05,
    "twice": 0.15,
    "foreign": 0.02,
}
HELD_OUT_ONE_IN = 12
SEQUEL_SHARE = 0.4  # of the stories whose cast allows it go on for a few beats more

CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
SLOT = re.compile(r"<(an )?(\w+)('s|[+*]|\.\w+)?>")


@dataclass(frozen=True)
class Pronoun:
    """One pronoun: where it stands, whom it means, and every earlier mention that could be looked at."""

    span: Span
    noun: str
    antecedents: tuple[Span, ...]
    distractors: tuple[Span, ...]
    ambiguous: bool  # somebody else with the same pronoun was mentioned, so grammar alone does not decide


@dataclass(frozen=True)
class Story:
    text: str
    plot: str
    cast: tuple[str, ...]
    pronouns: tuple[Pronoun, ...]


def held_out(plot: str, lead: str) -> bool:
    """True for the pairs of plot and leading character that no training story contains."""
    return crc32(f"{plot}/{lead}".encode()) % HELD_OUT_ONE_IN == 0


def stories(seed: int, *, held: bool = False) -> Iterator[Story]:
    """Endless stories: with held-out pairs only, or (the training stories) with none of them."""
    rng = Random(seed)
    while True:
        family = rng.choices(list(SHARES), list(SHARES.values()))[0]
        if family == "foreign":
            if not held:
                yield _greeting(rng)
            continue
        plot = _plot(rng, family)
        people = _cast(rng, plot.cast)
        if held == (bool(people) and held_out(plot.name, people["a"].noun)):
            yield _Teller(rng, people).tell(plot)


def tell(rng: Random, plot: Plot) -> Story:
    """One story of a plot, its cast drawn."""
    return _Teller(rng, _cast(rng, plot.cast)).tell(plot)


def _plot(rng: Random, family: str) -> Plot:
    if family == "beats":
        lines = [rng.choice(LINES["openings"]), *rng.sample(LINES["beats"], rng.randint(2, 5))]
        return Plot("beats", "a:being b:any", " ".join(lines))
    plot = rng.choice(PLOTS[family])
    if family == "lives" and plot.cast.startswith("a:being b:") and rng.random() < SEQUEL_SHARE:
        text = " ".join([plot.text, *rng.sample(LINES["beats"], rng.randint(1, 3))])
        return Plot(plot.name, plot.cast, text)
    return plot


def _cast(rng: Random, spec: str) -> dict[str, Entity]:
    """Draws an entity for each letter; pronouns differ unless the letter carries `~`."""
    cast: dict[str, Entity] = {}
    for part in spec.split():
        letter, kind = part.lstrip("~").split(":")
        others = list(cast.values())
        taken = [] if part.startswith("~") else [other.she for other in others]
        free = [e for e in KINDS[kind] if e.she not in taken and e not in others]
        if not free:  # two beings asked for, and the pronoun drawn first leaves none: draw again
            return _cast(rng, spec)
        cast[letter] = rng.choice(free)
    return cast


def _greeting(rng: Random) -> Story:
    who, words = rng.choice(PEOPLE), rng.choice(LINES["foreign"])
    text = rng.choice((f'"{words}" said {who.noun}.', f'{who.noun} wrote: "{words}"', words))
    return Story(text, "foreign", (who.noun,), ())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


class _Teller:
    """Fills one plot's slots from left to right and keeps count of who was mentioned where."""

    def __init__(self, rng: Random, cast: dict[str, Entity]) -> None:
        self.rng, self.cast = rng, cast
        self.text = ""
        self.kept: dict[str, str] = {}
        self.mentions: list[tuple[Entity, Span]] = []
        self.pronouns: list[Pronoun] = []

    def tell(self, plot: Plot) -> Story:
        template = plot.text
        while match := CHOICE.search(template):
            choice = self.rng.choice(match[1].split("|"))
            template = template[: match.start()] + choice + template[match.end() :]
        done = 0
        for slot in SLOT.finditer(template):
            self.text += template[done : slot.start()]
            article, word, detail = slot[1], slot[2], slot[3] or ""
            if word.lower() in self.cast:
                self._entity(self.cast[word.lower()], detail, capital=word.isupper())
            else:
                filled = self._word(word.lower(), detail)
                filled = _article(filled) if article else filled
                self.text += _capital(filled) if word[0].isupper() else filled
            done = slot.end()
        self.text += template[done:]
        return Story(self.text, plot.name, tuple(e.noun for e in self.cast.values()), tuple(self.pronouns))

    def _entity(self, who: Entity, detail: str, *, capital: bool) -> None:
        if detail in ("", "+", "*", "'s"):
            self._mention(who, detail, capital=capital)
            return
        her, hers, was, is_, has = PRONOUNS[who.she]
        forms = {"she": who.she, "her": her, "hers": hers}
        verbs = {"was": was, "is": is_, "are": is_, "has": has, "have": has}
        key = detail[1:]
        word = forms.get(key) or verbs.get(key) or getattr(who, key)
        if key in forms:
            self._point(who, len(word))
        self.text += _capital(word) if capital else word

    def _mention(self, who: Entity, detail: str, *, capital: bool) -> None:
        before = ""
        if not who.named and detail != "*":
            before = "the "
            if detail == "+":
                before = "some " if who.she == "they" else _article(who.noun)[: -len(who.noun)]
        self.text += _capital(before) if capital else before
        self.mentions.append((who, (len(self.text), len(self.text) + len(who.noun))))
        self.text += who.noun + ("'s" if detail == "'s" else "")

    def _point(self, who: Entity, length: int) -> None:
        same = tuple(span for other, span in self.mentions if other is who)
        rivals = [(other, span) for other, span in self.mentions if other is not who]
        self.pronouns.append(
            Pronoun(
                span=(len(self.text), len(self.text) + length),
                noun=who.noun,
                antecedents=same,
                distractors=tuple(span for other, span in rivals if other.she != who.she),
                ambiguous=any(other.she == who.she for other, _ in rivals),
            )
        )

    def _word(self, kind: str, mark: str) -> str:
        """A word or a list of the asked kind; with a mark such as `.1` the same one each time it is asked for."""
        if kind == "last":
            return self.kept["upto" + mark].split(", ")[-1]
        key = kind + mark
        if not mark or key not in self.kept:
            self.kept[key] = self._fresh(kind, {v for k, v in self.kept.items() if k.startswith(kind + ".")})
        return self.kept[key]

    def _fresh(self, kind: str, used: set[str]) -> str:
        rng = self.rng
        if kind == "list":
            *first, last = rng.sample(WORDS["goods"], rng.randint(3, 5))
            return ", ".join(first) + " and " + last
        if kind == "row":
            nouns = [e.noun for k in ("animal", "thing", "role") for e in KINDS[k]] + list(WORDS["item"])
            return ", ".join(rng.sample(nouns, rng.randint(3, 6)))
        if kind == "names":
            return ", ".join(e.noun for e in rng.sample(PEOPLE, rng.randint(3, 6)))
        if kind == "spell":
            return " ".join(
                "".join(rng.choices(WORDS["syllable"], k=rng.randint(1, 3))) for _ in range(rng.randint(2, 4))
            )
        if kind == "code":
            return " ".join(rng.choices("0123456789", k=rng.randint(4, 8)))
        if kind == "upto":
            return ", ".join(WORDS["upto"][: rng.randint(3, len(WORDS["upto"]))])
        return rng.choice([w for w in WORDS[kind] if w not in used])
