"""Rows of a table with some columns as they are in the source, for releases about what is declared."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from shoal.errors import SchemaError
from shoal.plan import Rows, Scan


def with_source_values(rows: Rows, names: Collection[str]) -> Rows:
    """The same rows, whose columns of these names are not moved into their declared facts.

    Whose row a row is, and how many rows a person has, does not depend on these facts.
    """
    if not isinstance(rows, Scan):
        raise SchemaError(
            "values are counted as they are in the source, so this is asked of a whole table.",
            remedy="Leave filters and joins out: people.learn(ClippedShare(model), ...).",
        )
    if owned := sorted(
        each.name for each in rows.columns if each.person is not None and each.name in names
    ):
        raise SchemaError(
            f"column {owned[0]!r} identifies the persons, so it cannot be counted as it is.",
            remedy="Learn the model without it.",
        )
    columns = tuple(
        replace(each, nullable=True, span=None, choices=None) if each.name in names else each
        for each in rows.table.columns
    )
    return Scan(replace(rows.table, columns=columns))
