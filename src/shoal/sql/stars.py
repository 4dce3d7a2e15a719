"""What * stands for in a list of columns, with and without the name of a table, and without some
columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from shoal.sql.question_text import Text
from shoal.sql.scope import same


class _NamedColumn(Protocol):
    @property
    def source(self) -> str: ...

    @property
    def name(self) -> str: ...


_Column = TypeVar("_Column", bound=_NamedColumn)


def starred(
    item: Any, text: Text, every: Sequence[_Column], plain: Sequence[_Column]
) -> list[_Column] | None:
    """The columns that a star stands for, of all, or without a table of the ``plain`` ones; None if
    the item is no star.

    Edges: a table that is not there, and a column that is not there to be left out, are refused.
    """
    inner = item.this if type(item).__name__ == "Column" else item
    if type(inner).__name__ != "Star":
        return None
    text.only(inner, "except_", "except")
    source = item.args.get("table") if inner is not item else None
    found = list(plain) if source is None else [e for e in every if same(source, e.source)]
    if source is not None and not found:
        raise text.unknown(item, f"there is no table {source.name[:60]!r} here.", "Write * alone.")
    for part in inner.args.get("except_") or inner.args.get("except") or []:
        name = part.this if type(part).__name__ == "Column" else part
        kept = [each for each in found if not same(name, each.name)]
        if len(kept) == len(found):
            problem = f"there is no column {name.name[:60]!r} to leave out."
            raise text.unknown(item, problem, "Leave out columns that are there.")
        found = kept
    return found
