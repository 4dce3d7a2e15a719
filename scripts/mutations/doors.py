"""Faults at the doors where connections, files and rows come in."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_HANDED_OVER = "tests/engines/test_handed_over.py::"
_SAMPLE = "tests/vault/sources/test_people_sample.py::"
_TOTAL = "tests/functions/test_total.py::"
_SESSION = "src/shoal/engines/duckdb/callers_database.py"

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
        "src/shoal/engines/source_reading.py",
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
        "src/shoal/mechanisms/total_functions.py",
        "return len(shape) == 1 if isinstance(shape, tuple) else isinstance(rows, among)",
        "return isinstance(rows, Iterable)",
        "A release pays for counts of column names, keys or different values in place of people.",
        ("tests/functions/test_collections.py::test_no_name_key_or_letter_counts_as_a_row",),
    ),
    Mutation(
        "public-parts-are-checked-after-the-charge",
        "src/shoal/query/ask.py",
        "        self.source.engine.check(self.spelled.relation)\n",
        "",
        "A question that can never be answered spends budget that others need.",
        (
            "tests/query/test_ask.py::test_a_table_that_is_stated_otherwise_is_refused_before_the_charge",
        ),
    ),
    Mutation(
        "a-changed-table-is-charged-for",
        "src/shoal/engines/duckdb/engine.py",
        "if now != self._described[name]:",
        "if False:",
        "A question of a table whose columns changed spends budget and is never answered.",
        (
            "tests/query/test_ask.py::test_a_table_that_was_changed_since_it_was_opened_is_refused_before_the_charge",
        ),
    ),
    Mutation(
        "rows-and-people-are-never-compared",
        "src/shoal/vault/sources/people_sample.py",
        "return overlap(one.sample, other.sample) or overlap(*by_row)",
        "return overlap(one.sample, other.sample)",
        "The same rows get a second budget by being protected in another way.",
        (_SAMPLE + "test_the_same_rows_are_noticed_whether_rows_or_people_are_protected",),
    ),
    Mutation(
        "an-update-brings-anybody",
        "src/shoal/vault/registry.py",
        "if found.digest != before.digest and said_so != NEW_PEOPLE:",
        "if False:",
        "People whose budget is spent get that of another dataset.",
        (_SAMPLE + "test_a_file_about_people_of_another_account_is_no_update_unasked",),
    ),
    Mutation(
        "who-shares-one-budget-brings-anybody",
        "src/shoal/vault/registry.py",
        "            if relation is None:\n                check_people(made, history)",
        "            if relation is None and opens:\n                check_people(made, history)",
        "People whose budget is spent get that of a dataset they are not in.",
        (_SAMPLE + "test_a_shared_budget_is_no_leave_for_the_people_of_a_third_dataset",),
    ),
    Mutation(
        "an-interrupt-carries-words-of-the-function",
        "src/shoal/mechanisms/total_functions.py",
        "            self._raised.args, self._raised.__cause__, held = self._said\n            vars(self._raised).clear()\n",
        "            held = self._said[2]\n",
        "Whoever interrupts a release reads what the function wrote about a row.",
        (_TOTAL + "test_an_interrupt_carries_no_word_that_the_function_adds_to_it",),
    ),
    Mutation(
        "a-handler-of-the-function-stays",
        "src/shoal/mechanisms/total_functions.py",
        "            signal.signal(signal.SIGINT, self._ours)  # a later interrupt is the operator's again\n",
        "            pass\n",
        "An interrupt between two rows shows what the function's own handler says, or is lost.",
        (_TOTAL + "test_a_handler_that_a_function_installs_is_gone_at_the_next_row",),
    ),
)
