"""Attention: who reads whom, in every head of every layer."""

from typing import Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app import runs, state
from app.components.attention import AttentionState, attention
from app.components.overview import overview
from app.components.page import chosen_head, page
from app.runs import Story
from app.words import _

SITES = {"pattern": "pattern", "scores": "masked"}  # what the page shows, and the site that it reads
Kind = Literal["pattern", "scores"]
HABITS = {
    "previous_token": _("Reads the token before"),
    "induction": _("Finds what came next"),
    "coreference": _("Finds who is meant"),
}
AT_ONCE = 1 << 20  # bytes of maps sent in one message: what a class on one network opens without waiting


def show() -> None:
    """Draw the view."""
    page(_picture, "attention")


def _picture(story: Story) -> None:
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
    for place, (habit, (layer, head)) in zip(others, runs.card(story.model.name).heads.items(), strict=False):
        place.button(
            HABITS[habit],
            help=_("Open layer {layer}, head {head}, whose card says so.").format(layer=layer, head=head),
            on_click=_open,
            args=(layer, head),
            width="stretch",
        )
    maps_of(story, state.current().show, height=440)


def _open(layer: int, head: int) -> None:
    state.change(layer=layer, head=head, token=None)


def maps_of(story: Story, kind: Kind, height: int, compact: bool = False) -> None:
    """The maps of a story: all at a glance, one opened, and the sentence with lines to what a word reads."""
    layer, head = chosen_head(story)
    token = state.current().token
    if token is not None and token >= len(story.tokens):
        sentence = _("This text has no token {n}; it has {count}, counted from 0.")
        state.give_up("token", sentence.format(n=token, count=len(story.tokens)))
        token = None
    maps = story.maps(SITES[kind])
    first, sent = window(maps, layer)
    if token is None:
        token = telling(story.maps("pattern")[layer, head])
    attention(
        queries=story.tokens,
        keys=story.tokens,
        overview=overview(maps, kind),
        maps=sent,
        first_layer=first,
        kind=kind,
        n_layers=story.model.config.n_layers,
        n_heads=story.model.config.n_heads,
        layer=layer,
        head=head,
        token=token,
        mask=story.tensor("decoder.mask"),
        compact=compact,
        height=height,  # pixels
        key="attention",
        on_change=_store,
    )


def _store(view: AttentionState) -> None:
    state.change(layer=view.layer, head=view.head, token=view.token)


def telling(pattern: NDArray[np.float32]) -> int:
    """The query that reads one other token most, of [query, key]: where a student's eye should fall first.

    The first token does not count: heads rest on it when they find nothing. Where all rest there, the last query.
    """
    others = pattern.copy()
    others[:, 0] = 0.0
    np.fill_diagonal(others, 0.0)
    strongest = others.max(axis=1)
    return int(strongest.argmax()) if strongest.max() > 0 else len(pattern) - 1


def window(maps: NDArray[np.float32], layer: int) -> tuple[int, NDArray[np.floating]]:
    """The layers around `layer` that one message carries, and the number of the first: all of them for a sentence.

    `maps` is [layer, head, query, key]. Exact numbers (float32) as long as one layer fits, else float16.
    """
    n_layers, size = len(maps), maps[0].nbytes
    count = min(n_layers, max(1, AT_ONCE // size))
    first = min(max(0, layer - count // 2), n_layers - count)
    sent = maps[first : first + count]
    return first, sent if size <= 4 * AT_ONCE else sent.astype(np.float16)
