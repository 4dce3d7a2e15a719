"""Totals of two tables, both public by law, held exactly together."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize

from shoal import Choices, Hierarchy, Marginals, Row, ZeroConcentrated, private
from shoal.errors import SchemaError
from shoal.workloads import JointTotals, KnownTotals, TableDomain, Workload, known_totals
from shoal.workloads.whole_transport import whole_transport

DOMAIN: dict[str, Any] = {"region": 4, "sex": ["f", "m"], "age": 12, "work": 3}
SHAPE = (4, 2, 12, 3)


def _counts(people: int, seed: int = 1) -> Any:
    chance = np.random.default_rng(seed)
    cells = chance.choice(288, people, p=chance.dirichlet(np.full(288, 0.2)))
    return np.bincount(cells, minlength=288).reshape(SHAPE)


def _totals(counts: Any, *kept: str) -> dict[Any, int]:
    names = list(DOMAIN)
    away = tuple(at for at, name in enumerate(names) if name not in kept)
    values: list[Any] = [
        range(n) if isinstance(n, int) else n for n in (DOMAIN[name] for name in kept)
    ]
    cells: Any = product(*values) if len(kept) > 1 else values[0]
    return dict(zip(cells, counts.sum(axis=away).reshape(-1).tolist(), strict=True))


@pytest.mark.parametrize(
    "two",
    [("region", "age"), (("region", "sex"), ("sex", "age")), (("region", "sex"), ("age", "work"))],
)
def test_both_tables_of_totals_hold_and_all_tables_add_up(two: Any) -> None:
    counts = _counts(3000)
    names = [(each,) if isinstance(each, str) else each for each in two]
    known = {each: _totals(counts, *name) for each, name in zip(two, names, strict=True)}
    workload = Workload.of(DOMAIN, [Marginals(list(DOMAIN), up_to=2)])
    tables = workload.plan(rho="0.02").release(counts, known=known).whole_numbers()
    assert (tables.cells >= 0).all()
    for name in names:
        assert tables[name].values.reshape(-1).tolist() == list(_totals(counts, *name).values())
        low, high = tables[name].intervals()
        assert (low == high).all()
    for table in tables:
        assert int(table.values.sum()) == 3000


def test_the_nearest_table_with_the_totals_of_two_is_that_of_a_general_solver() -> None:
    domain = TableDomain.of({"a": 2, "b": 3})
    known = known_totals(domain, {"a": {0: 7, 1: 5}, "b": {0: 0, 1: 8, 2: 4}})
    given = np.array([[3.0, -2, 5], [9, 1, 0.2]])
    shares = np.array([[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    found = known.nearest(given, shares)
    solved = minimize(
        lambda x: ((x.reshape(2, 3) - given) ** 2 / shares).sum(),
        np.array([0, 4, 3, 0, 4, 1.0]),
        bounds=[(0, None)] * 6,
        constraints=[
            {"type": "eq", "fun": lambda x: x.reshape(2, 3).sum(axis=1) - [7, 5]},
            {"type": "eq", "fun": lambda x: x.reshape(2, 3).sum(axis=0)[:2] - [0, 8]},
        ],
    )
    assert found.reshape(-1) == pytest.approx(solved.x, abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_totals_of_0_in_two_tables_are_held_at_once(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One person in eight cells; turns that lower and raise the other cells would creep."""
    counts = np.zeros((4, 2), dtype=int)
    counts[2, 0] = 1
    known = known_totals(
        TableDomain.of({"a": 4, "b": 2}),
        {
            "a": dict(enumerate(counts.sum(1).tolist())),
            "b": dict(enumerate(counts.sum(0).tolist())),
        },
    )
    turns, lowered = [], KnownTotals.lowered_cells

    def counted(self: KnownTotals, *given: Any) -> Any:
        turns.append(self)
        return lowered(self, *given)

    monkeypatch.setattr(KnownTotals, "lowered_cells", counted)
    found = known.nearest(np.random.default_rng(seed).normal(size=(4, 2)) * 20)
    assert found.tolist() == counts.tolist()
    assert len(turns) <= 4


def test_some_totals_of_0_leave_the_other_cells_to_the_fit() -> None:
    """The nearest table is that of the other rows and columns alone."""
    chance = np.random.default_rng(8)
    given, shares = chance.normal(size=(4, 3)) * 9, chance.uniform(0.1, 1, (4, 3))
    rows, columns = {0: 6, 1: 0, 2: 9, 3: 5}, {0: 12, 1: 0, 2: 8}
    domain = TableDomain.of({"a": 4, "b": 3})
    found = known_totals(domain, {"a": rows, "b": columns}).nearest(given, shares)
    smaller = known_totals(
        TableDomain.of({"a": 3, "b": 2}), {"a": {0: 6, 1: 9, 2: 5}, "b": {0: 12, 1: 8}}
    )
    kept = np.ix_([0, 2, 3], [0, 2])
    assert found[kept] == pytest.approx(smaller.nearest(given[kept], shares[kept]), abs=1e-5)
    assert found.sum() == pytest.approx(20)


def test_totals_of_levels_of_one_column_meet_where_the_coarser_one_says() -> None:
    groups = Hierarchy("place", part={"x": [0, 1, 2], "y": [3, 4]})
    domain = TableDomain.of({"place": 5, "sex": 2, "age": 6}).with_levels([groups])
    chance = np.random.default_rng(4)
    cells = chance.poisson(0.8, (5, 2, 6))
    by_place = dict(enumerate(cells.sum(axis=(1, 2)).tolist()))
    parts = np.add.reduceat(cells, [0, 3], axis=0).sum(axis=1)
    by_part = dict(zip(product("xy", range(6)), parts.reshape(-1).tolist(), strict=True))
    known = known_totals(domain, {"place": by_place, ("part", "age"): by_part})
    assert isinstance(known, JointTotals)
    settled = known.settled(chance.exponential(1.0, cells.shape))
    assert settled.sum(axis=(1, 2)) == pytest.approx(list(by_place.values()))
    again = np.add.reduceat(settled, [0, 3], axis=0).sum(axis=1)
    assert again.reshape(-1) == pytest.approx(list(by_part.values()))


@pytest.mark.parametrize("seed", range(6))
def test_whole_numbers_have_the_totals_of_rows_and_columns_however_far_the_values_are(
    seed: int,
) -> None:
    chance = np.random.default_rng(seed)
    true: Any = chance.poisson(2.0, (7, 9))
    ends: Any = tuple(each.reshape(-1) for each in np.indices(true.shape))
    totals = (true.sum(axis=1), true.sum(axis=0))
    for values in (true + 0.0, chance.exponential(2.0, true.shape), np.zeros(true.shape)):
        found = whole_transport(values.reshape(-1), ends, totals).reshape(true.shape)
        assert found.min() >= 0
        assert found.sum(axis=1).tolist() == totals[0].tolist()
        assert found.sum(axis=0).tolist() == totals[1].tolist()
    exact = whole_transport((true + 0.0).reshape(-1), ends, totals)
    assert exact.tolist() == true.reshape(-1).tolist()


def test_a_table_that_follows_from_another_is_checked_and_not_held_twice() -> None:
    domain = TableDomain.of(DOMAIN)
    counts = _counts(500)
    both = ("region", "sex")
    known = known_totals(
        domain,
        {"total": 500, "sex": _totals(counts, "sex"), both: _totals(counts, *both)},
    )
    assert isinstance(known, KnownTotals)
    assert known.name == "region,sex"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sex": {"f": 5, "m": 5}, "region": {0: 11}}, "contradict"),
        ({"sex": {"f": 5, "m": 5}, "total": 9}, "contradict"),
        ({("region", "sex"): {(0, "f"): 5}, ("sex", "age"): {("m", 3): 5}}, "their sums by sex"),
        ({"sex": {"f": 5}, "region": {0: 5}, "age": {3: 5}}, "one table or of two"),
        ({}, "one table or of two"),
        ({"sexx": 10}, "'sexx' name no values"),
        ({"sex": 10}, "'sex' name no values"),
        ({"total": 10, "sex": 10}, "'sex' name no values"),
        ({("region", "sex"): 10}, "name no values"),
        ({"sex": [5, 5]}, "name no values"),
    ],
)
def test_totals_that_cannot_be_held_together_are_refused(given: Any, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        known_totals(TableDomain.of(DOMAIN), given)


def test_both_tables_are_on_the_certificate_as_not_protected() -> None:
    facts = {"sex": Choices(["f", "m"]), "region": Choices(["N", "S"])}
    people = private(
        pa.table({"sex": ["f", "m", "f"] * 50, "region": ["N", "S", "S"] * 50}),
        protects=Row(), columns=facts, required=list(facts), budget=ZeroConcentrated(1),
    )  # fmt: skip
    known: Any = {"region": {"N": 50, "S": 100}, "sex": {"f": 100, "m": 50}}
    released = people.workload([Marginals(["sex", "region"], up_to=2)], known=known).release(
        rho="0.5"
    )
    assert released.certificate is not None
    assert released.certificate["not_protected"] == {
        "tables": [
            {"columns": ["region"], "totals": [50, 100]},
            {"columns": ["sex"], "totals": [100, 50]},
        ]
    }
    whole = released.whole_numbers()
    assert whole["region"].values.tolist() == [50, 100]
    assert whole["sex"].values.tolist() == [100, 50]
