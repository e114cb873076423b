"""Sentence pairs with exact references: English, and the same said in French or in Chinese, word aligned with word.

The language is asked for by a first token, <zh> or <fr>; without one it is French. How the source is written comes
back in the target: without a capital or a full stop, if the source has none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from core.train import chinese, english, french
from core.train.meanings import Clause, combinations, meanings
from core.train.wording import Sentence, Span, Word, content, sentence

CHINESE, FRENCH = "<zh>", "<fr>"
APART = 1 << 40  # between the seed of the meanings and that of their writing
CHINESE_SHARE, TAGGED_SHARE, SHORT_SHARE, BARE_SHARE = 0.4, 0.2, 0.3, 0.1


@dataclass(frozen=True)
class Link:
    """A word of the target, what part of the meaning it says, and the words of the source that say the same."""

    span: Span
    part: str
    sources: tuple[Span, ...]

    @property
    def content(self) -> bool:
        return content(self.part)


@dataclass(frozen=True)
class Pair:
    """`source` as the visitor types it, its language's tag included; spans count its characters."""

    source: str
    target: str
    language: str
    links: tuple[Link, ...]
    combinations: tuple[tuple[str, str, str], ...]


def pairs(seed: int, *, held: bool = False, language: str | None = None) -> Iterator[Pair]:
    """Endless pairs from a seed; `held` ones each have a combination that no training pair has."""
    rng = Random(seed + APART)
    for clause in meanings(seed, held=held):
        to = language or (CHINESE if rng.random() < CHINESE_SHARE else FRENCH)
        tagged = to == CHINESE or rng.random() < TAGGED_SHARE
        short, bare = rng.random() < SHORT_SHARE, rng.random() < BARE_SHARE
        capital = rng.random() > BARE_SHARE
        if clause.shape == "name":
            bare, capital = True, rng.random() < 0.2
        yield pair(clause, to, tag=to if tagged else "", short=short, stop=not bare, capital=capital)


def pair(
    clause: Clause, language: str, *, tag: str = "", short: bool = False, stop: bool = True, capital: bool = True
) -> Pair:
    """One meaning in English and in `language`."""
    told = clause.shape != "name"
    source = sentence(_stopped(english.say(clause, short=short), "." if told and stop else ""), capital=capital)
    capital = source.text[0].isupper()
    if language == CHINESE:
        target = sentence(_stopped(chinese.say(clause), "。" if told and stop else ""), blanks=False, capital=False)
    else:
        target = sentence(_stopped(french.say(clause), "." if told and stop else ""), capital=capital)
    before = f"{tag} " if tag else ""
    links = _links(source, target, len(before))
    return Pair(before + source.text, target.text, language, links, tuple(combinations(clause)))


def _stopped(words: list[Word], stop: str) -> list[Word]:
    asked = words[-1].text in ("?", "？")
    return words if asked or not stop else [*words, Word(stop, glued=True)]


def _links(source: Sentence, target: Sentence, shift: int) -> tuple[Link, ...]:
    return tuple(
        Link(span, part, tuple((start + shift, end + shift) for start, end in source.parts[part]))
        for part, spans in target.parts.items()
        if part in source.parts
        for span in spans
    )
