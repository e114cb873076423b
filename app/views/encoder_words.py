"""What the topics of the view Encoder share: which word is chosen, and a control to choose another."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from app import state
from app.look import Look
from app.words import _
from core.text import Token


class Place(NamedTuple):
    """Where the word stands: in which sentence, by number and as read, at which token, and what it is called."""

    sentence: int
    look: Look
    token: int
    name: str


def chosen(look: Look, otherwise: Callable[[], int]) -> int:
    """The token on the screen: the one in the address if the text has it, else the one that `otherwise` suggests."""
    token = state.current().token
    if token is not None and token >= len(look.tokens):
        sentence = _("This text has no token {n}; it has {count}, counted from 0.")
        state.give_up("token", sentence.format(n=token, count=len(look.tokens)))
        token = None
    return otherwise() if token is None else token


def choose_word(look: Look, token: int) -> None:
    """A control for the word: its text and its number, since a word may stand in a text twice."""
    st.selectbox(
        _("Word"),
        range(len(look.tokens)),
        format_func=lambda i: f"{look.tokens[i].text} · {i}",
        key=state.widget("word-box", token),
        on_change=state.from_widget("word-box", "token"),
    )


def longest(tokens: tuple[Token, ...]) -> int:
    """The longest word of a text: rather a noun than an article. The first token where it has no word."""
    typed = [i for i, token in enumerate(tokens) if not token.added and not token.special]
    return max(typed, key=lambda i: (len(tokens[i].text), -i), default=0)
