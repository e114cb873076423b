"""What one pass left behind: its inputs, the network that ran, and every tensor that was kept, by name."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import torch
from jaxtyping import Float
from torch import Tensor

from core.cache import Cache
from core.config import Config
from core.errors import GlassformerError, SiteError
from core.models import Network
from core.probe import Probe
from core.sites import axes, names
from core.tape import Edit, Tape
from core.text import Token

Pass = Callable[[Probe], Mapping[str, Tensor]]
"""Runs a network once on its inputs and returns what it says, by site."""


LACKING = {"logits": "no word head and predicts no words", "labels": "no classifier and names no classes"}


@dataclass(frozen=True, eq=False)
class Run:
    """One pass over a text. `run["decoder.0.attn.pattern"]` is a tensor with the site's axes and no batch axis.

    `tokens` are what was read: by an encoder-decoder the source, whose `target_tokens` are what its decoder reads.
    In a cached step the pass has fewer queries than keys: all that can be read are the keys, the last of them are
    `queries`. Tensors lie on the device that computed them and are shared: read them, do not write.
    """

    tokens: tuple[Token, ...]
    network: Network
    tensors: Mapping[str, Tensor]  # with a leading batch axis of 1
    target_tokens: tuple[Token, ...] = ()
    segments: tuple[int, ...] = ()  # which sentence each token belongs to, where the network tells them apart
    first: int = 0  # how many tokens earlier passes had read

    @property
    def config(self) -> Config:
        """The architecture that ran."""
        return self.network.config

    @property
    def logits(self) -> Float[Tensor, "position vocab"]:
        """How strongly each token is expected after each position."""
        return self["logits"]

    @property
    def labels(self) -> Tensor:
        """How strongly each class is expected: [class], or [position, class]."""
        return self["labels"]

    @property
    def queries(self) -> tuple[Token, ...]:
        """The tokens that this pass read for the first time: its rows, in an encoder-decoder those of the target."""
        return (self.target_tokens or self.tokens)[self.first :]

    @property
    def sites(self) -> tuple[str, ...]:
        """The names that can be read, in the order in which they were computed."""
        return tuple(self.tensors)

    def __getitem__(self, name: str) -> Tensor:
        """The tensor of this name. Raises `SiteError` when this run does not have it, saying why."""
        if name in self.tensors:
            return self.tensors[name][0]
        known = names(self.config)
        if name in known:
            raise SiteError(f"{name!r} was not kept; run again with it in keep= (with fused=True there are no maps).")
        if name in LACKING:
            raise SiteError(f"This model has {LACKING[name]}, so its run has no {name!r}.")
        near = get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "; run.sites lists what it has."
        raise SiteError(f"This run has no tensor {name!r}{hint}")

    def axes(self, name: str) -> tuple[str, ...]:
        """The axes of the tensor of this name."""
        return axes(name, self[name].ndim)

    def __contains__(self, name: str) -> bool:
        return name in self.tensors


@torch.no_grad()
def record(
    network: Network,
    go: Pass,
    tokens: tuple[Token, ...],
    target_tokens: tuple[Token, ...] = (),
    segments: tuple[int, ...] = (),
    *,
    cache: Cache | None = None,
    keep: Iterable[str] | None = None,
    edits: Mapping[str, Edit] | None = None,
) -> Run:
    """Run the network by `go`, over what `cache` has not read yet, and keep what it computed.

    Raises `SiteError` for a name in `keep` or `edits` that matches nothing, `GlassformerError` when the pass ends in
    values that are not numbers.
    """
    first = cache.length if cache else 0
    before = names(network.config) if first else ()
    tape = Tape(keep, edits, first, before)
    said = go(tape)
    tape.check()
    if not all(x.isfinite().all() for x in said.values()):
        found = Tape(edits=edits, first=first)
        if cache:
            cache.rewind(first)  # the rows of this pass are read, and written, once more
        go(found)
        raise GlassformerError(f"The model computed values that are not numbers, first in {_first_bad(found)!r}.")
    return Run(tokens, network, tape.tensors, target_tokens, segments, first)


def _first_bad(tape: Tape) -> str:
    """The first site with a value that is not a number; -inf is at home where the mask puts it."""
    return next(
        name
        for name, x in tape.tensors.items()
        if not (x.isfinite() | ((x == -torch.inf) if name.endswith(".masked") else torch.zeros_like(x).bool())).all()
    )
