"""The public numbers of a logistic regression by a tilted loss: ridge, tilt, mask and price."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt

import numpy as np

from shoal.errors import CalibrationError, FactsError, InternalError, RangeError
from shoal.events import Composed, StatedPure
from shoal.exact import exponent_of, root_up, whole
from shoal.learning.cube_noise import CubeNoise
from shoal.learning.exact_sums import Floats, Integers
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.row_designs import LinearDesign
from shoal.learning.tilted_loss import TiltedLoss
from shoal.measures import Measure, Pure
from shoal.noise import LARGEST_SCALE, discrete_laplace, secret
from shoal.owned import Owned
from shoal.sensitivity import Relation

MASK = Fraction(1, 100)
"""The part of epsilon that pays for the difference between the minimiser and what is computed."""

MASK_SCALE = Fraction(1, 1 << 16)
"""The scale of the noise that hides this difference, in units of coefficients."""

MOST_COLUMNS = 4095
RELEASE = "minimiser of a tilted loss"


@dataclass(frozen=True)
class ObjectivePlan:
    """One release: the minimiser of a logistic loss with a ridge and a random linear tilt, masked.

    ``row_cost`` is the most that one row moves the law of the exact minimiser.  The tilt of the
    numbers, their indicators and the intercept is even within a cube; that of each level is one of
    its own.  ``allowance`` is how far, in all coefficients together, what is computed may be from
    the exact minimiser, and ``mask`` the scale of the noise that hides it, both in ``grid``.

    Guarantee: (epsilon)-DP, exactly, for neighbours that differ in one unit of at most ``reach``
        rows.
    Needs: a row has at most one unit in each column, and its intercept.
    Reference: Chaudhuri, Monteleoni and Sarwate 2011; Kifer, Smith and Thakurta 2012.
    Proof: objective.md.
    """

    design: LinearDesign
    epsilon: Fraction
    reach: int
    relation: Relation

    @classmethod
    def of(
        cls,
        columns: tuple[FeatureColumn, ...],
        measure: Measure,
        *,
        reach: int,
        relation: Relation,
    ) -> ObjectivePlan:
        if not isinstance(measure, Pure):
            raise RangeError(
                f"PureLogisticRegression costs an epsilon and no delta; it was asked for {measure}.",
                remedy="Use LogisticRegression, which is more accurate with a delta or a rho, or a "
                "budget such as shoal.Pure(1).",
            )
        if len(columns) > MOST_COLUMNS:
            raise FactsError(
                f"{len(columns)} columns are more than can be summed exactly.",
                remedy=f"Give at most {MOST_COLUMNS} columns.",
            )
        reach = whole(reach, "rows_per_person", at_least=1)
        plan = cls(LinearDesign(columns), measure.epsilon, reach, relation)
        if (
            plan.epsilon <= 0
            or max(plan.mask, *(each.scale for each in plan.tilts)) > LARGEST_SCALE
        ):
            raise CalibrationError(
                "the noise would be wider than can be drawn.",
                remedy="Ask with more budget, or for a model of fewer columns.",
            )
        return plan

    @property
    def units(self) -> int:
        """The most that the sizes of a row, and its squares, add up to: one per column, and one."""
        return len(self.design.columns) + 1

    @property
    def row_cost(self) -> Fraction:
        """What one row may cost: a unit has so many rows, which come, go, or are replaced."""
        rows = self.reach * (2 if self.relation is Relation.CHANGE else 1)
        return self.epsilon * (1 - MASK) / rows

    @property
    def ridge(self) -> Fraction:
        """The least ridge with which the curvature of a row costs nothing beside its gradient."""
        return self.units / self.row_cost

    @cached_property
    def cube(self) -> tuple[int, ...]:
        """The coefficients of numbers, their indicators and the intercept."""
        ordered = {each.name for each in self.design.columns if each.ordered}
        found = (each for each in self.design.blocks if each.name in ordered)
        return (
            *(at for each in found for at in range(each.start, each.stop)),
            self.design.size - 1,
        )

    @cached_property
    def groups(self) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
        """Which coefficients have one cube of noise, and its rate.  A row is in the cube of all
        numbers and in that of one level of each category, and these rates add up to `row_cost`.
        """
        levels = sum(not each.ordered for each in self.design.columns)
        cube = Fraction(isqrt((self.units - levels) << 8), 1 << 4)  # about the root of its numbers
        each = self.row_cost / (cube + levels)
        single = sorted(set(range(self.design.size)) - set(self.cube))
        return ((self.cube, each * cube), *(((at,), each) for at in single))

    @cached_property
    def tilts(self) -> tuple[CubeNoise, ...]:
        """The noise of each group."""
        return tuple(CubeNoise(len(at), rate, self.step) for at, rate in self.groups)

    @property
    def mask_cost(self) -> Fraction:
        """What the difference costs, once on either side."""
        return self.epsilon * MASK / 2

    @property
    def allowance(self) -> Fraction:
        """How far apart the two may be before both are rounded, in units of coefficients and added
        up over all of them.
        """
        return min(MASK_SCALE * self.mask_cost, MASK_SCALE)

    @property
    def grid(self) -> Fraction:
        """A power of two, so fine that rounding moves all coefficients by a quarter of the allowance
        at most.
        """
        finest = self.allowance / max(Fraction(4 * self.design.size), self.mask_cost)
        return Fraction(2) ** exponent_of(finest)

    @property
    def mask(self) -> Fraction:
        """The scale of the noise on each coefficient, in steps of the grid."""
        return self.allowance / self.grid / self.mask_cost

    @property
    def gradient_allowance(self) -> Fraction:
        """How long the gradient may be at what is computed, with what the tilt is off."""
        apart = self.allowance - self.design.size * self.grid
        return self.ridge * apart / root_up(Fraction(self.design.size))

    @cached_property
    def step(self) -> Fraction:
        """What the tilt is a whole number of: a power of two, so fine that it takes no more than a
        quarter of the gradient's allowance.
        """
        far = root_up(Fraction(self.design.size)) * Fraction(len(self.cube) + 3, 2)
        finest = self.gradient_allowance / (4 * far)
        return Fraction(2) ** exponent_of(min(finest, 1 / max(rate for _, rate in self.groups)))

    @property
    def target(self) -> Fraction:
        """How long the gradient may be with the tilt as it was drawn."""
        off = sum(each.size * each.far**2 for each in self.tilts)
        return self.gradient_allowance - self.step * root_up(Fraction(off))

    @property
    def event(self) -> Composed:
        """What is released, as one event."""
        one = StatedPure(self.epsilon, relation=str(self.relation), private=secret())
        return Composed((one,))

    @property
    def releases(self) -> tuple[str, ...]:
        return (RELEASE,)

    @property
    def noise_law(self) -> str:
        return "laplace"

    @property
    def samples_units(self) -> bool:
        return False

    def terms(self) -> list[dict[str, str]]:
        """The release as a certificate lists it: for each law of the tilt how much a unit moves what
        it hides, and its scale.
        """
        rows = self.reach * (2 if self.relation is Relation.CHANGE else 1)
        (cube, rate), *single = self.groups
        laws = [("numbers and intercept", len(cube), rate, "random cube")]
        if single:
            laws.append(("levels", len(single), single[0][1], "Laplace"))
        return [
            {
                "total": f"slope of the loss, {name}",
                "size": str(size),
                "sensitivity": str(rows),
                "norm": "largest",
                "noise": f"{law}, scale {1 / each} units",
            }
            for name, size, each, law in laws
        ]

    def begin(self) -> MaskedMinimiser:
        """The release, to be drawn once."""
        return MaskedMinimiser(self)


class MaskedMinimiser(Owned):
    """The only way from rows to the model: one release.

    It cannot be copied or used after a fork: each copy would release another minimiser.
    """

    called = "the release of a training"
    harm = "each copy would release another minimiser."
    way_out = "Train the model in one process."

    def __init__(self, plan: ObjectivePlan) -> None:
        self._plan = plan
        self._is_released = False

    def release(self, matrix: Floats, second: Integers) -> Floats:
        """The coefficients for rows in whole steps, all zeros where a row does not count, and which
        of them are of the second class.
        """
        self._check_owner()
        if self._is_released:
            raise InternalError("a minimiser was released twice.", remedy="Please report it.")
        self._is_released = True
        plan = self._plan
        tilt = [0] * plan.design.size
        for (places, _), noise in zip(plan.groups, plan.tilts, strict=True):
            for at, drawn in zip(places, noise.drawn(), strict=True):
                tilt[at] = drawn
        loss = TiltedLoss(matrix, second, plan.units, plan.ridge, tuple(tilt), plan.step)
        found = loss.minimiser(plan.target)
        mask = discrete_laplace(plan.mask).many(plan.design.size)
        unit = plan.grid * (1 << found.bits)
        return np.array(
            [
                float((round_half_up(Fraction(each) / unit) + int(more)) * plan.grid)
                for each, more in zip(found.steps, mask, strict=True)
            ]
        )


def round_half_up(number: Fraction) -> int:
    """The nearest whole number; of two, the upper one."""
    return int((2 * number.numerator + number.denominator) // (2 * number.denominator))
