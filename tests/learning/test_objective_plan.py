"""The law of the tilted minimiser between neighbours, and the public numbers of its plan."""

from __future__ import annotations

import copy
import os
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.learning.many_digits import true_minimiser
from tests.learning.tilted_densities import log_density

from shoal import Choices, Pure, Range, Relation, ZeroConcentrated
from shoal.accounting import account
from shoal.errors import CalibrationError, FactsError, InternalError, OwnerError, RangeError
from shoal.learning import objective_plan
from shoal.learning.feature_columns import STEPS, FeatureColumn, stated_column
from shoal.learning.objective_plan import MASK, MASK_SCALE, ObjectivePlan
from shoal.learning.tilted_loss import Point, TiltedLoss
from shoal.measures import Approx
from shoal.noise.seam import seeded

FACTS: dict[str, tuple[FeatureColumn, ...]] = {
    "number": (stated_column("a", Range(-1, 1)),),
    "numbers": tuple(stated_column(f"a{at}", Range(-1, 1)) for at in range(5)),
    "level": (stated_column("c", Choices(["x"])),),
    "both": (
        stated_column("a", Range(-1, 1), nullable=True),
        stated_column("b", Range(-1, 1)),
        stated_column("c", Choices(["x", "y"])),
        stated_column("d", Choices(["x", "y", "z"])),
    ),
}


def planned(name: str, epsilon: Any = 1, **more: Any) -> ObjectivePlan:
    how = {"reach": 1, "relation": Relation.ADD_REMOVE, **more}
    return ObjectivePlan.of(FACTS[name], Pure(epsilon), **how)


def some_rows(plan: ObjectivePlan, count: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Rows of the design at the ends of their ranges or within, and their classes."""
    arrays: dict[str, Any] = {}
    for each in plan.design.columns:
        if each.ordered:
            arrays[each.name] = rng.choice([-1.0, 1.0, np.nan, rng.uniform(-1, 1)], count)
        else:
            arrays[each.name] = rng.choice(np.array([*each.levels, None], dtype=object), count)
    return plan.design.matrix(arrays), rng.integers(0, 2, count)


@pytest.mark.parametrize("reach", [1, 3])
@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.CHANGE])
@pytest.mark.parametrize("name", FACTS)
def test_the_densities_of_neighbours_differ_by_no_more_than_is_paid(
    name: str, relation: Relation, reach: int
) -> None:
    rng = np.random.default_rng(8)
    epsilon = 2.0
    plan = planned(name, 2, relation=relation, reach=reach)
    paid, worst = epsilon * float(1 - MASK), 0.0
    for turn in range(300):
        matrix, second = some_rows(plan, int(rng.integers(0, 4)), rng)
        others, labels = some_rows(plan, 2 * reach, rng)
        if turn % 2:  # the rows of one unit can be alike
            others, labels = np.repeat(others[::reach], reach, 0), np.repeat(labels[::reach], reach)
        more = np.vstack([matrix, others[:reach]]), np.append(second, labels[:reach])
        less = matrix, second
        if relation is Relation.CHANGE:
            less = np.vstack([matrix, others[reach:]]), np.append(second, labels[reach:])
        theta = rng.normal(0, rng.choice([0.1, 1, 5, 30]), plan.design.size)
        ratio = log_density(plan, theta, *more) - log_density(plan, theta, *less)
        worst = max(worst, abs(ratio))
    assert worst <= paid * (1 + 1e-9)
    assert worst > 0.5 * paid  # the price is not idle


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", 2])
def test_a_row_in_the_worst_place_costs_nearly_all_that_is_paid(epsilon: Any) -> None:
    """Others have steep slopes and no curvature there, so that the tilt is far out on one side; the
    slope of the row takes it back, and its curvature is as large as it can be beside the ridge.
    """
    plan = planned("number", epsilon)
    others = plan.design.matrix({"a": np.full(600, 0.5)})
    row = plan.design.matrix({"a": np.array([-1.0])})
    labels = np.zeros(601, dtype=int)
    labels[-1] = 1
    found = []
    for far in np.linspace(0, 8, 200):
        theta = np.array([25 + far, 25])
        more = log_density(plan, theta, np.vstack([others, row]), labels)
        found.append(more - log_density(plan, theta, others, labels[:-1]))
    assert max(found) <= float(plan.row_cost)
    assert max(found) > 0.99 * float(plan.row_cost)
    assert found[20] > 0.8 * float(plan.row_cost)  # its slope alone is 0.69 of the largest


@pytest.mark.slow
def test_the_density_is_that_of_a_law() -> None:
    """It adds up to 1 over all coefficients, and the minimiser of drawn tilts follows it."""
    plan = planned("number", 3)
    matrix, second = some_rows(plan, 6, np.random.default_rng(3))
    grid = np.linspace(-14, 14, 141)
    density = np.array(
        [[np.exp(log_density(plan, np.array([a, b]), matrix, second)) for b in grid] for a in grid]
    )
    cell = (grid[1] - grid[0]) ** 2
    assert density.sum() * cell == pytest.approx(1, abs=0.01)
    below = density[grid < 0].sum() * cell + density[grid == 0].sum() * cell / 2
    with seeded("law of the minimiser"):
        found = [plan.begin().release(matrix, second)[0] for _ in range(500)]
    assert np.mean(np.array(found) < 0) == pytest.approx(below, abs=0.07)


def test_what_a_row_spends_on_all_its_cubes_is_its_price() -> None:
    for name in FACTS:
        plan = planned(name, 3, reach=2)
        matrix, _ = some_rows(plan, 300, np.random.default_rng(1))
        for row in np.abs(matrix) / STEPS:
            spent = sum(max(row[at] for at in places) * rate for places, rate in plan.groups)
            assert spent <= float(plan.row_cost) * (1 + 1e-12)
            assert row @ row <= plan.units
            assert np.count_nonzero(row) <= plan.units
        assert sorted(at for places, _ in plan.groups for at in places) == list(
            range(plan.design.size)
        )


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", 1, 30, 10**6])
@pytest.mark.parametrize("name", FACTS)
def test_the_parts_of_the_price_add_up_to_it(name: str, epsilon: Any) -> None:
    for relation, times in ((Relation.ADD_REMOVE, 1), (Relation.CHANGE, 2)):
        plan = planned(name, epsilon, reach=3, relation=relation)
        size = plan.design.size
        rows = plan.row_cost * 3 * times
        # the curvature costs nothing beside the slope, whatever the slope is
        curve = Fraction(plan.units) / plan.ridge
        slopes = [Fraction(at, 100) for at in range(101)]
        assert max(q * plan.row_cost + q * (1 - q) * curve for q in slopes) == plan.row_cost
        # how far the computed and the exact minimiser can be apart, in steps, once rounded
        off = plan.step**2 * sum(each.size * each.far**2 for each in plan.tilts)
        left = plan.gradient_allowance - plan.target
        assert left > 0
        assert left**2 >= off
        apart = plan.gradient_allowance / plan.ridge
        steps = Fraction(size) + apart * Fraction(size**0.5 * (1 - 1e-12)) / plan.grid
        assert rows + 2 * steps / plan.mask <= plan.epsilon
        assert plan.mask * plan.grid <= MASK_SCALE
        assert plan.target > 0
        assert account(plan.event, relation=str(relation)).cost(Pure) == Pure(plan.epsilon)


def test_what_is_computed_is_within_the_allowance_of_the_exact_minimiser() -> None:
    """The tilt that was drawn is known here, and the exact one is at the end of what it may be."""
    plan = planned("both", 1)
    rng = np.random.default_rng(2)
    matrix, second = some_rows(plan, 40, rng)
    for seed in range(3):
        with seeded(f"tilt {seed}"):
            tilt = [0] * plan.design.size
            ends = [Fraction(0)] * plan.design.size
            for (places, _), noise in zip(plan.groups, plan.tilts, strict=True):
                for at, drawn in zip(places, noise.drawn(), strict=True):
                    tilt[at] = drawn
                    ends[at] = drawn + noise.far * int(rng.choice([-1, 1]))
        whole = tuple(int(2 * each) for each in ends)
        loss = TiltedLoss(matrix, second, plan.units, plan.ridge, tuple(tilt), plan.step)
        exact = TiltedLoss(matrix, second, plan.units, plan.ridge, whole, plan.step / 2)
        found = loss.minimiser(plan.target)
        away = [
            abs(Fraction(a, 1 << found.bits) - b)
            for a, b in zip(found.steps, true_minimiser(exact), strict=True)
        ]
        assert sum(away) + plan.design.size * plan.grid <= plan.allowance
        assert sum(away) > 0


def test_the_mask_is_drawn_at_its_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Around a minimiser that is the same each time."""
    plan = planned("numbers", 1)
    fixed = Point((3 << 50, -(1 << 49), 0, 5, 1 << 55, 7))
    monkeypatch.setattr(TiltedLoss, "minimiser", lambda *_: fixed)
    nobody = np.zeros((0, 6)), np.zeros(0, dtype=np.int64)
    with seeded("mask"):
        found = np.array([plan.begin().release(*nobody) for _ in range(500)])
    away = (found - fixed.floats) / float(plan.mask * plan.grid)
    assert np.abs(away).mean() == pytest.approx(1, abs=0.1)  # a Laplace law of scale 1
    steps = found / float(plan.grid)
    assert (steps == np.rint(steps)).all()


@pytest.mark.slow
def test_the_tilt_is_drawn_at_the_rates_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("both", 1)
    heard: list[Any] = []

    def minimiser(loss: TiltedLoss, target: Fraction) -> Point:
        heard.append([each * float(loss.step) for each in loss.tilt])
        assert (loss.ridge, target) == (plan.ridge, plan.target)
        return Point((0,) * len(loss.tilt))

    monkeypatch.setattr(TiltedLoss, "minimiser", minimiser)
    with seeded("rates"):
        for _ in range(500):
            plan.begin().release(np.zeros((0, plan.design.size)), np.zeros(0, dtype=np.int64))
    sizes = np.abs(np.array(heard))
    for places, rate in plan.groups:
        largest = sizes[:, list(places)].max(axis=1)  # a gamma law of so many parts
        assert largest.mean() * float(rate) / len(places) == pytest.approx(1, abs=0.15)


def test_it_is_released_once_by_its_own_process() -> None:
    plan = planned("number")
    nobody = np.zeros((0, 2)), np.zeros(0, dtype=np.int64)
    draw = plan.begin()
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(OwnerError):
            act(draw)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            draw.release(*nobody)
            os.write(writing, b"released")
        except OwnerError:
            os.write(writing, b"refused")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 20) == b"refused"
    draw.release(*nobody)
    with pytest.raises(InternalError, match="twice"):
        draw.release(*nobody)


def test_only_a_price_that_can_be_drawn_is_planned() -> None:
    for measure in (Approx(1, "1e-6"), ZeroConcentrated("0.5"), Approx(1, 0)):
        with pytest.raises(RangeError, match="LogisticRegression") as refusal:
            ObjectivePlan.of(FACTS["number"], measure, reach=1, relation=Relation.ADD_REMOVE)
        assert "shoal.Pure(1)" in str(refusal.value)
    with pytest.raises(CalibrationError):
        planned("number", Fraction(1, 10**20))
    with pytest.raises(RangeError, match="rows_per_person"):
        planned("number", reach=0)
    many = tuple(stated_column(f"x{at}", Range(0, 1)) for at in range(4096))
    with pytest.raises(FactsError, match="4096 columns"):
        ObjectivePlan.of(many, Pure(1), reach=1, relation=Relation.ADD_REMOVE)
    assert objective_plan.MOST_COLUMNS == 4095
