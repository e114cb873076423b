"""The live attention picture: all heads at a glance, one as a heatmap, and the sentence with its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from app.components.bundle import component
from app.components.labels import Shown, plain
from app.components.mount import View, mount
from app.components.words import ATTENTION, words

_RENDER = component(
    "attention",
    shared=("wire", "link", "look", "text", "slider", "table"),
    parts=("overview", "heat", "axes", "sentence", "pointer"),
)


@dataclass(frozen=True)
class AttentionState:
    layer: int
    head: int
    token: int | None  # the chosen query; None: the last one is shown


def attention(
    *,
    queries: Sequence[Shown],
    keys: Sequence[Shown],
    overview: np.ndarray,
    maps: np.ndarray,
    first_layer: int = 0,
    kind: Literal["pattern", "scores"] = "pattern",
    n_layers: int,
    n_heads: int,
    layer: int,
    head: int,
    token: int | None = None,
    mask: np.ndarray | None = None,
    title_overview: str = "",
    title_sentence: str = "",
    key: str,
    compact: bool = False,
    height: int = 490,
    on_change: Callable[[AttentionState], None] | None = None,
    translation: Mapping[str, str] | None = None,
) -> AttentionState:
    """Draw attention and return the layer, head and query now in force.

    `overview`: uint8 [layer, head, rows, cols], every head in small (`app.components.overview.overview`).
    `maps`: float32 or float16 [layer, head, query, key], the layers `first_layer` and after it that were sent; when
    another layer is chosen the overview stands in until the caller sends that one. Cells that are not finite, or 0
    in `mask` (uint8 or bool [query, key]), are masked and stay blank. Layers and heads count from 0.
    `compact` leaves the sliders and the overview out; `height` is the map's, in pixels, 56 less than the whole.
    `on_change` is called before the script runs, with the state that the browser reported; store it and pass it back.
    Without it, the state returned in that run is the browser's. Raises `ValueError` where shapes disagree.
    """
    n_q, n_k = len(queries), len(keys)
    if not n_q or not n_k:
        raise ValueError(f"attention: {n_q} queries and {n_k} keys, expected at least one of each")
    if maps.ndim != 4 or maps.shape[1:] != (n_heads, n_q, n_k) or not maps.shape[0]:
        raise ValueError(f"maps: shape {list(maps.shape)}, expected [layer, {n_heads}, {n_q}, {n_k}]")
    if not 0 <= first_layer <= n_layers - maps.shape[0]:
        raise ValueError(f"first_layer: {first_layer} and {maps.shape[0]} layers sent, of {n_layers}")
    if overview.dtype != np.uint8 or overview.ndim != 4 or overview.shape[:2] != (n_layers, n_heads):
        raise ValueError(
            f"overview: {overview.dtype} {list(overview.shape)}, expected uint8 [{n_layers}, {n_heads}, rows, cols]"
        )
    if mask is not None and mask.shape != (n_q, n_k):
        raise ValueError(f"mask: shape {list(mask.shape)}, expected [{n_q}, {n_k}]")
    if kind not in ("pattern", "scores"):
        raise ValueError(f"kind: {kind!r}, expected 'pattern' or 'scores'")

    def clean(view: View) -> View:
        def within(value: Any, count: int, default: int | None) -> int | None:
            return value if type(value) is int and 0 <= value < count else default

        return {
            "layer": within(view.get("layer"), n_layers, 0),
            "head": within(view.get("head"), n_heads, 0),
            "token": within(view.get("token"), n_q, None),
        }

    arrays = {"overview": overview, "maps": maps}
    if mask is not None:
        arrays["mask"] = mask.astype(np.uint8)
    view, _ = mount(
        _RENDER,
        key=key,
        view=clean(asdict(AttentionState(layer, head, token))),
        header={
            "queries": plain(queries, "queries"),
            "keys": plain(keys, "keys"),
            "first_layer": first_layer,
            "kind": kind,
            "n_layers": n_layers,
            "n_heads": n_heads,
            "titles": {"overview": title_overview, "sentence": title_sentence},
            "compact": compact,
            "height": int(height),
            "words": words(ATTENTION, translation),
        },
        arrays=arrays,
        clean=clean,
        on_change=None if on_change is None else lambda view: on_change(AttentionState(**view)),
    )
    return AttentionState(**view)
