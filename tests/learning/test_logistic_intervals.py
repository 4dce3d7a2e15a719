"""Intervals of logistic regression cover what they say, and what rows do not tell is flagged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from shoal import Choices, Range
from shoal.errors import FactsError
from shoal.learning import LogisticRegression
from shoal.noise.seam import seeded

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "classes": [0, 1], "intervals": True}
SLOPES = np.array([1.5, -1.0, 0.5, 0.0, 0.3])


def _odds(scores: Any) -> Any:
    return 1 / (1 + np.exp(-scores))


@pytest.mark.slow
@pytest.mark.parametrize(("half", "count"), [(1, 10_000), (3, 20_000)])
def test_intervals_cover_and_are_little_wider_than_without_noise(half: int, count: int) -> None:
    """Also where the declared range is three times as wide as the values."""
    rng = np.random.default_rng(1)
    covered, widths = list[bool](), list[float]()
    for _ in range(60):
        rows = rng.uniform(-1, 1, (count, 5))
        odds = _odds(rows @ SLOPES - 1)
        model = LogisticRegression(columns=Range(-half, half), **PRICE)
        with seeded(f"intervals {len(covered)}"):
            model.fit(rows, (rng.random(count) < odds).astype(int))
        whole = np.column_stack([rows, np.ones(count)])
        hessian = (whole * (odds * (1 - odds))[:, None]).T @ whole
        plain = np.sqrt(np.diag(np.linalg.inv(hessian)))
        for found, truth, error in zip(model.coefficients(), [*SLOPES, -1], plain, strict=True):
            assert found.identified
            covered.append(found.low <= truth <= found.high)
            widths.append(found.standard_error / error)
    assert 0.90 <= np.mean(covered) <= 1  # 360 intervals
    assert np.mean(widths) <= 1.25


def test_a_column_that_repeats_another_and_a_level_nobody_has_are_flagged() -> None:
    rng = np.random.default_rng(2)
    one = rng.uniform(-1, 1, 20_000)
    ward = rng.choice(["a", "b"], 20_000)
    frame = pd.DataFrame({"one": one, "again": one, "two": rng.uniform(-1, 1, 20_000)})
    frame["ward"] = ward
    labels = rng.random(20_000) < _odds(2 * one + (ward == "b") - 0.5)
    columns: dict[str, Any] = dict.fromkeys(["one", "again", "two"], Range(-1, 1))
    columns["ward"] = Choices(["a", "b", "c"])
    with seeded("flags"):
        model = LogisticRegression(columns=columns, **PRICE).fit(frame, labels.astype(int))
    flags = {each.name: each.identified for each in model.coefficients()}
    assert flags == {
        "one": False, "again": False, "two": True, "ward=b": True,
        "ward=c": False, "ward=(other)": False, "(intercept)": True,
    }  # fmt: skip
    assert model.score(frame, labels.astype(int)) > 0.7


def test_coefficients_are_in_the_units_of_the_columns_and_predict_the_same() -> None:
    rng = np.random.default_rng(3)
    age = rng.uniform(20, 80, 30_000)
    labels = (rng.random(30_000) < _odds((age - 50) / 10)).astype(int)
    model = LogisticRegression(columns={"age": Range(0, 100)}, **PRICE)
    with seeded("units"):
        model.fit(pd.DataFrame({"age": age}), labels)
    slope, start = model.coefficients()
    assert slope.low < 0.1 < slope.high
    scores = model.decision_function(pd.DataFrame({"age": [30.0, 70.0]}))
    assert scores == pytest.approx(
        [start.estimate + slope.estimate * each for each in (30, 70)], abs=0.001
    )
    with pytest.raises(FactsError, match="intervals"):
        plain = LogisticRegression(columns=Range(0, 1), **{**PRICE, "intervals": False})
        plain.fit(np.zeros((3, 1)), [0, 1, 1]).coefficients()
