"""A finite law: the chance of every output, exactly or between two rationals, and what was not
followed to its end.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.auditing.output_identity import told
from shoal.errors import RangeError
from shoal.exact import Number, closed_unit, non_negative, short_down, short_up


@dataclass(frozen=True)
class Bounds:
    """A number between two rationals; ``high`` None says that there is no upper bound, ``low`` None
    that it is infinite.
    """

    low: Fraction | None
    high: Fraction | None

    @property
    def exact(self) -> Fraction | None:
        """The number, where both sides are the same."""
        return self.low if self.low == self.high else None

    @property
    def infinite(self) -> bool:
        return self.low is None

    def __str__(self) -> str:
        if self.low is None:
            return "infinite"
        if self.high is None:
            return f"at least {short_down(self.low)}"
        low, high = short_down(self.low), short_up(self.high)
        return high if self.low == self.high or low == high else f"{low} to {high}"


@dataclass(frozen=True, init=False)
class Law:
    """The chances of the outputs under one dataset.

    ``rest`` is mass that went to outputs nobody knows: of listed ones or of others.

    >>> Law({"yes": "3/4", "no": "1/4"}).chance("yes").exact
    Fraction(3, 4)
    >>> print(Law({"yes": "3/4", "no": "1/8"}, rest="1/8").chance("no"))
    0.125 to 0.25
    """

    low: Mapping[Hashable, Fraction]
    high: Mapping[Hashable, Fraction]
    rest: Fraction

    def __init__(self, chances: Mapping[Any, Any], *, rest: Number = 0) -> None:
        put = object.__setattr__
        ends = {told(output): _ends(chance) for output, chance in chances.items()}
        put(self, "low", {output: low for output, (low, _) in ends.items()})
        put(self, "high", {output: high for output, (_, high) in ends.items()})
        put(self, "rest", non_negative(rest, "rest"))
        least, most = sum(self.low.values()), sum(self.high.values()) + self.rest
        if least > 1 or most < 1 or (self.exact and least + self.rest != 1):
            raise RangeError(
                f"the chances of all outputs must add up to 1; they add up to {short_up(Fraction(most))}.",
                remedy="List every output once, with chances that add up to exactly 1, as fractions such as '1/3'.",
            )

    @property
    def exact(self) -> bool:
        """Whether every listed chance is one rational."""
        return all(self.low[output] == self.high[output] for output in self.low)

    def chance(self, output: Hashable) -> Bounds:
        """The chance of one output."""
        key = told(output)
        low, high = self.low.get(key, Fraction(0)), self.high.get(key, Fraction(0))
        return Bounds(low, min(Fraction(1), high + self.rest))


def _ends(chance: Any) -> tuple[Fraction, Fraction]:
    if isinstance(chance, list | tuple) and len(chance) == 2:
        low, high = (closed_unit(end, "chance") for end in chance)
        if low <= high:
            return low, high
        raise RangeError(
            "a chance between two numbers was given with the larger one first.",
            remedy="Give [low, high].",
        )
    exact = closed_unit(chance, "chance")
    return exact, exact
