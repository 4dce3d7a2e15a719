"""Releases have the law they claim, and a scale 30 % off would be seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value

from shoal import Grid
from shoal.functions import (
    SmoothArsinhNormal,
    SmoothCauchy,
    SmoothGaussian,
    SmoothLaplace,
    TriangleCount,
    TrimmedMean,
)
from shoal.noise import (
    IntegerNoise,
    rounded_arsinh_normal,
    rounded_cauchy,
    rounded_laplace,
    rounded_normal,
    seam,
)

BEND = 0.5
Distribution = Callable[[float], float]


def stretched(law: Distribution, wide: float) -> Distribution:
    return lambda x: law(x / wide)


def steps_of(law: Distribution, wide: float) -> Distribution:
    """P(rounded noise <= x)."""
    return lambda x: law((math.floor(x) + 0.5) / wide)


def bent(z: float) -> float:
    return float(stats.norm.cdf(math.asinh(z) / BEND))


LAWS: dict[str, tuple[Callable[[Fraction], IntegerNoise], Callable[[float], float]]] = {
    "cauchy": (rounded_cauchy, lambda z: float(stats.cauchy.cdf(z))),
    "laplace": (rounded_laplace, lambda z: float(stats.laplace.cdf(z))),
    "normal": (rounded_normal, lambda z: float(stats.norm.cdf(z))),
    "arsinh normal": (lambda scale: rounded_arsinh_normal(scale, Fraction(1, 2)), bent),
}
MECHANISMS: dict[str, Any] = {
    "cauchy": SmoothCauchy(epsilon=1),
    "laplace": SmoothLaplace(epsilon=1, delta="1e-3"),
    "normal": SmoothGaussian(epsilon=1, delta="1e-3"),
    "arsinh normal": SmoothArsinhNormal(rho="0.5"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("scale", ["0.7", "40"])
def test_rounded_noise_has_its_law_and_no_other(name: str, scale: str) -> None:
    make, law = LAWS[name]
    with seam.seeded(f"inversion {name} {scale}"):
        drawn = make(Fraction(scale)).many(20_000)
    wide = float(scale)
    assert p_value(drawn, steps_of(law, wide)) > ACCEPT
    for factor in (1.3, 1 / 1.3):
        wrong = wide * factor
        assert p_value(drawn, steps_of(law, wrong)) < REJECT


ROWS = [12, 14, 15, 15, 16, 17, 17, 18, 20, 25, 31]


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_release_of_a_median_has_the_width_of_its_smooth_sensitivity(name: str) -> None:
    mechanism, law = MECHANISMS[name], LAWS[name][1]
    median = TrimmedMean.median(size=11, low=0, high=64, grid=Grid(-10))
    wide = float(median.smooth_sensitivity(ROWS, keep=mechanism.keep) / mechanism.alpha)
    with seam.seeded(f"smooth {name}"):
        answers = [mechanism.release(median, ROWS, clamped=False) for _ in range(6000)]
    noise = np.array(answers) - 17
    assert p_value(noise, stretched(law, wide)) > ACCEPT
    for factor in (1.3, 1 / 1.3):
        assert p_value(noise, stretched(law, wide * factor)) < REJECT


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_error_is_the_quantile_of_the_noise(name: str) -> None:
    mechanism, law = MECHANISMS[name], LAWS[name][1]
    reach = mechanism.error("0.9", smooth=3) * float(mechanism.alpha) / 3
    assert law(reach) - law(-reach) == pytest.approx(0.9, abs=1e-9)


def test_a_clamped_answer_stays_in_the_public_range() -> None:
    median = TrimmedMean.median(size=3, low=0, high=1)
    graph = TriangleCount(nodes=5)
    with seam.seeded("clamped"):
        for _ in range(200):
            assert 0 <= SmoothCauchy(epsilon="0.01").release(median, [0, 0, 1]) <= 1
            assert 0 <= SmoothCauchy(epsilon="0.01").release(graph, [(0, 1)]) <= 10


def test_a_heavy_tail_beyond_the_floats_is_the_largest_float() -> None:
    mean = TrimmedMean(size=1, low=0, high="1e308", below=0, above=0, grid=Grid(1000))
    with seam.seeded("beyond"):
        answers = [
            SmoothCauchy(epsilon="1e-6").release(mean, [0.0], clamped=False) for _ in range(20)
        ]
    assert all(math.isfinite(answer) for answer in answers)


def test_a_seeded_release_says_that_it_is_not_private() -> None:
    median = TrimmedMean.median(size=3, low=0, high=1)
    with seam.seeded("event"):
        assert not SmoothCauchy(epsilon=1).event_for(median).private
    assert SmoothCauchy(epsilon=1).event_for(median).private
