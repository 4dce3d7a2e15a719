"""Faults in what engines keep between questions, what they read for one, and what they may take for
it.
"""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

KEPT = (
    Mutation(
        "totals-are-kept-by-place-alone",
        "src/shoal/engines/duckdb/engine.py",
        "return {term: (frame, names, term) for term in bounded.terms}",
        "return {term: (frame, term) for term in bounded.terms}",
        "The sum of one column is told as that of another whose name it had in an earlier question.",
        (
            "tests/engines/test_engine.py::test_names_that_change_places_are_answered_by_their_own_columns",
        ),
    ),
    Mutation(
        "contributions-are-kept-by-place-alone",
        "src/shoal/engines/spark/engine.py",
        "names = tuple(names_of(bounded.relation))  #",
        "names = ()  #",
        "The sum of one column is told as that of another whose name it had in an earlier question.",
        (
            "tests/engines/test_engine.py::test_names_that_change_places_are_answered_by_their_own_columns_in_spark",
        ),
        needs="java",
    ),
    Mutation(
        "a-join-ranks-rows-by-the-columns-in-use",
        "src/shoal/plan/used_columns.py",
        "right=_narrowed(join.right, _names(join.right)),",
        "right=_narrowed(join.right, used & _names(join.right) | _read_by(pair[1] for pair in join.on)),",
        "A join takes other rows of a person than it says, and which ones depends on what else is asked.",
        (
            "tests/plan/test_used_columns.py::test_which_rows_are_joined_is_decided_by_columns_that_are_not_used_too",
        ),
    ),
    Mutation(
        "a-wide-table-is-read-through-in-part",
        "src/shoal/engines/duckdb/engine.py",
        "for at in range(0, len(names), _MOST_COLUMNS):",
        "for at in range(0, len(names) - _MOST_COLUMNS, _MOST_COLUMNS):",
        "A text of one row that is not UTF-8 makes every question on its column fail.",
        (
            "tests/plan/test_used_columns.py::test_a_text_that_is_not_whole_is_refused_in_whatever_column_of_a_wide_file_it_is",
        ),
    ),
    Mutation(
        "the-memory-that-was-stated-is-not-set",
        "src/shoal/engines/duckdb/connection.py",
        '"memory_limit": memory or SHARE,',
        '"memory_limit": SHARE,',
        "Whether a question fails for want of memory is decided by the machine of the day, and not by a public number.",
        (
            "tests/engines/test_limits.py::test_the_memory_of_a_connection_of_ours_is_set_and_not_left_to_duckdb",
        ),
    ),
    Mutation(
        "nobody-watches-the-time",
        "src/shoal/engines/duckdb/engine.py",
        "with self._lock, stopped_after(self._seconds, self._connection.interrupt):",
        "with self._lock:",
        "A question runs for longer than the operator allows, and how long can be seen.",
        ("tests/engines/test_limits.py::test_a_limit_that_is_hit_has_one_outcome_on_neighbours",),
    ),
)
