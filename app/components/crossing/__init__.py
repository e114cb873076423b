"""A target that grows under its source: what each step reads of the source, and what it could write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.components.bundle import component
from app.components.labels import Shown, plain
from app.components.mount import View, mount
from app.components.words import CROSSING, words
from app.says import Step

_RENDER = component("crossing", shared=("wire", "link", "look", "text", "slider", "table", "shares"))


@dataclass(frozen=True)
class CrossingState:
    layer: int
    head: int
    step: int  # how many tokens were written before


def crossing(
    *,
    sources: Sequence[Shown],
    targets: Sequence[Shown],
    steps: Sequence[Step],
    maps: np.ndarray,
    first_layer: int = 0,
    n_layers: int,
    layer: int,
    head: int,
    step: int,
    key: str,
    on_change: Callable[[CrossingState], None] | None = None,
    translation: Mapping[str, str] | None = None,
) -> CrossingState:
    """Draw source and target and return the layer, head and step now in force.

    `targets` are what the decoder read, its start token first; `steps` say for each of them what came next. `maps`:
    float32 or float16 [layer, head, target, source], the layers `first_layer` and after it that were sent. The
    number of layers is `n_layers`. Raises `ValueError` where shapes disagree.
    """
    n_heads = maps.shape[1] if maps.ndim == 4 else 0
    if maps.ndim != 4 or maps.shape[2:] != (len(targets), len(sources)) or not all(maps.shape):
        raise ValueError(f"maps: shape {list(maps.shape)}, expected [layer, head, {len(targets)}, {len(sources)}]")
    if not 0 <= first_layer <= n_layers - maps.shape[0]:
        raise ValueError(f"first_layer: {first_layer} and {maps.shape[0]} layers sent, of {n_layers}")
    if len(steps) != len(targets):
        raise ValueError(f"steps: {len(steps)}, expected one for each of {len(targets)} target tokens")

    def clean(view: View) -> View:
        def within(value: Any, most: int) -> int:
            return value if type(value) is int and 0 <= value < most else 0

        counts = {"layer": n_layers, "head": n_heads, "step": len(steps)}
        return {name: within(view.get(name), most) for name, most in counts.items()}

    view, _ = mount(
        _RENDER,
        key=key,
        view=clean(asdict(CrossingState(layer, head, step))),
        header={
            "sources": plain(sources, "sources"),
            "targets": plain(targets, "targets"),
            "after": plain([steps[-1].token], "steps")[0],
            "steps": [
                {
                    "token": each.token.id,
                    "best": each.best.id,
                    "names": [token.text for token in each.top],
                    "ids": [token.id for token in each.top],
                    "more": each.more,
                }
                for each in steps
            ],
            "first_layer": first_layer,
            "n_layers": n_layers,
            "n_heads": n_heads,
            "words": words(CROSSING, translation),
        },
        arrays={
            "maps": maps,
            "top": np.array([each.shares for each in steps], dtype=np.float32),
            "shares": np.array([each.share for each in steps], dtype=np.float32),
            "rest": np.array([each.rest for each in steps], dtype=np.float32),
        },
        clean=clean,
        on_change=None if on_change is None else lambda view: on_change(CrossingState(**view)),
    )
    return CrossingState(**view)
