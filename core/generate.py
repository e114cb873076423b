"""Generation: read the prompt at once (prefill), then one token at a time (decode), each step kept.

The steps are a line in the tree that a `Reading` can be continued to; `branch` takes another way from any of them.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from core.errors import SamplingError, TextError
from core.reading import Reading
from core.run import Run
from core.sampling import Distribution, check, distribution, uniform
from core.text import Token


@dataclass(frozen=True, eq=False)
class Step:
    """One drawn token and where it came from.

    `reading` is what had been read, `run` its last pass, whose last row gave `distribution`. `piece` is what the token
    adds to the text; `uniform` the number that it was drawn with, None where it was chosen by hand.
    """

    index: int  # from 0
    token: Token
    distribution: Distribution
    reading: Reading
    uniform: float | None
    text: str  # all that is written, the prompt included
    piece: str

    @property
    def run(self) -> Run:
        """What this step computed: the prompt's full pass in step 0, later one query and all keys."""
        return self.reading.run


@dataclass(frozen=True)
class Sampling:
    """How to draw and when to stop. A step's draw depends on the seed, its index and these settings alone."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int | None = None
    max_new_tokens: int = 20
    stop: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check(self.temperature, self.top_k, self.top_p)
        if self.seed is None:
            object.__setattr__(self, "seed", secrets.randbelow(2**31))
        for name, most in (("seed", 2**63 - 1), ("max_new_tokens", 10**9)):
            value = getattr(self, name)
            if type(value) is not int or not 0 <= value <= most:
                raise SamplingError(f"The {name} is {value!r}; it must be a whole number from 0 to {most}.")


class Generation(Iterator[Step]):
    """Steps, drawn one by one as they are asked for; `steps` holds those drawn so far.

    `ended` says in a sentence why there are no more, and is None while there may be.
    """

    def __init__(self, reading: Reading, sampling: Sampling, steps: tuple[Step, ...] = ()) -> None:
        self.reading, self.sampling = reading, sampling
        self.steps = list(steps)
        self.ended: str | None = None

    def __next__(self) -> Step:
        self.ended = self._end()
        if self.ended:
            raise StopIteration
        reading = self.steps[-1].reading.then(self.steps[-1].token.id) if self.steps else self.reading
        index = len(self.steps)
        sampling = self.sampling
        assert sampling.seed is not None
        chances = distribution(reading.logits, sampling.temperature, sampling.top_k, sampling.top_p)
        id, number = chances.at(uniform(sampling.seed, index))
        self.steps.append(_step(index, id, chances, reading, number))
        return self.steps[-1]

    def branch(self, index: int, token: int, **sampling: object) -> "Generation":
        """Another generation that shares the steps before `index` and takes `token` there; this one is kept.

        `sampling` changes settings from there on, by the names of `Sampling`. Raises `TextError` for a step that was
        not drawn, or an id that the vocabulary does not have.
        """
        if not 0 <= index < len(self.steps):
            raise TextError(f"There is no step {index}; {len(self.steps)} were drawn, counted from 0.")
        step = self.steps[index]
        step.reading.reader.vocabulary.check([token])
        chosen = _step(index, token, step.distribution, step.reading, None)
        settings = replace(self.sampling, **sampling)  # type: ignore[arg-type]
        return Generation(self.reading, settings, (*self.steps[:index], chosen))

    def _end(self) -> str | None:
        if self.steps and self.steps[-1].token.id in self.sampling.stop:
            return f"The model wrote {self.steps[-1].token.text}, the token that ends a text."
        if self.steps and self.steps[-1].reading.full:
            return f"The model has read {len(self.steps[-1].reading.tokens)} tokens, which is all that it can read."
        drawn, asked = len(self.steps), self.sampling.max_new_tokens
        if drawn >= asked:
            return f"The text has grown by {drawn} of {asked} tokens, as was asked for."
        return None


def _step(index: int, id: int, chances: Distribution, reading: Reading, number: float | None) -> Step:
    vocabulary = reading.reader.vocabulary
    before, text = vocabulary.running(reading.written), vocabulary.running([*reading.written, id])
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False)))
    piece = text[same:]  # where the token finishes a letter, that letter instead of the bytes shown before
    return Step(index, vocabulary.token(id), chances, reading, number, text, piece)
