"""From outside: what many releases on two neighbours prove about epsilon, and that too little noise is caught."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from scipy import stats
from tests.mechanisms.test_audit import RISK, lower_epsilon

from shoal import Grid
from shoal.functions import (
    SmoothArsinhNormal,
    SmoothCauchy,
    SmoothGaussian,
    SmoothLaplace,
    TrimmedMean,
)
from shoal.functions.smooth import Smooth
from shoal.noise import seam

pytestmark = pytest.mark.audit
Event = Callable[[float], bool]


NARROW = Fraction(7, 10)
"""Noise 30 % too small."""
MEDIAN = TrimmedMean.median(size=3, low=0, high=64, grid=Grid(0))
ONE, OTHER = (0, 64, 64), (0, 0, 64)


def counted(mechanism: Smooth, factor: Fraction, event: Event, trials: int) -> tuple[int, int]:
    """How often the event happened on either neighbour, with noise drawn for so much of its width."""
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


ATTACKS = {
    "cauchy": Attack(SmoothCauchy(epsilon=1), lambda y: 70 <= y <= 130),
    "laplace": Attack(
        SmoothLaplace(epsilon=1, delta="0.01", share="0.95"), lambda y: y >= 64, delta=0.01
    ),
    "normal": Attack(
        SmoothGaussian(epsilon=1, delta="0.05", share="0.97"), lambda y: y >= 114, delta=0.05
    ),
}
TRIALS = 25_000


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_on_a_smooth_mechanism_proves_more_than_the_claim(name: str) -> None:
    attack = ATTACKS[name]
    hits, misses = counted(attack.mechanism, Fraction(1), attack.event, TRIALS)
    assert lower_epsilon(hits, misses, TRIALS, delta=attack.delta) <= 1


@pytest.mark.parametrize("name", ATTACKS)
def test_the_same_attack_catches_smooth_noise_thirty_percent_too_small(name: str) -> None:
    attack = ATTACKS[name]
    hits, misses = counted(attack.mechanism, NARROW, attack.event, TRIALS)
    assert lower_epsilon(hits, misses, TRIALS, delta=attack.delta) > 1


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
