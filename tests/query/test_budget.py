"""What a question may cost, and what that promises."""

from __future__ import annotations

from fractions import Fraction

import pytest

from shoal.measures import Approx, Pure, ZeroConcentrated
from shoal.query.budget import CostRequest

KEYS = Fraction(1, 10**7)


@pytest.mark.parametrize(
    ("cost", "promise"),
    [
        (CostRequest(Pure(1)), Pure(1)),
        (CostRequest(Pure(1), KEYS), Approx(1, KEYS)),
        (CostRequest(Approx(1, "1e-6"), KEYS), Approx(1, "1.1e-6")),
        (CostRequest(ZeroConcentrated("0.5"), KEYS), ZeroConcentrated("0.5")),
    ],
)
def test_the_promise_of_a_cost_counts_the_delta_of_keys(
    cost: CostRequest, promise: Pure | Approx | ZeroConcentrated
) -> None:
    assert cost.promise == promise
