"""Laplace noise and randomized response in Rényi divergence, and the rho that no order exceeds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.accounting.samples import ORDERS, above

from shoal.accounting import laplace_divergence_up, laplace_rho_up
from shoal.errors import RangeError
from shoal.measures import pure_divergence_up, pure_rho_up

some = settings(derandomize=True, deadline=None, max_examples=60)
epsilons = st.fractions("1/1000", 30, max_denominator=1000)
orders = st.fractions("1.01", 200, max_denominator=100)


def on_the_line(epsilon: float, order: float) -> float:
    """ln ∫ p^α q^(1-α) / (α - 1) for p = e^-|x| / 2, q = e^-|x - ε| / 2: by quadrature between the
    kinks, and in closed form left and right of them, where the integrand is a single exponential
    (ERRATA 49).
    """
    x, weights = np.polynomial.legendre.leggauss(60)
    x, weights = epsilon * (x + 1) / 2, weights * epsilon / 2
    between = np.sum(weights * np.exp(-order * x + (order - 1) * (epsilon - x)) / 2)
    left, right = math.exp((order - 1) * epsilon) / 2, math.exp(-order * epsilon) / 2
    return math.log(left + float(between) + right) / (order - 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 3])
def test_laplace_noise_on_the_line_has_its_own_divergence(epsilon: float, order: Fraction) -> None:
    truth = on_the_line(epsilon, float(order))
    assert above(laplace_divergence_up(epsilon, order=order), truth, within=1e-7)


def test_one_step_is_randomized_response_and_many_steps_approach_the_line_from_above() -> None:
    for order in ORDERS:
        steps = [laplace_divergence_up(2, order=order, steps=m) for m in (1, 2, 5, 50, 5000)]
        line = laplace_divergence_up(2, order=order)
        assert steps == sorted(steps, reverse=True)
        assert steps[-1] > line > steps[-1] * (1 - Fraction(1, 10**6))
        assert abs(steps[0] / pure_divergence_up(2, order=order) - 1) < Fraction(1, 2**60)


@some
@given(epsilon=epsilons, order=orders, steps=st.one_of(st.none(), st.integers(1, 10**6)))
def test_no_order_exceeds_rho_times_itself(
    epsilon: Fraction, order: Fraction, steps: int | None
) -> None:
    rho = laplace_rho_up(epsilon, steps=steps)
    bound = laplace_divergence_up(epsilon, order=order, steps=steps)
    assert bound <= order * rho * (1 + Fraction(1, 2**50))
    assert bound <= epsilon


@some
@given(epsilon=epsilons, steps=st.one_of(st.none(), st.integers(1, 10**6)))
def test_no_smaller_rho_will_do(epsilon: Fraction, steps: int | None) -> None:
    near = Fraction(1000001, 1000000)
    bound = laplace_divergence_up(epsilon, order=near, steps=steps)
    assert bound > laplace_rho_up(epsilon, steps=steps) * (1 - (1 + epsilon) / 10**4)


def test_the_rho_of_laplace_noise_is_its_mean_loss() -> None:
    for epsilon in (0.1, 1, 5):
        assert above(laplace_rho_up(epsilon), epsilon + math.exp(-epsilon) - 1)
        assert abs(laplace_rho_up(epsilon, steps=1) / pure_rho_up(epsilon) - 1) < Fraction(1, 2**60)


def test_no_distance_costs_nothing_and_no_steps_are_refused() -> None:
    assert laplace_divergence_up(0, order=2) == laplace_rho_up(0) == 0
    with pytest.raises(RangeError, match="steps must be a whole number, 1 or more"):
        laplace_divergence_up(1, order=2, steps=0)
    with pytest.raises(RangeError, match="order must be above 1"):
        laplace_divergence_up(1, order=1)
