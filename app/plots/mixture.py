"""Sums taken apart: where a row of weights points, and what each number of a vector adds to a class."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sides(NamedTuple):
    """How much of a row lies before its own place, on it, and after it."""

    before: float
    itself: float
    after: float


class Votes(NamedTuple):
    """What the numbers of a vector add to classes: [class, number], its sum by class, and the largest size in it."""

    parts: NDArray[np.float64]
    sums: NDArray[np.float64]
    largest: float


def sides(row: NDArray[np.floating], at: int) -> Sides:
    """The weights of a row [key] to the left of `at`, at it, and to its right."""
    exact = row.astype(np.float64)
    return Sides(float(exact[:at].sum()), float(exact[at]), float(exact[at + 1 :].sum()))


def contributions(vector: NDArray[np.floating], weights: NDArray[np.floating]) -> Votes:
    """What each number of `vector` adds to each class; a class's sum and its bias are its logit."""
    parts = weights.astype(np.float64) * vector.astype(np.float64)
    return Votes(parts, parts.sum(axis=1), float(np.abs(parts).max()))


def ranked(shares: NDArray[np.floating]) -> list[int]:
    """The places of `shares` from the largest down, the first on a tie."""
    return [int(i) for i in np.argsort(-shares, kind="stable")]


def open_cells(masked: NDArray[np.floating]) -> tuple[int, int]:
    """How many cells of a map [query, key] may be read, and how many there are."""
    return int(np.isfinite(masked).sum()), masked.size
