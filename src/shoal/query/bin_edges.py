"""Bins of one width over the declared range of an expression, for histograms."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from shoal.errors import RangeError
from shoal.plan import Expression, range_of

MOST_BINS = 10_000


def bin_key(expression: Expression, text: str, bins: int) -> str:
    """The key in SQL by which rows are counted in so many bins; no value lies outside of them."""
    if isinstance(bins, bool) or not isinstance(bins, int) or not 1 <= bins <= MOST_BINS:
        raise RangeError(
            f"bins must be a whole number from 1 to {MOST_BINS:,}.",
            remedy="Give bins=10; for edges of your own, group by a CASE or by BIN(x, width).",
        )
    if not expression.type.numeric:
        raise RangeError(
            f"a histogram needs numbers, and {text[:60]} is {expression.type}.",
            remedy="Group a date by DATE_TRUNC('month', d) or YEAR(d), and count.",
        )
    lo, upper = edges(expression, bins)
    return f"WIDTH_BUCKET({text}, {lo}, {upper}, {bins})"


def edges(expression: Expression, bins: int) -> tuple[str, str]:
    """The two outer edges, as SQL has them.

    WIDTH_BUCKET counts the upper edge as outside, and so would make one more bin for the highest
    value alone.  Whole numbers and decimals get bins of whole units that reach beyond it, reals the
    next double.
    """
    lo, hi = range_of(expression)
    if not expression.type.exact:
        return repr(float(lo)), f"{math.nextafter(float(hi), math.inf):.16e}"
    unit = Fraction(1, 10**expression.type.scale)
    width = math.ceil((hi - lo + unit) / bins / unit) * unit
    return _written(lo, expression.type.scale), _written(lo + bins * width, expression.type.scale)


def _written(number: Fraction, scale: int) -> str:
    """An exact number of units as it is typed."""
    return f"{Decimal(int(number * 10**scale)).scaleb(-scale):f}"
