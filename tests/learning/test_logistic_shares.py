"""Certified shares beside Python's decimals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.learning.many_digits import true_share

from shoal.learning.logistic_shares import (
    QUICK_ERROR_BITS,
    SCORE_BITS,
    SHARE_BITS,
    fine_shares,
    quick_shares,
)


def _scores() -> list[int]:
    rng = np.random.default_rng(2)
    one = 1 << SCORE_BITS
    edges = [cell * (one >> 8) + off for cell in (-1, 0, 1, 777, -10239) for off in (-1, 0, 1)]
    ends = [s * end * one + off for s in (-1, 1) for end in (39, 40, 41, 64) for off in (-1, 0, 1)]
    even = [int(each * one) for each in rng.uniform(-42, 42, 400)]
    return [*edges, *ends, *even, *[int(each * one) for each in rng.normal(0, 1, 400)], 0]


def test_quick_shares_are_as_near_as_they_say() -> None:
    scores = _scores()
    found = quick_shares(np.array(scores)).tolist()
    off = [
        abs(Fraction(share, 1 << SHARE_BITS) - true_share(Fraction(score, 1 << SCORE_BITS)))
        for score, share in zip(scores, found, strict=True)
    ]
    assert max(off) <= Fraction(1, 1 << (QUICK_ERROR_BITS + 1))
    assert all(0 <= share <= 1 << SHARE_BITS for share in found)


def test_the_largest_scores_give_a_share_of_0_or_1() -> None:
    ends = np.array([-(1 << 62), 1 << 62])
    assert quick_shares(ends).tolist() == [0, 1 << SHARE_BITS]
    assert fine_shares([-(1 << 400), 1 << 400], 70, 90) == [0, 1 << 90]


@pytest.mark.parametrize("bits", [60, 112, 300])
def test_fine_shares_are_as_near_as_they_say(bits: int) -> None:
    scores = _scores()[::5]
    off = [
        abs(Fraction(share, 1 << bits) - true_share(Fraction(score, 1 << SCORE_BITS)))
        for score, share in zip(scores, fine_shares(scores, SCORE_BITS, bits), strict=True)
    ]
    assert max(off) <= Fraction(2, 1 << bits)
    assert max(off) > 0
