"""What a model will be told about private rows: every noisy sum in advance, its noise and its
price.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.errors import CalibrationError, InternalError
from shoal.events import Composed
from shoal.exact import IntegerArray, ball, lower, root_up, whole
from shoal.measures import Measure
from shoal.mechanisms import Gaussian
from shoal.mechanisms.affordable_parameters import gaussian_mu_of
from shoal.noise import LARGEST_SCALE
from shoal.owned import Owned
from shoal.sensitivity import Norm, Relation, Sensitivity


class ReleasePlan(Protocol):
    """What a training will release, from public facts, and at which price."""

    @property
    def reach(self) -> int: ...

    @property
    def event(self) -> Composed: ...

    @property
    def releases(self) -> tuple[str, ...]: ...

    @property
    def noise_law(self) -> str: ...

    @property
    def samples_units(self) -> bool: ...

    def terms(self) -> list[dict[str, str]]: ...

    def begin(self) -> Any: ...


@dataclass(frozen=True)
class PlannedSum:
    """One vector of whole-number sums over rows.

    ``squared`` bounds the squares of what one row adds, summed over the vector, and ``absolute``,
    where the sum can be paid without a delta, their sizes; ``share`` is its part of the budget.
    """

    name: str
    size: int
    squared: int
    share: Fraction
    absolute: int | None = None


@dataclass(frozen=True)
class TrainingPlan:
    """All sums that a model is made of, with their noise.

    ``reach`` is how many rows one protected unit can have.

    Guarantee: the releases together cost no more than the measure they were planned for, whatever
        each is computed from what was released before it.
    Needs: what one row adds to each sum keeps to its ``squared``, and depends on that row and on
        released numbers alone.
    Proof: training.md.
    """

    sums: tuple[PlannedSum, ...]
    mechanisms: tuple[Gaussian, ...]
    reach: int
    relation: Relation

    @classmethod
    def of(
        cls, sums: Sequence[PlannedSum], measure: Measure, *, reach: int, relation: Relation
    ) -> TrainingPlan:
        reach = whole(reach, "rows_per_person", at_least=1)
        total = sum(each.share for each in sums)
        budget = gaussian_mu_of(measure) ** 2
        made = []
        for each in sums:
            mu = _root_down(budget * each.share / total)
            moved = sensitivity_of(each, reach, relation)
            made.append(Gaussian(sigma=moved.value / mu, sensitivity=moved))
        if any(noise.spread > LARGEST_SCALE for noise in made):
            raise CalibrationError(
                "the noise would be wider than can be drawn.",
                remedy="Ask with more budget, or for a model of fewer columns.",
            )
        return cls(tuple(sums), tuple(made), reach, relation)

    @property
    def event(self) -> Composed:
        """What is released, as one event."""
        pairs = zip(self.mechanisms, self.sums, strict=True)
        return Composed(tuple(noise.event_for(size=each.size) for noise, each in pairs))

    @property
    def releases(self) -> tuple[str, ...]:
        """What is released, by name and in order."""
        return tuple(each.name for each in self.sums)

    @property
    def noise_law(self) -> str:
        """The word for the noise on a certificate."""
        return "gaussian"

    @property
    def deviation(self) -> float:
        """The standard deviation of noise whose scale is 1."""
        return 1.0

    @property
    def samples_units(self) -> bool:
        """Whether the price counts on chance by which each unit takes part with all its rows."""
        return False

    def terms(self) -> list[dict[str, str]]:
        """The sums as a certificate lists them."""
        return [
            {
                "total": each.name,
                "size": str(each.size),
                "sensitivity": str(noise.sensitivity.value),
                "norm": "L2",
                "noise": f"rounded Gaussian, sigma {noise.sigma} units",
            }
            for each, noise in zip(self.sums, self.mechanisms, strict=True)
        ]

    def begin(self) -> NoisySums:
        """The releases, each to be drawn once and in order."""
        return NoisySums(self)


def _root_down(square: Fraction) -> Fraction:
    return lower(lambda: ball(square).sqrt())


def sensitivity_of(planned: PlannedSum, reach: int, relation: Relation) -> Sensitivity:
    """How far one protected unit moves a vector of sums.

    Guarantee: with at most ``reach`` rows in a unit, its rows add a vector of length at most reach
        times that of one row; under *change* one such vector leaves and another one comes.
    """
    far = reach * (2 if relation is Relation.CHANGE else 1)
    value = root_up(Fraction(planned.squared * far * far))
    return Sensitivity(value, Norm.L2, relation, dimension=planned.size)


class NoisySums(Owned):
    """The only way from rows to a model: each planned sum can be released once, in order.

    It cannot be copied or used after a fork: each copy would release every sum again.
    """

    called = "the noisy sums of a training"
    harm = "each copy would release every sum again."
    way_out = "Train the model in one process."

    def __init__(self, plan: TrainingPlan) -> None:
        self._steps: Iterator[tuple[PlannedSum, Gaussian]] = iter(
            zip(plan.sums, plan.mechanisms, strict=True)
        )
        self._deviation = plan.deviation

    def _end(self) -> None:
        """Refuse every further release."""
        self._steps = iter(())

    def release(self, name: str, values: IntegerArray) -> tuple[NDArray[np.float64], float]:
        """The next planned sums with their noise, and the noise's standard deviation."""
        self._check_owner()
        planned, noise = next(self._steps, (None, None))
        if planned is None or noise is None or (planned.name, planned.size) != (name, values.size):
            raise InternalError("a sum was not planned.", remedy="Please report it.")
        noisy: Any = noise.release(np.ascontiguousarray(values.reshape(-1)))
        return np.asarray(noisy, dtype=np.float64), self._deviation * float(noise.spread)
