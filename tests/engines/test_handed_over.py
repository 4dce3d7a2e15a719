"""A database that is handed over open: nothing it holds or sets changes what a question means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from tests.engines import equality as eq

from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.duckdb.callers_database import MEANINGS
from shoal.errors import SourceError

FEW = ["rows, k", "rows, m", "rows, t", "rows, round", "rows, over -1", "rows, money", "like, y"]
PLANS = {
    name: plan
    for name, plan in eq.plans().items()
    if name in FEW or name.startswith(("rows, ", "is ", "like"))
}
OTHERWISE = {
    "Calendar": "buddhist",
    "TimeZone": "America/New_York",
    "allow_parser_override_extension": "fallback",
    "arrow_output_version": "1.4",
    "default_null_order": "nulls_first",
    "default_order": "desc",
    "dialect_compatibility_mode": "spark",
    "max_expression_depth": "20",
    "preserve_identifier_case": "uppercase",
    "regex_match_operator_semantics": "full",
    "validate_external_file_cache": "no_validation",
} | {
    name: {"true": "false", "false": "true"}[value]
    for name, value in MEANINGS.items()
    if value in ("true", "false")
}


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        made.register("given", pa.Table.from_pylist(eq.EVERY, schema=eq.SCHEMA))
        made.execute("CREATE TABLE t AS SELECT * FROM given")
        made.unregister("given")
        yield made


def handed_over(connection: duckdb.DuckDBPyConnection, *, most: int = 1000) -> DuckDB:
    return DuckDB({"t": DuckTable(connection, "t")}, most_rows=most)


@cache
def meant(name: str) -> Any:
    return eq.shown(eq.reference(eq.EVERY), PLANS[name])


def check(engine: DuckDB, names: Iterable[str] = FEW) -> None:
    """The answers are those of the reference."""
    for name in names:
        assert eq.shown(engine, PLANS[name]) == meant(name), name
    hashes = engine.least_hashes("t", ["u", "k"], "key", 3, persons=True)
    every = engine.least_hashes("t", ["u", "k"], "key", 1000, persons=True)
    assert hashes == every[:3]


def shadow_every_function(connection: duckdb.DuckDBPyConnection) -> int:
    """A macro by the name of each function and operator of DuckDB; how many there are."""
    asked = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE internal"
    made = 0
    for (name,) in connection.execute(asked).fetchall():
        quoted = '"' + name.replace('"', '""') + '"'
        forms = ", ".join(f"({', '.join('abcd'[:n])}) AS 'shadow'" for n in range(4))
        try:
            connection.execute(f"CREATE MACRO {quoted} {forms}")
            made += 1
        except duckdb.Error:
            pass  # a word of SQL
    return made


@pytest.mark.slow
@pytest.mark.parametrize("most", [1000, 0], ids=["sorted", "sql"])
@pytest.mark.parametrize("later", [False, True], ids=["before", "later"])
def test_macros_of_a_database_are_not_called_by_questions(
    connection: duckdb.DuckDBPyConnection, most: int, *, later: bool
) -> None:
    engine = handed_over(connection, most=most) if later else None
    shadowed = shadow_every_function(connection)
    assert shadowed > 300
    check(engine or handed_over(connection, most=most), list(PLANS)[::5])


@pytest.mark.slow
@pytest.mark.parametrize("most", [1000, 0], ids=["sorted", "sql"])
@pytest.mark.parametrize("later", [False, True], ids=["before", "later"])
def test_settings_of_a_database_change_no_answer(
    connection: duckdb.DuckDBPyConnection, most: int, *, later: bool
) -> None:
    engine = handed_over(connection, most=most) if later else None
    changed = [name for name in OTHERWISE if changes(connection, name)]
    engine = engine or handed_over(connection, most=most)
    check(engine)
    for name in changed:
        held = engine.run(f"SELECT lower(CAST(current_setting('{name}') AS VARCHAR))")
        assert held == [(MEANINGS[name].lower(),)], name
    assert len(changed) > 10


def changes(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Set a setting otherwise for the database and for a connection, if its version has it."""
    try:
        for scope in ("GLOBAL", "SESSION"):
            connection.execute(f"SET {scope} {name} = '{OTHERWISE[name]}'")
    except duckdb.Error:
        return False
    return True


def test_a_setting_that_holds_for_a_whole_database_is_refused_when_it_is_opened_and_when_it_is_asked(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    engine = handed_over(connection)
    connection.execute("SET enable_logging = true")
    connection.execute("SET GLOBAL warnings_as_errors = true")
    with pytest.raises(SourceError, match="RESET GLOBAL warnings_as_errors"):
        handed_over(connection)
    with pytest.raises(SourceError, match="RESET GLOBAL warnings_as_errors"):
        engine.totals(PLANS["rows, k"])
    connection.execute("RESET GLOBAL warnings_as_errors")
    check(engine)


def test_a_table_is_the_one_that_its_connection_means(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    connection.execute("CREATE SCHEMA other; CREATE TABLE other.t AS SELECT 7 AS seven; USE other")
    engine = handed_over(connection)
    assert [c.name for c in engine.columns("t")] == ["seven"]
    connection.execute("CREATE TEMP TABLE t AS SELECT 8 AS eight")
    with pytest.raises(SourceError, match="temporary"):
        handed_over(connection)
    with pytest.raises(SourceError, match="no table 'gone'"):
        DuckDB({"t": DuckTable(connection, "gone")})


def test_a_connection_that_lets_nothing_be_set_or_is_closed_is_refused(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    connection.execute("SET lock_configuration = true")
    with pytest.raises(SourceError, match="lock_configuration"):
        handed_over(connection)
    connection.close()
    with pytest.raises(SourceError, match="closed"):
        handed_over(connection)


@pytest.mark.slow
def test_the_connection_that_is_handed_over_stays_as_it_was_but_for_an_optimizer(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    asked = "SELECT name, value FROM duckdb_settings() ORDER BY name"
    before = dict(connection.execute(asked).fetchall())
    engine = handed_over(connection)
    check(engine)
    after = {**before, "disabled_optimizers": "statistics_propagation"}
    assert dict(connection.execute(asked).fetchall()) == after
    assert connection.execute("SHOW TABLES").fetchall() == [("t",)]
