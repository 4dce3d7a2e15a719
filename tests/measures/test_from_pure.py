"""Pure promises, against randomized response in 80 decimal digits, and against other laws."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from tests.measures.samples import (
    DIGITS,
    decimal,
    deltas,
    epsilons,
    is_just_above,
    law,
    orders,
    weights,
)

from shoal.exact.real import SMALLEST
from shoal.measures import (
    pure_delta_up,
    pure_divergence_up,
    pure_epsilon_up,
    pure_mu_up,
    pure_rho_up,
)

SIZES = ["1e-300", "1e-30", "1e-9", "0.1", "1", "7", "40", "600", "1e5"]


def divergence(p: np.ndarray, q: np.ndarray, order: float) -> float:
    return float(np.log(np.sum(p**order * q ** (1 - order)))) / (order - 1)


def loss_between(p: np.ndarray, q: np.ndarray) -> float:
    return float(np.max(np.abs(np.log(p / q))))


# to (epsilon, delta)


@given(epsilons, deltas)
def test_the_epsilon_lies_just_above_that_of_randomized_response(
    epsilon: float, delta: float
) -> None:
    with localcontext(prec=DIGITS):
        large = decimal(epsilon).exp()
        left = large - decimal(delta) * (1 + large)
        truth = left.ln() if left > 1 else Decimal(0)
    assert is_just_above(pure_epsilon_up(epsilon, delta=delta), truth)


@given(epsilons, st.floats(0, 1))
def test_the_delta_lies_just_above_that_of_randomized_response(epsilon: float, part: float) -> None:
    target = Fraction(str(epsilon)) * Fraction(str(part))
    with localcontext(prec=DIGITS):
        large, small = decimal(epsilon).exp(), decimal(target).exp()
        truth = (large - small) / (1 + large)
    assert is_just_above(pure_delta_up(epsilon, at_epsilon=target), truth)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_no_event_of_any_pair_of_laws_needs_a_larger_delta(epsilon: float, part: float) -> None:
    # The largest x - e^target y over all events, as a linear program.
    e, target = math.exp(epsilon), part * epsilon
    found = optimize.linprog(
        [-1, math.exp(target)],
        A_ub=[[1, -e], [e, -1], [-e, 1], [-1, e]],
        b_ub=[0, e - 1, 0, e - 1],
        bounds=[(0, 1), (0, 1)],
    )
    bound = float(pure_delta_up(epsilon, at_epsilon=target))
    assert bound == pytest.approx(-found.fun, rel=1e-6)


@pytest.mark.parametrize("epsilon", SIZES)
def test_delta_zero_costs_the_whole_epsilon_exactly(epsilon: str) -> None:
    assert pure_epsilon_up(epsilon, delta=0) == Fraction(epsilon)
    assert pure_delta_up(epsilon, at_epsilon=epsilon) == 0


@pytest.mark.parametrize("epsilon", ["1", "40", "1e5", "1e300", "1e5000"])
def test_a_delta_never_exceeds_one(epsilon: str) -> None:
    assert 0 < pure_delta_up(epsilon, at_epsilon=0) <= 1


def test_a_delta_that_covers_the_total_variation_leaves_nothing() -> None:
    distance = pure_delta_up(1, at_epsilon=0)
    assert pure_epsilon_up(1, delta=distance) == 0
    assert 0 < pure_epsilon_up(1, delta=distance * Fraction(99, 100)) < Fraction(1, 30)


# to moments


@given(epsilons, orders)
def test_the_divergence_lies_just_above_that_of_randomized_response(
    epsilon: float, order: float
) -> None:
    with localcontext(prec=DIGITS):
        e, a = decimal(epsilon), decimal(order)
        moment = ((a * e).exp() + ((1 - a) * e).exp()) / (1 + e.exp())
        truth = moment.ln() / (a - 1)
    assert is_just_above(pure_divergence_up(epsilon, order=order), truth)


@given(weights, weights, st.floats(1.01, 50))
def test_no_pair_of_laws_has_a_larger_divergence(
    some: list[float], others: list[float], order: float
) -> None:
    p, q = law(some), law(others)
    bound = float(pure_divergence_up(loss_between(p, q), order=order))
    assert divergence(p, q, order) <= bound * (1 + 1e-9) + 1e-12


def test_a_known_divergence() -> None:
    # The textbook bounds 3 α ε²/2 and α ε²/2 give 0.03 and 0.01.
    assert round(float(pure_divergence_up(0.1, order=2)), 5) == 0.00996


@pytest.mark.parametrize("order", ["1.0000001", "2", "1e6", "1e300"])
@pytest.mark.parametrize("epsilon", SIZES)
def test_a_divergence_lies_between_that_of_order_one_and_epsilon(epsilon: str, order: str) -> None:
    found = pure_divergence_up(epsilon, order=order)
    assert found <= Fraction(epsilon)
    assert found >= pure_rho_up(epsilon) * (1 - Fraction(1, 2**60))


@given(epsilons)
def test_rho_lies_just_above_the_divergence_of_order_one(epsilon: float) -> None:
    with localcontext(prec=DIGITS):
        e = decimal(epsilon)
        truth = e * (e.exp() - 1) / (e.exp() + 1)
    assert is_just_above(pure_rho_up(epsilon), truth)


@given(epsilons, orders)
def test_rho_bounds_the_divergence_of_every_order(epsilon: float, order: float) -> None:
    found = pure_divergence_up(epsilon, order=order)
    assert found <= pure_rho_up(epsilon) * Fraction(str(order)) * (1 + Fraction(1, 2**60))


@given(epsilons)
def test_a_smaller_rho_would_be_false(epsilon: float) -> None:
    order = Fraction(1000001, 1000000)
    smaller = pure_rho_up(epsilon) * Fraction(99999, 100000)
    assert pure_divergence_up(epsilon, order=order) > smaller * order


@pytest.mark.parametrize("epsilon", SIZES)
def test_rho_is_never_above_the_textbook_half_of_epsilon_squared(epsilon: str) -> None:
    assert pure_rho_up(epsilon) <= Fraction(epsilon) ** 2 / 2
    assert pure_rho_up(epsilon) <= Fraction(epsilon)


def test_a_rho_too_small_to_hold_is_rounded_up_and_never_to_zero() -> None:
    assert pure_rho_up("1e-5000") == SMALLEST


# to Gaussian


@given(st.floats(1e-6, 30))
def test_mu_is_twice_the_normal_quantile_of_the_corner(epsilon: float) -> None:
    truth = -2 * stats.norm.ppf(1 / (1 + math.exp(epsilon)))
    assert float(pure_mu_up(epsilon)) == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 5.0, 20.0])
def test_the_gaussian_curve_lies_below_the_pure_one_everywhere_and_touches_it(
    epsilon: float,
) -> None:
    mu = float(pure_mu_up(epsilon))
    corner = 1 / (1 + math.exp(epsilon))
    x = np.concatenate([np.linspace(1e-12, 1 - 1e-12, 20001), np.geomspace(1e-300, 1, 2001)[:-1]])
    gaussian = stats.norm.cdf(stats.norm.isf(x) - mu)
    pure = np.maximum(1 - math.exp(epsilon) * x, math.exp(-epsilon) * (1 - x))
    assert np.all(gaussian <= pure * (1 + 1e-9) + 1e-15)
    assert stats.norm.cdf(stats.norm.isf(corner) - mu) == pytest.approx(corner, rel=1e-9)


@pytest.mark.parametrize("epsilon", ["1e-300", "1e-30", "1e-9"])
def test_mu_for_small_epsilon_follows_the_slope_at_zero(epsilon: str) -> None:
    slope = math.sqrt(2 * math.pi) / 2  # mu = 2 (epsilon / 4) / φ(0)
    assert float(pure_mu_up(epsilon) / Fraction(epsilon)) == pytest.approx(slope, rel=1e-15)


@pytest.mark.parametrize(
    "epsilon", ["50", "1e3", "1e6", "1e9", "9999999999", "10000000001", "1e15"]
)
def test_mu_for_large_epsilon_solves_the_tail_equation(epsilon: str) -> None:
    # ln P(N > z) from the asymptotic series, to be compared with -epsilon.
    mu = decimal(pure_mu_up(epsilon))
    with localcontext(prec=DIGITS):
        z = mu / 2
        series = 1 - 1 / z**2 + 3 / z**4 - 15 / z**6 + 105 / z**8
        two_pi = 2 * Decimal("3.14159265358979323846264338327950288419716939937510582097")
        log_tail = -z * z / 2 - z.ln() - two_pi.ln() / 2 + series.ln()
        gap = -log_tail - Decimal(epsilon)
    # One part in 2^62 of z moves the logarithm by z² 2^-62.
    room = z * z * Decimal(2) ** -60 + 1000 / z**10
    assert -1000 / z**10 <= gap <= room


def test_mu_exists_for_every_epsilon_that_can_be_given() -> None:
    for epsilon in ("1e-4000", "1e300", "1e5000"):
        mu = pure_mu_up(epsilon)
        assert mu > 0
        assert mu <= 2 * Fraction(epsilon)
        assert mu**2 <= 8 * Fraction(epsilon) * (1 + Fraction(1, 2**60))


@pytest.mark.parametrize("at", [1, 10**10])
def test_mu_does_not_jump_where_the_formula_changes(at: int) -> None:
    step = Fraction(1, 10**12)
    before, here, after = (pure_mu_up(at * (1 + k * step)) for k in (-1, 0, 1))
    assert before < here < after
    assert (after - here) / (here - before) == pytest.approx(1, abs=0.02)
