"""How far one unit moves totals, worked out by hand; the engines' tests move units for real."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import pytest

from shoal.exact import root_up
from shoal.plan import (
    INTEGER,
    WHOLE,
    Bounded,
    Person,
    PublicJoin,
    Range,
    Ref,
    Row,
    Rows,
    Scan,
    Table,
    Term,
    UnionAll,
    Unit,
    column,
    count_of,
    factor_for_groups,
    factor_for_rows,
    sum_of,
    votes_of,
)
from shoal.sensitivity import Norm, Relation

COLUMNS = (column("u", INTEGER), column("debt", INTEGER, Range(-100, 10), nullable=False))
ADD, CHANGE = Relation.ADD_REMOVE, Relation.CHANGE
BY_ROW, BY_PERSON = Row(), Person("u", groups=3, rows_per_group=4)
ROWS_CHANGE = Row(relation=CHANGE)
PERSONS_CHANGE = Person("u", groups=3, rows_per_group=4, relation=CHANGE)
COUNTED, DEBT = "rows", "debt"


def scan(unit: Unit) -> Scan:
    return Scan(Table("people", COLUMNS, protects=unit))


def tripled(unit: Unit) -> PublicJoin:
    names = Scan(Table("names", (column("v", INTEGER), column("w", INTEGER))))
    left = scan(unit)
    return PublicJoin(left, names, ((Ref(left.columns[0]), Ref(names.columns[0])),), "inner", 3)


def moved(rows: Rows, what: str, norm: Norm) -> Fraction:
    """The sensitivity of a total, in rows or in units of debt."""
    debt = next(Ref(c) for c in rows.columns if c.name == "debt")
    term: Term = count_of() if what == COUNTED else sum_of(debt)
    bounded = Bounded(rows, (), (term,), norm)
    return bounded.sensitivity(term).value * bounded.worth(term)


@pytest.mark.parametrize(
    ("unit", "what", "norm", "far"),
    [
        (BY_ROW, COUNTED, Norm.L1, 1),
        (BY_ROW, DEBT, Norm.L1, 100),
        (BY_ROW, DEBT, Norm.L2, 100),
        (ROWS_CHANGE, COUNTED, Norm.L1, 0),
        (ROWS_CHANGE, DEBT, Norm.L2, 110),
        (BY_PERSON, COUNTED, Norm.L1, 4),
        (BY_PERSON, DEBT, Norm.L1, 400),
        (PERSONS_CHANGE, COUNTED, Norm.L1, 4),
        (PERSONS_CHANGE, DEBT, Norm.L2, 440),
    ],
    ids=str,
)
def test_a_total_without_keys_moves_by_what_one_unit_may_add(
    unit: Unit, what: str, norm: Norm, far: int
) -> None:
    assert moved(scan(unit), what, norm) == far


@pytest.mark.parametrize(
    ("norm", "far"),
    [(Norm.L1, Fraction(3 * 4 * 100)), (Norm.L2, root_up(Fraction(3 * 4 * 4)) * 100)],
    ids=str,
)
def test_with_keys_a_person_moves_as_many_groups_as_are_allowed(norm: Norm, far: Fraction) -> None:
    rows = scan(BY_PERSON)
    term = sum_of(Ref(rows.columns[1]))
    bounded = Bounded(rows, (Ref(rows.columns[0]),), (term,), norm)
    assert bounded.sensitivity(term).value * bounded.worth(term) == far


def test_rows_that_a_join_or_a_union_multiplies_move_totals_as_many_times() -> None:
    rows = scan(BY_ROW)
    assert moved(tripled(BY_ROW), COUNTED, Norm.L1) == 3
    assert moved(UnionAll(rows, rows), COUNTED, Norm.L1) == 2
    assert moved(tripled(ROWS_CHANGE), DEBT, Norm.L1) == 330


@pytest.mark.parametrize("rows", [1, 12, 13, 47, 48, 49, 1000, 10**9])
@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
def test_a_share_is_the_largest_that_keeps_the_bound(norm: Norm, rows: int) -> None:
    power = 1 if norm is Norm.L1 else 2
    for factor, most in (
        (factor_for_rows(BY_PERSON, norm, rows), 3 * 4**power),
        (factor_for_groups(BY_PERSON, norm, rows), 3),
    ):
        assert factor <= WHOLE
        assert factor**power * rows <= most * WHOLE**power
        assert factor == WHOLE or (factor + 1) ** power * rows > most * WHOLE**power


def test_a_vote_is_one_whole_shared_by_all_groups_of_a_person() -> None:
    rows, term = scan(BY_PERSON), votes_of(32 * 3)
    bounded = Bounded(rows, (Ref(rows.columns[0]),), (term,), Norm.L2)
    whole = bounded.fraction(term)
    assert bounded.vote(3) == whole
    assert bounded.vote(12) == whole * isqrt(3 * WHOLE * WHOLE // 12) // WHOLE
