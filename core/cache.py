"""Keys and values of the tokens read so far, so that a new token costs one row instead of all of them.

What is stored is append-only: a token's key and value never change. So one buffer serves a whole line of steps,
each of which sees its first `length` rows; only a step that goes another way copies what it shares (`claim`). Keys and
values of a source text are made in the first pass; every later one, whichever way it goes, recalls them.
"""

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

import torch
from torch import Tensor

Pair = tuple[Tensor, Tensor]
Extend = Callable[[Tensor, Tensor], Pair]
Recall = Callable[[Callable[[], Pair]], Pair]


def alone(k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """No cache: the keys and values are those of this pass."""
    return k, v


def afresh(make: Callable[[], Pair]) -> Pair:
    """No cache: the source's keys and values are made in this pass."""
    return make()


class Memory(NamedTuple):
    """One layer's part of a cache: its attention calls `extend` with new keys and values to get all of them, its
    cross-attention calls `recall` with how to make those of the source, which happens once."""

    extend: Extend = alone
    recall: Recall = afresh


NO_MEMORY = Memory()


class Cache:
    """Keys and values by layer, [batch, head, position, d_head] each; `length` tokens are in."""

    def __init__(self) -> None:
        self.length = 0
        self._claimed = 0
        self._lock = Lock()
        self._stored: dict[int, Pair] = {}
        self._source: dict[int, Pair] = {}

    def layer(self, layer: int) -> Memory:
        """The part of this layer."""
        return Memory(lambda k, v: self._extend(layer, k, v), lambda make: self._recall(layer, make))

    def advance(self, n: int) -> None:
        """Say that a pass over n new tokens is over."""
        self.length += n

    def rewind(self, length: int) -> None:
        """Say that the pass after `length` tokens is to be run once more."""
        self.length = length
        if not length:
            self._source.clear()

    def claim(self, length: int, n: int) -> "Cache":
        """A cache whose next n rows after `length` are the caller's alone: this one, or a copy if they are taken."""
        with self._lock:
            if self._claimed == length:
                self._claimed += n
                return self
        copy = Cache()
        copy.length, copy._claimed, copy._source = length, length + n, self._source
        copy._stored = {layer: (k[:, :, :length], v[:, :, :length]) for layer, (k, v) in self._stored.items()}
        return copy

    def _extend(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        end = self.length + k.shape[2]
        if layer not in self._stored:
            self._stored[layer] = (_room(k, 0, end), _room(v, 0, end))
        elif self._stored[layer][0].shape[2] < end:
            keys, values = self._stored[layer]
            self._stored[layer] = (_room(keys, self.length, 2 * end), _room(values, self.length, 2 * end))
        keys, values = self._stored[layer]
        keys[:, :, self.length : end] = k
        values[:, :, self.length : end] = v
        return keys[:, :, :end], values[:, :, :end]

    def _recall(self, layer: int, make: Callable[[], Pair]) -> Pair:
        if layer not in self._source:
            self._source[layer] = make()
        return self._source[layer]


def _room(x: Tensor, kept: int, length: int) -> Tensor:
    """Room for `length` positions, the first `kept` taken over from x."""
    room = torch.empty(*x.shape[:2], length, x.shape[3], dtype=x.dtype, device=x.device)
    room[:, :, :kept] = x[:, :, :kept]
    return room
