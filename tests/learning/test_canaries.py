"""Long audits: a row that was made to be found is not found better than the price allows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from shoal import Range
from shoal.auditing import audit
from shoal.learning import LogisticRegression, NaiveBayes, training_plan
from shoal.mechanisms import Gaussian

ROWS = np.array([[0.9], [-0.8], [0.3], [-0.2]])
LABELS = np.array([1, 0, 1, 0])
CANARY = np.array([[-1.0]])


def _trained(model: str, data: tuple[Any, Any]) -> float:
    rows, labels = data
    price: dict[str, Any] = {
        "epsilon": 2,
        "delta": "1e-4",
        "columns": Range(-1, 1),
        "classes": [0, 1],
    }
    if model == "logistic":
        return float(
            LogisticRegression(**price, rounds=2).fit(rows, labels).decision_function(CANARY)[0]
        )
    return float(NaiveBayes(**price).fit(rows, labels).means_[1, 0])


@pytest.mark.audit
@pytest.mark.parametrize(
    ("model", "quieter"), [("logistic", False), ("bayes", False), ("bayes", True)]
)
def test_a_canary_is_not_found_better_than_the_price_allows(
    model: str, quieter: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_canary = np.vstack([ROWS, CANARY]), np.append(LABELS, 1)
    if quieter:  # an eighth of the noise is caught, which says that the audit can see

        def quiet(*, sigma: Fraction, sensitivity: Any) -> Gaussian:
            return Gaussian(sigma=sigma / 8, sensitivity=sensitivity)

        monkeypatch.setattr(training_plan, "Gaussian", quiet)
    verdict = audit(
        lambda data: _trained(model, data), (ROWS, LABELS), with_canary,
        epsilon=2, delta="1e-4", samples=600, seed=1,
    )  # fmt: skip
    assert verdict.refuted == quieter
