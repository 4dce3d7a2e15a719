"""Public ends of a range: an order, a size that squares of it survive, and a width in the
arithmetic that uses them.

An end is a rational. Code that clamps doubles clamps them to `float_ends`, the outermost doubles
*inside* the range: then the clamped values are at most high - low apart, exactly, and their width
is neither 0 nor infinite.  (The nearest doubles do not have this property: those of 10^17 + 8 and
10^17 + 24 are 32 apart.)
"""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import RangeError
from shoal.exact.rational import Number, rational, short
from shoal.exact.real import float_down, float_up

LARGEST_END = 10**100
"""No end is larger and no range narrower than one over it, so that widths and their squares are
doubles that are neither 0 nor infinite.
"""


def read_ends(
    low: Number, high: Number, *, names: tuple[str, str] = ("low", "high")
) -> tuple[Fraction, Fraction]:
    """Read a public range: low < high, of a size that can be computed with.

    >>> read_ends("-1/2", 3)
    (Fraction(-1, 2), Fraction(3, 1))
    """
    ends = rational(low, names[0]), rational(high, names[1])
    for name, end in zip(names, ends, strict=True):
        if abs(end) > LARGEST_END:
            raise RangeError(
                f"{name} must lie between -1e100 and 1e100; got {short(end)}.",
                remedy="Give the range that values are cut to, as narrow as you know it.",
            )
    if ends[0] >= ends[1]:
        raise RangeError(
            f"{names[0]} must be below {names[1]}; got {short(ends[0])} and {short(ends[1])}.",
            remedy="Give the range that values are cut to, the lower end first.",
        )
    if (ends[1] - ends[0]) * LARGEST_END < 1:
        raise RangeError(
            f"the range from {names[0]} to {names[1]} is narrower than 1e-100.",
            remedy="Give the range that values are cut to in a larger unit.",
        )
    return ends


def read_float_ends(
    low: Number, high: Number, *, names: tuple[str, str] = ("low", "high")
) -> tuple[Fraction, Fraction]:
    """The same for values that are doubles: at least two of them lie in the range."""
    ends = read_ends(low, high, names=names)
    bottom, top = float_ends(*ends)
    if not bottom < top:
        raise RangeError(
            f"the range from {short(ends[0])} to {short(ends[1])} holds fewer than two floating-point numbers,"
            " so values in it cannot be told apart.",
            remedy="Give a wider range, or take a public number off all values and ends first.",
        )
    return ends


def float_ends(low: Fraction, high: Fraction) -> tuple[float, float]:
    """The least and the largest double in a range.

    >>> float_ends(Fraction(1, 10), Fraction(3, 10))
    (0.1, 0.3)
    >>> float_ends(Fraction(10**17 + 1), Fraction(10**17 + 33))
    (1.0000000000000002e+17, 1.0000000000000003e+17)
    """
    return float_up(low), float_down(high)
