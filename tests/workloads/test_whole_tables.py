"""Tables of whole numbers: best among those without negative cells, consistent, and honest about
their errors.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize, nnls
from scipy.stats import t as student_t

from shoal import Choices, Marginals, PrefixSums, Row, ZeroConcentrated, private
from shoal.errors import SchemaError, ShoalError
from shoal.workloads import AllRanges, KnownTotals, ReleasedTables, Total, Workload
from shoal.workloads.controlled_rounding import rounded
from shoal.workloads.nonnegative_fit import NonnegativeFit
from shoal.workloads.student_quantile import student_quantile

SMALL: dict[str, Any] = {"region": 4, "sex": ["f", "m"], "age": 6}
WANTED: list[list[Any]] = [
    [Marginals(list(SMALL), up_to=2)],
    [Marginals(["region", "sex", "age"])],
    [PrefixSums("age", by=["sex"]), Marginals(["region"])],
    [PrefixSums("age")],
    [AllRanges("age"), Total()],
]


def _sparse(shape: tuple[int, ...], people: int, seed: int = 5) -> Any:
    chance = np.random.default_rng(seed)
    shares = chance.dirichlet(np.full(int(np.prod(shape)), 0.2))
    return chance.multinomial(people, shares).reshape(shape)


def _dense(fit: NonnegativeFit) -> list[Any]:
    """The matrix of each measurement over all cells, made without a basis."""
    found = []
    for each in fit.measurements:
        matrix: Any = np.ones((1, 1))
        for name in fit.domain.names:
            if name in each.columns:
                factor = each.factors[each.columns.index(name)].in_floats()
            else:
                factor = np.ones((1, fit.domain.size(name)))
            matrix = np.kron(matrix, factor)
        found.append(matrix)
    return found


def _fit_of(released: ReleasedTables) -> tuple[NonnegativeFit, list[Any]]:
    plan = released.plan
    fit = NonnegativeFit(
        plan.workload.used,
        plan.workload.strategy.measurements,
        plan.noise_variances,
        released.known,
    )
    return fit, [each.astype(float) for each in released.answers]


@pytest.mark.parametrize("wanted", WANTED)
def test_the_fit_is_that_of_least_squares_without_negative_numbers(wanted: Any) -> None:
    workload = Workload.of(SMALL, wanted)
    fit, answers = _fit_of(workload.plan(rho="0.02").release(_sparse((4, 2, 6), 150)))
    pairs = list(zip(_dense(fit), fit.variances, strict=True))
    whole = np.vstack([matrix / np.sqrt(variance) for matrix, variance in pairs])
    wanted_side = np.concatenate(
        [a.reshape(-1) / np.sqrt(v) for a, v in zip(answers, fit.variances, strict=True)]
    )
    best, far = nnls(whole, wanted_side, maxiter=10_000)
    ours = fit.solve(answers).reshape(-1)
    assert (ours >= 0).all()
    assert np.linalg.norm(whole @ ours - wanted_side) <= far + 0.05
    assert np.abs(whole @ (ours - best)).max() < 0.3  # in standard errors of a measurement


def test_the_nearest_table_with_known_totals_is_that_of_a_general_solver() -> None:
    workload = Workload.of({"a": 2, "b": 4}, [Marginals(["a", "b"])])
    known = KnownTotals.of(workload.used, {"a": {0: 7, 1: 0}})
    given = np.array([[3.0, -2, 5, 1.5], [1, -1, 0.2, 0]])
    found = known.nearest(given)
    solved = minimize(
        lambda x: ((x - given[0]) ** 2).sum(),
        np.full(4, 7 / 4),
        bounds=[(0, None)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 7},
    )
    assert found[0] == pytest.approx(solved.x, abs=1e-4)
    assert found[1] == pytest.approx(np.zeros(4))


def test_tables_are_whole_numbers_that_add_up_and_known_totals_hold() -> None:
    shape, domain = (6, 2, 12, 4), {"region": 6, "sex": ["f", "m"], "age": 12, "school": 4}
    counts = _sparse(shape, 5000)
    totals = counts.sum(axis=(1, 2, 3)).tolist()
    workload = Workload.of(domain, [Marginals(list(domain), up_to=3)])
    released = workload.plan(rho="0.05").release(counts, known={"region": dict(enumerate(totals))})
    tables = released.whole_numbers()
    assert tables["region"].values.tolist() == totals
    assert tables["total"].values == 5000
    for table in tables:
        assert table.values.dtype == np.int64
        assert (table.values >= 0).all()
    for one, two in product(tables, tables):
        if set(two.columns) < set(one.columns):
            away = tuple(at for at, name in enumerate(one.columns) if name not in two.columns)
            assert (one.values.sum(axis=away) == two.values).all()
    low, high = tables["region"].intervals()
    assert low.tolist() == high.tolist() == totals


def test_rounding_moves_no_margin_that_is_wanted_by_more_than_a_person() -> None:
    fitted = np.random.default_rng(3).exponential(0.3, (15, 20, 25))
    weights = {(0,): 1.0, (1,): 1.0, (2,): 1.0, (0, 1): 0.5, (1, 2): 0.5}
    margins: Any = {tuple((a, None) for a in axes): w for axes, w in weights.items()}
    whole = rounded(fitted, margins)
    assert whole.min() >= 0
    assert abs(whole.sum() - fitted.sum()) <= 0.5
    for axes in weights:
        away = tuple(axis for axis in range(3) if axis not in axes)
        assert np.abs(whole.sum(axis=away) - fitted.sum(axis=away)).max() <= 1.5


@pytest.mark.slow
def test_intervals_of_whole_numbers_cover_as_often_as_they_say() -> None:
    domain, inside, cells = {"region": 8, "sex": ["f", "m"], "age": 30}, 0, 0
    workload = Workload.of(domain, [Marginals(list(domain), up_to=2)])
    plan = workload.plan(rho="0.1")
    for seed in range(12):
        counts = _sparse((8, 2, 30), 4000, seed)
        for table in plan.release(counts).whole_numbers():
            away = tuple(at for at, name in enumerate(domain) if name not in table.columns)
            low, high = table.intervals(confidence="0.95")
            true = counts.sum(axis=away)
            inside += int(((low <= true) & (true <= high)).sum())
            cells += true.size
    assert 0.93 < inside / cells < 0.97


@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
@pytest.mark.parametrize("freedom", [1, 30])
def test_quantiles_of_students_law_are_those_of_a_statistics_library(
    confidence: str, freedom: int
) -> None:
    found = student_quantile(Fraction(confidence), freedom)
    assert found == pytest.approx(student_t.ppf((1 + float(confidence)) / 2, freedom), rel=1e-9)


def test_what_is_known_is_on_the_certificate_and_costs_nothing_more() -> None:
    rows = pa.table({"sex": ["f", "m", "f"] * 50, "region": ["N", "S", "S"] * 50})
    facts = {"sex": Choices(["f", "m"]), "region": Choices(["N", "S"])}
    people = private(
        rows, protects=Row(), columns=facts, required=list(facts), budget=ZeroConcentrated(1)
    )
    asked = people.workload(
        [Marginals(["sex", "region"], up_to=2)], known={"region": {"N": 50, "S": 100}}
    )
    released = asked.release(rho="0.5")
    assert released.certificate is not None
    assert released.certificate["not_protected"] == {"columns": ["region"], "totals": [50, 100]}
    assert released.whole_numbers()["region"].values.tolist() == [50, 100]
    plain = people.workload([Marginals(["sex", "region"], up_to=2)]).preview(rho="0.5")
    assert plain.event == asked.preview(rho="0.5").event


@pytest.mark.parametrize(
    "known",
    [{"region": {"X": 1}}, {"region": {"N": -1}}, {"sex": {"f": 1}, "region": {"N": 2}}, -3],
)
def test_known_totals_that_cannot_be_are_refused_before_the_charge(known: Any) -> None:
    facts = {"sex": Choices(["f", "m"]), "region": Choices(["N", "S"])}
    people = private(
        pa.table({"sex": ["f"], "region": ["N"]}),
        protects=Row(),
        columns=facts,
        required=list(facts),
        budget=ZeroConcentrated(1),
    )
    with pytest.raises(ShoalError):
        people.workload([Marginals(["sex", "region"])], known=known).release(rho="0.5")
    assert people.budget.spent == ZeroConcentrated(0)


def test_too_many_cells_are_refused() -> None:
    domain = {"a": 1000, "b": 1001}
    released = Workload.of(domain, [Marginals(["a"]), Marginals(["b"])]).plan(rho="1").release({})
    with pytest.raises(SchemaError, match="1001000 cells"):
        released.whole_numbers()


def test_the_measurements_are_enough_to_make_the_tables_again() -> None:
    workload = Workload.of(SMALL, [Marginals(list(SMALL), up_to=2)])
    released = workload.plan(rho="0.5").release(_sparse((4, 2, 6), 500))
    head, numbers = released.measurements()
    values = np.array(numbers["value"], dtype=float)
    which = np.array(numbers["measurement"])
    rows, sides = [], []
    sizes = {name: len(held) for name, held in head["values"].items()}
    for each in head["measurements"]:
        matrix: Any = np.ones((1, 1))
        for name, size in sizes.items():
            centred = size * np.eye(size) - 1
            matrix = np.kron(matrix, centred if name in each["columns"] else np.ones((1, size)))
        rows.append(matrix / np.sqrt(each["variance"]))
        sides.append(values[which == each["measurement"]] / np.sqrt(each["variance"]))
    cells = np.linalg.lstsq(np.vstack(rows), np.concatenate(sides), rcond=None)[0].reshape(4, 2, 6)
    assert cells.sum(axis=2) == pytest.approx(released["region", "sex"].values, abs=1e-6)
    assert cells.sum(axis=(0, 1)) == pytest.approx(released["age"].values, abs=1e-6)
