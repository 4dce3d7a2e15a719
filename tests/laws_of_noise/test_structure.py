"""What a distribution function does not show: low bits, signs, and the order of draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

from shoal.noise import IntegerNoise, discrete_gaussian, discrete_laplace, rounded_gaussian
from shoal.noise.seam import seeded

DRAWS = 10**6
LAWS: dict[str, Callable[[Fraction], IntegerNoise]] = {
    "discrete laplace": discrete_laplace,
    "discrete gaussian": lambda scale: discrete_gaussian(scale**2),
    "rounded gaussian": lambda scale: rounded_gaussian(scale**2),
}
each_law = pytest.mark.parametrize("name", LAWS)
Drawn = NDArray[np.int64]


def draws_of(name: str, scale: int) -> Drawn:
    with seeded(f"structure {name} {scale}"):
        return np.asarray(LAWS[name](Fraction(scale)).many(DRAWS), dtype=np.int64)


def fit_of_low_bits(drawn: Drawn, bits: int, shift: int = 0) -> float:
    counts = np.bincount((drawn >> shift) & ((1 << bits) - 1), minlength=1 << bits)
    return fit_counts(counts, [2.0**-bits] * (1 << bits))


def fit_of_neighbours(drawn: Drawn) -> float:
    """Quarter by quarter, each draw against the one before it: all sixteen pairs equally likely."""
    quarters = np.searchsorted(np.quantile(drawn, [0.25, 0.5, 0.75]), drawn)
    pairs = np.bincount(4 * quarters[1:] + quarters[:-1], minlength=16)
    shares = np.bincount(quarters, minlength=4) / len(quarters)
    return fit_counts(pairs, np.outer(shares, shares).ravel())


def correlation(drawn: Drawn, lag: int) -> float:
    """In standard deviations of what independent draws would show."""
    values = drawn.astype(np.float64)
    return float(np.corrcoef(values[lag:], values[:-lag])[0, 1]) * math.sqrt(len(drawn))


def sign_excess(drawn: Drawn) -> float:
    """More positive than negative draws, in standard deviations."""
    positive, negative = int((drawn > 0).sum()), int((drawn < 0).sum())
    return (positive - negative) / math.sqrt(positive + negative)


@each_law
@pytest.mark.parametrize("scale", [10**6, 2**31, 2**40, 2**50])
def test_the_low_bits_of_large_draws_are_uniform(name: str, scale: int) -> None:
    drawn = draws_of(name, scale)
    assert fit_of_low_bits(drawn, 10) > ACCEPTED
    assert fit_of_low_bits(drawn, 4, shift=8) > ACCEPTED
    assert fit_of_low_bits(drawn | (np.arange(DRAWS) % 50 == 0), 4) < 1e-20


@each_law
@pytest.mark.parametrize("scale", [1, 1000, 2**40])
def test_both_signs_are_equally_likely(name: str, scale: int) -> None:
    drawn = draws_of(name, scale)
    assert abs(sign_excess(drawn)) < 6
    assert abs(sign_excess(np.where(np.arange(DRAWS) % 50 == 0, abs(drawn), drawn))) > 6


@each_law
@pytest.mark.parametrize("scale", [10, 1000, 2**40])
def test_a_draw_says_nothing_about_the_next(name: str, scale: int) -> None:
    drawn = draws_of(name, scale)
    assert fit_of_neighbours(drawn) > ACCEPTED
    for lag in (1, 2, 1 << 15):
        assert abs(correlation(drawn, lag)) < 6
        assert abs(correlation(abs(drawn), lag)) < 6


def test_draws_that_repeat_their_neighbour_are_found() -> None:
    drawn = draws_of("discrete laplace", 1000)
    repeats = np.flatnonzero(np.arange(1, DRAWS) % 50 == 0)
    drawn[repeats + 1] = drawn[repeats]
    assert fit_of_neighbours(drawn) < 1e-20
    assert abs(correlation(drawn, 1)) > 6
