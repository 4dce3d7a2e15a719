"""Rows that Shoal holds, as a table of DuckDB and as a file of Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shoal.engines.duckdb.connection import opened, told
from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.held_rows import HeldRows, written_out
from shoal.plan import Kind, Type

if TYPE_CHECKING:
    import duckdb

_TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.REAL: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}


def made_table(connection: duckdb.DuckDBPyConnection, rows: HeldRows, name: str) -> None:
    """A temporary table of this name with these rows.

    Values go over as texts behind an equals sign, so that no column's type is guessed from its
    values and none is taken for missing (a NaN would be); DuckDB reads every text of `written_out`
    as the value it was made of.
    """
    types = [_type(kind, rows.digits) for kind, _ in rows.columns.values()]
    listed = zip(map(DUCKDB.name, rows.columns), types, strict=True)
    connection.execute(f"CREATE TEMP TABLE {name} ({', '.join(map(' '.join, listed))})")
    if not len(rows):
        return
    texts = {
        f"c{at}": np.array(
            ["" if each is None else "=" + written_out(each, kind) for each in values], object
        )
        for at, (kind, values) in enumerate(rows.columns.values())
    }
    read = (
        f"CASE WHEN c{at} = '' THEN NULL ELSE CAST(substr(c{at}, 2) AS {kind}) END"
        for at, kind in enumerate(types)
    )
    connection.register("shoal_held", texts)
    try:
        connection.execute(f"INSERT INTO {name} SELECT {', '.join(read)} FROM shoal_held")
    finally:
        connection.unregister("shoal_held")


def write_parquet(rows: HeldRows, path: Path) -> None:
    """A file of Parquet with these rows, in their order."""
    quoted = str(path).replace("'", "''")
    connection = opened(threads=1)
    try:
        connection.execute("SET preserve_insertion_order = true")
        made_table(connection, rows, "held")
        told(lambda: connection.execute(f"COPY held TO '{quoted}' (FORMAT parquet)"))
    finally:
        connection.close()


def _type(kind: Type, digits: int) -> str:
    return _TYPES.get(kind.kind) or f"DECIMAL({digits}, {kind.scale})"
