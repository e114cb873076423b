"""Tokens: what the model really reads, piece by piece."""

import pandas as pd
import streamlit as st

from app.components.chips import chips
from app.components.page import page
from app.runs import Story
from app.words import _


def show() -> None:
    """Draw the view."""
    page(picture, "tokens")


def picture(story: Story) -> None:
    """A chip for each token, linked with its slice of the text, and the same as a table."""
    chips(tokens=story.tokens, text=story.text, key="chips")
    vocabulary = story.model.vocabulary
    rows = [
        {
            "#": i,
            _("Token"): token.text,
            _("Id"): token.id,
            _("In the vocabulary"): token.raw,
            _("In the text"): story.text[token.start : token.end],
            _("From"): token.start,
            _("To"): token.end,
            _("Bytes"): vocabulary.bytes(token.id).hex(" ").upper(),
        }
        for i, token in enumerate(story.tokens)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
