"""Mixtures of normal laws: masses against enclosures, one release against integrals, sums against
other programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx
from numpy.typing import NDArray
from scipy.integrate import quad

from shoal.loss import (
    LossDistribution,
    MixtureNormalLoss,
    NormalLoss,
    SampledNormalLoss,
    sampled_group_loss,
)
from shoal.loss.direction import Direction
from shoal.loss.fine_cells import FINE_ERROR
from shoal.loss.grid_sums import GridSum
from shoal.loss.normal_mixtures import Components, NormalMixtures
from shoal.loss.single_release import KnownAlone


def mixture(removed: int, added: int, rate: float, mu: float) -> MixtureNormalLoss:
    found = sampled_group_loss(removed, added, rate=rate, mu=mu)
    assert isinstance(found, MixtureNormalLoss)
    return found


MIXTURES = [
    mixture(3, 0, 0.01, 1.0),
    mixture(0, 3, 0.01, 1.0),
    mixture(1, 1, 0.01, 1 / 0.7),
    mixture(1, 2, 1e-4, 2.0),
    mixture(5, 3, 0.4, 1 / 3),
    MixtureNormalLoss(((0.5, 0.25), (2.0, 0.75)), ((0.0, 1.0),)),
]


@pytest.fixture(autouse=True)
def _many_bits() -> object:
    before, ctx.prec = ctx.prec, 300
    yield None
    ctx.prec = before


def exact_mass(components: Components, sign: int, low: float, high: float) -> arb:
    total, root = arb(0), arb(2).sqrt()
    for distance, weight in components:
        ends = [(arb(end) - sign * arb(distance)) / root for end in (low, high)]
        inside = (
            ends[0].erfc() - ends[1].erfc()
            if ends[0] > 0
            else (-ends[1]).erfc() - (-ends[0]).erfc()
        )
        total += arb(weight) * inside / 2
    return total


def exact_log(pair: NormalMixtures, x: float) -> arb:
    def log_of(components: Components, place: arb) -> arb:
        parts = (arb(w) * (arb(c) * place - arb(c) ** 2 / 2).exp() for c, w in components)
        return sum(parts, arb(0)).log()

    return log_of(pair.right, arb(x)) - log_of(pair.left, -arb(x))


@pytest.mark.parametrize("source", MIXTURES, ids=str)
@pytest.mark.parametrize("width", [0.04, 0.01, 0.0014])
def test_masses_are_as_exact_as_is_said(source: MixtureNormalLoss, width: float) -> None:
    pair = NormalMixtures(source.right, source.left)
    ends = -9 + width * np.arange(math.ceil(19 / width))
    for found, components, sign in zip(
        pair.masses(ends), (pair.right, pair.left), (1, -1), strict=True
    ):
        for k in range(0, len(ends) - 1, len(ends) // 20):
            exact = exact_mass(components, sign, float(ends[k]), float(ends[k + 1]))
            assert abs(float(arb(float(found[k])) / exact - 1)) <= FINE_ERROR


@pytest.mark.parametrize("source", MIXTURES, ids=str)
def test_a_place_has_the_loss_that_was_asked_for(source: MixtureNormalLoss) -> None:
    pair = NormalMixtures(source.right, source.left)
    low, high = pair.log_ratio(np.array([-10.0, 12.0]))
    wanted = np.concatenate([np.linspace(low, high, 40)[1:-1], [1e-9, -1e-9, 1e-4]])
    for loss, place in zip(wanted, pair.place_of(wanted), strict=True):
        if math.isfinite(place):
            off = exact_log(pair, float(place)) - arb(float(loss))
            assert abs(float(off)) <= 2.0**-46 * max(1.0, abs(loss))
    least, most = pair.limits
    assert list(pair.place_of(np.array([least, most]))) == [-math.inf, math.inf]
    assert list(pair.log_ratio(np.array([-np.inf, np.inf]))) == [least, most]


def density(components: Components, sign: int, x: float) -> float:
    return math.fsum(w * math.exp(-((x - sign * c) ** 2) / 2) for c, w in components) / math.sqrt(
        2 * math.pi
    )


@pytest.mark.parametrize("source", MIXTURES, ids=str)
@pytest.mark.parametrize("epsilon", [-0.5, -0.001, 0.0, 0.02, 0.5, 2.0])
def test_one_release_costs_what_an_integral_says(source: MixtureNormalLoss, epsilon: float) -> None:
    def gap(x: float) -> float:
        first, second = density(source.right, 1, x), density(source.left, -1, x)
        return max(0.0, first - math.exp(epsilon) * second)

    edge = NormalMixtures(source.right, source.left).place_of(np.array([epsilon]))[0]
    start = -40.0 if edge == -np.inf else min(40.0, float(edge))
    truth = quad(gap, start, 40, points=[k for k in range(-6, 15, 3) if k > start], limit=400)[0]
    found = source.delta_alone(Fraction(epsilon), Fraction(epsilon))
    assert found.low <= truth * (1 + 1e-7) + 1e-13
    assert truth * (1 - 1e-7) - 1e-13 <= found.high <= truth * (1 + 1e-6) + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("removed", [True, False])
def test_a_group_of_one_has_the_loss_of_one_person(*, removed: bool) -> None:
    old = SampledNormalLoss(0.02, 0.9, removed)
    assert sampled_group_loss(int(removed), int(not removed), rate=0.02, mu=0.9) == old
    two, one = ((0.0, 0.98), (0.9, 0.02)), ((0.0, 1.0),)
    same = MixtureNormalLoss(two, one) if removed else MixtureNormalLoss(one, two)
    for epsilon in (Fraction(0), Fraction(1, 100), Fraction(1, 3)):
        exact, found = old.delta_alone(epsilon, epsilon), same.delta_alone(epsilon, epsilon)
        assert found.low <= exact.high
        assert exact.low <= found.high <= exact.high * (1 + 1e-9) + 1e-15
    assert abs(same.largest - old.largest) < 1e-15 or same.largest == old.largest
    known, told = (
        Direction(((old, 300),)).epsilon(1e-6, 1e-4),
        Direction(((same, 300),)).epsilon(1e-6, 1e-4),
    )
    assert told.low <= known.high
    assert known.low <= told.high <= known.high + 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "other"), [(MIXTURES[0], MIXTURES[2]), (MIXTURES[1], MIXTURES[4])]
)
def test_two_releases_cost_what_a_sum_over_a_plane_says(
    source: MixtureNormalLoss, other: MixtureNormalLoss
) -> None:
    x = np.linspace(-12, 14, 2601)
    laws = []
    for one in (source, other):
        p = np.array([density(one.right, 1, at) for at in x]) * (x[1] - x[0])
        laws.append((p, NormalMixtures(one.right, one.left).log_ratio(x)))
    (p, first), (r, second) = laws
    for epsilon in (0.0, 0.3, 1.5):
        truth = sum(
            mass * float(r @ np.maximum(0.0, -np.expm1(epsilon - loss - second)))
            for mass, loss in zip(p, first, strict=True)
        )
        both = Direction(((source, 1), (other, 1))).delta(epsilon, epsilon)
        assert both.low <= truth * (1 + 1e-4)
        assert truth * (1 - 1e-4) <= both.high <= truth * 1.01 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("removed", "added", "delta", "published"),
    [
        # dp-accounting 0.6.0, pessimistic: from_mixture_gaussian_mechanism(1, [0..k], binomial,
        # interval 1e-4), 1000 times,
        (2, 0, 1e-5, 3.97909),
        (0, 2, 1e-5, 3.03064),
        (2, 0, 1e-6, 4.55410),
        (0, 2, 1e-6, 3.35943),
        (3, 0, 1e-5, 6.34294),
        (0, 3, 1e-5, 4.76661),
        # and PLDAccountant(REPLACE_ONE) of the sampled Gaussian
        (1, 1, 1e-5, 2.84345),
        (1, 1, 1e-6, 3.21424),
    ],
)
def test_a_thousand_releases_cost_what_dp_accounting_prints(
    removed: int, added: int, delta: float, published: float
) -> None:
    sources = ((mixture(removed, added, 0.01, 1.0), 1000),)
    found = GridSum(sources).epsilon(delta, 1e-4)
    assert found.low - 1e-5 <= published <= found.high + 1e-4
    assert found.width <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(("removed", "added"), [(1, 1), (0, 2)])
def test_smoothing_and_the_grid_meet(removed: int, added: int) -> None:
    sources = ((mixture(removed, added, 0.001, 1.2), 4000),)
    one, other = Direction(sources).epsilon(1e-6, 1e-4), GridSum(sources).epsilon(1e-6, 1e-4)
    assert one.low <= other.high
    assert other.low <= one.high
    assert one.width <= 1e-4


# what the pairs stand for

Points = NDArray[np.float64]
_SIDE = np.linspace(-8, 8, 241)
_PLANE = np.stack(np.meshgrid(_SIDE, _SIDE), axis=-1)


def _law(centres: Callable[[tuple[int, ...]], Points], rows: int, rate: float) -> Points:
    """The density on the plane of noise around centres(coins), over the coins of so many rows."""
    total: Points = np.zeros(_PLANE.shape[:2])
    for coins in product((0, 1), repeat=rows):
        chance = rate ** sum(coins) * (1 - rate) ** (rows - sum(coins))
        apart = _PLANE - centres(coins)
        total += chance * np.exp(-(apart**2).sum(axis=-1) / 2) / (2 * math.pi)
    cell = float(_SIDE[1] - _SIDE[0]) ** 2
    law: Points = total * cell
    return law


def _law_of_sum(rows: Points, rate: float) -> Points:
    return _law(lambda coins: np.array(coins, dtype=float) @ rows, len(rows), rate)


@pytest.mark.slow
@pytest.mark.parametrize(("removed", "added"), [(2, 0), (0, 2), (1, 1), (2, 1), (1, 2)])
def test_no_rows_on_a_plane_need_more_than_the_pair_on_a_line(removed: int, added: int) -> None:
    rate, draws = 0.3, np.random.default_rng(7)
    pair = mixture(removed, added, rate, 1.0)
    rows: list[tuple[Points, Points]] = []
    for _ in range(6):
        vectors = draws.normal(size=(removed + added, 2))
        vectors /= np.maximum(1.0, np.linalg.norm(vectors, axis=1))[:, None]
        rows.append((vectors[:removed], vectors[removed:]))
    attained = np.array([1.0, 0.0])
    rows.append((np.tile(attained, (removed, 1)), np.tile(-attained, (added, 1))))
    rows.append((np.tile(attained, (removed, 1)), np.tile(attained, (added, 1))))
    for epsilon in (-0.7, 0.0, 0.2, 0.9):
        high = pair.delta_alone(Fraction(epsilon), Fraction(epsilon)).high
        needed = []
        for there, away in rows:
            first, second = _law_of_sum(there, rate), _law_of_sum(away, rate)
            needed.append(float(np.maximum(0.0, first - math.exp(epsilon) * second).sum()))
        assert max(needed) <= high + 5e-5  # what a grid of this step can be off by at an edge
        assert needed[-2] >= high - 1e-3  # rows that pull apart attain it


def test_functions_that_do_not_add_up_need_no_more_either() -> None:
    """A value moves by at most 1 with each row, and otherwise as it likes."""
    turned = {(0, 0): (0.0, 0.0), (1, 0): (1.0, 0.0), (0, 1): (0.0, 1.0), (1, 1): (1.0, 1.0)}
    bent = {**turned, (1, 1): (0.6, 0.8)}
    pair = mixture(2, 0, 0.3, 1.0)
    plain = _law(lambda _: np.zeros(2), 0, 0.3)
    for function in (turned, bent):
        first = _law(lambda coins, f=function: np.array(f[coins]), 2, 0.3)  # type: ignore[misc]
        for epsilon in (-0.7, 0.0, 0.4):
            needed = float(np.maximum(0.0, first - math.exp(epsilon) * plain).sum())
            assert needed <= pair.delta_alone(Fraction(epsilon), Fraction(epsilon)).high + 1e-6


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10), Fraction(1)])
def test_more_people_larger_samples_and_less_noise_never_cost_less(epsilon: Fraction) -> None:
    def delta(removed: int, added: int, rate: float = 0.1, mu: float = 1.0) -> float:
        found = sampled_group_loss(removed, added, rate=rate, mu=mu)
        assert isinstance(found, KnownAlone)
        return found.delta_alone(epsilon, epsilon).high

    for removed, added in ((1, 0), (0, 2), (1, 1), (3, 2)):
        here = delta(removed, added) * (1 - 1e-9)
        assert delta(removed + 1, added) >= here
        assert delta(removed, added + 1) >= here
        assert delta(removed, added, rate=0.11) >= here
        assert delta(removed, added, mu=1.05) >= here


# cases


def group(size: int) -> LossDistribution:
    losses = (sampled_group_loss(k, size - k, rate=0.05, mu=0.8) for k in range(size + 1))
    return LossDistribution.of_group(*losses)


def test_a_group_costs_what_its_dearest_case_costs() -> None:
    for epsilon in (0.0, 0.2, 0.6):
        alone = [
            mixture(k, 3 - k, 0.05, 0.8).delta_alone(Fraction(epsilon), Fraction(epsilon)).high
            for k in range(4)
        ]
        assert group(3).delta(epsilon=epsilon).high == max(alone)


def test_groups_of_one_size_share_their_cases_and_others_combine_them() -> None:
    plain = LossDistribution.of(NormalLoss(0.5))
    assert len(plain.cases) == 1
    assert len(group(3).compose(plain, group(3)).cases) == 4
    assert len(plain.compose(group(3), group(1)).cases) == 8
    assert {case for case, _ in group(2).compose(group(1)).cases} == {
        ((1, one), (2, two)) for one in range(2) for two in range(3)
    }


@pytest.mark.slow
def test_a_composition_that_grows_is_the_one_made_at_once() -> None:
    at_once = group(2).compose(group(1), group(2), LossDistribution.of(NormalLoss(0.5)))
    grown = group(2)
    for more in (group(1), group(2), LossDistribution.of(NormalLoss(0.5))):
        grown.delta(epsilon=1)
        grown = grown.compose(more)
    assert grown == at_once
    assert abs(grown.delta(epsilon=1).high - at_once.delta(epsilon=1).high) < 1e-6


def test_no_copies_leave_nothing() -> None:
    assert group(3).times(0) == LossDistribution()
    assert group(3).times(0).epsilon(delta="1e-6").high == 0
