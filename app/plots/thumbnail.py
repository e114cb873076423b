"""A matrix as a tiny picture: one pixel a cell, opacity for size, so that it sits on a light page and a dark one."""

import base64
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

POSITIVE, NEGATIVE = (0x4C, 0x6F, 0xFF), (0xE0, 0x8A, 0x2E)  # what the palettes' accents share; safe for red-green


def thumbnail(values: NDArray[np.floating], most: int = 160, largest: float | None = None) -> str:
    """A PNG as a data URI, from [row, column]: blue above 0, orange below, clear at 0 and where masked.

    Opaque is `largest`, which pictures to be compared share, or the matrix's own 99th percentile of sizes. Beyond
    `most` rows or columns, blocks are averaged.
    """
    finite = np.where(np.isfinite(values), values, 0.0).astype(np.float64)
    finite = _blocks(_blocks(finite, most).T, most).T
    largest = largest or float(np.quantile(np.abs(finite), 0.99)) or float(np.abs(finite).max()) or 1.0
    alpha = np.clip(np.abs(finite) / largest, 0, 1) * 255
    pixels = np.empty((*finite.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where((finite >= 0)[..., None], POSITIVE, NEGATIVE)
    pixels[..., 3] = np.rint(alpha)
    file = BytesIO()
    Image.fromarray(pixels, "RGBA").save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def _blocks(values: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Rows averaged in blocks, so that there are at most `most`."""
    starts = np.unique(np.linspace(0, len(values), min(len(values), most), endpoint=False).astype(int))
    sizes = np.diff([*starts, len(values)])
    return np.asarray(np.add.reduceat(values, starts, axis=0) / sizes[:, None])
