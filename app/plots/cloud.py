"""Clouds of word vectors on a plane: one word's way through the layers, or every word at one layer."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app.plots.projection import Projection
from app.theme import FONT, PALETTES, Mode

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "x")
SIDES = ("top center", "bottom center", "middle right", "middle left")  # of a point, where its label stands
NAMED = 70  # points up to which each is labelled; beyond, only the chosen ones


def plain(text: str) -> str:
    """A token's text as Plotly may show it: no markup, no formula."""
    return escape(text).replace("$", "＄").replace("\n", "↵")


def paths(
    projection: Projection,
    names: Sequence[str],
    groups: Sequence[int],
    stations: Sequence[str],
    at: int,
    axis: str,
    mode: Mode = "light",
    height: int = 380,
) -> go.Figure:
    """The ways of several words through the stations. `projection.points` go word by word: [word * station, 2].

    `names` and `groups` (which sentence, for colour and sign) are one a word; `at` is the station that is marked.
    `axis` names an axis: "{share} of the variance".
    """
    palette, n = PALETTES[mode], len(stations)
    figure = go.Figure()
    for i, (name, group) in enumerate(zip(names, groups, strict=True)):
        points = projection.points[i * n : (i + 1) * n]
        figure.add_scatter(
            x=points[:, 0],
            y=points[:, 1],
            mode="lines+markers+text",
            name=plain(name),
            line={"color": _color(mode, group), "width": 2},
            marker={
                "symbol": _symbol(group),
                "opacity": 1,
                "size": [16 if station == at else 8 for station in range(n)],
                "color": _color(mode, group),
                "line": {"color": palette.ink, "width": [2 if station == at else 0 for station in range(n)]},
            },
            text=[plain(name) if station == n - 1 else "" for station in range(n)],
            textposition=_side(group),
            textfont={"size": 17, "color": _color(mode, group)},
            customdata=[plain(station) for station in stations],
            hovertemplate="%{fullData.name}: %{customdata}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
        )
    start = projection.points[0]
    figure.add_annotation(
        x=start[0], y=start[1], text=plain(stations[0]), showarrow=False, yshift=-18, font={"color": palette.muted}
    )
    return _finish(figure, projection, axis, mode, height)


def words(
    projection: Projection,
    names: Sequence[str],
    groups: Sequence[int],
    chosen: Sequence[bool],
    axis: str,
    mode: Mode = "light",
    height: int = 380,
) -> go.Figure:
    """Every word of the sentences as a point; the chosen ones large. One name, group and flag for each point."""
    palette, marked = PALETTES[mode], np.array(chosen)
    figure = go.Figure()
    for group in sorted(set(groups)):
        here = np.array(groups) == group
        shown = [plain(name) for name, it in zip(names, here, strict=True) if it]
        large = marked[here]
        figure.add_scatter(
            x=projection.points[here, 0],
            y=projection.points[here, 1],
            mode="markers+text",
            name=str(group + 1),
            marker={
                "symbol": _symbol(group),
                "size": np.where(large, 16, 8).tolist(),
                "color": _color(mode, group),
                "opacity": np.where(large, 1.0, 0.65).tolist(),
                "line": {"color": palette.ink, "width": np.where(large, 2, 0).tolist()},
            },
            text=[name if it or len(names) <= NAMED else "" for name, it in zip(shown, large, strict=True)],
            textposition=_side(group),
            textfont={"size": np.where(large, 18, 14).tolist(), "color": _color(mode, group)},
            customdata=shown,
            hovertemplate="%{customdata} (%{fullData.name})<br>%{x:.3f}, %{y:.3f}<extra></extra>",
        )
    return _finish(figure, projection, axis, mode, height)


def _color(mode: Mode, group: int) -> str:
    series = PALETTES[mode].series
    return series[group % len(series)]


def _symbol(group: int) -> str:
    return SYMBOLS[group % len(SYMBOLS)]


def _side(group: int) -> str:
    return SIDES[group % len(SIDES)]


def _finish(figure: go.Figure, projection: Projection, axis: str, mode: Mode, height: int) -> go.Figure:
    palette = PALETTES[mode]
    line: dict[str, Any] = {
        "showticklabels": False,
        "zeroline": False,
        "gridcolor": palette.hairline,
        "showline": True,
        "linecolor": palette.hairline,
        "mirror": True,
    }
    first, second = (axis.format(share=f"{share:.0%}") for share in projection.shares)
    figure.update_layout(
        height=height,
        margin={"l": 34, "r": 10, "t": 8, "b": 34},
        showlegend=False,
        paper_bgcolor=palette.background,
        plot_bgcolor=palette.surface,
        font={"family": FONT, "color": palette.ink, "size": 14},
        hoverlabel={"bgcolor": palette.surface, "font": {"color": palette.ink, "size": 15}},
        dragmode="pan",
        xaxis={**line, "title": {"text": plain(first), "standoff": 6}, "range": _range(projection.points[:, 0], 0.12)},
        yaxis={**line, "title": {"text": plain(second), "standoff": 6}, "range": _range(projection.points[:, 1], 0.14)},
    )
    return figure


def _range(values: NDArray[np.float64], margin: float) -> list[float]:
    """All values with room for their labels; a range of its own where they are all one."""
    low, high = float(values.min()), float(values.max())
    room = margin * (high - low) or 1.0
    return [low - room, high + room]
