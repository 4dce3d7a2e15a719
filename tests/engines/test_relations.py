"""Relations: DuckDB's rows are the reference's, and one row or person reaches as far as is
claimed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from typing import Literal as OneOf

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.plan import (
    INTEGER,
    REAL,
    TEXT,
    Choices,
    Filter,
    Literal,
    Person,
    PersonJoin,
    Project,
    PublicJoin,
    Range,
    Ref,
    Row,
    Rows,
    Scan,
    Table,
    UnionAll,
    Unit,
    call,
    column,
    explain,
)

SCHEMAS = {
    "left": pa.schema({"u": pa.int64(), "k": pa.string(), "x": pa.int64(), "y": pa.float64()}),
    "right": pa.schema({"u2": pa.int64(), "k2": pa.string(), "z": pa.int64()}),
    "public": pa.schema({"k3": pa.string(), "w": pa.int64()}),
}
_key = st.sampled_from([None, "a", "b", ""])
_person = st.sampled_from([None, 1, 2, 3])
_number = st.sampled_from([None, 0, 1, 2, 2**63 - 1])
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "u": _person, "k": _key, "x": _number, "y": st.sampled_from([None, 0.5, float("nan"), -1.0, 1e300]),
    "u2": _person, "k2": _key, "z": _number, "k3": _key, "w": _number,
}  # fmt: skip
Data = dict[str, list[dict[str, Any]]]


@st.composite
def datasets(draw: st.DrawFn) -> Data:
    return {
        name: draw(st.lists(st.fixed_dictionaries({c: CELLS[c] for c in schema.names}), max_size=7))
        for name, schema in SCHEMAS.items()
    }


def scans(units: tuple[Unit, Unit]) -> dict[str, Scan]:
    left = (
        column("u", INTEGER),
        column("k", TEXT, Choices(["a", "b"])),
        column("x", INTEGER, Range(0, 9)),
    )
    right = (column("u2", INTEGER, Range(2, 2)), column("k2", TEXT), column("z", INTEGER))
    return {
        "left": Scan(Table("left", (*left, column("y", REAL)), protects=units[0])),
        "right": Scan(Table("right", right, protects=units[1])),
        "public": Scan(Table("public", (column("k3", TEXT), column("w", INTEGER)))),
    }


def refs(rows: Rows) -> dict[str, Ref]:
    return {c.name: Ref(c) for c in rows.columns}


@st.composite
def relations(draw: st.DrawFn, units: tuple[Unit, Unit]) -> Rows:
    """Scans under a few random steps; columns keep the names u, k, x, y as long as they are
    there.
    """
    at = scans(units)
    rows: Rows = at["left"]
    for step in draw(
        st.lists(st.sampled_from(["filter", "project", "union", "public", "person"]), max_size=4)
    ):
        rows = _stepped(draw, rows, step, at)
    return rows


def _stepped(draw: st.DrawFn, rows: Rows, step: str, at: dict[str, Scan]) -> Rows:
    held = refs(rows)
    match step:
        case "filter":
            wanted = draw(
                st.sampled_from([Literal(0, INTEGER), Literal(1, INTEGER), Literal(2, INTEGER)])
            )
            return Filter(rows, call(draw(st.sampled_from(["lt", "ge", "ne"])), held["x"], wanted))
        case "project":
            moved = call("add", held["x"], Literal(draw(st.integers(0, 2)), INTEGER))
            others = [(n, r) for n, r in held.items() if n != "x"]
            return Project(rows, (*others, ("x", moved)))
        case "union":
            return UnionAll(rows, rows)
        case "public" if "k3" not in held:
            kind: OneOf["inner", "left"] = draw(st.sampled_from(["inner", "left"]))
            on = ((held["k"], refs(at["public"])["k3"]),)
            return PublicJoin(rows, at["public"], on, kind, draw(st.integers(1, 3)))
        case "person" if rows.person and "k2" not in held:
            kind = draw(st.sampled_from(["inner", "left"]))
            pair = (held["k"], refs(at["right"])["k2"])
            agree = draw(st.sampled_from([(), (pair,)]))
            return PersonJoin(rows, at["right"], agree, kind, draw(st.integers(1, 3)))
    return rows


def rows_of(relation: Rows, data: Data, *, persons: bool = True) -> Counter[str]:
    return Counter(map(repr, Reference(data).rows(relation, persons=persons)))


def arrow(data: Data) -> dict[str, pa.Table]:
    return {name: pa.Table.from_pylist(rows, schema=SCHEMAS[name]) for name, rows in data.items()}


PERSONS = [
    (Person("u"), Person("u2")),
    (Person("u", nulls="one"), Person("u2", nulls="one")),
    (Person("u", nulls="one"), Person("u2")),
    (Person(["u", "k"]), Person(["u2", "k2"])),
]
UNITS = [*PERSONS, (Row(), Row())]


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS, ids=str)
@examples(12, many=100)
@given(data=datasets(), draw=st.data())
def test_duckdb_gives_the_rows_of_the_reference_with_their_persons(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    relation = draw.draw(relations(units))
    fast = DuckDB(arrow(data), threads=1).rows(relation, persons=True)
    assert Counter(map(repr, fast)) == rows_of(relation, data), explain(relation)


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS, ids=str)
@examples(50, many=150)
@given(data=datasets(), draw=st.data())
def test_one_row_changes_at_most_as_many_rows_as_the_relation_claims(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    relation = draw.draw(relations(units))
    before = rows_of(relation, data)
    for table, most in relation.stability.items():
        for at in range(len(data[table])):
            less = {**data, table: data[table][:at] + data[table][at + 1 :]}
            after = rows_of(relation, less)
            changed = (before - after).total() + (after - before).total()
            assert most is None or changed <= most, explain(relation)


@pytest.mark.slow
@pytest.mark.parametrize("units", PERSONS, ids=str)
@examples(50, many=150)
@given(data=datasets(), draw=st.data())
def test_when_a_person_leaves_exactly_the_rows_of_that_person_leave(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    relation = draw.draw(relations(units))
    names = {"left": units[0], "right": units[1]}
    owned = Reference(data).owned(relation)
    for person in {o.person for o in owned}:
        less = dict(data)
        for table, unit in names.items():
            assert isinstance(unit, Person)
            less[table] = [r for r in data[table] if tuple(r[c] for c in unit.columns) != person]
        stay = [o for o in owned if o.person != person]
        left = Reference(less).owned(relation)
        assert Counter(map(repr, left)) == Counter(map(repr, stay)), explain(relation)


def test_the_claim_of_a_join_is_reached() -> None:
    at = scans((Row(), Row()))
    join = PublicJoin(
        at["left"], at["public"], ((refs(at["left"])["k"], refs(at["public"])["k3"]),), "inner", 3
    )
    rows = [{"u": 1, "k": "a", "x": 1, "y": 0.0}]
    data: Data = {"left": rows, "right": [], "public": [{"k3": "a", "w": w} for w in range(5)]}
    assert rows_of(join, data).total() == 3 == join.stability["left"]


def test_persons_are_told_apart_by_the_key_as_read_not_by_its_facts() -> None:
    scan = scans((Person("u"), Person("u2")))["right"]
    data: Data = {"right": [{"u2": u, "k2": "a", "z": 1} for u in (1, 2, 3)]}
    found = DuckDB({"right": pa.Table.from_pylist(data["right"], schema=SCHEMAS["right"])})
    assert sorted(found.rows(scan, persons=True)) == [
        (2, "a", 1, 1),
        (2, "a", 1, 2),
        (2, "a", 1, 3),
    ]
    assert rows_of(scan, data) == Counter(map(repr, found.rows(scan, persons=True)))


def test_which_rows_are_cut_depends_on_their_values_and_not_on_their_order() -> None:
    at = scans((Person("u"), Person("u2")))
    rows = [
        {"u2": 2, "k2": k, "z": z}
        for k, z in (("b", 2), ("a", None), ("b", 1), (None, 2), ("a", 0))
    ]
    join = PersonJoin(at["left"], at["right"], (), "inner", 3)
    kept = set()
    for turn in range(len(rows)):
        data: Data = {
            "left": [{"u": 2, "k": "a", "x": 1, "y": 0.5}],
            "right": rows[turn:] + rows[:turn],
            "public": [],
        }
        slow = rows_of(join, data)
        assert Counter(map(repr, DuckDB(arrow(data)).rows(join, persons=True))) == slow
        kept.add(tuple(sorted(slow)))
    assert len(kept) == 1
