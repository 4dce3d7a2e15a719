"""Both questions are answered from one family of enclosures, so that the way back from an epsilon
meets its delta.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.exact import Number
from shoal.loss import AtomicLoss, BoundedRangeLoss, LaplaceLoss, NormalLoss, SampledNormalLoss
from shoal.loss.bracket import Bracket
from shoal.loss.delta_levels import LevelledSum, level_of
from shoal.loss.direction import Direction
from shoal.loss.distribution import LossDistribution, _asked_back
from shoal.loss.loss_sources import Sources
from shoal.loss.smoothed_payoff import NormalKernel


@dataclass(frozen=True)
class Rough:
    """The profile e^-epsilon, known within a share on either side."""

    share: float
    made_for: float

    @property
    def bracket(self) -> Bracket:
        found = self.epsilon(self.made_for)
        assert found is not None
        return found

    def most(self, epsilon: float) -> float:
        return math.exp(-epsilon) * (1 + self.share)

    def least(self, epsilon: float) -> float:
        return math.exp(-epsilon) * (1 - self.share)

    def epsilon(self, delta: float) -> Bracket | None:
        low, high = (math.log((1 + side * self.share) / delta) for side in (-1, 1))
        return Bracket(low, math.nextafter(high, math.inf) + 1e-12)


class RoughSum(LevelledSum):
    """Every level knows the profile as badly as it happens to."""

    def _passes(self, delta: float, tolerance: float) -> Iterator[Rough]:
        yield Rough(0.3 * math.sin(12.9 * math.log2(delta)) ** 2, delta)

    def _coarse(self, delta: float) -> Rough:
        return Rough(0.5, delta)

    def _about(self, epsilon: float) -> float:
        return 1.7 * math.exp(-epsilon)


@given(st.floats(1e-12, 0.4))
def test_delta_is_not_above_the_one_an_epsilon_was_found_for(delta: float) -> None:
    found = RoughSum(()).epsilon(delta)
    assert found is not None
    back = RoughSum(()).delta(found.high, found.high)
    assert back is not None
    assert back.low <= math.exp(-found.high) <= back.high <= delta


@given(st.floats(1e-12, 0.4), st.floats(0.5, 3))
def test_what_lies_below_a_floor_is_told_as_the_floor_and_nothing_else_is(
    delta: float, times: float
) -> None:
    needed = RoughSum(()).epsilon(delta, floor=times * -math.log(delta))
    assert needed is not None
    assert needed.high >= -math.log(delta)
    told = RoughSum(()).delta(-math.log(delta), -math.log(delta), floor=times * delta)
    assert told is not None
    assert told.high >= delta * (1 - 1e-9)


@pytest.mark.parametrize("delta", [1.0, 0.75, 0.5, 0.3, 2.0**-40, 1e-300])
def test_a_level_reaches_from_one_power_of_two_to_the_next(delta: float) -> None:
    assert 2.0 ** level_of(delta) <= delta < 2.0 ** (level_of(delta) + 1)


def test_an_epsilon_gives_way_until_its_delta_fits() -> None:
    def delta_at(*, epsilon: Number) -> Bracket:
        return Bracket(0.0, 0.5 if float(epsilon) > 1 + 1e-9 else 0.6)

    found = _asked_back(Bracket(0.9, 1.0), 0.5, delta_at)
    assert found is not None
    assert found.low == 0.9
    assert 1 + 1e-9 < found.high < 1 + 1e-7
    assert _asked_back(Bracket(0.9, 1.0), 0.5, lambda *, epsilon: None) is None
    assert _asked_back(Bracket(0.9, 1.0), 0.4, delta_at) is None


RESPONSE = AtomicLoss(((0.3, 1 / (1 + math.exp(-0.3))), (-0.3, 1 / (1 + math.exp(0.3)))), unit=0.6)
SUMS: list[Sources] = [
    ((NormalLoss(0.5), 1), (LaplaceLoss(0.3), 5)),
    ((LaplaceLoss(0.2), 30),),
    ((BoundedRangeLoss(0.4), 30),),
    ((SampledNormalLoss(0.01, 1.0, True), 4),),
    ((RESPONSE, 50), (LaplaceLoss(0.2), 3)),
]


@pytest.mark.parametrize("sources", SUMS, ids=str)
@pytest.mark.parametrize("delta", [3e-4, 1.1e-7])
def test_every_road_leads_back(sources: Sources, delta: float) -> None:
    found = Direction(sources).epsilon(delta, 1e-4)
    assert found.width <= 1e-4
    there = LossDistribution(((((1, 1),), sources),)).epsilon(delta=delta)
    assert LossDistribution(((((1, 1),), sources),)).delta(epsilon=there.high).high <= delta
    assert found.low <= there.high <= found.high + 1e-9


# the kernel of a sharpened line


@pytest.mark.parametrize("mu", [0.01, 0.3])
@pytest.mark.parametrize("order", [0.5, 2.0, 9.0])
def test_the_kernel_is_one_more_release_of_gaussian_noise(mu: float, order: float) -> None:
    x = np.linspace(-12, 12, 4001)
    chances = np.exp(-x * x / 2) / np.exp(-x * x / 2).sum()
    losses = mu * x + mu**2 / 2
    grown = float(chances @ np.exp(order * losses))
    found = NormalKernel(mu).payoff(np.array([order + 0j]))[0].real
    assert found == pytest.approx(grown / (order * (1 + order)), rel=1e-9)


@pytest.mark.parametrize("frequency", [30.0, 100.0, 400.0])
def test_terms_beyond_a_frequency_are_within_their_bound(frequency: float) -> None:
    kernel, tilt, spacing = NormalKernel(0.02), 3.0, 0.5
    turns = frequency + spacing * np.arange(1, 20_000)
    terms = np.abs(kernel.payoff((tilt + 1j * turns).astype(np.complex128))) * spacing / math.pi
    assert 0 < float(terms.sum()) <= kernel.payoff_beyond(tilt, frequency)


def test_a_bound_beyond_the_floats_is_infinite() -> None:
    assert NormalKernel(0.5).payoff_beyond(200.0, 1.0) == math.inf
