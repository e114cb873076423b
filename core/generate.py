"""Generation: read the prompt at once (prefill), then one token at a time (decode), each step kept.

A `Reading` is a network that has read so many tokens; `then(token)` is the same network having read one more. A reading
never changes, so any of them can be gone back to and continued another way: the steps of a generation form a tree,
and the branches share what they have in common, cached keys and values included.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

import torch
from jaxtyping import Float
from torch import Tensor

from core.cache import Cache
from core.errors import SamplingError, TextError
from core.mask import causal, hide
from core.models import Decoder
from core.position import count_from
from core.run import Run, record
from core.sampling import Distribution, check, distribution, uniform
from core.tape import Edit
from core.text import Token, Vocabulary


@dataclass(frozen=True)
class Reader:
    """What reads: the network, its vocabulary, and what to keep and edit in every pass."""

    network: Decoder
    vocabulary: Vocabulary
    keep: Iterable[str] | None = None
    edits: Mapping[str, Edit] | None = None

    def begin(self, tokens: tuple[Token, ...], mask: Tensor | None = None) -> "Reading":
        """Read a prompt in one pass. `mask` is [key], or [query, key] and then the whole mask; None hides nothing.

        Raises `TextError` when the prompt is longer than the network's context.
        """
        n, limit = len(tokens), self.network.config.context
        if n > limit:
            raise TextError(f"The text has {n} tokens, and this model reads at most {limit}; shorten it.")
        device = self.network.embed.weight.device
        keys = torch.ones(n, dtype=torch.bool, device=device)
        whole = causal(n, n, device)
        if mask is not None and mask.ndim == 1:
            keys = mask.to(device)
            whole = hide(whole, keys)
            tokens = tuple(replace(t, padding=not seen) for t, seen in zip(tokens, keys.tolist(), strict=True))
        elif mask is not None:
            whole = mask.to(device)
        return self._read(tokens, keys, whole, Cache().claim(0, n))

    def _read(self, tokens: tuple[Token, ...], keys: Tensor, mask: Tensor, cache: Cache) -> "Reading":
        positions = count_from(keys[None], len(mask))
        run = record(
            self.network,
            tokens,
            mask=mask[None],
            positions=positions,
            cache=cache,
            keep=self.keep,
            edits=self.edits,
        )
        return Reading(self, run, keys, cache)


@dataclass(frozen=True, eq=False)
class Reading:
    """A network that has read `tokens`. `run` is the pass that read the last of them."""

    reader: Reader
    run: Run
    keys: Tensor  # [key]: which tokens can be read
    cache: Cache

    @property
    def tokens(self) -> tuple[Token, ...]:
        """All tokens read so far."""
        return self.run.tokens

    @property
    def logits(self) -> Float[Tensor, " vocab"]:
        """How strongly each token is expected next."""
        return self.run.logits[-1]

    @property
    def full(self) -> bool:
        """Whether the context is used up, so that no token can follow."""
        return len(self.tokens) >= self.reader.network.config.context

    def then(self, id: int) -> "Reading":
        """The network having read one more token: one row of work.

        Raises `TextError` when the context is used up, or for an id that the vocabulary does not have.
        """
        if self.full:
            limit = self.reader.network.config.context
            raise TextError(f"The model has read {limit} tokens, which is all that it can read.")
        self.reader.vocabulary.check([id])
        n = len(self.tokens)
        keys = torch.cat([self.keys, self.keys.new_ones(1)])
        tokens = (*self.tokens, self.reader.vocabulary.token(id))
        return self.reader._read(tokens, keys, keys[None], self.cache.claim(n, 1))


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
    ids = [token.id for token in reading.tokens]
    before, text = vocabulary.running(ids), vocabulary.running([*ids, id])
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False)))
    piece = text[same:]  # where the token finishes a letter, that letter instead of the bytes shown before
    return Step(index, vocabulary.token(id), chances, reading, number, text, piece)
