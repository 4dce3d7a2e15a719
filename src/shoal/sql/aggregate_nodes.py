"""Where a piece of SQL aggregates rows."""

from __future__ import annotations

from typing import Any

from shoal.sql.functions import AGGREGATES


def aggregates_in(node: Any) -> bool:
    """Whether a node aggregates rows, not counting what windows and sub-queries do."""
    return any(
        type(part).__name__ in AGGREGATES and not _of_window(part) and not _inside_query(part, node)
        for part in node.walk()
    )


def _of_window(node: Any) -> bool:
    above = node.parent
    if type(above).__name__ == "Filter":
        node, above = above, above.parent
    return type(above).__name__ == "Window" and above.this is node


def _inside_query(part: Any, node: Any) -> bool:
    above = part.parent
    while above is not None and part is not node:
        if type(above).__name__ in ("Subquery", "Select"):
            return True
        if above is node:
            return False
        above = above.parent
    return False
