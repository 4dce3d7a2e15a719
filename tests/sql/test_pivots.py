"""PIVOT and MODE: without noise as DuckDB has them, the same question as the groups they are made
of, and refused where single rows would show.
"""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pytest
from tests.query.tables import without_noise

import shoal
from shoal.errors import RefusedError, UnknownNameError
from shoal.query.canonical import canonical_plan
from shoal.query.private_tables import Private

WARDS, KINDS = ["north", "south"], ["a", "b", "c"]
ROWS = pa.table(
    {
        "ward": [WARDS[n % 5 % 2] for n in range(90)],
        "kind": [KINDS[n % 7 % 3] for n in range(90)],
        "stay": [n % 6 if n % 4 else 2 for n in range(90)],
        "cost": [float(n % 11) for n in range(90)],
    }
)
PIVOTS = [
    "PIVOT t ON kind USING COUNT(*) GROUP BY ward",
    "PIVOT t ON kind IN ('a', 'c') USING SUM(cost) GROUP BY ward",
    "PIVOT t ON stay USING COUNT(*) GROUP BY ward",
    "PIVOT t ON kind IN ('b', 'a') USING SUM(cost) AS s, COUNT(*) AS n GROUP BY ward",
    "PIVOT t ON kind USING AVG(cost) GROUP BY ward, stay",
    "SELECT * FROM (SELECT ward, kind, cost FROM t) PIVOT (SUM(cost) FOR kind IN ('a', 'b'))",
    "SELECT * FROM (SELECT ward, kind, cost FROM t WHERE stay > 1) PIVOT (SUM(cost) FOR kind IN ('a'))",
    "SELECT ward, b FROM (SELECT ward, kind, cost FROM t) PIVOT (COUNT(cost) FOR kind IN ('a', 'b')) AS p WHERE a > 3",
]
MODES = [
    "SELECT MODE(kind) AS usual FROM t",
    "SELECT ward, MODE(kind) AS usual FROM t GROUP BY ward",
    "SELECT MODE(stay) AS usual, ward FROM t WHERE kind <> 'c' GROUP BY 2",
    "SELECT ward AS w, MODE(stay % 2) AS odd FROM t GROUP BY ALL ORDER BY w",
]


def held() -> Private:
    return shoal.private(
        ROWS,
        name="t",
        protects=shoal.Row(),
        columns={
            "ward": shoal.Choices(WARDS),
            "kind": shoal.Choices(KINDS),
            "stay": shoal.Range(0, 5),
            "cost": shoal.Range(0, 10),
        },
        required=["ward", "kind", "stay", "cost"],
        budget=shoal.Pure(10**6),
    )


def plain(sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """What DuckDB answers, in the order of rows."""
    connection = duckdb.connect()
    connection.register("t", ROWS)
    found = connection.sql(sql)
    return found.columns, sorted(found.fetchall(), key=str)


def same_rows(found: list[tuple[Any, ...]], true: list[tuple[Any, ...]]) -> bool:
    """Whether rows agree; where a cell has no rows, DuckDB says NULL and a released number is near 0
    or in the middle of its range.
    """
    pairs = zip(sorted(found, key=str), true, strict=True)
    return all(
        b is None or a == pytest.approx(b, rel=1e-6) if isinstance(b, float) else b in (a, None)
        for one, two in pairs
        for a, b in zip(one, two, strict=True)
    )


@pytest.mark.parametrize("sql", [*PIVOTS, *MODES])
def test_without_noise_a_question_has_the_columns_and_rows_of_plain_sql(sql: str) -> None:
    with without_noise():
        answer = held().sql(sql).release(epsilon=10)
    names, rows = plain(sql)
    assert list(answer.columns) == names
    assert same_rows(answer.rows, rows), (answer.rows, rows)


@pytest.mark.parametrize(
    ("sql", "groups"),
    [
        (PIVOTS[0], "SELECT ward, kind, COUNT(*) AS n FROM t WHERE kind IN ('a', 'b', 'c') GROUP BY ward, kind"),
        (PIVOTS[1], "SELECT ward, kind, SUM(cost) AS n FROM t WHERE kind IN ('a', 'c') GROUP BY ward, kind"),
        (MODES[1], "SELECT ward, kind, COUNT(*) AS n FROM t WHERE kind IS NOT NULL GROUP BY ward, kind"),
    ],
)  # fmt: skip
def test_what_is_drawn_are_the_groups_and_nothing_else(sql: str, groups: str) -> None:
    made, written = held().sql(sql).spelled, held().sql(groups).spelled
    assert canonical_plan(made) == canonical_plan(written)


def test_the_cells_of_a_pivot_have_intervals_and_those_of_others_too() -> None:
    answer = held().sql(PIVOTS[0]).release(epsilon=1)
    for name in KINDS:
        assert all(
            each.lo <= value <= each.hi
            for each, value in zip(answer.interval(name), answer[name], strict=True)
        )
    regrouped = (
        "SELECT ward, SUM(n) FILTER (WHERE kind <> 'a') AS n FROM "
        "(SELECT ward, kind, COUNT(*) AS n FROM t GROUP BY ward, kind) AS g GROUP BY ward"
    )
    two = held().sql(regrouped).release(epsilon=1).interval("n")
    one = held().sql(PIVOTS[0]).release(epsilon=1).interval("a")
    assert two[0].hi - two[0].lo > one[0].hi - one[0].lo


def test_a_cell_of_a_negative_number_has_its_sign() -> None:
    asked = "PIVOT t ON stay - 3 IN (-1, 1) USING COUNT(*) GROUP BY ward"
    assert list(held().sql(asked).release(epsilon=1).columns) == ["ward", "-1", "1"]


def test_a_star_without_some_columns_shows_the_others() -> None:
    inner = "(SELECT ward, kind, stay FROM t) PIVOT (COUNT(stay) FOR kind IN ('a'))"
    answer = held().sql(f"SELECT * EXCLUDE (ward) FROM {inner}").release(epsilon=1)
    assert list(answer.columns) == ["a"]


@pytest.mark.parametrize(
    ("shown", "said"), [("zz.*", "no table 'zz'"), ("* EXCLUDE (zz)", "no column 'zz' to leave")]
)
@pytest.mark.parametrize(
    "rest",
    [
        "FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) AS g",
        "FROM (SELECT ward, kind, stay FROM t) PIVOT (COUNT(stay) FOR kind IN ('a'))",
    ],
)
def test_a_star_of_what_is_not_there_is_refused(shown: str, said: str, rest: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        held().sql(f"SELECT {shown} {rest}")
    with pytest.raises(UnknownNameError, match=said):
        held().sql(f"SELECT COUNT(*) AS n FROM (SELECT {shown} FROM t) AS u")


def test_a_filter_that_depends_on_noise_has_no_interval() -> None:
    answer = (
        held()
        .sql(
            "SELECT ward, SUM(n) FILTER (WHERE n > 9) AS n FROM "
            "(SELECT ward, kind, COUNT(*) AS n FROM t GROUP BY ward, kind) AS g GROUP BY ward"
        )
        .release(epsilon=1)
    )
    assert not answer.has_interval("n")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("PIVOT t ON kind USING COUNT(*)", "single rows"),
        ("PIVOT t ON cost USING COUNT(*) GROUP BY ward", "declared"),
        ("PIVOT t ON kind, stay USING COUNT(*) GROUP BY ward", "one column"),
        ("PIVOT t ON kind IN (ward) USING COUNT(*) GROUP BY ward", "constants"),
        ("SELECT * FROM t PIVOT (COUNT(*) FOR kind IN ('a'))", "sub-query"),
        ("SELECT MODE(kind), COUNT(*) FROM t", "by itself"),
        ("SELECT MODE(kind) AS a, MODE(ward) AS b FROM t", "by itself"),
        ("SELECT ward, MODE(kind) AS a FROM t GROUP BY ward HAVING COUNT(*) > 3", "by itself"),
        ("SELECT MODE(stay) + 1 AS a FROM t", "MODE"),
        ("SELECT MODE() FROM t", "needs a column"),
        ("UNPIVOT t ON kind IN ('a', 'b') USING COUNT(*) GROUP BY ward", "UNPIVOT"),
        ("UNPIVOT t ON kind USING COUNT(*) GROUP BY ward", "UNPIVOT"),
    ],
)
def test_what_would_show_rows_or_is_not_read_is_refused_with_a_remedy(sql: str, said: str) -> None:
    with pytest.raises(RefusedError, match=said) as refusal:
        held().sql(sql)
    assert refusal.value.remedy
