"""Sensitivities of counts: one, many that overlap, and the cells of a histogram."""

from __future__ import annotations

from fractions import Fraction

from shoal.exact import whole
from shoal.sensitivity.sensitivity import Norm, Relation, Sensitivity


def count(relation: Relation | str) -> Sensitivity:
    """How many rows have a property.

    Guarantee: 1 under both relations, and that is attained.
    Proof: each row adds 0 or 1 to the count; a row that comes, goes or changes moves it by at most
        1.
    Reference: Dwork, McSherry, Nissim and Smith 2006.

    >>> count(Relation.CHANGE).value
    Fraction(1, 1)
    """
    return Sensitivity(Fraction(1), Norm.L1, Relation.read(relation, "relation"), dimension=1)


def counts(queries: int, *, relation: Relation | str, norm: Norm | str = Norm.L1) -> Sensitivity:
    """Any number of counts of the same rows, which may overlap.

    Guarantee: L1 ``queries``, L2 its square root (rounded up), LINF 1, under both relations;
        attained when one row can have all the properties and, under CHANGE, another none of them.
    Needs: the properties are fixed before the data are seen.
    Edges: as scores these counts are monotone under ADD_REMOVE (a row that comes moves none of them
        down) and not under CHANGE.  For cells that exclude each other use `histogram`.
    Proof: one row moves each count by at most 1; the norm of the vector of all ones is as stated.
    Reference: Dwork and Roth 2014, Section 3.3.
    """
    number = whole(queries, "queries", at_least=1)
    chosen = Norm.read(norm, "norm")
    value = chosen.undo_up(Fraction(1 if chosen is Norm.LINF else number))
    return Sensitivity(value, chosen, Relation.read(relation, "relation"), dimension=number)


def histogram(relation: Relation | str, norm: Norm | str = Norm.L1) -> Sensitivity:
    """How many rows fall into each of any number of cells, no row into two.

    Guarantee: under ADD_REMOVE 1 in every norm; under CHANGE L1 2, L2 the square root of 2 (rounded
        up), LINF 1; attained as soon as there is one cell (ADD_REMOVE) or there are two (CHANGE).
    Needs: the cells are public and exclude each other.  A row may fall into none.
    Edges: all cells together cost what one does, but under CHANGE a row can leave one cell for
        another and move both: parallel composition is a statement about ADD_REMOVE.  Margins
        overlap; they are `counts`.  The proportions of n rows are ``scaled_by("1/n")``, under
        CHANGE.
    Proof: a row adds a unit vector e_a, or nothing.  ||e_a|| = 1 in every norm; ||e_a - e_b|| is 2,
        the square root of 2 and 1.
    Reference: Dwork and Roth 2014, Section 3.3.
    """
    neighbours, chosen = Relation.read(relation, "relation"), Norm.read(norm, "norm")
    row = [Fraction(1)] if neighbours is Relation.ADD_REMOVE else [Fraction(1), Fraction(-1)]
    return Sensitivity(chosen.length_up(row), chosen, neighbours)
