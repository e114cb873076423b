"""Texts of different lengths, side by side: sorted by length, cut into batches, padded at the end."""

from collections.abc import Iterator, Sequence
from random import Random

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def by_length(sizes: Sequence[int], room: int, rng: Random) -> Iterator[list[int]]:
    """Every index once, in batches of at most `room` tokens, padding included; like lengths together, order drawn."""
    order = sorted(range(len(sizes)), key=lambda i: sizes[i])
    found: list[list[int]] = [[]]
    for i in order:
        if (len(found[-1]) + 1) * sizes[i] > room and found[-1]:
            found.append([])
        found[-1].append(i)
    rng.shuffle(found)
    yield from found


def padded(rows: Sequence[Sequence[int]], pad: int) -> Int[Tensor, "row token"]:
    """The rows as one tensor, filled up at the end."""
    width = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows])


def there(ids: Int[Tensor, "row token"], pad: int) -> Bool[Tensor, "row token"]:
    """Which places hold a token: those that are no padding."""
    return ids != pad
