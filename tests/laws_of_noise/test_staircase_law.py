from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

from shoal.noise import staircase
from shoal.noise.seam import seeded

DRAWS = 300_000


def chances(epsilon: float, width: int, tread: int, reach: int) -> list[float]:
    """Of -reach..reach, and of everything beyond, step by step."""

    def weight(x: int) -> float:
        flight, place = divmod(abs(x), width)
        return math.exp(-epsilon * (flight + (place >= tread)))

    total = math.fsum(weight(x) for x in range(-200 * width, 200 * width + 1))
    shown = [weight(x) / total for x in range(-reach, reach + 1)]
    return [*shown, 1 - math.fsum(shown)]


@pytest.mark.parametrize(("width", "tread"), [(5, 2), (5, 5), (1, 1), (4, 1)])
def test_staircase_draws_fit_their_law_and_not_that_of_another_tread_or_epsilon(
    width: int, tread: int
) -> None:
    reach = 4 * width
    with seeded(f"stairs {width} {tread}"):
        drawn = np.asarray(staircase(Fraction(1, 2), width, tread).many(DRAWS), dtype=np.int64)
    inside = np.where(abs(drawn) <= reach, drawn + reach, 2 * reach + 1)
    counts = np.bincount(inside, minlength=2 * reach + 2)
    assert fit_counts(counts, chances(0.5, width, tread, reach)) > ACCEPTED
    assert fit_counts(counts, chances(0.51, width, tread, reach)) < 1e-6
    if width > 1:
        other = tread - 1 if tread > 1 else tread + 1
        assert fit_counts(counts, chances(0.5, width, other, reach)) < 1e-20
