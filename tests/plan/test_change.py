"""Under *change* totals move by what one unit can make of them: found by trying all neighbours, and
beside `shoal.sensitivity`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import pytest

from shoal import sensitivity
from shoal.engines.reference import Reference
from shoal.plan import (
    INTEGER,
    PERSONS,
    REAL,
    TEXT,
    Bounded,
    Choices,
    Filter,
    Literal,
    Person,
    Project,
    PublicJoin,
    Range,
    Ref,
    Row,
    Rows,
    Scan,
    Table,
    Term,
    Type,
    UnionAll,
    Unit,
    call,
    column,
    count_of,
    decimal,
    distinct_of,
    squares_of,
    sum_of,
)
from shoal.sensitivity import Norm, Relation

RANGES = [(5, 10), (-100, 10), (-10, -5), (-3, 3), (0, 4), (7, 7)]
RELATIONS = [Relation.ADD_REMOVE, Relation.CHANGE]
NORMS = [Norm.L1, Norm.L2]
NAMES = {"v": 1, "w": 1}


def scan(unit: Unit, ends: tuple[int, int], kind: Type = INTEGER, *, required: bool = True) -> Scan:
    columns = (
        column("u", INTEGER),
        column("k", TEXT, Choices(["a", "b"])),
        column("x", kind, Range(*ends), nullable=not required),
    )
    return Scan(Table("people", columns, protects=unit))


def ref(rows: Rows, name: str) -> Ref:
    return next(Ref(each) for each in rows.columns if each.name == name)


def claimed(bounded: Bounded, term: Term) -> Fraction:
    """The sensitivity on the number line of the argument."""
    return bounded.sensitivity(term).value * bounded.worth(term)


def summed(rows: Rows, norm: Norm = Norm.L1) -> Fraction:
    term = sum_of(ref(rows, "x"))
    return claimed(Bounded(rows, (), (term,), norm), term)


@pytest.mark.parametrize("ends", RANGES, ids=str)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("kind", [INTEGER, decimal(2), REAL], ids=str)
def test_a_sum_of_all_rows_moves_as_far_as_the_known_sensitivity_says(
    ends: tuple[int, int], relation: Relation, norm: Norm, kind: Type
) -> None:
    known = sensitivity.bounded_sum(low=ends[0], high=ends[1], relation=relation).value
    rows = scan(Row(relation=relation), ends, kind)
    step = sum_of(ref(rows, "x")).step if kind == REAL else 0
    assert abs(summed(rows, norm) - known) <= step


@pytest.mark.parametrize("ends", RANGES, ids=str)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows_per_group", [1, 3])
def test_a_persons_sum_moves_as_far_as_that_of_their_rows_or_of_none(
    ends: tuple[int, int], relation: Relation, rows_per_group: int
) -> None:
    """Whoever takes a person's place may have no row, which adds 0."""
    low, high = (min(ends[0], 0), max(ends[1], 0)) if relation is Relation.CHANGE else ends
    known = sensitivity.bounded_sum(low=low, high=high, relation=relation).for_rows(rows_per_group)
    unit = Person("u", rows_per_group=rows_per_group, relation=relation)
    assert summed(scan(unit, ends)) == known.value
    assert summed(scan(unit, ends), Norm.L2) == known.value


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("norm", NORMS)
def test_counts_by_key_move_as_far_as_the_known_histogram(relation: Relation, norm: Norm) -> None:
    rows = scan(Row(relation=relation), (0, 1))
    bounded = Bounded(rows, (ref(rows, "k"),), (count_of(),), norm)
    assert claimed(bounded, count_of()) == sensitivity.histogram(relation, norm).value


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_count_of_some_rows_moves_by_one_and_that_of_all_not_under_change(
    relation: Relation,
) -> None:
    rows = scan(Row(relation=relation), (0, 1))
    some = Filter(rows, call("gt", ref(rows, "x"), Literal(0, INTEGER)))
    known = sensitivity.count(relation).value
    assert claimed(Bounded(some, (), (count_of(),), Norm.L1), count_of()) == known
    public = relation is Relation.CHANGE
    assert claimed(Bounded(rows, (), (count_of(),), Norm.L1), count_of()) == (0 if public else 1)


def plain(rows: Scan) -> Rows:
    return rows


def moved(rows: Scan) -> Rows:
    return Project(rows, (("k", ref(rows, "k")), ("x", ref(rows, "x")), ("u", ref(rows, "u"))))


def filtered(rows: Scan) -> Rows:
    return Filter(rows, call("ne", ref(rows, "u"), Literal(2, INTEGER)))


def doubled(rows: Scan) -> Rows:
    return UnionAll(rows, rows)


def once_or_twice(rows: Scan) -> Rows:
    return UnionAll(rows, filtered(rows))


def joined(kind: Any) -> Callable[[Scan], Rows]:
    def step(rows: Scan) -> Rows:
        names = Scan(Table("names", (column("v", INTEGER), column("w", INTEGER))))
        return PublicJoin(rows, names, ((ref(rows, "u"), ref(names, "v")),), kind, 1)

    step.__name__ = f"{kind}_joined"
    return step


STEPS = [plain, moved, filtered, doubled, once_or_twice, joined("left"), joined("inner")]
ALWAYS = (plain, moved, doubled, STEPS[5])


Totals = Callable[[tuple[int, ...]], list[tuple[int, ...]]]


def totals_of(bounded: Bounded, domain: Sequence[dict[str, Any]]) -> Totals:
    """The totals of all terms in each group, for rows given by their places in a domain; each is
    found once.
    """
    keys: list[tuple[Any, ...]] = [("a",), ("b",), (None,)] if bounded.keys else [()]

    @cache
    def totals(rows: tuple[int, ...]) -> list[tuple[int, ...]]:
        data = {"people": [domain[row] for row in rows], "names": [NAMES]}
        found = Reference(data).totals(bounded)
        return [found.get(key, (0,) * len(bounded.terms)) for key in keys]

    return totals


def tried(totals: Totals, size: int, at: int, norm: Norm) -> Fraction:
    """How far the totals of a term move between any two tables of two rows that differ in one, by
    trying all.
    """
    return sensitivity.of(
        lambda rows: [row[at] for row in totals(rows)],
        domain=range(size),
        size=2,
        relation="change",
        norm=norm,
        ordered=False,
    ).value


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
@pytest.mark.parametrize("ends", [(5, 10), (-100, 10), (-3, 3)], ids=str)
@pytest.mark.parametrize("required", [True, False], ids=["required", "nullable"])
@pytest.mark.parametrize("keyed", [False, True], ids=["all", "by key"])
def test_the_claim_for_rows_that_change_is_what_the_worst_neighbours_reach(
    step: Callable[[Scan], Rows], ends: tuple[int, int], required: bool, keyed: bool
) -> None:
    rows = step(scan(Row(relation=Relation.CHANGE), ends, required=required))
    x, keys = ref(rows, "x"), (ref(rows, "k"),) if keyed else ()
    terms = (count_of(x), sum_of(x), sum_of(x, centred=True), squares_of(x), distinct_of(x))
    values = {*ends, sum(ends) // 2, *([] if required else [None])}
    domain = [{"u": u, "k": k, "x": v} for u in (1, 2) for k in "ab" for v in values]
    totals = totals_of(Bounded(rows, keys, terms, Norm.L1), domain)  # for rows, the same in both
    for norm in NORMS:
        bounded = Bounded(rows, keys, terms, norm)
        for at, term in enumerate(terms):
            claim = bounded.sensitivity(term).value
            found = tried(totals, len(domain), at, norm)
            assert found <= claim, (term, norm)
            if (
                step is not once_or_twice
            ):  # there a row counts once for sure, which the claim does not use
                assert found >= claim * floor_of(term, bounded), (term, norm)


def floor_of(term: Term, bounded: Bounded) -> Fraction:
    """How much of a claim is reached for sure: all of it, but for two cases that have a simpler
    bound.
    """
    least, most = term.ends
    if term.quantity == "distinct":  # two equal rows are one value, whichever of them changes
        return Fraction(1, bounded.rows_of_one)
    if bounded.keys and bounded.norm is Norm.L2 and least < 0 < most:
        return Fraction(92, 100)
    return Fraction(1)


@pytest.mark.slow
@pytest.mark.parametrize("ends", [(5, 10), (-2, 3)], ids=str)
@pytest.mark.parametrize("keyed", [False, True], ids=["all", "by key"])
@pytest.mark.parametrize("share", [(1, 1), (2, 1), (1, 2)], ids=str)
def test_no_person_who_is_replaced_moves_totals_further_than_claimed(
    ends: tuple[int, int], keyed: bool, share: tuple[int, int]
) -> None:
    unit = Person("u", groups=share[0], rows_per_group=share[1], relation=Relation.CHANGE)
    rows = scan(unit, ends)
    x, keys = ref(rows, "x"), (ref(rows, "k"),) if keyed else ()
    terms = (count_of(), PERSONS, sum_of(x), sum_of(x, centred=True), squares_of(x))
    cells = [(key, value) for key in "ab" for value in {*ends, sum(ends) // 2}]
    pairs = list(combinations_with_replacement(cells, 2))
    held = [(), *((one,) for one in cells), *pairs, *((*pair, pair[0]) for pair in pairs)]
    for norm in NORMS:
        bounded = Bounded(rows, keys, terms, norm)
        vectors = [vector(bounded, theirs) for theirs in held]
        for at, term in enumerate(terms):
            moves = [
                norm.measure([Fraction(a[at] - b[at]) for a, b in zip(one, two, strict=True)])
                for one in vectors
                for two in vectors
            ]
            claim = bounded.sensitivity(term).value
            assert max(moves) <= norm.measure([claim]), (term, norm)
            if not keyed:
                assert max(moves) == norm.measure([claim]), (term, norm)


def vector(bounded: Bounded, theirs: Sequence[tuple[str, int]]) -> list[tuple[int, ...]]:
    """The totals of one person's rows alone: those of others are the same on both sides."""
    found = Reference({"people": [{"u": 1, "k": k, "x": x} for k, x in theirs]}).totals(bounded)
    keys = [("a",), ("b",)] if bounded.keys else [()]
    return [found.get(key, (0,) * len(bounded.terms)) for key in keys]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_the_width_is_claimed_only_where_every_row_counts_whatever_its_values_are(
    step: Callable[[Scan], Rows],
) -> None:
    rows = step(scan(Row(relation=Relation.CHANGE), (5, 10)))
    bounded = Bounded(rows, (), (count_of(),), Norm.L1)
    assert (bounded.sensitivity(count_of()).value == 0) is (step in ALWAYS)
    assert summed(rows) == (5 if step in ALWAYS else 10) * bounded.rows_of_one
