"""A mask as one writes it into an address, and the matrix that it stands for.

    none           every token may read every token
    causal         a token may read itself and what comes before it
    pad:1101       nobody may read the third of four tokens
    both:1101      padding and causal together
    hand:c.c.f.8   drawn by hand: a row for each token that reads, in hexadecimal, the highest bit for the first key

Without one a model has the mask that it was trained with. `pad` and `both` alone hide one token, `hand` alone starts a
drawing from the model's own mask, `hand:causal` and `hand:none` from another; `settled` writes them out.
`components/grid/masks.js` is the browser's copy.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LARGEST = 24  # tokens: what can still be clicked cell by cell
MOST = 4_096  # digits of a padding: more than any model here reads
_NAMED = ("none", "causal", "pad", "both", "hand", "hand:causal", "hand:none")  # for any number of tokens
_BITS = re.compile(rf"(pad|both):([01]{{1,{MOST}}})")
_ROWS = re.compile(r"hand:([0-9a-f]{1,6}(?:\.[0-9a-f]{1,6}){0,23})")


def check(text: str) -> str:
    """The mask, if it is one of those above. Raises `ValueError` for anything else; texts are hostile input."""
    if text in _NAMED or _BITS.fullmatch(text):
        return text
    if _ROWS.fullmatch(text):
        rows = text[5:].split(".")
        digits, spare = _shape(len(rows))
        if all(len(row) == digits and int(row, 16) % (1 << spare) == 0 for row in rows):
            return text
    raise ValueError(text[:40])


def kind(text: str) -> str:
    """none, causal, pad, both or hand."""
    return text.split(":")[0]


def size(text: str) -> int | None:
    """For how many tokens a mask is made; None where it fits any number."""
    what, _, rest = text.partition(":")
    return None if text in _NAMED else len(rest.split(".")) if what == "hand" else len(rest)


def settled(text: str | None, n: int, own: str) -> str:
    """The mask written out for n tokens, of a model whose own mask is `own` (causal or none)."""
    if text in ("pad", "both"):  # a decoder's last token says what comes next, so it is padded on the left
        hidden = 0 if own == "causal" else n - 1
        return padding(text, [n == 1 or i != hidden for i in range(n)])
    if text in _NAMED and kind(text) == "hand":
        return drawn(matrix(text[5:] or own, n))
    return own if text is None else text


def keys(text: str, n: int) -> tuple[bool, ...]:
    """Which of n keys are not hidden from everybody by a padding."""
    return tuple(bit == "1" for bit in text.split(":")[1]) if kind(text) in ("pad", "both") else (True,) * n


def matrix(text: str, n: int) -> NDArray[np.bool_]:
    """The mask of n tokens, [query, key]: True where the query may read the key."""
    if kind(text) == "hand":
        return np.array([_bits(row, n) for row in text[5:].split(".")])
    rows: NDArray[np.bool_] = np.tri(n, dtype=bool) if kind(text) in ("causal", "both") else np.ones((n, n), dtype=bool)
    seen: NDArray[np.bool_] = rows & np.array(keys(text, n), dtype=bool)
    return seen


def padding(what: str, seen: Sequence[bool]) -> str:
    """A mask of this kind (pad or both) that hides the keys that are not `seen`."""
    return f"{what}:" + "".join("1" if each else "0" for each in seen)


def drawn(rows: NDArray[np.bool_]) -> str:
    """The mask that was drawn by hand, from [query, key]."""
    digits, spare = _shape(len(rows))
    numbers = (int("".join("1" if cell else "0" for cell in row), 2) << spare for row in rows)
    return "hand:" + ".".join(f"{number:0{digits}x}" for number in numbers)


def _shape(n: int) -> tuple[int, int]:
    """How many digits n bits take, and how many bits are left over."""
    digits = -(-n // 4)
    return digits, 4 * digits - n


def _bits(row: str, n: int) -> list[bool]:
    return [bit == "1" for bit in f"{int(row, 16) >> _shape(n)[1]:0{n}b}"]
