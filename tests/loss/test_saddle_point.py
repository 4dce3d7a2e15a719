"""Sums along a line: against closed forms, sums over all atoms, rigorous integrals and the grid."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.loss import (
    AtomicLoss,
    LaplaceLoss,
    LossDistribution,
    NormalLoss,
    SampledNormalLoss,
)
from shoal.loss.characteristic_functions import HasWaves
from shoal.loss.equal_laplaces import EqualLaplaces
from shoal.loss.grid_sums import GridSum
from shoal.loss.saddle_point import LossSum, contour_delta, contour_epsilon
from shoal.measures import gaussian_delta_down, gaussian_delta_up, gaussian_epsilon_up

some = settings(derandomize=True, deadline=None, max_examples=25)


def response(epsilon: float) -> AtomicLoss:
    truth = 1 / (1 + math.exp(-epsilon))
    return AtomicLoss(((epsilon, truth), (-epsilon, 1 - truth)), unit=2 * epsilon)


def epsilon_of(*sources: tuple[HasWaves, int], delta: float) -> tuple[float, float]:
    found = contour_epsilon(LossSum(sources), delta)
    assert found is not None
    return found.low, found.high


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-6, 1e-15, 1e-30, 1e-100, 1e-250])
@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_normal_losses_cost_what_the_closed_form_says(mu: float, delta: float) -> None:
    low, high = epsilon_of((NormalLoss(mu / 10), 100), delta=delta)
    truth = float(gaussian_epsilon_up(Fraction(mu), Fraction(delta)))
    assert low <= truth * (1 + 1e-12)
    assert truth * (1 - 1e-12) <= high <= truth * (1 + 1e-6)


def delta_with_responses(mu: float, epsilons: list[float], epsilon: float, *, up: bool) -> float:
    """Responses and one normal loss: the mean of the normal delta over all sums of the
    responses.
    """
    delta = gaussian_delta_up if up else gaussian_delta_down
    total = 0.0
    for signs in product((1, -1), repeat=len(epsilons)):
        chance = math.prod(
            1 / (1 + math.exp(-sign * one)) for sign, one in zip(signs, epsilons, strict=True)
        )
        shift = epsilon - sum(sign * one for sign, one in zip(signs, epsilons, strict=True))
        if shift >= 0:
            total += chance * float(delta(Fraction(mu), Fraction(shift)))
        else:  # delta(-e) = 1 - e^-e + e^-e delta(e) for a symmetric loss
            back = float(delta(Fraction(mu), Fraction(-shift)))
            total += chance * (-math.expm1(shift) + math.exp(shift) * back)
    return total


@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-10, 1e-15])
@pytest.mark.parametrize("epsilons", [[0.3], [0.5, 0.25, 0.125], [0.1] * 8], ids=len)
def test_the_delta_at_the_epsilon_told_is_never_above_the_target(
    epsilons: list[float], delta: float
) -> None:
    mu = 0.4
    sources: list[tuple[HasWaves, int]] = [(NormalLoss(mu), 1)]
    sources += [(response(one), 1) for one in epsilons]
    low, high = epsilon_of(*sources, delta=delta)
    assert delta_with_responses(mu, epsilons, high, up=True) <= delta * (1 + 1e-12)
    assert delta_with_responses(mu, epsilons, high - 1e-6, up=False) > delta
    assert delta_with_responses(mu, epsilons, low, up=False) >= delta * (1 - 1e-12)


def moment(rate: float, mu: float, order: complex) -> complex:
    """E[w^order] under the plain law, by an integral with a rigorous error bound."""
    q, apart = arb(rate), arb(mu)

    def integrand(x: acb, _: bool) -> acb:
        mixture = 1 - q + q * (apart * x - apart * apart / 2).exp()
        return (mixture.log() * acb(order.real, order.imag) - x * x / 2).exp()

    before, ctx.prec = ctx.prec, 80
    try:
        found = acb.integral(integrand, -12, 12 + abs(order.real) * mu, rel_tol=2.0**-60)
        found /= (2 * acb.pi()).sqrt()
        return complex(found.mid())
    finally:
        ctx.prec = before


@pytest.mark.parametrize("removed", [True, False])
@pytest.mark.parametrize(
    ("rate", "mu", "tilt"), [(0.01, 1.25, 2.0), (0.3, 0.2, 8.0), (0.5, 3, 0.5)]
)
def test_the_waves_of_a_sampled_loss_are_the_integrals(
    rate: float, mu: float, tilt: float, removed: bool
) -> None:
    wave = SampledNormalLoss(rate, mu, removed=removed).wave(tilt)
    logs, doubts = wave.spectrum(7.0, 6)
    sign, power = (1, 1 + tilt) if removed else (-1, -tilt)
    whole = moment(rate, mu, complex(power))
    assert math.isclose(wave.log_moment, math.log(whole.real), rel_tol=0, abs_tol=2 * wave.doubt)
    for k in range(6):
        value = moment(rate, mu, complex(power, sign * 7.0 * k)) / whole.real
        assert abs(np.exp(logs[k]) - value) <= 2 * doubts[k] * abs(value) + 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("removed", [True, False])
@pytest.mark.parametrize("tilt", [0.25, 2.0, 16.0])
@pytest.mark.parametrize(("rate", "mu"), [(0.01, 1.25), (0.2, 0.3), (0.001, 4.0)])
def test_a_sampled_loss_fades_at_least_as_fast_as_said(
    rate: float, mu: float, tilt: float, removed: bool
) -> None:
    wave = SampledNormalLoss(rate, mu, removed=removed).wave(tilt)
    spread = math.sqrt(wave.variance)
    logs, _ = wave.spectrum(0.2 / spread, 400)
    said = wave.fading(0.2 / spread * np.arange(1, 400))
    assert np.all(logs.real[1:] <= said + 1e-12)
    assert np.all(np.diff(said) <= 1e-15)
    assert wave.fading(np.array([1e12]))[0] < -1


@pytest.mark.slow
@some
@given(
    rate=st.floats(0.01, 0.5),
    mu=st.floats(0.3, 2),
    copies=st.integers(1000, 3000),
    exponent=st.integers(2, 12),
    removed=st.booleans(),
)
def test_the_line_and_the_grid_agree(
    rate: float, mu: float, copies: int, exponent: int, removed: bool
) -> None:
    source = SampledNormalLoss(rate, mu, removed=removed)
    delta = 10.0**-exponent
    line = contour_epsilon(LossSum([(source, copies)]), delta)
    assert line is not None
    assert line.width <= 1e-6 * max(1.0, line.high)
    if line.high < 20:  # beyond, the grid is slow
        grid = GridSum(((source, copies),)).epsilon(delta, 1e-3)
        assert grid.low <= line.high
        assert line.low <= grid.high


@pytest.mark.slow
@pytest.mark.parametrize("removed", [True, False])
@pytest.mark.parametrize(("rate", "mu", "delta"), [(0.01, 1.25, 1e-6), (0.1, 0.5, 1e-9)])
def test_the_line_lies_within_a_narrow_bracket_of_the_grid(
    rate: float, mu: float, delta: float, removed: bool
) -> None:
    source = SampledNormalLoss(rate, mu, removed=removed)
    line = contour_epsilon(LossSum([(source, 1000)]), delta)
    grid = GridSum(((source, 1000),)).epsilon(delta, 1e-4)
    assert line is not None
    assert grid.width <= 1e-3
    assert grid.low <= line.low <= line.high <= grid.high


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 5.0])
def test_deltas_of_the_line_and_the_grid_agree(epsilon: float) -> None:
    sources = ((NormalLoss(0.5), 1), (LaplaceLoss(0.3), 5), (response(0.2), 7))
    line = contour_delta(LossSum(sources), epsilon, epsilon)
    grid = GridSum(sources).delta(epsilon, epsilon)
    assert line is not None
    assert grid.low <= line.high
    assert line.low <= grid.high
    assert line.width <= 1e-8 * line.high


def test_losses_that_do_not_fade_are_left_to_the_grid() -> None:
    assert contour_epsilon(LossSum([(LaplaceLoss(0.1), 100)]), 1e-6) is None
    assert contour_delta(LossSum([(response(0.1), 100)]), 1.0, 1.0) is None
    assert (
        contour_epsilon(LossSum([(SampledNormalLoss(0.01, 1.25, removed=True), 3)]), 1e-6) is None
    )


def test_what_is_infinite_is_counted_on_both_sides() -> None:
    leaky = AtomicLoss(((0.1, 0.5), (-0.1, 0.4)), infinite=0.1)
    both = LossDistribution.of(NormalLoss(0.5)).compose(LossDistribution.of(leaky))
    plain = AtomicLoss(((0.1, 0.5), (-0.1, 0.4)))
    without = LossDistribution.of(NormalLoss(0.5)).compose(LossDistribution.of(plain))
    with_it, finite = both.delta(epsilon=1), without.delta(epsilon=1)
    assert math.isclose(with_it.high, finite.high + 0.1, rel_tol=1e-9)
    assert math.isclose(with_it.low, finite.low + 0.1, rel_tol=1e-9)
    assert both.epsilon(delta="0.05").high == math.inf
    at = both.epsilon(delta="0.11")
    assert both.delta(epsilon=at.high).high <= 0.11 * (1 + 1e-9)
    assert at.width < 1e-6


def test_a_sum_that_grows_keeps_what_it_knows() -> None:
    sources: list[tuple[HasWaves, int]] = [
        (NormalLoss(0.4), 1),
        (LaplaceLoss(0.2), 3),
        (SampledNormalLoss(0.1, 1.0, removed=True), 4),
        (response(0.3), 2),
    ]
    growing = LossSum(sources[:1])
    for k in range(1, len(sources) + 1):
        if k > 1:
            growing = growing.plus(sources[k - 1 : k])
        at_once = contour_epsilon(LossSum(sources[:k]), 1e-6)
        step_by_step = contour_epsilon(growing, 1e-6)
        assert at_once is not None
        assert step_by_step is not None
        assert math.isclose(at_once.high, step_by_step.high, rel_tol=1e-8)


def test_one_sampled_release_has_a_closed_form() -> None:
    # P(x > a) under both laws, where the mixture is e^epsilon times the plain one
    there = SampledNormalLoss(0.1, 2.0, removed=True)
    found = there.delta_alone(Fraction(1), Fraction(1))
    place = math.log((math.e - 0.9) / 0.1) / 2 + 1
    tail = [math.erfc(x / math.sqrt(2)) / 2 for x in (place, place - 2)]
    delta = 0.9 * tail[0] + 0.1 * tail[1] - math.e * tail[0]
    assert found.low <= delta * (1 + 1e-12)
    assert delta * (1 - 1e-12) <= found.high <= delta * (1 + 1e-9)
    away = SampledNormalLoss(0.1, 2.0, removed=False)
    assert away.delta_alone(Fraction("0.2"), Fraction("0.2")).high == 0
    assert 0 < away.delta_alone(Fraction("0.05"), Fraction("0.05")).high < 0.1


@pytest.mark.parametrize("removed", [True, False])
@pytest.mark.parametrize("delta", ["0.01", "1e-6", "1e-15", "1e-40"])
def test_the_closed_form_of_one_sampled_release_is_what_the_grid_says(
    delta: str, removed: bool
) -> None:
    source = SampledNormalLoss(0.2, 1.0, removed=removed)
    found = source.epsilon_alone(Fraction(delta))
    assert found.width <= 1e-12
    at = source.delta_alone(Fraction(found.high), Fraction(found.high))
    assert at.high <= float(Fraction(delta)) * (1 + 1e-12)
    if removed:
        grid = GridSum(((source, 1),)).epsilon(float(Fraction(delta)), 1e-4)
        assert grid.low - 1e-9 <= found.high
        assert found.low <= grid.high + 1e-9


@some
@given(epsilon=st.floats(0.01, 5), exponent=st.integers(1, 15))
def test_one_response_alone_needs_what_its_formula_says(epsilon: float, exponent: int) -> None:
    delta = Fraction(1, 10**exponent)
    truth = 1 / (1 + math.exp(-epsilon))
    # delta(e) = p - e^e (1 - p)
    formula = math.log((truth - float(delta)) / (1 - truth)) if truth > delta else 0.0
    found = response(epsilon).epsilon_alone(delta)
    assert found.low - 1e-12 <= max(0.0, formula) <= found.high + 1e-12
    assert found.width <= 1e-11 * (1 + epsilon)
    laplace = LaplaceLoss(epsilon).epsilon_alone(delta)
    assert laplace.low - 1e-12 <= max(0.0, epsilon + 2 * math.log1p(-float(delta)))
    assert laplace.high + 1e-12 >= max(0.0, epsilon + 2 * math.log1p(-float(delta)))


@pytest.mark.parametrize("tilt", [0.5, 4.0])
@pytest.mark.parametrize("epsilon", [0.1, 2.0])
def test_a_laplace_loss_fades_at_least_as_fast_as_said(epsilon: float, tilt: float) -> None:
    wave = LaplaceLoss(epsilon).wave(tilt)
    logs, _ = wave.spectrum(0.5, 2000)
    said = wave.fading(0.5 * np.arange(1, 2000))
    assert np.all(logs.real[1:] <= said + 1e-12)
    assert said[-1] < 0


@pytest.mark.parametrize("delta", ["0.1", "1e-6", "1e-15", "1e-100"])
def test_few_sums_cost_what_exact_probabilities_say(delta: str) -> None:
    def at(epsilon: Fraction) -> arb:
        """12 responses of epsilon 1/2 and 5 of 1/3: all sums, in balls."""
        total = arb(0)
        for first, second in product(range(13), range(6)):
            loss = Fraction(2 * first - 12, 2) + Fraction(2 * second - 5, 3)
            if loss > epsilon:
                chance = arb(math.comb(12, first) * math.comb(5, second))
                chance *= (arb(first) / 2).exp() / (1 + (arb(1) / 2).exp()) ** 12
                chance *= (arb(second) / 3).exp() / (1 + (arb(1) / 3).exp()) ** 5
                apart = epsilon - loss
                total += chance * (1 - (arb(apart.numerator) / apart.denominator).exp())
        return total

    both = (
        LossDistribution.of(response(0.5))
        .times(12)
        .compose(LossDistribution.of(response(1 / 3)).times(5))
    )
    found = both.epsilon(delta=delta)
    assert found.width <= 1e-9
    target = arb(Fraction(delta).numerator) / Fraction(delta).denominator
    assert at(Fraction(found.high)) <= target
    assert at(Fraction(found.low)) >= target or found.low == 0


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-12])
@pytest.mark.parametrize(("epsilon", "copies"), [(0.1, 100), (0.1, 2), (0.5, 10), (2.0, 5)])
def test_equal_laplaces_cost_what_the_grid_says(epsilon: float, copies: int, delta: float) -> None:
    source = LaplaceLoss(epsilon)
    sums = EqualLaplaces(source, copies)
    found = sums.epsilon_alone(Fraction(delta))
    assert found.width <= 1e-6
    grid = GridSum(((source, copies),)).epsilon(delta, 1e-4)
    assert grid.low <= found.high
    assert found.low <= grid.high
    back = sums.delta_alone(Fraction(found.high), Fraction(found.high))
    assert back.high <= delta * (1 + 1e-6)
    elsewhere = sums.delta_alone(Fraction(found.high / 8), Fraction(found.high / 8))
    assert elsewhere.high <= elsewhere.low * (1 + 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [0.0, 0.3, 0.75, 1.2])
def test_two_laplaces_need_the_delta_of_an_integral_over_both(asked: float) -> None:
    epsilon = 0.7
    sums = EqualLaplaces(LaplaceLoss(epsilon), 2)
    found = sums.delta_alone(Fraction(asked), Fraction(asked))

    def payoff(loss: float) -> float:
        return max(0.0, -math.expm1(asked - loss))

    atoms = ((epsilon, 0.5), (-epsilon, math.exp(-epsilon) / 2))
    inner = np.linspace(-epsilon, epsilon, 4001)
    middles = (inner[1:] + inner[:-1]) / 2
    masses = np.diff(np.exp((inner - epsilon) / 2)) / 2
    total = sum(p * q * payoff(x + y) for x, p in atoms for y, q in atoms)
    total += 2 * sum(
        p * m * payoff(x + y) for x, p in atoms for y, m in zip(middles, masses, strict=True)
    )
    both = -np.expm1(np.minimum(0.0, asked - np.add.outer(middles, middles)))
    total += float(masses @ both @ masses)
    assert found.low - 1e-6 <= total <= found.high + 1e-6
    assert found.width <= 1e-6
