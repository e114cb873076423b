"""Which part of the attention maps a page shows first, and how much of them one message carries."""

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 1 << 20  # bytes of maps sent in one message: what a class on one network opens without waiting


def telling(pattern: NDArray[np.float32], one_text: bool = True) -> int:
    """The query that reads one other token most, of [query, key]: where a student's eye should fall first.

    In `one_text` the first token does not count: heads rest on it when they find nothing. Where all rest there, the
    last query is told.
    """
    others = pattern.copy()
    if one_text:
        others[:, 0] = 0.0
        np.fill_diagonal(others, 0.0)
    strongest = others.max(axis=1)
    return int(strongest.argmax()) if strongest.max() > 0 else len(pattern) - 1


def window(maps: NDArray[np.float32], layer: int) -> tuple[int, NDArray[np.float32]]:
    """The layers around `layer` that one message carries, and the number of the first: all of them for a sentence.

    `maps` is [layer, head, query, key].
    """
    n_layers, size = len(maps), maps[0].nbytes
    count = min(n_layers, max(1, AT_ONCE // size))
    first = min(max(0, layer - count // 2), n_layers - count)
    return first, maps[first : first + count]
