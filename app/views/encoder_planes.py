"""Vectors on a plane: one word's way through the layers, or every word of the sentences at one layer."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from app import state
from app.components.encoder import caption, table
from app.components.page import notice
from app.look import Look
from app.plots import cloud
from app.plots.projection import Projection, distinct, parted, pca
from app.theme import Mode
from app.views.encoder_words import Place
from app.words import _

HEIGHT = 350  # pixels


def planes(
    looks: Sequence[Look], places: Sequence[Place], stations: dict[str, str], vectors: NDArray[np.float32], at: int
) -> None:
    """The choice of what to project, and its figure. `vectors` are the word's own, [place, station, number]."""
    kinds = {"path": _("This word, layer by layer"), "words": _("Every word, at this layer")}
    st.segmented_control(
        _("Projection"),
        list(kinds),
        format_func=lambda kind: kinds[kind],
        key=state.widget("cloud-box", state.current().cloud),
        required=True,
        on_change=state.from_widget("cloud-box", "cloud"),
        label_visibility="collapsed",
    )
    if state.current().cloud == "path":
        _path(places, list(stations), vectors, at)
    else:
        _all_words(looks, places, list(stations.items())[at])


def _path(places: Sequence[Place], stations: Sequence[str], vectors: NDArray[np.float32], at: int) -> None:
    """How the places part: at each station, what a vector has that their mean has not."""
    flat = parted(vectors).reshape(-1, vectors.shape[-1])
    if distinct(flat) < 3:
        notice(_few(distinct(flat)))
        return
    found = pca(flat)
    names = [p.name for p in places]
    figure = cloud.paths(found, names, [p.sentence for p in places], stations, at, _axis(), _mode(), HEIGHT)
    _show(
        figure,
        found,
        flat.shape[1],
        _("How the vectors differ from their mean: they start as one, and part."),
        _("How the word's vectors in {n} places part, layer by layer.").format(n=len(places)),
    )
    rows = [
        [name, station, *(f"{x:.4f}" for x in found.points[i * len(stations) + j])]
        for i, name in enumerate(names)
        for j, station in enumerate(stations)
    ]
    st.html(table([_("Place"), _("Layer"), "x", "y"], rows, _("The points as a table")))


def _all_words(looks: Sequence[Look], places: Sequence[Place], station: tuple[str, str]) -> None:
    name, site = station
    words = [(i, j) for i, look in enumerate(looks) for j, token in enumerate(look.tokens) if not token.added]
    if not words:
        notice(_few(0))
        return
    flat = np.stack([looks[i].tensor(site)[j] for i, j in words])
    if distinct(flat) < 3:
        notice(_few(distinct(flat)))
        return
    found = pca(flat)
    here = {(p.sentence, p.token) for p in places}
    labels = [looks[i].tokens[j].text for i, j in words]
    groups = [i for i, j in words]
    figure = cloud.words(found, labels, groups, [word in here for word in words], _axis(), _mode(), HEIGHT)
    _show(
        figure,
        found,
        flat.shape[1],
        _("Words that the model takes alike lie close."),
        _("Every word of {n} sentences: {station}.").format(n=len(looks), station=name),
    )
    rows = [
        [str(i + 1), label, *(f"{x:.4f}" for x in point)]
        for i, label, point in zip(groups, labels, found.points, strict=True)
    ]
    st.html(table([_("Sentence"), _("Word"), "x", "y"], rows, _("The points as a table")))


def _show(figure: go.Figure, found: Projection, numbers: int, says: str, label: str) -> None:
    st.plotly_chart(figure, theme=None, key="cloud", alt=label, config={"displaylogo": False, "displayModeBar": False})
    caption(
        says + " " + _("Of {0} directions two are drawn; they explain {1} + {2} of the differences."),
        str(numbers),
        f"{found.shares[0]:.0%}",
        f"{found.shares[1]:.0%}",
    )


def _axis() -> str:
    return _("{share} of the variance")


def _few(n: int) -> str:
    return _("A plane needs at least 3 different points; here: {n}. Type another sentence that uses the word.").format(
        n=n
    )


def _mode() -> Mode:
    """Light or dark, as the visitor's page is."""
    return "dark" if st.context.theme.type == "dark" else "light"
