"""The exact law of every release on every dataset of a small domain, held against the claim for all
neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from flint import arb
from tests.functions.smooth import laws
from tests.functions.smooth.enumerated import changed, graphs, one_edge, rows
from tests.mechanisms.laws import divergence, hockey_stick

from shoal import Grid, ZeroConcentrated, account
from shoal.exact import at_precision, ball
from shoal.functions import (
    SmoothArsinhNormal,
    SmoothCauchy,
    SmoothGaussian,
    SmoothLaplace,
    TriangleCount,
    TrimmedMean,
)
from shoal.functions.smooth import Smooth, SmoothStatistic
from shoal.functions.smooth.arsinh import BOW, TURN
from shoal.measures import gaussian_delta_up

VALUES, BITS = 4, 192
PLACES = range(-60, 64)
LAWS: dict[type[Smooth], Any] = {
    SmoothCauchy: lambda mechanism: laws.cauchy,
    SmoothLaplace: lambda mechanism: laws.laplace,
    SmoothGaussian: lambda mechanism: laws.normal,
    SmoothArsinhNormal: lambda mechanism: laws.arsinh_normal(mechanism.bend),
}
STATISTICS: dict[str, tuple[SmoothStatistic, Any, Any]] = {
    "median of five": (
        TrimmedMean.median(size=5, low=0, high=VALUES - 1, grid=Grid(0)),
        rows(5, VALUES),
        changed(VALUES),
    ),
    "trimmed mean of four": (
        TrimmedMean(size=4, low=0, high=VALUES - 1, below=1, above=1, grid=Grid(0)),
        rows(4, VALUES),
        changed(VALUES),
    ),
    "triangles of four nodes": (TriangleCount(nodes=4), graphs(4), one_edge(4)),
}


@cache
def law_of(mechanism: Smooth, name: str, data: Any) -> list[arb]:
    """The law of the release, clamped to places far out: merging answers only hides."""
    statistic = STATISTICS[name][0]
    reading = statistic.reading(data)
    scale = statistic.smooth_sensitivity(data, keep=mechanism.keep) / statistic.spacing
    law = LAWS[type(mechanism)](mechanism)
    return laws.rounded(law, value=reading.value, scale=scale / mechanism.alpha, places=PLACES)


def pairs(mechanism: Smooth, name: str) -> Iterator[list[tuple[arb, arb]]]:
    """The laws of all neighbours, side by side."""
    _, datasets, near = STATISTICS[name]
    for data in datasets:
        here = law_of(mechanism, name, data)
        for other in set(near(data)) - {data}:
            yield list(zip(here, law_of(mechanism, name, other), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("epsilon", ["0.2", "1", "3"])
def test_cauchy_noise_is_pure_for_all_neighbours(name: str, epsilon: str) -> None:
    mechanism = SmoothCauchy(epsilon=epsilon)

    def worst() -> float:
        return max(float((p / q).log().upper()) for pair in pairs(mechanism, name) for p, q in pair)

    assert 0.3 * float(epsilon) < at_precision(BITS, worst) <= float(epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("kind", [SmoothLaplace, SmoothGaussian])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.01"), ("2", "1e-4")])
def test_thin_tails_keep_their_epsilon_and_delta_for_all_neighbours(
    kind: Any, name: str, epsilon: str, delta: str
) -> None:
    mechanism = kind(epsilon=epsilon, delta=delta)

    def worst() -> float:
        return max(
            float(hockey_stick(pair, Fraction(epsilon)).upper()) for pair in pairs(mechanism, name)
        )

    assert at_precision(BITS, worst) <= float(delta)


@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("rho", ["0.1", "1"])
def test_arsinh_normal_noise_is_concentrated_for_all_neighbours(name: str, rho: str) -> None:
    mechanism = SmoothArsinhNormal(rho=rho)
    for order in (Fraction(11, 10), Fraction(2), Fraction(10)):

        def worst(order: Fraction = order) -> float:
            return max(float(divergence(pair, order).upper()) for pair in pairs(mechanism, name))

        assert at_precision(BITS, worst) <= float(Fraction(rho) * order)


def shifted_cauchy_loss(alpha: float, wide: float) -> float:
    """The largest log ratio of Cauchy densities, by looking along the line."""
    places = [math.tan((i / 20001 - 0.5) * math.pi) for i in range(1, 20001)]

    def log_ratio(y: float, one: float, other: float) -> float:
        return math.log(wide) - math.log(wide**2 + (y - one) ** 2) + math.log(1 + (y - other) ** 2)

    both = [log_ratio(y, 0.0, alpha) for y in places]
    return max(*both, -min(both))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
@pytest.mark.parametrize("keep", [None, "0.97"])
def test_alpha_of_cauchy_noise_is_the_largest_there_is(epsilon: str, keep: str | None) -> None:
    mechanism = SmoothCauchy(epsilon=epsilon, keep=keep)
    alpha, widest = float(mechanism.alpha), 1 / float(mechanism.keep)
    reached = max(shifted_cauchy_loss(alpha, 1.0), shifted_cauchy_loss(alpha, widest))
    assert float(epsilon) * 0.9999 < reached <= float(epsilon) * (1 + 1e-12)
    for part in range(1, 20):
        assert shifted_cauchy_loss(alpha, widest ** (part / 20)) <= float(epsilon) * (1 + 1e-12)


@pytest.mark.parametrize("kind", [SmoothLaplace, SmoothGaussian])
def test_keep_is_the_least_that_delta_allows(kind: Any) -> None:
    mechanism = kind(epsilon=1, delta="1e-5")
    law = LAWS[kind](mechanism)
    target = 1e-5 if kind is SmoothLaplace else 5e-6
    spare = 0.5

    def width_delta(keep: float) -> float:
        """The best event |z| > t, by looking at many t."""

        def tail(z: float) -> float:
            return float(2 * law(arb(-z)))

        return max(tail(t / 10 * keep) - math.exp(spare) * tail(t / 10) for t in range(10, 600))

    keep = float(mechanism.keep)
    assert width_delta(keep) <= target
    assert width_delta(keep * 0.99) > target


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("4", "1e-3")])
def test_moving_the_centre_of_normal_noise_costs_half_of_delta_after_the_width_has_grown_it(
    epsilon: str, delta: str
) -> None:
    mechanism = SmoothGaussian(epsilon=epsilon, delta=delta)
    half = Fraction(epsilon) / 2
    centre = float(gaussian_delta_up(mechanism.alpha, half)) * math.exp(half)
    assert centre == pytest.approx(float(delta) / 2, rel=1e-9)


def bounded_on(first: int, last: int, fine: int) -> bool:
    """Whether the bounds of smooth.md hold for all w from first to last, cell by cell."""
    for place in range(first * fine, last * fine):
        w = (place + arb(0).union(arb(1))) / fine
        square, tangent = 1 / w.cosh() ** 2, w.tanh()
        turning = tangent + w * square < ball(TURN)
        bowing = 2 * tangent * square < ball(BOW)
        centred = abs(1 - w * tangent) / w.cosh() < 1 + arb(1) / 200
        if not (turning and bowing and centred):
            return False
    return True


def test_the_constants_of_arsinh_normal_noise_are_bounds() -> None:
    """Beyond 12 all three are within a thousandth of their limits 1, 0 and 0."""
    assert at_precision(64, lambda: bounded_on(0, 2, 32768) and bounded_on(2, 12, 256))
    assert not at_precision(64, lambda: bounded_on(0, 2, 128))


@pytest.mark.slow
@pytest.mark.parametrize("bend", ["0.3", "0.5", "1"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_whole_change_of_width_and_centre_is_within_rho(bend: str, sign: int) -> None:
    """The continuous laws at the ends of the longest path, on a fine lattice."""
    mechanism = SmoothArsinhNormal(rho=1, bend=bend)
    law = laws.arsinh_normal(mechanism.bend)
    places = range(-1200, 1201)

    def worst() -> float:
        wide = laws.rounded(law, value=0, scale=Fraction(40), places=places)
        scale = 40 * mechanism.keep
        moved = laws.rounded(
            law, value=round(sign * scale * mechanism.alpha), scale=scale, places=places
        )
        both = [list(zip(wide, moved, strict=True)), list(zip(moved, wide, strict=True))]
        return max(
            float(divergence(pair, Fraction(order)).upper()) / order
            for pair in both
            for order in (2, 8)
        )

    assert at_precision(BITS, worst) <= 1


EVERY: dict[Smooth, str] = {
    SmoothCauchy(epsilon=1): "0",
    SmoothLaplace(epsilon=1, delta="1e-6"): "1e-6",
    SmoothGaussian(epsilon=1, delta="1e-6"): "1e-6",
}


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: type(m).__name__)
def test_the_account_charges_what_the_mechanism_says(mechanism: Smooth) -> None:
    event = mechanism.event_for(STATISTICS["median of five"][0])
    assert event.relation == "change"
    assert account([event]).epsilon(delta=EVERY[mechanism]).epsilon == 1


def test_the_account_of_arsinh_normal_noise_is_its_rho() -> None:
    event = SmoothArsinhNormal(rho="0.25").event_for(TriangleCount(nodes=4))
    assert account([event]).cost(ZeroConcentrated) == ZeroConcentrated("0.25")
    assert event.relation == "add_remove"
