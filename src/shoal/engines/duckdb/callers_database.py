"""A session of our own in a database that was handed over open: nothing in it changes what our SQL
means.

A database may hold macros, which DuckDB finds before its own functions of that name, operators
included; a connection may have settings of its own.  So the SQL is run in another session, which
looks names up among DuckDB's own and among the temporary ones of that session, and which has every
setting that could change a value set for itself: what is set for the whole database later does not
reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.engines.duckdb.connection import without_statistics
from shoal.engines.duckdb.dialect import DUCKDB
from shoal.errors import SourceError

if TYPE_CHECKING:
    import duckdb

MEANINGS = {
    # values
    "Calendar": "gregorian",
    "TimeZone": "UTC",
    "disable_timestamptz_casts": "false",
    "error_on_division_by_zero": "true",
    "ieee_floating_point_ops": "true",
    "integer_division": "false",
    "legacy_disable_null_type": "false",
    "old_implicit_casting": "false",
    "regex_match_operator_semantics": "partial",
    "scalar_subquery_error_on_multiple_rows": "true",
    # order: groups are numbered in it, and the least hashes are the first
    "default_null_order": "nulls_last",
    "default_order": "asc",
    "order_by_non_integer_literal": "false",
    # how SQL is read, and what its names are
    "allow_parser_override_extension": "default",
    "dialect_compatibility_mode": "none",
    "preserve_identifier_case": "preserve_case",
    "python_enable_replacements": "false",
    "python_scan_all_frames": "false",
    # how files are read, and rows handed to Arrow
    "arrow_large_buffer_size": "false",
    "arrow_lossless_conversion": "false",
    "arrow_output_list_view": "false",
    "arrow_output_version": "1.0",
    "binary_as_string": "false",
    "parquet_metadata_cache": "false",
    "validate_external_file_cache": "validate_all",
    # what fails
    "max_expression_depth": "1000",
    "warnings_as_errors": "false",
}
"""Settings that could change a value, an order, a name or what fails, and what each must be.

The collation is not among them: SQL says for each text that it is compared by its bytes
(`dialect.py`).  Optimizers are not either: the one that reads statistics of the rows is turned off for
the whole database (`connection.without_statistics`), and again before each question.  Others say how
fast and where: threads, memory, whether rows keep their order, which nothing of ours asks for.
"""

_PATH = "system.main"
"""Where names are looked up: DuckDB's own.  Temporary ones, which only their own session sees,
always come first.
"""


_SCHEMA = "SELECT system.main.current_database(), system.main.current_schema()"
_TEMPORARY = "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'temp'"
_TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_catalog = ? AND table_schema = ?"
)


class HandedOver:
    """A session of our own beside a connection that was handed over."""

    def __init__(self, given: duckdb.DuckDBPyConnection) -> None:
        import duckdb  # noqa: PLC0415 - heavy

        self._given = given
        try:
            self.connection = given.cursor()
            self._shared = _settled(self.connection)
        except duckdb.Error:
            raise SourceError(
                "a connection to DuckDB that was given is closed, or lets no setting be changed.",
                remedy="Give one that is open and without lock_configuration, or the path of the database: "
                'DuckTable("office.duckdb", "visits").',
            ) from None
        self.check()

    def check(self) -> None:
        """Refuse settings that could not be set for our session alone, and are not as they must
        be; turn the unsafe optimizer off.
        """
        without_statistics(self.connection)
        if not self._shared:
            return
        asked = ", ".join(
            f"lower(CAST(current_setting('{name}') AS VARCHAR))" for name in self._shared
        )
        found = self.connection.execute(f"SELECT {asked}").fetchone() or ()
        for name, value in zip(self._shared, found, strict=True):
            if value != MEANINGS[name]:
                raise SourceError(
                    f"the setting {name} of the DuckDB database changes what questions mean, and holds for all of it.",
                    remedy=f'Run connection.execute("RESET GLOBAL {name}") first.',
                )

    def located(self, table: str, name: str) -> str:
        """A table that the given connection means by a name, written with its database and
        schema.
        """
        import duckdb  # noqa: PLC0415 - heavy

        try:
            [(database, schema)] = self._given.execute(_SCHEMA).fetchall()
            own = [each for (each,) in self._given.execute(_TEMPORARY).fetchall()]
        except duckdb.Error:
            raise SourceError(
                f"the connection of {name!r} is still busy with another statement.",
                remedy="Fetch all rows of it first, or give connection.cursor().",
            ) from None
        if table.lower() in map(str.lower, own):
            raise SourceError(
                f"{table!r} is a temporary table or a registered frame, which only its own connection sees.",
                remedy="Give the frame itself, or write it into a table that stays.",
            )
        found = self.connection.execute(_TABLES, [database, schema]).fetchall()
        if table.lower() not in [each.lower() for (each,) in found]:
            raise SourceError(
                f"there is no table {table!r} in {database}.{schema}, where the connection of {name!r} looks.",
                remedy="Check the name, or run connection.execute('USE other_schema') first.",
            )
        return ".".join(map(DUCKDB.name, (database, schema, table)))


def _settled(connection: duckdb.DuckDBPyConnection) -> Sequence[str]:
    """Set everything for this session; the names of settings that are there for the whole database
    only.
    """
    import duckdb  # noqa: PLC0415 - heavy

    # first: what follows calls functions
    connection.execute(f"SET SESSION search_path = '{_PATH}'")
    connection.execute("SET SESSION enable_progress_bar = false")
    shared = []
    for name, value in MEANINGS.items():
        try:
            connection.execute(f"SET SESSION {name} = '{value}'")
        except duckdb.Error:
            shared += [name] * _exists(connection, name)
    return shared


def _exists(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether DuckDB has a setting in this version; the table of settings does not list all of
    them.
    """
    import duckdb  # noqa: PLC0415 - heavy

    try:
        connection.execute(f"SELECT current_setting('{name}')").fetchall()
    except duckdb.CatalogException:
        return False
    return True
