from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

from shoal.errors import RangeError, ShapeError
from shoal.local.protocols.ranges import IntervalTree, SquareWave, TreeEstimate
from shoal.noise.seam import seeded

PEOPLE = 120_000
VALUES = (np.arange(PEOPLE) ** 2 % 397 + np.arange(PEOPLE) % 251) % 500


def test_a_range_is_made_of_intervals_that_cover_it_once() -> None:
    shares = tuple(np.zeros(3**level) for level in (1, 2, 3))
    tree = TreeEstimate(25, 3, shares, (1.0, 1.0, 1.0), "unbiased")
    for first, last in product(range(25), repeat=2):
        if first <= last:
            held = [
                leaf
                for level, node in tree._pieces(first, last + 1)
                for leaf in range(node * 3 ** (2 - level), (node + 1) * 3 ** (2 - level))
            ]
            assert sorted(held) == list(range(first, last + 1))


@pytest.mark.parametrize("agree", [False, True])
def test_ranges_and_quantiles_are_near_the_truth(*, agree: bool) -> None:
    made = IntervalTree.for_epsilon(2, size=500)
    with seeded("tree"):
        found = made.estimate(made.report(VALUES))
    tree = found.consistent() if agree else found
    for first, last in [(0, 499), (10, 480), (100, 100), (63, 300)]:
        share, error = tree.share_of(first, last)
        assert abs(share - np.mean((first <= VALUES) & (last >= VALUES))) < 5 * error + 1e-12
    for part in ("0.25", "0.5", "0.9"):
        assert abs(tree.quantile(part) - np.quantile(VALUES, float(part))) < 25
    assert made.cost.epsilon <= 2


def test_made_to_agree_every_interval_is_the_sum_of_its_parts_and_has_less_error() -> None:
    made = IntervalTree.for_epsilon(1, size=64, branches=2)
    truth = [
        np.bincount(np.arange(20_000) % 64 // 2 ** (5 - level), minlength=2 ** (level + 1)) / 20_000
        for level in range(6)
    ]
    raw = agreed = 0.0
    with seeded("agree"):
        for _ in range(10):
            found = made.estimate(made.report(np.arange(20_000) % 64))
            tree = found.consistent()
            assert tree.how != found.how
            for level in range(5):
                parts = tree.shares[level + 1].reshape(-1, 2).sum(axis=1)
                assert np.allclose(parts, tree.shares[level])
            raw += ((found.shares[3] - truth[3]) ** 2).sum()
            agreed += ((tree.shares[3] - truth[3]) ** 2).sum()
    assert agreed < 0.6 * raw


@pytest.mark.parametrize("reach", [0, 2, 5])
def test_the_largest_ratio_and_variation_of_a_square_wave_are_those_of_all_pairs(
    reach: int,
) -> None:
    wave = SquareWave(6, Fraction(5, 2), reach)
    laws = [[wave.chance(value, place) for place in range(wave.places)] for value in range(6)]
    assert all(sum(law) == 1 for law in laws)
    pairs = list(product(laws, laws))
    assert max(p / q for one, two in pairs for p, q in zip(one, two, strict=True)) == wave.odds
    apart = [sum(abs(p - q) for p, q in zip(one, two, strict=True)) / 2 for one, two in pairs]
    assert max(apart) == wave.variation


def test_reports_of_a_square_wave_have_their_stated_law() -> None:
    wave = SquareWave(6, Fraction(5, 2), 2)
    with seeded("wave"):
        told = wave.report(np.full(50_000, 4))
    counts = np.bincount(told, minlength=wave.places)
    assert fit_counts(counts, [float(wave.chance(4, place)) for place in range(10)]) > ACCEPTED
    assert fit_counts(counts, [float(wave.chance(3, place)) for place in range(10)]) < ACCEPTED


@pytest.mark.parametrize("smooth", [True, False])
def test_the_likeliest_distribution_is_near_the_truth(*, smooth: bool) -> None:
    wave = SquareWave.for_epsilon(2, bins=64)
    draws = (VALUES // 8) % 64
    with seeded("likeliest"):
        found = wave.estimate(wave.report(draws), smooth=smooth)
    truth = np.bincount(draws, minlength=64) / PEOPLE
    assert found.shares.sum() == pytest.approx(1)
    assert np.abs(np.cumsum(found.shares) - np.cumsum(truth)).max() < 0.04
    assert abs(found.mean - draws.mean()) < 1
    assert abs(found.quantile("0.5") - np.median(draws)) <= 3
    assert ("smoothed" in found.how) == smooth


def test_expectations_by_running_sums_are_those_of_the_matrix() -> None:
    wave = SquareWave(5, Fraction(3), 2)
    chances = np.array([[float(wave.chance(v, y)) for y in range(wave.places)] for v in range(5)])
    shares, ratios = (
        np.array([0.1, 0.4, 0.2, 0.25, 0.05]),
        np.arange(1, wave.places + 1, dtype=np.float64),
    )
    assert wave._spread(shares) == pytest.approx(shares @ chances)
    assert wave._gathered(ratios) == pytest.approx(chances @ ratios)


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(ShapeError):
        IntervalTree.for_epsilon(1, size=5).estimate([1, 2])
    with pytest.raises(RangeError):
        SquareWave(5, Fraction(1), 2)
    with pytest.raises(RangeError):
        TreeEstimate(3, 2, (np.zeros(2),), (1.0,), "unbiased").share_of(2, 1)
