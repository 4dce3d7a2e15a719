"""Sums with a far loss apart from the others: against sums over all atoms, integrals of two
releases, and characteristic functions at 300 bits.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from shoal.loss import AtomicLoss, LossDistribution, SampledNormalLoss
from shoal.loss.direction import Direction
from shoal.loss.far_losses import FarLaws
from shoal.loss.fine_cells import Twin
from shoal.loss.inversion_search import LineSearch
from shoal.loss.line_sums import LineSum
from shoal.loss.smoothed_sum import LevelLines, SmoothedSum
from shoal.loss.summed_laws import Circle, Laws

BITS = 300
MOST_HITS = 6
"""More far losses than this have a chance below (120 * 1e-5)^7 = 4e-21, far below every delta."""


@pytest.fixture(autouse=True)
def _many_bits() -> Any:
    before, ctx.prec = ctx.prec, BITS
    yield
    ctx.prec = before


def exact_delta(atoms: AtomicLoss, copies: int, epsilon: float) -> arb:
    """Delta of so many copies of a loss with three values, as a sum over all of them."""
    (low, p), (high, q), (far, r) = [(arb(loss), arb(mass)) for loss, mass in atoms.atoms]
    total, e = arb(0), arb(epsilon)
    ups, downs = ([arb(1)], [arb(1)])
    for _ in range(copies):
        ups.append(ups[-1] * q)
        downs.append(downs[-1] * p)
    for hits in range(min(copies, MOST_HITS) + 1):
        chance, rest = arb(math.comb(copies, hits)) * r**hits, copies - hits
        for k in range(rest + 1):
            loss = hits * far + k * high + (rest - k) * low - e
            if loss > 0:
                ways = chance * math.comb(rest, k) * ups[k] * downs[rest - k]
                total += ways * (1 - (-loss).exp())
    return total


@st.composite
def heavy_tails(draw: st.DrawFn) -> tuple[AtomicLoss, int, float]:
    """A loss that is nearly always near 0 and rarely far away, copies, and a small delta."""
    near = draw(st.floats(1e-4, 5e-3))
    far, rare = draw(st.floats(0.2, 3.0)), 10.0 ** draw(st.floats(-12, -5))
    up = draw(st.floats(0.2, 0.8))
    atoms = ((-near, 1 - up - rare), (near * draw(st.floats(0.5, 2.0)), up), (far, rare))
    return AtomicLoss(atoms), draw(st.integers(2, 120)), 10.0 ** draw(st.floats(-15, -8))


@pytest.mark.slow
@pytest.mark.law
@examples(25, many=400)
@given(heavy_tails())
def test_the_truth_lies_between_the_ends_however_rare_the_far_loss(
    asked: tuple[AtomicLoss, int, float],
) -> None:
    loss, copies, delta = asked
    found = SmoothedSum(((loss, copies),)).epsilon(delta)
    if found is None:
        return  # another road serves
    assert exact_delta(loss, copies, found.high) <= arb(delta)
    if found.low > 0:
        assert exact_delta(loss, copies, found.low) >= arb(delta)


@pytest.mark.slow
@pytest.mark.parametrize(("rare", "delta"), [(1e-7, 2.0**-30), (1e-9, 2.0**-40), (1e-12, 2.0**-30)])
def test_rare_far_losses_are_heard_below_the_round_off_of_the_bulk(
    rare: float, delta: float
) -> None:
    loss = AtomicLoss(((-0.001, 0.5 - rare), (0.001, 0.5), (1.5, rare)))
    total = SmoothedSum(((loss, 100),))
    above = lines_of(total, delta)
    assert len(above.lines) > 1 or above.left_out is not None
    found = total.epsilon(delta)
    assert found is not None
    assert found.width < 1e-4
    assert exact_delta(loss, 100, found.high) <= arb(delta)
    assert exact_delta(loss, 100, found.low) >= arb(delta)


def lines_of(total: SmoothedSum, delta: float) -> LineSum:
    *_, last = total._passes(delta, 1e-4)
    assert isinstance(last, LevelLines)
    return last.above


def alone(rate: arb, mu: arb, epsilon: arb) -> arb:
    """Delta of one release from a sample, removed, at any epsilon, in closed form."""
    share = (epsilon.exp() - 1 + rate) / rate
    if share <= 0:
        return 1 - epsilon.exp()
    place = share.log() / mu + mu / 2
    above = (place / arb(2).sqrt()).erfc() / 2
    moved = ((place - mu) / arb(2).sqrt()).erfc() / 2
    return (1 - rate) * above + rate * moved - epsilon.exp() * above


def delta_of_two(rate: float, mu: float, epsilon: float) -> arb:
    """The mean over the loss of the first release of what the second one needs: Gauss's rule on
    short intervals, split where the closed form has a corner.
    """
    q, m, e = arb(rate), arb(mu), arb(epsilon)
    corner = float((((e.exp() / (1 - q) - 1 + q) / q).log() / m + m / 2).mid())
    ends = sorted({*np.linspace(-14.0, mu + 14.0, 60), corner})
    nodes, weights = np.polynomial.legendre.leggauss(24)
    total = arb(0)
    for low, high in pairwise(ends):
        for node, weight in zip(nodes, weights, strict=True):
            x = arb(float((low + high) / 2 + (high - low) / 2 * node))
            ratio = 1 - q + q * (m * x - m**2 / 2).exp()
            density = (-(x**2) / 2).exp() / (2 * arb.pi()).sqrt() * ratio
            part = density * alone(q, m, e - ratio.log())
            total += arb(float(weight * (high - low) / 2)) * part
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "sigma", "delta"),
    [(1e-6, 0.8, 1e-13), (1e-4, 1.0, 1e-14), (3e-7, 0.45, 1e-12), (1e-5, 0.7, 1e-10)],
)
def test_two_releases_from_tiny_samples_against_an_integral(
    rate: float, sigma: float, delta: float
) -> None:
    source = SampledNormalLoss(rate, 1 / sigma, removed=True)
    found = Direction(((source, 2),)).epsilon(delta, 1e-4)
    assert found.width < 1e-4
    # Gauss's rule is right within far less than one part in a million here
    assert float(delta_of_two(rate, 1 / sigma, found.high).mid()) <= delta * (1 + 1e-6)
    assert float(delta_of_two(rate, 1 / sigma, found.low).mid()) >= delta * (1 - 1e-6)


def test_near_and_far_sums_together_are_all_sums() -> None:
    search = LineSearch(((SampledNormalLoss(1e-5, 1.3, removed=True), 3000),), 1e-18)
    whole = search._above
    for threshold in (1e-4, 0.01, 0.3):
        far = FarLaws.of(whole, threshold)
        for tilt in (0.5, 2.0, 4.0):
            together = np.logaddexp(far.near.cumulant(tilt), far.cumulant(tilt))
            assert together == pytest.approx(whole.cumulant(tilt), abs=1e-11)


@pytest.mark.parametrize("copies", [3, 400_000])
@pytest.mark.parametrize("size", [0, 4096])
def test_the_spectrum_of_sums_with_a_far_loss(copies: int, size: int) -> None:
    step, chance = 0.01, np.random.default_rng(5)
    nodes = np.sort(chance.normal(0.0, 2e-4, 30))
    masses, weights = chance.random(30), chance.random(200) * 1e-7 / copies
    masses /= masses.sum() + weights.sum()
    twin = Twin(nodes, masses, 0.001, step, weights).normed()
    far = FarLaws.of(Laws([(twin, copies)], 0.0), 0.05)
    arc = size * step if size else 30.0
    found, off = far.spectrum(1.5, Circle(arc, size, 2000))
    assert float(off.max()) < 1e-3
    for k in (0, 1, 7, 300, 1999):
        truth = weighted(twin, copies, 0.05, 1.5, 2 * math.pi * k / arc)
        at_zero = weighted(twin, copies, 0.05, 1.5, 0.0)
        assert abs(complex(truth / at_zero) - found[k]) <= off[k] + 1e-15


def weighted(twin: Twin, copies: int, threshold: float, tilt: float, turn: float) -> acb:
    """The integral of exp((tilt + i turn) sum) over sums with a loss above the threshold."""
    order, near, every = acb(tilt, turn), acb(0), acb(0)
    losses = [*map(float, twin.nodes), *map(float, twin.lattice)]
    for loss, mass in zip(losses, [*map(float, twin.masses), *map(float, twin.weights)], strict=True):  # fmt: skip
        part = (order * loss).exp() * mass
        every += part
        near += part if loss <= threshold else 0
    return every**copies - near**copies


def test_the_account_of_a_corner_is_told_narrowly_and_the_way_back_fits() -> None:
    # a tail of one chance in 10^15 beside a bulk that 170,796 releases leave narrow
    source = SampledNormalLoss(4.22768e-7, 1 / 0.932137, removed=True)
    other = SampledNormalLoss(4.22768e-7, 1 / 0.932137, removed=False)
    losses = LossDistribution.of(source, other).times(170_796)
    delta = Fraction(149, 10**17)
    found = losses.epsilon(delta=delta)
    assert found.width < 2e-5
    assert losses.delta(epsilon=found.high).high <= delta


@pytest.mark.slow
def test_what_no_line_is_taken_for_still_counts() -> None:
    loss = AtomicLoss(((-0.001, 0.5 - 1e-9), (0.001, 0.5), (1.5, 1e-9)))
    above = lines_of(SmoothedSum(((loss, 100),)), 2.0**-40)
    assert above.left_out is not None
    for epsilon in (0.01, 0.05, 0.3, 1.0, 1.5):  # the near losses alone decide where it is small
        assert arb(above.log_delta(epsilon)) >= exact_delta(loss, 100, epsilon).log()


def test_the_dearer_direction_is_told_even_if_it_is_asked_second() -> None:
    cheap, dear = (SampledNormalLoss(rate, 1.0, removed=True) for rate in (1e-5, 1e-3))
    found = LossDistribution.of(cheap, dear).times(3).epsilon(delta=1e-6)
    alone = LossDistribution.of(dear).times(3).epsilon(delta=1e-6)
    assert found.high == alone.high
    assert LossDistribution.of(dear, cheap).times(3).epsilon(delta=1e-6).high == alone.high
