"""Models paid with an epsilon alone: what one row adds in all, the price, and what is learned."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal import Approx, Choices, Pure, Range, Relation
from shoal.errors import RangeError
from shoal.learning import PCA, HistogramDensity, KMeans, LogisticRegression, NaiveBayes
from shoal.learning.estimator import PlannedTraining, PrivateEstimator
from shoal.learning.pure_sums_plan import PureSumsPlan
from shoal.learning.training_plan import NoisySums, PlannedSum, TrainingPlan
from shoal.query.certificate import wrong_with
from shoal.vault.certificate_page import certificate_page

NUMBERS = {"a": Range(-1, 1), "b": Range(0, 10), "c": Range(5, 6)}
MIXED: dict[str, Any] = {"a": Range(-1, 1), "b": Range(0, 10), "c": Choices(["n", "s"])}
MODELS: dict[str, Any] = {
    "components": lambda: PCA(epsilon=1, columns=NUMBERS),
    "density": lambda: HistogramDensity(epsilon=1, columns=MIXED, bins=8),
    "bayes": lambda: NaiveBayes(epsilon=1, columns=MIXED, classes=["no", "yes"], nullable=("a",)),
}
HOSTILE: list[Any] = [
    -1e300,
    -1.0,
    0.0,
    1.0,
    5.5,
    6.0,
    10.0,
    1e300,
    np.nan,
    np.inf,
    None,
    "s",
    "n",
    "x",
]


class Heard(NoisySums):
    """Exact sums as they come, and answers that are the same whatever they are."""

    def __init__(self, plan: TrainingPlan) -> None:
        super().__init__(plan)
        self.plan, self.seen = plan, list[Any]()
        self._rng = np.random.default_rng(3)

    def release(self, name: str, values: Any) -> tuple[Any, float]:
        planned = self.plan.sums[len(self.seen)]
        assert (planned.name, planned.size) == (name, values.size)
        self.seen.append(values.reshape(-1).astype(object))
        return np.rint(self._rng.normal(0, float(planned.absolute or 0), values.size)), 1.0


def heard(model: PrivateEstimator, held: dict[str, Any]) -> tuple[PureSumsPlan, list[Any]]:
    columns = model._stated(tuple(model.columns), named=True)
    planned = PlannedTraining.of(
        model, columns, model._target(), Pure(1), reach=1, relation=Relation.ADD_REMOVE
    )
    assert isinstance(planned.plan, PureSumsPlan)
    sums = Heard(planned.plan)
    with np.errstate(all="ignore"):
        model._train(columns, held, sums)
    return planned.plan, sums.seen


def arrays(lines: list[Any]) -> dict[str, Any]:
    found = {}
    for at, name in enumerate(("a", "b", "c", " target")):
        found[name] = np.empty(len(lines), dtype=object)
        for place, line in enumerate(lines):
            found[name][place] = line[at]
    return found


@pytest.mark.parametrize("name", MODELS)
def test_one_row_adds_no_more_in_all_than_its_noise_is_made_for(name: str) -> None:
    rng = np.random.default_rng(5)
    others = [(*rng.choice(HOSTILE, 3), "yes") for _ in range(20)]
    plan, before = heard(MODELS[name](), arrays(others))
    largest = [Fraction(0)] * len(before)
    corners = [(a, b, c, "no") for a in (-1.0, 1.0) for b in (0.0, 10.0) for c in (5.0, 6.0, "n")]
    drawn = [(*rng.choice(HOSTILE, 3), "no") for _ in range(60)]
    for row in (*corners, *drawn):
        after = heard(MODELS[name](), arrays([*others, row]))[1]
        for at, (one, two) in enumerate(zip(before, after, strict=True)):
            moved = sum(abs(int(y) - int(x)) for x, y in zip(one, two, strict=True))
            assert moved <= plan.mechanisms[at].sensitivity.value
            largest[at] = max(largest[at], moved / plan.mechanisms[at].sensitivity.value)
    assert min(largest) > 0.5  # the bounds are no larger than they need to be


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("relation", list(Relation))
def test_all_releases_together_cost_just_the_epsilon(name: str, relation: Relation) -> None:
    model = MODELS[name]()
    columns = model._stated(tuple(model.columns), named=True)
    planned = PlannedTraining.of(
        model, columns, model._target(), Pure("0.7"), reach=3, relation=relation
    )
    far = 3 * (2 if relation is Relation.CHANGE else 1)
    for each, noise in zip(planned.plan.sums, planned.plan.mechanisms, strict=True):  # type: ignore[attr-defined]
        assert noise.sensitivity.value == far * each.absolute
    spent = shoal.account([planned.event], relation=relation)
    assert spent.cost(Pure) == Pure("0.7")


def test_a_sum_that_has_no_bound_of_this_kind_is_never_drawn() -> None:
    planned = PlannedSum("gradient", 3, 9, Fraction(1))
    with pytest.raises(shoal.ShoalError, match="no pure price"):
        PureSumsPlan.of([planned], Pure(1), reach=1, relation=Relation.ADD_REMOVE)


def test_a_table_with_an_epsilon_alone_pays_for_them_and_for_no_other_model() -> None:
    rng = np.random.default_rng(1)
    held = pa.table({"a": rng.uniform(-1, 1, 5000), "b": rng.normal(5, 1, 5000)})
    people = shoal.private(
        held, protects=shoal.Row(), budget=Pure(2),
        columns={"a": Range(-1, 1), "b": Range(0, 10)},
    )  # fmt: skip
    found = people.learn(PCA(), features=["a", "b"], epsilon=1)
    assert np.abs(found.covariance_ - np.diag([1 / 3, 1])).max() < 0.1
    assert str(found.cost) == "epsilon 1"
    assert people.budget.spent == Pure(1)
    assert wrong_with(found.certificate_) == []
    assert "discrete Laplace, scale" in certificate_page(found.certificate_).markdown()
    assert "discrete Laplace noise" in found.report().markdown()
    for model in (KMeans(2), LogisticRegression(rounds=1)):
        with pytest.raises(RangeError, match="pure budget"):
            people.learn(model, features=["a", "b"], epsilon=1)
    assert people.budget.spent == Pure(1)


def test_with_a_delta_they_are_paid_as_before() -> None:
    model = PCA(epsilon=1, delta="1e-6", columns=Range(-1, 1)).fit(np.zeros((200, 1)))
    assert model.cost == Approx(1, "1e-6")
    assert "Gaussian noise" in model.report().markdown()
    with pytest.raises(RangeError, match="epsilon, with a delta or without, or rho"):
        PCA(columns=Range(-1, 1)).fit(np.zeros((3, 1)))
