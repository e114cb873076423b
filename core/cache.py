"""Keys and values of the tokens read so far, so that a new token costs one row instead of all of them.

What is stored is append-only: a token's key and value never change. So one buffer serves a whole line of steps,
each of which sees its first `length` rows; only a step that goes another way copies what it shares (`claim`).
"""

from collections.abc import Callable
from threading import Lock

import torch
from torch import Tensor

Extend = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def alone(k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """No cache: the keys and values are those of this pass."""
    return k, v


class Cache:
    """Keys and values by layer, [batch, head, position, d_head] each; `length` tokens are in."""

    def __init__(self) -> None:
        self.length = 0
        self._claimed = 0
        self._lock = Lock()
        self._stored: dict[int, tuple[Tensor, Tensor]] = {}

    def layer(self, layer: int) -> Extend:
        """What a layer's attention calls with its new keys and values to get all of them."""
        return lambda k, v: self._extend(layer, k, v)

    def advance(self, n: int) -> None:
        """Say that a pass over n new tokens is over."""
        self.length += n

    def claim(self, length: int, n: int) -> "Cache":
        """A cache whose next n rows after `length` are the caller's alone: this one, or a copy if they are taken."""
        with self._lock:
            if self._claimed == length:
                self._claimed += n
                return self
        copy = Cache()
        copy.length, copy._claimed = length, length + n
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


def _room(x: Tensor, kept: int, length: int) -> Tensor:
    """Room for `length` positions, the first `kept` taken over from x."""
    room = torch.empty(*x.shape[:2], length, x.shape[3], dtype=x.dtype, device=x.device)
    room[:, :, :kept] = x[:, :, :kept]
    return room
