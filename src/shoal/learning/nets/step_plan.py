"""The noisy steps of a gradient training: their number, their secret samples, their noise and their
price.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.accounting import calibrate
from shoal.errors import CalibrationError, RangeError
from shoal.events import Composed, Event, PoissonSampled, Repeated
from shoal.exact import Number, positive, whole
from shoal.learning.nets.gradient_grid import LENGTH
from shoal.learning.nets.step_sums import StepSums
from shoal.learning.training_plan import PlannedSum, TrainingPlan, sensitivity_of
from shoal.measures import Measure
from shoal.mechanisms import Gaussian
from shoal.noise import LARGEST_SCALE, Coin
from shoal.sensitivity import Relation

_BITS = 12
"""The noise is the least that keeps the price, within one part in 2^12."""


@dataclass(frozen=True)
class StepPlan(TrainingPlan):
    """Equal steps, each a noisy sum over a fresh sample that every protected unit enters with
    probability ``rate``.

    Guarantee: all steps together keep the measure that they were planned for, whatever each is
        computed from what was released before it.  At a rate of 1 no sample is drawn.
    Needs: what one row adds to a sum has a length of at most `LENGTH`, and depends on that row, on
        its own coins and on released numbers alone.
    Proof: nets.md.
    """

    rate: Fraction

    @classmethod
    def for_steps(
        cls,
        sums: tuple[PlannedSum, ...],
        rate: Number,
        measure: Measure,
        *,
        reach: int,
        relation: Relation,
    ) -> StepPlan:
        """The plan with the least noise that the measure allows, for what `planned_steps` gave."""
        count, size, chance = len(sums), sums[0].size, read_rate(rate)
        moved = sensitivity_of(sums[0], reach, Relation.ADD_REMOVE)

        def noise(multiplier: Fraction) -> Gaussian:
            return Gaussian(sigma=multiplier * moved.value, sensitivity=moved)

        def events(multiplier: Fraction) -> Event:
            # what the noise costs if it is secret; `event` says whether it is
            one = replace(noise(multiplier).event_for(size=size), private=True)
            return _repeated(one, chance, count)

        found = calibrate(events, measure, safer="larger", bits=_BITS, relation=str(relation))
        made = noise(found)
        if made.spread > LARGEST_SCALE:
            raise CalibrationError(
                "the noise would be wider than can be drawn.",
                remedy="Ask with more budget, or for fewer steps.",
            )
        return cls(sums, (made,) * count, reach, relation, chance)

    @property
    def noise(self) -> Gaussian:
        """The noise of every step."""
        return self.mechanisms[0]

    @property
    def step_noise(self) -> float:
        """The standard deviation of the noise of a step's sum."""
        return float(self.noise.sigma)

    @property
    def event(self) -> Composed:
        """What is released, as one event."""
        one = self.noise.event_for(size=self.sums[0].size)
        return Composed((_repeated(one, self.rate, len(self.sums)),))

    @property
    def samples_units(self) -> bool:
        return self.rate != 1

    def terms(self) -> list[dict[str, str]]:
        """The steps as a certificate lists them."""
        return [
            {
                "total": "gradient",
                "size": str(self.sums[0].size),
                "steps": str(len(self.sums)),
                "rate": str(self.rate),
                "sensitivity": str(self.noise.sensitivity.value),
                "norm": "L2",
                "noise": f"rounded Gaussian, sigma {self.noise.sigma} units",
            }
        ]

    def begin(self) -> SampledSums:
        """The steps, each to be sampled and drawn once, in order."""
        return SampledSums(self)


def planned_steps(steps: int, size: int) -> tuple[PlannedSum, ...]:
    """So many equal sums of gradients of this size."""
    count = whole(steps, "steps", at_least=1)
    names = (f"gradient {at + 1}" for at in range(count))
    return tuple(PlannedSum(name, size, LENGTH**2, Fraction(1, count)) for name in names)


class SampledSums(StepSums):
    """Steps with one fresh coin for each unit and step."""

    def __init__(self, plan: StepPlan) -> None:
        super().__init__(plan)
        self._coin = Coin(plan.rate)

    def _drawn(self, units: int) -> NDArray[np.bool_]:
        return self._coin.many(units)


def read_rate(rate: Number) -> Fraction:
    """The probability with which a unit takes part in a step."""
    found = positive(rate, "rate")
    if found > 1:
        raise RangeError("rate must be at most 1: it is a probability.", remedy="Give rate='1/20'.")
    return found


def _repeated(one: Event, rate: Fraction, count: int) -> Event:
    return Repeated(one if rate == 1 else PoissonSampled(one, rate), count)
