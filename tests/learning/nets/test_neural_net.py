"""Networks for tables: what they learn, what they cost, and rows of every kind."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.learning.models import PRICE, rows, targets

import shoal
from shoal.errors import BudgetExceeded, FactsError, ShoalError
from shoal.learning import (
    ClassifierScores,
    NeuralNetClassifier,
    NeuralNetRegressor,
    PrivateEstimator,
    PrivateSearchCV,
    load,
)
from shoal.learning.estimator import TARGET
from shoal.learning.held_out_scores import row_scores
from shoal.learning.nets.step_sums import StepSums
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.noise.seam import seeded
from shoal.query.certificate import wrong_with
from shoal.vault.certificate_page import certificate_page

COST: dict[str, Any] = {"epsilon": 2, "delta": "1e-6"}
SHORT: dict[str, Any] = {"steps": 4, "rate": "1/2", "hidden": (3,)}
FACTS: dict[str, Any] = {"a": shoal.Range(-1, 1), "b": shoal.Range(-1, 1)}


def classifier(**more: Any) -> NeuralNetClassifier:
    return NeuralNetClassifier(**{**PRICE, "classes": ["no", "yes"], **SHORT, **more})


def regressor(**more: Any) -> NeuralNetRegressor:
    return NeuralNetRegressor(**{**PRICE, "target_range": (-2, 2), **SHORT, **more})


MODELS: dict[str, Any] = {"classifier": classifier, "regressor": regressor}


def squares(count: int) -> tuple[pd.DataFrame, Any]:
    """Whether two numbers have the same sign, which no line can tell."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.uniform(-1, 1, (count, 2)), columns=["a", "b"])
    return frame, np.where(frame.a * frame.b > 0, "yes", "no")


@pytest.mark.slow
def test_a_network_learns_what_no_line_can() -> None:
    frame, labels = squares(2000)
    with seeded("squares"):
        model = NeuralNetClassifier(
            epsilon=3, delta="1e-6", columns=FACTS, classes=["no", "yes"], steps=60, rate="1/8"
        ).fit(frame, labels)
    assert model.score(frame, labels) > 0.93
    assert model.predict_proba(frame).sum(axis=1) == pytest.approx(1)


@pytest.mark.slow
def test_a_network_learns_with_correlated_noise_what_no_line_can() -> None:
    frame, labels = squares(2000)
    with seeded("squares"):
        model = NeuralNetClassifier(
            epsilon=8, delta="1e-6", columns=FACTS, classes=["no", "yes"], steps=100, rate="1/8",
            noise="correlated", learning_rate="0.05",
        ).fit(frame, labels)  # fmt: skip
    assert model.score(frame, labels) > 0.9


@pytest.mark.slow
def test_a_network_predicts_a_number_and_tells_three_classes_apart() -> None:
    frame, _ = squares(2000)
    with seeded("three"):
        line = NeuralNetRegressor(
            epsilon=3, delta="1e-6", columns=FACTS, target_range=(-2, 2), steps=40
        ).fit(frame, frame.a + frame.b)
        kinds = np.digitize(frame.a, [-0.4, 0.4])
        model = NeuralNetClassifier(
            epsilon=3, delta="1e-6", columns=FACTS, classes=[0, 1, 2], steps=40
        ).fit(frame, kinds)
    assert line.score(frame, frame.a + frame.b) > 0.9
    assert model.score(frame, kinds) > 0.85
    assert model.decision_function(frame).shape == (2000, 3)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["independent", "correlated"])
def test_a_training_is_charged_certified_and_saved(tmp_path: Path, noise: str) -> None:
    frame, labels = squares(60)
    table = pa.table({"a": frame.a, "b": frame.b, "same": labels})
    facts = {**FACTS, "same": shoal.Choices(["no", "yes"])}
    people = shoal.private(
        table, protects=shoal.Row(), budget=shoal.Approx(2, "1e-6"), columns=facts
    )
    net = NeuralNetClassifier(**SHORT, noise=noise)
    asked = people.learn(net, target="same", features=["a", "b"])
    assert asked.preview(epsilon=2)[0]["steps"] == "4"
    model = asked.release(epsilon=2)  # all of the budget, which its losses just fit
    assert wrong_with(model.certificate_) == []
    kind = {"independent": "sampled", "correlated": "correlated_gaussian"}[noise]
    assert f"'{kind}" in str(model.event_.to_dict()).replace("poisson_", "")
    assert model.certificate_["events"] == [each.to_dict() for each in model.event_.events]
    assert "rounded Gaussian" in certificate_page(model.certificate_).markdown()
    said = model.certificate_["learned"]["settings"]
    assert said.get("noise") == (None if noise == "independent" else "'correlated'")
    with pytest.raises(BudgetExceeded):
        asked.release(epsilon="0.1")
    model.save(tmp_path / "net")
    again = load(tmp_path / "net")
    assert (again.predict(frame) == model.predict(frame)).all()
    assert sorted(each.suffix for each in (tmp_path / "net").iterdir()) == [".json", ".npy"]
    assert "NeuralNetClassifier" in again.report().markdown()


def test_a_saved_network_predicts_without_torch(tmp_path: Path) -> None:
    frame, labels = squares(20)
    classifier(columns=FACTS, nullable=()).fit(frame, labels).save(tmp_path / "net")
    code = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import numpy as np, shoal.errors, shoal.learning
model = shoal.learning.load({str(tmp_path / "net")!r})
print(model.predict(np.zeros((2, 2))).shape)
try:
    model.set_params(epsilon=1, delta="1e-6", columns=shoal.Range(0, 1), classes=[0, 1])
    model.fit(np.zeros((2, 2)), [0, 1])
except shoal.errors.ExtraError as error:
    print(error.remedy)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "(2,)", 'Install the extra "torch": pip install "shoal[torch]".',
    ]  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("count", [0, 1, 30])
def test_rows_that_keep_to_nothing_are_trained_on(name: str, count: int) -> None:
    rng = np.random.default_rng(count)
    model: PrivateEstimator = MODELS[name]()
    frame = pd.DataFrame(rows(model, count, rng), columns=list(model.columns))
    model.fit(frame, targets(model, count, rng))
    assert np.isfinite(model.parameters_).all()
    assert len(model.predict(frame)) == count


def test_one_class_among_the_rows_is_trained_on_and_one_declared_is_refused() -> None:
    frame, _ = squares(20)
    classifier(columns=FACTS, nullable=()).fit(frame, ["yes"] * 20)
    with pytest.raises(FactsError):
        classifier(columns=FACTS, nullable=(), classes=["yes"]).fit(frame, ["yes"] * 20)


def test_a_row_without_a_declared_target_adds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, _ = squares(5)
    seen: list[int] = []
    held = "shoal.learning.nets.neural_net.RowGradients.total"

    def counted(self: Any, _rows: Any, _targets: Any, chosen: Any) -> Any:
        seen.extend(chosen.tolist())
        return np.zeros(self.size, dtype=np.int64)

    monkeypatch.setattr(held, counted)
    labels = ["yes", None, "perhaps", "no", float("nan")]
    classifier(columns=FACTS, nullable=(), rate=1).fit(frame, labels)
    assert set(seen) == {0, 3}


def test_a_person_counts_as_one() -> None:
    frame, labels = squares(30)
    model = classifier(columns=FACTS, nullable=(), rows_per_person=3)
    model.fit(frame, labels, persons=np.arange(30) // 10)
    (steps,) = model.event_.to_dict()["events"]
    assert steps["event"]["event"]["sensitivity"] == str(3 << 20)


def joined(facts: dict[str, Any]) -> Any:
    """Two rows, each of which a public table makes three rows of."""
    people = pa.table({"age": [30.0, 40.0], "town": ["a", "b"], "sick": ["no", "yes"]})
    tags = pa.table({"town": ["a", "b"] * 3, "tag": [float(at) for at in range(6)]})
    held = shoal.private(
        people, protects=shoal.Row(), budget=shoal.Approx(2, "1e-6"), columns=facts,
        public={"tags": tags}, name="people",
    )  # fmt: skip
    return held, held.table("people").join("tags", using="town")


TOWNS: dict[str, Any] = {
    "age": shoal.Range(0, 100), "town": shoal.Choices(["a", "b"]),
    "sick": shoal.Choices(["no", "yes"]),
}  # fmt: skip


@pytest.mark.parametrize("noise", ["independent", "correlated"])
@pytest.mark.parametrize("searched", [False, True])
def test_rows_that_a_join_makes_of_one_are_not_sampled_one_by_one(
    searched: bool, noise: str
) -> None:
    """One coin for each copy would put the unit into samples far more often than the price says, and
    into several batches.
    """
    held, rows = joined(TOWNS)
    for rate in ("1/20", 1):
        model: Any = NeuralNetClassifier(**{**SHORT, "rate": rate, "noise": noise})
        if searched:
            model = PrivateSearchCV(model, {"clip": [1]}, runs=2)
        asked = rows.learn(model, target="sick", features=["age", "tag"])
        assert asked.rows_of_one == 3
        if rate == 1:
            assert asked.preview(epsilon=1)[0]["rate"] == "1"
            scale = 1 if noise == "independent" else 2 << 10  # the root of 4 steps, on a finer grid
            assert asked.preview(epsilon=1)[0]["sensitivity"] == str((3 << 20) * scale)
            continue
        for ask in (asked.preview, asked.release):
            with pytest.raises(FactsError, match="rate=1"):
                ask(epsilon=1)
    assert held.budget.spent.epsilon == 0


def test_rows_of_a_person_are_sampled_together_in_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, labels = squares(60)
    persons = np.repeat(np.arange(20), 3)
    seen: list[tuple[int, int]] = []
    once = StepSums.sample

    def counted(self: StepSums, units: int) -> Any:
        seen.append((units, len(set(persons))))
        return once(self, units)

    monkeypatch.setattr(StepSums, "sample", counted)
    model = classifier(columns=FACTS, nullable=(), rows_per_person=3, epsilon=None, delta=None)
    PrivateSearchCV(
        model, {"noise": ["independent", "correlated"]}, runs=2, epsilon=2, delta="1e-6"
    ).fit(frame, labels, persons=persons)
    assert seen
    assert all(units <= most for units, most in seen)


class Overflowing(NeuralNetClassifier):
    """Says infinite numbers of some rows, and no number of others, as very deep networks can."""

    def _outputs(self, arrays: Any) -> Any:
        first = np.asarray(arrays["a"], dtype=np.float64) * np.float64(1e308) * np.float64(1e308)
        return np.column_stack([first, first])


def test_no_warning_and_no_error_of_numpy_tells_about_rows() -> None:
    frame, labels = squares(40)
    frame.loc[::2, "a"] = 0.0  # 0 times infinity is no number
    settings: dict[str, Any] = {**SHORT, "columns": FACTS, "classes": ["no", "yes"], "rate": 1}
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        search = PrivateSearchCV(Overflowing(**settings), {"clip": [1]}, runs=2, **COST)
        search.fit(frame, labels)
        model = Overflowing(**settings, **COST).fit(frame, labels)
        ClassifierScores(model, **COST).fit(frame, labels)
    assert abs(search.best_score_) <= 1


def test_a_prediction_that_is_no_number_is_scored_by_its_row_alone() -> None:
    frame, labels = squares(6)
    frame["a"] = [0.0, 1.0, 0.0, 1.0, -1.0, 0.0]
    model = Overflowing(**SHORT, **COST, columns=FACTS, classes=["no", "yes"]).fit(frame, labels)
    arrays = {"a": frame.a.to_numpy(), "b": frame.b.to_numpy(), TARGET: labels}
    with np.errstate(all="ignore"):
        assert np.isnan(model._scores(arrays)).any()
        found = row_scores(model, arrays)
    assert np.abs(found - RESIDUAL // 2).max() < 20  # as if both classes were equally likely


def test_a_network_of_three_classes_is_scored_by_all_of_them() -> None:
    frame, _ = squares(30)
    kinds = np.arange(30) % 3
    model = classifier(columns=FACTS, nullable=(), classes=[0, 1, 2]).fit(frame, kinds)
    arrays = {"a": frame.a.to_numpy(), "b": frame.b.to_numpy(), TARGET: kinds}
    right = row_scores(model, {**arrays, TARGET: model.predict(frame)})
    assert (right == RESIDUAL).all()
    wrong = row_scores(model, {**arrays, TARGET: (model.predict(frame) + 1) % 3})
    assert (wrong == -RESIDUAL).all()


def test_private_scores_are_taken_of_a_network() -> None:
    frame, labels = squares(40)
    model = classifier(columns=FACTS, nullable=()).fit(frame, labels)
    scores = ClassifierScores(model, epsilon=2, delta="1e-6").fit(frame, labels)
    assert 0 <= scores.accuracy().value <= 1


@pytest.mark.parametrize(
    "wrong",
    [{"noise": "loud"}, {"hidden": (0,)}, {"hidden": (1 << 23,)}, {"steps": 0}, {"rate": 2}, {"clip": 0},
     {"learning_rate": 0}, {"learning_rate": "1e308"}, {"epsilon": None}, {"classes": None}],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_refused(wrong: dict[str, Any]) -> None:
    frame, labels = squares(4)
    with pytest.raises(ShoalError):
        classifier(**{"columns": FACTS, "nullable": (), **wrong}).fit(frame, labels)
