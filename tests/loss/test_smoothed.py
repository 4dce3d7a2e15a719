"""The smoothed sum encloses what closed forms, sums over all outcomes and the contour tell."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx

from shoal.accounting import account
from shoal.loss import (
    AtomicLoss,
    BoundedRangeLoss,
    DiscreteNormalLoss,
    LaplaceLoss,
    MixtureNormalLoss,
    NormalLoss,
    SampledLoss,
    SampledNormalLoss,
    sampled_atoms,
)
from shoal.loss.direction import Direction
from shoal.loss.fine_cells import FINE_ERROR, HasInner, Twin, twins
from shoal.loss.inversion_search import can_smooth
from shoal.loss.loss_sources import Sources
from shoal.loss.smoothed_payoff import EDGE_SHARE, ORDER, PEAK_SHARE, WIDEST, Kernel
from shoal.loss.smoothed_sum import SmoothedSum

# the kernel


def above(place: Fraction) -> Fraction:
    """E (V - place)_+ for V the sum of eight numbers uniform within ±1."""
    return _spline(-place, ORDER + 1)


def density(place: Fraction) -> Fraction:
    """The density of 2 V."""
    return _spline(place / 2, ORDER - 1) / 2


def _spline(place: Fraction, power: int) -> Fraction:
    total = Fraction(0)
    for k in range(ORDER + 1):
        within = max(Fraction(0), place + ORDER - 2 * k)
        total += Fraction((-1 if k % 2 else 1) * math.comb(ORDER, k)) * within**power
    return total / Fraction(2**ORDER * math.factorial(power))


def test_the_bump_covers_what_smoothing_adds() -> None:
    for here, there in pairwise(Fraction(k, 100) for k in range(801)):
        assert above(here) <= Fraction(PEAK_SHARE) * density(there)  # both fall
    last = ORDER + Fraction(Kernel(WIDEST).shift / WIDEST) + Fraction(1, 10**6)
    assert Fraction(EDGE_SHARE) * density(last) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("width", [1e-4, 3e-3, WIDEST])
def test_the_smoothed_payoff_lies_between_the_payoff_and_the_bump_above_it(width: float) -> None:
    kernel = Kernel(width)
    grid = np.linspace(-ORDER, ORDER, 2001)
    chances = np.array(
        [float(_spline(Fraction(u), ORDER - 1)) for u in grid[:-1] + np.diff(grid) / 2]
    )
    moved = (grid[:-1] + np.diff(grid) / 2) * width - kernel.shift
    chances /= chances.sum()
    places = np.linspace(-9, 9, 181) * width
    bump = [float(density(Fraction(y / width))) / width for y in places]
    size = width * (PEAK_SHARE * width * math.exp(ORDER * width) + EDGE_SHARE * kernel.shift)
    for y, top in zip(places, bump, strict=True):
        payoff = max(0.0, -math.expm1(-y))
        smoothed = float(chances @ np.maximum(0.0, -np.expm1(moved - y)))
        assert payoff - 1e-5 * width <= smoothed <= payoff + size * top + 1e-5 * width


# the twins

PAIRS: list[HasInner] = [
    LaplaceLoss(0.7),
    LaplaceLoss(5.0),
    SampledNormalLoss(1e-2, 1.0, True),
    SampledNormalLoss(1e-2, 1.0, False),
    SampledNormalLoss(1e-5, 2.0, True),
    SampledNormalLoss(0.5, 0.3, False),
    SampledLoss(LaplaceLoss(1.0), 0.01, True),
    SampledLoss(LaplaceLoss(2.0), 0.3, False),
    SampledLoss(DiscreteNormalLoss(1, 2.0), 0.05, True),
    SampledLoss(DiscreteNormalLoss(2, 9.0), 0.2, False),
    SampledLoss(BoundedRangeLoss(1.5), 0.1, True),
    MixtureNormalLoss(((0.0, 0.9801), (1.0, 0.0198), (2.0, 1e-4)), ((0.0, 1.0),)),
    MixtureNormalLoss(((0.0, 1.0),), ((0.0, 0.9801), (1.0, 0.0198), (2.0, 1e-4))),
    MixtureNormalLoss(((0.0, 0.9), (1.5, 0.1)), ((0.0, 0.8), (1.5, 0.2))),
]


def delta_of(twin: Twin, epsilon: float) -> float:
    losses = np.append(twin.nodes, twin.lattice)
    masses = np.append(twin.masses, twin.weights)
    return float(masses @ np.maximum(0.0, -np.expm1(epsilon - losses)))


@pytest.mark.parametrize("source", PAIRS, ids=str)
def test_one_release_lies_between_its_twins(source: HasInner) -> None:
    for share, step in [(0.1, 0.01), (0.03, 1e-3)]:
        pessimistic, optimistic = twins(source, share, step, 1e-14)
        for epsilon in (0.0, 1e-4, 0.003, 0.05, 0.4, 1.3):
            exact = source.delta_alone(Fraction(epsilon), Fraction(epsilon))  # type: ignore[attr-defined]
            assert exact.low <= delta_of(pessimistic, epsilon) * (1 + 1e-11) + 1e-13
            assert delta_of(optimistic, epsilon) <= exact.high * (1 + 1e-11) + 1e-13


def test_masses_of_fine_cells_are_as_exact_as_is_said() -> None:
    source = SampledNormalLoss(1e-3, 1.4, True)
    ends = np.linspace(-9, 10, 476)
    mixed, plain = source.masses(ends)
    before, ctx.prec = ctx.prec, 200
    try:
        for k in range(0, 475, 7):
            for mass, rate in ((mixed[k], 1e-3), (plain[k], 0.0)):
                exact = _normal_mass(ends[k], ends[k + 1], 0.0) * (1 - arb(rate))
                exact += _normal_mass(ends[k], ends[k + 1], source.mu) * arb(rate)
                assert abs(float(arb(float(mass)) / exact - 1)) <= FINE_ERROR
    finally:
        ctx.prec = before


def _normal_mass(low: float, high: float, mean: float) -> arb:
    root = arb(2).sqrt()
    ends = [(arb(float(end)) - arb(mean)) / root for end in (low, high)]
    if ends[0] > 0:
        return (ends[0].erfc() - ends[1].erfc()) / 2
    return ((-ends[1]).erfc() - (-ends[0]).erfc()) / 2


# brackets


RESPONSE = AtomicLoss(((1.0, 1 / (1 + math.exp(-1))), (-1.0, 1 / (1 + math.exp(1)))), unit=2.0)

KNOWN: list[tuple[Sources, float]] = [
    (((SampledNormalLoss(0.01, 1.0, True), 1000),), 1e-6),
    (((SampledNormalLoss(0.01, 1.0, False), 1000),), 1e-6),
    (((SampledNormalLoss(0.2, 0.5, True), 60),), 1e-9),
    (((SampledNormalLoss(0.01, 1.0, True), 200), (NormalLoss(0.4), 1)), 1e-5),
    (((RESPONSE, 200),), 1e-6),
    (((sampled_atoms(RESPONSE, 0.1, removed=True), 300),), 1e-7),
    (((sampled_atoms(RESPONSE, 0.1, removed=False), 300),), 1e-7),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sources", "delta"), KNOWN, ids=str)
def test_other_roads_lead_into_the_bracket(sources: Sources, delta: float) -> None:
    assert can_smooth(sources)
    known = Direction(sources).quick_epsilon(delta)
    assert known is not None
    found = SmoothedSum(sources).epsilon(delta, 1e-4)
    assert found is not None
    assert found.low <= known.high
    assert known.low <= found.high
    assert found.width <= 1e-4
    there = SmoothedSum(sources).delta(known.low, known.low)
    assert there is not None
    assert there.low <= delta * (1 + 1e-9)
    assert delta * (1 - 1e-9) <= there.high <= delta * 1.01


@pytest.mark.parametrize(
    ("text", "delta", "about"),
    [
        ("gaussian sigma=0.7 | sampled q=1e-4 | x 600000", 1e-6, 0.86229),
        ("gaussian sigma=1 | sampled q=1e-5 | x 100000", 1e-6, 0.0131215),
        ("gaussian sigma=0.7 | sampled q=1e-6 | x 1000000", 1e-8, 0.0110305),
        ("gaussian sigma=0.5 | sampled q=3e-5 | x 50000", 1e-7, 1.82801),
        ("gaussian sigma=1 | sampled q=0.01 | x 2", 1e-6, 0.42544),
        ("gaussian sigma=1 | sampled q=0.01 | x 5", 1e-6, 0.51579),
        ("gaussian sigma=1 | sampled q=0.01 | x 70", 1e-6, 0.878205),
        ("discrete_gaussian sigma=1 | sampled q=0.01 | x 400", 1e-6, 1.45114),
        ("laplace scale=1 steps=1000000000 | sampled q=0.01 | x 400", 1e-6, 0.79412),
    ],
)
def test_small_samples_have_narrow_brackets(text: str, delta: float, about: float) -> None:
    bound = account(text).epsilon(delta=delta)
    assert bound.lower is not None
    assert bound.lower <= about + 3e-5
    assert about - 3e-5 <= bound.epsilon <= bound.lower + Fraction(1, 10**4)


def by_an_integral(rate: float, sigma: float, steps: int, epsilon: float) -> float:
    """delta of a sampled Gaussian by the inverse transform at order 16, all of it in plain floats:
    no cells, no kernel.
    """
    x = np.linspace(-12, 13, 2501)
    chances = np.exp(-x * x / 2) * (x[1] - x[0]) / math.sqrt(2 * math.pi)
    losses = np.log1p(rate * np.expm1(x / sigma - 1 / (2 * sigma**2)))
    turns = np.linspace(0, 4000, 4001)
    orders = 16 + 1j * turns
    powers = np.empty(len(turns), dtype=complex)
    for part in np.array_split(np.arange(len(turns)), 40):
        exponents = np.outer(1 + orders[part], losses)
        turned = -2 * np.sin(exponents.imag / 2) ** 2 + 1j * np.sin(exponents.imag)
        powers[part] = (np.expm1(exponents.real) + np.exp(exponents.real) * turned) @ chances
    terms = np.exp(steps * np.log1p(powers) - orders * epsilon) / (orders * (1 + orders))
    terms[0] /= 2
    return float(terms.real.sum() * turns[1] / math.pi)


@pytest.mark.slow
def test_a_plain_integral_leads_into_the_bracket() -> None:
    found = account("gaussian sigma=1 | sampled q=1e-5 | x 100000").epsilon(delta=1e-6)
    assert found.lower is not None
    assert by_an_integral(1e-5, 1.0, 100_000, float(found.lower)) >= 1e-6 * (1 - 1e-6)
    assert by_an_integral(1e-5, 1.0, 100_000, float(found.epsilon)) <= 1e-6 * (1 + 1e-6)


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("rr p=0.5 categories=10 | x 5", 1e-6),
        ("geometric scale=5 sensitivity=2 | x 12", 1e-6),
        ("geometric scale=4 | group 3 | x 6", 1e-6),
        (
            "(rr p=0.5 categories=10 | x 3) + (rr p=0.6 categories=4 | x 4) + (rr p=0.7 categories=3 | x 4)",
            1e-5,
        ),
    ],
)
def test_few_values_are_added_up_one_by_one(text: str, delta: float) -> None:
    bound = account(text).epsilon(delta=delta)
    assert bound.lower is not None
    assert 0 < bound.epsilon - bound.lower <= Fraction(1, 10**9)


def test_more_steps_larger_samples_and_less_noise_never_cost_less() -> None:
    def bracket(rate: float, sigma: float, steps: int, delta: float) -> tuple[float, float]:
        found = account(f"gaussian sigma={sigma} | sampled q={rate} | x {steps}").epsilon(
            delta=delta
        )
        assert found.lower is not None
        return float(found.lower), float(found.epsilon)

    base = (1e-4, 0.8, 20_000, 1e-6)
    low, _ = bracket(*base)
    for worse in [
        (2e-4, 0.8, 20_000, 1e-6),
        (1e-4, 0.7, 20_000, 1e-6),
        (1e-4, 0.8, 40_000, 1e-6),
        (1e-4, 0.8, 20_000, 1e-7),
    ]:
        assert bracket(*worse)[1] >= low


def delta_of_two_laplaces(first: float, second: float, epsilon: float) -> float:
    """The mean over the loss of the first of what the second needs: elementary between corners."""

    def alone(e: float) -> float:
        if e >= second:
            return 0.0
        return -math.expm1((e - second) / 2) if e > -second else -math.expm1(e)

    corners = [epsilon - second, epsilon + second]
    inside = sorted({-first, first, *(x for x in corners if -first < x < first)})
    nodes, weights = np.polynomial.legendre.leggauss(40)
    total = alone(epsilon - first) / 2 + math.exp(-first) * alone(epsilon + first) / 2
    for low, high in pairwise(inside):
        for node, weight in zip(nodes, weights, strict=True):
            x = (low + high) / 2 + (high - low) / 2 * float(node)
            density = math.exp((x - first) / 2) / 4
            total += float(weight) * (high - low) / 2 * density * alone(epsilon - x)
    return total


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [(1.0, 0.5), (0.3, 0.1), (2.0, 1.7)])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-10])
def test_two_unequal_laplace_losses_against_an_integral(
    first: float, second: float, delta: float
) -> None:
    direction = Direction(((LaplaceLoss(first), 1), (LaplaceLoss(second), 1)))
    found = direction.epsilon(delta, 1e-4)
    assert found.width < 1e-4
    # an absolute error of the sum above is far below 1e-14
    assert delta_of_two_laplaces(first, second, found.high) <= delta + 1e-14
    assert delta_of_two_laplaces(first, second, found.low) >= delta - 1e-14
