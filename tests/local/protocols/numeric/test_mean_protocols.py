from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

from shoal.errors import DataError, RangeError, ShapeError
from shoal.local.protocols.numeric import Hybrid, NumericReport, OneBit, Piecewise
from shoal.local.shuffling import shuffled
from shoal.noise.seam import seeded

LOW, HIGH, E = Fraction(-1), Fraction(3), Fraction(11, 4)
BIT = OneBit(LOW, HIGH, E)
PIECES = Piecewise(LOW, HIGH, E, 12, 5)
SMALL: dict[str, NumericReport] = {
    "one bit": BIT,
    "piecewise": PIECES,
    "wide window": Piecewise(LOW, HIGH, E, 9, 7),
    "hybrid": Hybrid(LOW, HIGH, E, Fraction(2, 5), PIECES, BIT),
}
NAMES = pytest.mark.parametrize("name", SMALL)
KINDS = pytest.mark.parametrize("kind", [OneBit, Piecewise, Hybrid])


def law(made: NumericReport, level: int) -> list[Fraction]:
    return [made.chance(level, report) for report in range(made.reports)]


@NAMES
def test_the_largest_ratio_over_all_pairs_of_levels_is_exactly_the_odds(name: str) -> None:
    made = SMALL[name]
    laws = [law(made, level) for level in range(made.levels + 1)]
    assert all(sum(each) == 1 for each in laws)
    pairs = product(laws, laws)
    assert max(p / q for one, two in pairs for p, q in zip(one, two, strict=True)) == made.odds


@NAMES
def test_the_score_of_a_report_is_unbiased_at_every_level_exactly(name: str) -> None:
    made = SMALL[name]
    for level in range(made.levels + 1):
        mean = sum(p * made.score(r) for r, p in enumerate(law(made, level)))
        assert mean == Fraction(2 * level, made.levels) - 1


@NAMES
@pytest.mark.parametrize("value", ["-1", "0.3", "1", "3"])
def test_the_stated_variance_is_that_of_all_reports(name: str, value: str) -> None:
    made = SMALL[name]
    place = (Fraction(value) - LOW) / (HIGH - LOW) * made.levels
    below = math.floor(place)
    second = Fraction(0)
    for level, held in ((below, 1 - (place - below)), (below + 1, place - below)):
        if held:
            second += held * sum(p * made.score(r) ** 2 for r, p in enumerate(law(made, level)))
    mean = 2 * place / made.levels - 1
    assert made.variance(value, people=7) == (second - mean**2) * 4 / 7


@pytest.mark.slow
@NAMES
def test_the_total_variation_is_the_largest_over_all_pairs(name: str) -> None:
    made = SMALL[name]
    laws = [law(made, level) for level in range(made.levels + 1)]
    found = max(
        sum(abs(p - q) for p, q in zip(one, two, strict=True)) / 2
        for one, two in combinations(laws, 2)
    )
    assert found == made.variation
    assert shuffled(made, people=1000, delta="1e-5").central < made.epsilon


@NAMES
def test_reports_have_their_stated_law_and_not_that_of_another_value(name: str) -> None:
    made = SMALL[name]
    with seeded(name):
        told = made.report(np.full(50_000, 3.0))
    counts = np.bincount(told, minlength=made.reports)
    assert fit_counts(counts, [float(p) for p in law(made, made.levels)]) > ACCEPTED
    assert fit_counts(counts, [float(p) for p in law(made, 0)]) < ACCEPTED


@pytest.mark.slow
@KINDS
@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
def test_means_are_unbiased_with_the_stated_variance(
    kind: type[NumericReport], epsilon: str
) -> None:
    """A tenth of a percent of bias in the range, or a tenth off in variance, would be seen."""
    made, people = kind.for_epsilon(epsilon, low=-1, high=3), 200_000
    with seeded(f"mean {kind.__name__} {epsilon}"):
        found = made.estimate(made.report(np.full(people, 0.7)))
    stated = float(made.variance("0.7", people=people))
    assert abs(found.mean - 0.7) < 5 * math.sqrt(stated)
    assert found.variance == pytest.approx(stated, rel=0.03)
    low, high = found.interval("0.999999")
    assert low < 0.7 < high


@pytest.mark.parametrize("epsilon", ["0.3", "1", "2", "4", "6"])
def test_no_variance_is_above_that_of_the_published_mechanisms(epsilon: str) -> None:
    e, h = math.exp(float(epsilon)), math.exp(float(epsilon) / 2)
    piecewise = 1 / (h - 1) + (h + 3) / (3 * (h - 1) ** 2)
    one_bit = ((e + 1) / (e - 1)) ** 2
    hybrid = (h + 3) / (3 * h * (h - 1)) + one_bit / h if float(epsilon) > 0.61 else one_bit
    made = [kind.for_epsilon(epsilon, low=-1, high=1) for kind in (OneBit, Piecewise, Hybrid)]
    for each, published in zip(made, (one_bit, piecewise, hybrid), strict=True):
        assert float(each.worst_variance()) <= published * (1 + 1e-5)
        assert each.epsilon <= Fraction(epsilon)


def test_tallies_merge_and_values_beyond_the_range_are_cut() -> None:
    with seeded("cut"):
        told = PIECES.report([99.0, -99.0, 1.0, 2])
    one, two = PIECES.tally().add(told[:1]), PIECES.tally().add(told[1:])
    assert (one.merge(two).counters == PIECES.tally().add(told).counters).all()
    assert one.people == 4
    with pytest.raises(ShapeError):
        one.merge(BIT.tally())


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda: BIT.report([float("nan")]), DataError),
        (lambda: BIT.report(["1"]), ShapeError),
        (lambda: BIT.tally().add([2]), DataError),
        (lambda: BIT.tally().estimate(), ShapeError),
        (lambda: BIT.variance(4), RangeError),
        (lambda: OneBit.for_epsilon(1, low=1, high=1), RangeError),
        (lambda: Piecewise(LOW, HIGH, E, 4, 4), RangeError),
    ],
)
def test_what_cannot_be_used_is_refused(act: Any, problem: type[Exception]) -> None:
    with pytest.raises(problem):
        act()


@KINDS
def test_a_very_large_epsilon_tells_nearly_the_number_itself(kind: type[NumericReport]) -> None:
    made = kind.for_epsilon(800, low=0, high=1)
    with seeded("large"):
        found = made.estimate(made.report(np.full(2000, 0.25)))
    assert found.mean == pytest.approx(0.25, abs=0.05)
