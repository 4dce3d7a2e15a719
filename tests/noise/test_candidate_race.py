"""What holds for every race."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.errors import RangeError
from shoal.noise import exponential_race, gumbel_race, laplace_race

SCORES = np.array([3, 2, 0, 0, -5])
HALF = Fraction(1, 2)


@pytest.mark.parametrize("run", [lambda *a: gumbel_race(*a)[0], exponential_race, laplace_race])
def test_gaps_beyond_the_floats_are_no_contest_and_no_warning(run: object) -> None:
    assert callable(run)
    assert run(np.array([-1e308, 1e308, -1e300]), Fraction(10**200)) == 1
    assert run(np.array([-(2**63), 2**63 - 1]), Fraction(10**100)) == 1
    assert run(np.array([Fraction(10) ** 500, Fraction(0)], dtype=object), Fraction(1)) == 0


@pytest.mark.parametrize("run", [gumbel_race, exponential_race, laplace_race])
@pytest.mark.parametrize("rate", [Fraction(0), Fraction(-1), Fraction(10) ** 291])
def test_a_rate_out_of_reach_is_refused(run: object, rate: Fraction) -> None:
    assert callable(run)
    with pytest.raises(RangeError, match="10\\^290"):
        run(SCORES, rate)
