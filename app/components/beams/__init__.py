"""The tree that a beam search has grown, with the best line and the greedy one in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.components.bundle import component
from app.components.mount import mount
from app.components.words import BEAMS, words
from core.beam import Beams, Hypothesis
from core.text import Token

_RENDER = component("beams", shared=("wire", "link", "look", "text", "table"))


def beams(
    *,
    tree: Beams,
    width: int,
    stop: Sequence[int],
    greedy: Sequence[Token],
    greedy_text: str,
    greedy_logprob: float,
    key: str,
    translation: Mapping[str, str] | None = None,
) -> None:
    """Draw the candidates of every step, the likeliest on top; `greedy` is what is written without a search."""
    every = [(at, place, one) for at, step in enumerate(tree.steps) for place, one in enumerate(step)]
    number = {id(one): i for i, (_, _, one) in enumerate(every)}
    best = {id(one) for one in _line(tree.best)}
    alone = tuple(token.id for token in greedy)

    def node(step: int, place: int, one: Hypothesis) -> dict[str, Any]:
        written = tuple(token.id for token in one.line)
        entry: dict[str, Any] = {
            "step": step,
            "place": place,
            "token": one.token.text,
            "text": one.text,
            "fate": one.fate,
            "parent": number[id(one.parent)] if one.parent else None,
        }
        flags = {
            "ended": one.token.id in stop,
            "best": id(one) in best,
            "greedy": written == alone[: len(written)],
        }
        return entry | {name: True for name, holds in flags.items() if holds}

    mount(
        _RENDER,
        key=key,
        view={},
        header={
            "nodes": [node(*each) for each in every],
            "n_steps": len(tree.steps),
            "width": width,
            "texts": [
                {
                    "text": _said(one, stop),
                    "score": one.score,
                    "logprob": one.logprob,
                    "count": len(one.line),
                    "greedy": tuple(token.id for token in one.line) == alone,
                }
                for one in tree.finished
            ],
            "greedy_text": greedy_text,
            "words": words(BEAMS, translation),
        },
        arrays={
            "logprobs": np.array([one.logprob for _, _, one in every], dtype=np.float32),
            "greedy": np.array([greedy_logprob], dtype=np.float32),
        },
        clean=lambda view: {},
    )


def _said(one: Hypothesis, stop: Sequence[int]) -> str:
    """The text of a line, without the token that ends it."""
    written = one.reading.written
    return one.reading.reader.vocabulary.running(written if one.token.id in stop else [*written, one.token.id])


def _line(one: Hypothesis | None) -> list[Hypothesis]:
    """A candidate and all that it followed."""
    line = []
    while one:
        line.append(one)
        one = one.parent
    return line
