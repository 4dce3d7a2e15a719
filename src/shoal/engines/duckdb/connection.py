"""A connection to DuckDB that reads what it was given, reaches for nothing else, and can be
stopped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.limits import SHARE
from shoal.errors import ShoalError, SourceError
from shoal.loading import loading

if TYPE_CHECKING:
    import duckdb


UNSAFE_OPTIMIZER = "statistics_propagation"
"""It rewrites conditions by the least and the largest value of a column, which are facts about all
rows, and it can be wrong: DuckDB 2.0.0 takes every row for ``CASE WHEN k IN ('a') THEN k END LIKE
'b%'`` if all k are equal and begin with b, and no row once another k is among them.  So one row
would change what all others count for.  See plan/stability.md, *Scan*.
"""

_AGAIN = 0.05
"""Seconds after which an engine that did not stop is told to stop again."""


def opened(*, threads: int | None = None, memory: str | None = None) -> duckdb.DuckDBPyConnection:
    """A database in memory; no extension is fetched and no order is kept."""
    with loading():
        import duckdb  # noqa: PLC0415 - heavy

    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": str(threads or os.cpu_count() or 1),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "disabled_optimizers": UNSAFE_OPTIMIZER,
        "preserve_insertion_order": "false",
        "python_enable_replacements": "false",
        "memory_limit": memory or SHARE,
    }
    return quiet(duckdb.connect(":memory:", config=settings))


def quiet(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection without DuckDB's own bar, which a long query draws into the output wherever
    Python runs no script.
    """
    import duckdb  # noqa: PLC0415 - heavy

    try:
        connection.execute("SET enable_progress_bar = false")
    except duckdb.InvalidInputException:
        # in a notebook without ipywidgets DuckDB has no bar, and refuses even to turn it off
        shown = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
        if shown != [(False,)]:
            raise
    return connection


def without_statistics(connection: duckdb.DuckDBPyConnection) -> None:
    """Turn the unsafe optimizer off for a database that was handed over, beside those that its
    owner turned off.  It is a setting of the whole database, and changes how fast it is.
    """
    [(held,)] = connection.execute("SELECT current_setting('disabled_optimizers')").fetchall()
    off = {each for each in held.split(",") if each}
    if UNSAFE_OPTIMIZER not in off:
        listed = ",".join(sorted({*off, UNSAFE_OPTIMIZER}))
        connection.execute(f"SET disabled_optimizers = '{listed}'")


def described_by(connection: duckdb.DuckDBPyConnection, source: str) -> list[tuple[str, str]]:
    """The columns of what is read from, each with its type; DESCRIBE says the same of many columns
    in twice the time.
    """
    found = connection.sql(f"SELECT * FROM {source}")
    return list(zip(found.columns, map(str, found.types), strict=True))


def locked(connection: duckdb.DuckDBPyConnection, paths: Sequence[str]) -> None:
    """Forbid every file but these, and every later change of that."""
    folders = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    connection.execute(f"SET allowed_paths = [{folders}]")
    scratch = connection.execute("SELECT current_setting('temp_directory')").fetchone()
    if scratch and scratch[0] and Path(scratch[0]).name == ".tmp":
        connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def guarded(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a statement."""
    found: list[tuple[Any, ...]] = told(lambda: connection.execute(sql).fetchall())
    return found


def told(act: Any) -> Any:
    """Do something with the engine; its errors may quote data, so only their kind is told."""
    import duckdb  # noqa: PLC0415 - heavy

    try:
        return act()
    except ShoalError:
        raise
    except (duckdb.Error, ArithmeticError, LookupError, MemoryError, OSError, ValueError) as error:
        kind = type(error).__name__
    raise SourceError(
        f"the engine could not read the rows ({kind}).",
        remedy="Check that the source is whole and fits into memory.",
    )


@contextmanager
def stopped_after(seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` when so many seconds have passed, until what is done here ends; it fails then,
    even if it was done.

    An engine can be told to stop between two statements, when that means nothing to it, so it is
    told again.
    """
    if seconds is None:
        yield
        return
    done, late = threading.Event(), threading.Event()

    def watch() -> None:
        if not done.wait(seconds):
            late.set()
            stop()
            while not done.wait(_AGAIN):
                stop()

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()
    if late.is_set():
        raise SourceError(
            f"the engine needed more than {seconds} seconds.", remedy="Allow it more time."
        )
