"""Discrete Gaussian losses: masses against enclosures, compositions against exact enumeration."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_poly

from shoal.exact import at_precision, ball
from shoal.loss import DiscreteNormalLoss, LossDistribution
from shoal.loss.cells import RELATIVE_ERROR
from shoal.loss.discrete_normal import _block_masses
from shoal.measures import gaussian_epsilon_up

SMALLEST = 1e-25


def law(square: Fraction, reach: int) -> list[arb]:
    """Probabilities of -reach .. reach, at the precision in force."""
    weights = [ball(-Fraction(y * y) / (2 * square)).exp() for y in range(-reach, reach + 1)]
    whole = sum(weights, arb(0))
    return [weight / whole for weight in weights]


def enumerated(square: Fraction, shift: int, copies: int, epsilon: Fraction) -> float:
    """Delta of so many releases: the loss of all of them depends on the sum of the noises alone."""

    def exact() -> arb:
        reach = math.ceil(16 * math.sqrt(square)) + shift
        sums = (arb_poly(law(square, reach)) ** copies).coeffs()
        delta = arb(0)
        for place, mass in enumerate(sums):
            loss = Fraction(shift) * (copies * shift + 2 * (place - copies * reach)) / (2 * square)
            if loss > epsilon:
                delta += mass * -ball(epsilon - loss).expm1()
        return delta

    return float(at_precision(200, lambda: exact().mid()))


@pytest.mark.slow
@pytest.mark.parametrize(("square", "shift"), [("1/5", 1), ("1", 1), ("2", 3), ("25", 4)])
@pytest.mark.parametrize("copies", [1, 2, 5])
def test_compositions_cost_what_enumeration_says(square: str, shift: int, copies: int) -> None:
    exact = Fraction(square)
    losses = LossDistribution.of(DiscreteNormalLoss(shift, float(exact))).times(copies)
    typical = Fraction(shift * shift) / (2 * exact) * copies
    for epsilon in (Fraction(0), typical / 3, typical, 2 * typical):
        truth = enumerated(exact, shift, copies, epsilon)
        found = losses.delta(epsilon=epsilon)
        assert found.low <= truth * (1 + 1e-9)
        assert truth * (1 - 1e-9) <= found.high <= truth * (1 + 1e-4) + 1e-20


@pytest.mark.parametrize("square", ["1/50", "1/5", "1", "7.3", "100"])
def test_masses_are_far_within_the_error_that_is_paid_for(square: str) -> None:
    exact = Fraction(square)
    reach = math.ceil(14 * math.sqrt(exact)) + 2
    source = DiscreteNormalLoss(1, float(exact))
    found = source._masses(np.arange(-reach, reach + 1.0))
    truth = at_precision(200, lambda: [float(mass.mid()) for mass in law(exact, 3 * reach)])
    beside = truth[2 * reach : -2 * reach]
    assert np.abs(found / np.array(beside) - 1).max() < RELATIVE_ERROR / 4


@pytest.mark.parametrize("start", [-40_000, -3, 0, 19_000, 81_001])
@pytest.mark.parametrize("count", [1, 2, 17, 300, 40_000])
def test_blocks_of_many_atoms_have_the_sum_of_their_masses(start: int, count: int) -> None:
    sigma = 20_000.0
    places = np.arange(start, start + count)
    truth = math.fsum(np.exp(-((places / sigma) ** 2) / 2)) / (sigma * math.sqrt(2 * math.pi))
    found = _block_masses(np.array([start, start + count], dtype=float), sigma)[0]
    assert abs(found / truth - 1) < RELATIVE_ERROR


@pytest.mark.parametrize("square", [10**7, 10**9, 10**14])
def test_a_fine_lattice_costs_what_the_line_does(square: int) -> None:
    shift = math.isqrt(square) // 2
    found = LossDistribution.of(DiscreteNormalLoss(shift, float(square))).times(4)
    bracket = found.epsilon(delta="1e-6")
    truth = float(gaussian_epsilon_up(Fraction(2 * shift) / math.isqrt(square), "1e-6"))
    assert bracket.low - 1e-3 <= truth <= bracket.high + 1e-3
    assert bracket.width < 1e-3


def test_listed_atoms_and_blocks_agree() -> None:
    source = DiscreteNormalLoss(40, 1000.0)
    ends = np.linspace(-4, 5, 91)
    listed = source._blocks(np.arange(-120.0, 130, 10))
    assert listed == pytest.approx(
        _block_masses(np.arange(-120.0, 130, 10), math.sqrt(1000)), rel=1e-6
    )
    mass, other = source.between(ends)
    middle = np.exp(ends[:-1])
    assert (mass >= other * middle * (1 - 1e-12)).all()
    assert (mass <= other * np.exp(ends[1:]) * (1 + 1e-12)).all()


def test_a_longer_shift_needs_more_at_every_epsilon() -> None:
    for epsilon in (0, "0.3", 1, 3):
        found = [
            LossDistribution.of(DiscreteNormalLoss(shift, 3.0)).delta(epsilon=epsilon)
            for shift in (1, 2, 3)
        ]
        assert found[0].high <= found[1].low * (1 + 1e-9)
        assert found[1].high <= found[2].low * (1 + 1e-9)


def test_tails_are_as_small_as_they_are_said_to_be() -> None:
    for square in (0.3, 2.0, 50.0):
        cells = DiscreteNormalLoss(1, square).cells(0.01, 1e-6)
        assert 1 - 2e-6 <= cells.mass.sum() <= 1 + 1e-12
