"""Reading: a network that has read so many tokens, and what it makes of them.

A decoder reads a text, an encoder-decoder a source and then a target; either can go on, token by token (`then`). A
`Reading` never changes, so any of them can be gone back to and continued another way: the steps of a generation form
a tree, and the branches share what they have in common, cached keys and values included. An encoder reads its text
once (`look`), and there is nothing to go on with.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from core.attention import Source
from core.cache import Cache
from core.errors import TextError
from core.mask import causal, hide, open_to_all
from core.models import Decoder, Encoder, Network, Seq2Seq
from core.position import count_from
from core.probe import Probe
from core.run import Run, record
from core.tape import Edit
from core.text import Token, Vocabulary

Tokens = tuple[Token, ...]


@dataclass(frozen=True)
class Reader:
    """Who reads, and what is kept and edited in every pass."""

    network: Network
    vocabulary: Vocabulary
    keep: tuple[str, ...] | None = None
    edits: Mapping[str, Edit] | None = None

    @property
    def device(self) -> torch.device:
        """Where the network computes."""
        return next(self.network.parameters()).device

    @property
    def limit(self) -> int:
        """The most tokens that it can read."""
        return self.network.config.room(0)

    def fit(self, tokens: Tokens, what: str = "text") -> None:
        """Raise `TextError` when these are more than it can read."""
        if len(tokens) > self.limit:
            n, most = len(tokens), self.limit
            raise TextError(f"The {what} has {n} tokens, and this model reads at most {most}; shorten it.")


@dataclass(frozen=True, eq=False)
class Reading:
    """A network that has read `tokens`. `run` is the pass that read the last of them."""

    reader: Reader
    run: Run
    keys: Bool[Tensor, " key"]  # which tokens can be read
    cache: Cache
    read: Callable[[Tokens, Tensor, Tensor, Cache], "Reading"]  # the next pass, of tokens, keys, mask and cache

    @property
    def tokens(self) -> Tokens:
        """The text that grows, as far as it was read: of an encoder-decoder the target, with its start token."""
        return self.run.target_tokens or self.run.tokens

    @property
    def written(self) -> tuple[int, ...]:
        """The ids of the text that grows, without the token that starts a target."""
        return tuple(token.id for token in self.tokens[len(self.run.target_tokens[:1]) :])

    @property
    def logits(self) -> Float[Tensor, " vocab"]:
        """How strongly each token is expected next."""
        return self.run.logits[-1]

    @property
    def full(self) -> bool:
        """Whether the context is used up, so that no token can follow."""
        return len(self.tokens) >= self.reader.limit

    def then(self, id: int) -> "Reading":
        """The network having read one more token: one row of work.

        Raises `TextError` when the context is used up, or for an id that the vocabulary does not have.
        """
        if self.full:
            raise TextError(f"The model has read {self.reader.limit} tokens, which is all that it can read.")
        self.reader.vocabulary.check([id])
        n = len(self.tokens)
        keys = torch.cat([self.keys, self.keys.new_ones(1)])
        tokens = (*self.tokens, self.reader.vocabulary.token(id))
        return self.read(tokens, keys, keys[None], self.cache.claim(n, 1))


def begin(reader: Reader, network: Decoder, tokens: Tokens, mask: Tensor | None = None) -> Reading:
    """A decoder having read a prompt in one pass.

    `mask` is [key], or [query, key] and then the whole mask; None hides nothing. Raises `TextError` when the prompt
    is longer than the network's context.
    """
    reader.fit(tokens)
    n = len(tokens)
    tokens, keys, whole = _seen(tokens, mask, causal(n, n, reader.device))
    return _read(reader, network, tokens, keys, whole, Cache().claim(0, n))


def translate(reader: Reader, network: Seq2Seq, tokens: Tokens, target: Tokens, mask: Tensor | None = None) -> Reading:
    """An encoder-decoder having read a source, and of the target what is there: at least its start token.

    `mask` is the encoder's, as in `begin`; with one axis it hides places of the source from the decoder too.
    """
    reader.fit(tokens)
    reader.fit(target, "target")
    n, m = len(tokens), len(target)
    tokens, keys, whole = _seen(tokens, mask, open_to_all(n, n, reader.device))
    ids, positions = _ids(reader, tokens), count_from(keys[None], n)

    def encode(probe: Probe) -> Source:
        return network.encode(ids, whole[None], keys[None], positions, probe)

    every = keys.new_ones(m)
    return _write(reader, network, tokens, encode, target, every, causal(m, m, reader.device), Cache().claim(0, m))


def look(
    reader: Reader, network: Encoder, tokens: Tokens, segments: tuple[int, ...] = (), mask: Tensor | None = None
) -> Run:
    """An encoder's one pass over a text. `segments` say which sentence each token belongs to; `mask` as in `begin`."""
    reader.fit(tokens)
    n = len(tokens)
    tokens, keys, whole = _seen(tokens, mask, open_to_all(n, n, reader.device))
    ids, positions = _ids(reader, tokens), count_from(keys[None], n)
    parts = torch.tensor([segments], device=reader.device) if segments else None

    def go(probe: Probe) -> Mapping[str, Tensor]:
        return network(ids, whole[None], positions, parts, probe)  # type: ignore[no-any-return]

    return record(network, go, tokens, segments=segments, keep=reader.keep, edits=reader.edits)


def _read(reader: Reader, network: Decoder, tokens: Tokens, keys: Tensor, mask: Tensor, cache: Cache) -> Reading:
    """A pass of a decoder over those of `tokens` that `cache` does not hold yet."""
    ids, positions = _ids(reader, tokens[cache.length :]), count_from(keys[None], len(mask))

    def go(probe: Probe) -> Mapping[str, Tensor]:
        return {"logits": network(ids, mask[None], positions, probe, cache)}

    run = record(network, go, tokens, cache=cache, keep=reader.keep, edits=reader.edits)
    return Reading(reader, run, keys, cache, partial(_read, reader, network))


def _write(
    reader: Reader,
    network: Seq2Seq,
    source_tokens: Tokens,
    encode: Callable[[Probe], Source],
    target: Tokens,
    keys: Tensor,
    mask: Tensor,
    cache: Cache,
) -> Reading:
    """A pass of an encoder-decoder over those of `target` that `cache` does not hold yet; the first one encodes."""
    ids, positions = _ids(reader, target[cache.length :]), count_from(keys[None], len(mask))
    sources: list[Source] = []

    def go(probe: Probe) -> Mapping[str, Tensor]:
        sources.append(encode(probe))
        return {"logits": network.decode(ids, sources[-1], mask[None], positions, probe, cache)}

    run = record(network, go, source_tokens, target, cache=cache, keep=reader.keep, edits=reader.edits)
    encoded = sources[-1]
    return Reading(reader, run, keys, cache, partial(_write, reader, network, source_tokens, lambda probe: encoded))


def _ids(reader: Reader, tokens: Tokens) -> Tensor:
    return torch.tensor([[token.id for token in tokens]], device=reader.device)


def _seen(tokens: Tokens, mask: Tensor | None, whole: Tensor) -> tuple[Tokens, Tensor, Tensor]:
    """What a mask makes of a text: its tokens, marked where they are padding, [key] and [query, key]."""
    keys = whole.new_ones(len(tokens))
    if mask is None:
        return tokens, keys, whole
    mask = mask.to(whole.device)
    if mask.ndim == 2:
        return tokens, keys, mask
    tokens = tuple(replace(token, padding=not seen) for token, seen in zip(tokens, mask.tolist(), strict=True))
    return tokens, mask, hide(whole, mask)
