"""Released tables: their noise has the stated law, and they agree with each other."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
import pytest
from scipy import stats

from shoal.errors import SchemaError
from shoal.events import Composed, DiscreteGaussian, Gaussian
from shoal.measures import Approx, ZeroConcentrated
from shoal.sensitivity import Relation
from shoal.workloads import (
    AllRanges,
    GivenMarginals,
    Marginals,
    PrefixSums,
    PublicationPlan,
    Total,
    Workload,
)

DOMAIN: dict[str, Any] = {"region": 40, "sex": ["f", "m"], "age": 30}


@pytest.fixture(scope="module")
def counts() -> Any:
    return np.random.default_rng(7).integers(0, 60, (40, 2, 30))


def _true(counts: Any, table: Any, domain: Any) -> Any:
    axes = tuple(at for at, name in enumerate(domain.names) if name not in table.columns)
    found = counts.sum(axis=axes).astype(float)
    for axis, query in enumerate(table.query.queries):
        found = query.apply(found, axis)
    return found


def test_two_tables_of_one_name_are_refused() -> None:
    """They were merged, and the table by the column was gone."""
    with pytest.raises(SchemaError, match="two tables would be called 'total'"):
        Workload.of({"total": 2, "sex": 2}, [Marginals(["total", "sex"], up_to=1)])
    twice = Workload.of({"sex": 2}, [Marginals(["sex"], weight=2), Marginals(["sex"])])
    assert [table.weight for table in twice.tables] == [3]


def test_columns_that_are_called_like_the_numbers_are_handed_over_too() -> None:
    domain: dict[str, Any] = {"count": ["a", "b"], "count_": ["x", "y", "z"], "age": 3, "age_to": 2}
    wanted = [
        Marginals(["count", "count_"]),
        AllRanges("age", by=["age_to"]),
        Marginals(["count_"]),
    ]
    workload = Workload.of(domain, wanted)
    table, ranges, alone = workload.plan(rho=1).release(np.full((2, 3, 3, 2), 50))
    columns = table.to_columns()
    assert list(columns) == ["count_", "count__", "count", "count_low", "count_high", "standard_error"]  # fmt: skip
    assert columns["count_"] == ["a", "a", "a", "b", "b", "b"]
    assert columns["count__"] == ["x", "y", "z"] * 2
    assert columns["count"] == table.values.reshape(-1).tolist()
    assert next(iter(alone.to_columns())) == "count__"  # it has one name in all tables
    assert set(ranges.to_columns()) >= {"age_from", "age_to", "age_to_", "count"}


@pytest.mark.parametrize("budget", [None, Approx(1, "1e-6")])
def test_measured_errors_are_within_two_percent_of_those_announced_and_intervals_cover(
    counts: Any, budget: Any
) -> None:
    workload = Workload.of(DOMAIN, [Marginals(list(DOMAIN)), Marginals(list(DOMAIN), of=2)])
    plan = workload.plan(budget) if budget else workload.plan(rho="0.5")
    squares, inside, cells = [], 0, 0
    for _ in range(4):
        for table in plan.release(counts):
            true = _true(counts, table, workload.domain)
            squares.append(((table.values - true) ** 2).ravel())
            low, high = table.intervals(confidence="0.95")
            inside += int(((low <= true) & (true <= high)).sum())
            cells += true.size
    measured = np.sqrt(np.concatenate(squares).mean())
    assert measured == pytest.approx(plan.overall_rmse, rel=0.02)
    assert 0.94 < inside / cells < 0.96


def test_ranges_among_marginals_have_the_errors_announced(counts: Any) -> None:
    workload = Workload.of(DOMAIN, [AllRanges("age", by=["region"]), Marginals(["region", "sex"])])
    plan = workload.plan(rho="0.5")
    errors = [
        np.mean((table.values - _true(counts, table, workload.domain)) ** 2)
        for _ in range(12)
        for table in plan.release(counts)
        if table.name == "region,ranges(age)"
    ]
    assert np.sqrt(np.mean(errors)) == pytest.approx(plan.rmse("region", "ranges(age)"), rel=0.04)


def test_all_tables_of_a_release_agree_wherever_they_overlap(counts: Any) -> None:
    lines = [
        Marginals(list(DOMAIN), up_to=3),
        PrefixSums("age", by=["sex"]),
        AllRanges("age", by=["region"]),
    ]
    tables = Workload.of(DOMAIN, lines).plan(rho="0.1").release(counts)
    whole = tables["region", "sex", "age"].values
    assert np.allclose(tables["region", "age"].values, whole.sum(axis=1))
    assert np.allclose(tables["sex"].values, whole.sum(axis=(0, 2)))
    assert np.allclose(tables["total"].values, whole.sum())
    assert np.allclose(tables["sex", "prefix(age)"].values, whole.sum(axis=0).cumsum(axis=1))
    assert tables["region", "ranges(age)"][3, (0, 29)] == pytest.approx(tables["region"][3])
    assert tables["region", "ranges(age)"][3, (4, 5)] == pytest.approx(
        tables["region", "age"][3, 4] + tables["region", "age"][3, 5]
    )


def _discrete_gaussian(square: Any) -> Any:
    weights = {x: exp(-x * x / (2 * square)) for x in range(-60, 61)}
    total = sum(weights.values())
    return {x: weight / total for x, weight in weights.items()}


def _fits(drawn: Any, law: Any) -> Any:
    """The p-value of drawn numbers under a law, by cells that are expected ten times or more."""
    n = len(drawn)
    common = [x for x, p in law.items() if p * n >= 10]
    seen = [drawn.count(x) for x in common]
    expected = [law[x] * n for x in common]
    rest = n - sum(seen), n - sum(expected)
    return stats.chisquare([*seen, rest[0]], [*expected, rest[1]]).pvalue


def test_the_noise_of_a_total_has_exactly_the_law_of_its_event() -> None:
    plan = Workload.of({"a": 2}, [Total()]).plan(rho="0.05")
    noise: Any = plan.event.events[0]
    assert noise.sensitivity_squared == 1
    drawn = [round(float(plan.release([3, 4])["total"].values)) - 7 for _ in range(4000)]
    assert _fits(drawn, _discrete_gaussian(float(noise.sigma_squared))) > 1e-3


def test_the_noise_of_a_difference_has_the_law_that_two_measured_numbers_give_it() -> None:
    plan = Workload.of({"a": 2}, [Marginals(["a"])]).plan(rho="0.2")
    measured = plan.measured.index(("a",))
    noise: Any = plan.event.events[measured]
    one = _discrete_gaussian(float(noise.sigma_squared))
    law: dict[int, float] = {}
    for x, p in one.items():
        for y, q in one.items():
            law[x - y] = law.get(x - y, 0.0) + p * q
    drawn = []
    for _ in range(4000):
        values = plan.release([3, 4])["a"].values
        drawn.append(round(2 * float(values[0] - values[1] + 1)))
    assert _fits(drawn, law) > 1e-3


def test_the_event_names_every_measurement_its_noise_and_its_size() -> None:
    plan = Workload.of({"a": 3, "b": 2}, [Marginals(["a", "b"])]).plan(rho="0.5")
    assert isinstance(plan.event, Composed)
    listed: Any = plan.event.events
    sizes = {columns: event.size for columns, event in zip(plan.measured, listed, strict=True)}
    assert sizes == {(): 1, ("a",): 3, ("b",): 2, ("a", "b"): 6}
    assert all(isinstance(event, DiscreteGaussian) for event in plan.event.events)
    normal = Workload.of({"a": 3}, [Marginals(["a"])]).plan(Approx(1, "1e-6"))
    assert all(isinstance(event, Gaussian) for event in normal.event.events)
    assert plan.event.relation is None or plan.event.relation == "add_remove"


def test_counts_may_be_cells_an_array_or_the_measured_marginals() -> None:
    workload = Workload.of({"a": ["x", "y"], "b": 3}, [Marginals(["a", "b"])])
    plan = workload.plan(rho=10**12)
    array = np.array([[5, 0, 2], [0, 0, 9]])
    cells = {("x", 0): 5, ("x", 2): 2, ("y", 2): 9}
    parts = {(): 16, ("a",): [7, 9], ("b",): [5, 0, 11], ("b", "a"): array.T}
    for given in (array, cells, GivenMarginals.of(workload.domain, parts)):
        assert np.allclose(plan.release(given)["a", "b"].values, array, atol=0.01)


def test_counts_in_parts_of_a_person_are_published_in_persons() -> None:
    workload = Workload.of({"a": 2}, [Marginals(["a"])])
    fine = PublicationPlan.of(
        workload, ZeroConcentrated(1), Relation.ADD_REMOVE, 1 << 20, Fraction(1, 1 << 20)
    )
    plain = workload.plan(rho=1)
    assert fine.rmse("a") == pytest.approx(plain.rmse("a"), rel=1e-9)
    assert fine.release(np.array([5 << 20, 7 << 20]))["a"].values == pytest.approx([5, 7], abs=8)
