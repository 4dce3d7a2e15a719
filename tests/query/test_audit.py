"""From outside: what real questions give away about one person never exceeds the claim, and a
planted fault shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import pytest
from tests.query.tables import made, rows

import shoal
from shoal.mechanisms.estimate import share_down
from shoal.plan import Bounded, Term

RUNS = 3000
PERSON = shoal.Person("who", groups=1, rows_per_group=3)
ONE = {"who": 999, "town": "Aldam", "kind": "a", "age": 100, "spend": 500.0}
QUESTIONS: dict[str, Callable[[tuple[Any, ...]], float]] = {
    "SELECT COUNT(*) AS n FROM data": lambda row: row[0],
    "SELECT SUM(spend) AS s FROM data": lambda row: row[0],
    "SELECT AVG(age) AS m FROM data": lambda row: row[0],
    "SELECT MAX(age) AS m FROM data": lambda row: row[0],
    "SELECT COUNT(DISTINCT age) AS d FROM data": lambda row: row[0],
    "SELECT region, COUNT(*) AS n FROM data JOIN towns USING (town) GROUP BY region": lambda row: (
        row[1]
    ),
}


def seen(data: list[dict[str, Any]], sql: str) -> list[float]:
    ask = made(data, protects=PERSON, budget=shoal.Pure(10**6)).sql(sql)
    return [QUESTIONS[sql](ask.release(epsilon=1).rows[0]) for _ in range(RUNS)]


def least_epsilon(sql: str) -> float:
    """A lower bound of epsilon at confidence 1 - 2e-6 a threshold, over thresholds chosen on other
    runs.
    """
    few = rows(6)
    more = [*few, *[{**ONE, "age": 100 - at} for at in range(3)]]
    without, with_one = seen(few, sql), seen(more, sql)
    half, best = RUNS // 2, 0.0
    cuts = sorted(without[:half] + with_one[:half])
    tail = Fraction(1, 10**6)
    for cut in {cuts[int(len(cuts) * share)] for share in (0.2, 0.5, 0.8, 0.9, 0.95)}:
        for one, two in ((without, with_one), (with_one, without)):
            high, low = (sum(value >= cut for value in side[half:]) for side in (one, two))
            certain = share_down(high, half, tail)
            at_most = 1 - share_down(half - low, half, tail)
            if certain > 0:
                best = max(best, math.log(certain / at_most))
    return best


@pytest.mark.audit
@pytest.mark.parametrize("sql", QUESTIONS)
def test_a_question_gives_away_no_more_than_its_epsilon(sql: str) -> None:
    assert least_epsilon(sql) <= 1


@pytest.mark.audit
def test_noise_for_an_eighth_of_the_sensitivity_is_found_out() -> None:
    real = Bounded.sensitivity

    def small(bounded: Bounded, term: Term) -> Any:
        return real(bounded, term).scaled_by(Fraction(1, 8))

    with patch.object(Bounded, "sensitivity", small):
        assert least_epsilon("SELECT COUNT(*) AS n FROM data") > 1
