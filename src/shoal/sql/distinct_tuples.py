"""Several values as one, for COUNT(DISTINCT (a, b)): a text from which each of them can be read
back.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.plan import TEXT, Expression, Kind, Literal, call, cast

_WRITTEN = (Kind.TEXT, Kind.INTEGER, Kind.BOOLEAN, Kind.DATE)
"""Kinds that every engine writes as text in the same way."""


def joined(parts: Sequence[Expression], *, with_nulls: bool) -> Expression | None:
    """One text for several values; None if one of them has no text that all engines agree on.

    Guarantee: two rows have the same text exactly if they have the same values.  Each part is its
        length, a colon and itself, so no text can be cut in two ways, and NULL is a letter, with
        which no length begins.
    Edges: a tuple with a NULL is a value like any other ``with_nulls``, as in DuckDB's
        COUNT(DISTINCT (a, b)); otherwise, as in COUNT(DISTINCT a, b), it is NULL.
    """
    if any(part.type.kind not in _WRITTEN for part in parts):
        return None
    made: Expression | None = None
    for part in parts:
        text = cast(part, TEXT)
        size = cast(call("length", text), TEXT)
        whole = call("concat", call("concat", size, Literal(":", TEXT)), text)
        if with_nulls and part.nullable:
            whole = call("case", call("is_null", part), Literal("n", TEXT), whole)
        made = whole if made is None else call("concat", made, whole)
    return made
