from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

import shoal
from shoal.errors import CalibrationError, RangeError, ShapeError
from shoal.local.protocols.bloom import BloomRappor
from shoal.noise.seam import seeded

SMALL = BloomRappor.of(bits=6, hashes=2, cohorts=3, noise="1/2", one="3/4", zero="1/4")
LARGE = BloomRappor.of(bits=64, hashes=2, cohorts=16, noise="1/4", one="3/4", zero="1/4")
TEXTS = [f"word {number}" for number in range(40)]


def every_report() -> list[list[int]]:
    return [
        np.packbits(np.array(bits, dtype=np.uint8)).tolist() for bits in product((0, 1), repeat=6)
    ]


def test_the_largest_ratio_over_all_texts_and_reports_is_exactly_the_odds() -> None:
    most = Fraction(0)
    for cohort in range(3):
        laws = [[SMALL.chance(text, cohort, report) for report in every_report()] for text in TEXTS]
        assert all(sum(law) == 1 for law in laws)
        for chances in zip(*laws, strict=True):
            most = max(most, max(chances) / min(chances))
    assert most == SMALL.odds
    assert SMALL.cost == shoal.Pure(SMALL.epsilon)


def test_a_lifetime_costs_the_largest_ratio_of_the_permanent_bits() -> None:
    kept, moved = 1 - SMALL.noise / 2, SMALL.noise / 2
    assert SMALL.lifetime_odds == (kept / moved) ** 4
    assert SMALL.odds < SMALL.lifetime_odds
    assert SMALL.epsilon < SMALL.lifetime_epsilon


def test_a_text_sets_as_many_different_bits_as_there_are_hashes() -> None:
    for text, cohort in product(TEXTS, range(3)):
        assert len(set(SMALL.places(text, cohort))) == 2
    assert len({LARGE.places("word 1", cohort) for cohort in range(16)}) > 8


@pytest.mark.parametrize("twice", [False, True])
def test_reports_have_their_stated_law_at_once_and_by_way_of_permanent_bits(*, twice: bool) -> None:
    cohorts = np.ones(40_000, dtype=np.int64)
    with seeded(f"bloom {twice}"):
        if twice:
            told = SMALL.report_again(SMALL.permanent(["word 1"] * 40_000, cohorts=cohorts))
        else:
            told = SMALL.report(["word 1"] * 40_000, cohorts=cohorts)
    counts = np.bincount(told[:, 0] >> 2, minlength=64)
    law = [float(SMALL.chance("word 1", 1, report)) for report in every_report()]
    other = [float(SMALL.chance("word 2", 0, report)) for report in every_report()]
    assert fit_counts(counts, law) > ACCEPTED
    assert fit_counts(counts, other) < ACCEPTED


def test_shares_of_candidates_are_unbiased_with_the_errors_they_say() -> None:
    people = 12_000
    texts = [TEXTS[number % 4 * (number % 3 > 0)] for number in range(people)]
    truth = np.array([texts.count(text) / people for text in TEXTS])
    with seeded("shares"):
        cohorts = LARGE.draw_cohorts(people)
        told = LARGE.report(texts, cohorts=cohorts)
    parts = [
        LARGE.count(told[half], cohorts=cohorts[half])
        for half in (slice(None, 5000), slice(5000, None))
    ]
    found = LARGE.estimate(parts[0] + parts[1], TEXTS)
    off = (found.shares - truth) / found.standard_errors
    assert np.abs(off).max() < 5
    assert 0.4 < np.mean(off**2) < 2
    assert found.shares[0] > 10 * found.standard_errors[0]


def test_what_cannot_be_used_is_refused() -> None:
    cohorts = np.zeros(2, dtype=np.int64)
    with pytest.raises(RangeError):
        BloomRappor.of(bits=6, hashes=2, cohorts=1, noise="1/2", one="1/4", zero="3/4")
    with pytest.raises(ShapeError):
        SMALL.report(["a"], cohorts=cohorts)
    counts = SMALL.count(SMALL.report(["a", "b"], cohorts=cohorts), cohorts=cohorts)
    with pytest.raises(CalibrationError):
        SMALL.estimate(counts, TEXTS)
    with pytest.raises(ShapeError):
        SMALL.count(np.zeros((1, 1), dtype=np.uint8), cohorts=cohorts)
