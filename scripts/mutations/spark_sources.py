"""Faults in reading files with Spark: which of them decides what the rows of others are read as."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_TESTS = "tests/engines/test_spark_sources.py::"
_FILES = "src/shoal/engines/spark/files.py"
_SOURCES = "src/shoal/engines/spark/sources.py"
_CSV = "src/shoal/engines/spark/csv_reading.py"

SPARK_SOURCES = (
    Mutation(
        "spark-one-file-decides-for-all",
        _FILES,
        "        if schemas[file] != schemas[first]:\n",
        "        if False:\n",
        "One person's file casts the rows of everybody else, or adds a column.",
        (f"{_TESTS}test_a_vault_registers_no_folder_whose_files_differ",),
        needs="java",
    ),
    Mutation(
        "spark-names-of-folders-are-columns",
        _SOURCES,
        "recursiveFileLookup=True",
        "recursiveFileLookup=False",
        "The name of a folder takes the place of a column, and all persons are one.",
        (f"{_TESTS}test_a_person_in_a_folder_is_the_column_of_the_files",),
        needs="java",
    ),
    Mutation(
        "spark-int96-is-cut-unseen",
        _FILES,
        'return " int96 " in self.schema',
        "return False",
        "Persons whose keys differ by nanoseconds are one.",
        (f"{_TESTS}test_moments_that_lose_their_nanoseconds_identify_nobody",),
        needs="java",
    ),
    Mutation(
        "spark-cells-that-do-not-fit-are-one-person",
        _SOURCES,
        "each: Loss.TO_NULL for each",
        "each: Loss.NOTHING for each",
        "Everybody whose id is not a number is one person, and counts for little.",
        (f"{_TESTS}test_cells_that_do_not_fit_are_not_one_person",),
        needs="java",
    ),
    Mutation(
        "spark-the-first-header-is-everybodys",
        _CSV,
        "        if found != names:\n",
        "        if False:\n",
        "Cells of one file are read under the names of another.",
        (f"{_TESTS}test_csv_files_whose_headers_differ_are_refused_by_name",),
        needs="java",
    ),
    Mutation(
        "spark-a-row-of-data-names-columns",
        _CSV,
        "    if not table.header and not set(names) <= set(table.kinds):\n",
        "    if False:\n",
        "The first person's cells are shown as the names of columns.",
        (f"{_TESTS}test_a_first_row_that_looks_like_data_becomes_no_names_and_is_not_told",),
        needs="java",
    ),
)
