"""Whose id is whose: equal ids are one person only where that was declared, and nobody moves totals
further than is claimed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.errors import RelationError
from shoal.plan import (
    INTEGER,
    PERSONS,
    REAL,
    Bounded,
    Filter,
    IdSpace,
    Literal,
    Person,
    PersonJoin,
    Project,
    PublicJoin,
    Ref,
    Row,
    Rows,
    Scan,
    Table,
    UnionAll,
    call,
    column,
    count_of,
    explain,
    votes_of,
)
from shoal.plan.id_spaces import ONE_SPACE, spaces_of
from shoal.sensitivity import Norm

UNIT = Person("u", groups=1, rows_per_group=8)


def space(*shared: str, accounts: tuple[str, ...] | None = None) -> IdSpace:
    return IdSpace(frozenset(shared), frozenset(shared if accounts is None else accounts))


def scan(name: str, ids: IdSpace, unit: Person | Row = UNIT) -> Scan:
    columns = (column("u", INTEGER), column("k", INTEGER))
    return Scan(Table(name, columns, protects=unit, keys={("u",): 8}, ids=ids))


def renamed(rows: Rows) -> Project:
    return Project(rows, tuple((f"{c.name}2", Ref(c)) for c in rows.columns))


A, B, A2 = scan("a", space("A")), scan("b", space("B")), scan("a2", space("A"))
BOTH = scan("both", space("A", "B"))
MOVED = scan("moved", space("M", accounts=("M", "A")))


def moved_by(
    relation: Rows, data: dict[str, Any], without: dict[str, Any], engines: Any = (Reference,)
) -> list[Fraction]:
    """How far the totals of a question move between two neighbours, in units of what is claimed;
    squares of that in L2.
    """
    key = Ref(next(c for c in relation.columns if c.name == "k"))
    found = []
    for norm in (Norm.L1, Norm.L2):
        bounded = Bounded(relation, (key,), (count_of(), PERSONS, votes_of(8)), norm)
        for engine in engines:
            before, after = (engine(tables).totals(bounded) for tables in (data, without))
            for at, term in enumerate(bounded.terms):
                apart = [
                    Fraction(before[k][at] if k in before else 0)
                    - (after[k][at] if k in after else 0)
                    for k in {**before, **after}
                ]
                claim = norm.measure([bounded.sensitivity(term).value])
                found.append(Fraction(norm.measure(apart)) / claim)
    return found


_SCHEMA = pa.schema({"u": pa.int64(), "k": pa.int64()})


def _arrow(data: dict[str, Any]) -> dict[str, pa.Table]:
    return {name: pa.Table.from_pylist(rows, schema=_SCHEMA) for name, rows in data.items()}


def _sorted(data: dict[str, Any]) -> DuckDB:
    return DuckDB(_arrow(data), threads=1)


def _sql(data: dict[str, Any]) -> DuckDB:
    return DuckDB(_arrow(data), threads=1, most_rows=0)


def rows(person: int, *keys: int) -> list[dict[str, Any]]:
    return [{"u": person, "k": key} for key in keys]


@pytest.mark.slow
def test_someone_who_leaves_one_of_two_accounts_moves_a_union_no_further_than_is_claimed() -> None:
    """The id 7 is one person in a, and another in b; with one key for both the totals moved by 1.95
    times the claim.
    """
    data = {"a": rows(7, *[1] * 8), "b": rows(7, *range(10, 60))}
    for gone in ("a", "b"):
        engines = (Reference, _sql, _sorted)
        assert max(moved_by(UnionAll(A, B), data, {**data, gone: []}, engines)) <= 1


def test_a_join_of_two_accounts_is_refused_and_says_what_to_declare() -> None:
    """The rows of a change with those of b, which are another person's: a left join moved by 2.00
    times the claim.
    """
    for kind in ("left", "inner"):
        with pytest.raises(RelationError, match="'a' and 'b' have budgets of their own") as refused:
            PersonJoin(B, renamed(A), (), kind, 8)
        assert "shares='a'" in refused.value.remedy
        assert PersonJoin(A2, renamed(A), (), kind, 8).person == (INTEGER,)


_DATA = st.fixed_dictionaries(
    {
        name: st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3)), max_size=14)
        for name in ("a", "b", "a2")
    }
)


def _unions() -> list[Rows]:
    few = Filter(A2, call("lt", Ref(A2.columns[1]), Literal(2, INTEGER)))
    joined = PersonJoin(A, renamed(A2), (), "left", 2)
    back = Project(joined, (("u", Ref(joined.columns[0])), ("k", Ref(joined.columns[1]))))
    return [
        UnionAll(A, B),
        UnionAll(UnionAll(B, A), few),
        UnionAll(A, UnionAll(B, A2)),
        UnionAll(UnionAll(A2, A), UnionAll(B, A)),
        UnionAll(B, back),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("relation", _unions(), ids=lambda each: explain(each)[:60])
@settings(max_examples=25)
@given(data=_DATA)
def test_all_rows_of_an_id_in_the_tables_that_share_it_move_totals_no_further_than_is_claimed(
    relation: Rows, data: dict[str, list[tuple[int, int]]]
) -> None:
    held = {name: [{"u": u, "k": k} for u, k in each] for name, each in data.items()}
    for shared in (("a", "a2"), ("b",)):
        for person in (1, 2, 3):
            without = {
                name: [row for row in each if name not in shared or row["u"] != person]
                for name, each in held.items()
            }
            assert max(moved_by(relation, held, without)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("relation", _unions(), ids=lambda each: explain(each)[:60])
@settings(max_examples=8)
@given(data=_DATA)
def test_every_engine_tells_the_same_persons_apart(
    relation: Rows, data: dict[str, list[tuple[int, int]]]
) -> None:
    held = {name: [{"u": u, "k": k} for u, k in each] for name, each in data.items()}
    meant = sorted(map(repr, Reference(held).rows(relation, persons=True)))
    assert sorted(map(repr, _sql(held).rows(relation, persons=True))) == meant
    assert {repr(row[2:]) for row in Reference(held).rows(relation, persons=True)} == {
        repr((u, "b" if name == "b" else "a"))
        for name, each in _read(relation, held).items()
        for u in each
    }


def _read(relation: Rows, held: dict[str, Any]) -> dict[str, set[int]]:
    few = explain(relation).count("filter") > 0
    joined = explain(relation).count("join") > 0
    return {
        name: {row["u"] for row in each if not (name == "a2" and few) or row["k"] < 2}
        for name, each in held.items()
        if f"scan {name} " in explain(relation) and not (name == "a2" and joined)
    }


def test_tables_given_together_have_one_id_for_one_person() -> None:
    one, two = scan("one", ONE_SPACE), scan("two", ONE_SPACE)
    assert UnionAll(one, two).person == (INTEGER,)
    assert PersonJoin(one, renamed(two), (), "inner", 1).person == (INTEGER,)


def test_a_union_of_two_accounts_says_in_its_plan_whose_ids_are_meant() -> None:
    assert "with ids of a;" in explain(UnionAll(A, B))
    assert "with ids of" not in explain(UnionAll(A, A2))


@pytest.mark.parametrize("act", ["union", "join"])
def test_tables_that_pay_from_one_account_and_share_no_ids_are_not_read_together(act: str) -> None:
    with pytest.raises(RelationError, match="pay from one account"):
        UnionAll(A, MOVED) if act == "union" else PersonJoin(A, renamed(MOVED), (), "inner", 1)


def test_ids_that_are_shared_with_two_tables_do_not_make_these_two_share_theirs() -> None:
    assert spaces_of([A.table, BOTH.table]) == {"a": "a", "both": "a"}
    for order in ([A, B, BOTH], [BOTH, A, B], [B, BOTH, A]):
        with pytest.raises(RelationError, match="that share none with each other"):
            UnionAll(UnionAll(order[0], order[1]), order[2])


def test_protected_rows_have_no_ids_to_share() -> None:
    one, two = (scan(name, space(name), Row()) for name in ("one", "two"))
    assert UnionAll(one, two).person == ()


def test_a_public_table_takes_no_part() -> None:
    public = Scan(Table("towns", (column("k3", INTEGER),), keys={("k3",): 1}))
    on = ((Ref(A.columns[1]), Ref(public.columns[0])),)
    with_towns = PublicJoin(A, public, on, "left", 1)
    back = Project(with_towns, tuple((c.name, Ref(c)) for c in with_towns.columns[:2]))
    data = {"a": rows(7, 1, 2), "b": rows(7, 3), "towns": [{"k3": 1}]}
    found = Reference(data).rows(UnionAll(back, B), persons=True)
    assert sorted(found) == [(7, 1, 7, "a"), (7, 2, 7, "a"), (7, 3, 7, "b")]


def test_a_constant_zero_has_no_sign() -> None:
    assert repr(Literal(-0.0, REAL).value) == "0.0"
    assert Literal(-0.0, REAL) == Literal(0.0, REAL)
