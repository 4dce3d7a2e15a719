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
    Column,
    Expression,
    Filter,
    Literal,
    PerPerson,
    Person,
    PersonJoin,
    PersonQuantity,
    PersonTotal,
    PersonWindow,
    Project,
    PublicJoin,
    Range,
    Ref,
    Row,
    Rows,
    Scan,
    Sorting,
    Table,
    UnionAll,
    Unit,
    Value,
    WindowWord,
    WithinPerson,
    call,
    column,
    explain,
    number_of,
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


STEPS = ["filter", "project", "union", "public", "person", "per person", "match", "window"]


@st.composite
def relations(draw: st.DrawFn, units: tuple[Unit, Unit]) -> Rows:
    """Scans under a few random steps; columns keep the names u, k, x, y as long as they are
    there.
    """
    at = scans(units)
    rows: Rows = at["left"]
    for step in draw(st.lists(st.sampled_from(STEPS), max_size=4)):
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
        case "person" if rows.person and not {"k2", "z"} & held.keys():
            kind = draw(st.sampled_from(["inner", "left"]))
            pair = (held["k"], refs(at["right"])["k2"])
            agree = draw(st.sampled_from([(), (pair,)]))
            return PersonJoin(rows, at["right"], agree, kind, draw(st.integers(1, 3)))
        case "per person" if rows.person:
            return per_person(draw, rows)
        case "window" if rows.person:
            return WithinPerson(rows, f"w{len(rows.columns)}", window(draw, rows))
        case "match" if rows.person:
            return matched(draw, rows, at[draw(st.sampled_from(["left", "right"]))])
    return rows


def window(draw: st.DrawFn, rows: Rows) -> PersonWindow:
    """Something that each row is told of the others of its person."""
    held = refs(rows)
    word = draw(st.sampled_from(list(WindowWord)))
    argument: Expression | None = held[draw(st.sampled_from(["k", "x", "y"]))]
    quantity = None
    if word is WindowWord.TOTAL:
        wanted = set(PersonQuantity) - {PersonQuantity.DISTINCT}
        if argument is not None and not (argument.type.numeric and argument.type.exact):
            wanted -= {PersonQuantity.SUM}
        quantity = draw(st.sampled_from(sorted(wanted)))
    if word is WindowWord.NUMBER or quantity is PersonQuantity.ROWS:
        argument = None
    order = tuple(
        Sorting(held[name], draw(st.booleans()), draw(st.booleans()))
        for name in draw(st.lists(st.sampled_from(["k", "x", "y"]), max_size=2, unique=True))
    )
    return PersonWindow(
        word,
        argument,
        (held["k"],) if draw(st.booleans()) else (),
        order,
        draw(st.booleans()),
        draw(st.integers(1, 2)),
        quantity,
        *draw(st.sampled_from([(), (-3, 5)])),
    )


def matched(draw: st.DrawFn, rows: Rows, other: Scan) -> Rows:
    """Rows whose person has rows in a table, perhaps the same one, or has none; or all with a mark."""
    held, name = refs(rows), f"found{len(rows.columns)}"
    keys = ((f"{name} key", Ref(other.columns[1])),) if draw(st.booleans()) else ()
    per = PerPerson(other, keys, (PersonTotal(name, PersonQuantity.ROWS, None, 0, 2),))
    on = tuple((held["k"], Ref(column)) for column in per.columns[: len(keys)])
    joined = PersonJoin(rows, per, on, "left", 1)
    none = call("is_null", Ref(joined.columns[-1]))
    made: list[Rows] = [joined, Filter(joined, none), Filter(joined, call("not", none))]
    return draw(st.sampled_from(made))


def per_person(draw: st.DrawFn, rows: Rows) -> PerPerson:
    """Rows aggregated for each person, with or without one more key; they have u, k, x, y again."""
    held = refs(rows)
    words = draw(st.lists(st.sampled_from([*PersonQuantity][1:]), min_size=3, max_size=3))
    named = [("u", held["u"]), *([("k", held["k"])] if draw(st.booleans()) else [])]
    least = draw(st.sampled_from([PersonQuantity.LEAST, PersonQuantity.GREATEST]))
    totals = [PersonTotal("k", least, held["k"])] if len(named) == 1 else []
    of = {"x": held["x"], "y": held["y"], **({"z": held["z"]} if "z" in held else {})}
    for at, (name, argument) in enumerate(of.items()):
        word = words[at]
        if name == "y" and not draw(st.booleans()):
            word = PersonQuantity.GREATEST
        if word is PersonQuantity.SUM and not argument.type.exact:
            word = PersonQuantity.LEAST
        ends = draw(st.sampled_from([(), (-3, 5), (0, 1), (-(2**63), 2**63 - 1)]))
        totals.append(PersonTotal(name, word, argument, *ends))
    if draw(st.booleans()):
        totals.append(PersonTotal("n", PersonQuantity.ROWS, None, 0, draw(st.integers(1, 3))))
    return PerPerson(rows, tuple(named), tuple(totals))


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


def keeps_to_its_facts(value: Value, held: Column) -> bool:
    place = number_of(value, held.type)
    if value is None:
        return held.nullable
    if isinstance(value, str) and len(value) > held.length:
        return False
    inside = held.span is None or place is None or held.span.lo <= place <= held.span.hi
    return inside and (held.choices is None or value in held.choices)


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS[:2], ids=str)
@examples(40, many=150)
@given(data=datasets(), draw=st.data())
def test_every_value_keeps_to_what_its_column_says(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    relation = draw.draw(relations(units))
    for row in Reference(data).rows(relation):
        for value, held in zip(row, relation.columns, strict=True):
            assert keeps_to_its_facts(value, held), explain(relation)


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
