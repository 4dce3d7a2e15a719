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
    Mutation(
        "a-pipe-is-read-as-a-file",
        "src/shoal/engines/plain_files.py",
        "if not all(map(is_plain, paths)):",
        "if False:",
        "Whoever owns a folder stops the service with a pipe, or feeds it other rows at each reading.",
        (
            "tests/engines/test_sources.py::test_what_is_no_plain_file_is_refused_before_it_is_opened",
        ),
    ),
    Mutation(
        "a-csv-name-is-a-pattern",
        "src/shoal/engines/csv_file.py",
        "    check_plain(paths, name)\n",
        "",
        "Rows of another file, with other people, are read in place of the declared one.",
        (
            "tests/engines/test_sources.py::test_a_csv_file_whose_name_is_a_pattern_is_not_read_as_another",
        ),
    ),
    Mutation(
        "names-of-columns-count-as-rows",
        "src/shoal/mechanisms/totality.py",
        "return len(shape) == 1 if isinstance(shape, tuple) else isinstance(rows, among)",
        "return isinstance(rows, Iterable)",
        "A release pays for counts of column names, keys or different values in place of people.",
        ("tests/functions/test_collections.py::test_no_name_key_or_letter_counts_as_a_row",),
    ),
    Mutation(
        "public-parts-are-checked-after-the-charge",
        "src/shoal/query/asking.py",
        "        self._held.engine.check(self.question.relation)\n",
        "",
        "A question that can never be answered spends budget that others need.",
        (
            "tests/query/test_before_the_charge.py::test_a_table_that_is_stated_otherwise_is_refused_before_the_charge",
        ),
    ),
    Mutation(
        "a-changed-table-is-charged-for",
        "src/shoal/engines/duckdb/engine.py",
        "if now != self._described[name]:",
        "if False:",
        "A question of a table whose columns changed spends budget and is never answered.",
        (
            "tests/query/test_before_the_charge.py::test_a_table_that_was_changed_since_it_was_opened_is_refused_before_the_charge",
        ),
    ),
)
