"""Every head in small: what `attention` draws at a glance, as bytes."""

from __future__ import annotations

from typing import Literal

import numpy as np


def _blocks(n: int, side: int) -> np.ndarray:
    """Where each of at most `side` blocks of n cells starts."""
    return np.unique(np.linspace(0, n, min(n, side), endpoint=False).astype(int))


def overview(maps: np.ndarray, kind: Literal["pattern", "scores"] = "pattern", side: int = 32) -> np.ndarray:
    """uint8 [layer, head, rows, cols], at most `side` rows and cols, from float [layer, head, query, key].

    Long texts: each small cell takes the largest weight (or the score of largest size) of the cells it stands for, so
    that a single strong link is not averaged away. "pattern": 0..255 is 0..1. "scores": one symmetric scale for all
    heads, 128 is zero, and 0 is kept for blocks that are masked (not finite) throughout.
    """
    if maps.ndim != 4:
        raise ValueError(f"maps: shape {list(maps.shape)}, expected [layer, head, query, key]")
    finite = np.isfinite(maps)
    values = np.where(finite, maps, 0).astype(np.float32)
    rows, cols = _blocks(maps.shape[2], side), _blocks(maps.shape[3], side)

    def pooled(array: np.ndarray) -> np.ndarray:
        largest: np.ndarray = np.maximum.reduceat(np.maximum.reduceat(array, rows, axis=2), cols, axis=3)
        return largest

    if kind == "pattern":
        levels: np.ndarray = np.rint(pooled(values.clip(0, 1)) * 255)
        return levels.astype(np.uint8)
    high, low = pooled(values), -pooled(-values)
    extreme = np.where(high >= -low, high, low)
    largest = float(np.abs(extreme).max(initial=0)) or 1.0
    drawn: np.ndarray = np.where(pooled(finite.view(np.uint8)) > 0, np.rint(128 + extreme / largest * 127), 0)
    return drawn.astype(np.uint8)
