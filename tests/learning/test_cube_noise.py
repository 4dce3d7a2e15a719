"""Noise in a cube: its law, and how near the whole numbers are to one vector of the exact law."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import gamma, kstest, laplace, uniform

from shoal.learning import cube_noise
from shoal.learning.cube_noise import CubeNoise
from shoal.noise.seam import seeded

STEP = Fraction(1, 1 << 20)


def drawn(size: int, rate: Fraction, count: int) -> Any:
    with seeded(f"cube {size}"):
        noise = CubeNoise(size, rate, STEP)
        return np.array([noise.drawn() for _ in range(count)], dtype=float) * float(STEP)


def test_in_one_dimension_it_is_the_laplace_law() -> None:
    found = drawn(1, Fraction(2, 3), 3000)[:, 0]
    assert kstest(found, laplace(scale=1.5).cdf).pvalue > 1e-3


@pytest.mark.parametrize("size", [2, 5])
def test_the_largest_coordinate_is_a_sum_of_exponentials_and_the_others_are_even(size: int) -> None:
    """The density falls with the largest coordinate t alone, so that t has the weight t^(size - 1)
    exp(-rate t), and the others are even between -t and t.
    """
    found = drawn(size, Fraction(3), 3000)
    largest = np.abs(found).max(axis=1)
    assert kstest(largest, gamma(size, scale=1 / 3).cdf).pvalue > 1e-3
    first, other = np.abs(found).argmax(axis=1), found / largest[:, None]
    rest = np.array([np.delete(line, at) for line, at in zip(other, first, strict=True)])
    assert kstest(rest.ravel(), uniform(-1, 2).cdf).pvalue > 1e-3
    assert np.bincount(first, minlength=size).min() > 0.8 * 3000 / size


@pytest.mark.parametrize("rate", [Fraction(1, 50), Fraction(1), Fraction(900)])
def test_beside_every_draw_there_is_a_vector_of_the_exact_law(
    rate: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exponential numbers and places are drawn first, and what would be drawn is read off them."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        size = int(rng.integers(1, 8))
        noise = CubeNoise(size, rate, STEP)
        sizes = [Fraction(each) / rate for each in rng.exponential(1, size + 1).tolist()]
        places = [2 * Fraction(each) - 1 for each in rng.random(size).tolist()]

        class Floors:
            def many(self, count: int) -> Any:
                assert count == len(sizes)  # noqa: B023 - used at once
                return [int(each / STEP) for each in sizes]  # noqa: B023

        def cells(bound: int, count: int) -> Any:
            assert count == len(places)  # noqa: B023
            return [int((each + 1) / 2 * bound) for each in places]  # noqa: B023

        def law(scale: Fraction) -> Floors:
            assert scale == 1 / (rate * STEP)
            return Floors()

        monkeypatch.setattr(cube_noise, "geometric", law)
        monkeypatch.setattr(cube_noise, "uniform_below", cells)
        exact = [sum(sizes) * each for each in places]
        for one, two in zip(exact, noise.drawn(), strict=True):
            assert abs(one / STEP - two) <= noise.far
