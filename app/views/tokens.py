"""Tokens: what the model really reads, piece by piece."""

import pandas as pd
import streamlit as st

from app import runs
from app.components.chips import chips
from app.components.page import page
from app.look import Look
from app.words import _


def show() -> None:
    """Draw the view."""
    page(_picture, runs.look, "tokens")


def _picture(look: Look) -> None:
    """A chip for each token, linked with its slice of the text, and the same as a table."""
    chips(tokens=look.tokens, text=look.text, key="chips")
    vocabulary = look.model.vocabulary
    rows = [
        {
            "#": i,
            _("Token"): token.text,
            _("Id"): token.id,
            _("In the vocabulary"): token.raw,
            _("In the text"): look.text[token.start : token.end],
            _("From"): token.start,
            _("To"): token.end,
            _("Bytes"): vocabulary.bytes(token.id).hex(" ").upper(),
        }
        for i, token in enumerate(look.tokens)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
