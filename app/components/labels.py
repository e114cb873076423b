"""What a component needs to know of a token to show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Shown(Protocol):
    """A token of `core`, or a `Label`: text (with ␣ ↵ ⇥), id, raw form; special and added where it has them."""

    @property
    def text(self) -> str: ...
    @property
    def id(self) -> int: ...


@dataclass(frozen=True)
class Label:
    text: str  # for the eye: ␣ ↵ ⇥ for space, newline, tab; never empty
    id: int
    raw: str = ""  # as it stands in the vocabulary
    special: bool = False
    added: bool = False  # put there by the tokenizer, not typed
    padding: bool = False
    start: int | None = None  # slice of the source text, in code points
    end: int | None = None


def plain(tokens: Sequence[Shown], name: str) -> list[dict[str, Any]]:
    """`tokens` as JSON-ready dictionaries; keys that say nothing are left out."""
    if isinstance(tokens, str) or not all(hasattr(token, "text") and hasattr(token, "id") for token in tokens):
        raise ValueError(f"{name}: expected tokens with .text and .id")
    listed = []
    for token in tokens:
        entry: dict[str, Any] = {"text": str(token.text), "id": int(token.id)}
        raw = getattr(token, "raw", "")
        if raw and raw != token.text:
            entry["raw"] = str(raw)
        entry |= {flag: True for flag in ("special", "added", "padding") if getattr(token, flag, False)}
        entry |= {edge: int(at) for edge in ("start", "end") if (at := getattr(token, edge, None)) is not None}
        listed.append(entry)
    return listed
