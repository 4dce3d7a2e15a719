"""Released counts as people read them: with separators, and the ends of intervals rounded outward."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def counts_written(name: str) -> Callable[[Any], str] | None:
    """How the numbers of a column are written, by its name; nothing for a column of keys."""
    return _WRITTEN.get(name)


def headed(name: str) -> str:
    """What stands above a column of released numbers."""
    return {"count_low": "from", "count_high": "to", "total_low": "from", "total_high": "to"}.get(
        name, name
    )


def _nearest(count: Any) -> str:
    return _figure(count, round)


def _below(count: Any) -> str:
    return _figure(count, math.floor)


def _above(count: Any) -> str:
    return _figure(count, math.ceil)


def _figure(count: Any, rounded: Callable[[Any], int]) -> str:
    """One digit behind the point, unless it is a whole number."""
    return f"{rounded(count * 10) / 10:,.1f}" if isinstance(count, float) else f"{count:,}"


_WRITTEN: dict[str, Callable[[Any], str]] = {
    f"{name}{end}": written
    for name in ("count", "total")
    for end, written in (("", _nearest), ("_low", _below), ("_high", _above))
}
