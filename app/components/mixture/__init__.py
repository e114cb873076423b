"""A word as a mixture: weight times value, summed, from "each word is itself" to what attention does."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.components.bundle import component
from app.components.labels import Shown, plain
from app.components.mount import View, mount
from app.components.words import MIXTURE, words

_RENDER = component("mixture", shared=("wire", "link", "look", "text", "slider", "table"), parts=("strips",))


@dataclass(frozen=True)
class MixtureState:
    layer: int
    head: int
    token: int  # the word that is mixed
    amount: float  # of attention: 0 is the identity, 1 what the model does


def mixture(
    *,
    tokens: Sequence[Shown],
    weights: np.ndarray,
    values: np.ndarray,
    mixed: np.ndarray,
    first_layer: int,
    n_layers: int,
    layer: int,
    head: int,
    token: int,
    amount: float,
    height: int = 300,
    key: str,
    on_change: Callable[[MixtureState], None] | None = None,
    translation: Mapping[str, str] | None = None,
) -> MixtureState:
    """Draw what `token` is mixed from, and return the state now in force.

    `weights`: float32 or float16 [layer, head, key], the row of `token` in each map. `values`: [layer, kv_head, key,
    d_head]; query heads share them in equal groups. `mixed`: [layer, head, d_head], the model's own sum of weight times
    value (z), which is drawn where `amount` is 1. The three hold the layers from `first_layer` on; when another one is
    chosen the picture waits until the caller sends it. `height` is that of the list of words, in pixels. `on_change` is
    called before the script runs; store what it is given and pass it back. Raises `ValueError` where shapes disagree.
    """
    n = len(tokens)
    if weights.ndim != 3 or not all(weights.shape) or weights.shape[2] != n:
        raise ValueError(f"weights: shape {list(weights.shape)}, expected [layer, head, {n}]")
    sent, n_heads, _ = weights.shape
    if values.ndim != 4 or values.shape[0] != sent or n_heads % (values.shape[1] or n_heads + 1):
        raise ValueError(f"values: shape {list(values.shape)}, expected [{sent}, a divisor of {n_heads}, {n}, d_head]")
    if values.shape[2] != n or mixed.shape != (sent, n_heads, values.shape[3]):
        raise ValueError(f"values, mixed: shapes {list(values.shape)}, {list(mixed.shape)} do not fit {n} tokens")
    if not 0 <= first_layer <= n_layers - sent:
        raise ValueError(f"first_layer: {first_layer} and {sent} layers sent, of {n_layers}")
    if not 0 <= token < n:
        raise ValueError(f"token: {token} of {n}")

    def clean(view: View) -> View:
        def within(value: Any, most: int, default: int) -> int:
            return value if type(value) is int and 0 <= value < most else default

        def share(value: Any) -> float:
            usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            return min(1.0, max(0.0, float(value))) if usable else 1.0

        return {
            "layer": within(view.get("layer"), n_layers, 0),
            "head": within(view.get("head"), n_heads, 0),
            "token": within(view.get("token"), n, token),
            "amount": share(view.get("amount")),
        }

    view, _ = mount(
        _RENDER,
        key=key,
        view=clean(asdict(MixtureState(layer, head, token, amount))),
        header={
            "tokens": plain(tokens, "tokens"),
            "at": token,
            "first_layer": first_layer,
            "n_layers": n_layers,
            "height": int(height),
            "words": words(MIXTURE, translation),
        },
        arrays={"weights": weights, "values": values, "mixed": mixed},
        clean=clean,
        on_change=None if on_change is None else lambda view: on_change(MixtureState(**view)),
    )
    return MixtureState(**view)
