"""Totals in which each protected unit has a bounded say, how far one unit can move them, and which
share of a person a question needs.

Contributions are scaled, not sampled: a person with more rows or groups than allowed counts with
all of them, each for less.  Bounding holds every share, whatever it is.  So a share that fits the
rows, where these were aggregated for each person before, costs no privacy; it spares noise, and
scales nobody down who need not be.  `bounding.md` has the proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

from shoal.errors import ExpressionError, InternalError, SchemaError
from shoal.exact import root_up
from shoal.plan.change import keeps_every_row, replaced
from shoal.plan.declared_table import Person, Row, Unit
from shoal.plan.expression import Expression, Ref, require_known
from shoal.plan.per_person import PerPerson
from shoal.plan.relation import Filter, PersonJoin, Project, PublicJoin, Rows, Scan, UnionAll
from shoal.plan.terms import BY_PERSON, Term
from shoal.plan.within_person import WindowWord, WithinPerson, apart_by
from shoal.sensitivity import Norm, Relation, Sensitivity

if TYPE_CHECKING:
    from shoal.plan.spread import Spread


WHOLE = 1 << 20
"""Scaling factors are whole multiples of 2^-20."""

_ROOM = 36
"""Totals of persons have fractions of 20 bits, or fewer where a row alone adds up to many."""

MOST_SHARE = 1 << 20
"""Groups and rows per group may be at most this many, so that no engine overflows."""


@dataclass(frozen=True)
class Bounded:
    """Totals of terms by key, bounded for the unit the relation protects, in the norm of the noise.

    ``possible`` is the number of groups there can be, where it is known: nobody is in more.
    """

    relation: Rows
    keys: tuple[Expression, ...]
    terms: tuple[Term, ...]
    norm: Norm
    possible: int | None = None

    def __post_init__(self) -> None:
        if self.norm not in (Norm.L1, Norm.L2):
            raise ExpressionError("totals are bounded in L1 or L2.", remedy="Choose one of both.")
        for expression in (*self.keys, *(t.argument for t in self.terms if t.argument)):
            require_known(expression, self.relation.columns)
        by_row = not isinstance(self.unit, Person)
        if by_row and any(term.quantity in BY_PERSON for term in self.terms):
            raise ExpressionError(
                "persons are counted, but each row is protected by itself.",
                remedy="Count rows, or protect Person(...).",
            )
        if isinstance(self.unit, Person):
            _check_share(self.unit)

    @cached_property
    def unit(self) -> Unit:
        """Who is protected, with no more groups than there can be."""
        protects = self.relation.protects
        if protects is None:
            raise InternalError("bounded totals of public rows.", remedy="Please report it.")
        possible = self.possible if self.keys else 1
        if not isinstance(protects, Person):
            return protects
        share = share_of(self.relation, self.keys, protects)
        if possible is None or possible >= share.groups:
            return share
        return share.with_shares(max(1, possible), share.rows_per_group)

    def has_groups_of(self, other: Bounded) -> bool:
        """Whether two plans have their rows and keys in common."""
        return self.relation == other.relation and self.keys == other.keys

    def fraction(self, term: Term) -> int:
        """How many units of a total stand for one whole: 1 for rows, a power of two for persons."""
        if isinstance(self.unit, Row):
            return 1
        return 1 << max(0, min(20, _ROOM - term.bound.bit_length()))

    def worth(self, term: Term) -> Fraction:
        """What one unit of a total is worth, on the number line of the term's argument."""
        return term.worth / self.fraction(term)

    def values(self, term: Term) -> Spread:
        """The spread in which a term's distinct values are counted."""
        from shoal.plan.spread import Spread  # noqa: PLC0415 - spreads are bounded by this

        assert term.argument is not None
        return Spread(self.relation, self.keys, term.argument, self.norm, possible=self.possible)

    def vote(self, groups: int) -> int:
        """What a person in so many groups adds to the number of persons of each, in units of
        totals.
        """
        assert isinstance(self.unit, Person)
        fraction = self.fraction(self.terms[0])
        return fraction * factor_for_groups(self.unit, self.norm, groups) // WHOLE

    def sensitivity(self, term: Term) -> Sensitivity:
        """How far one unit moves the vector of a term's totals over all keys.

        Guarantee: at most this far, in this norm, between any two neighbours, for all data.
        Edges: 0 under *change* for the number of all rows, which is then public.
        Proof: bounding.md.
        """
        relation = self.unit.relation
        if relation is Relation.ADD_REMOVE:
            return Sensitivity(term.bound * self.reach(term), self.norm, relation)
        moved = replaced(term, self.norm, keyed=bool(self.keys), always=self._always_counts(term))
        return Sensitivity(moved * self.reach(term), self.norm, relation)

    def reach(self, term: Term) -> Fraction:
        """The norm, over all keys, of the rows (or of the person, in terms of persons) by which one
        unit counts.
        """
        if isinstance(self.unit, Person):
            rows = _reach(self.unit, self.norm, persons=term.quantity in BY_PERSON)
        else:
            rows = Fraction(self.rows_of_one)
        return rows * self.fraction(term)

    @property
    def rows_of_one(self) -> int:
        """How many rows of the relation one row of a private table can become, at most."""
        factors = list(self.relation.stability.values())
        if any(factor is None for factor in factors):
            raise InternalError(
                "rows are protected, but one can become any number.", remedy="Please report it."
            )
        return max(factor for factor in factors if factor is not None)

    def _always_counts(self, term: Term) -> bool:
        """Whether a unit adds as many numbers to a term whatever its values are; persons may have
        fewer rows or none.
        """
        return isinstance(self.unit, Row) and term.in_every_row and keeps_every_row(self.relation)


def factor_for_rows(unit: Person, norm: Norm, rows: int) -> int:
    """By how many 2^-20 a person's sums are scaled; ``rows`` is the sum of n', for L2 that of its
    squares.

    Guarantee: the largest whole number up to 2^20 for which the bound holds.
    """
    if norm is Norm.L1:
        most = unit.groups * unit.rows_per_group
        return WHOLE if rows <= most else most * WHOLE // rows
    most = unit.groups * unit.rows_per_group**2
    return WHOLE if rows <= most else isqrt(most * WHOLE * WHOLE // rows)


def factor_for_groups(unit: Person, norm: Norm, groups: int) -> int:
    """By how many 2^-20 a person counts in each of their groups."""
    if groups <= unit.groups:
        return WHOLE
    if norm is Norm.L1:
        return unit.groups * WHOLE // groups
    return isqrt(unit.groups * WHOLE * WHOLE // groups)


def _reach(unit: Person, norm: Norm, *, persons: bool) -> Fraction:
    """The norm of a person's numbers of rows, or of the ones that stand for the person."""
    rows = 1 if persons else unit.rows_per_group
    if norm is Norm.L1:
        return Fraction(unit.groups * rows)
    return root_up(Fraction(unit.groups * rows * rows))


def _check_share(unit: Person) -> None:
    for name, share in (("groups", unit.groups), ("rows_per_group", unit.rows_per_group)):
        if share > MOST_SHARE:
            raise SchemaError(
                f"{name} is {share}; at most {MOST_SHARE} can be answered for.",
                remedy=f"State a smaller {name}; noise grows with it.",
            )


# the share of a person

MOST_NUMBERS = 1 << 10
"""Numbers of rows beyond this spare no noise."""


class KnownRows(NamedTuple):
    """Whether nobody can have more than one row in a group, and whether nobody can be in more than
    one group.
    """

    one_in_a_group: bool
    one_group: bool


def stated_rows(rows: Rows) -> int | None:
    """How many rows one person has at most, as far as it is stated or by construction; None where
    it is not.

    Needs: nothing.  It is stated, not held: whoever has more rows counts for less, or not at all.
    """
    match rows:
        case Scan(table):
            own = set(table.protects.columns) if isinstance(table.protects, Person) else set()
            return min((n for key, n in table.keys.items() if own.issuperset(key)), default=None)
        case Filter(source) | Project(source) | WithinPerson(source):
            return stated_rows(source)
        case PerPerson():
            return rows.most_rows if rows.grouping else 1
        case PublicJoin(left, at_most=most) | PersonJoin(left, at_most=most):
            below = stated_rows(left)
            return None if below is None else below * most
        case UnionAll(left, right):
            sides = stated_rows(left), stated_rows(right)
            return None if None in sides else sum(each or 0 for each in sides)


class _Apart(NamedTuple):
    """The columns by which rows of one person differ, and how many rows agree in them at most."""

    names: set[str | None]
    rows: int


def known_rows(rows: Rows, keys: Sequence[Expression]) -> KnownRows:
    """What is known of the rows of one person in the groups of some keys."""
    apart = _apart(rows)
    if apart is None or apart.rows > 1:
        return KnownRows(one_in_a_group=False, one_group=False)
    grouped = {key.column.name for key in keys if isinstance(key, Ref)}
    return KnownRows(one_in_a_group=apart.names <= grouped, one_group=not apart.names)


def share_of(rows: Rows, keys: Sequence[Expression], unit: Person) -> Person:
    """The share of a person in the groups of some keys.

    Where each person has a row for each of several values and the question is not grouped by these,
    all the rows that may count can be in one group.
    """
    apart, known = _apart(rows), known_rows(rows, keys)
    if apart is None:
        return unit
    if not apart.names:
        most = apart.rows
        return unit.with_shares(min(unit.groups, most), min(unit.rows_per_group, most))
    if apart.rows > 1:
        return unit
    if known.one_in_a_group:
        return unit.with_shares(unit.groups, 1)
    return unit.with_shares(1, unit.groups)


def _apart(rows: Rows) -> _Apart | None:
    """How the rows of one person differ for certain; None where nothing is known."""
    found = _numbered(rows)
    if found is not None:
        return found
    match rows:
        case PerPerson():
            return _Apart({name for name, _ in rows.grouping}, 1)
        case Filter(source) | WithinPerson(source):
            return _apart(source)
        case PersonJoin(left, at_most=1) | PublicJoin(left, at_most=1):
            return _apart(left)
        case Project(source, named):
            below = _apart(source)
            called = {e.column.name: name for name, e in named if isinstance(e, Ref)}
            # a key that is not handed on has no name that a question can group by
            kept = {called.get(name) if name else None for name in below.names} if below else set()
            return _Apart(kept, below.rows) if below else None
    return None


def _numbered(rows: Rows) -> _Apart | None:
    """How rows differ of which only some numbers are left, each of which one row has."""
    called = {column.name: column for column in rows.columns}  # by their names further down
    below = rows
    while isinstance(below, Filter | WithinPerson | Project):
        if isinstance(below, WithinPerson) and below.window.word is WindowWord.NUMBER:
            number = called.get(below.name)
            span = None if number is None else number.span
            if span is not None and span.hi - span.lo < MOST_NUMBERS:
                names = apart_by(below.window)
                held = {called[n].name if n in called else None for n in names}
                return _Apart(held, int(span.hi - span.lo) + 1)
        if isinstance(below, Project):
            refs = [(n, e.column.name) for n, e in below.named if isinstance(e, Ref)]
            called = {under: called[name] for name, under in refs if name in called}
        below = below.source
    return None
