"""Sorting rows by person gives the integers of grouping them, whatever persons, keys and numbers
are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.engines.test_relations import refs

from shoal.engines.duckdb import DuckDB, DuckTable, sorting
from shoal.engines.duckdb.fetching import sortable
from shoal.engines.duckdb.sorting import PersonTotals, totals_of
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
    Range,
    Scan,
    Spread,
    Table,
    Type,
    call,
    column,
    count_of,
    points_of,
    squares_of,
    sum_of,
    votes_of,
)
from shoal.sensitivity import Norm

ROWS, PERSONS_THERE = 30_000, 2_000


def scan_of(person: Type, *, nulls: str = "drop", groups: int = 3, rows_per_group: int = 2) -> Scan:
    columns = (
        column("u", person),
        column("k", INTEGER),
        column("x", INTEGER, Range(-5, 90)),
        column("y", REAL, Range(0, "0.25"), nullable=False),
    )
    protects = Person("u", groups=groups, rows_per_group=rows_per_group, nulls=nulls)  # type: ignore[arg-type]
    return Scan(Table("t", columns, protects=protects))


def table_of(persons: Any, *, keys: int) -> pa.Table:
    """Rows of which some persons have many, with values outside of what is stated and some
    missing.
    """
    draw = np.random.default_rng(7)
    who = (PERSONS_THERE * draw.random(ROWS) ** 3).astype(int)
    x = draw.integers(-9, 99, ROWS)
    return pa.table(
        {
            "u": pa.array([persons(int(p)) for p in who]),
            "k": draw.integers(0, keys, ROWS),
            "x": pa.array(x, mask=draw.random(ROWS) < 0.1),
            "y": draw.normal(0.1, 0.2, ROWS),
        }
    )


def plan_of(scan: Scan, norm: Norm, *, keyed: bool = True) -> Bounded:
    held = refs(scan)
    x, y = held["x"], held["y"]
    terms = (count_of(), count_of(x), sum_of(x), sum_of(y, centred=True), squares_of(y), PERSONS)
    return Bounded(scan, (held["k"],) if keyed else (), (*terms, votes_of(8)), norm)


PERSONS_OF = {
    "near one another": (INTEGER, lambda p: p - 1000),
    "far apart": (INTEGER, lambda p: p * 2**50 - 2**60),
    "of 64 bits": (INTEGER, lambda p: (-(2**63), 2**63 - 1)[p % 2] if p < 4 else p),
    "text": (TEXT, lambda p: f"person {p}"),
    "sometimes unknown": (INTEGER, lambda p: None if p % 50 == 0 else p),
    "sometimes unknown text": (TEXT, lambda p: None if p % 50 == 0 else chr(300 + p)),
}


@pytest.mark.slow
@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
@pytest.mark.parametrize("nulls", ["drop", "one"])
@pytest.mark.parametrize("kind", PERSONS_OF)
def test_sorting_gives_the_integers_of_grouping(kind: str, nulls: str, norm: Norm) -> None:
    person, named = PERSONS_OF[kind]
    rows = {"t": table_of(named, keys=9)}
    sorted_, grouped = DuckDB(rows), DuckDB(rows, most_rows=0)
    for keyed in (True, False):
        plan = plan_of(scan_of(person, nulls=nulls), norm, keyed=keyed)
        assert sortable(plan)
        found = sorted_.totals(plan)
        assert found == grouped.totals(plan)
        assert len(found) == (9 if keyed else 1)


@pytest.mark.slow
def test_a_hundred_thousand_keys_are_sorted_as_well() -> None:
    rows = {"t": table_of(lambda p: p, keys=100_000)}
    plan = plan_of(scan_of(INTEGER), Norm.L2)
    found = DuckDB(rows).totals(plan)
    assert found == DuckDB(rows, most_rows=0).totals(plan)
    assert len(found) > 20_000


@pytest.mark.slow
@pytest.mark.parametrize("block", [1, 7, 1000])
def test_how_many_rows_are_worked_on_at_a_time_changes_nothing(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"t": table_of(lambda p: p * 3, keys=40).slice(0, 3_000)}
    plan = plan_of(scan_of(INTEGER), Norm.L1)
    meant = DuckDB(rows, most_rows=0).totals(plan)
    monkeypatch.setattr(sorting, "_BLOCK", block)
    assert DuckDB(rows).totals(plan) == meant
    held = refs(plan.relation)
    spread = Spread(plan.relation, plan.keys, held["x"], Norm.L2, points_of(held["x"]))
    assert DuckDB(rows).weights(spread) == DuckDB(rows, most_rows=0).weights(spread)


@pytest.mark.slow
@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
@pytest.mark.parametrize("kind", PERSONS_OF)
def test_sorting_gives_the_weights_of_grouping(kind: str, norm: Norm) -> None:
    person, named = PERSONS_OF[kind]
    rows = {"t": table_of(named, keys=9)}
    sorted_, grouped = DuckDB(rows), DuckDB(rows, most_rows=0)
    scan = scan_of(person, nulls="one")
    held = refs(scan)
    for value, grid in (
        (held["x"], points_of(held["x"])),
        (held["x"], None),
        (held["y"], points_of(held["y"])),
    ):
        for keys in ((), (held["k"],)):
            spread = Spread(scan, keys, value, norm, grid)
            found = sorted_.weights(spread)
            assert found == grouped.weights(spread)
            assert len(found) == (9 if keys else 1)


def tally_of(persons: list[int], added: list[int]) -> PersonTotals:
    tally = PersonTotals(max(persons) + 1, 1)
    tally.take(np.array(persons, np.int32), None, [np.array(added, np.int64)])
    return tally


def test_sorting_gives_up_where_a_number_might_not_fit() -> None:
    scan = scan_of(INTEGER, rows_per_group=1 << 20)
    plan = Bounded(scan, (), (squares_of(refs(scan)["y"]),), Norm.L1)
    few, many = [0] * 10, [0] * 300_000
    meant = [[10 * plan.fraction(plan.terms[0])]]
    assert totals_of([plan], tally_of(few, [1] * len(few))) == [meant]
    assert totals_of([plan], tally_of(many, [1] * len(many))) == [None]
    rows = {"t": table_of(lambda _: 1, keys=1)}
    assert DuckDB(rows).totals(plan) == DuckDB(rows, most_rows=0).totals(plan)


def test_what_is_asked_soon_is_read_with_the_first_and_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {"t": table_of(lambda p: p, keys=9)}
    plan = plan_of(scan_of(INTEGER), Norm.L2)
    votes = replace(plan, terms=(votes_of(4),), norm=Norm.L1)
    engine, fresh = DuckDB(rows), DuckDB(rows, most_rows=0)
    assert engine.totals(votes, soon=plan) == fresh.totals(votes)
    monkeypatch.setattr(engine, "_fetched", None)
    assert engine.totals(plan) == fresh.totals(plan)


def test_groups_are_looked_for_again_when_the_file_has_others(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = table_of(lambda p: p, keys=9)
    parquet.write_table(table, path)
    plan = plan_of(scan_of(INTEGER), Norm.L2)
    engine = DuckDB({"t": str(path)})
    engine.totals(replace(plan, terms=(count_of(),)))
    parquet.write_table(table_of(lambda p: p, keys=12), path)
    assert engine.totals(plan) == DuckDB({"t": str(path)}, most_rows=0).totals(plan)


@pytest.mark.parametrize("needed", [True, False])
def test_texts_of_a_list_are_the_same_looked_up_by_joining_and_in_the_reference(
    *, needed: bool
) -> None:
    listed = ["a", "b", "c'd", "{0}", "v"]
    columns = (
        column("v", INTEGER),
        column("n0", TEXT, Choices(listed), nullable=not needed),
        column("k", TEXT, Choices(listed[:4]), nullable=needed),
    )
    scan = Scan(Table("t", columns, protects=Person("v", groups=2, rows_per_group=2)))
    held = refs(scan)
    words = [*listed, "A", "", None, "other"]
    rows = [{"v": p % 11, "n0": words[p % 9], "k": words[p * 5 % 9]} for p in range(400)]
    kept = Filter(scan, call("ne", held["k"], Literal("b", TEXT)))
    plan = Bounded(kept, (held["n0"], held["k"]), (count_of(), PERSONS), Norm.L2)
    meant = Reference({"t": rows}).totals(plan)
    table = pa.Table.from_pylist(rows)
    assert DuckDB({"t": table}).totals(plan) == meant
    assert DuckDB({"t": table}, most_rows=0).totals(plan) == meant
    assert (
        DuckDB({"t": table.set_column(1, "n0", table["n0"].dictionary_encode())}).totals(plan)
        == meant
    )


@pytest.mark.parametrize("most", [1, 2, 3, 8])
def test_who_has_no_vote_has_none_on_any_road_however_few_groups_that_is(most: int) -> None:
    rows = table_of(lambda p: p, keys=9).slice(0, 4_000)
    scan = scan_of(INTEGER)
    plan = Bounded(scan, (refs(scan)["k"],), (votes_of(most), count_of(), PERSONS), Norm.L2)
    meant = Reference({"t": rows.to_pylist()}).totals(plan)
    assert DuckDB({"t": rows}, most_rows=0).totals(plan) == meant
    assert DuckDB({"t": rows}).totals(plan) == meant


def test_two_engines_on_one_open_connection_do_not_meet() -> None:
    connection = duckdb.connect()
    connection.register("held", table_of(lambda p: p, keys=9))
    connection.execute("CREATE TABLE rows_there AS SELECT * FROM held")
    connection.execute("CREATE TABLE shoal_groups_1 AS SELECT 1 AS g")
    connection.execute("CREATE TEMP TABLE shoal_groups_2 AS SELECT 2 AS g")
    plan = plan_of(scan_of(INTEGER), Norm.L2)
    engines = [DuckDB({"t": DuckTable(connection, "rows_there")}) for _ in range(2)]
    meant = engines[0].totals(plan)
    assert all(engine.totals(plan) == meant for engine in (*engines, engines[0]))
    for at in (1, 2):
        assert connection.execute(f"SELECT * FROM shoal_groups_{at}").fetchall() == [(at,)]


def test_persons_told_apart_by_two_columns_are_grouped_by_the_engine() -> None:
    table = Table("t", scan_of(INTEGER).columns, protects=Person(["u", "k"], groups=2))
    assert not sortable(Bounded(Scan(table), (), (count_of(),), Norm.L1))


@pytest.mark.parametrize(("groups", "people"), [(7, 50), (1, 1), (1 << 25, (1 << 31) - 2)])
def test_rows_come_in_the_same_order_with_scipy_and_without(groups: int, people: int) -> None:
    draw, rows = np.random.default_rng(5), 2_000
    few = min(people, 90)
    keys = draw.integers(0, groups, rows).astype(np.int32)
    persons = draw.integers(0, few, rows).astype(np.int32)
    data, shape = np.arange(rows, dtype=np.int32), (groups, few)
    starts, ordered, places = sorting.compared(keys, persons, data, shape)
    assert np.array_equal(starts, np.searchsorted(np.sort(persons), np.arange(few + 1)))
    assert np.array_equal(ordered, keys[places])
    assert np.array_equal(places, np.lexsort((data, keys, persons)))
    if groups < 1 << 20:
        for one, two in zip(
            sorting.counted(keys, persons, data, shape), (starts, ordered, places), strict=True
        ):
            assert np.array_equal(one, two)


def test_rows_too_wide_to_be_packed_are_sorted_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = np.random.default_rng(6)
    keys, persons = (draw.integers(0, 40, 500).astype(np.int32) for _ in range(2))
    packed = sorting.compared(keys, persons, np.arange(500), (40, 40))
    monkeypatch.setattr(sorting, "_BITS", 10)
    for one, two in zip(
        packed, sorting.compared(keys, persons, np.arange(500), (40, 40)), strict=True
    ):
        assert np.array_equal(one, two)
