"""The name of a private key is that of its group: on neighbouring tables the same, whoever's row
comes first.  Keys that a public join ties together have the combinations that stand in the table,
and no others: no group that can have rows is left out, whatever the private rows are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import shoal
from shoal.engines.duckdb import DuckTable
from shoal.measures import Approx
from shoal.plan import Person, Row, Unit, evaluate
from shoal.query import private

PEOPLE = 400


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        yield made


def names(
    connection: duckdb.DuckDBPyConnection, key: str, unit: Unit, *, first: str, collate: str = ""
) -> list[str]:
    """The keys that are told of 400 people who are alike, and one before them who is not."""
    connection.execute(
        f"CREATE OR REPLACE TABLE t (u VARCHAR{collate}, s VARCHAR{collate}, y DOUBLE)"
    )
    connection.execute(f"INSERT INTO t VALUES {first}")
    connection.execute(f"INSERT INTO t SELECT 'p' || i, 'Flu', 0.25 FROM range({PEOPLE}) AS r(i)")
    held = private(DuckTable(connection, "t"), name="t", protects=unit, budget=Approx(60, "1e-6"))
    sql = f"SELECT {key} AS k, COUNT(*) AS n FROM t GROUP BY k"
    return sorted(repr(row[0]) for row in held.sql(sql).release(epsilon=50, delta="1e-7").rows)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [Row(), Person("u")], ids=["rows", "persons"])
@pytest.mark.parametrize("key", ["ROUND(y)", "y * 0", "-(y - y)", "y % 0.25"])
def test_one_row_does_not_give_a_zero_its_sign(
    connection: duckdb.DuckDBPyConnection, key: str, unit: Unit
) -> None:
    """In releases of `ROUND(y)` the key was -0.0 in none of 100 without the first row, and in all
    of 100 with it.
    """
    told = [names(connection, key, unit, first=f"('q', 'Flu', {y})") for y in ("0.25", "-0.25")]
    assert told == [["0.0"], ["0.0"]]


@pytest.mark.slow
@pytest.mark.parametrize("unit", [Row(), Person("u")], ids=["rows", "persons"])
@pytest.mark.parametrize("default", ["", "NOCASE"])
def test_one_row_does_not_give_a_key_its_spelling(
    connection: duckdb.DuckDBPyConnection, default: str, unit: Unit
) -> None:
    connection.execute(f"SET default_collation = '{default}'")
    collate = "" if default else " COLLATE NOCASE.NOACCENT"
    for spelling in ("Flu", "FLU", "flú"):
        first = f"('q', '{spelling}', 0)"
        assert names(connection, "s", unit, first=first, collate=collate) == ["'Flu'"]


def test_persons_are_told_apart_by_bytes_in_every_column(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    """Persons p1 and P1 were one for the shares and two for the totals: 2,044,708 moved where
    1,048,576 was claimed.
    """
    connection.execute("CREATE TABLE t (u VARCHAR COLLATE NOCASE, s VARCHAR)")
    connection.execute(
        "INSERT INTO t SELECT CASE WHEN i % 2 = 0 THEN 'p1' ELSE 'P1' END, 'a' FROM range(60) AS r(i)"
    )
    held = private(
        DuckTable(connection, "t"), name="t", protects=Person("u"), budget=Approx(60, "1e-6")
    )
    (row,) = (
        held.sql("SELECT COUNT(*) AS n, COUNT(DISTINCT u) AS p FROM t").release(epsilon=50).rows
    )
    assert tuple(map(round, map(float, map(str, row)))) == (2, 2)


CITIES = ["a", "b", "c", None]
Rows = list[tuple[Any, ...]]


def held(people: Rows, towns: Rows) -> shoal.query.Private:
    names = ("who", "city", "kind")
    private = {name: [row[at] for row in people] for at, name in enumerate(names)}
    public = {
        name: [row[at] for row in towns] for at, name in enumerate(("city", "region", "zone"))
    }
    schema = pa.schema({"city": pa.string(), "region": pa.string(), "zone": pa.int64()})
    return shoal.private(
        pa.table(
            private, schema=pa.schema({n: pa.int64() if n == "who" else pa.string() for n in names})
        ),
        name="people",
        protects=shoal.Person("who", groups=3),
        columns={"city": shoal.Choices(["a", "b", "c"]), "kind": shoal.Choices(["x", "y"])},
        public={"towns": pa.table(public, schema=schema)},
        budget=shoal.Pure(100),
    )


_people = st.lists(
    st.tuples(
        st.integers(1, 4), st.sampled_from([*CITIES, "d"]), st.sampled_from(["x", "y", None])
    ),
    max_size=8,
)
_towns = st.lists(
    st.tuples(
        st.sampled_from([*CITIES, "e"]),
        st.sampled_from(["north", "south", None]),
        st.sampled_from([1, 2, None]),
    ),
    min_size=1,
    max_size=6,
)
FROM = [
    "people JOIN towns USING (city)",
    "people LEFT JOIN towns USING (city)",
    "people LEFT JOIN towns ON people.city = towns.city AND people.kind = 'x'",
    "people JOIN towns ON people.city = towns.city AND towns.zone = 1",
    "(SELECT * FROM people WHERE kind = 'x') AS people LEFT JOIN towns ON people.city = towns.city",
    "people JOIN towns ON UPPER(people.city) = UPPER(towns.city)",
]
BY = [
    "people.city, region",
    "region, zone",
    "people.city, towns.city",
    "kind, zone, people.city, region",
    "region, kind",
]


@pytest.mark.slow
@examples(40, many=2000)
@given(
    people=_people,
    towns=_towns,
    source=st.sampled_from(FROM),
    by=st.sampled_from(BY),
    where=st.sampled_from(["", " WHERE region = 'north'", " WHERE people.city IN ('a', 'b')"]),
)
def test_every_group_that_has_rows_is_among_those_known(
    people: Rows, towns: Rows, source: str, by: str, where: str
) -> None:
    keys = ", ".join(f"{key} AS k{at}" for at, key in enumerate(by.split(", ")))
    ask = held(people, towns).sql(
        f"SELECT {keys}, COUNT(*) AS n FROM {source}{where} GROUP BY {by}"
    )
    question, known = ask.spelled, ask.groups
    assert known is not None
    assert len(set(known)) == len(known)
    names = [column.name for column in question.relation.columns]
    for row in ask.source.engine.rows(question.relation):
        values = dict(zip(names, row, strict=True))
        assert tuple(evaluate(key.expression, values) for key in question.keys) in known


TOWNS = [("a", "north", 1), ("b", "north", 2), ("c", "south", 2)]


@pytest.mark.parametrize(
    ("source", "by", "groups"),
    [
        (FROM[0], "people.city, region", 3),
        (FROM[0], "city, region, zone", 3),
        (FROM[0], "region, zone", 3),
        (FROM[0], "kind, city, region", 9),
        (FROM[1], "city, region", 4),  # and NULL, NULL
        (FROM[2], "people.city, region", 7),  # each city can be without a region
        (FROM[5], "people.city, region", 12),  # an expression ties nothing: 4 times 3
    ],
)
def test_only_combinations_of_the_table_are_told(source: str, by: str, groups: int) -> None:
    asked = held([(1, "a", "x")], TOWNS).sql(
        f"SELECT {by}, COUNT(*) AS n FROM {source} GROUP BY {by}"
    )
    assert asked.groups is not None
    assert len(asked.groups) == groups
    assert len(asked.release(epsilon=1)) == groups


def test_a_column_of_using_needs_no_table() -> None:
    """Both sides have one value there, so it does not matter which is meant."""
    asked = held([(1, "a", "x"), (2, "b", "x")], TOWNS)
    answer = asked.sql(
        "SELECT city, COUNT(*) AS n FROM people JOIN towns USING (city) WHERE city <> 'c' GROUP BY city"
    ).release(epsilon=50)
    assert [row[0] for row in answer.rows] == ["a", "b", "c", None]
