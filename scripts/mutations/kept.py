"""Faults in what engines keep between questions, and in what they read for one."""

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
            "tests/engines/test_kept.py::test_names_that_change_places_are_answered_by_their_own_columns",
        ),
    ),
    Mutation(
        "contributions-are-kept-by-place-alone",
        "src/shoal/engines/spark/engine.py",
        "names = tuple(names_of(bounded.relation))  #",
        "names = ()  #",
        "The sum of one column is told as that of another whose name it had in an earlier question.",
        (
            "tests/engines/test_kept.py::test_names_that_change_places_are_answered_by_their_own_columns_in_spark",
        ),
        needs="java",
    ),
)
