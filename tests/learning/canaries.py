"""The strongest attack on a training: whoever sees every noisy sum, and knows all rows but one.

Everything a model is made of follows from its noisy sums.  Given those before it, each sum is normal
around one of two known vectors, with the canary's row or without; so the likelihood ratio of the
whole training is known, and no other test of the two is better at any level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.learning.models import MODELS, stated
from tests.learning.recorded_sums import plan_of

from shoal import Relation, ZeroConcentrated
from shoal.learning.estimator import TARGET, PlannedTraining
from shoal.learning.model_release import ModelRelease
from shoal.learning.training_plan import NoisySums, TrainingPlan

COUNT = 60
BASE = {"age": 95.0, "fee": 4.5, "ward": "a"}
CANARY = {"age": 100.0, "fee": -5.0, "ward": "b"}
NEAR = {"age": 96.0, "fee": 4.6, "ward": "a"}
"""For clusters: a row alone in its cell is soon left out of the tree."""

BEYOND = {"age": 1e9, "fee": -9.0, "ward": "z"}
"""For clipped shares: a row with nothing that is declared."""

MEASURE = ZeroConcentrated("0.5")
"""A budget of mu = 1."""


class HeardSums(NoisySums):
    """The planned releases, which are kept, with the exact sums before them."""

    def __init__(self, plan: TrainingPlan) -> None:
        super().__init__(plan)
        self.answers, self.exact = list[Any](), list[Any]()

    def release(self, name: str, values: Any) -> tuple[Any, float]:
        self.exact.append(values.reshape(-1))
        answer = super().release(name, values)
        self.answers.append(answer)
        return answer


class ToldSums(NoisySums):
    """Answers as they were, whatever the rows are now; the exact sums are kept."""

    def __init__(self, plan: TrainingPlan, answers: list[Any]) -> None:
        super().__init__(plan)
        self._answers, self.exact = answers, list[Any]()

    def release(self, name: str, values: Any) -> tuple[Any, float]:
        self.exact.append(values.reshape(-1))
        noisy, sigma = self._answers[len(self.exact) - 1]
        return noisy, sigma


@dataclass(frozen=True)
class Attack:
    """One training and the two datasets that it may have been done on."""

    name: str

    def planned(self) -> PlannedTraining:
        model = MODELS[self.name]()
        return PlannedTraining.of(
            model, stated(model), model._target(), MEASURE, reach=1,
            relation=Relation.ADD_REMOVE,
        )  # fmt: skip

    def rows(self, *, canary: bool) -> dict[str, Any]:
        model = MODELS[self.name]()
        last = {"clusters": NEAR, "clipped": BEYOND}.get(self.name, CANARY)
        label = "never" if self.name == "clipped" else "yes"
        made = {
            name: np.array([BASE[name]] * COUNT + [last[name]] * canary, dtype=object)
            for name in model.columns
        }
        if hasattr(model, "classes") or isinstance(model, ModelRelease):
            made[TARGET] = np.array(["no"] * COUNT + [label] * canary, dtype=object)
        if hasattr(model, "target_range"):
            made[TARGET] = np.array([-2.0] * COUNT + [9.0] * canary)
        return made

    def ratio(self, *, canary: bool) -> tuple[float, float]:
        """The log-likelihood ratio of a fresh training, and the square of what its budget would be
        if this canary were the worst: the squares of what it moved, each over its noise.
        """
        planned = self.planned()
        heard = HeardSums(plan_of(planned))
        planned.model._train(planned.columns, self.rows(canary=canary), heard)
        again = ToldSums(plan_of(planned), heard.answers)
        planned.model._train(planned.columns, self.rows(canary=not canary), again)
        without, with_it = (again, heard) if canary else (heard, again)
        score = squared = 0.0
        for (noisy, _), one, two, noise in zip(
            heard.answers, without.exact, with_it.exact, plan_of(planned).mechanisms, strict=True
        ):
            sigma = float(noise.sigma)
            moved = (two - one) / sigma
            score += float((noisy / sigma - (one + two) / (2 * sigma)) @ moved)
            squared += float(moved @ moved)
        return score, squared
