"""The noisy steps of a gradient training, whichever plan they have: for each a secret sample, and one
release from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.exact import IntegerArray
from shoal.learning.training_plan import NoisySums, TrainingPlan


class StepSums(NoisySums, ABC):
    """The planned steps: for each a sample, and one release from it."""

    called = "the steps of a training"
    harm = "each copy would release every step again."
    way_out = "Train the network in one process."

    def __init__(self, plan: TrainingPlan) -> None:
        super().__init__(plan)
        self._is_sampled = False

    @abstractmethod
    def _drawn(self, units: int) -> NDArray[np.bool_]:
        """Which of so many units take part in the next step, each by chance of its own."""

    def sample(self, units: int) -> NDArray[np.bool_]:
        """Which of so many units take part in the next step."""
        self._check_owner()
        if self._is_sampled:
            raise InternalError("a step was sampled twice.", remedy="Please report it.")
        drawn = self._drawn(units)
        self._is_sampled = True
        return drawn

    def release(self, name: str, values: IntegerArray) -> tuple[NDArray[np.float64], float]:
        """The next step's sums with their noise, from the sample that was just drawn."""
        self._check_sampled()
        self._is_sampled = False
        return super().release(name, values)

    def _check_sampled(self) -> None:
        self._check_owner()
        if not self._is_sampled:
            raise InternalError("a step has no sample of its own.", remedy="Please report it.")
