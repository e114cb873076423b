"""A mask to draw in: who may read whom, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app import mask as masks
from app.components.bundle import component
from app.components.labels import Shown, plain
from app.components.mount import View, mount
from app.components.words import GRID, words

_RENDER = component("grid", shared=("wire", "link", "look", "text"), parts=("masks",))


@dataclass(frozen=True)
class GridState:
    mask: str  # as in `app.mask`


def grid(
    *,
    tokens: Sequence[Shown],
    mask: str,
    width: int = 380,
    key: str,
    on_change: Callable[[GridState], None] | None = None,
    translation: Mapping[str, str] | None = None,
) -> GridState:
    """Draw the mask over `tokens` and return the one now in force.

    `width`: pixels that there is room for. Raises `ValueError` for a mask of another size, or too many tokens.
    """
    n = len(tokens)
    if not 0 < n <= masks.LARGEST:
        raise ValueError(f"grid: {n} tokens, expected 1 to {masks.LARGEST}")
    if masks.size(masks.check(mask)) not in (None, n):
        raise ValueError(f"mask: made for {masks.size(mask)} tokens, not for {n}")

    def clean(view: View) -> View:
        try:
            found = masks.check(str(view.get("mask")))
        except ValueError:
            return {"mask": mask}
        return {"mask": found if masks.size(found) in (None, n) else mask}

    view, _ = mount(
        _RENDER,
        key=key,
        view={"mask": mask},
        header={"tokens": plain(tokens, "tokens"), "width": int(width), "words": words(GRID, translation)},
        arrays={},
        clean=clean,
        on_change=None if on_change is None else lambda view: on_change(GridState(**view)),
    )
    return GridState(**view)
