"""Relations and questions: what they refuse, what they claim, and how they print."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from typing import Literal as OneOf

import pytest

from shoal.errors import ExpressionError, RelationError
from shoal.plan import (
    INTEGER,
    REAL,
    TEXT,
    After,
    Aggregate,
    Filter,
    Key,
    Literal,
    Person,
    PersonJoin,
    Project,
    PublicJoin,
    Query,
    Range,
    Ref,
    Row,
    Scan,
    Statistic,
    Table,
    UnionAll,
    call,
    column,
    explain,
    rows_per_key,
    tables_of,
)
from shoal.sensitivity import Relation

VISITS = Scan(Table("visits", (column("u", INTEGER), column("k", TEXT), column("x", INTEGER, Range(0, 9))), protects=Person("u", groups=2, rows_per_group=4)))  # fmt: skip
NOTES = Scan(Table("notes", (column("v", INTEGER), column("n", INTEGER)), protects=Person("v", groups=3), keys={("v",): 2}))  # fmt: skip
NAMED = Scan(Table("named", (column("w", TEXT), column("o", INTEGER)), protects=Person("w")))
CHANGED = Scan(Table("changed", (column("u9", INTEGER),), protects=Person("u9", relation="change")))
SINGLE = Scan(Table("single", (column("a", INTEGER),), protects=Row()))
TOWNS = Scan(Table("towns", (column("town", TEXT), column("size", REAL)), keys={("town",): 1}))


def ref(rows: Any, name: str) -> Ref:
    return next(Ref(c) for c in rows.columns if c.name == name)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: PersonJoin(VISITS, NAMED, ()),
        lambda: PersonJoin(VISITS, SINGLE, ()),
        lambda: PersonJoin(VISITS, TOWNS, ()),
        lambda: PersonJoin(VISITS, CHANGED, ()),
        lambda: PublicJoin(VISITS, NOTES, ((ref(VISITS, "u"), ref(NOTES, "v")),)),
        lambda: PublicJoin(VISITS, TOWNS, ()),
        lambda: PublicJoin(VISITS, TOWNS, ((ref(VISITS, "k"), ref(TOWNS, "town")),), "full"),  # type: ignore[arg-type]
        lambda: UnionAll(VISITS, TOWNS),
        lambda: UnionAll(VISITS, NOTES),
        lambda: UnionAll(Project(VISITS, (("x", ref(VISITS, "x")),)), SINGLE),
    ],
)
def test_a_join_or_union_without_a_bound_is_refused(wrong: Any) -> None:
    with pytest.raises(RelationError):
        wrong()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Filter(VISITS, ref(VISITS, "x")),
        lambda: Filter(VISITS, call("gt", ref(NOTES, "n"), Literal(1, INTEGER))),
        lambda: Project(VISITS, ()),
        lambda: Project(VISITS, (("a", ref(VISITS, "x")), ("a", ref(VISITS, "k")))),
        lambda: PublicJoin(VISITS, TOWNS, ((ref(VISITS, "x"), ref(TOWNS, "town")),)),
        lambda: Aggregate("a", Statistic.SUM),
        lambda: Aggregate("a", Statistic.COUNT_ROWS, ref(VISITS, "x")),
        lambda: Aggregate("a", Statistic.SUM, ref(VISITS, "k")),
        lambda: Aggregate("a", Statistic.QUANTILE, ref(VISITS, "x")),
        lambda: Aggregate("a", Statistic.QUANTILE, ref(VISITS, "x"), Fraction(2)),
        lambda: Aggregate("a", Statistic.SUM, ref(VISITS, "x"), Fraction(1, 2)),
        lambda: Query(TOWNS, (), (Aggregate("n", Statistic.COUNT_ROWS),), After(())),
        lambda: Query(VISITS, (Key("n", ref(VISITS, "k")),), (Aggregate("n", Statistic.COUNT_ROWS),), After(())),
        lambda: Query(VISITS, (), (Aggregate("n", Statistic.COUNT_ROWS),), After((("x", ref(VISITS, "x")),))),
        lambda: Query(VISITS, (Key("n", ref(NOTES, "n")),), (), After(())),
    ],
)  # fmt: skip
def test_what_does_not_fit_its_rows_is_refused(wrong: Any) -> None:
    with pytest.raises(ExpressionError):
        wrong()


def test_facts_of_a_filter_hold_above_it_and_not_below() -> None:
    kept = Filter(VISITS, call("ge", ref(VISITS, "x"), Literal(5, INTEGER)))
    assert str(ref(kept, "x").span) == "5 .. 9"
    assert str(ref(VISITS, "x").span) == "0 .. 9"
    with pytest.raises(ExpressionError):
        Project(VISITS, (("x", ref(kept, "x")),))


def test_a_condition_teaches_only_what_holds_in_every_row_it_keeps() -> None:
    low, known = (
        call("lt", ref(VISITS, "x"), Literal(5, INTEGER)),
        call("gt", ref(VISITS, "u"), Literal(7, INTEGER)),
    )
    both, either = Filter(VISITS, call("and", low, known)), Filter(VISITS, call("or", low, known))
    assert str(ref(both, "x").span) == "0 .. 5"
    assert not ref(both, "u").nullable
    assert either.columns == VISITS.columns


@pytest.mark.parametrize(("kind", "nullable"), [("inner", False), ("left", True)])
def test_the_right_side_of_a_left_join_may_be_missing(
    kind: OneOf["inner", "left"], nullable: bool
) -> None:
    sizes = Scan(Table("sizes", (column("town", TEXT), column("size", INTEGER, Range(0, 9), nullable=False)), keys={("town",): 1}))  # fmt: skip
    joined = PublicJoin(VISITS, sizes, ((ref(VISITS, "k"), ref(sizes, "town")),), kind)
    assert ref(joined, "size").nullable is nullable


def test_the_bounds_of_two_units_are_the_wider_of_both() -> None:
    many = Scan(Table("notes", (column("v", INTEGER),), protects=Person("v", groups=3)))
    joined = PersonJoin(VISITS, many, (), "inner", 2)
    assert joined.protects == Person("u", groups=3, rows_per_group=4)
    one = PersonJoin(VISITS, many, (), "inner", 1)  # adds no rows
    assert one.protects == VISITS.protects
    assert joined.stability == {"visits": 2, "notes": None}


def test_the_neighbours_are_those_of_the_tables() -> None:
    assert VISITS.protects is not None
    assert VISITS.protects.relation is Relation.ADD_REMOVE
    assert CHANGED.protects is not None
    assert CHANGED.protects.relation is Relation.CHANGE


def test_a_key_is_found_through_filters_and_renamings() -> None:
    again = Project(NOTES, (("who", ref(NOTES, "v")), ("n", ref(NOTES, "n"))))
    kept = Filter(again, call("gt", ref(again, "n"), Literal(1, INTEGER)))
    assert rows_per_key(kept, frozenset({"who", "n"})) == 2
    assert rows_per_key(kept, frozenset({"n"})) is None
    moved = Project(NOTES, (("v", call("add", ref(NOTES, "v"), Literal(1, INTEGER))),))
    assert rows_per_key(moved, frozenset({"v"})) is None


def test_a_plan_names_the_tables_it_reads() -> None:
    joined = PersonJoin(VISITS, NOTES, (), "inner", 2)
    assert sorted(tables_of(joined)) == ["notes", "visits"]


def test_a_plan_explains_itself() -> None:
    lookup = PublicJoin(VISITS, TOWNS, ((ref(VISITS, "k"), ref(TOWNS, "town")),), "left", 1)
    assert explain(lookup).splitlines() == [
        "left join to public on k = town, at most 1 per key  [1 row of visits -> 1]",
        "  scan visits (u, k, x)  [each person by u (2 groups, 4 rows per group); 1 row of visits -> 1]",
        "  scan towns (town, size)  [public]",
    ]


def test_a_plan_is_a_value() -> None:
    first, second = (UnionAll(VISITS, VISITS) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
