"""Encoder: reading in both directions, and what that makes of a word, of a gap and of a whole text."""

import streamlit as st

from app import runs, state
from app.components.encoder import caption, style
from app.components.page import chosen_head, page
from app.look import Look
from app.plots.maps import telling
from app.plots.mixture import open_cells, sides
from app.views import encoder_blank, encoder_class, encoder_meanings, encoder_mixture
from app.views.attention import maps_of
from app.words import _

TOPICS = {
    "maps": _("Both directions"),
    "meanings": _("One word, two meanings"),
    "mixture": _("A word is a mixture"),
    "blank": _("Fill the blank"),
    "class": _("What the text says"),
}


def show() -> None:
    """Draw the view."""
    page(_picture, runs.look, "encoder", kinds=("encoder",))


def _picture(look: Look) -> None:
    style()
    st.segmented_control(
        _("Topic"),
        list(TOPICS),
        format_func=lambda topic: TOPICS[topic],
        key=state.widget("topic-box", state.current().topic),
        required=True,
        on_change=state.from_widget("topic-box", "topic"),
        label_visibility="collapsed",
    )
    PICTURES[state.current().topic](look)


def _maps(look: Look) -> None:
    """The maps of every head, and how much a word reads before and after itself."""
    layer, head = chosen_head(look.model, "encoder.attn")
    pattern = look.tensor(f"encoder.{layer}.attn.pattern")[head]
    token = state.current().token
    if token is None or token >= len(look.tokens):
        token = telling(look.maps("pattern", "encoder.attn")[layer, head])
    seen, cells = open_cells(look.tensor("encoder.0.attn.masked")[0])
    read = sides(pattern[token], token)
    caption(
        _("Nothing is masked: {0} of {1} cells may be read. Here {2} reads {3} before it, {4} itself, {5} after it."),
        str(seen),
        str(cells),
        look.tokens[token].text,
        f"{read.before:.2f}",
        f"{read.itself:.2f}",
        f"{read.after:.2f}",
    )
    maps_of(look, "encoder.attn", "pattern", height=372)


PICTURES = {
    "maps": _maps,
    "meanings": encoder_meanings.picture,
    "mixture": encoder_mixture.picture,
    "blank": encoder_blank.picture,
    "class": encoder_class.picture,
}
