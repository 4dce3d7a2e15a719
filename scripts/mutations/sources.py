"""Faults in reading sources: who decides names and types, and which files are read."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_SOURCES = "tests/engines/test_sources.py::"
_CSV = "tests/engines/test_csv_file.py::"
_HANDLES = "tests/vault/sources/test_file_source.py::"

_WRITTEN = "tests/vault/test_written_csv.py::"

SOURCES = (
    Mutation(
        "people-are-told-apart-by-decimals-read-otherwise",
        "src/shoal/vault/sources/lineage.py",
        'written = location.decimal or ".", location.encoding or "utf-8"',
        'written = ".", "utf-8"',
        "One person is several in a dataset that shares an account with the one where they are one.",
        (f"{_WRITTEN}test_people_are_not_told_apart_by_numbers_that_are_read_otherwise",),
    ),
    Mutation(
        "an-answer-forgets-how-the-file-was-read",
        "src/shoal/engines/csv_file.py",
        'READING = ("header", "delimiter", "decimal", "encoding")',
        'READING = ("header", "delimiter")',
        "The answer to a file read in one way is given for the same file read in another.",
        (
            f"{_WRITTEN}test_an_answer_is_not_given_again_for_decimals_that_are_read_otherwise",
            f"{_WRITTEN}test_a_declaration_keeps_how_the_file_is_written_and_reads_it_back",
        ),
    ),
    Mutation(
        "utf-16-with-the-larger-byte-first-is-read-as-empty",
        "src/shoal/engines/csv_file.py",
        '(encoding == "utf-16" and head.startswith(codecs.BOM_UTF16_BE))',
        "False",
        "A file is registered as empty, and every answer about its people is wrong.",
        (f"{_WRITTEN}test_utf_16_with_the_larger_byte_first_is_refused_and_not_read_as_empty",),
    ),
    Mutation(
        "the-first-file-decides-for-all",
        "src/shoal/engines/duckdb/sources.py",
        "        if schema[1:] != first[1][1:]:\n",
        "        if False:\n",
        "One person's file casts the rows of everybody else.",
        (f"{_SOURCES}test_files_that_differ_in_their_columns_are_refused_by_name",),
    ),
    Mutation(
        "names-of-folders-are-columns",
        "src/shoal/engines/duckdb/sources.py",
        "hive_partitioning=false, union_by_name=false, int96_as",
        "hive_partitioning=true, union_by_name=false, int96_as",
        "The name of a folder takes the place of a column, and all persons are one.",
        (f"{_SOURCES}test_the_name_of_a_folder_is_no_column",),
    ),
    Mutation(
        "int96-is-cut-unseen",
        "src/shoal/engines/duckdb/sources.py",
        "int96_as='timestamp_ns'",
        "int96_as='timestamp'",
        "Persons whose keys differ by nanoseconds are one.",
        (f"{_SOURCES}test_moments_that_lose_their_nanoseconds_identify_nobody",),
    ),
    Mutation(
        "two-columns-of-one-name",
        "src/shoal/engines/source_reading.py",
        "        if other is not None:\n",
        "        if False:\n",
        "A person is told by another column than the one that was named.",
        (f"{_SOURCES}test_names_that_sql_would_change_are_refused",),
    ),
    Mutation(
        "objects-of-several-kinds",
        "src/shoal/engines/objects.py",
        'if len(kinds) != 1 or kinds == {"decimals"}:',
        'if len(kinds) == 0 or kinds == {"decimals"}:',
        "One row decides the type that all others are read as.",
        (
            f"{_SOURCES}test_a_column_whose_rows_would_decide_its_type_is_refused_with_the_type_to_declare",
        ),
    ),
    Mutation(
        "decimals-count-their-own-digits",
        "src/shoal/engines/objects.py",
        'if len(kinds) != 1 or kinds == {"decimals"}:',
        "if len(kinds) != 1:",
        "One row decides how many digits a column shows.",
        (
            f"{_SOURCES}test_a_column_whose_rows_would_decide_its_type_is_refused_with_the_type_to_declare",
        ),
    ),
    Mutation(
        "objects-lose-nothing",
        "src/shoal/engines/duckdb/engine.py",
        "readings[column] = in_part(readings[column])",
        "pass",
        "Persons whose keys do not fit 64 bits are merged with those who have none.",
        (f"{_SOURCES}test_objects_that_may_be_null_cannot_be_the_one_person_without_a_key",),
    ),
    Mutation(
        "texts-are-counted-and-not-read",
        "src/shoal/engines/source_reading.py",
        'f"MAX(LENGTH({value}))" if self.type == TEXT else f"COUNT({value})"',
        'f"COUNT({value})"',
        "One row with broken text makes every later question fail.",
        (f"{_SOURCES}test_texts_are_read_and_not_only_counted_when_a_source_is_looked_at",),
    ),
    Mutation(
        "broken-texts-of-arrow",
        "src/shoal/engines/frames.py",
        "                column.validate(full=True)\n",
        "                column.validate()\n",
        "One row with broken text makes every later question fail.",
        (f"{_SOURCES}test_bytes_that_are_no_text_are_refused_at_the_door_and_never_by_a_question",),
    ),
    Mutation(
        "choices-of-half-letters",
        "src/shoal/plan/facts.py",
        '                check_text(value, "a choice")\n',
        "                pass\n",
        "A question is charged, and dies in the engine.",
        (f"{_SOURCES}test_a_text_that_no_table_can_hold_is_refused_before_anything_is_charged",),
    ),
    Mutation(
        "facts-that-are-none-are-ignored",
        "src/shoal/query/private_tables.py",
        "return self.read(facts_of(given))",
        "return self.read(given)",
        "A range that was stated does not hold, and nobody says so.",
        (f"{_SOURCES}test_what_states_neither_a_range_nor_choices_is_refused",),
    ),
    Mutation(
        "csv-types-are-guessed",
        "src/shoal/engines/duckdb/csv_reading.py",
        "        _refuse_incomplete(file, facts, types, name)\n",
        "        return proposed(file, facts, name)\n",
        "One cell decides the type that an answer shows.",
        (f"{_CSV}test_types_that_are_missing_are_proposed_and_the_proposal_works_when_pasted",),
    ),
    Mutation(
        "csv-cells-are-rounded",
        "src/shoal/engines/duckdb/csv_reading.py",
        "f\"CASE WHEN REGEXP_MATCHES({{0}}, '{braces}') THEN TRY_CAST(TRIM({{0}}) AS {kind}) END\"",
        'f"TRY_CAST(TRIM({{0}}) AS {kind})"',
        "A cell that does not fit its type becomes another value.",
        (f"{_CSV}test_one_cell_changes_neither_the_types_nor_another_row",),
    ),
    Mutation(
        "the-first-patient-names-the-columns",
        "src/shoal/engines/duckdb/csv_reading.py",
        "    if is_data:\n        raise",
        "    if False:\n        raise",
        "The first row of a file without a header stands in the declaration.",
        (f"{_CSV}test_a_header_that_looks_like_data_is_questioned_and_never_shown",),
    ),
    Mutation(
        "a-terabyte-of-nothing",
        "src/shoal/engines/csv_file.py",
        "    if hole < size:\n",
        "    if False:\n",
        "A file that was never written is read for hours.",
        (f"{_CSV}test_a_file_with_holes_is_refused",),
    ),
    Mutation(
        "files-are-read-by-path",
        "src/shoal/vault/sources/file_source.py",
        "        return Handle(replace(self, handle=_THROUGH / str(number)), number)\n",
        "        return Handle(self, number)\n",
        "Rows come from a folder that nobody declared, which lay at the path for a moment.",
        (f"{_HANDLES}test_rows_never_come_from_what_lay_at_the_path_for_a_moment",),
    ),
    Mutation(
        "what-holds-the-same-was-never-away",
        "src/shoal/vault/sources/checked_engine.py",
        "            if what is _READ and known is not None and",
        "            if False and",
        "Rows come from a file that nobody declared, which lay in the folder for a moment.",
        (f"{_HANDLES}test_a_file_of_a_folder_that_is_swapped_and_put_back_is_noticed",),
    ),
    Mutation(
        "dates-settle-while-files-are-hashed",
        "src/shoal/vault/sources/file_source.py",
        "before if newest + _SETTLED < start else ()",
        "before if newest + _SETTLED < time.time_ns() else ()",
        "A file that was written while it was hashed is believed to be the one that was declared.",
        (f"{_HANDLES}test_dates_are_kept_only_if_they_were_settled_before_the_hashing_began",),
    ),
    Mutation(
        "dates-are-believed-at-once",
        "src/shoal/vault/sources/checked_engine.py",
        "        if now.dates:  # else",
        "        if True:  # else",
        "A file that changes without a later date is asked about as if it had not.",
        (
            f"{_HANDLES}test_a_fresh_file_that_changes_without_a_later_date_is_found_in_the_same_session",
        ),
    ),
    Mutation(
        "conditions-are-rewritten-by-statistics-of-all-rows",
        "src/shoal/engines/duckdb/connection.py",
        '        "disabled_optimizers": UNSAFE_OPTIMIZER,\n',
        "",
        "One person's row decides whether the rows of all others fulfil a condition.",
        (
            "tests/engines/test_statistics_of_rows.py::test_one_row_more_changes_a_count_by_one_at_most",
        ),
    ),
    Mutation(
        "a-database-that-is-handed-over-keeps-its-optimizers",
        "src/shoal/engines/duckdb/callers_database.py",
        "        without_statistics(self.connection)\n",
        "",
        "One person's row decides whether the rows of all others fulfil a condition.",
        (
            "tests/engines/test_statistics_of_rows.py::test_a_database_that_was_handed_over_keeps_what_its_owner_turned_off",
        ),
    ),
)
