"""Compositions: known values, exact enumeration, and the laws of adding up."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad

from shoal.errors import RangeError
from shoal.loss import (
    AtomicLoss,
    Bracket,
    LaplaceLoss,
    LossDistribution,
    NormalLoss,
    SampledNormalLoss,
)
from shoal.loss.cells import Lattice
from shoal.loss.fourier_sum import compose
from shoal.measures import gaussian_epsilon_up

SAMPLED = LossDistribution.of(
    SampledNormalLoss(0.01, 1.25, removed=True), SampledNormalLoss(0.01, 1.25, removed=False)
)


def response(epsilon: float) -> LossDistribution:
    truth = 1 / (1 + math.exp(-epsilon))
    return LossDistribution.of(
        AtomicLoss(((epsilon, truth), (-epsilon, 1 - truth)), unit=2 * epsilon)
    )


def normal(mu: float) -> LossDistribution:
    return LossDistribution.of(NormalLoss(mu))


def laplace(epsilon: float) -> LossDistribution:
    return LossDistribution.of(LaplaceLoss(epsilon))


MIXED = (
    laplace(0.1)
    .times(50)
    .compose(normal(1 / 20).times(50))
    .compose(response(math.log(0.55 / 0.45)).times(50))
)

KNOWN = {
    "one Gaussian, sigma 1": (normal(1), 4.8865541, 1e-7),
    "1000 Gaussians, sigma 30": (normal(1 / 30).times(1000), 5.1890366, 1e-7),
    "1000 sampled Gaussians": (SAMPLED.times(1000), 3.706185, 1e-6),
    "10 000 sampled Gaussians": (SAMPLED.times(10**4), 11.183164, 1e-6),
    "100 000 sampled Gaussians": (SAMPLED.times(10**5), 46.69541, 1e-5),
    "100 Laplaces, epsilon 0.1": (laplace(0.1).times(100), 4.6926674, 1e-7),
    "Laplaces, Gaussians and responses": (MIXED, 8.253723, 1e-6),
    "500 pure, epsilon 0.1": (response(0.1).times(500), 12.51787996, 1e-8),
}


@pytest.mark.parametrize(("composition", "value", "digits"), KNOWN.values(), ids=list(KNOWN))
def test_the_bracket_holds_the_known_value_and_is_narrow(
    composition: LossDistribution, value: float, digits: float
) -> None:
    found = composition.epsilon(delta="1e-6")
    assert found.low - digits <= value <= found.high + digits
    assert found.width <= 1e-4


@pytest.mark.parametrize("sides", [(0.5, 1.0), (1.0, 0.5)], ids=["those who come", "those who go"])
def test_a_composition_costs_what_its_dearer_direction_costs(sides: tuple[float, float]) -> None:
    uneven = LossDistribution.of(*map(NormalLoss, sides))
    assert uneven.epsilon(delta="1e-6") == normal(1.0).epsilon(delta="1e-6")
    assert uneven.quick_epsilon(delta="1e-6") == normal(1.0).quick_epsilon(delta="1e-6")
    assert uneven.epsilon(delta=0) == normal(1.0).epsilon(delta=0)
    assert uneven.delta(epsilon=2) == normal(1.0).delta(epsilon=2)
    assert uneven.quick_delta(epsilon=2) == normal(1.0).quick_delta(epsilon=2)


@pytest.mark.parametrize("delta", ["0.3", "1e-3", "1e-9", "1e-15", "1e-30", "1e-100"])
def test_many_normal_losses_cost_what_one_does_from_above(delta: str) -> None:
    found = normal(0.1).times(100).epsilon(delta=delta)
    truth = float(gaussian_epsilon_up(1, delta))
    assert truth * (1 - 1e-9) <= found.high <= truth * (1 + 1e-6)


@pytest.mark.parametrize("delta", ["1e-3", "1e-9", "1e-15", "1e-30"])
def test_the_transform_agrees_with_the_closed_form_of_normal_losses(delta: str) -> None:
    # an atom at 0 adds nothing, but keeps the closed form out
    nothing = LossDistribution.of(AtomicLoss(((0.0, 1.0),)))
    found = normal(0.1).times(100).compose(nothing).epsilon(delta=delta)
    truth = float(gaussian_epsilon_up(1, delta))
    assert found.low <= truth <= found.high
    assert found.width <= 1e-4


def exact_delta(epsilons: dict[float, int], target: float) -> float:
    """Randomised responses by enumeration of how many of each kind lose in which direction."""
    losses: dict[float, Fraction] = {0.0: Fraction(1)}
    for epsilon, copies in epsilons.items():
        truth = Fraction(1 / (1 + math.exp(-epsilon)))
        for _ in range(copies):
            following: dict[float, Fraction] = {}
            for loss, mass in losses.items():
                for step, chance in ((epsilon, truth), (-epsilon, 1 - truth)):
                    key = round(loss + step, 9)
                    following[key] = following.get(key, Fraction(0)) + mass * chance
            losses = following
    return float(
        sum(
            mass * Fraction(-math.expm1(target - loss))
            for loss, mass in losses.items()
            if loss > target
        )
    )


@settings(max_examples=30)
@given(
    st.dictionaries(st.sampled_from([0.1, 0.25, 0.7, 1.3]), st.integers(1, 5), min_size=1),
    st.floats(0, 4),
)
def test_responses_cost_what_enumeration_says(epsilons: dict[float, int], target: float) -> None:
    composition = LossDistribution()
    for epsilon, copies in epsilons.items():
        composition = composition.compose(response(epsilon).times(copies))
    truth = exact_delta(epsilons, target)
    found = composition.delta(epsilon=target)
    assert found.low <= truth + 1e-7
    assert found.high >= truth - 1e-7


def test_two_laplaces_cost_what_integration_says() -> None:
    def gap(x: float, y: float) -> float:
        loss = 0.5 * (abs(x - 1) - abs(x) + abs(y - 1) - abs(y))
        density = 0.0625 * math.exp(-0.5 * (abs(x) + abs(y)))
        return density * max(0.0, -math.expm1(0.3 - loss))

    truth = dblquad(gap, -40, 40, -40, 40, epsabs=1e-4)[0]
    found = laplace(0.5).times(2).delta(epsilon=0.3)
    assert found.low - 1e-3 <= truth <= found.high + 1e-3


def test_copies_at_once_cost_what_copies_one_by_one_do() -> None:
    one_by_one = LossDistribution()
    for _ in range(7):
        one_by_one = one_by_one.compose(laplace(0.2))
    assert one_by_one == laplace(0.2).times(7).compose(LossDistribution())


@pytest.mark.slow
def test_the_order_of_releases_does_not_matter() -> None:
    first, second = laplace(0.2).times(3), response(0.4).times(2)
    one = first.compose(second).epsilon(delta="1e-5")
    other = second.compose(first).epsilon(delta="1e-5")
    assert one.low <= other.high
    assert other.low <= one.high


def test_a_bracket_of_delta_and_one_of_epsilon_agree() -> None:
    composition = SAMPLED.times(500)
    epsilon = composition.epsilon(delta="1e-7")
    assert composition.delta(epsilon=epsilon.high).low <= 1e-7
    assert composition.delta(epsilon=epsilon.low).high >= 1e-7


def test_nothing_costs_nothing() -> None:
    assert LossDistribution().epsilon(delta="1e-6") == Bracket(0.0, 0.0)
    assert laplace(1).times(0).delta(epsilon=0) == Bracket(0.0, 0.0)


def test_at_delta_zero_only_the_largest_loss_counts() -> None:
    assert response(0.1).times(10).epsilon(delta=0).high == pytest.approx(1)
    assert normal(1).epsilon(delta=0).high == math.inf
    assert laplace(0.1).epsilon(delta=1).high == 0


def test_an_infinite_loss_cannot_be_bought_off_below_its_mass() -> None:
    leaky = LossDistribution.of(AtomicLoss(((0.1, 0.99),), infinite=0.01))
    assert leaky.epsilon(delta="0.001").high == math.inf
    assert leaky.epsilon(delta="0.02").high < math.inf


@pytest.mark.parametrize("delta", ["nan", -1, 2])
def test_a_delta_that_is_none_is_refused(delta: object) -> None:
    with pytest.raises((RangeError, ValueError), match="delta"):
        laplace(1).epsilon(delta=delta)  # type: ignore[arg-type]


def test_the_bound_on_round_off_holds_against_exact_convolution() -> None:
    generator = np.random.default_rng(3)
    weights = generator.random(40)
    weights /= weights.sum()
    lattice = Lattice(0.05, -1.0, weights, 0.0)
    composed = compose([(lattice, 9)], 0.7)
    exact = [Fraction(1)]
    single = [Fraction(float(weight)) for weight in weights]
    for _ in range(9):
        longer = [Fraction(0)] * (len(exact) + len(single) - 1)
        for i, a in enumerate(exact):
            for j, b in enumerate(single):
                longer[i + j] += a * b
        exact = longer
    for epsilon in (0.0, 0.5, 2.0):
        truth = sum(
            float(mass) * -math.expm1(epsilon - (-9.0 + 0.05 * k))
            for k, mass in enumerate(exact)
            if -9.0 + 0.05 * k > epsilon + 1e-12
        )
        assert composed.delta(epsilon, up=False) <= truth * (1 + 1e-10)
        assert composed.delta(epsilon, up=True) >= truth * (1 - 1e-10)
        assert composed.delta(epsilon, up=True) <= truth * (1 + 1e-6)
