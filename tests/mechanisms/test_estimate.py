"""What reports of randomized response say about a population."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy import special, stats

from shoal import Estimate, RandomizedResponse
from shoal.errors import CalibrationError, DataError, RangeError, ShapeError
from shoal.exact import at_precision, ball
from shoal.mechanisms.estimate import _chance, share_down
from shoal.noise import seam


def report_laws(
    truth: Fraction, categories: int, answers: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every possible list of reports of these people, with its probability."""
    lie = (1 - truth) / (categories - 1)
    for told in itertools.product(range(categories), repeat=len(answers)):
        chance = Fraction(1)
        for report, answer in zip(told, answers, strict=True):
            chance *= truth if report == answer else lie
        yield told, chance


@pytest.mark.parametrize(
    ("truth", "categories", "answers"),
    [
        ("3/4", 2, (0, 0, 1, 1, 1, 0, 1)),
        ("1/5", 2, (0, 1, 1, 1)),
        ("1/2", 3, (0, 1, 2, 2, 1)),
        ("1/10", 4, (0, 3, 3, 1)),
    ],
)
def test_the_estimate_is_unbiased_with_the_variance_of_its_formula(
    truth: str, categories: int, answers: tuple[int, ...]
) -> None:
    mechanism = RandomizedResponse(truth=truth, categories=categories)
    people = len(answers)
    lean = (categories * Fraction(truth) - 1) / (categories - 1)
    for category in range(categories):
        share = Fraction(answers.count(category), people)
        mean = square = 0.0
        for told, chance in report_laws(Fraction(truth), categories, answers):
            estimate = mechanism.estimate(np.array(told)).frequencies[category]
            mean += float(chance) * estimate
            square += float(chance) * estimate**2
        assert mean == pytest.approx(float(share), abs=1e-12)
        named = [
            Fraction(truth) if answer == category else (1 - Fraction(truth)) / (categories - 1)
            for answer in answers
        ]
        variance = sum(p * (1 - p) for p in named) / (people * lean) ** 2
        assert square - mean**2 == pytest.approx(float(variance), rel=1e-9)


def test_the_estimated_variance_is_that_of_a_share_of_reports() -> None:
    estimate = RandomizedResponse.coins().estimate_from_counts([300, 700])
    assert estimate.variances[1] == pytest.approx(0.3 * 0.7 / 1000 / 0.5**2)
    assert sum(estimate.frequencies) == pytest.approx(1)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("truth", ["3/4", "1/10", "0.55"])
@pytest.mark.parametrize("people", [1, 7, 30])
def test_the_exact_interval_covers_every_frequency_at_least_as_often_as_it_says(
    people: int, truth: str, confidence: float
) -> None:
    mechanism = RandomizedResponse(truth=truth)
    intervals = [
        mechanism.estimate_from_counts([people - count, count]).interval(confidence)[1]
        for count in range(people + 1)
    ]
    for share in np.linspace(0, 1, 41):
        named = float(Fraction(truth)) * share + (1 - float(Fraction(truth))) * (1 - share)
        chances = stats.binom.pmf(np.arange(people + 1), people, named)
        covered = sum(
            chance
            for chance, (low, high) in zip(chances, intervals, strict=True)
            if low - 1e-12 <= share <= high + 1e-12
        )
        assert covered >= confidence - 1e-9


def test_the_normal_interval_covers_about_as_often_as_it_says() -> None:
    """ERRATA 2: coverage .946 for a nominal .95 at n = 1000, frequency 0.3, phi = 3/4 or so."""
    mechanism, people, share = RandomizedResponse.coins(), 1000, 0.3
    named = 0.75 * share + 0.25 * (1 - share)
    counts = np.arange(300, 501)
    covered = 0.0
    for count in counts:
        low, high = mechanism.estimate_from_counts([people - count, count]).interval(
            method="normal"
        )[1]
        covered += stats.binom.pmf(count, people, named) * (low <= share <= high)
    assert 0.94 <= covered <= 0.955


def test_an_interval_never_leaves_the_unit_interval_nor_turns_around() -> None:
    for truth in ("3/4", "1/10"):
        for counts in ([0, 100], [100, 0], [1, 99], [50, 50]):
            estimate = RandomizedResponse(truth=truth).estimate_from_counts(counts)
            for low, high in estimate.interval():
                assert 0 <= low <= high <= 1


@pytest.mark.parametrize("tail", ["0.025", "0.25", "1e-9", "1e-30"])
@pytest.mark.parametrize(
    ("count", "people"), [(1, 1), (1, 10), (3, 10), (10, 10), (500, 1000), (1, 10**6), (3 * 10**5, 10**6), (10**6, 10**6)]
)  # fmt: skip
def test_the_clopper_pearson_end_is_found_to_ten_digits_on_the_safe_side(
    count: int, people: int, tail: str
) -> None:
    share = share_down(count, people, Fraction(tail))
    reference = special.betaincinv(count, people - count + 1, float(tail))
    assert float(share) == pytest.approx(reference, rel=1e-9)
    at, above = (
        special.betainc(count, people - count + 1, float(share) * f) for f in (1, 1 + 1e-9)
    )
    assert at <= float(tail) * (1 + 1e-6)
    assert above >= float(tail) * (1 - 1e-6)


@pytest.mark.parametrize(
    ("count", "people", "share"),
    [(1, 1, "1/40"), (5, 40, "1/50"), (900, 2000, "2/5"), (700, 2000, "1/3")],
)
def test_the_chance_of_so_many_reports_is_an_incomplete_beta_function(
    count: int, people: int, share: str
) -> None:
    def both() -> tuple[arb, arb]:
        place = ball(Fraction(share))
        return _chance(place, count, people), place.beta_lower(
            arb(count), arb(people - count + 1), regularized=True
        )

    added, known = at_precision(128, both)
    assert added.overlaps(known)
    assert added.rel_accuracy_bits() > 90


def test_an_interval_of_extreme_confidence_is_found() -> None:
    estimate = RandomizedResponse.coins().estimate_from_counts([500, 500])
    sure = 1 - Fraction(1, 10**300)
    for method in ("exact", "normal"):
        low, high = estimate.interval(sure, method=method)[0]
        assert low < 0.5 < high
    low, high = estimate.interval("1e-300")[0]
    assert 0.49 < low <= high < 0.51


def test_a_poll_of_ten_thousand_is_near_the_truth() -> None:
    mechanism = RandomizedResponse.for_epsilon(2, categories=4)
    answers = np.repeat([0, 1, 2, 3], [1000, 2000, 3000, 4000])
    with seam.seeded("poll"):
        estimate = mechanism.estimate(mechanism.release(answers))
    error = mechanism.error("0.999", answers=10_000)
    for category, share in enumerate((0.1, 0.2, 0.3, 0.4)):
        assert abs(estimate.frequencies[category] - share) < error
        low, high = estimate.interval("0.9999")[category]
        assert low <= share <= high


def test_the_error_of_an_estimate_is_hoeffdings() -> None:
    mechanism = RandomizedResponse(truth="3/4")
    wanted = math.sqrt(math.log(2 / 0.05) / 2000) / 0.5
    assert mechanism.error("0.95", answers=1000) == pytest.approx(wanted, rel=1e-12)
    assert mechanism.error("0.95", answers=1000) >= wanted * (1 - 1e-15)
    assert RandomizedResponse(truth="1/2").error("0.95", answers=1000) == math.inf
    assert RandomizedResponse.for_epsilon("1e-200").error("0.95", answers=9) > 1e199
    assert RandomizedResponse.for_epsilon("1e300").error("0.95", answers=9) < 1


def test_reports_that_are_none_are_refused() -> None:
    mechanism = RandomizedResponse.coins()
    with pytest.raises(ShapeError):
        mechanism.estimate(np.array([0.5, 1.0]))
    with pytest.raises(DataError):
        mechanism.estimate(np.array([0, 2]))
    with pytest.raises(DataError):
        mechanism.estimate(np.array([-1, 0]))
    with pytest.raises(ShapeError):
        mechanism.estimate(np.array([], dtype=int))
    for counts in ([1, 2, 3], [1], [1.5, 2], [-1, 2], None):
        with pytest.raises(ShapeError):
            mechanism.estimate_from_counts(counts)
    with pytest.raises(CalibrationError):
        RandomizedResponse(truth="1/2").estimate_from_counts([1, 2])
    with pytest.raises(RangeError, match="method"):
        mechanism.estimate_from_counts([1, 2]).interval(method="bayes")


def test_an_estimate_cannot_be_made_of_nonsense() -> None:
    for counts in ((0, 0), (-1, 2), (1.5, 2)):
        with pytest.raises(ShapeError):
            Estimate(counts=counts, lean=0.5, floor=0.25)  # type: ignore[arg-type]
    for lean in (0.0, math.nan, 2.0, math.inf):
        with pytest.raises(RangeError):
            Estimate(counts=(1, 2), lean=lean, floor=0.25)
    with pytest.raises(RangeError):
        Estimate(counts=(1, 2), lean=0.5, floor=math.nan)
