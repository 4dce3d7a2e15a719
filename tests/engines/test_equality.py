"""One equality: names of keys, groups, persons and integers are the same on every engine, path and
collation, and for every order of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines import equality as eq
from tests.engines.spark_session import needs_java, session

from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.duckdb.fetching import MOST_ROWS
from shoal.engines.reference import Reference
from shoal.engines.spark import Spark
from shoal.plan import PERSONS, TEXT, Bounded, Person, Ref, Scan, Table, column, count_of
from shoal.sensitivity import Norm

PLANS = eq.plans()
COLLATIONS = ["", "NOCASE", "NOACCENT", "NOCASE.NOACCENT", "NFC", "de", "tr", "icu_noaccent"]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        yield made


def handed_over(
    connection: duckdb.DuckDBPyConnection, rows: list[dict[str, Any]], own: str, default: str
) -> dict[str, Any]:
    """The tables in a database whose columns have one collation, and the database another."""
    for scope in ("GLOBAL", "SESSION"):  # what is made here, and what is read elsewhere
        connection.execute(f"SET {scope} default_collation = '{default}'")
    collate = f" COLLATE {own}" if own else ""
    connection.register("given", pa.Table.from_pylist(rows, schema=eq.SCHEMA))
    connection.execute(f"CREATE OR REPLACE TABLE t ({eq.TYPES.format(collate)})")
    connection.execute("INSERT INTO t SELECT * FROM given")
    connection.unregister("given")
    for name, held in (("other", eq.OTHERS), ("public", eq.PUBLICS)):
        types = [
            (n, "VARCHAR" if n[0] in "uk" else "DOUBLE" if n == "y3" else "BIGINT") for n in held[0]
        ]
        typed = ", ".join(f"{n} {t}{collate if t == 'VARCHAR' else ''}" for n, t in types)
        connection.register("given", pa.Table.from_pylist(held))
        connection.execute(f"CREATE OR REPLACE TABLE {name} ({typed})")
        connection.execute(f"INSERT INTO {name} SELECT * FROM given")
        connection.unregister("given")
    return {name: DuckTable(connection, name) for name in ("t", "other", "public")}


@pytest.mark.slow
@pytest.mark.parametrize("most", [MOST_ROWS, 0], ids=["sorted", "sql"])
@pytest.mark.parametrize(
    ("own", "default"), [("NOCASE", "NOCASE.NOACCENT"), ("", "NOCASE.NOACCENT")]
)
def test_collations_of_columns_and_databases_say_nothing(
    connection: duckdb.DuckDBPyConnection, own: str, default: str, most: int
) -> None:
    engine = DuckDB(handed_over(connection, eq.EVERY, own, default), most_rows=most)
    meant = eq.reference(eq.EVERY)
    for name, plan in PLANS.items():
        assert eq.shown(engine, plan) == eq.shown(meant, plan), name


_ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "u": st.sampled_from(eq.TEXTS[:5]),
            "k": st.sampled_from(eq.TEXTS),
            "c": st.sampled_from(eq.TEXTS[:4]),
            "y": st.sampled_from(eq.REALS),
            "w": st.sampled_from(eq.WRITTEN),
            "m": st.sampled_from(eq.MONEY),
            "t": st.sampled_from(eq.MOMENTS),
        }
    ),
    max_size=14,
)


@pytest.mark.slow
@settings(max_examples=12)
@given(
    rows=_ROWS,
    collations=st.tuples(st.sampled_from(COLLATIONS), st.sampled_from(COLLATIONS)),
    names=st.lists(st.sampled_from(sorted(PLANS)), min_size=3, max_size=3),
    draw=st.data(),
)
def test_names_of_keys_are_functions_of_their_groups(
    connection: duckdb.DuckDBPyConnection,
    rows: list[dict[str, Any]],
    collations: tuple[str, str],
    names: list[str],
    draw: st.DataObject,
) -> None:
    other = draw.draw(st.permutations(rows))
    meant, moved = eq.reference(rows), eq.reference(other)
    for order in (rows, other):
        sources = handed_over(connection, order, *collations)
        for most in (MOST_ROWS, 0):
            engine = DuckDB(sources, most_rows=most)
            for name in names:
                assert eq.shown(engine, PLANS[name]) == eq.shown(meant, PLANS[name]), name
    for name in names:
        assert eq.shown(moved, PLANS[name]) == eq.shown(meant, PLANS[name]), name


def by_collation(names: list[str]) -> dict[str, Bounded]:
    """For each column the question that takes it for the key and for the person."""
    found = {}
    for name in names:
        scan = Scan(Table("t", (column(name, TEXT),), protects=Person(name)))
        found[name] = Bounded(scan, (Ref(scan.columns[0]),), (count_of(), PERSONS), Norm.L1)
    return found


@pytest.mark.slow
def test_no_collation_of_duckdb_merges_keys_or_persons(tmp_path: Path) -> None:
    path = tmp_path / "every.duckdb"
    with duckdb.connect(path) as made:
        offered = [name for (name,) in made.execute("PRAGMA collations").fetchall()]
        assert {"nocase", "noaccent", "nfc"} <= set(offered)
        written = [*(f'"{each}"' for each in offered), "nocase.noaccent"]
        columns = {f"k{at}": each for at, each in enumerate(written)}
        made.execute(
            f"CREATE TABLE t ({', '.join(f'{n} VARCHAR COLLATE {c}' for n, c in columns.items())})"
        )
        made.executemany(
            f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})",
            [[each] * len(columns) for each in eq.TEXTS],
        )
    meant = Reference({"t": [dict.fromkeys(columns, each) for each in eq.TEXTS]})
    engines = [DuckDB({"t": DuckTable(str(path), "t")}, most_rows=most) for most in (MOST_ROWS, 0)]
    for at, (name, plan) in enumerate(by_collation(list(columns)).items()):
        assert eq.shown(engines[at % 2], plan) == eq.shown(meant, plan), columns[name]


@needs_java
def test_no_collation_of_spark_merges_keys_or_persons() -> None:
    offered = [line[2] for line in session().sql("SELECT * FROM collations()").collect()]
    assert {"UTF8_LCASE", "UNICODE_CI_AI"} <= set(offered)
    tried = [*offered[:12:2], "UNICODE_CI_AI", "UTF8_LCASE_RTRIM", "tr_CI_AI_RTRIM"]
    columns = {f"k{at}": each for at, each in enumerate(tried)}
    rows = session().createDataFrame([(each,) for each in eq.TEXTS], "k STRING")
    frame = rows.selectExpr(*(f"COLLATE(k, '{each}') AS {name}" for name, each in columns.items()))
    meant = Reference({"t": [dict.fromkeys(columns, each) for each in eq.TEXTS]})
    engine = Spark({"t": frame})
    for name, plan in by_collation(list(columns)).items():
        assert eq.shown(engine, plan) == eq.shown(meant, plan), columns[name]
    engine.close()


@needs_java
@pytest.mark.parametrize(
    "name", ["rows, round", "rows, times 0", "rows, written", "rows, told", "person, k"]
)
def test_spark_tells_keys_as_the_reference_does(name: str) -> None:
    tables = {
        "t": pa.Table.from_pylist(eq.EVERY, schema=eq.SCHEMA),
        "other": pa.Table.from_pylist(eq.OTHERS),
    }
    frames = {each: session().createDataFrame(held) for each, held in tables.items()}
    texts = [f"COLLATE({n}, 'UNICODE_CI_AI') AS {n}" if n in "ukcw" else n for n in eq.SCHEMA.names]
    engine = Spark({"t": frames["t"].selectExpr(*texts), "other": frames["other"]})
    assert eq.shown(engine, PLANS[name]) == eq.shown(eq.reference(eq.EVERY), PLANS[name])
    engine.close()
