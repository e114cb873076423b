"""Attention: who reads whom, in every head of every layer."""

from math import isqrt
from typing import Literal

import numpy as np
import streamlit as st

from app import runs, state
from app.components.attention import AttentionState, attention
from app.components.overview import overview
from app.components.page import again, chosen_head, notice, page
from app.look import Look
from app.plots.maps import telling, window
from app.words import _

SITES = {"pattern": "pattern", "scores": "masked"}  # what the page shows, and the site that it reads
Kind = Literal["pattern", "scores"]
PARTS = {
    "encoder.attn": _("Encoder: the source reads itself"),
    "decoder.attn": _("Decoder: the target reads what it has written"),
    "decoder.cross": _("Across: the target reads the source"),
}
HABITS = {
    "previous_token": _("Reads the token before"),
    "induction": _("Finds what came next"),
    "coreference": _("Finds who is meant"),
    "alignment": _("Finds the word to translate"),
}
DRAWN = 8 << 20  # bytes of one layer's maps at most: a longer text is not drawn


def show() -> None:
    """Draw the view."""
    page(_picture, runs.look, "attention")


def _picture(look: Look) -> None:
    kinds = {"pattern": _("Weights"), "scores": _("Scores before the softmax")}
    left, *others = st.columns([5, 2, 2, 2], vertical_alignment="bottom")
    left.segmented_control(
        _("Show"),
        kinds,
        format_func=lambda kind: kinds[kind],
        key=state.widget("show-box", state.current().show),
        required=True,
        on_change=state.from_widget("show-box", "show"),
        label_visibility="collapsed",
    )
    part = part_of(look)
    for place, (habit, (layer, head)) in zip(others, runs.card(look.model.name).heads.items(), strict=False):
        hint = _("Open layer {layer}, head {head}, whose card says so.").format(layer=layer, head=head)
        if place.button(HABITS.get(habit, habit), help=hint, width="stretch"):
            state.change(layer=layer, head=head, token=None)
            again()
    maps_of(look, part, state.current().show, height=440)


def part_of(look: Look) -> str:
    """The kind of map on the screen; an encoder-decoder has three, and a control to choose."""
    asked = state.current().part
    part: str = asked if asked in look.parts else look.parts[-1]
    if len(look.parts) > 1:
        st.segmented_control(
            _("Kind of attention"),
            list(look.parts),
            format_func=lambda part: PARTS[part],
            key=state.widget("part-box", part),
            required=True,
            on_change=_turn_to,
            label_visibility="collapsed",
        )
    return part


def _turn_to() -> None:
    state.change(part=state.widget_value("part-box", state.current().part), token=None)


def maps_of(look: Look, part: str, kind: Kind, height: int, compact: bool = False) -> None:
    """The maps of a part: all at a glance, one opened, and the sentence with lines to what a word reads."""
    layer, head = chosen_head(look.model, part)
    queries, keys = look.axes(part)
    token = state.current().token
    if token is not None and token >= len(queries):
        sentence = _("This text has no token {n}; it has {count}, counted from 0.")
        state.give_up("token", sentence.format(n=token, count=len(queries)))
        token = None
    most = isqrt(DRAWN // (4 * look.model.config.n_heads))
    if max(len(queries), len(keys)) > most:
        sentence = _("A map of {n} × {m} tokens is too large to draw; this model's are drawn up to {most}.")
        notice(sentence.format(n=len(queries), m=len(keys), most=most))
        return
    maps = look.maps(SITES[kind], part)
    first, sent = window(maps, layer)
    suggested = telling(look.pattern(part, layer, head), part != "decoder.cross")
    attention(
        queries=queries,
        keys=keys,
        overview=overview(maps, kind),
        maps=sent,
        first_layer=first,
        kind=kind,
        n_layers=len(maps),
        n_heads=maps.shape[1],
        layer=layer,
        head=head,
        token=suggested if token is None else token,
        mask=np.isfinite(look.tensor(f"{part.replace('.', '.0.', 1)}.masked")[0]),
        compact=compact,
        height=height,  # pixels
        key="attention",
        on_change=lambda view: _store(view, suggested),
    )


def _store(view: AttentionState, suggested: int) -> None:
    """Keep what was chosen; a query that was only suggested is not, so that another head suggests its own."""
    chosen = state.current().token is not None or view.token != suggested
    state.change(layer=view.layer, head=view.head, token=view.token if chosen else None)
