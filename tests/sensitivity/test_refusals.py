"""Bad parameters of known sensitivities are refused by name, and means of a private number of
rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shoal import sensitivity
from shoal.errors import InputError, NumberError, RangeError, ShapeError
from shoal.sensitivity import Sensitivity


@pytest.mark.parametrize(
    "refused",
    [
        lambda: sensitivity.bounded_mean(low=0, high=1, size=10, relation="add_remove"),
        lambda: sensitivity.vector_mean(dimension=2, low=0, high=1, size=10, relation="add_remove"),
        lambda: sensitivity.ball_mean(
            dimension=2, radius=1, ball="l2", size=10, relation="add_remove", norm="l2"
        ),
    ],
)
def test_a_mean_is_refused_when_the_number_of_rows_is_private(refused: Callable[[], Any]) -> None:
    with pytest.raises(RangeError, match="relation must be 'change'") as caught:
        refused()
    assert "noisy sum and a noisy count" in caught.value.remedy


GOOD: dict[str, tuple[Callable[..., Sensitivity], dict[str, Any]]] = {
    "counts": (sensitivity.counts, {"queries": 3, "relation": "change", "norm": "l2"}),
    "count": (sensitivity.count, {"relation": "change"}),
    "histogram": (sensitivity.histogram, {"relation": "change", "norm": "l1"}),
    "bounded_sum": (sensitivity.bounded_sum, {"low": 0, "high": 1, "relation": "change"}),
    "bounded_mean": (
        sensitivity.bounded_mean,
        {"low": 0, "high": 1, "size": 2, "relation": "change"},
    ),
    "maximum": (sensitivity.maximum, {"low": 0, "high": 1, "relation": "change"}),
    "vector_mean": (
        sensitivity.vector_mean,
        {"dimension": 2, "low": 0, "high": 1, "size": 2, "relation": "change", "norm": "l2"},
    ),
    "ball_mean": (
        sensitivity.ball_mean,
        {
            "dimension": 2,
            "radius": 1,
            "ball": "l2",
            "size": 2,
            "relation": "change",
            "norm": "l2",
        },
    ),
    "lipschitz": (
        sensitivity.lipschitz,
        {"constant": 1, "distance": 1, "relation": "change", "norm": "l2"},
    ),
    "coordinates": (sensitivity.coordinates, {"bounds": [1], "relation": "change", "norm": "l2"}),
    "selection_scores": (sensitivity.selection_scores, {"bounds": [1], "relation": "change"}),
}
WORDS = {"relation", "norm", "ball"}
COUNTED = {"queries", "size", "dimension"}
ARGUMENTS = [(name, argument) for name, (_, given) in GOOD.items() for argument in given]


def call(name: str, **changed: Any) -> Sensitivity:
    function, given = GOOD[name]
    return function(**{**given, **changed})


@pytest.mark.parametrize(
    ("name", "argument"),
    [pair for pair in ARGUMENTS if pair[1] not in WORDS | {"bounds"}],
)
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), True, "x", None])
def test_what_is_not_a_finite_number_is_refused_by_name(name: str, argument: str, bad: Any) -> None:
    with pytest.raises(NumberError, match=rf"^\[number-1\] {argument} must be a finite number"):
        call(name, **{argument: bad})


@pytest.mark.parametrize(("name", "argument"), [pair for pair in ARGUMENTS if pair[1] in COUNTED])
@pytest.mark.parametrize("bad", [0, -1, 1.5])
def test_what_does_not_count_anything_is_refused_by_name(
    name: str, argument: str, bad: Any
) -> None:
    with pytest.raises(RangeError, match=f"{argument} must be a whole number, 1 or more"):
        call(name, **{argument: bad})


@pytest.mark.parametrize(("name", "argument"), [pair for pair in ARGUMENTS if pair[1] in WORDS])
@pytest.mark.parametrize("bad", ["replace", "L1 ", "", None, 1, ["l1"]])
def test_an_unknown_word_is_refused_by_name(name: str, argument: str, bad: Any) -> None:
    with pytest.raises(RangeError, match=rf"^\[number-2\] {argument} must be "):
        call(name, **{argument: bad})


@pytest.mark.parametrize(
    ("name", "argument"),
    [("ball_mean", "radius"), ("lipschitz", "constant"), ("lipschitz", "distance")],
)
def test_a_negative_length_is_refused_by_name(name: str, argument: str) -> None:
    with pytest.raises(RangeError, match=f"{argument} must be 0 or more"):
        call(name, **{argument: -1})


@pytest.mark.parametrize("name", ["bounded_sum", "bounded_mean", "maximum", "vector_mean"])
def test_bounds_upside_down_are_refused_by_name(name: str) -> None:
    with pytest.raises(RangeError, match="low must not be above high"):
        call(name, low=2)


@pytest.mark.parametrize("name", ["coordinates", "selection_scores"])
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([], "bounds must be a list"),
        ("1", "bounds must be a list"),
        (1, "bounds must be a list"),
        ([1, -1], r"bounds\[1\] must be 0 or more"),
        ([float("nan")], r"bounds\[0\] must be a finite number"),
    ],
)
def test_bad_bounds_of_coordinates_are_refused_by_name(name: str, bad: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        call(name, bounds=bad)
    with pytest.raises(ShapeError, match="bounds"):
        call(name, bounds=())
