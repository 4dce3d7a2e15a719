"""Local and smooth sensitivities against all datasets of small domains."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.functions.smooth.enumerated import changed, graphs, local, one_edge, rows

from shoal import Grid
from shoal.errors import RangeError, ShapeError
from shoal.functions import TriangleCount, TrimmedMean

VALUES = 4
RANKS = [(3, 1, 1), (4, 1, 2), (5, 2, 2), (5, 0, 4), (5, 4, 0), (4, 1, 1), (5, 1, 1), (4, 0, 0), (5, 1, 2), (6, 1, 1)]  # fmt: skip


def trimmed(size: int, below: int, above: int) -> TrimmedMean:
    return TrimmedMean(size=size, low=0, high=VALUES - 1, below=below, above=above, grid=Grid(0))


@pytest.mark.parametrize(("size", "below", "above"), RANKS)
def test_the_local_sensitivity_at_every_distance_is_that_of_all_datasets(
    size: int, below: int, above: int
) -> None:
    statistic = trimmed(size, below, above)
    values = {data: statistic.value(data) for data in rows(size, VALUES)}
    truth = local(values, changed(VALUES), size)
    exact_up_to = size if statistic.left == 1 else statistic.left - 2
    for distance, found in enumerate(truth):
        for data, moved in found.items():
            claimed = statistic.local_sensitivity(data, distance=distance)
            assert claimed == moved if distance <= exact_up_to else claimed >= moved


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [3, 4, 5])
def test_the_triangles_that_an_edge_can_make_are_those_of_all_graphs(nodes: int) -> None:
    statistic = TriangleCount(nodes=nodes)
    values = {graph: statistic.value(graph) for graph in graphs(nodes)}
    for distance, found in enumerate(local(values, one_edge(nodes), 2 * nodes)):
        for graph, moved in found.items():
            assert statistic.local_sensitivity(graph, distance=distance) == moved


def test_triangles_are_counted() -> None:
    full = [(i, j) for i in range(6) for j in range(i)]
    assert TriangleCount(nodes=6).value(full) == 20
    noisy = [*full, (3, 3), (0, 9), (1, 0), "ab", None, (1, 2, 3)]
    assert TriangleCount(nodes=6).value(noisy) == 20


@pytest.mark.parametrize("keep", ["0.5", "0.9"])
@pytest.mark.parametrize(("size", "below", "above"), RANKS)
def test_smooth_sensitivity_is_smooth_and_no_less_than_the_local_one(
    size: int, below: int, above: int, keep: str
) -> None:
    statistic = trimmed(size, below, above)
    smooth = {data: statistic.smooth_sensitivity(data, keep=keep) for data in rows(size, VALUES)}
    near = changed(VALUES)
    for data, found in smooth.items():
        assert found >= statistic.local_sensitivity(data)
        assert all(smooth[other] * Fraction(keep) <= found for other in near(data))


def test_smooth_sensitivity_is_the_least_smooth_bound() -> None:
    """max over k of keep^k A_k, up to the rounding of weights, upwards."""
    statistic = trimmed(5, 2, 2)
    for data in rows(5, VALUES):
        spans = [statistic.local_sensitivity(data, distance=k) for k in range(12)]
        least = max(Fraction(4, 5) ** k * span for k, span in enumerate(spans))
        assert (
            least <= statistic.smooth_sensitivity(data, keep="0.8") <= least + Fraction(1, 2**200)
        )


def test_a_median_is_the_lower_middle_row_and_a_quantile_the_first_with_its_share() -> None:
    assert TrimmedMean.median(size=4, low=0, high=9).value([1, 2, 3, 9]) == 2
    assert TrimmedMean.quantile("0.9", size=10, low=0, high=9).value(range(10)) == 8
    assert TrimmedMean.quantile(0, size=10, low=0, high=9).value(range(10)) == 0


def test_rows_are_clamped_and_rounded_one_by_one() -> None:
    mean = TrimmedMean(size=3, low=0, high=4, below=0, above=0, grid=Grid(0))
    assert mean.value([-7, 1.5, 99.0]) == 2
    assert mean.value(np.array([-7, 2, 99])) == 2


@pytest.mark.parametrize(
    "rows_given", [[1, 2], np.zeros((3, 1)), "abc", np.zeros(3, dtype=bool), np.array(["a"] * 3)]
)
def test_rows_that_are_not_so_many_or_an_array_of_no_numbers_are_refused_by_their_type(
    rows_given: object,
) -> None:
    with pytest.raises(ShapeError):
        TrimmedMean.median(size=3, low=0, high=4).value(rows_given)


@pytest.mark.parametrize("row", [float("nan"), True, None, "4"])
def test_a_row_that_is_no_number_counts_as_the_low_end(row: object) -> None:
    assert TrimmedMean.median(size=3, low=0, high=4).value([4, row, 0.0]) == 0


@pytest.mark.parametrize(
    "wrong", [{"low": 4, "high": 4}, {"below": 2, "above": 1}, {"size": 0}, {"grid": Grid(-50)}]
)
def test_what_describes_no_trimmed_mean_is_refused(wrong: dict[str, object]) -> None:
    made: dict[str, Any] = {"size": 3, "low": 0, "high": 4, "below": 1, "above": 1, **wrong}
    with pytest.raises(RangeError):
        TrimmedMean(**made)


def test_a_graph_has_three_nodes_or_more_and_not_too_many() -> None:
    for nodes in (2, 5000):
        with pytest.raises(RangeError):
            TriangleCount(nodes=nodes)
