"""Prefix sums and ranges of very many values: exact matrices that are never written out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.errors import InternalError, SchemaError
from shoal.noise.seam import seeded
from shoal.sensitivity import Relation
from shoal.workloads import AllRanges, Hierarchy, Marginals, PrefixSums, Total, Workload
from shoal.workloads.column_directions import basis_of
from shoal.workloads.column_queries import EACH_PREFIX, EACH_RANGE
from shoal.workloads.large_ordered import LargeOrderedStrategy
from shoal.workloads.measurement import Measurement
from shoal.workloads.optimum import optimum
from shoal.workloads.reflected_factor import ReflectedFactor
from shoal.workloads.reflected_variances import across
from shoal.workloads.reflection import Reflection

SIZES = [1, 2, 3, 8, 31]
KINDS = {"prefixes": Reflection.for_prefixes, "ranges": Reflection.for_ranges}
LINES: dict[str, list[Any]] = {
    "prefixes": [PrefixSums("a")],
    "ranges": [AllRanges("a")],
    "prefixes and values": [PrefixSums("a"), Marginals(["a"], weight=3), Total()],
    "ranges and values": [AllRanges("a"), Marginals(["a"], weight=3)],
    "both": [AllRanges("a"), PrefixSums("a", weight=5)],
}


def _strategy(lines: Any, size: int) -> LargeOrderedStrategy:
    workload = Workload.of({"a": size}, lines)
    return LargeOrderedStrategy(workload.used, workload.tables)


def _factor(lines: Any, size: int) -> Any:
    return _strategy(lines, size).measurements[0].factors[0]


def _whole(factor: ReflectedFactor) -> Any:
    """The matrix entry by entry, from its definition and in whole numbers."""
    size, kind, kernel = factor.size, factor.reflection, factor.kernel.tolist()

    def entry(i: int, j: int) -> int:
        beside, beyond = kernel[abs(i - j)], kernel[i + j + 1 + kind.first]
        return int(factor.scales[j] * (beside - kind.sign * beyond))

    return np.array([[entry(i, j) for j in range(size)] for i in range(size)], dtype=object)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("query", [EACH_PREFIX, EACH_RANGE])
def test_waves_are_the_eigenvectors_of_the_wanted_sums(size: int, query: Any) -> None:
    kind = KINDS["prefixes" if query is EACH_PREFIX else "ranges"](size)
    basis = np.array([kind.values(line) for line in np.eye(size)]).T
    stretch = (size + 1 if kind.first else 1) / (4 * np.sin(kind.angles / 2) ** 2)
    assert np.allclose(basis.T @ basis, np.eye(size))
    assert np.allclose((basis * stretch) @ basis.T, query.gram(size))
    assert np.allclose([kind.coefficients(line) for line in np.eye(size)], basis)
    assert np.allclose(kind.symbol(kind.kernel(stretch)), stretch)
    assert np.allclose(kind.diagonal(kind.kernel(stretch)), np.diag(query.gram(size)))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_what_is_measured_is_the_stated_matrix_times_the_counts_however_large_they_are(
    size: int, lines: Any
) -> None:
    factor = _factor(lines, size)
    counts = np.array([(-7) ** (at + 9) for at in range(size)], dtype=object)
    assert list(factor.apply(counts, 0)) == list(_whole(factor).dot(counts))
    small = np.arange(2 * size).reshape(2, size)
    assert (factor.apply(small, 1) == small.astype(object).dot(_whole(factor).T)).all()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.CHANGE])
def test_no_neighbours_are_further_apart_than_the_sensitivity_and_some_are_as_far(
    size: int, lines: Any, relation: Relation
) -> None:
    factor = _factor(lines, size)
    matrix = _whole(factor)
    gram = matrix.T.dot(matrix)
    lengths = [int(gram[j, j]) for j in range(size)]
    claimed = Measurement(("a",), (factor,)).squared_sensitivity(Fraction(1), relation)
    if relation is Relation.ADD_REMOVE:
        assert claimed == max(lengths)
    else:
        moved = [
            lengths[i] + lengths[j] - 2 * int(gram[i, j]) for i in range(size) for j in range(size)
        ]
        assert max(lengths) <= claimed == 2 * max(lengths)
        assert max(moved) <= claimed
    assert factor.widest == max(int(abs(matrix[:, j]).sum()) for j in range(size))
    assert (matrix >= 0).all()
    assert abs(matrix).max() <= factor.growth


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
@pytest.mark.parametrize("size", [3, 31, 700])
def test_estimates_and_variances_are_those_of_least_squares(size: int, lines: Any) -> None:
    strategy = _strategy(lines, size)
    factor = strategy.measurements[0].factors[0]
    dense = np.linalg.inv(factor.in_floats())
    covariance = dense @ dense.T
    assert np.allclose(covariance, factor.covariance(), rtol=1e-6)
    total = 0.0
    for table in strategy.tables:
        asked = table.queries[0] if table.queries else None
        wanted = covariance.sum() if asked is None else asked.variances(covariance)
        assert np.allclose(strategy.variances(table, [2.0]), 2 * wanted, rtol=1e-7)
        total += float(table.weight) * float(np.sum(wanted))
    assert strategy.pulls[0] == pytest.approx(total, rel=1e-7)
    answers = np.random.default_rng(1).normal(0, 1e9, size)
    found = strategy.estimates(strategy.tables, [answers])[0]
    asked = strategy.tables[0].queries[0]
    assert np.allclose(found, asked.apply(dense @ answers, 0), atol=1e-6 * abs(found).max())


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
@pytest.mark.parametrize("size", [5, 60])
def test_no_strategy_passes_the_bound_and_this_one_is_near_it(size: int, lines: Any) -> None:
    strategy = _strategy(lines, size)
    gram = np.zeros((size, size))
    for table in strategy.tables:
        asked = table.queries[0].gram(size) if table.queries else np.ones((size, size))
        gram += float(table.weight) * asked
    best = optimum(gram)
    error = strategy.pulls[0] * strategy.measurements[0].factors[0].longest
    assert strategy.bound <= best.error * (1 + 1e-9)
    assert best.bound <= error
    if size == 60 and "both" not in str(lines) and len(lines) < 2:
        assert error <= 1.012 * strategy.bound


@pytest.mark.parametrize("line", [PrefixSums, AllRanges])
def test_a_hundred_thousand_values_are_within_one_per_cent_of_what_any_strategy_can_do(
    line: Any,
) -> None:
    domain = shoal.workloads.TableDomain.of({"a": 100_000})
    strategy = LargeOrderedStrategy(domain, tuple(line("a").tables(domain)))
    error = strategy.pulls[0] * strategy.measurements[0].factors[0].longest
    assert strategy.bound < error < 1.0101 * strategy.bound  # its root: half a per cent


def test_many_values_are_released_with_the_errors_that_were_promised() -> None:
    size = 20_000
    plan = Workload.of({"a": size}, [PrefixSums("a")]).plan(rho="0.5")
    assert 0 < (plan.optimality_gap or 0) < 0.01
    counts = np.random.default_rng(3).poisson(2.0, size)
    counts[12_000:] = 0
    truth = np.cumsum(counts)
    with seeded("many values"):
        released = plan.release(counts)
    table = released["prefix(a)"]
    low, high = table.intervals(confidence="0.95")
    assert ((low <= truth) & (truth <= high)).mean() > 0.8  # neighbours are off together
    assert ((table.values - truth) ** 2).mean() ** 0.5 < 1.6 * plan.overall_rmse
    whole = released.whole_numbers()["prefix(a)"].values
    assert (np.diff(whole) >= 0).all()
    assert ((whole - truth) ** 2).mean() ** 0.5 < 1.6 * plan.overall_rmse


def test_moving_units_does_not_spoil_prefix_sums() -> None:
    counts = np.random.default_rng(1).poisson(0.4, 300)
    plan = Workload.of({"a": 300}, [PrefixSums("a")]).plan(rho="0.5")
    with seeded("spoil"):
        released = plan.release(counts)
    fitted = shoal.workloads.whole_tables._fit(plan, None).solve(
        [answer.astype(np.float64) for answer in released.answers]
    )
    whole = released.whole_numbers()["prefix(a)"].values
    assert np.abs(whole - np.cumsum(fitted)).max() <= 0.5 + 1e-9


def test_the_fit_has_an_orthonormal_basis_in_which_the_factor_is_a_number_for_each_wave() -> None:
    factor = _factor(LINES["prefixes"], 12)
    basis = basis_of(12, [factor], separate=False)
    waves = np.array([basis.coefficients(line, 0) for line in np.eye(12)]).T
    assert np.allclose((waves.T * 1) @ waves, np.diag(1 / basis.shares))
    assert np.allclose(basis.table(basis.coefficients(np.arange(12.0), 0), 0), np.arange(12.0))
    matrix = factor.in_floats()
    back = np.linalg.inv(waves)
    stretch = np.diag(basis.stretch(factor))
    assert np.allclose(back.T @ matrix.T @ matrix @ back / stretch.max(), stretch / stretch.max())
    answers = np.arange(12.0)
    assert np.allclose(basis.pull(factor, answers, 0), back.T @ matrix.T @ answers)
    assert basis.shares.sum() == pytest.approx(1)


def test_sums_across_blocks_are_sums() -> None:
    rng = np.random.default_rng(2)
    values, kernel = rng.normal(size=700), rng.normal(size=1400)
    slow = [sum(values[i] * kernel[i + t] for i in range(t)) for t in range(700)]
    assert np.allclose(across(values, kernel), slow)


@pytest.mark.parametrize(
    "kernel", [[5, 3, 1, -1, -4], [5, 6, 1, -1, -6], [5, 3, -1, 1, -3]], ids=str
)
def test_a_kernel_whose_matrix_could_have_negative_entries_is_refused(kernel: Any) -> None:
    with pytest.raises(InternalError, match="kernel"):
        ReflectedFactor(Reflection.for_prefixes(2), np.array(kernel))


def test_another_kernel_is_another_strategy() -> None:
    kind = Reflection.for_prefixes(2)
    one, other = (ReflectedFactor(kind, np.array([5, middle, 1, -1, -middle])) for middle in (3, 2))
    assert one.identity != other.identity
    cyclic = ReflectedFactor(Reflection.for_ranges(2), np.array([5, 3, 1, 0, 1, 3]))
    assert one.identity != cyclic.identity


def test_what_cannot_be_answered_for_many_values_is_refused_with_what_to_type() -> None:
    with pytest.raises(SchemaError, match="at most 4096 values"):
        Workload.of({"a": 5000, "b": 2}, [PrefixSums("a"), Marginals(["b"])])
    halves = Hierarchy("a", half={"low": range(2500), "high": range(2500, 5000)})
    with pytest.raises(SchemaError, match="at most 4096 values"):
        Workload.of({"a": 5000}, [PrefixSums("a"), Marginals(["half"])], [halves])
    with pytest.raises(SchemaError, match="epsilon alone"):
        Workload.of({"a": 5000}, [PrefixSums("a")]).plan(epsilon=1)
    with pytest.raises(SchemaError, match="cells together"):
        Workload.of({"a": 20_000}, [AllRanges("a")])
