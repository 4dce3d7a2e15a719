"""A connection to DuckDB that reads what it was given and reaches for nothing else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.loading import loading

if TYPE_CHECKING:
    import duckdb


def opened(*, threads: int | None = None, memory: str | None = None) -> duckdb.DuckDBPyConnection:
    """A database in memory; no extension is fetched and no order is kept."""
    with loading():
        import duckdb  # noqa: PLC0415 - heavy

    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": str(threads or os.cpu_count() or 1),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "preserve_insertion_order": "false",
        "python_enable_replacements": "false",
    }
    if memory:
        settings["memory_limit"] = memory
    return quiet(duckdb.connect(":memory:", config=settings))


def quiet(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection without DuckDB's own bar, which a long query draws into the output wherever Python runs no script."""
    connection.execute("SET enable_progress_bar = false")
    return connection


def described_by(connection: duckdb.DuckDBPyConnection, source: str) -> list[tuple[str, str]]:
    """The columns of what is read from, each with its type; DESCRIBE says the same of many columns in twice the time."""
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
