"""Several quantiles in one word: QUANTILE_CONT(x, [0.1, 0.5, 0.9]) is a column for each level."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from shoal.sql.question_text import Text

QUANTILES = ("Quantile", "PercentileCont", "PercentileDisc", "ApproxQuantile")
"""How the tree calls quantiles with a level."""

_SHORT = re.compile(r"(\d{1,3}\.?|\d?\.\d{1,9})(e-\d)?", re.ASCII | re.IGNORECASE)


def spelled_out(item: Any, text: Text) -> list[Any]:
    """An item of SELECT, or one for each level if it is a quantile with a list of them.

    A name gets the level in percent: ``x`` becomes ``x_10``, ``x_50``, and ``x_99_9`` at 0.999.
    """
    levels = _list_in(item)
    if levels is None:
        return [item]
    if not levels.expressions:
        raise text.refused(item, "the list of levels is empty.", "Write QUANTILE_CONT(x, [0.5]).")
    made = []
    for level in levels.expressions:
        one = item.copy()
        place = _list_in(one)
        assert place is not None
        place.replace(level.copy())
        name = one.args.get("alias")
        if name is not None:
            name.set("this", f"{name.name}_{_percent(level, text)}")
        made.append(one)
    return made


def _list_in(item: Any) -> Any | None:
    """The list of levels, where an item is a quantile that has one."""
    node = item.this if type(item).__name__ == "Alias" else item
    while type(node).__name__ in ("Paren", "Filter"):
        node = node.this
    parts: tuple[str, ...] = ("quantile", "expression")
    if type(node).__name__ == "WithinGroup":
        node, parts = node.this, ("this",)
    if type(node).__name__ not in QUANTILES:
        return None
    found = (node.args.get(part) for part in parts)
    return next((each for each in found if type(each).__name__ == "Array"), None)


def _percent(level: Any, text: Text) -> str:
    percent = Decimal(level.name).scaleb(2) if _SHORT.fullmatch(level.name) else Decimal(-1)
    if not 0 <= percent <= 100:
        raise text.refused(
            level,
            "a quantile needs constant levels from 0 to 1, with few digits.",
            "Write QUANTILE_CONT(x, [0.1, 0.5, 0.9]).",
        )
    return f"{percent.normalize():f}".replace(".", "_")
