"""Names of the columns that released counts are handed over in: each stands once."""

from __future__ import annotations

from collections.abc import Collection


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with as many ``_`` behind it as it needs to be none of those that are taken.

    A private column may be called ``count`` like the numbers beside it; in one of them the other
    would be lost.
    """
    while name in taken:
        name += "_"
    return name
