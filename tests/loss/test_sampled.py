"""Losses from a Poisson sample: against enumeration, against integrals, and by two roads."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

from shoal.loss import (
    AtomicLoss,
    BoundedRangeLoss,
    DiscreteNormalLoss,
    LaplaceLoss,
    LossDistribution,
    LossPair,
    LossSource,
    SampledLoss,
    SampledNormalLoss,
    sampled_atoms,
)
from shoal.loss.grid_sums import GridSum

Pairs = list[tuple[float, float]]


def both(pair: LossPair, rate: float) -> LossDistribution:
    return LossDistribution.of(SampledLoss(pair, rate, True), SampledLoss(pair, rate, False))


def enumerated(pairs: Pairs, rate: float, copies: int, epsilon: float) -> float:
    """Delta of so many releases from independent samples, both ways, point by point."""
    mixed = [((1 - rate) * q + rate * p, q) for p, q in pairs]
    gain, removed, added = math.exp(epsilon), [], []
    for chosen in product(mixed, repeat=copies):
        p, q = math.prod(one for one, _ in chosen), math.prod(one for _, one in chosen)
        removed.append(max(0.0, p - gain * q))
        added.append(max(0.0, q - gain * p))
    return max(math.fsum(removed), math.fsum(added))


def geometric_pairs(scale: float, steps: int) -> Pairs:
    x = np.arange(-60, 61 + steps)
    p, q = np.exp(-np.abs(x) / scale), np.exp(-np.abs(x - steps) / scale)
    inside = (x > 0) & (x < steps)
    left, right = x <= 0, x >= steps
    p, q = p * math.tanh(0.5 / scale), q * math.tanh(0.5 / scale)
    kept = [(float(a), float(b)) for a, b in zip(p[inside], q[inside], strict=True)]
    return [*kept, *((float(p[side].sum()), float(q[side].sum())) for side in (left, right))]


def discrete_normal_pairs(square: float, shift: int) -> Pairs:
    x = np.arange(-12 * math.ceil(math.sqrt(square)), 12 * math.ceil(math.sqrt(square)) + shift + 1)
    p, q = np.exp(-(x**2) / (2 * square)), np.exp(-((x - shift) ** 2) / (2 * square))
    return [(float(a), float(b)) for a, b in zip(p / p.sum(), q / q.sum(), strict=True)]


def agrees(losses: LossDistribution, truth: float, epsilon: float) -> None:
    found = losses.delta(epsilon=epsilon)
    assert found.low <= truth * (1 + 1e-9) + 1e-14
    assert truth * (1 - 1e-9) - 1e-14 <= found.high
    assert epsilon < 0.4 or found.high <= truth * 1.02 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.02, 0.4, 0.95])
@pytest.mark.parametrize("copies", [1, 3])
def test_sampled_atoms_cost_what_enumeration_says(rate: float, copies: int) -> None:
    pairs = geometric_pairs(2.0, 3)
    inside = AtomicLoss(tuple((math.log(p / q), p) for p, q in pairs))
    ways = [sampled_atoms(inside, rate, removed=removed) for removed in (True, False)]
    losses = LossDistribution.of(*ways).times(copies)
    for epsilon in (0.0, 0.1, 0.5, 1.2):
        agrees(losses, enumerated(pairs, rate, copies, epsilon), epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.02, 0.4])
@pytest.mark.parametrize(("square", "shift"), [(0.3, 1), (2.0, 2)])
def test_a_sampled_discrete_gaussian_costs_what_enumeration_says(
    rate: float, square: float, shift: int
) -> None:
    losses = both(DiscreteNormalLoss(shift, square), rate).times(2)
    for epsilon in (0.0, 0.05, 0.4, 2.0):
        truth = enumerated(discrete_normal_pairs(square, shift), rate, 2, epsilon)
        agrees(losses, truth, epsilon)


@pytest.mark.parametrize("rate", [0.02, 0.4])
def test_a_sampled_laplace_costs_what_integration_says(rate: float) -> None:
    distance = 1.5

    def gap(x: float, gain: float, *, removed: bool) -> float:
        q = math.exp(-abs(x)) / 2
        mixed = (1 - rate) * q + rate * math.exp(-abs(x - distance)) / 2
        return max(0.0, mixed - gain * q if removed else q - gain * mixed)

    for epsilon in (0.0, 0.01, 0.2):
        ways = [
            quad(
                lambda x, r=removed, e=epsilon: gap(x, math.exp(e), removed=r),
                -40,
                42,
                points=[0, distance / 2, distance],
                limit=500,
            )[0]
            for removed in (True, False)
        ]
        found = both(LaplaceLoss(distance), rate).delta(epsilon=epsilon)
        assert found.low <= max(ways) + 1e-7
        assert max(ways) - 1e-7 <= found.high <= max(ways) * 1.01 + 1e-6


PAIRS: dict[str, LossPair] = {
    "laplace": LaplaceLoss(0.8),
    "choice": BoundedRangeLoss(0.8),
    "discrete gaussian": DiscreteNormalLoss(2, 3.0),
    "fine discrete gaussian": DiscreteNormalLoss(10**6, 1e12),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))
@pytest.mark.parametrize("removed", [True, False])
def test_masses_are_kept_and_losses_cannot_exceed_the_largest(
    pair: LossPair, removed: bool
) -> None:
    cells = SampledLoss(pair, 0.2, removed).cells(0.003, 1e-20)
    for twin in (cells.pessimistic(), cells.optimistic()):
        assert twin.weights.min() >= 0
        assert twin.weights.sum() + twin.infinite == pytest.approx(1, abs=1e-12)
    largest = SampledLoss(pair, 0.2, removed).largest
    top = cells.origin + cells.step * (len(cells.mass) + 1)
    assert top >= min(largest, top)
    assert pair.largest == math.inf or top <= largest + 2 * cells.step


@pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))
def test_a_pair_and_its_mirror_image_have_the_same_losses(pair: LossPair) -> None:
    ends = np.linspace(-0.777, 0.777, 12)
    mass, other = pair.between(ends)
    mirrored: NDArray[np.floating] = pair.between(-ends[::-1])[1][::-1]
    if pair is not PAIRS["discrete gaussian"]:  # its atoms may lie on ends
        assert mirrored == pytest.approx(mass, rel=1e-4)
    assert (mass + 1e-15 >= other * np.exp(ends[:-1]) * (1 - 1e-9)).all()


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))
@pytest.mark.parametrize("removed", [True, False])
def test_one_release_costs_the_same_by_its_tails_and_on_a_grid(
    pair: LossPair, removed: bool
) -> None:
    source = SampledLoss(pair, 0.3, removed)
    for delta in ("0.05", "1e-3"):
        alone, grid = (
            source.epsilon_alone(Fraction(delta)),
            GridSum(((source, 1),)).epsilon(float(delta), 1e-4),
        )
        assert alone.low <= grid.high + 1e-12
        assert grid.low <= alone.high + 1e-12
        assert alone.width <= 1e-9
        found = source.delta_alone(Fraction(alone.high), Fraction(alone.high))
        assert found.low <= float(delta) * (1 + 1e-9)


def test_a_sample_of_a_fine_lattice_is_a_sample_of_the_line() -> None:
    lattice = both(DiscreteNormalLoss(125 * 10**4, 1e12), 0.01).times(1000)
    line = LossDistribution.of(
        SampledNormalLoss(0.01, 1.25, True), SampledNormalLoss(0.01, 1.25, False)
    ).times(1000)
    one, other = lattice.epsilon(delta="1e-6"), line.epsilon(delta="1e-6")
    assert one.low <= other.high
    assert other.low <= one.high
    assert one.width < 1e-4


def test_many_atoms_approach_the_laplace_law_from_both_sides() -> None:
    steps, epsilon, rate = 200, 1.0, 0.05
    fall = math.exp(-epsilon / steps)
    atoms = [(epsilon, 1 / (1 + fall)), (-epsilon, fall**steps / (1 + fall))]
    atoms += [
        (epsilon * (1 - 2 * x / steps), (1 - fall) / (1 + fall) * fall**x) for x in range(1, steps)
    ]
    ways: list[LossSource] = [
        sampled_atoms(AtomicLoss(tuple(atoms)), rate, removed=removed) for removed in (True, False)
    ]
    lattice = LossDistribution.of(*ways).times(50).epsilon(delta="1e-6")
    blurred = both(LaplaceLoss(epsilon, blur=2 * epsilon / steps), rate).times(50)
    line = both(LaplaceLoss(epsilon), rate).times(50).epsilon(delta="1e-6")
    around = blurred.epsilon(delta="1e-6")
    assert around.low <= lattice.high
    assert lattice.low <= around.high
    assert abs(lattice.high - line.high) < 0.01
