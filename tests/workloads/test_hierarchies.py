"""Levels above a column: what is measured, its errors and sensitivity, against all matrices written
out.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest
from tests.workloads.dense import contributions, measurement_matrix, table_matrix

from shoal.errors import SchemaError, UnknownNameError
from shoal.sensitivity import Relation
from shoal.workloads import (
    AllRanges,
    Hierarchy,
    Marginals,
    PrefixSums,
    TableDomain,
    Total,
    Workload,
)
from shoal.workloads.optimum import optimum

EVEN = Hierarchy("d", r={"x": [0, 3, 4], "y": [1, 2, 5]})
UNEVEN = Hierarchy("d", r={"x": [0], "y": [1, 4], "z": [2, 3, 5]}, c={"x": "A", "y": "B", "z": "B"})
DOMAIN = {"d": 6, "s": 2, "a": 3}
BANDS = Hierarchy("a", band={"low": [0, 1], "high": [2]})
CASES: dict[str, tuple[list[Any], list[Hierarchy]]] = {
    "even": ([Marginals(["r", "d", "s"], up_to=2)], [EVEN]),
    "uneven": ([Marginals(["c", "r", "d"], up_to=1)], [UNEVEN]),
    "uneven among others": (
        [Marginals(["r", "s"]), Marginals(["d"], weight=2), Marginals(["c", "a"])],
        [UNEVEN],
    ),
    "the finest level is not asked for": ([Marginals(["c"]), Marginals(["r", "s"])], [UNEVEN]),
    "two hierarchies": (
        [Marginals(["r", "band"], up_to=2), Marginals(["d", "a"])],
        [UNEVEN, BANDS],
    ),
    "prefix sums beside bands": (
        [PrefixSums("a", by=["r"]), Marginals(["band", "s"])],
        [EVEN, BANDS],
    ),
    "bands and ranges alone": ([AllRanges("a"), Marginals(["band"])], [BANDS]),
}


def _workload(name: str) -> Workload:
    lines, hierarchies = CASES[name]
    return Workload.of(DOMAIN, lines, hierarchies)


def _stacked(workload: Workload, noise: Any) -> Any:
    parts = [measurement_matrix(workload.domain, m) for m in workload.strategy.measurements]
    return np.vstack([p.astype(float) / sqrt(v) for p, v in zip(parts, noise, strict=True)])


@pytest.mark.parametrize("name", CASES)
def test_estimates_and_errors_are_those_of_least_squares_over_all_cells(name: Any) -> None:
    workload = _workload(name)
    plan = workload.plan(rho="0.2", rows_per_person=2)
    rows = np.vstack([table_matrix(workload.domain, t) for t in workload.tables]).astype(float)
    stacked = _stacked(workload, plan.noise_variances)
    rng = np.random.default_rng(3)
    answers = [
        rng.normal(size=[factor.rows for factor in each.factors]) * sqrt(noise)
        for each, noise in zip(workload.strategy.measurements, plan.noise_variances, strict=True)
    ]
    pairs = zip(answers, plan.noise_variances, strict=True)
    given = np.concatenate([a.reshape(-1) / sqrt(v) for a, v in pairs])
    best = np.linalg.lstsq(stacked, given, rcond=1e-11)[0]
    found = workload.strategy.estimates(workload.tables, answers)
    assert np.allclose(np.concatenate([np.ravel(e) for e in found]), rows @ best, atol=1e-7)
    inverse = np.linalg.pinv(stacked.T @ stacked, rcond=1e-11, hermitian=True)
    errors = [np.ravel(plan.standard_errors(t.name)) for t in workload.tables]
    assert np.allclose(np.concatenate(errors) ** 2, np.diagonal(rows @ inverse @ rows.T), rtol=1e-7)
    pulls = [float(t.weight) * (e**2).sum() for t, e in zip(workload.tables, errors, strict=True)]
    by_parts = np.dot(workload.strategy.pulls, plan.noise_variances)
    assert sum(pulls) == pytest.approx(by_parts)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("reach", [1, 2])
def test_the_sensitivity_of_every_measurement_is_that_of_all_neighbours(
    name: Any, reach: Any
) -> None:
    workload = _workload(name)
    domain = workload.used
    for measured in workload.strategy.measurements:
        matrix = measurement_matrix(domain, measured)
        held = list(contributions(matrix.shape[1], 1))  # the worst have all rows in one cell
        alone = max(sum(int(v) ** 2 for v in matrix.dot(reach * one)) for one in held)
        claimed = measured.squared_sensitivity(Fraction(reach), Relation.ADD_REMOVE)
        assert claimed == alone
        gram = matrix.T.dot(matrix)
        length = np.diagonal(gram)
        apart = int(max(length.max(), (length[:, None] + length - 2 * gram).max()))
        changed = measured.squared_sensitivity(Fraction(reach), Relation.CHANGE)
        assert changed >= reach**2 * apart
        if name == "even":
            assert changed == reach**2 * apart


@pytest.mark.parametrize("name", CASES)
def test_what_is_measured_is_its_matrix_times_the_counts_at_any_size(name: Any) -> None:
    workload = _workload(name)
    domain = workload.used
    rng = np.random.default_rng(4)
    for large in (1, 1 << 90):
        shape = domain.shape(domain.names)
        counts = np.array([int(n) * large for n in rng.integers(0, 9, domain.cells(domain.names))])
        table = counts.astype(object if large > 1 else np.int64).reshape(shape)
        for measured in workload.strategy.measurements:
            away = tuple(i for i, n in enumerate(domain.names) if n not in measured.columns)
            found = measured.exact(np.asarray(table.sum(axis=away))).reshape(-1)
            expected = measurement_matrix(domain, measured).dot(counts.astype(object))
            assert [int(v) for v in found] == [int(v) for v in expected]


def test_where_groups_are_equally_large_no_strategy_is_better() -> None:
    workload = _workload("even")
    plan = workload.plan(rho="0.5")
    assert plan.optimality_gap == pytest.approx(0, abs=1e-9)
    rows = np.vstack([table_matrix(workload.used, t) for t in workload.tables]).astype(float)
    weighted = sum(float((plan.standard_errors(t.name) ** 2).sum()) for t in workload.tables)
    assert weighted == pytest.approx(optimum(rows.T @ rows).bound, rel=1e-3)


def test_where_groups_differ_the_error_is_near_that_of_the_best_strategy() -> None:
    sizes = (2, 5, 12, 21)
    members = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    tree = Hierarchy("d", r={at: each.tolist() for at, each in enumerate(members)})
    workload = Workload.of({"d": sum(sizes)}, [Marginals(["r", "d"], up_to=1)], [tree])
    plan = workload.plan(rho="0.5")
    assert plan.optimality_gap is None
    rows = np.vstack([table_matrix(workload.used, t) for t in workload.tables]).astype(float)
    weighted = sum(float((plan.standard_errors(t.name) ** 2).sum()) for t in workload.tables)
    assert weighted < 1.1 * optimum(rows.T @ rows).bound


def test_tables_of_several_levels_add_up() -> None:
    workload = Workload.of(DOMAIN, [Marginals(["c", "r", "d", "s"], up_to=2)], [UNEVEN])
    names = ["total", "c", "r", "d", "s", "c,s", "r,s", "d,s"]
    assert sorted(t.name for t in workload.tables) == sorted(names)
    counts = np.random.default_rng(1).integers(0, 50, (6, 2, 3))
    tables = workload.plan(rho="0.3").release(counts)
    levels = {query.level: query for _, query in workload.domain.levels}
    district = tables["d", "s"].values
    for level in ("r", "c"):
        assert levels[level].apply(district, 0) == pytest.approx(tables[level, "s"].values)
    assert tables["c", "s"].values.sum(axis=1) == pytest.approx(tables["c"].values)
    assert tables["r"].labels == (["x", "y", "z"],)
    assert tables["r", "s"].columns == ("r", "s")
    assert list(tables["r", "s"].to_columns())[:2] == ["r", "s"]


def test_a_column_that_can_be_missing_has_a_group_of_the_missing() -> None:
    domain = TableDomain.of({"d": ["n", "s", None]}).with_levels(
        [Hierarchy("d", r={"all": ["n", "s"]})]
    )
    (level,) = domain.levels_of("d")
    assert level.labels == ("all", None)
    assert level.groups.tolist() == [0, 0, 1]


REFUSED: dict[str, Any] = {
    "no level": (lambda: Hierarchy("d"), "at least one level"),
    "its own name": (lambda: Hierarchy("d", d={}), "a name of its own"),
    "no mapping": (lambda: Hierarchy("d", r=[1, 2]), "must map"),  # type: ignore[arg-type]
    "two groups": (lambda: Hierarchy("d", r={"x": [1], "y": [1]}), "two groups"),
    "lists and not": (lambda: Hierarchy("d", r={"x": [1], "y": 1}), "some groups and not"),
    "a value without group": (
        lambda: Workload.of({"d": 3}, [], [Hierarchy("d", r={"x": [0, 1]})]),
        "no group for 2",
    ),
    "a member that is not declared": (
        lambda: Workload.of({"d": 1}, [], [Hierarchy("d", r={"x": [0, 7]})]),
        "names 7",
    ),
    "two hierarchies": (lambda: Workload.of({"d": 6}, [], [EVEN, UNEVEN]), "two hierarchies"),
    "the name of a column": (lambda: Workload.of({"d": 6, "r": 2}, [], [EVEN]), "same name"),
    "too many values below a level": (
        lambda: Workload.of(
            {"d": 20_000, "e": 20_000},
            [Marginals(["r", "q"])],
            [Hierarchy("d", r={0: range(20_000)}), Hierarchy("e", q={0: range(20_000)})],
        ),
        "below their levels",
    ),
    "a level beside its own ranges": (
        lambda: Workload.of({"d": 6}, [PrefixSums("d", by=["r"])], [EVEN]),
        "stands in by",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_hierarchy_is_refused(name: Any) -> None:
    act, words = REFUSED[name]
    with pytest.raises(SchemaError, match=words) as caught:
        act()
    assert caught.value.remedy


def test_an_unknown_name_is_refused_with_all_names() -> None:
    with pytest.raises(UnknownNameError) as caught:
        Workload.of(DOMAIN, [Marginals(["nowhere"])], [EVEN])
    assert "r, d, s, a" in str(caught.value.remedy)


def test_one_group_of_all_tells_what_the_total_tells() -> None:
    everyone = Hierarchy("s", all={"all": [0, 1]})
    workload = Workload.of({"s": 2}, [Marginals(["all", "s"], up_to=1), Total()], [everyone])
    plan = workload.plan(rho="0.5")
    assert plan.measured == ((), ("s",))
    tables = plan.release([30, 40])
    assert tables["all"].values == pytest.approx(tables["total"].values.reshape(1))


def test_other_groups_are_another_strategy() -> None:
    other = Hierarchy("d", r={"x": [0, 1, 2], "y": [3, 4, 5]})
    lines = [Marginals(["r", "d"], up_to=1)]
    plans = [Workload.of(DOMAIN, lines, [each]).plan(rho=1) for each in (EVEN, other)]
    assert plans[0].strategy_hash != plans[1].strategy_hash
