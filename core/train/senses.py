"""Sentences in which a word of two meanings has one of them, and the context says which.

The frames stand in `senses.txt`, a section for each word and sense. The last frames of a section are told to no
network in training: on them it is measured whether a word's vector knows its sense.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from core.train.plots import Plot, read
from core.train.stories import Span, tell

HELD_OUT = 3  # frames of each section
_, FRAMES = read(Path(__file__).with_suffix(".txt"))
SENSES = tuple(FRAMES)  # "light lamp", "light weight", ...
WORDS = tuple(dict.fromkeys(sense.split()[0] for sense in SENSES))


@dataclass(frozen=True)
class Sensed:
    """A sentence, the sense in which it has its word, and where the word stands (each time, if it does so twice)."""

    text: str
    sense: str
    spans: tuple[Span, ...]

    @property
    def word(self) -> str:
        return self.sense.split()[0]


def frames(sense: str, *, held: bool = False) -> tuple[str, ...]:
    """The sentences with choices and slots in which the sense is told: those to train on, or the held-out ones."""
    every = FRAMES[sense]
    return every[-HELD_OUT:] if held else every[:-HELD_OUT]


def _spelt(frame: str) -> re.Pattern[str]:
    """What a frame can say: its choices are alternatives already, and a slot is any name."""
    between = (re.sub(r"[.?!]", r"\\\g<0>", part) for part in re.split(r"<[^>]+>", frame))
    return re.compile(r"[\w ]+".join(between))


KEPT = {sense: [_spelt(frame) for frame in frames(sense, held=True)] for sense in SENSES}
"""What the held-out frames can say, which a frame of training must not say by chance."""


def sentences(seed: int, *, held: bool = False) -> Iterator[Sensed]:
    """Endless sentences, every sense as often as the others."""
    rng = Random(seed)
    while True:
        for sense in SENSES:
            text = _told(rng, sense, held)
            while not held and any(kept.fullmatch(text) for kept in KEPT[sense]):
                text = _told(rng, sense, held)
            yield Sensed(text, sense, places(text, sense.split()[0]))


def _told(rng: Random, sense: str, held: bool) -> str:
    frame = rng.choice(frames(sense, held=held))
    return tell(rng, Plot(sense, "a:person" if "<" in frame else "", frame)).text


def places(text: str, word: str) -> tuple[Span, ...]:
    """Where a word stands in a text."""
    return tuple(match.span() for match in re.finditer(rf"\b{word}\b", text, re.IGNORECASE))
