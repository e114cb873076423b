"""Predictions before a change and after it, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.components.bundle import component
from app.components.mount import mount
from app.components.words import CONTRAST, words
from app.says import Answer

_RENDER = component("contrast", shared=("wire", "link", "look", "text", "table", "shares"))


def contrast(*, answers: Sequence[tuple[str, Answer]], key: str, translation: Mapping[str, str] | None = None) -> None:
    """Draw each answer under its title, in which {token} stands for the token that it is about."""
    mount(
        _RENDER,
        key=key,
        view={},
        header={
            "groups": [
                {
                    "title": title,
                    "about": answer.about.text if answer.about else None,
                    "names": list(answer.names),
                    "more": answer.more,
                }
                for title, answer in answers
            ],
            "words": words(CONTRAST, translation),
        },
        arrays={
            "shares": np.concatenate([answer.shares for _, answer in answers]),
            "rest": np.stack([answer.rest for _, answer in answers]),
        },
        clean=lambda view: {},
    )
