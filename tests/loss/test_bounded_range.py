"""The loss that stands for every choice of bounded range."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.loss import AtomicLoss, BoundedRangeLoss, LossDistribution


def two_losses(epsilon: float, top: float) -> LossDistribution:
    """The worst pair whose losses are ``top`` and ``top - epsilon``, both ways."""
    chance = (math.exp(epsilon) - math.exp(top)) / math.expm1(epsilon)
    other = chance * math.exp(-top)
    removed = AtomicLoss(((top, chance), (top - epsilon, 1 - chance)), unit=epsilon)
    added = AtomicLoss(((-top, other), (epsilon - top, 1 - other)), unit=epsilon)
    return LossDistribution.of(removed, added)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_one_release_needs_the_largest_delta_of_all_pairs(epsilon: float) -> None:
    losses = LossDistribution.of(BoundedRangeLoss(epsilon))
    for target in np.linspace(0, epsilon * 0.99, 5):
        closed = (math.exp(epsilon / 2) - math.exp(target / 2)) ** 2 / math.expm1(epsilon)
        tops = np.linspace(0, epsilon, 2001)[1:-1]
        chances = (math.exp(epsilon) - np.exp(tops)) / math.expm1(epsilon)
        pairs = chances * -np.expm1(np.minimum(target - tops, 0))
        found = losses.delta(epsilon=float(target))
        assert pairs.max() == pytest.approx(closed, rel=1e-4)
        assert found.low <= closed * (1 + 1e-9)
        assert closed * (1 - 1e-9) <= found.high <= closed * 1.01 + 1e-9


@pytest.mark.slow
@given(
    st.lists(st.floats(0.05, 0.95), min_size=2, max_size=4),
    st.sampled_from([0.3, 1.0, 2.5]),
    st.floats(0, 2),
)
def test_no_composition_of_pairs_needs_more(
    shares: list[float], epsilon: float, target: float
) -> None:
    whole = LossDistribution()
    for share in shares:
        whole = whole.compose(two_losses(epsilon, share * epsilon))
    most = LossDistribution.of(BoundedRangeLoss(epsilon)).times(len(shares))
    assert whole.delta(epsilon=target).low <= most.delta(epsilon=target).high * (1 + 1e-9) + 1e-15


def test_choices_may_depend_on_answers() -> None:
    # After a first answer the second pair is chosen to do most harm; the envelope still covers
    # both.
    epsilon, target = 1.0, 0.8
    tops = np.linspace(0.01, 0.99, 99)

    def needed(rest: float, top: float) -> float:
        chance = (math.exp(epsilon) - math.exp(top)) / math.expm1(epsilon)
        losses = ((top, chance), (top - epsilon, 1 - chance))
        return sum(mass * max(0.0, -math.expm1(rest - loss)) for loss, mass in losses)

    def then_worst(top: float) -> float:
        chance = (math.exp(epsilon) - math.exp(top)) / math.expm1(epsilon)
        after = [max(needed(target - loss, second) for second in tops) for loss in (top, top - 1)]
        return chance * after[0] + (1 - chance) * after[1]

    adaptive = max(then_worst(top) for top in tops)
    fixed = max(
        chance * needed(target - top, second) + (1 - chance) * needed(target - top + 1, second)
        for top in tops
        for second in tops
        for chance in [(math.e - math.exp(top)) / (math.e - 1)]
    )
    covered = LossDistribution.of(BoundedRangeLoss(epsilon)).times(2).delta(epsilon=target)
    assert fixed <= adaptive <= covered.high


def test_it_needs_less_than_randomized_response() -> None:
    truth = 1 / (1 + math.exp(-0.5))
    response = LossDistribution.of(AtomicLoss(((0.5, truth), (-0.5, 1 - truth)), unit=1.0))
    choice = LossDistribution.of(BoundedRangeLoss(0.5))
    assert (
        choice.times(20).epsilon(delta="1e-6").high < response.times(20).epsilon(delta="1e-6").low
    )
    assert choice.epsilon(delta=0).high == pytest.approx(0.5)
