"""Gaussian noise: its exact delta by quadrature, figures from the literature, and every size."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats
from tests.measures.samples import deltas, mus

from shoal.errors import ConversionError, NumberError, RangeError
from shoal.exact import ball, dyadic
from shoal.exact.real import SMALLEST
from shoal.measures import (
    gaussian_delta_down,
    gaussian_delta_up,
    gaussian_epsilon_up,
    gaussian_mu_down,
)

TINY = Fraction(1, 2**60)
WITHIN = 1 + Fraction(1, 2**40)
SIZES_OF_EPSILON = [
    "1e-300",
    "1e-100",
    "1e-20",
    "1e-9",
    "1e-3",
    "1",
    "40",
    "1e3",
    "1e9",
    "1e100",
    "1e300",
]
SIZES_OF_DELTA = ["1e-300", "1e-100", "1e-20", "1e-5", "0.1", "0.5", "0.999"]


def delta_by_enclosed_quadrature(mu: Fraction, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Below and above delta = ∫_0^mu φ(ε/s - s/2) ds, which uses no tail of the normal law.

    With s = mu / u the range is u >= 1 and the argument x(u) grows with u; its value at u = 1 is
    taken out as a factor.  The part beyond u = last is below exp((x(1)² - x(last)²) / 2).
    """
    near = epsilon / mu - mu / 2
    last = max(Fraction(2), mu / epsilon * (abs(near) + mu + 20))
    far = epsilon / mu * last - mu / (2 * last)
    with ctx.workprec(160):
        slope, half, first = acb(ball(epsilon / mu)), acb(ball(mu / 2)), acb(ball(near))

        def integrand(u: acb, _: bool) -> acb:
            x = slope * u - half / u
            return ((first * first - x * x) / 2).exp() / (u * u)

        inside = acb.integral(integrand, 1, acb(ball(last))).real
        outside = (ball(near * near - far * far) / 2).exp()
        factor = ball(mu) * (-ball(near * near) / 2).exp() / (2 * arb.pi()).sqrt()
        return dyadic((factor * inside).lower()), dyadic((factor * (inside + outside)).upper())


# delta


@pytest.mark.parametrize(
    ("mu", "epsilon"),
    [
        ("1", "1"),
        ("0.25", "1"),
        ("0.1", "2"),
        ("0.01", "0.001"),
        ("3", "0.5"),
        ("8", "40"),
        ("5", "1"),
        ("1e-9", "1e-9"),
        ("1e-10", "1e-10"),
        ("2.3e-10", "1e-9"),
        ("2.4e-10", "1e-9"),
        ("1e-20", "1e-19"),
        ("1e-300", "3e-300"),
        ("1e-300", "3e-299"),
        ("0.05", "1.8"),
    ],
)
def test_delta_brackets_its_integral(mu: str, epsilon: str) -> None:
    low, high = delta_by_enclosed_quadrature(Fraction(mu), Fraction(epsilon))
    up, down = gaussian_delta_up(mu, epsilon), gaussian_delta_down(mu, epsilon)
    assert high < low * (1 + TINY)
    assert low < up < high * (1 + TINY)
    assert low * (1 - TINY) < down < high
    assert down < up


@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 0.1), (1.0, 1.0), (2.0, 3.0), (4.0, 0.0)])
def test_delta_is_the_positive_part_of_the_difference_of_two_normals(
    mu: float, epsilon: float
) -> None:
    def excess(x: float) -> float:
        gap = stats.norm.pdf(x - mu) - math.exp(epsilon) * stats.norm.pdf(x)
        return max(0.0, float(gap))

    turn = epsilon / mu + mu / 2
    truth, _ = integrate.quad(excess, turn, turn + 60, epsabs=1e-13, limit=200)
    assert float(gaussian_delta_up(mu, epsilon)) == pytest.approx(truth, rel=1e-9)


@given(st.floats(0.01, 12), st.floats(0, 60))
def test_delta_agrees_with_the_formula_in_floats(mu: float, epsilon: float) -> None:
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    truth = special.ndtr(-a) - math.exp(epsilon + special.log_ndtr(-b))
    found = float(gaussian_delta_up(mu, epsilon))
    assert found == pytest.approx(truth, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("mu", ["1e-300", "1e-20", "1e-9", "0.1", "3"])
def test_at_epsilon_zero_delta_is_the_total_variation_distance(mu: str) -> None:
    truth = math.erf(float(mu) / math.sqrt(8))
    assert float(gaussian_delta_up(mu, 0)) == pytest.approx(truth, rel=1e-14)


@pytest.mark.parametrize(
    ("scale", "epsilon", "figure"),
    [
        (math.sqrt(2 * math.log(1.25e5)) / 10, 10, 2.265e-5),
        (math.sqrt(2 * math.log(1.25e5)) / 20, 20, 1.5e-3),
        (math.sqrt(2 * math.log(1.25e5)) / 50, 50, 0.586),
        (math.sqrt(2 * math.log(2e5)) / 20, 20, 9.7e-4),
        (math.sqrt(2 * math.log(1.25e4)), 0.1, 0.0528),
        (math.sqrt(2 * math.log(1.25e4)), 0.5, 1.6e-3),
        (0.206, 1, 0.975),
    ],
)
def test_formulas_that_promise_too_much_are_found_out(
    scale: float, epsilon: float, figure: float
) -> None:
    # What the classic formula and its misprints really give, at a nominal delta of 1e-5 or 1e-4.
    assert float(gaussian_delta_down(1 / scale, epsilon)) == pytest.approx(figure, rel=0.04)


@given(mus, mus, st.floats(0, 30))
def test_a_larger_mu_needs_a_larger_delta(one: float, other: float, epsilon: float) -> None:
    less, more = sorted([one, other])
    assert gaussian_delta_up(less, epsilon) <= gaussian_delta_up(more, epsilon)


@given(mus, st.floats(0, 30), st.floats(0, 30))
def test_a_larger_epsilon_needs_a_smaller_delta(mu: float, one: float, other: float) -> None:
    less, more = sorted([one, other])
    assert gaussian_delta_up(mu, more) <= gaussian_delta_up(mu, less)


@pytest.mark.parametrize(
    ("mu", "epsilon", "up", "down"),
    [
        ("0", "0", 0, 0),
        ("0", "1", 0, 0),
        ("1e-300", "1", SMALLEST, 0),
        ("1", "1e300", SMALLEST, 0),
        ("1", "1e4", SMALLEST, 0),
    ],
)
def test_a_delta_too_small_to_hold_is_rounded_up_and_never_to_zero(
    mu: str, epsilon: str, up: Fraction, down: Fraction
) -> None:
    assert gaussian_delta_up(mu, epsilon) == up
    assert gaussian_delta_down(mu, epsilon) == down


@pytest.mark.parametrize(("mu", "epsilon"), [("1e300", "1"), ("200", "0"), ("1e300", "1e300")])
def test_a_delta_never_exceeds_one(mu: str, epsilon: str) -> None:
    assert gaussian_delta_up(mu, epsilon) == 1
    assert 1 - TINY < gaussian_delta_down(mu, epsilon) <= 1


# noise for a promise


@pytest.mark.parametrize(
    ("epsilon", "delta", "scale"),
    [
        ("1", "1e-5", 3.730632),
        ("1", "1e-20", 8.838),
        ("1", "1e-50", 14.605),
        ("1", "1e-300", 36.865),
        ("50", "1e-5", 0.150),
    ],
)
def test_known_scales(epsilon: str, delta: str, scale: float) -> None:
    digits = 6 if scale == 3.730632 else 3
    assert round(float(1 / gaussian_mu_down(epsilon, delta)), digits) == scale


@pytest.mark.parametrize("delta", SIZES_OF_DELTA)
@pytest.mark.parametrize("epsilon", SIZES_OF_EPSILON)
def test_the_largest_mu_keeps_the_promise_and_a_slightly_larger_one_breaks_it(
    epsilon: str, delta: str
) -> None:
    mu = gaussian_mu_down(epsilon, delta)
    assert gaussian_delta_down(mu, epsilon) <= Fraction(delta)
    assert gaussian_delta_up(mu, epsilon) <= Fraction(delta) * (1 + TINY)
    assert gaussian_delta_down(mu * WITHIN, epsilon) > Fraction(delta)
    odd = mu.numerator // (mu.numerator & -mu.numerator)
    assert odd.bit_length() <= 64


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("1", "1e-5"), ("1e-10", "1e-11"), ("1e-300", "1e-301"), ("3", "1e-80")]
)
def test_the_largest_mu_keeps_the_promise_by_quadrature(epsilon: str, delta: str) -> None:
    mu = gaussian_mu_down(epsilon, delta)
    _, high = delta_by_enclosed_quadrature(mu, Fraction(epsilon))
    low, _ = delta_by_enclosed_quadrature(mu * WITHIN, Fraction(epsilon))
    assert high <= Fraction(delta) < low


@pytest.mark.parametrize("delta", ["1e-300", "1e-9", "0.1", "0.9", "0.999"])
def test_at_epsilon_zero_mu_is_a_quantile(delta: str) -> None:
    truth = 2 * math.sqrt(2) * float(special.erfinv(float(delta)))
    assert float(gaussian_mu_down(0, delta)) == pytest.approx(truth, rel=1e-12)


def test_at_huge_epsilon_mu_approaches_the_root_of_twice_epsilon() -> None:
    mu = gaussian_mu_down("1e300", "1e-300")
    assert float(mu**2 / (2 * Fraction("1e300"))) == pytest.approx(1, abs=1e-12)


@given(st.floats(1e-6, 50), deltas, deltas)
@settings(max_examples=30)
def test_a_larger_delta_allows_a_larger_mu(epsilon: float, one: float, other: float) -> None:
    less, more = sorted([one, other])
    room = 1 + Fraction(1, 2**50)
    assert gaussian_mu_down(epsilon, less) <= gaussian_mu_down(epsilon, more) * room


def test_a_delta_close_to_one_allows_a_large_mu() -> None:
    rest = Fraction(1, 10**150)
    mu = gaussian_mu_down(0, 1 - rest)
    truth = -2 * float(special.ndtri_exp(math.log(0.5) - 150 * math.log(10)))
    assert float(mu) == pytest.approx(truth, rel=1e-12)
    assert gaussian_epsilon_up(mu * 2, 1 - rest) > 0


@pytest.mark.parametrize("delta", [0, 1])
def test_a_scale_for_delta_zero_or_one_is_refused_by_name(delta: int) -> None:
    with pytest.raises(RangeError, match="delta must be above 0 and below 1"):
        gaussian_mu_down(1, delta)


@pytest.mark.parametrize("bad", [math.nan, math.inf, True])
def test_what_is_no_number_is_refused_by_name(bad: float) -> None:
    with pytest.raises(NumberError, match="epsilon"):
        gaussian_mu_down(bad, 1e-5)
    with pytest.raises(NumberError, match="delta"):
        gaussian_epsilon_up(1, bad)
    with pytest.raises(NumberError, match="mu"):
        gaussian_delta_up(bad, 1)


def test_the_hardest_calibrations_take_no_visible_time() -> None:
    start = time.process_time()
    for epsilon in ("1e-300", "1", "1e300"):
        for delta in ("1e-300", "0.999"):
            gaussian_mu_down(epsilon, delta)
    assert (time.process_time() - start) / 6 < 0.25


# epsilon for delta


@given(mus, deltas)
@settings(max_examples=60)
def test_the_epsilon_keeps_the_promise_and_a_slightly_smaller_one_breaks_it(
    mu: float, delta: float
) -> None:
    epsilon, target = gaussian_epsilon_up(mu, delta), Fraction(str(delta))
    assert gaussian_delta_up(mu, epsilon) <= target * (1 + TINY)
    if epsilon > 0:
        assert gaussian_delta_down(mu, epsilon / WITHIN) > target


@pytest.mark.parametrize("delta", SIZES_OF_DELTA)
@pytest.mark.parametrize("epsilon", SIZES_OF_EPSILON)
def test_epsilon_and_mu_undo_each_other(epsilon: str, delta: str) -> None:
    mu = gaussian_mu_down(epsilon, delta)
    # There and back never asks for more; what it may save is the room mu was rounded by.
    assert gaussian_epsilon_up(mu, delta) <= Fraction(epsilon) * (1 + TINY * 2**10)
    assert gaussian_epsilon_up(mu * WITHIN, delta) > Fraction(epsilon)


@pytest.mark.parametrize(
    ("epsilon", "delta", "figure"),
    [(1, 1e-5, 1.06), (0.1, 1e-6, 0.097), (5, 1e-6, 5.75), (20, 1e-6, 21.6)],
)
def test_known_epsilons_of_a_loose_corollary(epsilon: float, delta: float, figure: float) -> None:
    # sigma² = k ln(1/δ)/ε² + k/ε over k releases is said to cost 2 ε.
    mu = 1 / math.sqrt(math.log(1 / delta) / epsilon**2 + 1 / epsilon)
    found = float(gaussian_epsilon_up(mu, delta))
    assert found == pytest.approx(figure, rel=2e-3)
    assert found < 2 * epsilon


def test_without_a_delta_there_is_no_epsilon() -> None:
    assert gaussian_epsilon_up(0, 0) == 0
    with pytest.raises(ConversionError, match="no finite epsilon at delta 0"):
        gaussian_epsilon_up("1e-300", 0)
