"""The far ends of what may be asked: where 64 bits, one row's type or an exact tie would decide."""

from __future__ import annotations

import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from shoal import Grid, Pure, limits
from shoal.errors import RangeError, ShapeError
from shoal.functions import (
    Distribution,
    InverseSensitivity,
    LossSurface,
    SampleAndAggregate,
    SmoothLaplace,
    StableHistogram,
    StableMode,
    TrimmedMean,
    plan_sampling,
)
from shoal.noise.seam import seeded
from shoal.sensitivity import Norm


@pytest.mark.parametrize(
    ("loss", "domain", "radius", "label", "rows"),
    [
        ("squared", 1e5, 1, 1e5, 220),
        ("squared", 1, 1, 10**7, 1000),
        ("hinge", 1000, 100_000, 1, 88_000),
        ("logistic", 1000, 100_000, 1, 88_000),
        ("squared", 2, 1, 2, 50),
    ],
)
def test_one_row_moves_a_loss_surface_by_no_more_than_it_says_however_large_losses_are(
    loss: str, domain: float, radius: float, label: float, rows: int
) -> None:
    surface = LossSurface.for_epsilon(
        1, relation="change", loss=loss, domain=[(-domain, domain)], degree=2, radius=radius, label=label
    )  # fmt: skip
    x, y = np.full((rows, 1), float(radius)), np.full(rows, -float(label))
    other_x, other_y = x.copy(), y.copy()
    other_x[0], other_y[0] = 0, 0
    moved = sum(
        abs(int(a) - int(b))
        for a, b in zip(surface.sums(x, y), surface.sums(other_x, other_y), strict=True)
    )
    assert 0 < moved <= surface._moved_up(Norm.L1)
    widest = max(abs(int(each)) for each in surface.sums(x, y)) / rows
    assert widest < 2**41


def test_a_mean_loss_is_the_mean_loss_whatever_the_scales_are() -> None:
    for label, domain in ((1.0, 700.0), (1.0, 0.01), (1e5, 3.0), (200.0, 1.0)):
        surface = LossSurface.for_epsilon(
            1, relation="change", loss="squared", domain=[(-domain, domain)], degree=2, label=label
        )
        x, y = np.linspace(-1, 1, 400)[:, None], np.linspace(-label, label, 400)
        found = np.asarray(surface.sums(x, y), dtype=float) / (surface._unit * 400)
        for value, theta in zip(found, (-domain, 0.0, domain), strict=True):
            assert value == pytest.approx(float(((y - theta * x[:, 0]) ** 2).mean()), rel=0.02)


def test_a_label_that_no_grid_can_hold_beside_the_parameters_is_refused() -> None:
    with pytest.raises(RangeError, match="too far apart"):
        LossSurface.for_epsilon(
            1, relation="change", loss="squared", domain=[(-1, 1)], degree=2, label=10**13
        )


class Named(str):
    """A text that carries something of its own."""

    __slots__ = ("secret",)


@pytest.mark.parametrize(
    ("first", "others"),
    [(1.0, 1), (True, 1), (-0.0, 0.0), (np.str_("tea"), "tea"), (Named("tea"), "tea"), (np.int64(1), 1), ((1.0, "a"), (1, "a")), (Decimal("1.00"), Decimal(1))],
    ids=repr,
)  # fmt: skip
def test_what_is_told_of_a_category_does_not_depend_on_which_of_its_rows_came_first(
    first: Any, others: Any
) -> None:
    with seeded(1):
        with_it = StableMode(epsilon=1, delta="1e-6").release([first] + [others] * 90)
    with seeded(1):
        without = StableMode(epsilon=1, delta="1e-6").release([others] * 90)
    assert (type(with_it), repr(with_it)) == (type(without), repr(without))
    told = StableHistogram(epsilon=1, delta="1e-6").release([first] + [others] * 90)
    assert [repr(key) for key in told] == ([repr(without)] if without is not None else [])
    assert not any(hasattr(key, "secret") for key in told)


def test_equal_keys_of_different_types_are_counted_apart() -> None:
    told = StableHistogram(epsilon=5, delta="1e-6").release([1] * 500 + [True] * 300 + [1.0] * 200)
    assert list(told) == [1]
    assert abs(told[1] - 500) < 50


def test_a_sum_that_64_bits_do_not_hold_is_refused_before_any_data() -> None:
    wide = {"low": 0, "high": 1, "grid": Grid(-40)}
    with pytest.raises(RangeError, match="2\\^62"):
        TrimmedMean(size=2**23, below=0, above=0, **wide)  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [Decimal("sNaN"), Decimal("1E-6000"), SystemExit("row 3"), "x"])
def test_whatever_a_function_does_on_a_block_is_not_seen(answer: Any) -> None:
    def function(block: list[Any]) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    middle = InverseSensitivity.median(epsilon=1, size=5, low=0, high=1, points=9)
    released = SampleAndAggregate(aggregator=middle, otherwise=0).release(function, list(range(20)))
    assert 0 <= released <= 1


@pytest.mark.parametrize("rows", [[0.1, 2], [0.1, 10**30], [0.1, True], [True, False]])
def test_lists_are_refused_whatever_is_in_them(rows: list[Any]) -> None:
    shares = Distribution.for_epsilon(1, relation="change", cells=4, low=0, high=1)
    with pytest.raises(ShapeError, match="must be an array; got list"):
        shares.release(rows)  # type: ignore[arg-type]


def test_a_domain_wider_than_the_largest_number_is_refused() -> None:
    with pytest.raises(RangeError):
        LossSurface.for_epsilon(
            1, relation="change", loss="hinge", domain=[(-1e308, 1e308)], degree=2
        )


@pytest.mark.parametrize("confidence", ["0.05", "0.1", "0.5", "0.9", "0.999"])
@pytest.mark.parametrize("samples", [5, 20, 100])
def test_a_confident_share_is_never_below_the_chance_of_a_further_pair(
    samples: int, confidence: str
) -> None:
    assert plan_sampling(samples=samples, confidence=confidence).gamma >= Fraction(1, samples + 1)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"gamma": "0.5", "confidence": "0.75"}, (2, 2)),
        ({"gamma": "0.5", "samples": 3, "confidence": "0.5"}, (3, 3)),
        ({"gamma": "0.2", "samples": 4, "confidence": "0.1808"}, (4, 4)),
    ],
)
def test_exact_ties_of_a_plan_are_decided_to_the_safe_side(
    asked: dict[str, Any], found: tuple[int, int]
) -> None:
    plan = plan_sampling(**asked)
    assert (plan.samples, plan.rank) == found


def test_a_promise_of_nothing_has_a_limit_too() -> None:
    assert limits.table(Pure(0), cells=2).value > 10**6


FAR: dict[str, Any] = {"low": 10**17, "high": 10**17 + 8}
"""Ends that lie more than 2^63 steps from 0."""


@pytest.mark.parametrize("other", [-1.0, -1e308, 1e308, 1e17, float("nan")])
def test_a_row_near_zero_is_answered_for_where_the_range_is_far_from_it(other: float) -> None:
    """One row beyond 64 bits made all steps wide numbers; without one, the far ends did not fit
    beside the others.
    """
    rows = [1.0, 0.0, other]
    median = InverseSensitivity.median(epsilon=1, size=3, points=5, **FAR)
    smooth = SmoothLaplace(epsilon=1, delta="1e-3")
    for answer in (median.release(rows), smooth.release(TrimmedMean.median(size=3, **FAR), rows)):
        assert 10**17 <= answer <= 10**17 + 16


def test_an_end_that_rounding_moves_beyond_the_largest_number_is_refused() -> None:
    with pytest.raises(RangeError, match="largest floating-point number"):
        InverseSensitivity.median(epsilon=1, size=3, points=5, low=1, high=sys.float_info.max)
