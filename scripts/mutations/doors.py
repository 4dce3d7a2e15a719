"""Faults at the doors where connections, files and rows come in."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_HANDED_OVER = "tests/engines/test_handed_over.py::"
_SESSION = "src/shoal/engines/duckdb/handed_over.py"

DOORS = (
    Mutation(
        "macros-of-a-database-are-called",
        _SESSION,
        "connection.execute(f\"SET SESSION search_path = '{_PATH}'\")",
        "pass",
        "A macro named like a function of DuckDB computes the totals, and one person moves them by any amount.",
        (_HANDED_OVER + "test_macros_of_a_database_are_not_called_by_questions",),
    ),
    Mutation(
        "settings-of-a-database-stay",
        _SESSION,
        "connection.execute(f\"SET SESSION {name} = '{value}'\")",
        'connection.execute("SELECT 1")',
        "A setting of the database decides which group a total is shown under.",
        (_HANDED_OVER + "test_settings_of_a_database_change_no_answer",),
    ),
    Mutation(
        "shared-settings-are-looked-at-once",
        "src/shoal/engines/duckdb/engine.py",
        "_told(self._handed_over.check)",
        "pass",
        "A setting that is changed after a source was opened changes what is computed.",
        (
            _HANDED_OVER
            + "test_a_setting_that_holds_for_a_whole_database_is_refused_when_it_is_opened_and_when_it_is_asked",
        ),
    ),
    Mutation(
        "a-table-of-another-schema-is-read",
        _SESSION,
        '".".join(map(DUCKDB.name, (database, schema, table)))',
        '".".join(map(DUCKDB.name, (database, "main", table)))',
        "Questions are answered from another table than the one that was declared.",
        (_HANDED_OVER + "test_a_table_is_the_one_that_its_connection_means",),
    ),
)
