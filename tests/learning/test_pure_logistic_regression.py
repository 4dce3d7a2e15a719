"""Logistic regression without a delta: what it learns, what it costs, and whom it protects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression as PlainLogistic
from tests.learning.tilted_densities import log_density

import shoal
from shoal import Approx, Choices, Person, Pure, Range, Relation, Row
from shoal.auditing import audit
from shoal.errors import BudgetExceeded, FactsError, RangeError
from shoal.learning import (
    LogisticRegression,
    PrivateSearchCV,
    PureLogisticRegression,
    load,
    objective_plan,
)
from shoal.learning.cube_noise import CubeNoise
from shoal.learning.feature_columns import stated_column
from shoal.learning.objective_plan import MaskedMinimiser, ObjectivePlan
from shoal.noise.seam import seeded
from shoal.vault.certificate_page import certificate_page

FACTS: dict[str, Any] = {
    "age": Range(18, 90), "ward": Choices(["a", "b", "c"]), "sick": Choices(["no", "yes"]),
}  # fmt: skip


def people(count: int, **more: Any) -> pa.Table:
    rng = np.random.default_rng(1)
    age, ward = rng.uniform(18, 90, count), rng.choice(["a", "b", "c"], count)
    odds = 1 / (1 + np.exp(-((age - 54) / 12 + (ward == "b") - 0.4)))
    sick = np.where(rng.random(count) < odds, "yes", "no")
    return pa.table({"age": age, "ward": ward, "sick": sick, **more})


def test_with_much_budget_it_is_the_model_of_scikit_learn() -> None:
    """With the same ridge, on rows of the same scale and the intercept among the coefficients."""
    rng = np.random.default_rng(2)
    rows = rng.uniform(-1, 1, (4000, 3))
    labels = rng.random(4000) < 1 / (1 + np.exp(-(rows @ [2, -1, 0] - 0.5)))
    with seeded("much"):
        model = PureLogisticRegression(epsilon=500, columns=Range(-1, 1), classes=[False, True])
        model.fit(rows, labels)
    plan = ObjectivePlan.of(model.columns_, Pure(500), reach=1, relation=Relation.ADD_REMOVE)
    wide = np.column_stack([rows, np.ones(4000)])
    plain = PlainLogistic(C=1 / float(plan.ridge), fit_intercept=False, tol=1e-9).fit(wide, labels)
    found = np.append(model.coef_[0], model.intercept_)
    assert found == pytest.approx(plain.coef_[0], abs=3e-3)
    assert model.predict_proba(rows).sum(axis=1) == pytest.approx(1)
    assert model.get_feature_names_out().tolist() == ["x0", "x1", "x2"]


@pytest.mark.parametrize("epsilon", ["0.2", 1])
def test_it_is_of_use_at_common_prices(epsilon: Any) -> None:
    table = people(20_000)
    with seeded("of use"):
        model = PureLogisticRegression(
            epsilon=epsilon, columns={n: FACTS[n] for n in ("age", "ward")}, classes=["no", "yes"]
        ).fit(table.select(["age", "ward"]), table["sick"])
    wide = pd.get_dummies(table.select(["age", "ward"]).to_pandas(), dtype=float)
    best = PlainLogistic(max_iter=1000).fit(wide, table["sick"]).score(wide, table["sick"])
    assert model.score(table, np.array(table["sick"])) > best - 0.005
    assert model.cost == Pure(epsilon)


def test_a_pure_budget_is_charged_exactly_and_before_rows_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: Any = shoal.private(people(500), protects=Row(), columns=FACTS, budget=Pure(1))
    wanted: dict[str, Any] = {"target": "sick", "features": ["age", "ward"]}
    model = held.learn(PureLogisticRegression(), **wanted, epsilon="0.7")
    assert held.budget.spent == Pure("0.7")
    assert model.cost == Pure("0.7")
    assert model.certificate_["noise"] == "laplace"
    assert model.certificate_["costs"]["Pure"] == {"epsilon": "7/10"}

    def stop(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(MaskedMinimiser, "release", stop)
    with pytest.raises(Exception):  # noqa: B017 - whatever the engine's failure becomes
        held.learn(PureLogisticRegression(), **wanted, epsilon="0.2")
    assert held.budget.spent == Pure("0.9")
    with pytest.raises(BudgetExceeded):
        held.learn(PureLogisticRegression(), **wanted, epsilon="0.2")
    with pytest.raises(RangeError, match="PureLogisticRegression"):
        held.learn(LogisticRegression(), **wanted, epsilon="0.1")
    assert held.budget.spent == Pure("0.9")


def test_other_budgets_are_refused_with_what_to_use_instead() -> None:
    wanted: dict[str, Any] = {"target": "sick", "features": ["age"]}
    for budget, price in ((Approx(1, "1e-6"), {"epsilon": "0.5"}), (shoal.ZeroConcentrated(1), {"rho": "0.5"})):  # fmt: skip
        held: Any = shoal.private(people(50), protects=Row(), columns=FACTS, budget=budget)
        with pytest.raises(RangeError, match="Use LogisticRegression"):
            held.learn(PureLogisticRegression(), **wanted, **price)
    with pytest.raises(TypeError):
        PureLogisticRegression(epsilon=1, delta="1e-6")  # type: ignore[call-arg]
    with pytest.raises(RangeError, match="price"):
        PureLogisticRegression(columns=Range(0, 1), classes=[0, 1]).fit([[0.5]], [1])
    with pytest.raises(RangeError, match="epsilon"):
        PureLogisticRegression(epsilon=0, columns=Range(0, 1), classes=[0, 1]).fit([[0.5]], [1])
    with pytest.raises(FactsError, match="3 declared classes"):
        PureLogisticRegression(epsilon=1, columns=Range(0, 1), classes="abc").fit([[0.5]], ["a"])
    search = PrivateSearchCV(
        PureLogisticRegression(columns=Range(0, 1), classes=[0, 1]), {}, epsilon=1, delta="1e-6"
    )
    with pytest.raises(FactsError, match="no setting"):
        search.fit(np.zeros((5, 1)), np.zeros(5))


class _Heard(Exception):
    pass


def heard(monkeypatch: pytest.MonkeyPatch, act: Any) -> tuple[ObjectivePlan, Any, Any]:
    """What a training would give to its one release."""
    found: list[Any] = []

    def release(self: MaskedMinimiser, matrix: Any, second: Any) -> Any:
        found.extend([self._plan, matrix, second])
        raise _Heard

    with monkeypatch.context() as patch, pytest.raises(Exception):  # noqa: B017
        patch.setattr(MaskedMinimiser, "release", release)
        act()
    plan, matrix, second = found
    return plan, matrix, second


def test_a_person_counts_with_as_many_rows_as_are_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    table = people(90)
    owners = [f"p{at % 9}" for at in range(90)]
    model = PureLogisticRegression(
        epsilon=1, columns={"age": Range(18, 90)}, classes=["no", "yes"], rows_per_person=4
    )
    plan, matrix, _ = heard(
        monkeypatch, lambda: model.fit(table.select(["age"]), table["sick"], persons=owners)
    )
    assert (plan.reach, len(matrix)) == (4, 36)
    one = ObjectivePlan.of(plan.design.columns, Pure(1), reach=1, relation=Relation.ADD_REMOVE)
    assert plan.row_cost * 4 == one.row_cost
    held: Any = shoal.private(
        people(90, id=owners), columns=FACTS, budget=Pure(2),
        protects=Person("id", groups=1, rows_per_group=3, relation="change"),
    )  # fmt: skip
    plan, matrix, _ = heard(
        monkeypatch,
        lambda: held.learn(PureLogisticRegression(), target="sick", features=["age"], epsilon=1),
    )
    assert (plan.reach, plan.relation, len(matrix)) == (3, Relation.CHANGE, 27)
    assert plan.row_cost * 6 == one.row_cost


def test_a_row_without_a_class_adds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"age": [20.0, 50.0, 80.0], "ward": ["a", "z", None]})
    model = PureLogisticRegression(
        epsilon=1, columns={n: FACTS[n] for n in ("age", "ward")}, classes=["no", "yes"]
    )
    _, matrix, second = heard(monkeypatch, lambda: model.fit(frame, ["yes", "perhaps", None]))
    assert second.tolist() == [1, 0, 0]
    assert matrix[1:].tolist() == [[0] * 6] * 2
    assert np.abs(matrix[0]).max() == 1 << 14


def test_it_is_saved_with_its_price_and_replayed_from_a_vault(tmp_path: Path) -> None:
    vault: Any = shoal.open(tmp_path / "office.shoal")
    pq.write_table(people(300), tmp_path / "people.parquet")
    vault.add("people", tmp_path / "people.parquet", protects=Row(), columns=FACTS, budget=Pure(2))
    wanted: dict[str, Any] = {"target": "sick", "features": ["age", "ward"], "epsilon": 1}
    first = vault.table("people").learn(PureLogisticRegression(), **wanted)
    again = vault.table("people").learn(PureLogisticRegression(), **wanted)
    assert (first.coef_ == again.coef_).all()
    assert len(vault.log()) == 1
    assert vault.wrong_with(vault.show(vault.log()[-1].number).certificate) == []
    first.save(tmp_path / "model")
    kept = load(tmp_path / "model")
    assert kept.cost == Pure(1)
    assert kept.certificate_ == first.certificate_
    assert "random linear term" in kept.report().markdown()
    page = certificate_page(kept.certificate_).markdown()
    assert "slope of the loss, levels" in page
    assert "Laplace, scale" in page


def test_the_certificate_of_a_model_of_sums_has_a_page() -> None:
    held: Any = shoal.private(people(50), protects=Row(), columns=FACTS, budget=Approx(1, "1e-6"))
    model = held.learn(
        LogisticRegression(rounds=2), target="sick", features=["age"], epsilon="0.5"
    )  # fmt: skip
    assert "rounded Gaussian, sigma" in certificate_page(model.certificate_).markdown()


def ratio(plan: ObjectivePlan, *, canary: bool) -> float:
    """The log-likelihood ratio of a release with a row, and without it, beside many that say the
    opposite: there its slope is about the largest.
    """
    both = []
    for count in (150, 151):
        ends = np.ones(count)
        labels = np.append(np.zeros(150, dtype=np.int64), np.ones(count - 150, dtype=np.int64))
        both.append((plan.design.matrix({"a": ends, "b": ends}), labels))
    theta = plan.begin().release(*both[canary])
    return log_density(plan, theta, *both[1]) - log_density(plan, theta, *both[0])


@pytest.mark.audit
@pytest.mark.parametrize("half", [False, True])
def test_the_likelihood_ratio_finds_a_canary_only_where_noise_is_halved(
    half: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the best test there is: whoever knows all rows but one, and sees all that is released."""
    if half:

        class Quiet(CubeNoise):
            """Says its rate, and draws half of the noise."""

            def drawn(self) -> list[int]:
                return [each // 2 for each in super().drawn()]

        monkeypatch.setattr(objective_plan, "CubeNoise", Quiet)
    columns = (stated_column("a", Range(-1, 1)), stated_column("b", Range(-1, 1)))
    plan = ObjectivePlan.of(columns, Pure(1), reach=1, relation=Relation.ADD_REMOVE)
    assert plan.event.events[0] == shoal.events.StatedPure(1, relation="add_remove")
    verdict = audit(
        lambda canary: ratio(plan, canary=canary), False, True,
        claim=Pure(1), samples=2000, seed=1,
    )  # fmt: skip
    assert verdict.refuted == half
