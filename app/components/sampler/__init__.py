"""The next-token distribution: raw logits sent once, temperature, top-k and top-p redrawn under the finger."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.components.bundle import component
from app.components.mount import View, mount
from app.components.words import SAMPLER, words

_RENDER = component("sampler", shared=("wire", "link", "look", "text", "slider", "sampling"), parts=("bars", "line"))
MAX_TEMPERATURE = 2.0


@dataclass(frozen=True)
class SamplerState:
    temperature: float  # 0 to 2; 0 is greedy
    top_k: int  # 0 to vocab; 0 is off
    top_p: float  # 0 to 1; 1 is off
    chosen: int | None = None  # the id of a bar clicked in this run: continue with this token instead


def sampler(
    *,
    logits: np.ndarray,
    labels: Mapping[int, str],
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    uniform: float | None = None,
    drawn: int | None = None,
    key: str,
    on_change: Callable[[SamplerState], None] | None = None,
    translation: Mapping[str, str] | None = None,
) -> SamplerState:
    """Draw the distribution of raw `logits` and return the settings now in force.

    `logits`: float32 [vocab], finite or -inf. `labels`: the text of every id that may be named: the 20 likeliest, what
    was drawn, and whatever `uniform` may land on (others are named by their id). `uniform`: the number in [0, 1) that
    the draw of this step uses, or None. `drawn`: the id that was drawn at this step, marked in amber, or None.
    Settings outside their range are brought into it. `on_change` is called before the script runs with what the
    browser reported; without it the state returned in that run is the browser's. Raises `ValueError` for wrong shapes.
    """
    if logits.ndim != 1 or not logits.size:
        raise ValueError(f"logits: shape {list(logits.shape)}, expected [vocab]")
    vocab = logits.size
    if uniform is not None and not 0 <= uniform < 1:
        raise ValueError(f"uniform: {uniform}, expected a number from 0 up to, not including, 1")
    if drawn is not None and not 0 <= drawn < vocab:
        raise ValueError(f"drawn: id {drawn} of a vocabulary of {vocab}")

    def clean(view: View) -> View:
        def number(value: Any, high: float, default: float) -> float:
            usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            return min(high, max(0.0, float(value))) if usable else default

        return {
            "temperature": number(view.get("temperature"), MAX_TEMPERATURE, 1.0),
            "top_k": int(number(view.get("top_k"), vocab, 0)),
            "top_p": number(view.get("top_p"), 1.0, 1.0),
        }

    given = asdict(SamplerState(temperature, top_k, top_p))
    view, triggered = mount(
        _RENDER,
        key=key,
        view=clean(given),
        header={
            "labels": {str(int(id_)): str(text) for id_, text in labels.items()},
            "uniform": None if uniform is None else float(uniform),
            "drawn": None if drawn is None else int(drawn),
            "words": words(SAMPLER, translation),
        },
        arrays={"logits": logits.astype(np.float32)},
        clean=clean,
        on_change=None if on_change is None else lambda view: on_change(SamplerState(**view)),
        triggers={"chosen": None},
    )
    chosen = triggered["chosen"]
    return SamplerState(**view, chosen=chosen if type(chosen) is int and 0 <= chosen < vocab else None)
