"""The figures of the projection: every point where it was computed, every label as text."""

import numpy as np
import pytest

from app.plots import cloud
from app.plots.projection import Projection
from app.theme import PALETTES

AXIS = "{share} of the variance"
POINTS = Projection(np.arange(12, dtype=np.float64).reshape(6, 2), (0.625, 0.25))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_way_goes_through_its_own_points_in_order(mode) -> None:
    figure = cloud.paths(POINTS, ["1", "2"], [0, 1], ["embedding", "layer 0", "layer 1"], 1, AXIS, mode)
    assert [list(trace.x) for trace in figure.data] == [[0, 2, 4], [6, 8, 10]]
    assert [list(trace.y) for trace in figure.data] == [[1, 3, 5], [7, 9, 11]]
    assert [trace.line.color for trace in figure.data] == list(PALETTES[mode].series[:2])
    assert [list(trace.marker.size) for trace in figure.data] == [[8, 16, 8]] * 2
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol
    assert figure.layout.xaxis.title.text == "62% of the variance"
    assert figure.layout.yaxis.title.text == "25% of the variance"
    assert figure.layout.plot_bgcolor == PALETTES[mode].surface


def test_every_word_is_a_point_of_its_sentence_and_the_chosen_are_large() -> None:
    chosen = [True, False, False, False, True, False]
    figure = cloud.words(POINTS, list("abcdef"), [0, 0, 0, 2, 2, 2], chosen, AXIS)
    assert [list(trace.x) for trace in figure.data] == [[0, 2, 4], [6, 8, 10]]
    assert [list(trace.text) for trace in figure.data] == [list("abc"), list("def")]
    assert [list(trace.marker.size) for trace in figure.data] == [[16, 8, 8], [8, 16, 8]]
    assert figure.data[1].marker.color == PALETTES["light"].series[2]


def test_of_many_words_only_the_chosen_are_named() -> None:
    points = Projection(np.arange(400, dtype=np.float64).reshape(200, 2), (1.0, 0.0))
    figure = cloud.words(points, ["w"] * 200, [0] * 200, [i == 7 for i in range(200)], AXIS)
    assert [i for i, text in enumerate(figure.data[0].text) if text] == [7]


@pytest.mark.parametrize("text", ["<b>x</b>", "$x$", "</s>", "a\nb", '<a href="x">'])
def test_a_token_is_never_markup_nor_a_formula(text: str) -> None:
    figure = cloud.words(POINTS, [text] * 6, [0] * 6, [True] * 6, AXIS)
    for shown in (*figure.data[0].text, *figure.data[0].customdata):
        assert not set("<>$\n") & set(shown)


def test_points_in_one_place_still_have_a_range() -> None:
    points = Projection(np.zeros((3, 2)), (1.0, 0.0))
    low, high = cloud.words(points, list("abc"), [0] * 3, [True] * 3, AXIS).layout.xaxis.range
    assert low < 0 < high
