"""The growing text, each token shaded by how much the current one reads of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.components.bundle import component
from app.components.labels import Shown, plain
from app.components.mount import View, mount
from app.components.words import STRIP, words

_RENDER = component("strip", shared=("wire", "link", "look", "text", "slider", "table"))


@dataclass(frozen=True)
class StripState:
    layer: int
    head: int
    step: int | None = None  # a generated token clicked in this run: 0 is the first one after the prompt


def strip(
    *,
    tokens: Sequence[Shown],
    prompt_length: int,
    rows: np.ndarray,
    layer: int,
    head: int,
    current: int,
    key: str,
    on_change: Callable[[StripState], None] | None = None,
    translation: Mapping[str, str] | None = None,
) -> StripState:
    """Draw the text and return the layer and head now in force, and the step clicked in this run, if any.

    `rows`: float32 or float16 [layer, head, key], what position `current` reads; it covers the first `key` tokens,
    later ones are shown as not read. The first `prompt_length` tokens are the prompt. Layers and heads count from 0.
    Raises `ValueError` where shapes disagree.
    """
    count = len(tokens)
    if rows.ndim != 3 or not all(rows.shape) or rows.shape[2] > count:
        raise ValueError(f"rows: shape {list(rows.shape)}, expected [layer, head, key] with at most {count} keys")
    if not 0 <= current < count:
        raise ValueError(f"current: position {current} of {count} tokens")
    if not 0 <= prompt_length <= count:
        raise ValueError(f"prompt_length: {prompt_length} of {count} tokens")
    n_layers, n_heads = rows.shape[:2]

    def clean(view: View) -> View:
        def within(value: Any, most: int) -> int:
            return value if type(value) is int and 0 <= value < most else 0

        return {"layer": within(view.get("layer"), n_layers), "head": within(view.get("head"), n_heads)}

    view, triggered = mount(
        _RENDER,
        key=key,
        view=clean(asdict(StripState(layer, head))),
        header={
            "tokens": plain(tokens, "tokens"),
            "prompt_length": prompt_length,
            "current": current,
            "n_layers": n_layers,
            "n_heads": n_heads,
            "words": words(STRIP, translation),
        },
        arrays={"rows": rows},
        clean=clean,
        on_change=None if on_change is None else lambda view: on_change(StripState(**view)),
        triggers={"step": None},
    )
    step = triggered["step"]
    return StripState(**view, step=step if type(step) is int and 0 <= step < count - prompt_length else None)
