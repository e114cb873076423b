"""Start: what this is, a model and a sentence, one head that reads it, and the whole network with its real sizes."""

import streamlit as st

from app import runs
from app.components.network import network
from app.components.page import page
from app.look import Look
from app.views.attention import maps_of
from app.words import _


def show() -> None:
    """Draw the view."""
    lead = _("Type a sentence, and read every number that a real, running Transformer computes for it.")
    page(
        _picture,
        runs.look,
        "start",
        heading=f'<div class="glass-head"><strong>Glassformer</strong><span>{lead}</span></div>',
    )


def _picture(look: Look) -> None:
    maps_of(look, look.parts[-1], "pattern", height=330, compact=True)
    st.html(f'<p class="glass-sub">{_("The whole network, with its real numbers")}</p>')
    network(look)
