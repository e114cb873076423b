"""Cosines, planes and sums against values made by hand."""

import numpy as np
import pytest

from app.plots.mixture import contributions, open_cells, ranked, sides
from app.plots.projection import cosines, distinct, parted, pca


def test_cosines_are_those_of_the_angles() -> None:
    vectors = np.array([[1, 0], [2, 2], [0, -3], [-1, 0], [0, 0]], dtype=np.float32)
    half = np.sqrt(0.5)
    wanted = [[1, half, 0, -1, 0], [half, 1, -half, -half, 0], [0, -half, 1, 0, 0], [-1, -half, 0, 1, 0], [0] * 5]
    np.testing.assert_allclose(cosines(vectors), wanted, atol=1e-7)


def test_equal_vectors_count_once() -> None:
    a, b = np.array([1.0, 2.0], dtype=np.float32), np.array([-1e-3, 0.5], dtype=np.float32)
    assert distinct(np.stack([a])) == 1
    assert distinct(np.stack([a, a, b, b])) == 2
    assert distinct(np.zeros((4, 3))) == 1
    assert distinct(np.array([[0.0], [-0.0]])) == 1


def test_a_plane_is_found_in_space() -> None:
    flat = np.array([[4, 0], [-4, 0], [0, 1], [0, -1]], dtype=np.float64)
    turn = np.array([[0.6, 0.8, 0.0], [0.0, 0.0, -1.0]])  # two directions at right angles
    found = pca(flat @ turn + 7)
    np.testing.assert_allclose(found.points, flat * [1, -1], atol=1e-12)  # an axis points where its largest is positive
    assert found.shares == pytest.approx((32 / 34, 2 / 34))


def test_points_on_a_line_have_no_second_direction_and_the_shares_are_of_all_variance() -> None:
    found = pca(np.array([[0.0], [1.0], [5.0]]))
    np.testing.assert_allclose(found.points, [[-2, 0], [-1, 0], [3, 0]], atol=1e-12)
    assert found.shares == pytest.approx((1, 0))
    spread = np.random.default_rng(0).normal(size=(40, 6))
    assert sum(pca(spread).shares) < 1
    variance = np.linalg.eigvalsh(np.cov(spread.T))[::-1]
    assert pca(spread).shares == pytest.approx(tuple(variance[:2] / variance.sum()))


@pytest.mark.parametrize("n", [1, 2, 9])
def test_fewer_than_three_points_have_no_plane(n: int) -> None:
    with pytest.raises(ValueError, match="3 distinct"):
        pca(np.resize(np.array([[1.0, 2.0], [3.0, 4.0]]), (n, 2)))


def test_what_all_places_share_is_taken_out_at_each_station() -> None:
    vectors = np.array([[[1, 1], [5, 0]], [[1, 1], [1, 2]]], dtype=np.float32)  # place, station, number
    np.testing.assert_allclose(parted(vectors), [[[0, 0], [2, -1]], [[0, 0], [-2, 1]]])


def test_a_row_is_cut_at_its_own_place() -> None:
    row = np.array([0.125, 0.25, 0.5, 0.125], dtype=np.float32)
    assert sides(row, 2) == (0.375, 0.5, 0.125)
    assert sides(row, 0) == (0.0, 0.125, 0.875)
    assert sides(np.ones(1), 0) == (0.0, 1.0, 0.0)


def test_contributions_add_up_to_the_class() -> None:
    vector, weights = np.array([1.0, -2.0]), np.array([[3.0, 1.0], [0.5, 0.0], [0.0, 4.0]])
    found = contributions(vector, weights)
    np.testing.assert_array_equal(found.parts, [[3, -2], [0.5, 0], [0, -8]])
    np.testing.assert_array_equal(found.sums, weights @ vector)
    assert found.largest == 8


def test_classes_are_ranked_and_the_first_wins_a_tie() -> None:
    assert ranked(np.array([0.2, 0.4, 0.0, 0.4])) == [1, 3, 0, 2]


def test_open_cells_are_those_that_are_finite() -> None:
    assert open_cells(np.array([[0.0, -np.inf], [1.0, 2.0]])) == (3, 4)
