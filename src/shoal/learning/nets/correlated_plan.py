"""Noisy steps whose noise is correlated: every unit is dealt to one of several batches, and later
steps take back a part of the noise of earlier ones.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import CalibrationError, InternalError, RangeError
from shoal.events import Composed, CorrelatedGaussian
from shoal.exact import IntegerArray, Number, root_up
from shoal.learning.exact_sums import Floats
from shoal.learning.nets.step_plan import read_rate
from shoal.learning.nets.step_sums import StepSums
from shoal.learning.training_plan import PlannedSum, TrainingPlan, sensitivity_of
from shoal.measures import Measure
from shoal.mechanisms import Gaussian
from shoal.mechanisms.affordable_parameters import gaussian_mu_of
from shoal.noise import LARGEST_SCALE, secret, uniform_below
from shoal.sensitivity import Norm, Relation, Sensitivity
from shoal.workloads import BandedMatrix

_MOST_KEPT = 1 << 26
"""The sums of earlier steps that are kept, exact and as they were told, have at most so many entries
each: a gigabyte in all.
"""


@dataclass(frozen=True)
class CorrelatedPlan(TrainingPlan):
    """Equal steps, of which every protected unit takes part in one of ``matrix.separation`` batches:
    in the steps j, j + b, j + 2b, ... for a secret number j of its own.

    A step measures its own sum together with those of a few steps before it, with fresh noise; the
    sum is then computed back from released numbers.  Its noise is correlated with that of other
    steps, so that the sum over many steps has less.

    Guarantee: all steps together keep the measure that they were planned for, whatever each is
        computed from what was released before it.  The price counts on no secret sample.
    Needs: what one row adds to a sum has a length of at most `LENGTH`, and depends on that row, on
        its own coins and on released numbers alone; all rows of a unit are dealt together.
    Edges: with one batch every unit is in every step, and the noise is independent.
    Proof: nets.md, *Correlated noise*.
    """

    matrix: BandedMatrix

    @classmethod
    def for_steps(
        cls,
        sums: tuple[PlannedSum, ...],
        rate: Number,
        measure: Measure,
        *,
        reach: int,
        relation: Relation,
    ) -> CorrelatedPlan:
        """The plan with the least noise that the measure allows, for what `planned_steps` gave."""
        kept = max(1, _MOST_KEPT // sums[0].size)
        matrix = BandedMatrix.best(len(sums), read_batches(rate), most=kept)
        moved = _moved(sums, matrix, reach, relation)
        made = Gaussian(sigma=moved.value / gaussian_mu_of(measure), sensitivity=moved)
        if made.spread > LARGEST_SCALE:
            raise CalibrationError(
                "the noise would be wider than can be drawn.",
                remedy="Ask with more budget, or for fewer steps.",
            )
        return cls(sums, (made,) * len(sums), reach, relation, matrix)

    @property
    def noise(self) -> Gaussian:
        """The noise of every measurement; its sensitivity is that of all of them together."""
        return self.mechanisms[0]

    @property
    def step_noise(self) -> float:
        """The standard deviation of the noise of the last step's sum, which is the widest."""
        return float(self.noise.sigma) * float(np.sqrt(self.matrix.step_variances()[-1]))

    @property
    def event(self) -> Composed:
        """What is released, as one event."""
        one = sensitivity_of(self.sums[0], self.reach, Relation.ADD_REMOVE)
        released = CorrelatedGaussian(
            sigma=self.noise.sigma,
            sensitivity=one.value,
            coefficients=[Fraction(each) for each in self.matrix.coefficients],
            steps=len(self.sums),
            participations=self.matrix.participations,
            separation=self.matrix.separation,
            relation=one.relation,
            private=secret(),
        )
        return Composed((released,))

    @property
    def samples_units(self) -> bool:
        return self.matrix.separation != 1

    def terms(self) -> list[dict[str, str]]:
        """The steps as a certificate lists them."""
        return [
            {
                "total": "gradient",
                "size": str(self.sums[0].size),
                "steps": str(len(self.sums)),
                "rate": str(Fraction(1, self.matrix.separation)),
                "sensitivity": str(self.noise.sensitivity.value),
                "norm": "L2",
                "noise": f"rounded Gaussian, correlated over {len(self.matrix.coefficients)} steps, "
                f"sigma {self.noise.sigma} units",
            }
        ]

    def begin(self) -> CorrelatedSums:
        """The steps, each to be sampled and drawn once, in order."""
        return CorrelatedSums(self)


class CorrelatedSums(StepSums):
    """Steps over batches that were dealt once, each told through the strategy matrix.

    Guarantee: a unit's batch is drawn for that unit, independently of all others, and stays.  Each
        measurement is exact and gets noise once.
    """

    def __init__(self, plan: CorrelatedPlan) -> None:
        super().__init__(plan)
        self._matrix, self._size = plan.matrix, plan.sums[0].size
        self._deviations = float(plan.noise.sigma) * np.sqrt(plan.matrix.step_variances())
        self._batches: IntegerArray | None = None
        self._at = 0
        earlier = len(plan.matrix.coefficients) - 1
        self._exact: deque[NDArray[np.int64]] = deque(maxlen=earlier)
        self._told: deque[Floats] = deque(maxlen=earlier)

    def _drawn(self, units: int) -> NDArray[np.bool_]:
        if self._batches is None:
            self._batches = uniform_below(self._matrix.separation, units)
        if len(self._batches) != units:
            raise InternalError("units changed within a training.", remedy="Please report it.")
        taken: NDArray[np.bool_] = self._batches == self._at % self._matrix.separation
        return taken

    def release(self, name: str, values: IntegerArray) -> tuple[NDArray[np.float64], float]:
        """The next step's sums as their noisy measurement tells them, and their standard deviation.

        Guarantee: no sum overflows.  Entries too large for that are set to the largest that is not,
            which moves no two of them further apart; it takes more than 2^22 rows.
        """
        self._check_sampled()
        if values.size != self._size:
            raise InternalError("a sum was not planned.", remedy="Please report it.")
        most = self._matrix.largest
        own = np.clip(np.asarray(values, dtype=np.int64).reshape(-1), -most, most)
        try:
            noisy, _ = super().release(name, self._matrix.measured([own, *self._exact]))
            told = self._matrix.undone(noisy, self._told)
        except BaseException:
            # A step that failed half-way would be sampled again, and meet itself in a measurement.
            self._end()
            raise
        self._exact.appendleft(own)
        self._told.appendleft(told)
        self._at += 1
        return told.copy(), float(self._deviations[self._at - 1])


def read_batches(rate: Number) -> int:
    """Into how many batches units are dealt, one in ``rate`` into each."""
    found = 1 / read_rate(rate)
    if found.denominator != 1:
        raise RangeError(
            "with correlated noise every unit is dealt to one of several batches, so rate must be 1 "
            "over a whole number.",
            remedy="Give rate='1/20'.",
        )
    return int(found)


def _moved(
    sums: tuple[PlannedSum, ...], matrix: BandedMatrix, reach: int, relation: Relation
) -> Sensitivity:
    """How far one protected unit moves all measurements together."""
    far = reach * (2 if relation is Relation.CHANGE else 1)
    square = sums[0].squared * far * far * matrix.squared_sensitivity
    numbers = len(sums) * sums[0].size
    return Sensitivity(root_up(Fraction(square)), Norm.L2, relation, dimension=numbers)
