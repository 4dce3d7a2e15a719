"""The exact sums that a training would release, heard beside answers that are fixed in advance."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.learning.models import stated

from shoal import Approx, Relation
from shoal.learning.estimator import PlannedTraining, PrivateEstimator
from shoal.learning.training_plan import NoisySums, TrainingPlan


class RecordedSums(NoisySums):
    """Exact sums as they come, and answers that are fixed in advance whatever they are."""

    def __init__(self, plan: TrainingPlan, seed: int, scale: float) -> None:
        super().__init__(plan)
        self._plan, self._rng, self._scale = plan, np.random.default_rng(seed), scale
        self.seen: list[Any] = []

    def release(self, name: str, values: Any) -> tuple[Any, float]:
        planned = self._plan.sums[len(self.seen)]
        assert (planned.name, planned.size) == (name, values.size)
        assert values.dtype == np.int64
        self.seen.append(values.reshape(-1))
        width = self._scale * float(planned.squared) ** 0.5
        return np.rint(self._rng.normal(0, width, values.size)), float(
            self._plan.mechanisms[0].sigma
        )


def planned_training(model: PrivateEstimator) -> PlannedTraining:
    return PlannedTraining.of(
        model,
        stated(model),
        model._target(),
        Approx(2, "1e-6"),
        reach=1,
        relation=Relation.ADD_REMOVE,
    )


def plan_of(planned: PlannedTraining) -> TrainingPlan:
    """The plan of a model that reads rows through sums."""
    assert isinstance(planned.plan, TrainingPlan)
    return planned.plan


def exact_sums_seen(
    planned: PlannedTraining, arrays: dict[str, Any], seed: int, scale: float
) -> list[Any]:
    sums = RecordedSums(plan_of(planned), seed, scale)
    planned.model._train(planned.columns, arrays, sums)
    assert len(sums.seen) == len(plan_of(planned).sums)
    return sums.seen
