from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import DataError, NumberError, RangeError
from shoal.exact import Grid, not_finite

LARGEST = math.nextafter(math.inf, 0)
finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e15, 1e15)
exponents = st.integers(-60, 60)
any_exponent = st.integers(-1200, 1200)


# the grid itself


@pytest.mark.parametrize(
    ("spacing", "exponent"),
    [(1, 0), (0.25, -2), ("1/4", -2), (1024, 10), (Fraction(1, 2**40), -40), (2.0**-40, -40)],
)
def test_a_grid_is_made_from_a_power_of_two(spacing: Any, exponent: int) -> None:
    assert Grid.of_spacing(spacing) == Grid(exponent)
    assert Grid(exponent).spacing == Fraction(spacing)


@pytest.mark.parametrize("spacing", [0, -1, -0.5, 3, 0.1, "1/3", 12, Fraction(3, 4)])
def test_a_spacing_that_is_not_a_power_of_two_is_refused_by_name(spacing: Any) -> None:
    with pytest.raises(RangeError, match="spacing must be a power of two"):
        Grid.of_spacing(spacing)


def test_a_spacing_that_is_not_a_number_is_refused_by_name() -> None:
    with pytest.raises(NumberError, match="spacing"):
        Grid.of_spacing(math.nan)


@given(exponents)
def test_a_grid_is_remade_from_its_spacing(exponent: int) -> None:
    assert Grid.of_spacing(Grid(exponent).spacing) == Grid(exponent)


# values to steps


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        (0.0, 0),
        (-0.0, 0),
        (0.5, 1),
        (1.5, 2),
        (2.5, 3),
        (-0.5, 0),
        (-1.5, -1),
        (-2.5, -2),
        (0.49999999999999994, 0),
        (-0.49999999999999994, 0),
        (-0.5000000000000001, -1),
        (-1e-300, 0),
        (5e-324, 0),
        (4503599627370495.5, 4503599627370496),
        (-4503599627370495.5, -4503599627370495),
        (2.0**53, 2**53),
        (2.0**62, 2**62),
        (-(2.0**63), -(2**63)),
        (2.0**63, 2**63),
        (-(2.0**66), -(2**66)),
        (1e300, int(1e300)),
    ],
)
def test_halves_go_up_and_everything_else_to_the_nearest(value: float, steps: int) -> None:
    assert Grid(0).to_steps(value) == steps
    assert Grid(0).array_to_steps(np.array([value])).tolist() == [steps]


@given(finite, any_exponent)
def test_going_to_the_grid_is_one_exact_rounding(value: float, exponent: int) -> None:
    grid = Grid(exponent)
    distance = Fraction(value) / grid.spacing - grid.to_steps(value)
    assert Fraction(-1, 2) <= distance < Fraction(1, 2)


@given(st.lists(finite, max_size=8), any_exponent)
@example([5e-324, 1.0], 10)
@example([5e-324, -5e-324], -1074)
@example([1e308, -1e308], -20)
@example([2.0**62, 2.0**62 - 512, -(2.0**62)], 0)
@example([], 3)
def test_an_array_lands_where_its_values_land_one_by_one(
    values: list[float], exponent: int
) -> None:
    grid = Grid(exponent)
    steps = grid.array_to_steps(np.array(values, dtype=np.float64))
    assert steps.tolist() == [grid.to_steps(value) for value in values]


@given(st.lists(moderate, min_size=1, max_size=8), st.integers(-9, 9))
def test_moderate_values_land_in_machine_integers(values: list[float], exponent: int) -> None:
    steps = Grid(exponent).array_to_steps(np.array(values))
    assert steps.dtype == np.int64
    assert steps.tolist() == [Grid(exponent).to_steps(value) for value in values]


@given(st.fractions(), exponents, st.integers())
def test_a_shift_by_whole_steps_shifts_the_result_by_as_many(
    value: Fraction, exponent: int, shift: int
) -> None:
    grid = Grid(exponent)
    assert grid.to_steps(value + shift * grid.spacing) == grid.to_steps(value) + shift


@given(st.integers(-(2**50), 2**50), st.integers(-(2**50), 2**50), st.integers(-8, 0))
def test_an_array_shifts_with_its_argument_too(value: int, shift: int, exponent: int) -> None:
    grid = Grid(1)
    fine = math.ldexp(value, exponent)
    moved = fine + 2 * shift
    if Fraction(moved) == Fraction(fine) + 2 * shift:
        steps = grid.array_to_steps(np.array([fine, moved]))
        assert steps[1] - steps[0] == shift


@given(finite, finite, exponents)
@example(0.5, 1.5, 0)
@example(0.5, 2.5, 0)
@example(-0.5, 0.5, 0)
def test_values_a_distance_apart_land_no_further_apart_than_its_steps(
    one: float, other: float, exponent: int
) -> None:
    grid = Grid(exponent)
    distance = abs(Fraction(one) - Fraction(other))
    assert abs(grid.to_steps(one) - grid.to_steps(other)) <= grid.steps_up(distance)


@given(st.fractions(min_value=0), exponents)
def test_a_distance_is_counted_in_whole_steps_rounded_up(distance: Fraction, exponent: int) -> None:
    grid = Grid(exponent)
    steps = grid.steps_up(distance)
    assert (steps - 1) * grid.spacing < distance <= steps * grid.spacing


def test_the_bound_on_distances_is_reached() -> None:
    grid = Grid(0)
    assert grid.to_steps(0.5) - grid.to_steps(0.4) == grid.steps_up(Fraction(1, 10)) == 1


@pytest.mark.parametrize(
    "kind", [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.uint64]
)
def test_a_scalar_of_any_width_is_its_exact_value(kind: Any) -> None:
    value = kind(100)
    assert Grid(-3).to_steps(value) == 800
    assert Grid(-3).array_to_steps(np.array([value])).tolist() == [800]


def test_a_single_precision_datum_is_its_binary_value() -> None:
    assert Grid(-30).to_steps(np.float32(0.1)) == round(Fraction(float(np.float32(0.1))) * 2**30)


def test_a_machine_integer_does_not_overflow_on_its_way() -> None:
    assert Grid(-3).to_steps(np.int64(2**62)) == 2**65
    assert Grid(3).to_float(np.int64(2**62)) == 2.0**65  # type: ignore[arg-type]
    assert Grid(-3).array_to_steps(np.array([2**62 + 1])).tolist() == [2**65 + 8]


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="no wider float on this machine")
def test_a_wide_float_is_not_rounded_before_the_grid() -> None:
    wide = np.longdouble(1) + np.longdouble(2) ** -60
    assert Grid(-60).to_steps(wide) == 2**60 + 1
    assert Grid(-60).array_to_steps(np.array([wide])).tolist() == [2**60 + 1]
    beyond = np.array([np.longdouble("1e400")])
    assert Grid(0).array_to_steps(beyond).tolist() == [int(beyond[0])]


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)])
@pytest.mark.parametrize("size", [1.0, 1e300])
def test_an_array_keeps_its_shape_there_and_back(shape: tuple[int, ...], size: float) -> None:
    values = np.full(shape, size)
    steps = Grid(-4).array_to_steps(values)
    back = Grid(-4).array_to_float(steps)
    assert isinstance(steps, np.ndarray)
    assert isinstance(back, np.ndarray)
    assert steps.shape == back.shape == shape
    assert (back == values).all()


def test_going_to_the_grid_leaves_the_array_as_it_was() -> None:
    values = np.array([0.3, 1e300])
    Grid(-3).array_to_steps(values)
    Grid(-3).array_to_steps(values[:1])
    assert values.tolist() == [0.3, 1e300]


# what is refused


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        np.float64("nan"),
        np.float32("inf"),
        np.float16("-inf"),
        np.longdouble("nan"),
        None,
        "123456",
        Decimal("NaN"),
        123456j,
        [123456],
    ],
    ids=repr,
)
def test_what_is_not_a_finite_number_is_refused_without_being_quoted(value: Any) -> None:
    with pytest.raises(DataError) as caught:
        Grid(0).to_steps(value)
    assert str(caught.value) == str(not_finite())
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0, math.nan]),
        np.array([1e300, -math.inf]),
        np.array([math.inf], dtype=np.float16),
        np.array(math.nan),
        np.array(["123456"]),
        np.array([123456j]),
        np.array([1, None]),
    ],
    ids=repr,
)
def test_an_array_with_one_bad_entry_is_refused_without_quoting_it(values: Any) -> None:
    with pytest.raises(DataError) as caught:
        Grid(0).array_to_steps(values)
    assert str(caught.value) == str(not_finite())


# steps to floats


@given(st.integers(), any_exponent)
def test_the_float_of_a_grid_point_is_the_nearest_one(steps: int, exponent: int) -> None:
    exact = Fraction(steps) * Fraction(2) ** exponent
    result = Grid(exponent).to_float(steps)
    for neighbour in (math.nextafter(result, math.inf), math.nextafter(result, -math.inf)):
        if math.isfinite(neighbour):
            assert abs(Fraction(result) - exact) <= abs(Fraction(neighbour) - exact)


@pytest.mark.parametrize("steps", [10**320, 10**4000])
@pytest.mark.parametrize("exponent", [-3, 0, 3, 1000])
def test_a_grid_point_beyond_every_float_becomes_the_largest(steps: int, exponent: int) -> None:
    assert Grid(exponent).to_float(steps) == LARGEST
    assert Grid(exponent).to_float(-steps) == -LARGEST
    both = np.array([steps, -steps], dtype=object)
    assert Grid(exponent).array_to_float(both).tolist() == [LARGEST, -LARGEST]


def test_a_machine_integer_on_a_coarse_grid_saturates_as_well() -> None:
    assert Grid(1020).array_to_float(np.array([1000, -1000, 1])).tolist() == [
        LARGEST,
        -LARGEST,
        2.0**1020,
    ]


def test_a_grid_point_closer_to_zero_than_every_float_becomes_zero() -> None:
    assert Grid(-2000).to_float(7) == 0.0
    assert Grid(-2000).array_to_float(np.array([7])).tolist() == [0.0]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=6), any_exponent)
@example([2**63 - 1, -(2**63)], 899)
@example([2**63 - 1, 1], -899)
@example([2**53 + 1, 3], -1074)
def test_an_array_of_steps_becomes_the_floats_of_each(steps: list[int], exponent: int) -> None:
    grid = Grid(exponent)
    one_by_one = [grid.to_float(step) for step in steps]
    assert grid.array_to_float(np.array(steps, dtype=np.int64)).tolist() == one_by_one
    assert grid.array_to_float(np.array(steps, dtype=object)).tolist() == one_by_one


@given(moderate, st.integers(-40, 40))
def test_the_way_there_and_back_moves_a_value_by_half_a_step_at_most(
    value: float, exponent: int
) -> None:
    grid = Grid(exponent)
    exact = grid.to_steps(value) * grid.spacing
    assert abs(exact - Fraction(value)) <= grid.spacing / 2
    if abs(exact.numerator).bit_length() <= 53:
        assert Fraction(grid.to_float(grid.to_steps(value))) == exact


def test_a_grid_is_a_value() -> None:
    assert Grid(-2) == Grid(-2)
    assert hash(Grid(-2)) == hash(Grid(-2))
    with pytest.raises(AttributeError):
        Grid(-2).exponent = 3  # type: ignore[misc]
