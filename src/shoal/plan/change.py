"""How far a total moves under the relation *change*, where one unit takes other values.  Proofs:
bounding.md.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.exact import root_up
from shoal.plan.relation import Project, PublicJoin, Rows, Scan, UnionAll
from shoal.plan.terms import Term
from shoal.sensitivity import Norm


def replaced(term: Term, norm: Norm, *, keyed: bool, always: bool) -> Fraction:
    """How far totals move if what a unit adds is replaced by something else, for each row by which
    it counts.

    ``always`` says that the unit adds as many numbers before as after; otherwise it may add nothing
    on one side.

    Guarantee: without keys the difference of any two numbers that can be added; with keys both
        numbers, since a unit can leave one group and enter another.
    Proof: bounding.md, Change.
    """
    least, most = term.ends
    if keyed or not always:
        least, most = min(least, 0), max(most, 0)
    if not keyed:
        return Fraction(most - least)
    if norm is Norm.L1:
        return Fraction(2 * term.bound)
    return root_up(Fraction(2 * (least * least + most * most)))


def keeps_every_row(rows: Rows) -> bool:
    """Whether each row of a private table becomes as many rows as its stability says, whatever its
    values are.
    """
    match rows:
        case Scan():
            return True
        case Project(source):
            return keeps_every_row(source)
        case UnionAll(left, right):
            return keeps_every_row(left) and keeps_every_row(right)
        case PublicJoin():
            whole = rows.kind == "left" and rows.at_most == 1
            return whole and keeps_every_row(rows.left)
    return False
