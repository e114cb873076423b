"""Vectors compared, and a cloud of them made flat.

cos(a, b) = a . b / (|a| |b|)
PCA: the plane through the mean along which the points differ most       Pearson 1901; by the SVD of x - mean
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Projection(NamedTuple):
    """Points on the plane, [point, 2], and the share of all variance that each of its two axes explains."""

    points: NDArray[np.float64]
    shares: tuple[float, float]


def cosines(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """The cosine of each pair, [vector, vector], from [vector, number]; 0 where a vector has no direction."""
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    units = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0)
    return np.asarray(units @ units.T)


def distinct(vectors: NDArray[np.floating]) -> int:
    """How many different vectors there are; equal is what differs by less than a millionth of the largest number."""
    largest = float(np.abs(vectors).max(initial=0.0)) or 1.0
    return len(np.unique(np.round(vectors.astype(np.float64) / largest, 6) + 0.0, axis=0))


def parted(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """How each vector differs from the mean of its station: [place, station, number] without what all places share."""
    exact = vectors.astype(np.float64)
    return np.asarray(exact - exact.mean(axis=0))


def pca(vectors: NDArray[np.floating]) -> Projection:
    """The two directions in which vectors [vector, number] differ most, and where each vector lies on them.

    An axis points to where its largest coefficient is positive, so that the same vectors give the same picture.
    Raises `ValueError` with fewer than 3 distinct vectors: two points lie on a line whatever they are.
    """
    if distinct(vectors) < 3:
        raise ValueError("fewer than 3 distinct vectors")
    centred = vectors.astype(np.float64)
    centred = centred - centred.mean(axis=0)
    left, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    if len(sizes) < 2:  # vectors of a single number
        left, sizes, axes = np.pad(left, ((0, 0), (0, 1))), np.append(sizes, 0.0), np.pad(axes, ((0, 1), (0, 0)))
    signs = np.where(axes[[0, 1], np.abs(axes[:2]).argmax(axis=1)] < 0, -1.0, 1.0)
    variance = sizes**2 / (sizes**2).sum()
    return Projection(left[:, :2] * sizes[:2] * signs, (float(variance[0]), float(variance[1])))
