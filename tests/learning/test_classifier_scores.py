"""Scores of a classifier from one noisy table, beside scikit-learn's and beside their own chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as PlainLogistic
from sklearn.metrics import accuracy_score, confusion_matrix, roc_auc_score

import shoal
from shoal import Approx, Choices, Range, Row
from shoal.errors import FactsError
from shoal.learning import ClassifierScores, LogisticRegression, NaiveBayes
from shoal.noise.seam import seeded

FACTS: dict[str, Any] = {"age": Range(0, 100), "ward": Choices(["n", "s"])}


def _people(count: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, ward = rng.uniform(0, 100, count), rng.choice(["n", "s"], count)
    odds = 1 / (1 + np.exp(-(age - 50) / 12 - (ward == "n")))
    sick = np.where(rng.random(count) < odds, "yes", "no")
    return pd.DataFrame({"age": age, "ward": ward, "sick": sick})


def _model(kind: Any = LogisticRegression) -> Any:
    train = _people(4000, 0)
    model = kind(epsilon=5, delta="1e-6", columns=FACTS, classes=["no", "yes"])
    with seeded("model"):
        return model.fit(train[["age", "ward"]], train.sick)


@pytest.mark.parametrize("kind", [LogisticRegression, NaiveBayes])
def test_with_hardly_any_noise_scores_are_those_of_scikit_learn(kind: Any) -> None:
    model, test = _model(kind), _people(3000, 1)
    scores = ClassifierScores(model, rho=10**6).fit(test[["age", "ward"]], test.sick)
    predicted = model.predict(test)
    assert scores.accuracy().value == pytest.approx(accuracy_score(test.sick, predicted), abs=1e-3)
    truth = roc_auc_score(test.sick == "yes", model.decision_function(test))
    assert scores.auc().value == pytest.approx(truth, abs=2e-3)  # 64 bins
    found, noise = scores.confusion_matrix()
    assert found == pytest.approx(confusion_matrix(test.sick, predicted), abs=1)
    assert noise < 0.01
    points = scores.calibration_curve(4)
    odds = model.predict_proba(test)[:, 1]
    inside = (odds > 0.25) & (odds <= 0.5)
    assert points[1].rows == pytest.approx(inside.sum(), abs=1)
    assert points[1].share.value == pytest.approx((test.sick[inside] == "yes").mean(), abs=1e-3)


@pytest.mark.slow
def test_intervals_cover_noise_and_sampling() -> None:
    model = _model()
    large = _people(200_000, 2)
    truth = accuracy_score(large.sick, model.predict(large))
    area = roc_auc_score(large.sick == "yes", model.decision_function(large))
    covered = []
    for at in range(60):
        test = _people(500, 10 + at)
        with seeded(f"scores {at}"):
            scores = ClassifierScores(model, epsilon="0.5", delta="1e-6").fit(test, test.sick)
        for (_, low, high), value in ((scores.accuracy(), truth), (scores.auc(), area)):
            covered.append(low <= value <= high)
    assert 0.9 <= np.mean(covered) <= 1  # 120 intervals


def test_a_row_is_scored_alike_wherever_it_stands() -> None:
    """To the last bit, so that no row moves the bin of another."""
    model, test = _model(), _people(1000, 3)
    whole = model.decision_function(test)
    for part in (slice(1, None), slice(None, 17), slice(500, 501)):
        assert (model.decision_function(test[part]) == whole[part]).all()


def test_a_table_pays_for_scores_and_another_model_is_another_question() -> None:
    test = _people(2000, 4)
    table = shoal.private(
        pa.Table.from_pandas(test), protects=Row(), budget=Approx(3, "1e-6"),
        columns={**FACTS, "sick": Choices(["no", "yes"])},
    )  # fmt: skip
    wanted: dict[str, Any] = {"target": "sick", "features": ["age", "ward"]}
    model = table.learn(LogisticRegression(rounds=4), epsilon=1, **wanted)
    scores = table.learn(ClassifierScores(model), epsilon=1, **wanted)
    assert scores.accuracy().low < scores.accuracy().value < scores.accuracy().high
    assert scores.certificate_["terms"][0]["sensitivity"] == "1"
    settings = ClassifierScores(model).settings()
    assert settings != ClassifierScores(_model()).settings()
    assert settings == clone(ClassifierScores(model)).settings()


def test_what_cannot_be_scored_is_refused() -> None:
    test = _people(10, 5)
    plain = PlainLogistic().fit(test[["age"]], test.sick)
    for model in (None, plain):
        with pytest.raises(FactsError, match="trained classifier"):
            ClassifierScores(model, rho=1).fit(test, test.sick)
    with pytest.raises(FactsError, match="also needs the columns ward"):
        ClassifierScores(_model(), rho=1).fit(test[["age"]], test.sick)
    empty = ClassifierScores(_model(), rho=1).fit(test[:0], test.sick[:0])
    assert empty.accuracy().high == 1
