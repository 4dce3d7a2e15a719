"""Suggested bounds: private as counts are, near the truth, and put to use under the same budget."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.query.tables import Given, made, without_noise
from tests.query.test_neighbours import CELLS, UNITS, without

import shoal
from shoal.errors import BudgetExceeded, ExpressionError, FactsError, RangeError, SchemaError
from shoal.plan import INTEGER, REAL, Ref, Type, column, decimal, evaluate, number_of, values_of
from shoal.query.magnitudes import Magnitudes

KINDS = [INTEGER, REAL, decimal(2)]


def held(values: Any, budget: shoal.Measure | None = None) -> shoal.query.Private:
    table = pa.table({"x": pa.array(values), "who": list(range(len(values)))})
    return shoal.private(
        table, protects=shoal.Person("who"), budget=budget or shoal.Pure(100), name="t"
    )


# buckets


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(data=st.data())
def test_the_bucket_of_a_value_is_the_one_between_whose_ends_it_lies(
    kind: Type, data: st.DataObject
) -> None:
    sizes = Magnitudes(kind)
    values: Any = st.floats(-1e17, 1e17) if kind == REAL else st.integers(-(2**63), 2**63 - 1)
    value = data.draw(values | st.sampled_from([0, 1, -1, 2, 5, 10, -10, 99, 100, 101]))
    value = float(value) if kind == REAL else value
    place = number_of(value, kind)
    assert place is not None
    bucket = evaluate(sizes.expression(Ref(column("x", kind))), {"x": value})
    assert bucket == sizes.of(place)
    lo, hi = sizes.ends(sizes.of(place))
    slack = (
        Fraction(1, 10**6) + abs(place) / 10**15 if kind == REAL else Fraction(1, 10**kind.scale)
    )
    assert lo - slack <= place <= hi + slack


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_buckets_are_known_and_side_by_side(kind: Type) -> None:
    sizes = Magnitudes(kind)
    key = sizes.expression(Ref(column("x", kind)))
    assert values_of(key) == tuple(range(-sizes.most, sizes.most + 1))
    assert evaluate(key, {"x": None}) is None
    for bucket in range(1, sizes.most):
        assert sizes.ends(bucket)[1] == sizes.ends(bucket + 1)[0]
        assert sizes.ends(-bucket)[0] == sizes.ends(-bucket - 1)[1]


# privacy


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("name", ["age", "spend"])
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6))
def test_neighbours_give_the_noise_inputs_within_its_sensitivity(
    name: str, unit: Any, data: list[dict[str, Any]]
) -> None:
    def played(rows: list[dict[str, Any]]) -> Given:
        with without_noise() as seen:
            made(rows, protects=unit, towns=False, columns={}).suggest_bounds(name, epsilon=1)
        return seen

    ((mechanism, before),) = played(data)
    for other in without(data, unit):
        ((again, after),) = played(other)
        assert again == mechanism
        assert len(after) == len(before)
        moved = [Fraction(a - b) for a, b in zip(before, after, strict=True)]
        norm = mechanism.sensitivity.norm
        assert norm.measure(moved) <= norm.measure([mechanism.sensitivity.value])


def test_a_suggestion_is_charged_before_rows_are_read_and_refused_beyond_the_budget() -> None:
    private = held([1, 2, 3], shoal.Pure(1))
    private.suggest_bounds("x", epsilon="0.75")
    assert private.budget.spent == shoal.Pure("0.75")
    with without_noise() as seen, pytest.raises(BudgetExceeded):
        private.suggest_bounds("x", epsilon="0.5")
    assert seen == []
    assert private.budget.spent == shoal.Pure("0.75")


def test_a_suggestion_costs_what_was_asked_in_every_budget() -> None:
    zero = held([1] * 50, shoal.ZeroConcentrated(1))
    found = zero.suggest_bounds("x", rho="0.25")
    assert found.price == "zero-concentrated, rho 0.25"
    assert isinstance(zero.budget.spent, shoal.ZeroConcentrated)
    assert zero.budget.spent.rho <= Fraction(1, 4)


# the range


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([7] * 500, shoal.Range(5, 10)),
        ([0] * 500, shoal.Range(0, 0)),
        ([-3] * 300 + [40] * 300, shoal.Range(-5, 50)),
        ([0.03] * 300 + [0.0] * 300, shoal.Range(0, "0.05")),
        ([12.5] * 300 + [float("nan")] * 300, shoal.Range(10, 20)),
        ([30] * 5000 + [10**6] * 10, shoal.Range(20, 50)),
        ([2**62] * 500, shoal.Range(2 * 10**18, 5 * 10**18)),
        ([1e200] * 500, shoal.Range(5 * 10**17, 10**18)),
    ],
)
def test_the_range_holds_nearly_all_rows_and_little_else(
    values: list[Any], wanted: shoal.Range
) -> None:
    assert held(values).suggest_bounds("x", epsilon=20).range == wanted


def test_a_larger_share_keeps_the_tail() -> None:
    private = held([30] * 5000 + [600] * 40)
    assert private.suggest_bounds("x", epsilon=9, share="0.999").range == shoal.Range(20, 1000)
    found = private.suggest_bounds("x", epsilon=9, share="0.9")
    assert found.range == shoal.Range(20, 50)
    assert 0.98 < found.share < 1


@pytest.mark.slow
def test_too_few_rows_do_not_stand_out_and_empty_buckets_hardly_ever_do() -> None:
    with without_noise():
        found = held([7] * 3).suggest_bounds("x", epsilon="0.1")
    assert found.range is None
    assert "no range stood out" in str(found)
    private = held([7], shoal.Pure(10**4))
    ranges = [private.suggest_bounds("x", epsilon=1).range for _ in range(100)]
    assert sum(each is not None for each in ranges) < 20  # at most 5% are expected


def test_a_suggestion_is_put_to_use_under_the_same_budget() -> None:
    draw = np.random.default_rng(3)
    private = held(draw.gamma(2, 40, 5000), shoal.Pure(3))
    with pytest.raises(FactsError):
        private.sql("SELECT AVG(x) AS m FROM t").preview(epsilon=1)
    found = private.suggest_bounds("x", epsilon=1)
    assert found.range is not None
    told = private.stating({"x": found.range}, required=["x"])
    answer = told.sql("SELECT AVG(x) AS m FROM t").release(epsilon=1)
    assert 70 < answer.rows[0][0] < 90  # type: ignore[operator]
    assert private.budget.spent == told.budget.spent == shoal.Pure(2)
    assert "stating(columns={'x'" in str(found)


def test_facts_that_were_stated_before_stay() -> None:
    private = made([]).stating({"age": shoal.Range(0, 50)}, required=["kind"])
    columns = {each.name: each for each in private.tables["data"].columns}
    assert str(columns["age"]) == "age integer in 0 .. 50"
    assert columns["kind"].choices == ("a", "b", "c")
    assert not columns["kind"].nullable
    assert columns["who"].person == 0
    with pytest.raises(SchemaError, match="which is not there"):
        private.stating({"nobody": shoal.Range(0, 1)})


def test_only_numbers_have_bounds_to_suggest() -> None:
    private = made([])
    with pytest.raises(ExpressionError, match="column town is text"):
        private.suggest_bounds("town", epsilon=1)
    with pytest.raises(SchemaError, match="which is not there"):
        private.suggest_bounds("nobody", epsilon=1)
    with pytest.raises(RangeError, match="share"):
        private.suggest_bounds("age", epsilon=1, share=1)
    assert private.budget.spent == shoal.Pure(0)


def test_columns_of_several_tables_are_written_with_their_table() -> None:
    tables = {"a": pa.table({"who": [1, 2], "x": [3, 4]}), "b": pa.table({"who": [1], "y": [1]})}
    private = shoal.private(tables, protects=shoal.Person("who"), budget=shoal.Pure(9))
    assert private.suggest_bounds("a.x", epsilon=1).column == "a.x"
