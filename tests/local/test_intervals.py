"""How often intervals cover, by adding up the chances of every outcome."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from tests.local.designs import CASES, Case

from shoal.errors import CalibrationError, RangeError, ShapeError
from shoal.local import AnchoredCrosswise, TwoSamples, interval_of, kary, kuk
from shoal.local.intervals import binomial_ends
from shoal.noise.seam import seeded

SHARES = [Fraction(0), Fraction(1, 50), Fraction(1, 10), Fraction(1, 2)]
PEOPLE = [50, 200, 2000]
ROUNDING = 1e-9
FAR = 2.5e-3  # intervals that join two at half of the risk cover so often that this may be missing
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def likely(people: int, chance: float, *, left_out: float = 1e-10) -> range:
    """Counts that leave out at most so much; what is left out counts as not covered."""
    low, high = binom.ppf(left_out, people, chance), binom.isf(left_out, people, chance)
    return range(max(0, int(low)), min(people, int(high)) + 1)


def coverage(case: Case, share: Fraction, people: int, *, method: str = "exact") -> float:
    told = float(case.floor + case.lean * share)
    if told in (0.0, 1.0):
        counts = range(int(told) * people, int(told) * people + 1)
    else:
        counts = likely(people, told)
    covered, chances = 0.0, binom.pmf(np.array(counts), people, told)
    for count, chance in zip(counts, chances, strict=True):
        found = case.design.estimate_from_counts([people - count, count])["yes"]
        low, high = found.interval(method=method)
        if low <= share <= high:
            covered += float(chance)
    return covered


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("people", PEOPLE)
def test_the_default_interval_covers_at_least_as_often_as_it_says(case: Case, people: int) -> None:
    for share in SHARES:
        assert coverage(case, share, people) >= 0.95 - ROUNDING


def test_the_normal_interval_covers_less_often_so_the_sum_can_fail() -> None:
    assert min(coverage(CASES["unrelated"], share, 50, method="wald") for share in SHARES) < 0.95


@pytest.mark.parametrize("people", [50, 2000])
def test_wilson_covers_about_as_often_as_it_says(people: int) -> None:
    for share in SHARES:
        assert 0.93 < coverage(CASES["warner"], share, people, method="wilson") < 0.999


@pytest.mark.slow
@pytest.mark.parametrize("people", PEOPLE)
@pytest.mark.parametrize("share", SHARES)
def test_k_ary_intervals_cover_every_answer(people: int, share: Fraction) -> None:
    design = kary(["a", "b", "c", "d"], truth="7/10")
    told = float(design.matrix.reported([share, 1 - share, 0, 0])[0])
    covered = 0.0
    for count in likely(people, told):
        low, high = design.estimate_from_counts([count, people - count, 0, 0])["a"].interval()
        covered += float(binom.pmf(count, people, told)) if low <= share <= high else 0.0
    assert covered >= 0.95 - ROUNDING


def log_chance(counts: tuple[int, ...], chances: list[float]) -> float:
    many = math.lgamma(sum(counts) + 1) - sum(math.lgamma(count + 1) for count in counts)
    return many + sum(count * math.log(p) for count, p in zip(counts, chances, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("people", PEOPLE)
@pytest.mark.parametrize("share", SHARES)
def test_intervals_of_replies_that_count_three_numbers_cover(people: int, share: Fraction) -> None:
    matrix = kuk("3/4", "1/5", draws=2).matrix
    told = [float(each) for each in matrix.reported([1 - share, share])]
    worths = [row[1] for row in matrix.estimator]
    assert len(set(worths)) == 3
    covered = 0.0
    for none in likely(people, told[0], left_out=FAR):
        for both in likely(people, told[2], left_out=FAR):
            one = people - none - both
            if one < 0:
                continue
            groups = sorted(zip(worths, (none, one, both), strict=True))
            low, high = interval_of(groups)
            if low <= share <= high:
                covered += math.exp(log_chance((none, one, both), told))
    assert covered >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("people", PEOPLE)
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("harmless", ["0", "1/2"])
def test_intervals_of_two_samples_cover(people: int, share: Fraction, harmless: str) -> None:
    design, half = TwoSamples("3/4", "1/4"), people // 2
    told = [float(d.floor + d.lean * share) for d in design.for_prevalence(harmless)]
    ranges = [range(1) if chance == 0 else likely(half, chance, left_out=FAR) for chance in told]
    chances = [binom.pmf(np.array(r), half, chance) for r, chance in zip(ranges, told, strict=True)]
    covered = 0.0
    for first, p in zip(ranges[0], chances[0], strict=True):
        for second, q in zip(ranges[1], chances[1], strict=True):
            found = design.estimate_from_counts((half - first, first), (half - second, second))
            low, high = found.interval()
            covered += p * q if low <= share <= high else 0.0
    assert covered >= 0.95


def anchored_coverage(share: float, attention: float, people: int) -> float:
    """Over the two marginal counts, for replies that are independent given attention's share."""
    same = 0.5 + attention * 0.5 * (0.5 - share)
    anchor = 0.5 + attention * 0.25
    design, covered = AnchoredCrosswise("1/4"), 0.0
    for a in likely(people, same, left_out=FAR):
        chance = float(binom.pmf(a, people, same))
        for b in likely(people, anchor, left_out=FAR):
            both = max(0, a + b - people)  # any table with these margins has the same interval
            table = [[people - a - b + both, b - both], [a - both, both]]
            low, high = design.estimate_from_counts(table).interval()
            if low <= share <= high:
                covered += chance * math.exp(log_chance((b, people - b), [anchor, 1 - anchor]))
    return covered


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.5])
@pytest.mark.parametrize(("people", "attention"), [(50, 0.8), (200, 0.8), (200, 1.0), (2000, 0.6)])
def test_intervals_with_an_anchor_cover(share: float, people: int, attention: float) -> None:
    assert anchored_coverage(share, attention, people) >= 0.95


def test_an_anchor_removes_the_bias_of_people_who_do_not_attend() -> None:
    """A fifth does not attend, and a tenth has the trait: the table of 1000 people as expected."""
    found = AnchoredCrosswise("1/4").estimate_from_counts([[140, 200], [160, 500]])
    assert found.attention == Fraction(4, 5)
    assert found.value == Fraction(1, 10)
    assert found.uncorrected == Fraction(18, 100)


@pytest.mark.slow
def test_the_standard_error_with_an_anchor_is_the_spread_of_resampled_values() -> None:
    found = AnchoredCrosswise("1/4").estimate_from_counts([[1400, 2000], [1600, 5000]])
    with seeded("anchor"):
        low, high = found.interval("0.6827", method="bootstrap")
    assert (high - low) / 2 == pytest.approx(found.error, rel=0.06)
    wald = found.interval("0.6827", method="wald")
    assert wald[1] - wald[0] == pytest.approx(2 * found.error, rel=1e-3)


def test_an_anchor_by_which_nobody_attends_says_nothing() -> None:
    found = AnchoredCrosswise("1/4").estimate_from_counts([[30, 20], [30, 20]])
    with pytest.raises(CalibrationError):
        _ = found.value
    assert found.interval() == (0.0, 1.0)
    with pytest.raises(ShapeError):
        AnchoredCrosswise("1/4").estimate_from_counts([1, 2, 3])


# the methods by name


def test_the_bootstrap_takes_the_percentiles_of_the_resampled_estimate() -> None:
    with seeded("bootstrap"):
        found = interval_of([(Fraction(0), 600), (Fraction(1), 400)], method="bootstrap")
    ends = [float(binom.ppf(level, 1000, 0.4)) / 1000 for level in (0.025, 0.975)]
    assert found == pytest.approx(ends, abs=0.004)


def test_the_bootstrap_of_three_numbers_agrees_with_the_normal_interval() -> None:
    groups = [(Fraction(-1), 300), (Fraction(1, 2), 500), (Fraction(2), 1200)]
    with seeded("three"):
        found = interval_of(groups, method="bootstrap", cut=False)
    assert found == pytest.approx(interval_of(groups, method="wald", cut=False), abs=0.006)


def test_wilson_solves_its_quadratic() -> None:
    low, high = interval_of([(Fraction(0), 90), (Fraction(1), 10)], method="wilson")
    for end in (low, high):
        z = (0.1 - end) / math.sqrt(end * (1 - end) / 100)
        assert abs(z) == pytest.approx(1.959964, rel=1e-6)


def test_cutting_keeps_both_ends_in_the_unit_interval_and_can_be_left_out() -> None:
    found = CASES["warner"].design.estimate_from_counts([50, 0])["yes"]
    assert found.interval() == (0.0, 0.0)
    low, high = found.interval(cut=False)
    assert low == -0.5
    assert -0.5 < high < 0


def test_more_confidence_needs_a_wider_interval() -> None:
    found = CASES["forced"].design.estimate_from_counts([60, 40])["yes"]
    narrow, wide = found.interval("0.8"), found.interval("0.99")
    assert wide[0] < narrow[0] < float(found.value) < narrow[1] < wide[1]


def test_clopper_pearson_ends_are_where_the_tails_have_half_of_the_risk() -> None:
    low, high = binomial_ends(13, 80, Fraction(1, 20))
    assert float(binom.sf(12, 80, float(low))) == pytest.approx(0.025, rel=1e-6)
    assert float(binom.cdf(13, 80, float(high))) == pytest.approx(0.025, rel=1e-6)


def test_a_method_that_is_not_there_or_does_not_fit_is_refused() -> None:
    three = [(Fraction(0), 1), (Fraction(1, 2), 2), (Fraction(1), 3)]
    with pytest.raises(RangeError, match="method must be one of"):
        interval_of(three, method="jeffreys")
    with pytest.raises(RangeError, match="'wilson' is for designs"):
        interval_of(three, method="wilson")
    with pytest.raises(ShapeError):
        interval_of([(Fraction(0), 1), (Fraction(1), 0)], method="wald")
    for bad in (TwoSamples().estimate_from_counts([1, 2], [2, 1]),):
        with pytest.raises(RangeError, match="method must be"):
            bad.interval(method="wilson")
