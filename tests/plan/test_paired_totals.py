"""How far one unit moves the sum and the difference of two totals, found by trying all neighbours;
and both totals again from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.reference import Reference
from shoal.errors import InternalError
from shoal.plan import (
    INTEGER,
    PERSONS,
    TEXT,
    Bounded,
    Choices,
    PairOfTotals,
    Person,
    Range,
    Ref,
    Row,
    Scan,
    Table,
    Term,
    Unit,
    can_be_paired,
    column,
    count_of,
    distinct_of,
    squares_of,
    sum_of,
)
from shoal.sensitivity import Norm, Relation

RELATIONS = [Relation.ADD_REMOVE, Relation.CHANGE]
Totals = list[tuple[int, ...]]
ENDS = [(0, 4), (-2, 3), (5, 10)]


def bounded_for(unit: Unit, ends: tuple[int, int], *, keyed: bool, nullable: bool) -> Bounded:
    columns = (
        column("u", INTEGER),
        column("k", TEXT, Choices(["a", "b"])),
        column("x", INTEGER, Range(*ends), nullable=nullable),
    )
    rows = Scan(Table("people", columns, protects=unit))
    x = Ref(rows.columns[2])
    terms = dict.fromkeys(
        (count_of(), count_of(x), sum_of(x), sum_of(x, centred=True), squares_of(x))
    )
    return Bounded(rows, (Ref(rows.columns[1]),) if keyed else (), tuple(terms), Norm.L1)


def totals(bounded: Bounded, rows: Sequence[tuple[int, str, int | None]]) -> list[tuple[int, ...]]:
    found = Reference({"people": [{"u": u, "k": k, "x": x} for u, k, x in rows]}).totals(bounded)
    keys = [("a",), ("b",)] if bounded.keys else [()]
    return [found.get(key, (0,) * len(bounded.terms)) for key in keys]


def moved(pair: PairOfTotals, at: tuple[int, int], one: Totals, other: Totals) -> int:
    """How far the sum and the difference move together in L1."""
    mixed = [
        pair.mixed([row[at[0]] for row in rows], [row[at[1]] for row in rows])
        for rows in (one, other)
    ]
    (sums, differences), (others, other_differences) = mixed
    both = zip([*sums, *differences], [*others, *other_differences], strict=True)
    return sum(abs(a - b) for a, b in both)


def pairs_of(bounded: Bounded) -> list[tuple[PairOfTotals, tuple[int, int]]]:
    terms = [at for at, t in enumerate(bounded.terms) if bounded.sensitivity(t).value]
    return [
        (PairOfTotals.of(bounded, bounded.terms[a], bounded.terms[b]), (a, b))
        for a, b in permutations(terms, 2)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.parametrize("keyed", [False, True], ids=["all", "by key"])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("share", [None, (1, 2), (2, 1)], ids=["row", "one group", "two groups"])
def test_no_neighbour_moves_a_pair_further_than_claimed_and_some_move_it_as_far(
    ends: tuple[int, int], keyed: bool, relation: Relation, share: tuple[int, int] | None
) -> None:
    unit: Unit = Row(relation=relation)
    if share is not None:
        unit = Person("u", groups=share[0], rows_per_group=share[1], relation=relation)
    bounded = bounded_for(unit, ends, keyed=keyed, nullable=True)
    cells = [(1, key, value) for key in "ab" for value in (*ends, sum(ends) // 2, None)]
    if share is None:
        held: list[tuple[tuple[int, str, int | None], ...]] = [(one,) for one in cells]
        held += [()] if relation is Relation.ADD_REMOVE else []
    else:
        doubles = list(combinations_with_replacement(cells, 2))
        held = [(), *((one,) for one in cells), *doubles, *((*two, two[0]) for two in doubles[::3])]
    vectors = [totals(bounded, theirs) for theirs in held]
    empty = [(0,) * len(bounded.terms)] * len(vectors[0])
    for pair, at in pairs_of(bounded):
        tried = (
            ((empty, one) for one in vectors)
            if relation is Relation.ADD_REMOVE
            else combinations(vectors, 2)
        )
        far = max(moved(pair, at, one, other) for one, other in tried)
        claim = pair.sensitivity.value
        assert far <= claim, pair.terms
        # who is replaced in two groups of two has no others to go to
        corner = Fraction(1, 2) if share == (2, 1) and keyed else Fraction(9, 10)
        assert far >= claim * corner, pair.terms


@given(
    one=st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=5),
    far=st.tuples(st.integers(1, 10**9), st.integers(1, 10**9)),
)
def test_both_totals_come_back_from_the_sum_and_the_difference(
    one: list[int], far: tuple[int, int]
) -> None:
    bounded = bounded_for(Row(), (-far[0], far[1]), keyed=True, nullable=False)
    pair = PairOfTotals.of(bounded, bounded.terms[0], bounded.terms[1])
    other = one[::-1]
    assert [list(map(int, each)) for each in pair.parted(*pair.mixed(one, other))] == [one, other]
    a, b = (pair.factor(term) * bounded.sensitivity(term).value for term in (*bounded.terms[:2],))
    assert pair.sensitivity.value == 2 * max(a, b)
    assert max(a, b) <= min(a, b) * (1 + Fraction(1, 1 << 10))


def test_where_the_proportion_is_rounded_the_total_that_moves_further_decides() -> None:
    bounded = bounded_for(Row(), (0, 10**6 + 3), keyed=True, nullable=False)
    one, other = bounded.terms[1:3]  # a sum, and the sum about its middle
    pair = PairOfTotals.of(bounded, one, other)
    moved = [pair.factor(term) * bounded.sensitivity(term).value for term in (one, other)]
    assert moved == [10**6 + 3, 10**6 + 4]
    assert pair.sensitivity.value == 2 * (10**6 + 4)


def test_what_is_not_added_up_by_rows_is_not_paired() -> None:
    bounded = bounded_for(Person("u", groups=2), (0, 4), keyed=True, nullable=False)
    x = Ref(bounded.relation.columns[2])
    wrong: list[Term] = [PERSONS, distinct_of(x)]
    assert not any(map(can_be_paired, wrong))
    for term in wrong:
        with_it = Bounded(bounded.relation, bounded.keys, (*bounded.terms, term), Norm.L1)
        with pytest.raises(InternalError):
            PairOfTotals.of(with_it, count_of(), term)
    with pytest.raises(InternalError):
        PairOfTotals.of(bounded, count_of(), count_of())
    gaussian = Bounded(bounded.relation, bounded.keys, bounded.terms, Norm.L2)
    with pytest.raises(InternalError):
        PairOfTotals.of(gaussian, gaussian.terms[0], gaussian.terms[1])
    fixed = bounded_for(Row(relation=Relation.CHANGE), (0, 4), keyed=False, nullable=False)
    with pytest.raises(InternalError):
        PairOfTotals.of(fixed, fixed.terms[0], fixed.terms[1])
