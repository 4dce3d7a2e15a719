"""Words that somebody may type into a question: for pages that complete and colour them."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.sql.functions import KNOWN
from shoal.vault.dataset import Dataset

KEYWORDS = (
    "AND",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "CASE",
    "COUNT(*)",
    "DESC",
    "DISTINCT",
    "ELSE",
    "END",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "IS",
    "JOIN",
    "LEFT",
    "LIKE",
    "LIMIT",
    "NOT",
    "NULL",
    "ON",
    "OR",
    "ORDER",
    "SELECT",
    "THEN",
    "UNION",
    "WHEN",
    "WHERE",
    "WITH",
)
ONE_COLUMN = ("AVG", "COUNT", "MAX", "MEDIAN", "MIN", "STDDEV", "SUM", "VARIANCE")
TWO_COLUMNS = ("CORR", "COVAR_POP", "COVAR_SAMP", "REGR_INTERCEPT", "REGR_R2", "REGR_SLOPE")
AGGREGATE_NAMES = (*ONE_COLUMN, *TWO_COLUMNS)
"""Aggregates under the names that people type."""


def words_for(datasets: Iterable[Dataset]) -> dict[str, list[str]]:
    """Keywords, functions, and the names of these datasets and of their columns; all public."""
    known = list(datasets)
    columns = {column.name for each in known for column in each.columns}
    return {
        "keywords": list(KEYWORDS),
        "functions": sorted({*AGGREGATE_NAMES, *(each.upper() for each in KNOWN)}),
        "tables": sorted(each.name for each in known),
        "columns": sorted(columns),
    }
