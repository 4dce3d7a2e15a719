"""Bounded totals: DuckDB's integers are the reference's, and no unit moves them further than is
claimed.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.test_relations import Data, arrow, datasets, refs, relations
from tests.examples import examples

from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.duckdb.fetching import MOST_ROWS
from shoal.engines.reference import Reference
from shoal.errors import ExpressionError, FactsError, SchemaError
from shoal.plan import (
    INTEGER,
    PERSONS,
    REAL,
    WHOLE,
    Bounded,
    Column,
    Expression,
    Literal,
    Person,
    Quantity,
    Range,
    Ref,
    Row,
    Rows,
    Scan,
    Table,
    Term,
    Type,
    Unit,
    call,
    cast,
    column,
    count_of,
    cubes_of,
    decimal,
    distinct_of,
    explain,
    fourths_of,
    known_together,
    products_of,
    squares_of,
    sum_of,
    votes_of,
)
from shoal.sensitivity import Norm, Relation

SHARES = [(1, 1), (1, 2), (2, 1), (2, 3), (3, 2)]
UNITS: list[tuple[Unit, Unit]] = [(Row(), Row()), (Row("change"), Row("change"))]  # type: ignore[arg-type]
for groups, rows in SHARES:
    for nulls in ("drop", "one"):
        share: dict[str, Any] = {"groups": groups, "rows_per_group": rows, "nulls": nulls}
        UNITS.append((Person("u", **share), Person("u2", **share)))
    changing: dict[str, Any] = {"groups": groups, "rows_per_group": rows, "relation": "change"}
    UNITS.append((Person("u", **changing), Person("u2", **changing)))
UNITS.append((Person(["u", "k"], groups=2, rows_per_group=2), Person(["u2", "k2"])))


def arguments(relation: Rows) -> list[Expression]:
    held = refs(relation)
    real = call("multiply", cast(held["x"], REAL), Literal(-0.3, REAL))
    found = [held["x"], call("subtract", held["x"], Literal(4, INTEGER)), real]
    found.append(call("multiply", held["x"], Literal(2**55, INTEGER)))
    found.append(call("coalesce", call("add", held["x"], Literal(5, INTEGER)), Literal(7, INTEGER)))
    if "y" in held:
        held_up = call("greatest", held["y"], Literal(-1.0, REAL))
        found.append(call("least", held_up, Literal(0.7, REAL)))
    return found


@st.composite
def plans(draw: st.DrawFn, units: tuple[Unit, Unit]) -> Bounded:
    relation = draw(relations(units))
    held = refs(relation)
    keys = draw(st.sampled_from([(), ("k",), ("k", "x"), ("u",)]))
    kinds = [count_of(), *([PERSONS, votes_of(2), votes_of(3)] * isinstance(units[0], Person))]
    for argument in arguments(relation):
        kinds += [count_of(argument), sum_of(argument), sum_of(argument, centred=True)]
        kinds += [
            squares_of(argument),
            distinct_of(argument),
            cubes_of(argument),
            fourths_of(argument),
        ]
        kinds += [products_of(*known_together(argument, held["x"]))]
    terms = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=5, unique=True))
    norm = draw(st.sampled_from([Norm.L1, Norm.L2]))
    return Bounded(relation, tuple(held[name] for name in keys), tuple(terms), norm)


def apart(one: dict[Any, Any], other: dict[Any, Any], at: int) -> list[Fraction]:
    return [
        Fraction(one[key][at] if key in one else 0) - (other[key][at] if key in other else 0)
        for key in {**one, **other}
    ]


def neighbours(data: Data, units: tuple[Unit, Unit], others: Data) -> list[Data]:
    """The tables without each one of their units, or under *change* with others in the place of
    each.
    """
    if units[0].relation == "change":
        return changed(data, units, others)
    return fewer(data, units)


def changed(data: Data, units: tuple[Unit, Unit], others: Data) -> list[Data]:
    """The tables with each row replaced by another one, or with each person by one who has other
    rows, or none.
    """
    if isinstance(units[0], Person):
        coming = {
            name: [{**row, unit.columns[0]: 9} for row in others[name]]
            for name, unit in zip(("left", "right"), units, strict=True)
            if isinstance(unit, Person)
        }
        return [
            {**rest, **{name: rest[name] + rows for name, rows in coming.items()}}
            for rest in fewer(data, units)
        ]
    return [
        {**data, name: [*data[name][:at], row, *data[name][at + 1 :]]}
        for name in ("left", "right")
        for at in range(len(data[name]))
        for row in others[name]
    ]


def fewer(data: Data, units: tuple[Unit, Unit]) -> list[Data]:
    """The tables without each one of their units."""
    names = dict(zip(("left", "right"), units, strict=True))
    if isinstance(units[0], Row):
        return [
            {**data, name: data[name][:at] + data[name][at + 1 :]}
            for name in names
            for at in range(len(data[name]))
        ]
    keys = {
        tuple(row[c] for c in unit.columns)
        for name, unit in names.items()
        for row in data[name]
        if isinstance(unit, Person)
    }
    return [
        {
            **data,
            **{
                name: [r for r in data[name] if tuple(r[c] for c in unit.columns) != key]
                for name, unit in names.items()
                if isinstance(unit, Person)
            },
        }
        for key in keys
    ]


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS, ids=str)
@examples(8, many=80)
@given(data=datasets(), draw=st.data())
def test_duckdb_gives_the_integers_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    plan = draw.draw(plans(units))
    meant = Reference(data).totals(plan)
    for engine in (DuckDB(arrow(data), threads=1), DuckDB(arrow(data), threads=1, most_rows=0)):
        assert engine.totals(plan) == meant, explain(plan.relation)
        assert engine.totals(plan) == meant, "a second time"
        one = replace(plan, terms=plan.terms[:1])
        assert engine.totals(one) == {key: row[:1] for key, row in meant.items()}, "one of them"


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS, ids=str)
@examples(50, many=150)
@given(data=datasets(), others=datasets(), draw=st.data())
def test_no_unit_moves_totals_further_than_is_claimed(
    units: tuple[Unit, Unit], data: Data, others: Data, draw: st.DataObject
) -> None:
    plan = draw.draw(plans(units))
    before = Reference(data).totals(plan)
    for other in neighbours(data, units, others):
        after = Reference(other).totals(plan)
        for at, term in enumerate(plan.terms):
            claim = plan.sensitivity(term)
            moved = plan.norm.measure(apart(before, after, at))
            assert moved <= plan.norm.measure([claim.value]), term


def wide_table(unit: Unit) -> Scan:
    columns = (
        column("u", INTEGER),
        column("k", INTEGER),
        column("x", INTEGER, Range(-(2**63), 2**63 - 1)),
        column("m", decimal(2), Range("-1e16", "1e16")),
        column("r", REAL, Range("-1e308", "1e308")),
        column("far", REAL, Range(10**9, 10**9 + 1)),
        column("one", REAL, Range(3, 3)),
    )
    return Scan(Table("wide", columns, protects=unit))


CELLS = {
    "u": st.integers(1, 3),
    "k": st.integers(0, 5),
    "x": st.none() | st.sampled_from([-(2**63), 2**63 - 1, 0]) | st.integers(-(2**63), 2**63 - 1),
    "m": st.none() | st.decimals(-(10**16) + 1, 10**16 - 1, places=2),
    "r": st.none() | st.floats(),
    "far": st.none() | st.floats(10**9 - 1, 10**9 + 2),
    "one": st.none() | st.floats(),
}
SCHEMA = pa.schema(
    {"u": pa.int64(), "k": pa.int64(), "x": pa.int64(), "m": pa.decimal128(18, 2)}
    | dict.fromkeys(("r", "far", "one"), pa.float64())
)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [Row(), Person("u", groups=2, rows_per_group=2)], ids=str)
@examples(25, many=300)
@given(
    rows=st.lists(st.fixed_dictionaries(CELLS), max_size=12),
    norm=st.sampled_from([Norm.L1, Norm.L2]),
)
def test_extreme_values_are_the_same_integers_on_both_engines(
    unit: Unit, rows: list[dict[str, Any]], norm: Norm
) -> None:
    scan = wide_table(unit)
    held = refs(scan)
    terms: list[Term] = [count_of()]
    for name in ("x", "m", "r", "far", "one"):
        fact = held[name]
        terms += [sum_of(fact), sum_of(fact, centred=True), squares_of(fact), count_of(fact)]
        terms.append(distinct_of(fact))
    plan = Bounded(scan, (held["k"],), tuple(terms), norm)
    meant = Reference({"wide": rows}).totals(plan)
    for most in (0, MOST_ROWS):
        source = {"wide": pa.Table.from_pylist(rows, schema=SCHEMA)}
        assert DuckDB(source, threads=1, most_rows=most).totals(plan) == meant


@settings(max_examples=300)
@given(number=st.floats(-600, 600), lo=st.floats(-500, 0), width=st.floats(0, 500))
def test_a_real_is_read_to_within_half_a_step(number: float, lo: float, width: float) -> None:
    held = column("x", REAL, Range(lo, lo + width))
    assert held.span
    term = sum_of(Ref(held))
    inside = min(max(Fraction(number), held.span.lo), held.span.hi)
    steps = term.steps(float(inside))
    assert abs(steps * term.step - inside) <= term.step * Fraction(51, 100)
    largest = max(abs(held.span.lo), abs(held.span.hi))
    assert largest < Fraction(1, 2**900) or term.step <= largest / 2**29


@pytest.mark.parametrize("step", [1, 4])
@pytest.mark.parametrize(("kind", "stored"), [(INTEGER, pa.int64()), (REAL, pa.float64())], ids=str)
def test_what_a_row_adds_is_held_between_the_ends_of_its_term_whatever_is_stated_of_its_column(
    kind: Type, stored: Any, step: int
) -> None:
    """A fact that is false must not cost privacy: the bound rests on what the engine does, not on
    what is believed.
    """
    plain, values = column("x", kind), [-(10**6), -1, 0, 7, 10**6]
    for unit in (Row(), Person("u", rows_per_group=9)):
        scan = Scan(Table("loose", (column("u", INTEGER), plain), protects=unit))
        term = Term(Quantity.SUM, Ref(plain), Fraction(step), -3, 5)
        plan = Bounded(scan, (), (term,), Norm.L1)
        data = [{"u": 1, "x": kind_of(value, kind)} for value in values]
        steps = [min(max((2 * value + step) // (2 * step), -3), 5) for value in values]
        meant = {(): (sum(steps) * plan.fraction(term),)}
        assert Reference({"loose": data}).totals(plan) == meant
        table = pa.table({"u": [1] * 5, "x": pa.array(values).cast(stored)})
        for most in (0, MOST_ROWS):
            assert DuckDB({"loose": table}, most_rows=most).totals(plan) == meant


@pytest.mark.parametrize(("kind", "stored"), [(INTEGER, pa.int64()), (REAL, pa.float64())], ids=str)
@pytest.mark.parametrize("step", [1, 4])
def test_a_null_that_is_believed_not_to_be_there_adds_an_end_of_its_term(
    kind: Type, stored: Any, step: int
) -> None:
    """The width of a sum rests on what the engine adds for each row, not on whether a column holds
    no NULL.
    """
    plain = Column("x", kind, nullable=False)
    scan = Scan(Table("loose", (plain,), protects=Row(relation=Relation.CHANGE)))
    term = Term(Quantity.SUM, Ref(plain), Fraction(step), 3, 5)
    plan = Bounded(scan, (), (term, count_of(Ref(plain))), Norm.L1)
    table = pa.table({"x": pa.array([None, None], stored)})
    rows = [{"x": None}, {"x": None}]
    engines: list[Any] = [DuckDB({"loose": table}, most_rows=most) for most in (0, MOST_ROWS)]
    for engine in (Reference({"loose": rows}), *engines):
        total, count = engine.totals(plan)[()]
        assert 2 * term.lo <= total <= 2 * term.hi
        assert count == 2


def kind_of(value: int, kind: Type) -> float:
    return float(value) if kind == REAL else value


def test_moderate_exact_numbers_are_counted_in_their_own_units() -> None:
    ages = sum_of(Ref(column("age", INTEGER, Range(0, 120))))
    assert (ages.step, ages.lo, ages.hi, ages.bound) == (Fraction(1), 0, 120, 120)
    money = sum_of(Ref(column("m", decimal(2), Range(-5, 10))), centred=True)
    assert (money.step, money.bound, money.of(1000)) == (Fraction(1, 100), 750, 750)


def test_a_person_within_the_share_counts_in_full_and_one_beyond_it_is_scaled() -> None:
    scan = wide_table(Person("u", groups=2, rows_per_group=3))
    rows = [{"u": 1, "k": k, "x": 1, "m": 0, "r": 0.0, "far": 0.0, "one": 0.0} for k in (0, 1, 1)]
    plan = Bounded(scan, (refs(scan)["k"],), (count_of(), PERSONS), Norm.L1)
    assert Reference({"wide": rows}).totals(plan) == {
        (0,): (WHOLE, WHOLE),
        (1,): (2 * WHOLE, WHOLE),
    }
    many = [{**rows[0], "k": k} for k in range(12)]
    found = Reference({"wide": many}).totals(plan)
    assert set(found.values()) == {(WHOLE // 2, WHOLE // 6)}
    assert sum(count for count, _ in found.values()) == plan.sensitivity(count_of()).value


def test_the_claims_for_persons_are_reached_in_both_norms() -> None:
    scan = wide_table(Person("u", groups=4, rows_per_group=3))
    blank = {"u": 1, "x": 1, "m": 0, "r": 0.0, "far": 0.0, "one": 0.0}
    rows = [{**blank, "k": k} for k in range(4) for _ in range(3)]
    for norm in (Norm.L1, Norm.L2):
        plan = Bounded(scan, (refs(scan)["k"],), (count_of(), PERSONS), norm)
        found = Reference({"wide": rows}).totals(plan)
        for at, term in enumerate(plan.terms):
            moved = norm.measure(apart(found, {}, at))
            assert moved == norm.measure([plan.sensitivity(term).value])


def test_without_keys_there_is_one_row_even_of_an_empty_table() -> None:
    for unit in (Row(), Person("u")):
        scan = wide_table(unit)
        plan = Bounded(scan, (), (count_of(), sum_of(refs(scan)["m"])), Norm.L1)
        empty = DuckDB({"wide": pa.Table.from_pylist([], schema=SCHEMA)})
        assert empty.totals(plan) == Reference({"wide": []}).totals(plan) == {(): (0, 0)}


def test_totals_of_a_connection_that_was_handed_over_are_not_kept() -> None:
    import duckdb  # noqa: PLC0415 - heavy

    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 1::BIGINT AS u")
    scan = Scan(Table("t", (column("u", INTEGER),), protects=Person("u")))
    plan = Bounded(scan, (), (PERSONS,), Norm.L1)
    engine = DuckDB({"t": DuckTable(connection, "t")})
    assert engine.totals(plan) == {(): (WHOLE,)}
    connection.execute("INSERT INTO t VALUES (2)")
    assert engine.totals(plan) == {(): (2 * WHOLE,)}


def test_what_has_no_bound_is_refused() -> None:
    scan = wide_table(Row())
    with pytest.raises(FactsError):
        sum_of(refs(scan)["u"])
    with pytest.raises(ExpressionError):
        Bounded(scan, (), (PERSONS,), Norm.L1)
    with pytest.raises(ExpressionError):
        Bounded(scan, (), (count_of(),), Norm.LINF)
    with pytest.raises(SchemaError):
        wide = wide_table(Person("u", groups=2**21))
        Bounded(wide, (refs(wide)["k"],), (count_of(),), Norm.L1)
