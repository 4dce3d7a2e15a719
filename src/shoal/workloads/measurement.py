"""One measured table: whole numbers made of the counts, and how far one unit moves them,
exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from shoal.exact import IntegerArray, root_up
from shoal.sensitivity import Norm, Relation, Sensitivity
from shoal.workloads.cell_counts import largest
from shoal.workloads.factors import Factor

_FITS = 1 << 62


@dataclass(frozen=True, eq=False)
class Measurement:
    """The product of one factor for each column, applied to the marginal of these columns.

    Without columns it is the total itself.
    """

    columns: tuple[str, ...]
    factors: tuple[Factor, ...]

    @property
    def size(self) -> int:
        """How many numbers are measured."""
        return prod(factor.rows for factor in self.factors)

    def squared_sensitivity(self, reach: Fraction, relation: Relation) -> Fraction:
        """The square of how far one unit moves the measured numbers, in L2.

        Guarantee: an upper bound for all neighbours.  Under ADD_REMOVE it is attained; under CHANGE
            it is attained where all factors are `Centred`.
        Needs: one unit adds to the counts numbers of 0 or more that sum to at most ``reach``.
        Proof: workloads.md, *Sensitivity*.
        """
        longest = prod(factor.longest for factor in self.factors)
        if relation is Relation.CHANGE:
            least, most = 1, 1
            for factor in self.factors:
                ends = (factor.least_product, factor.longest)
                found = [one * end for one in (least, most) for end in ends]
                least, most = min(found), max(found)
            longest = max(longest, 2 * longest - 2 * least)
        return reach * reach * longest

    def sensitivity(self, reach: Fraction, relation: Relation) -> Sensitivity:
        """The same as a bound in L2, its root rounded up."""
        square = self.squared_sensitivity(reach, relation)
        return Sensitivity(root_up(square), Norm.L2, relation, dimension=self.size)

    def l1_sensitivity(self, reach: Fraction, relation: Relation) -> Sensitivity:
        """How far one unit moves the measured numbers in L1.

        Guarantee: an upper bound for all neighbours.  Under ADD_REMOVE it is attained.
        Needs: one unit adds to the counts numbers of 0 or more that sum to at most ``reach``.
        Proof: workloads.md, *Laplace noise*.
        """
        widest = reach * prod(factor.widest for factor in self.factors)
        if relation is Relation.CHANGE:
            widest *= 2
        return Sensitivity(widest, Norm.L1, relation, dimension=self.size)

    def exact(self, marginal: IntegerArray) -> IntegerArray:
        """What is measured of the counts, as whole numbers of any size."""
        growth = prod(factor.growth for factor in self.factors)
        if growth * largest(marginal) * max(1, marginal.size) >= _FITS:
            marginal = marginal.astype(object)
        for axis, factor in enumerate(self.factors):
            marginal = factor.apply(marginal, axis)
        return marginal
