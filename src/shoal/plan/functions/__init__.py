"""The functions of the row language: an allow-list, each total and the same on every engine."""

from shoal.plan.functions import (
    arithmetic,
    casts,
    conditional,
    dates,
    logic,
    patterns,
    rounding,
    text,
)
from shoal.plan.functions.function import FUNCTIONS, Function
from shoal.plan.functions.released_values import EVERY, RELEASED  # after all functions of rows

__all__ = [
    "EVERY",
    "FUNCTIONS",
    "RELEASED",
    "Function",
    "arithmetic",
    "casts",
    "conditional",
    "dates",
    "logic",
    "patterns",
    "rounding",
    "text",
]
