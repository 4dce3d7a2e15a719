"""What one row adds to every planned sum, by brute force; and that nothing else is ever read."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import numpy as np
import pytest
from tests.learning.models import MODELS, STRANGE, SUMMED, rows, targets
from tests.learning.recorded_sums import exact_sums_seen, plan_of, planned_training

from shoal import Approx, Choices, Relation
from shoal.accounting import account
from shoal.errors import FactsError, InternalError
from shoal.learning import PCA, KMeans
from shoal.learning.estimator import TARGET, PrivateEstimator
from shoal.learning.feature_columns import stated_column
from shoal.learning.persons import rows_within
from shoal.learning.training_plan import PlannedSum, TrainingPlan

HAIR = 1 + Fraction(1, 1 << 20)
"""What the accountant's own rounding may add."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SUMMED)
def test_one_row_moves_every_planned_sum_by_no_more_than_its_bound(name: str) -> None:
    """With the same answers so far, the exact sums of neighbours differ by what one row adds."""
    rng = np.random.default_rng(3)
    model = MODELS[name]()
    planned, tight = (
        planned_training(model),
        [0.0] * len(plan_of(planned_training(MODELS[name]())).sums),
    )
    for seed, scale in enumerate([0.01, 1.0, 300.0]):
        arrays = rows(model, 40, rng)
        if seed == 0:  # the row that is left out first is further out than all others
            arrays["age"] = np.append(1e9, rng.uniform(30, 70, 39))
        target = targets(model, 40, rng)
        if target is not None:
            arrays[TARGET] = target
        whole = exact_sums_seen(planned, arrays, seed, scale)
        shuffled = rng.permutation(40)
        moved = {n: values[shuffled] for n, values in arrays.items()}
        for one, two in zip(whole, exact_sums_seen(planned, moved, seed, scale), strict=True):
            assert (one == two).all()
        for left_out in range(4):
            fewer = {n: np.delete(values, left_out) for n, values in arrays.items()}
            found = exact_sums_seen(planned, fewer, seed, scale)
            for at, (one, two) in enumerate(zip(whole, found, strict=True)):
                far = sum(int(each) ** 2 for each in (one - two).tolist())
                assert far <= plan_of(planned).sums[at].squared
                tight[at] = max(tight[at], far / plan_of(planned).sums[at].squared)
    assert max(tight) > 0.2  # the bounds are not idle


def test_a_plan_costs_what_was_stated_and_no_more() -> None:
    steps = [PlannedSum("a", 3, 7, Fraction(1, 3)), PlannedSum("b", 5, 11, Fraction(2, 3))]
    for measure in (Approx(1, "1e-6"), Approx("0.1", "1e-9")):
        plan = TrainingPlan.of(steps, measure, reach=3, relation=Relation.ADD_REMOVE)
        spent = account(plan.event).epsilon(delta=measure.delta).epsilon
        assert measure.epsilon * Fraction(999, 1000) < spent <= measure.epsilon * HAIR
        twice = TrainingPlan.of(steps, measure, reach=3, relation=Relation.CHANGE)
        for one, two in zip(plan.mechanisms, twice.mechanisms, strict=True):
            assert two.sensitivity.value == pytest.approx(2 * one.sensitivity.value)
            assert one.sensitivity.value >= 3


def test_only_planned_sums_are_released_each_once_and_in_order() -> None:
    steps = [PlannedSum("a", 1, 1, Fraction(1, 2)), PlannedSum("b", 1, 1, Fraction(1, 2))]
    plan = TrainingPlan.of(steps, Approx(1, "1e-6"), reach=1, relation=Relation.ADD_REMOVE)
    sums, one = plan.begin(), np.ones(1, dtype=np.int64)
    with pytest.raises(InternalError):
        plan.begin().release("b", one)
    with pytest.raises(InternalError):
        plan.begin().release("a", np.ones(2, dtype=np.int64))
    sums.release("a", one)
    sums.release("b", one)
    with pytest.raises(InternalError):
        sums.release("b", one)


def test_a_person_counts_with_no_more_rows_than_allowed_whoever_else_there_is() -> None:
    rng = np.random.default_rng(0)
    persons = rng.integers(0, 30, 500)
    kept = persons[rows_within(persons, 3)]
    assert np.bincount(kept, minlength=30).max() == 3
    assert set(kept) == set(persons)
    first = [
        np.flatnonzero(persons == 0).tolist().index(at)
        for _ in range(300)
        for at in rows_within(persons, 1)
        if persons[at] == 0
    ]
    assert set(first) == set(range((persons == 0).sum()))  # every row has its chance
    missing = np.array([np.nan, np.nan, None, 1.0], dtype=object)
    assert len(rows_within(missing, 1)) == 2


def test_no_value_and_no_name_makes_reading_fail() -> None:
    strange = np.empty(len(STRANGE), dtype=object)
    strange[:] = STRANGE
    when = stated_column("when", (dt.date(2000, 1, 1), dt.date(2020, 1, 1)))
    steps, missing = when.steps(strange)
    utc = next(at for at, each in enumerate(STRANGE) if type(each) is dt.datetime)
    assert not missing[utc]
    assert steps[utc] == when.steps(np.array([dt.date(2010, 1, 1)], dtype=object))[0][0]
    assert (np.abs(steps) <= 1 << 14).all()
    level = stated_column("ward", Choices(["a", "b"]))
    assert (level.codes(strange) == 2).all()
    assert len(rows_within(strange, 1)) < len(STRANGE)


@pytest.mark.parametrize("model", [PCA(rho=1), KMeans(rho=1)])
def test_more_columns_than_can_be_summed_exactly_are_refused(model: PrivateEstimator) -> None:
    columns = tuple(stated_column(f"x{at}", (0, 1)) for at in range(4097))
    with pytest.raises(FactsError, match="4097 columns"):
        model._sums(columns)
