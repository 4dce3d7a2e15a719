"""Released counts as people read them: with separators, and the ends of intervals rounded outward."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Written = dict[str, Callable[[Any], str]]
"""How the numbers of a column are written, by its name; columns of keys are not in it."""


def headed(name: str, counts: Written) -> str:
    """What stands above a column."""
    if name not in counts:
        return name
    return "from" if name.endswith("_low") else "to" if name.endswith("_high") else name


def _of(*names: str) -> Written:
    ends: Written = {"": _nearest, "_low": _below, "_high": _above}
    return {f"{name}{end}": written for name in names for end, written in ends.items()}


def _nearest(count: Any) -> str:
    return _figure(count, round)


def _below(count: Any) -> str:
    return _figure(count, math.floor)


def _above(count: Any) -> str:
    return _figure(count, math.ceil)


def _figure(count: Any, rounded: Callable[[Any], int]) -> str:
    """One digit behind the point, unless it is a whole number."""
    return f"{rounded(count * 10) / 10:,.1f}" if isinstance(count, float) else f"{count:,}"


OF_TABLES = _of("count")
OF_DAYS = _of("count", "total")
