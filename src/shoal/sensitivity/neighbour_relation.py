"""The two words every sensitivity needs: which datasets are neighbours, and how movement is
measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Self

from shoal.errors import RangeError
from shoal.exact import root_up


class _Word(StrEnum):
    @classmethod
    def read(cls, value: str, name: str) -> Self:
        """The member, given as itself or as its text; anything else is refused by name."""
        try:
            return cls(value)
        except ValueError:
            shown = repr(value[:40]) if isinstance(value, str) else type(value).__name__
            words = " or ".join(repr(str(member)) for member in cls)
            raise RangeError(
                f"{name} must be {words}; got {shown}.", remedy=f"Choose {name} from {words}."
            ) from None


class Relation(_Word):
    """Which datasets are neighbours.

    ``ADD_REMOVE``: one row comes or goes, so the number of rows is itself private.
    ``CHANGE``: one row takes another value, so the number of rows is public and stays.

    A change is a removal and an addition: what is epsilon-DP for ADD_REMOVE is 2 epsilon-DP for
    CHANGE.  The converse is false: the number of rows, published exactly, is 0-DP for CHANGE and
    not DP at all for ADD_REMOVE.
    """

    ADD_REMOVE = "add_remove"
    CHANGE = "change"


class Norm(_Word):
    """How the movement of several numbers is measured.

    L1 for Laplace noise, L2 for Gaussian noise, LINF (the largest movement of any one) for scores.
    """

    L1 = "l1"
    L2 = "l2"
    LINF = "linf"

    def bounds(self, other: Norm) -> bool:
        """Whether a bound in this norm is one in the other: L1 >= L2 >= LINF for every vector."""
        order = (Norm.L1, Norm.L2, Norm.LINF)
        return order.index(self) <= order.index(other)

    def length_up(self, parts: Sequence[Fraction]) -> Fraction:
        """The norm of a vector: exact for L1 and LINF, rounded up for L2; 0 without parts.

        >>> Norm.L1.length_up([Fraction(3), Fraction(-4)]), Norm.L2.length_up([Fraction(3), Fraction(-4)])
        (Fraction(7, 1), Fraction(5, 1))
        """
        return self.undo_up(self.measure(parts))

    def measure(self, parts: Sequence[Fraction]) -> Fraction:
        """An exact number that orders vectors as the norm does: the norm itself, for L2 its
        square.
        """
        if self is Norm.L1:
            return sum((abs(part) for part in parts), Fraction(0))
        if self is Norm.L2:
            return sum((part * part for part in parts), Fraction(0))
        return max((abs(part) for part in parts), default=Fraction(0))

    def undo_up(self, measured: Fraction) -> Fraction:
        """The norm, for L2 rounded up, from what `measure` gave."""
        return root_up(measured) if self is Norm.L2 else measured
