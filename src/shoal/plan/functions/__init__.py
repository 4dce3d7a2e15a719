"""The functions of the row language: an allow-list, each total and the same on every engine."""

from shoal.plan.functions import arithmetic, casts, conditional, dates, logic, rounding, text
from shoal.plan.functions.function import FUNCTIONS, Function

__all__ = [
    "FUNCTIONS",
    "Function",
    "arithmetic",
    "casts",
    "conditional",
    "dates",
    "logic",
    "rounding",
    "text",
]
