"""Zero-concentrated promises: the best order by force, and Gaussian noise as a release to beat."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from tests.measures.samples import deltas, rhos

from shoal.exact.real import SMALLEST
from shoal.measures import (
    gaussian_delta_down,
    renyi_delta_up,
    renyi_epsilon_up,
    zero_concentrated_delta_up,
    zero_concentrated_epsilon_up,
)


def epsilon_by_force(rho: float, delta: float) -> float:
    def at(log_t: float) -> float:
        t = math.exp(log_t)
        return rho * (1 + t) - math.log1p(1 / t) - (math.log(delta) + math.log1p(t)) / t

    found = optimize.minimize_scalar(
        at, bounds=(-40, 100), method="bounded", options={"xatol": 1e-9}
    )
    return max(0.0, float(found.fun))


def log_delta_by_force(rho: float, epsilon: float) -> float:
    def at(log_t: float) -> float:
        t = math.exp(log_t)
        return t * ((1 + t) * rho - epsilon) - t * math.log1p(1 / t) - math.log1p(t)

    # The function explodes to the right of its minimum; look no further than twice the vertex.
    last = math.log(max(1.0, 2 * abs(epsilon - rho) / rho, 4 / rho))
    found = optimize.minimize_scalar(
        at, bounds=(-40, last), method="bounded", options={"xatol": 1e-9}
    )
    return min(0.0, float(found.fun))


@given(rhos, deltas)
def test_the_epsilon_is_that_of_the_best_order_found_by_force(rho: float, delta: float) -> None:
    found = float(zero_concentrated_epsilon_up(rho, delta=delta))
    assert found == pytest.approx(epsilon_by_force(rho, delta), rel=1e-9, abs=1e-12)


@given(rhos, st.floats(0, 60))
def test_the_delta_is_that_of_the_best_order_found_by_force(rho: float, epsilon: float) -> None:
    found = zero_concentrated_delta_up(rho, epsilon=epsilon)
    if found == SMALLEST:
        assert log_delta_by_force(rho, epsilon) < -11000
    else:
        log_found = math.log(found.numerator) - math.log(found.denominator)
        forced = log_delta_by_force(rho, epsilon)
        assert log_found == pytest.approx(forced, rel=1e-9, abs=1e-9)


@given(rhos, deltas, st.floats(0.01, 100))
@settings(max_examples=60)
def test_no_other_order_does_better(rho: float, delta: float, t: float) -> None:
    order = 1 + Fraction(str(t))
    bound = Fraction(str(rho)) * order
    room = 1 + Fraction(1, 2**62)
    epsilon = zero_concentrated_epsilon_up(rho, delta=delta)
    assert epsilon <= renyi_epsilon_up(bound, order=order, delta=delta) * room
    at = Fraction(str(rho)) * 3
    found = zero_concentrated_delta_up(rho, epsilon=at)
    assert found <= renyi_delta_up(bound, order=order, epsilon=at) * room


@given(st.floats(1e-3, 6), st.floats(0, 40))
@settings(max_examples=60)
def test_gaussian_noise_never_needs_more_than_its_rho_allows(mu: float, epsilon: float) -> None:
    rho = Fraction(str(mu)) ** 2 / 2
    assert gaussian_delta_down(mu, epsilon) <= zero_concentrated_delta_up(rho, epsilon=epsilon)


@given(rhos, deltas)
def test_the_textbook_epsilon_is_never_smaller(rho: float, delta: float) -> None:
    textbook = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert float(zero_concentrated_epsilon_up(rho, delta=delta)) <= textbook


@pytest.mark.parametrize("delta", ["1e-300", "1e-9", "0.5", "0.999", "0.999999999999999999999"])
@pytest.mark.parametrize("rho", ["1e-300", "1e-30", "1e-6", "1", "1e6", "1e30", "1e300"])
def test_every_size_of_rho_and_delta_has_its_epsilon(rho: str, delta: str) -> None:
    epsilon = zero_concentrated_epsilon_up(rho, delta=delta)
    log = -math.log(float(delta)) + 1e-15
    textbook = Fraction(rho) + 2 * Fraction(math.sqrt(float(rho)) * math.sqrt(log) * 1.001)
    assert epsilon <= textbook * (1 + Fraction(1, 2**60))
    if float(rho) >= 1e6:
        assert epsilon >= Fraction(rho) * Fraction(99, 100)
    if epsilon == 0:
        assert zero_concentrated_delta_up(rho, epsilon=0) <= Fraction(delta) * (
            1 + Fraction(1, 2**60)
        )


@pytest.mark.parametrize("epsilon", ["0", "1e-300", "1", "1e6", "1e300"])
@pytest.mark.parametrize("rho", ["1e-300", "1e-6", "1", "1e6", "1e300"])
def test_every_size_of_rho_and_epsilon_has_its_delta(rho: str, epsilon: str) -> None:
    delta = zero_concentrated_delta_up(rho, epsilon=epsilon)
    assert SMALLEST <= delta <= 1
    if float(epsilon) < float(rho) / 2 and float(rho) > 100:
        assert delta > Fraction(99, 100)
    if float(epsilon) > 1e4 and float(epsilon) > 10 * float(rho):
        assert delta < Fraction(1, 10**300)


def test_no_loss_needs_no_epsilon_and_no_delta() -> None:
    assert zero_concentrated_epsilon_up(0, delta=0) == 0
    assert zero_concentrated_delta_up(0, epsilon=0) == 0
