from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

from shoal.local.protocols.oracles import Rappor
from shoal.noise.seam import seeded

RAPPOR = Rappor.of(size=3, noise="1/2", one="3/4", zero="1/4")


def permanent_chance(value: int, bits: tuple[int, ...]) -> Fraction:
    kept, moved = 1 - RAPPOR.noise / 2, RAPPOR.noise / 2
    ones = [kept if place == value else moved for place in range(3)]
    return math.prod(
        (one if bit else 1 - one for one, bit in zip(ones, bits, strict=True)), start=Fraction(1)
    )


def test_all_reports_of_a_lifetime_cost_the_largest_ratio_of_the_permanent_bits() -> None:
    rows = list(product((0, 1), repeat=3))
    ratios = [
        permanent_chance(u, bits) / permanent_chance(v, bits)
        for bits in rows
        for u in range(3)
        for v in range(3)
    ]
    assert max(ratios) == RAPPOR.lifetime_odds
    assert float(RAPPOR.lifetime_epsilon) >= math.log(RAPPOR.lifetime_odds)
    assert RAPPOR.odds < RAPPOR.lifetime_odds


def test_both_flips_together_have_the_law_of_one_report() -> None:
    with seeded("rappor"):
        told = RAPPOR.report_again(RAPPOR.permanent(np.full(40_000, 1)))
    counts = np.bincount(told[:, 0] >> 5, minlength=8)
    law = [float(RAPPOR.chance(1, [code << 5])) for code in range(8)]
    assert fit_counts(counts, law) > ACCEPTED
    assert (
        fit_counts(counts, [float(RAPPOR.chance(0, [code << 5])) for code in range(8)]) < ACCEPTED
    )


def test_reports_from_one_permanent_row_are_not_independent() -> None:
    """Their average shows the permanent row and not the value: that is what the lifetime cost is
    for.
    """
    with seeded("again"):
        row = RAPPOR.permanent([2])
        told = RAPPOR.report_again(np.repeat(row, 20_000, axis=0))
    shares = np.unpackbits(told, axis=1, count=3).mean(axis=0)
    assert np.allclose(
        shares, np.where(np.unpackbits(row, axis=1, count=3)[0], 0.75, 0.25), atol=0.02
    )
