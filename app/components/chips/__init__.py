"""Tokens as chips, each tied to its slice of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.components.bundle import component
from app.components.labels import Shown, plain
from app.components.mount import mount
from app.components.words import CHIPS, words

_RENDER = component("chips", shared=("wire", "link", "look", "text"))


def chips(*, tokens: Sequence[Shown], text: str, key: str, translation: Mapping[str, str] | None = None) -> None:
    """Draw one chip per token, in index order from left to right, above them the `text` they came from.

    A token's `start` and `end` are code points of `text`, as Python counts; several tokens may share a slice (the
    bytes of one character), a token without one (added, or a slice of nothing) lights nothing.
    """
    mount(
        _RENDER,
        key=key,
        view={},
        header={"tokens": plain(tokens, "tokens"), "text": text, "words": words(CHIPS, translation)},
        arrays={},
        clean=lambda view: {},
    )
