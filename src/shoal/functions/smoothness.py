"""What is publicly known of a function's smoothness, and how far its approximation can then be
off.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import RangeError
from shoal.exact import Number, float_up, non_negative, root_up
from shoal.functions.operator import Operator


@dataclass(frozen=True, kw_only=True)
class Smoothness:
    """Bounds on a function on the unit cube, along each axis: of its slope, and of derivatives from
    the second on.

    What is not known is left out; at least a slope or a second derivative is needed.  The bounds
    must be public.
    Reference: Micchelli 1973 for the rates; the constants are our own.  Proof: operator.md.

    >>> wave = Smoothness(second=100, third=1000, fourth=10**4)  # sin(10 x)
    >>> round(wave.bias_up(Operator(50)), 3), round(wave.bias_up(Operator(50, order=2)), 3)
    (0.25, 0.123)
    """

    slope: Fraction | None = None
    second: Fraction | None = None
    third: Fraction | None = None
    fourth: Fraction | None = None

    def __init__(
        self,
        *,
        slope: Number | None = None,
        second: Number | None = None,
        third: Number | None = None,
        fourth: Number | None = None,
    ) -> None:
        given = {"slope": slope, "second": second, "third": third, "fourth": fourth}
        for name, value in given.items():
            read = None if value is None else non_negative(value, name)
            object.__setattr__(self, name, read)
        if self.slope is None and self.second is None:
            raise RangeError(
                "a bound on the slope or on the second derivative is needed.",
                remedy="Give slope=2 or second=10, for example, from what is publicly known.",
            )

    def bias_up(self, operator: Operator) -> float:
        """A function so smooth is nowhere further from its exact approximation than this."""
        degree, dims, order = operator.degree, operator.dims, operator.order
        known = [self._once(degree, dims) * 2 ** (order - 1)]
        if order >= 2 and dims == 1 and (twice := self._twice(degree)) is not None:
            known.append(twice * 2 ** (order - 2))
        return float_up(min(known))

    def _once(self, degree: int, dims: int) -> Fraction:
        known = []
        if self.second is not None:
            known.append(self.second / (8 * degree))
        if self.slope is not None:
            known.append(self.slope * root_up(Fraction(1, 4 * degree)))
        return dims * min(known)

    def _twice(self, degree: int) -> Fraction | None:
        if self.second is None or self.third is None or self.fourth is None or degree < 2:
            return None
        bend = (self.second + self.third) / degree
        bend += self.fourth / 2 * (Fraction(1, 4 * degree) + Fraction(7, 6 * degree**2))
        return bend / (8 * degree)
