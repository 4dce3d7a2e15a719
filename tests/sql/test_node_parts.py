"""Nothing that stands in a question is passed over: not NOT, and no word that a parser of tomorrow
puts into a node.
"""

from __future__ import annotations

import inspect
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from sqlglot import expressions as nodes
from tests.query.tables import made, without_noise

import shoal
from shoal.errors import RefusedError
from shoal.sql.expressions import Translator
from shoal.sql.node_parts import READ
from shoal.sql.question_text import Text

TOWNS = ["Aldam", "aldam", "Al%am", "Al_am", "Brook", "", None, "Curve 7"]
ROWS = [
    {
        "who": at,
        "town": TOWNS[at % len(TOWNS)],
        "kind": ["a", "b", None][at % 3],
        "age": [None, 7, 30, 31, 90][at % 5],
        "spend": [None, 0.5, 200.0, 7.25][at % 4],
    }
    for at in range(120)
]
SPOKEN_AGAINST = [
    "town NOT LIKE 'A%'",
    "NOT town LIKE 'A%'",
    "NOT (town NOT LIKE 'A%')",
    "town NOT ILIKE 'a%'",
    "town !~~ 'A%'",
    "town !~~* 'a%'",
    "town NOT LIKE 'Al!%am' ESCAPE '!'",
    "town NOT ILIKE 'al!_am' ESCAPE '!'",
    "NOT town LIKE 'Al!%am' ESCAPE '!'",
    "town NOT SIMILAR TO 'A.*'",
    "town !~ 'A.*'",
    "NOT regexp_matches(town, '^A')",
    "town NOT IN ('Brook', 'Aldam')",
    "NOT town IN ('Brook', 'Aldam')",
    "age NOT BETWEEN 7 AND 30",
    "NOT age BETWEEN 7 AND 30",
    "town IS NOT NULL",
    "NOT town IS NULL",
    "town NOTNULL",
    "(age > 30) IS NOT TRUE",
    "(age > 30) IS NOT FALSE",
    "NOT ((age > 30) IS TRUE)",
    "kind IS NOT DISTINCT FROM 'a'",
    "kind IS DISTINCT FROM 'a'",
    "NOT (kind IS DISTINCT FROM NULL)",
    "NOT starts_with(town, 'A')",
    "age <> 7",
    "age != 7",
    "NOT age = 7",
    "NOT NOT age = 7",
    "NOT (age > 7 AND spend > 1)",
    "NOT age > 7 OR spend > 1",
    "CASE WHEN town NOT LIKE 'A%' THEN age > 30 ELSE kind NOT IN ('b') END",
    "coalesce(town NOT LIKE 'A%', TRUE)",
]


@pytest.mark.parametrize("condition", SPOKEN_AGAINST)
def test_a_condition_with_not_counts_the_rows_that_plain_sql_counts(condition: str) -> None:
    """NOT LIKE was answered as LIKE with a parser that keeps the NOT inside of the node."""
    held = made(ROWS, protects=shoal.Row(), columns={}, towns=False)
    with without_noise():
        answer = held.sql(f"SELECT COUNT(*) AS n FROM data WHERE {condition}").release(epsilon=1)
    rows = pa.Table.from_pylist(ROWS)
    with duckdb.connect() as plain:
        plain.register("data", rows)
        [(meant,)] = plain.execute(f"SELECT COUNT(*) FROM data WHERE {condition}").fetchall()
    assert answer.to_arrow()["n"].to_pylist() == [meant]
    assert 0 < meant < len(ROWS)


def test_not_like_means_the_same_of_released_groups() -> None:
    held = made(ROWS, protects=shoal.Row(), towns=False)
    said = "SELECT kind, n FROM (SELECT kind, COUNT(*) AS n FROM data GROUP BY kind) WHERE kind NOT LIKE 'a%'"
    answer = held.sql(said).release(epsilon=1)
    assert answer.to_arrow()["kind"].to_pylist() == ["b", "c"]


def test_a_question_and_its_opposite_are_two_questions() -> None:
    held = made(ROWS, protects=shoal.Row(), towns=False)
    one, other = (
        held.sql(f"SELECT COUNT(*) AS n FROM data WHERE town {word} 'A%'").explain()
        for word in ("LIKE", "NOT LIKE")
    )
    assert one != other


def readers() -> set[str]:
    """The classes of nodes for which there is a method."""
    classes = {
        name.lower(): name for name, found in inspect.getmembers(nodes) if inspect.isclass(found)
    }
    named = {name.removeprefix("of_") for name in dir(Translator) if name.startswith("of_")}
    return {classes[name] for name in named if name in classes}


def test_every_reader_says_what_it_reads() -> None:
    assert readers() == set(READ)


@pytest.mark.parametrize(
    "typed",
    [
        "'a' LIKE 'b'",
        "'a' LIKE 'b' ESCAPE '!'",
        "'a' IS NULL",
        "1 IN (1, 2)",
        "1 BETWEEN 0 AND 2",
        "CASE WHEN TRUE THEN 1 END",
        "COALESCE(1, 2)",
        "(1)",
        "CAST('1' AS INTEGER)",
        "EXTRACT(YEAR FROM DATE '2024-01-01')",
        "CONCAT('a', 'b')",
        "SPLIT_PART('a', 'b', 1)",
        "LPAD('a', 3, '0')",
        "TRIM('a')",
        "STRFTIME(DATE '2024-01-01', '%Y')",
        "MAKE_DATE(2024, 1, 1)",
    ],
)
def test_a_word_in_a_node_that_nobody_reads_is_refused(typed: str) -> None:
    """As a parser of tomorrow may put it there."""

    def read(node: Any) -> Any:
        return Translator(Text(typed), lambda _: None).of(node)

    tree = sqlglot.parse_one(typed, read="duckdb")
    assert read(tree)
    for node in list(tree.walk()):
        if type(node).__name__ in READ:
            changed = sqlglot.parse_one(typed, read="duckdb")
            same = next(each for each in changed.walk() if type(each) is type(node))
            same.set("unheard_of", True)
            with pytest.raises(RefusedError, match="UNHEARD OF is not part of what"):
                read(changed)
