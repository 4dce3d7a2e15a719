"""A sensitivity is a value: how far, in which norm, between which neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Self

from shoal.errors import ConversionError, RangeError, ShapeError
from shoal.exact import Number, non_negative, rational, root_up, short, whole


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


@dataclass(frozen=True)
class Sensitivity:
    """A bound on how far a function moves between any two neighbours.

    Guarantee: ||f(x) - f(x')|| <= value in this norm, for all neighbours x, x' in this relation; it
        is a supremum over all of them, never the difference of one pair.
    Needs: value >= 0 and finite.  relation None means a caller's own claim, for the neighbours the
        caller has in mind.  dimension is how many numbers f returns, None if that is not known.
    Edges: 0 says that f does not depend on the data.  For dimension 1 all norms agree.
    """

    value: Fraction
    norm: Norm
    relation: Relation | None = None
    dimension: int | None = None

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "value", non_negative(self.value, "value"))
        set_field(self, "norm", Norm.read(self.norm, "norm"))
        if self.relation is not None:
            set_field(self, "relation", Relation.read(self.relation, "relation"))
        if self.dimension is not None:
            set_field(self, "dimension", whole(self.dimension, "dimension", at_least=1))

    @classmethod
    def read(
        cls, given: Number | Sensitivity, *, norm: Norm | str, name: str = "sensitivity"
    ) -> Sensitivity:
        """What a caller gave as a sensitivity, as a bound in the norm that is needed.

        Guarantee: the result bounds the movement in ``norm`` whenever what was given bounds it as
            it says.  A plain number is the caller's own claim in that norm.
        Edges: a bound in L1 serves for L2 and LINF, one in L2 for LINF, any for a single number;
            other mixtures are refused.  NaN, infinities, truth values and negative numbers are
            refused by name.
        Proof: max |x_i| <= sqrt(sum x_i^2) <= sum |x_i|, with equality throughout for one number.

        >>> Sensitivity.read("1/2", norm=Norm.L1).value
        Fraction(1, 2)
        """
        wanted = Norm.read(norm, "norm")
        if not isinstance(given, Sensitivity):
            return cls(non_negative(given, name), wanted)
        if given.dimension != 1 and not given.norm.bounds(wanted):
            raise ShapeError(
                f"{name} is needed in the norm {wanted}; a bound in {given.norm} may be too small there.",
                remedy=f"Compute {name} in the norm {wanted}: most functions of shoal.sensitivity take norm=.",
            )
        return replace(given, norm=wanted)

    def for_rows(self, rows: int) -> Sensitivity:
        """The sensitivity when one protected unit, such as a person, holds up to ``rows`` rows.

        Guarantee: bounds the movement when up to ``rows`` rows all come, or all go (ADD_REMOVE), or
            each take another value while the number of rows stays (CHANGE).
        Needs: this sensitivity is the one for single rows, and holds for all datasets on the way.
        Edges: a unit that may also take more or fewer rows is not CHANGE here; use
            ``sensitivity.for_rows(k).to_change()`` of the one under ADD_REMOVE.
        Proof: go row by row; the triangle inequality of the norm adds at most ``rows`` single
            movements.
        """
        factor = whole(rows, "rows", at_least=1)
        return replace(self, value=self.value * factor)

    def scaled_by(self, factor: Number) -> Sensitivity:
        """The sensitivity of the function times a public constant.

        Guarantee: if f moves by at most value, factor * f moves by at most |factor| * value.
        Needs: the factor is public; 1/n is so only where n is, that is under CHANGE.
        Proof: a norm is homogeneous.
        """
        return replace(self, value=self.value * abs(rational(factor, "factor")))

    def to_change(self) -> Sensitivity:
        """The sensitivity under CHANGE: twice the one under ADD_REMOVE.

        Guarantee: the result bounds the movement between neighbours under CHANGE.
        Needs: the function is defined, and the bound holds, on the dataset without the changed row.
        Edges: itself if it is under CHANGE already; a claim without a relation is refused.  The
            known sensitivities computed under CHANGE directly are often smaller.
        Proof: take the row out, put the other one in; the triangle inequality adds the two
            movements.
        """
        if self.relation is Relation.CHANGE:
            return self
        self._known_relation()
        return replace(self, value=2 * self.value, relation=Relation.CHANGE)

    def to_add_remove(self) -> Sensitivity:
        """Itself if it is under ADD_REMOVE, and a refusal otherwise.

        Edges: nothing follows from CHANGE: the number of rows moves by 0 under CHANGE, by 1 here.
        """
        self._known_relation()
        if self.relation is Relation.CHANGE:
            raise ConversionError(
                "a sensitivity under 'change' says nothing about neighbours under 'add_remove'.",
                remedy="Compute it with relation 'add_remove'.",
            )
        return self

    def _known_relation(self) -> None:
        if self.relation is None:
            raise ConversionError(
                "this sensitivity is a claim without a relation, so it cannot be converted.",
                remedy="Say which neighbours it is for: Sensitivity(value, norm, relation).",
            )

    def __str__(self) -> str:
        where = "as claimed" if self.relation is None else f"under {self.relation}"
        return f"{short(self.value)} in {self.norm}, {where}"
