"""Names of the columns that released counts are handed over in: each stands once."""

from __future__ import annotations

from collections.abc import Collection


def key_name(column: str, numbers: Collection[str]) -> str:
    """What the labels of a column are called beside the numbers.

    A private column may be called ``count`` like a number, and one of them would be lost.  So it gets
    a ``_`` behind its name, and so does one called ``count_``: a name is that of one column in all
    tables of a release.
    """
    return f"{column}_" if column.rstrip("_") in numbers else column
