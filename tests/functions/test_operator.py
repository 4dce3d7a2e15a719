"""The operator against its definition, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.functions import Operator


def bernstein(values: list[Fraction], x: Fraction) -> Fraction:
    k = len(values) - 1
    return sum(
        (v * comb(k, i) * x**i * (1 - x) ** (k - i) for i, v in enumerate(values)), Fraction(0)
    )


def iterated(values: list[Fraction], x: Fraction, order: int) -> Fraction:
    """sum_i C(h, i) (-1)^(i - 1) B^i f, each power from the lattice values of the one before."""
    degree = len(values) - 1
    total, power = Fraction(0), list(values)
    for i in range(1, order + 1):
        total += comb(order, i) * (-1) ** (i - 1) * bernstein(power, x)
        power = [bernstein(power, Fraction(j, degree)) for j in range(degree + 1)]
    return total


@pytest.mark.slow
@given(
    values=st.lists(st.fractions(-3, 3, max_denominator=16), min_size=2, max_size=9),
    order=st.integers(1, 5),
    at=st.fractions(0, 1, max_denominator=64),
)
def test_the_function_is_the_iterated_bernstein_polynomial(
    values: list[Fraction], order: int, at: Fraction
) -> None:
    operator = Operator(len(values) - 1, order=order)
    found = operator.evaluate(np.array([float(v) for v in values]), [float(at)])[0]
    assert found == pytest.approx(float(iterated(values, at, order)), abs=1e-9)


def test_two_dimensions_are_one_after_the_other() -> None:
    """Of a product of two functions, order 1."""
    one, other = np.array([1.0, -2.0, 4.0, 0.5]), np.array([0.0, 3.0, 1.0, -1.0])
    points = np.array([[0.1, 0.9], [0.5, 0.5], [0.0, 1.0], [0.77, 0.3]])
    flat, both = Operator(3), Operator(3, dims=2)
    found = both.evaluate(np.outer(one, other).reshape(-1), points)
    expected = flat.evaluate(one, points[:, 0]) * flat.evaluate(other, points[:, 1])
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("dims", "order"), [(1, 1), (1, 4), (2, 1), (2, 3), (3, 2)])
def test_responses_are_what_unit_values_do(dims: int, order: int) -> None:
    operator = Operator(3, dims=dims, order=order)
    points = np.random.default_rng(5).uniform(size=(7, dims))
    units = np.stack([operator.evaluate(unit, points) for unit in np.eye(operator.size)], axis=1)
    assert operator.responses(points) == pytest.approx(units, abs=1e-9)
    assert operator.deviations(points) == pytest.approx(np.sqrt((units**2).sum(axis=1)), abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 6])
def test_the_mean_square_is_the_mean_of_squared_deviations(order: int) -> None:
    operator = Operator(25, order=order)
    points = (np.arange(20_000) + 0.5) / 20_000
    assert operator.mean_square == pytest.approx(
        (operator.deviations(points) ** 2).mean(), rel=1e-4
    )


@pytest.mark.parametrize(("dims", "order"), [(1, 1), (1, 3), (1, 7), (2, 2)])
def test_no_values_make_a_function_larger_than_the_gain_allows(dims: int, order: int) -> None:
    operator = Operator(8, dims=dims, order=order)
    points = np.random.default_rng(2).uniform(size=(400, dims))
    worst = np.abs(operator.responses(points)).sum(axis=1).max()
    assert 1 - 1e-9 <= worst <= operator.gain * (1 + 1e-9)


def test_polynomials_of_degree_one_are_their_own_functions() -> None:
    points = np.linspace(0, 1, 11)
    assert Operator(7).evaluate(3 - 2 * np.arange(8) / 7, points) == pytest.approx(3 - 2 * points)


def test_the_figures_of_the_thesis_setting_are_found_again() -> None:
    """The mean over 50 points of the squared deviations, degree 25, as measured elsewhere."""
    points = np.linspace(0, 1, 50)
    found = [float((Operator(25, order=h).deviations(points) ** 2).mean()) for h in (1, 2, 3, 5, 8)]
    assert found == pytest.approx([0.1944, 0.2549, 0.2926, 0.3393, 0.3815], abs=5e-5)


@pytest.mark.parametrize(
    "made",
    [
        {"degree": 0},
        {"degree": 2.5},
        {"degree": 3, "dims": 0},
        {"degree": 3, "order": 0},
        {"degree": 4000, "dims": 2},
    ],
)
def test_an_operator_that_cannot_be_is_refused(made: dict[str, int]) -> None:
    with pytest.raises(InputError):
        Operator(**made)


@pytest.mark.parametrize("points", [[[0.5, 0.5]], [1.5], [float("nan")], [[[0.5]]]])
def test_points_outside_the_cube_are_refused(points: list[float]) -> None:
    with pytest.raises(InputError):
        Operator(3).evaluate(np.zeros(4), points)
