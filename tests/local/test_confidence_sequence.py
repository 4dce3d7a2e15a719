from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import beta, binom
from tests.local.designs import CASES

from shoal.local import ConfidenceSequence, crosswise, kary, warner
from shoal.local.martingale import evidence_against

REPLIES, STREAMS = 2000, 2000


def streams(told: float, seed: int) -> NDArray[np.int64]:
    """How many "yes" there were after each reply, in many surveys."""
    draw = np.random.default_rng(seed)
    return np.cumsum(draw.random((STREAMS, REPLIES)) < told, axis=1)


def ever_misses(yes: NDArray[np.int64], told: float) -> float:
    """How many surveys have a moment at which the truth is outside the interval."""
    many = np.arange(1, REPLIES + 1)
    mixed = gammaln(yes + 0.5) + gammaln(many - yes + 0.5) - gammaln(many + 1) - math.log(math.pi)
    fit = yes * math.log(told) + (many - yes) * math.log1p(-told)
    return float((mixed - fit >= math.log(20)).any(axis=1).mean())


@pytest.mark.slow
@pytest.mark.parametrize("told", [0.25, 0.5, 0.3])
def test_hardly_any_survey_ever_shows_an_interval_without_the_truth(told: float) -> None:
    missed = ever_misses(streams(told, 3), told)
    assert missed <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / STREAMS)
    assert missed > 0.001  # and the bound is not idle


@pytest.mark.slow
def test_intervals_for_one_look_miss_in_many_surveys_if_one_looks_always() -> None:
    """What the sequence is for, and the proof that the count above can fail."""
    told, many = 0.25, np.arange(1, REPLIES + 1)
    yes = streams(told, 3)[:500]
    low, high = beta.ppf(0.025, yes, many - yes + 1), beta.ppf(0.975, yes + 1, many - yes)
    outside = (np.nan_to_num(low, nan=0.0) > told) | (np.nan_to_num(high, nan=1.0) < told)
    assert outside.any(axis=1).mean() > 0.15


@pytest.mark.parametrize("name", ["warner", "crosswise", "mangat"])
@pytest.mark.parametrize("counts", [(7, 4), (70, 40), (700, 300), (5, 0), (0, 9)])
def test_the_interval_is_where_the_evidence_stays_below_the_bound(
    name: str, counts: tuple[int, int]
) -> None:
    case = CASES[name]
    low, high = ConfidenceSequence(case.design).interval(counts)
    no, yes = counts

    def below(share: float) -> bool:
        told = float(case.floor) + float(case.lean) * share
        if not 0 < told < 1:
            return (yes if told <= 0 else no) == 0
        fit = yes * math.log(told) + no * math.log1p(-told)
        return evidence_against(yes, no) - fit < math.log(20)

    for share in np.linspace(0, 1, 501):
        if low + 1e-6 < share < high - 1e-6:
            assert below(share)
        elif not low - 1e-6 < share < high + 1e-6:
            assert not below(share)


def test_the_evidence_is_a_fair_game_under_the_truth() -> None:
    """The mean over all orders of 12 replies is 1, by adding up."""
    for told in (0.2, 0.5, 0.9):
        mean = sum(
            binom.pmf(yes, 12, told)
            * math.exp(evidence_against(yes, 12 - yes))
            / (told**yes * (1 - told) ** (12 - yes))
            for yes in range(13)
        )
        assert mean == pytest.approx(1)


def test_more_replies_make_it_narrower_and_none_leave_it_whole() -> None:
    watch = ConfidenceSequence(warner(), "0.9")
    widths = []
    for scale in (1, 10, 100, 1000, 10_000):
        low, high = watch.interval([60 * scale, 40 * scale])
        widths.append(high - low)
        assert low <= 0.3 <= high
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.01
    assert watch.interval([0, 0]) == (0.0, 1.0)


def test_it_is_wider_than_an_interval_for_one_look() -> None:
    counts = [700, 300]
    once = crosswise().estimate_from_counts(counts)["yes"].interval()
    always = ConfidenceSequence(crosswise()).interval(counts)
    assert always[0] <= once[0] <= once[1] < always[1]


def test_only_designs_of_two_answers_can_be_watched() -> None:
    with pytest.raises(ValueError, match="does not have two answers"):
        ConfidenceSequence(kary(["a", "b", "c"], truth="1/2"))


def test_the_method_always_is_the_sequence_for_two_answers_and_serves_more() -> None:
    counts = [700, 300]
    share = crosswise().estimate_from_counts(counts)["yes"]
    assert share.interval(method="always") == ConfidenceSequence(crosswise()).interval(counts)
    three = kary(["a", "b", "c"], truth="7/10").estimate_from_counts([500, 300, 200])
    for always, once in zip(three.interval(method="always"), three.interval(), strict=True):
        assert always[0] <= once[0] < once[1] <= always[1]


def test_intervals_of_all_answers_at_once_share_the_risk() -> None:
    three = kary(["a", "b", "c"], truth="7/10").estimate_from_counts([500, 300, 200])
    apart, together = three.interval("0.98"), three.interval("0.94", together=True)
    assert together == apart
    two = warner().estimate_from_counts([60, 40])
    assert two.interval(together=True) == two.interval()
