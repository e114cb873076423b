"""Numbers to the browser: one block of bytes, never a list.

    uint32  length of the header, little-endian
    header  JSON, UTF-8, padded with blanks so that what follows starts at a multiple of 8
    body    the raw little-endian arrays, each starting at a multiple of 8

`header["arrays"][name]` holds `dtype`, `shape` and `offset` into the body; `shared/wire.js` reads it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

DTYPES = ("float32", "float16", "uint8")


def _padded(raw: bytes, fill: bytes) -> bytes:
    return raw + fill * (-len(raw) % 8)


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of `header` and `arrays` (any shapes; float32, float16 or uint8).

    Raises `ValueError` for another dtype, or a header that holds an "arrays" of its own or a number that is no number.
    """
    if "arrays" in header:
        raise ValueError("header: the key 'arrays' is taken by pack")
    table: dict[str, dict[str, Any]] = {}
    parts: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        if array.dtype.name not in DTYPES:
            raise ValueError(f"{name}: dtype {array.dtype}, expected one of {', '.join(DTYPES)}")
        raw = _padded(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes(), b"\0")
        table[name] = {"dtype": array.dtype.name, "shape": list(array.shape), "offset": offset}
        parts.append(raw)
        offset += len(raw)
    text = json.dumps({**header, "arrays": table}, allow_nan=False).encode()
    text += b" " * (-(4 + len(text)) % 8)
    return b"".join((len(text).to_bytes(4, "little"), text, *parts))


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The inverse of `pack`, for tests and for reading what a component was sent."""
    length = int.from_bytes(data[:4], "little")
    header = json.loads(data[4 : 4 + length])
    body = memoryview(data)[4 + length :]
    arrays = {}
    for name, entry in header.pop("arrays").items():
        count = int(np.prod(entry["shape"], dtype=np.int64))
        flat = np.frombuffer(
            body, dtype=np.dtype(entry["dtype"]).newbyteorder("<"), count=count, offset=entry["offset"]
        )
        arrays[name] = flat.reshape(entry["shape"])
    return header, arrays


def revision(payload: bytes) -> str:
    """A short hash of what was packed: the same revision is the same picture."""
    return hashlib.blake2b(payload, digest_size=8).hexdigest()
