"""Spark gives the integers of the reference, to the last bit: whatever the partitions, the order of
rows and the settings.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.engines import test_totals
from tests.engines.generated import (
    PAIR_SCAN,
    SCAN,
    TYPES,
    applications,
    expressions,
    pairs,
    tables,
)
from tests.engines.spark_session import INTERPRETED, needs_java, session
from tests.engines.test_expressions import bits, projected
from tests.engines.test_relations import SCHEMAS, Data, arrow, datasets, refs, relations, rows_of
from tests.engines.test_relations import UNITS as RELATION_UNITS
from tests.engines.test_shares import OF_PERSONS, spread_over
from tests.engines.test_spread import CELLS as POINT_CELLS
from tests.engines.test_spread import COLUMNS as POINT_COLUMNS
from tests.engines.test_spread import SCHEMA as POINT_SCHEMA
from tests.engines.test_spread import spreads
from tests.engines.test_totals import UNITS, plans

from shoal.engines.reference import Reference
from shoal.engines.spark import Spark
from shoal.engines.spark.sources import frame_of
from shoal.plan import (
    FUNCTIONS,
    PERSONS,
    Bounded,
    Expression,
    Filter,
    Person,
    Project,
    Ref,
    Row,
    Scan,
    Spread,
    Table,
    Term,
    Unit,
    count_of,
    distinct_of,
    explain,
    points_of,
    squares_of,
    sum_of,
    text_of,
    votes_of,
)
from shoal.sensitivity import Norm

pytestmark = needs_java

FEW_ROWS = Person("u", groups=2, rows_per_group=3)
PARTITIONS = [1, 2, 7, 64]
"""Of generated tables those of audits are in sixty-four, too: so many tasks for seven rows take
their time.
"""
SETTINGS: list[dict[str, str]] = [
    {},
    {
        **INTERPRETED,
        "spark.sql.ansi.enabled": "false",
        "spark.sql.session.timeZone": "Pacific/Apia",
        "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    },
    {
        **INTERPRETED,
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.caseSensitive": "true",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    },
]


class Set:
    """Settings of the session, for as long as a question runs."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._settings = settings

    def __enter__(self) -> None:
        for name, value in self._settings.items():
            session().conf.set(name, value)

    def __exit__(self, *_: object) -> None:
        for name in self._settings:
            session().conf.unset(name)


def engine_over(held: dict[str, pa.Table], partitions: int = 2, turn: int = 0) -> Spark:
    """The tables in Spark, in so many partitions, their rows turned round and every other one
    first.
    """
    frames = {}
    for name, table in held.items():
        order = [at * 2 % max(1, table.num_rows | 1) for at in range(table.num_rows | 1)]
        order = [at for at in order[turn:] + order[:turn] if at < table.num_rows]
        moved = table.take(pa.array(order, pa.int64()))
        frames[name] = frame_of(moved, name, session()).repartition(partitions)
    return Spark(frames)


def few(examples: int) -> settings:
    """So many examples; what fails is not made smaller, for each question takes Spark a good part
    of a second.
    """
    return settings(max_examples=examples, phases=[Phase.explicit, Phase.generate])


every_way = st.tuples(st.sampled_from(PARTITIONS), st.integers(0, 4), st.sampled_from(SETTINGS))
ways = every_way.filter(lambda way: way[0] < PARTITIONS[-1])
Way = tuple[int, int, dict[str, str]]


def over(data: Data, way: Way) -> Spark:
    return engine_over(arrow(data), way[0], way[1])


APPLICATIONS = applications()


@pytest.mark.parametrize("chosen", SETTINGS, ids=["as it comes", "lenient", "strict"])
def test_every_function_has_the_value_of_the_reference_on_hostile_values(
    chosen: dict[str, str],
) -> None:
    hostile = pairs()
    slow = Reference({"rows": hostile.to_pylist()})
    fast = engine_over({"rows": hostile}, 1)
    made = [(name, e) for name in sorted(FUNCTIONS) for e in APPLICATIONS[name]]
    for start in range(0, len(made), 48):
        some = made[start : start + 48]
        project = Project(PAIR_SCAN, tuple((f"x{at}", e) for at, (_, e) in enumerate(some)))
        with Set(chosen):
            given_fast = list(zip(*fast.rows(project), strict=True))
        given_slow = list(zip(*slow.rows(project), strict=True))
        for (_, expression), one, two in zip(some, given_fast, given_slow, strict=True):
            assert sorted(map(repr, map(bits, one))) == sorted(map(repr, map(bits, two))), text_of(
                expression
            )


def gives_each_expression_the_value_of_the_reference(
    table: pa.Table, made: list[Expression], way: Way
) -> None:
    engine = engine_over({"rows": table}, way[0], way[1])
    with Set(way[2]):
        fast = engine.rows(projected(made))
    slow = Reference({"rows": table.to_pylist()}).rows(projected(made))
    kept = [sorted(repr([bits(v) for v in row]) for row in rows) for rows in (fast, slow)]
    assert kept[0] == kept[1], [text_of(e) for e in made]


made = st.lists(st.sampled_from(TYPES).flatmap(expressions), min_size=6, max_size=12)


@few(8)
@given(tables(most=20), made, ways)
def test_spark_gives_each_expression_the_value_of_the_reference(
    table: pa.Table, made: list[Expression], way: Way
) -> None:
    gives_each_expression_the_value_of_the_reference(table, made, way)


@pytest.mark.audit
@few(80)
@given(tables(most=20), made, every_way)
def test_spark_gives_many_expressions_the_value_of_the_reference(
    table: pa.Table, made: list[Expression], way: Way
) -> None:
    gives_each_expression_the_value_of_the_reference(table, made, way)


@few(4)
@given(tables(most=20), st.lists(expressions(TYPES[5]), min_size=1, max_size=1), ways)
def test_a_filter_keeps_the_rows_of_the_reference(
    table: pa.Table, conditions: list[Expression], way: Way
) -> None:
    relation = Filter(SCAN, conditions[0])
    with Set(way[2]):
        fast = engine_over({"rows": table}, way[0], way[1]).rows(relation)
    slow = Reference({"rows": table.to_pylist()}).rows(relation)
    assert Counter(repr([bits(v) for v in row]) for row in fast) == Counter(
        repr([bits(v) for v in row]) for row in slow
    )


def gives_the_rows_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    relation = draw.draw(relations(units))
    with Set(way[2]):
        fast = over(data, way).rows(relation, persons=True)
    assert Counter(map(repr, fast)) == rows_of(relation, data), explain(relation)


@pytest.mark.parametrize("units", RELATION_UNITS, ids=str)
@few(3)
@given(data=datasets(), draw=st.data(), way=ways)
def test_spark_gives_the_rows_of_the_reference_with_their_persons(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    gives_the_rows_of_the_reference(units, data, draw, way)


@pytest.mark.audit
@pytest.mark.parametrize("units", RELATION_UNITS, ids=str)
@few(30)
@given(data=datasets(), draw=st.data(), way=every_way)
def test_spark_gives_the_rows_of_many_relations(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    gives_the_rows_of_the_reference(units, data, draw, way)


def gives_the_integers_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    plan = draw.draw(plans(units))
    meant = Reference(data).totals(plan)
    engine = over(data, way)
    with Set(way[2]):
        assert engine.totals(plan) == meant, explain(plan.relation)
        if way[1] == 0:
            assert engine.totals(plan) == meant, "a second time"
    engine.close()


@pytest.mark.parametrize("units", UNITS, ids=str)
@few(2)
@given(data=datasets(), draw=st.data(), way=ways)
def test_spark_gives_the_integers_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    gives_the_integers_of_the_reference(units, data, draw, way)


@pytest.mark.audit
@pytest.mark.parametrize("units", UNITS, ids=str)
@few(25)
@given(data=datasets(), draw=st.data(), way=every_way)
def test_spark_gives_the_integers_of_many_plans(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    gives_the_integers_of_the_reference(units, data, draw, way)


SPOILED = [b"\xff", b"\xfe", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80"]
"""Bytes that are no text in UTF-8, each in its own way."""


def spoiled(data: Data) -> Spark:
    """The tables in Spark; where a text is missing, there are bytes that are no text."""
    frames = {}
    for name, schema in SCHEMAS.items():
        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        held = pa.Table.from_pylist(data[name], schema=schema)
        for text in texts:
            found = held.column(text).to_pylist()
            spelled = [
                SPOILED[at % len(SPOILED)] if one is None else one.encode()
                for at, one in enumerate(found)
            ]
            at = schema.get_field_index(text)
            held = held.set_column(at, text, pa.array(spelled, pa.binary()))
        read = [f"CAST({c} AS STRING) AS {c}" if c in texts else c for c in schema.names]
        frames[name] = frame_of(held, name, session()).selectExpr(*read)
    return Spark(frames)


@pytest.mark.parametrize("units", [UNITS[0], UNITS[2], UNITS[-1]], ids=str)
@few(3)
@given(data=datasets(), draw=st.data(), chosen=st.sampled_from(SETTINGS))
def test_bytes_that_are_no_text_are_null_wherever_they_stand(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, chosen: dict[str, str]
) -> None:
    plan, spread = draw.draw(plans(units)), draw.draw(spreads(units))
    engine = spoiled(data)
    with Set(chosen):
        assert engine.totals(plan) == Reference(data).totals(plan)
        assert engine.weights(spread) == Reference(data).weights(spread)
    engine.close()


def gives_the_weights_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    spread = draw.draw(spreads(units))
    engine = over(data, way)
    with Set(way[2]):
        assert engine.weights(spread) == Reference(data).weights(spread), explain(spread.relation)
    engine.close()


@pytest.mark.parametrize("units", UNITS[::3], ids=str)
@few(3)
@given(data=datasets(), draw=st.data(), way=ways)
def test_spark_gives_the_weights_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    gives_the_weights_of_the_reference(units, data, draw, way)


@pytest.mark.audit
@pytest.mark.parametrize("units", UNITS, ids=str)
@few(20)
@given(data=datasets(), draw=st.data(), way=every_way)
def test_spark_gives_the_weights_of_many_spreads(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    gives_the_weights_of_the_reference(units, data, draw, way)


@pytest.mark.parametrize("units", OF_PERSONS[::4], ids=str)
@few(3)
@given(data=datasets(), draw=st.data(), way=ways)
def test_spark_gives_the_shares_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject, way: Way
) -> None:
    bounded = draw.draw(spread_over(units))
    with Set(way[2]):
        assert over(data, way).shares(bounded) == Reference(data).shares(bounded)


def extreme_plan(unit: Unit, norm: Norm) -> Bounded:
    scan = test_totals.wide_table(unit)
    held = refs(scan)
    terms: list[Term] = [count_of()]
    for name in ("x", "m", "r", "far", "one"):
        fact = held[name]
        terms += [sum_of(fact), sum_of(fact, centred=True), squares_of(fact), count_of(fact)]
    terms += [distinct_of(held["x"]), distinct_of(held["r"])]
    return Bounded(scan, (held["k"],), tuple(terms), norm)


wide_rows = st.lists(st.fixed_dictionaries(test_totals.CELLS), max_size=40)


@pytest.mark.parametrize(
    "unit",
    [Row(), Person("u", groups=2, rows_per_group=2), Person("u", rows_per_group=2**20)],
    ids=str,
)
@few(2)
@given(rows=wide_rows, norm=st.sampled_from([Norm.L1, Norm.L2]), way=ways)
def test_extreme_values_are_the_same_integers(
    unit: Unit, rows: list[dict[str, Any]], norm: Norm, way: Way
) -> None:
    plan = extreme_plan(unit, norm)
    meant = Reference({"wide": rows}).totals(plan)
    held = {"wide": pa.Table.from_pylist(rows, schema=test_totals.SCHEMA)}
    with Set(way[2]):
        assert engine_over(held, way[0], way[1]).totals(plan) == meant


@pytest.mark.parametrize("unit", [Row(), Person("u", rows_per_group=2)], ids=str)
@few(1)
@given(rows=st.lists(st.fixed_dictionaries(POINT_CELLS), max_size=8), way=ways)
def test_every_type_lands_on_the_same_points(
    unit: Unit, rows: list[dict[str, Any]], way: Way
) -> None:
    scan = Scan(Table("t", POINT_COLUMNS, protects=unit))
    fast = engine_over({"t": pa.Table.from_pylist(rows, schema=POINT_SCHEMA)}, way[0], way[1])
    for held in scan.columns[1:]:
        spread = Spread(scan, (), Ref(held), Norm.L1, points_of(Ref(held)))
        with Set(way[2]):
            assert fast.weights(spread) == Reference({"t": rows}).weights(spread)


@pytest.mark.parametrize(
    ("unit", "norm"),
    [
        pytest.param(Row(), Norm.L1, id="rows-l1"),
        pytest.param(Row(), Norm.L2, id="rows-l2", marks=pytest.mark.audit),
        pytest.param(FEW_ROWS, Norm.L1, id="persons-l1", marks=pytest.mark.audit),
        pytest.param(FEW_ROWS, Norm.L2, id="persons-l2"),
    ],
)
def test_the_same_rows_in_any_partitions_and_order_give_the_same_bytes(
    unit: Unit, norm: Norm
) -> None:
    rows = [
        {
            "u": at % 7,
            "k": at % 5,
            "x": at * 977 - 5000,
            "m": at,
            "r": at / 7,
            "far": 1e9,
            "one": 3.0,
        }
        for at in range(200)
    ]
    table = pa.Table.from_pylist(rows, schema=test_totals.SCHEMA)
    plan = extreme_plan(unit, norm)
    fact = next(term.argument for term in plan.terms if term.argument is not None)
    spread = Spread(plan.relation, plan.keys, fact, norm, points_of(fact))

    def told(engine: Reference | Spark) -> str:
        weights = {
            key: sorted(found.as_dict().items()) for key, found in engine.weights(spread).items()
        }
        shares = sorted(engine.shares(plan).items()) if isinstance(unit, Person) else []
        return repr((sorted(engine.totals(plan).items()), sorted(weights.items()), shares))

    meant = told(Reference({"wide": rows}))
    for turn, partitions in enumerate(PARTITIONS):
        assert told(engine_over({"wide": table}, partitions, turn)) == meant, partitions


def test_large_shares_and_cells_beyond_them_are_the_same_integers() -> None:
    """Where products leave 64 bits, and factors and weights are found in decimals."""
    has = {1: [2048], 2: [2049, 1], 3: [3000, 2500], 4: [5, 4000]}
    rows = [
        {"u": u, "k": k, "x": at % 97, "m": k, "r": at / 7, "far": 1e9, "one": 3.0}
        for u, cells in has.items()
        for k, many in enumerate(cells)
        for at in range(many)
    ]
    plan = extreme_plan(Person("u", rows_per_group=2048), Norm.L2)
    fact = next(term.argument for term in plan.terms if term.argument is not None)
    spread = Spread(plan.relation, plan.keys, fact, Norm.L2, points_of(fact))
    slow = Reference({"wide": rows})
    fast = engine_over({"wide": pa.Table.from_pylist(rows, schema=test_totals.SCHEMA)}, 7)
    assert fast.totals(plan) == slow.totals(plan)
    assert fast.weights(spread) == slow.weights(spread)


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
def test_a_share_ends_where_that_of_the_reference_ends(norm: Norm) -> None:
    """Persons with exactly their share, with one group, one row and one row of a cell more, and
    with all of that.
    """
    has = {1: [2, 2], 2: [1, 1, 1], 3: [2, 2, 1], 4: [3], 5: [4, 3, 2, 1], 6: [2]}
    rows = [
        {"u": u, "k": k, "x": 100 * u + at, "m": k, "r": 0.5, "far": 1e9, "one": 3.0}
        for u, cells in has.items()
        for k, many in enumerate(cells)
        for at in range(many)
    ]
    unit = Person("u", groups=2, rows_per_group=2)
    plan = extreme_plan(unit, norm)
    plan = replace(plan, terms=(*plan.terms, votes_of(2), PERSONS))
    fact = next(term.argument for term in plan.terms if term.argument is not None)
    spread = Spread(plan.relation, plan.keys, fact, norm, points_of(fact))
    slow = Reference({"wide": rows})
    fast = engine_over({"wide": pa.Table.from_pylist(rows, schema=test_totals.SCHEMA)})
    assert fast.totals(plan) == slow.totals(plan)
    assert fast.weights(spread) == slow.weights(spread)
