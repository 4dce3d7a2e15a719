"""The largest of several profiles is held, by itself and in composition, against exact sums over
all atoms.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from shoal.loss import (
    AtomicLoss,
    DiscreteNormalLoss,
    LaplaceLoss,
    LargestLoss,
    LossDistribution,
    LossSource,
    NormalLoss,
)
from shoal.loss.largest import HasRanges
from shoal.loss.loss_sources import Sources

Law = tuple[tuple[Fraction, Fraction], ...]
"""(P, Q) of each outcome."""

SHARP: Law = ((Fraction(3, 10), Fraction(1, 10)), (Fraction(6, 10), Fraction(6, 10)))
SHARP = (*SHARP, (Fraction(1, 10), Fraction(3, 10)))
WIDE: Law = ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3)))


def _loss(law: Law) -> AtomicLoss:
    return AtomicLoss(tuple((math.log(p / q), float(p)) for p, q in law))


def _alone(source: LossSource) -> Sources:
    return ((source, 1),)


def _delta(law: Law, grown: Fraction) -> Fraction:
    """The delta at e^epsilon."""
    return sum((max(Fraction(0), p - grown * q) for p, q in law), Fraction(0))


def _largest_law(*laws: Law) -> Law:
    """The outcomes of the pair whose profile is the largest: its profile is linear between kinks,
    which are ratios or crossings.
    """
    kinks = {p / q for law in laws for p, q in law}
    kinks |= {crossing for one, other in product(laws, laws) for crossing in _crossings(one, other)}
    places = sorted(kinks)

    def most(x: Fraction) -> Fraction:
        return max(_delta(law, x) for law in laws)

    ends = [Fraction(0), *places, places[-1] + 1]
    slopes = [(most(a) - most(b)) / (b - a) for a, b in pairwise(ends)]
    drops = [before - after for before, after in pairwise(slopes)]
    return tuple((x * drop, drop) for x, drop in zip(places, drops, strict=True) if drop)


def _crossings(one: Law, other: Law) -> list[Fraction]:
    places = sorted({p / q for law in (one, other) for p, q in law})
    found = []
    for a, b in pairwise(places):
        left, right = (_delta(one, x) - _delta(other, x) for x in (a, b))
        if left * right < 0:
            found.append(a + (b - a) * left / (left - right))
    return found


def _several(law: Law, times: int, grown: Fraction) -> Fraction:
    total = Fraction(0)
    for outcomes in product(law, repeat=times):
        p, q = (math.prod(outcome[k] for outcome in outcomes) for k in (0, 1))
        total += max(Fraction(0), p - grown * q)
    return total


def test_the_largest_of_two_profiles_is_one_law() -> None:
    law = _largest_law(SHARP, WIDE)
    assert sum(p for p, _ in law) == sum(q for _, q in law) == 1
    for x in (Fraction(n, 10) for n in range(1, 40)):
        assert _delta(law, x) == max(_delta(SHARP, x), _delta(WIDE, x))
    assert any(_delta(SHARP, x) > _delta(WIDE, x) for x in (Fraction(5, 2),))
    assert any(_delta(SHARP, x) < _delta(WIDE, x) for x in (Fraction(1),))


@pytest.mark.parametrize(
    "grown", [Fraction(11, 10), Fraction(3, 2), Fraction(9, 4), Fraction(28, 10)]
)
def test_one_release_needs_the_largest_delta_of_its_ways(grown: Fraction) -> None:
    losses = LossDistribution.of(LargestLoss((_alone(_loss(SHARP)), _alone(_loss(WIDE)))))
    found = losses.delta(epsilon=math.log(grown))
    exact = float(max(_delta(SHARP, grown), _delta(WIDE, grown)))
    assert found.low <= exact * (1 + 1e-12)
    assert found.high >= exact * (1 - 1e-12)
    assert found.width < 1e-9


@pytest.mark.parametrize("times", [2, 3, 4])
@pytest.mark.parametrize("grown", [Fraction(12, 10), Fraction(5, 2), Fraction(7)])
def test_several_releases_need_what_the_largest_law_needs(times: int, grown: Fraction) -> None:
    source = LargestLoss((_alone(_loss(SHARP)), _alone(_loss(WIDE))))
    assert source.can_be_cut
    found = LossDistribution.of(source).times(times).delta(epsilon=math.log(grown))
    exact = float(_several(_largest_law(SHARP, WIDE), times, grown))
    assert found.high >= exact * (1 - 1e-12)
    assert found.high <= exact * 1.002


@pytest.mark.parametrize("grown", [Fraction(12, 10), Fraction(2), Fraction(5), Fraction(7)])
def test_a_second_part_chosen_in_view_of_the_first_answer_is_covered(grown: Fraction) -> None:
    laws = (SHARP, WIDE)
    worst = max(
        sum(max(p * _delta(second, grown * q / p) for second in laws) for p, q in first)
        for first in laws
    )
    source = LargestLoss((_alone(_loss(SHARP)), _alone(_loss(WIDE))))
    found = LossDistribution.of(source).times(2).delta(epsilon=math.log(grown))
    assert found.high >= float(worst) * (1 - 1e-12)


@pytest.mark.parametrize(
    "ways",
    [
        (NormalLoss(1.0), LaplaceLoss(4.0)),
        (NormalLoss(0.1), LaplaceLoss(0.2)),
        (DiscreteNormalLoss(1, 4.0), LaplaceLoss(1.0), NormalLoss(0.3)),
    ],
)
def test_the_twin_above_is_above_every_profile_at_every_point(ways: tuple[LossSource, ...]) -> None:
    source = LargestLoss(tuple(_alone(way) for way in ways))
    cells = source.cells(0.003, 1e-12)
    twin = cells.pessimistic()
    losses = twin.origin + twin.step * np.arange(len(twin.weights))
    for epsilon in np.linspace(-3, 3, 61):
        over = -np.expm1(np.minimum(0.0, epsilon - losses))
        above = twin.infinite + float(twin.weights @ over)
        needed = max(_tail_delta(way, float(epsilon)) for way in ways)
        assert above >= needed * (1 - 1e-12)
        assert above <= needed + 1e-4
    assert twin.weights.sum() + twin.infinite == pytest.approx(1, abs=1e-8)


def _tail_delta(way: LossSource, epsilon: float) -> float:
    assert isinstance(way, HasRanges)
    mass, other = way.between(np.array([epsilon, np.inf]))
    return float(mass[0]) - math.exp(epsilon) * float(other[0])


@pytest.mark.slow
def test_two_ways_that_floats_cannot_tell_apart_cost_an_infinite_loss_and_not_a_smaller_delta() -> (
    None
):
    one, other = LaplaceLoss(1.0), AtomicLoss(_fine_laplace(400_000))
    cells = LargestLoss((_alone(one), _alone(other))).cells(0.01, 1e-12)
    assert 0 < cells.infinite < 1e-2
    needed = LargestLoss((_alone(one),)).cells(0.01, 1e-12)
    assert needed.infinite == 0


def _fine_laplace(steps: int) -> tuple[tuple[float, float], ...]:
    places = np.arange(1, steps)
    fall = math.exp(-1 / steps)
    masses = -math.expm1(-1 / steps) / (1 + fall) * np.exp(-places / steps)
    inner = zip((1 - 2 * places / steps).tolist(), masses.tolist(), strict=True)
    return ((1.0, 1 / (1 + fall)), *inner, (-1.0, math.exp(-1) / (1 + fall)))


def test_sums_are_told_by_themselves_and_have_no_cells() -> None:
    several = LargestLoss((((LaplaceLoss(0.1), 20),), _alone(NormalLoss(0.5))))
    assert not several.can_be_cut
    found = LossDistribution.of(several).epsilon(delta="1e-6")
    parts = [
        LossDistribution.of(LaplaceLoss(0.1)).times(20).epsilon(delta="1e-6"),
        LossDistribution.of(NormalLoss(0.5)).epsilon(delta="1e-6"),
    ]
    assert found.low == max(part.low for part in parts)
    assert found.high == max(part.high for part in parts)
