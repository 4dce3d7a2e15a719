"""From outside: what many releases on two neighbours prove about epsilon, and that too little noise
is caught.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import pytest
from scipy import stats
from tests.mechanisms.test_audit import RISK, lower_epsilon

from shoal import Grid, Pure
from shoal.functions import (
    InverseSensitivity,
    NarrowingMean,
    ProposeTestRelease,
    QuantileClippedMean,
    SampleAndAggregate,
    SmoothArsinhNormal,
    SmoothCauchy,
    Smoothed,
    SmoothGaussian,
    SmoothLaplace,
    StableHistogram,
    StableMode,
    TrimmedMean,
)
from shoal.functions.smooth import Smooth
from shoal.noise import seam

pytestmark = pytest.mark.audit
Event = Callable[[float], bool]


NARROW = Fraction(7, 10)
"""Noise 30 % too small."""
TRIALS = 40_000
MEDIAN = TrimmedMean.median(size=3, low=0, high=64, grid=Grid(0))
ONE, OTHER = (0, 64, 64), (0, 0, 64)


def counted(mechanism: Smooth, factor: Fraction, event: Event, trials: int) -> tuple[int, int]:
    """How often the event happened on either neighbour, with noise drawn for so much of its
    width.
    """
    kind = type(mechanism)
    drawn = kind._noise
    with pytest.MonkeyPatch.context() as patch, seam.seeded("audit of functions"):
        patch.setattr(kind, "_noise", lambda own, scale: drawn(own, scale * factor))
        hits, misses = (
            sum(event(mechanism.release(MEDIAN, data, clamped=False)) for _ in range(trials))
            for data in (ONE, OTHER)
        )
    return hits, misses


@dataclass(frozen=True)
class Attack:
    mechanism: Smooth
    event: Event
    delta: float = 0.0
    trials: int = 12_000


ATTACKS = {
    "cauchy": Attack(SmoothCauchy(epsilon=1), lambda y: 70 <= y <= 130),
    "laplace": Attack(
        SmoothLaplace(epsilon=1, delta="0.01", share="0.95"), lambda y: y >= 64, delta=0.01
    ),
    "normal": Attack(
        SmoothGaussian(epsilon=1, delta="0.05", share="0.97"),
        lambda y: y >= 114,
        delta=0.05,
        trials=TRIALS,
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_on_a_smooth_mechanism_proves_more_than_the_claim(name: str) -> None:
    attack = ATTACKS[name]
    hits, misses = counted(attack.mechanism, Fraction(1), attack.event, attack.trials)
    assert lower_epsilon(hits, misses, attack.trials, delta=attack.delta) <= 1


@pytest.mark.parametrize("name", ATTACKS)
def test_the_same_attack_catches_smooth_noise_thirty_percent_too_small(name: str) -> None:
    attack = ATTACKS[name]
    hits, misses = counted(attack.mechanism, NARROW, attack.event, attack.trials)
    assert lower_epsilon(hits, misses, attack.trials, delta=attack.delta) > 1


def test_one_event_never_proves_more_than_rho_and_catches_narrow_noise() -> None:
    """The divergence of a coin that the event is, at order 1.1, in units of order times rho."""
    mechanism, order = SmoothArsinhNormal(rho="1/2", bend="1/10", share="0.99"), 1.1

    def proved(factor: Fraction) -> float:
        hits, misses = counted(mechanism, factor, lambda y: y >= 32, TRIALS)
        p = float(stats.beta.ppf(RISK / 2, hits, TRIALS - hits + 1))
        q = float(stats.beta.ppf(1 - RISK / 2, misses + 1, TRIALS - misses))
        moment = p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)
        return math.log(moment) / (order - 1) / order / 0.5

    assert 0.4 < proved(Fraction(1)) <= 1
    assert proved(NARROW) > 1


MIDDLE = InverseSensitivity.median(
    epsilon=1, size=3, low=0, high=15, points=16, radius=0, grid=Grid(0)
)
SMALL = TrimmedMean.median(size=3, low=0, high=1, grid=Grid(0))
LONE = TrimmedMean.median(size=1, low=0, high=64, grid=Grid(0))


def mode_event(epsilon: Fraction, *, leads: bool) -> bool:
    mechanism = StableMode(epsilon=epsilon, delta="1e-6")
    return mechanism.release(["a"] * (mechanism.threshold + leads)) is not None


def answered_one(epsilon: Fraction, ones: int) -> bool:
    mechanism = ProposeTestRelease(epsilon=epsilon, delta="1e-6", bound=1, share="0.05")
    return mechanism.release(SMALL, [1] * ones + [0] * (3 - ones)) == 1


def chosen(epsilon: Fraction, data: tuple[int, ...]) -> bool:
    return replace_epsilon(MIDDLE, epsilon).release(data) == 15


@cache
def replace_epsilon(mechanism: InverseSensitivity, epsilon: Fraction) -> InverseSensitivity:
    return mechanism.for_budget(Pure(epsilon))


def counted_cells(epsilon: Fraction, rows: int) -> bool:
    table = StableHistogram(epsilon=epsilon, delta="1e-6").release(["a"] * rows)
    return table.get("a", 0) >= 60


def aggregated(epsilon: Fraction, row: int) -> bool:
    mechanism = SampleAndAggregate(
        aggregator=Smoothed(SmoothCauchy(epsilon=epsilon), LONE), otherwise=0
    )
    return mechanism.release(lambda rows: rows[0], [row]) >= 64


PLAIN: dict[str, tuple[Callable[[Fraction], bool], Callable[[Fraction], bool], int]] = {
    "inverse sensitivity": (
        lambda e: chosen(e, (14, 15, 15)),
        lambda e: chosen(e, (0, 14, 15)),
        20_000,
    ),
    "propose, test, release": (lambda e: answered_one(e, 2), lambda e: answered_one(e, 1), 12_000),
    "stable histogram": (
        lambda e: counted_cells(e, 60),
        lambda e: counted_cells(e, 59),
        10_000,
    ),
    "stable mode": (
        lambda e: mode_event(e, leads=True),
        lambda e: mode_event(e, leads=False),
        10_000,
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_no_attack_proves_more_than_the_claim_and_one_catches_too_little_noise(name: str) -> None:
    """Sold as epsilon 1, made for epsilon / 0.7."""
    one, other, trials = PLAIN[name]

    def proved(epsilon: Fraction) -> float:
        with seam.seeded(f"audit of {name}"):
            hits = sum(one(epsilon) for _ in range(trials))
            misses = sum(other(epsilon) for _ in range(trials))
        return lower_epsilon(hits, misses, trials, delta=1e-6)

    assert 0.5 < proved(Fraction(1)) <= 1
    assert proved(1 / NARROW) > 1


def test_an_aggregate_keeps_its_epsilon_and_noise_of_half_the_width_is_caught() -> None:
    """One row that is its own block; the clamped answer at the upper end is the event."""
    trials = 6_000

    def proved(epsilon: Fraction) -> float:
        with seam.seeded("audit of aggregates"):
            hits = sum(aggregated(epsilon, 64) for _ in range(trials))
            misses = sum(aggregated(epsilon, 0) for _ in range(trials))
        return lower_epsilon(hits, misses, trials)

    assert 0.5 < proved(Fraction(1)) <= 1
    assert proved(Fraction(2)) > 1


def coin_divergence(hits: int, misses: int, trials: int, order: float) -> float:
    p = float(stats.beta.ppf(RISK / 2, hits, trials - hits + 1))
    q = float(stats.beta.ppf(1 - RISK / 2, misses + 1, trials - misses))
    moment = p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)
    return math.log(moment) / (order - 1) / order


def test_a_narrowed_mean_keeps_its_rho_and_noise_thirty_percent_too_small_is_caught() -> None:
    """One row that goes from one end to the other, and a spread so wide that nothing is
    narrowed.
    """
    trials = 8_000

    def proved(rho: Fraction) -> float:
        mechanism = NarrowingMean(
            rho=rho, size=1, low=0, high=64, spread=64, rounds=2, share="0.01", grid=Grid(0)
        )
        with seam.seeded("audit of means"):
            hits = sum(mechanism.release([64]).value >= 32 for _ in range(trials))
            misses = sum(mechanism.release([0]).value >= 32 for _ in range(trials))
        return coin_divergence(hits, misses, trials, 1.1)

    assert 0.2 < proved(Fraction(1, 2)) <= 0.5
    assert proved(Fraction(1, 2) / NARROW**2) > 0.5


def test_a_clipped_mean_keeps_its_rho_and_noise_thirty_percent_too_small_is_caught() -> None:
    """Nearly all is spent on the two choices; the event is that both are the upper end."""
    trials = 6_000

    def proved(rho: Fraction) -> float:
        mechanism = QuantileClippedMean(
            rho=rho, size=1, low=0, high=64, rank=1, points=2, share="0.98", grid=Grid(0)
        )
        with seam.seeded("audit of clipped means"):
            hits = sum(mechanism.release([64]).low >= 63 for _ in range(trials))
            misses = sum(mechanism.release([0]).low >= 63 for _ in range(trials))
        return coin_divergence(hits, misses, trials, 1.1)

    assert 0.2 < proved(Fraction(1, 2)) <= 0.5
    assert proved(Fraction(1, 2) / NARROW**2) > 0.5
