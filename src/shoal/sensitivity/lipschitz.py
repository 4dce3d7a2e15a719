"""Sensitivities from what is known of the parts: a Lipschitz constant, coordinates, scores."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from shoal.errors import ShapeError
from shoal.exact import Number, non_negative
from shoal.sensitivity.sensitivity import Norm, Relation, Sensitivity


def lipschitz(
    constant: Number,
    *,
    relation: Relation | str,
    norm: Norm | str = Norm.L1,
    distance: Number = 1,
) -> Sensitivity:
    """A function that moves by at most ``constant`` times the distance between datasets.

    Guarantee: if ||f(x) - f(x')|| <= constant * dist(x, x') for all datasets, f moves by at most
        constant * distance between neighbours.
    Needs: neighbours are at most ``distance`` apart in dist.  That is 1 for the Hamming distance
        (rows that differ) under CHANGE and for the size of the symmetric difference under
        ADD_REMOVE; the symmetric difference of neighbours under CHANGE is 2.
    Edges: for these two distances the smallest such constant is the sensitivity itself.
    Proof: put neighbours into the inequality.  Conversely datasets at distance k are joined by k
        steps between neighbours, each of which moves f by at most its sensitivity.
    Reference: Dwork, McSherry, Nissim and Smith 2006, Section 3.
    """
    value = non_negative(constant, "constant") * non_negative(distance, "distance")
    return Sensitivity(value, Norm.read(norm, "norm"), Relation.read(relation, "relation"))


def coordinates(
    bounds: Sequence[Number], *, relation: Relation | str, norm: Norm | str = Norm.L1
) -> Sensitivity:
    """Several numbers released together, each with its own bound on how far it moves.

    Guarantee: L1 their sum, L2 the root of the sum of their squares (rounded up), LINF the largest.
    Needs: each bound holds for the same neighbours.
    Edges: attained only if one pair of neighbours moves all coordinates fully; a histogram does
        not.
    Proof: each norm grows with the absolute value of every coordinate.
    """
    parts = _bounds(bounds)
    chosen = Norm.read(norm, "norm")
    neighbours = Relation.read(relation, "relation")
    return Sensitivity(chosen.length_up(parts), chosen, neighbours, dimension=len(parts))


def selection_scores(bounds: Sequence[Number], *, relation: Relation | str) -> Sensitivity:
    """The scores of candidates to choose from, each with its own bound on how far it moves.

    Guarantee: the largest of the bounds, in LINF across the candidates: between neighbours no score
        moves by more.  Scores may differ between candidates as they like.
    Needs: the candidates are public.
    Edges: scores are *monotone* if between any two neighbours they all move the same way, none up
        and another down; a mechanism told so needs half the noise.  Counts are monotone under
        ADD_REMOVE and not under CHANGE, where one goes up and another down.  `of` finds out for
        small domains.
    Proof: the maximum over candidates of the supremum over neighbours.
    Reference: McSherry and Talwar 2007; Dwork and Roth 2014, Section 3.3 for monotone counts.
    """
    return coordinates(bounds, relation=relation, norm=Norm.LINF)


def _bounds(bounds: Sequence[Number]) -> list[Fraction]:
    if isinstance(bounds, str) or not isinstance(bounds, Sequence) or not bounds:
        raise ShapeError(
            "bounds must be a list of numbers, one for each coordinate, and not empty.",
            remedy="Give bounds as a list such as [1, 0.5].",
        )
    return [non_negative(bound, f"bounds[{place}]") for place, bound in enumerate(bounds)]
