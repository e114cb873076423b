"""Beam search: follow the likeliest few ways at once, because the best word now may lead to a poor sentence.

    score(y) = log p(y | x) / |y|^a       a = `length_penalty`; 0 prefers short texts, 1 compares by the word

Each step lists what every line that is kept could say next, and takes the likeliest candidates of all: those that end
the text are finished, the best `width` of the others are kept, the rest dropped. |y| counts the tokens written, the end
token included. It is over when `width` texts are finished and no line kept can beat the worst of them at its present
length, or when the lines are as long as they may be. Graves 2012; Sutskever et al. 2014, section 3.2; the order of the
steps is that of `transformers`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import torch

from core.errors import SamplingError
from core.reading import Reading
from core.text import Token


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One token more than `parent` has, or the start (None). `logprob` is that of the whole line, `score` a text's."""

    token: Token
    parent: "Hypothesis | None"
    logprob: float
    fate: Literal["kept", "finished", "dropped"]
    reading: Reading  # what had been read when the token was proposed
    score: float | None = None  # of a finished one

    @property
    def line(self) -> tuple[Token, ...]:
        """The tokens written, from the first to this one."""
        return (*self.parent.line, self.token) if self.parent else (self.token,)

    @property
    def text(self) -> str:
        """All that is written, as text; the start token of a target is not part of it."""
        return self.reading.reader.vocabulary.running([*self.reading.written, self.token.id])


Lines = list[tuple[Hypothesis | None, Reading]]


@dataclass(frozen=True, eq=False)
class Beams:
    """The tree that a search has grown: `steps` hold the candidates of each step, the likeliest first."""

    begun: Reading
    steps: tuple[tuple[Hypothesis, ...], ...]
    finished: tuple[Hypothesis, ...]  # the best `width`, the best first

    @property
    def best(self) -> Hypothesis:
        """The text that won."""
        return self.finished[0]

    def kept(self, step: int) -> tuple[Hypothesis, ...]:
        """The lines that were followed after this step."""
        return tuple(one for one in self.steps[step] if one.fate == "kept")


def search(
    begun: Reading, width: int = 4, max_new_tokens: int = 20, length_penalty: float = 1.0, stop: tuple[int, ...] = ()
) -> Beams:
    """Write on from `begun`. Where nothing ends a text, it ends where `max_new_tokens` or the context does.

    Raises `SamplingError` for a width or a length below 1, or a penalty that is no number from -10 to 10.
    """
    for name, value in (("width", width), ("max_new_tokens", max_new_tokens)):
        if type(value) is not int or value < 1:
            raise SamplingError(f"The {name} is {value!r}; a beam search needs a whole number of at least 1.")
    if type(length_penalty) not in (int, float) or not -10 <= length_penalty <= 10:
        raise SamplingError(f"The length penalty is {length_penalty!r}; it must be a number from -10 to 10.")
    longest = min(max_new_tokens, begun.reader.limit - len(begun.tokens) + 1)
    steps: list[tuple[Hypothesis, ...]] = []
    finished: list[Hypothesis] = []
    lines: Lines = [(None, begun)]
    for length in range(1, longest + 1):
        found = list(_candidates(lines, max(2, 1 + len(stop)) * width))
        ends = [length == longest or one.token.id in stop for one in found]
        going = [i for i, end in enumerate(ends) if not end][:width]
        step = list(found)
        for i in going:
            step[i] = replace(found[i], fate="kept")
        for i in (i for i, end in enumerate(ends[:width]) if end):
            step[i] = replace(found[i], fate="finished", score=found[i].logprob / length**length_penalty)
        steps.append(tuple(step))
        finished = sorted((*finished, *(one for one in step if one.fate == "finished")), key=_worth)[:width]
        kept = [one for one in step if one.fate == "kept"]
        hope = [one for one in kept if len(finished) < width or one.logprob / length**length_penalty > _least(finished)]
        if not hope:
            break
        lines = [(one, one.reading.then(one.token.id)) for one in kept]
    return Beams(begun, tuple(steps), tuple(finished))


def _candidates(lines: Lines, n: int) -> Iterator[Hypothesis]:
    """The n likeliest continuations of all lines together; of equal ones, those of the earlier line and lower id."""
    before = torch.tensor([line.logprob if line else 0.0 for line, _ in lines], dtype=torch.float64)
    logits = torch.stack([reading.logits.cpu().double() for _, reading in lines])
    whole = before[:, None] + logits.log_softmax(dim=-1)  # line vocab
    for place in whole.flatten().argsort(descending=True, stable=True)[:n].tolist():
        line, reading = lines[place // whole.shape[1]]
        id = place % whole.shape[1]
        token = reading.reader.vocabulary.token(id)
        yield Hypothesis(token, line, whole[place // whole.shape[1], id].item(), "dropped", reading)


def _worth(one: Hypothesis) -> float:
    """What finished texts are ranked by, the best first."""
    assert one.score is not None
    return -one.score


def _least(finished: list[Hypothesis]) -> float:
    """The score that a line must be able to beat."""
    return -_worth(finished[-1])
