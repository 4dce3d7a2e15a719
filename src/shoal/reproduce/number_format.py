"""Numbers in tables."""

from __future__ import annotations

import math


def figure(value: float, digits: int = 3) -> str:
    """A number with so many digits; powers of ten where it would be long."""
    if not math.isfinite(value):
        return "infinite" if value > 0 else "-"
    if value == 0:
        return "0"
    size = abs(value)
    if 10**digits <= size < 1e6:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if 1e-3 <= size < 1e6 else f"{value:.{digits - 1}e}"


def percent(share: float) -> str:
    """A share as a percentage with one digit."""
    return f"{100 * share:.1f} %"
