"""Intervals of computed columns: they hold what parts within their own intervals come to, and cover
the truth.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.query.tables import made, rows, without_noise

import shoal
from shoal.plan import INTEGER, REAL, Expression, Row, Scan, Table, column, decimal, evaluate
from shoal.query.computed_columns import computed_interval
from shoal.query.estimates import Interval
from shoal.sql import expression

RELEASED = Scan(
    Table(
        "t",
        (column("n", INTEGER), column("x", REAL), column("d", decimal(2)), column("k", INTEGER)),
        protects=Row(),
    )
)
TEXTS = [
    "n + x", "n - 3 * k", "-n * n", "x / n", "n / (x - 2.5)", "(n + 1) // 7", "n * 2", "ABS(x) - d", "SQRT(ABS(n))",
    "ROUND(x / 3, 1)", "FLOOR(x) + CEIL(d)", "GREATEST(n, 0) / 10", "LEAST(x, d, 4)", "CAST(x AS INTEGER) * d", "SIGN(x) * n",
    "d * d", "CAST(n AS DOUBLE) / k", "100.0 * n / (n + GREATEST(k, 1))",
]  # fmt: skip
ENDS = st.tuples(st.floats(-1e6, 1e6), st.floats(0, 50)).map(lambda at: (at[0], at[0] + at[1]))


def of(text: str) -> Expression:
    return expression(text, RELEASED)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=60, deadline=None)
@given(
    ends=st.tuples(ENDS, ENDS, ENDS),
    key=st.integers(-9, 9),
    where=st.tuples(*[st.floats(0, 1)] * 3),
)
def test_whatever_parts_within_their_intervals_come_to_is_within(
    text: str, ends: Any, key: int, where: Any
) -> None:
    parts = dict(zip("nxd", (Interval(*each) for each in ends), strict=True))
    n, x, d = (lo + at * (hi - lo) for (lo, hi), at in zip(ends, where, strict=True))
    row = {
        "n": math.floor(n + 0.5),
        "x": min(x, ends[1][1]),
        "d": math.floor(100 * d + 0.5),
        "k": key,
    }
    value = evaluate(of(text), row)
    found = computed_interval(of(text), {"k": key}, parts)
    assert found.lo <= found.hi
    if value is not None:
        assert isinstance(value, int | float)
        place = Fraction(value) / (10 ** of(text).type.scale)
        assert found.lo <= place <= found.hi


def test_the_interval_of_a_linear_column_is_not_wider_than_its_parts_make_it() -> None:
    parts = {"n": Interval(10, 20), "x": Interval(0.5, 1.0)}
    assert computed_interval(of("3 * n - x"), {}, parts) == Interval(29, 59.5)
    assert computed_interval(of("x / n"), {}, parts) == Interval(0.025, 0.1)


def test_a_divisor_that_may_be_zero_leaves_everything_open() -> None:
    parts = {"n": Interval(-1, 1), "x": Interval(1, 2)}
    assert computed_interval(of("x / n"), {}, parts) == Interval(-math.inf, math.inf)


SQL = (
    "SELECT age AS age, SUM(spend) / COUNT(*) AS m, COUNT(*) * 2 AS two, SUM(spend) - 100 * COUNT(*) AS over, "
    "AVG(spend) / 500 AS share, COUNT(*) AS n FROM data WHERE age < 100 GROUP BY age"
)


def covered(truth: shoal.Answer, name: str, found: list[Interval]) -> int:
    """Of how many of a hundred ages the true number is within."""
    at = truth.columns.index(name)
    inside = [
        ends.lo <= row[at] <= ends.hi  # type: ignore[operator]
        for row, ends in zip(truth.rows, found, strict=True)
        if row[0] is not None and row[0] < 100  # type: ignore[operator]
    ]
    assert len(inside) == 100
    return sum(inside)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["m", "two", "over", "share"])
def test_intervals_of_computed_columns_cover_what_would_be_said_without_noise(name: str) -> None:
    ask = made(rows(3000, each=2), required=["age"]).sql(SQL)
    with without_noise():
        truth = ask.release(epsilon=6)
    answer = ask.release(epsilon=6)
    found = answer.interval(name)
    assert (
        covered(truth, name, found) >= 80
    )  # 95 are expected at least; below 80 less than once in 10^7
    assert covered(truth, name, answer.interval(name, "0.1")) < 95
    wide = answer.interval(name, simultaneous=True)
    assert all(w.lo <= f.lo and f.hi <= w.hi for w, f in zip(wide, found, strict=True))


def test_terms_used_twice_share_the_confidence_once() -> None:
    answer = made(rows(50)).sql("SELECT COUNT(*) AS n, COUNT(*) + COUNT(*) AS two FROM data")
    released = answer.release(epsilon=1)
    once, twice = released.interval("n")[0], released.interval("two")[0]
    assert twice.lo <= 2 * once.lo
    assert twice.hi <= 2 * (once.hi + 1)


def test_an_interval_that_is_everything_is_drawn_without_a_bar() -> None:
    answer = made([]).sql("SELECT SUM(spend) / COUNT(*) AS m FROM data").release(epsilon="0.1")
    assert answer.interval("m")[0] == Interval(-math.inf, math.inf)
    (panel,) = shoal.plots.AnswerData.of(answer).panels
    assert panel.marks[0].low is None
