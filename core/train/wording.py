"""Words on their way to a sentence: each with the part of the meaning that it says, so that two languages align."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

Span = tuple[int, int]  # start, end: text[start:end]

CONTENT = ("noun", "adjective0", "adjective1", "adjective", "verb", "often", "when")
"""The parts of a meaning that content words say; the others are articles, pronouns, "not", places' prepositions ..."""


@dataclass(frozen=True)
class Word:
    """`part` names what the word says, such as `subject.noun`; empty for what only grammar asks for."""

    text: str
    part: str = ""
    glued: bool = False  # no blank before it


@dataclass(frozen=True)
class Sentence:
    """A text, and for each part of its meaning the spans of the words that say it."""

    text: str
    parts: dict[str, tuple[Span, ...]]


def content(part: str) -> bool:
    """Whether a part is said by a content word: a noun, an adjective, a verb or an adverb."""
    return part.rpartition(".")[2] in CONTENT


def within(place: str, words: Iterable[Word]) -> list[Word]:
    """The same words, as parts of `place`."""
    return [replace(word, part=f"{place}.{word.part}" if word.part else "") for word in words]


def sentence(words: list[Word], *, blanks: bool = True, capital: bool = True) -> Sentence:
    """The words as one text, with a capital at its head where asked."""
    text, parts = "", dict[str, tuple[Span, ...]]()
    for word in words:
        if text and blanks and not word.glued:
            text += " "
        start = len(text)
        text += word.text
        if word.part:
            parts[word.part] = (*parts.get(word.part, ()), (start, len(text)))
    return Sentence(text[:1].upper() + text[1:] if capital else text, parts)
