"""A stream at a price: the noise of all its days together, and every error in advance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from shoal.errors import CalibrationError, RangeError
from shoal.events import Composed, Event
from shoal.exact import Number, open_unit, root_up, short_down, shown_up
from shoal.measures import Approx, GaussianDP, Measure, ZeroConcentrated
from shoal.mechanisms import DiscreteGaussian, Gaussian
from shoal.mechanisms.affordable_parameters import gaussian_mu_of
from shoal.noise import LARGEST_SCALE
from shoal.sensitivity import Norm, Relation, Sensitivity
from shoal.workloads.column_queries import Floats
from shoal.workloads.reflection import Reflection
from shoal.workloads.released_tables import normal_quantile
from shoal.workloads.stream_matrix import StreamMatrix

MOST_DAYS = 4096
"""So many days a stream may have."""


@dataclass(frozen=True, eq=False)
class StreamPlan:
    """Daily counts of so many days, of which one unit adds at most ``reach`` in all.

    Guarantee: all days together cost no more than ``measure``, also where rows of later days depend
        on what was released, and where rows of earlier days come late.
    Needs: on every day, the counts of one unit over the days so far are 0 or more and sum to at
        most ``reach``; and sums over the first days of a stream never shrink as time goes on.
    Proof: streams.md.
    """

    days: int
    measure: Measure
    relation: Relation
    reach: int
    mechanism: DiscreteGaussian | Gaussian

    @classmethod
    def of(cls, days: int, measure: Measure, relation: Relation, reach: int) -> StreamPlan:
        """With the least noise that a budget buys for all days."""
        if not 1 <= days <= MOST_DAYS:
            raise RangeError(
                f"a stream has from 1 to {MOST_DAYS} days; {days} are declared.",
                remedy="Declare the days that will be released: columns={'day': shoal.Range(first, last)}.",
            )
        has_delta = isinstance(measure, Approx) and measure.delta > 0
        if not (has_delta or isinstance(measure, ZeroConcentrated | GaussianDP)):
            raise RangeError(
                "a stream needs Gaussian noise, which a budget in epsilon alone does not buy.",
                remedy="Use a budget such as shoal.ZeroConcentrated('0.5') or "
                "shoal.Approx(1, '1e-6').",
            )
        square = Fraction(reach) ** 2 * StreamMatrix(days).squared_length
        if relation is Relation.CHANGE:
            square *= 2
        moved = Sensitivity(root_up(square), Norm.L2, relation, dimension=days)
        mechanism: DiscreteGaussian | Gaussian
        if isinstance(measure, ZeroConcentrated):
            mechanism = DiscreteGaussian.for_budget(measure, sensitivity=moved)
        else:
            mechanism = Gaussian(sigma=moved.value / gaussian_mu_of(measure), sensitivity=moved)
        if mechanism.spread > LARGEST_SCALE:
            raise CalibrationError(
                "the noise would be wider than can be drawn.",
                remedy="Ask with more budget, or let one person count less.",
            )
        return cls(days, measure, relation, reach, mechanism)

    def with_sigma(self, sigma: Fraction) -> StreamPlan:
        """The same with the noise that was charged, which another version might calibrate
        otherwise.
        """
        drawn = type(self.mechanism)(sigma=sigma, sensitivity=self.mechanism.sensitivity)
        return replace(self, mechanism=drawn)

    @cached_property
    def matrix(self) -> StreamMatrix:
        """What each day measures."""
        return StreamMatrix(self.days)

    @property
    def event(self) -> Event:
        """What all days release together."""
        return Composed((self.mechanism.event_for(size=self.days),))

    def noisy(self, counts: list[int]) -> int:
        """The measurement of the last of some days, with noise drawn anew."""
        exact = np.array([self.matrix.measured(counts)], dtype=object)
        return int(self.mechanism.release(exact)[0])

    @property
    def _spread(self) -> float:
        more = 0.0 if isinstance(self.measure, ZeroConcentrated) else 1 / 12
        return float(np.sqrt(float(self.mechanism.spread) ** 2 + more))

    @cached_property
    def daily_errors(self) -> Floats:
        """The standard error of each day's count."""
        found: Floats = self._spread * np.sqrt(self.matrix.daily_variances())
        return found

    @cached_property
    def running_errors(self) -> Floats:
        """The standard error of the total up to each day."""
        found: Floats = self._spread * np.sqrt(self.matrix.running_variances())
        return found

    @property
    def rmse(self) -> float:
        """The root of the mean squared error of all running totals."""
        return float(np.sqrt((self.running_errors**2).mean()))

    @property
    def optimality_gap(self) -> float | None:
        """By which share the squared error of all running totals is above what any strategy needs,
        also one that sees all days before it answers.

        None where rows change in the place of coming and going.
        """
        if self.relation is not Relation.ADD_REMOVE:
            return None
        waves = Reflection.for_prefixes(self.days)
        root = waves.diagonal(waves.kernel(1 / (2 * np.sin(waves.angles / 2))))
        scale = self.reach**2 / float(gaussian_mu_of(self.measure)) ** 2
        return float((self.running_errors**2).sum() / ((root**2).sum() * scale)) - 1

    def half_widths(self, standard_errors: Floats, confidence: Number = "0.95") -> Floats:
        """Half the length of intervals at a confidence."""
        found: Floats = normal_quantile(open_unit(confidence, "confidence")) * standard_errors
        return found

    def preview(self, *, confidence: Number = "0.95") -> str:
        """What it costs, and how far counts and totals can be off, in words; free."""
        level = open_unit(confidence, "confidence")
        daily = self.half_widths(self.daily_errors, level)
        running = self.half_widths(self.running_errors, level)
        lines = [
            f"costs {self.measure} for all {self.days} days; errors at {short_down(100 * level)}% confidence",
            f"count of a day: within {shown_up(daily[0])} on the first day, {shown_up(daily[-1])} on the last",
        ]
        shown = sorted({min(day, self.days) for day in (1, 7, 30, 90, self.days)})
        lines += [f"total up to day {day}: within {shown_up(running[day - 1])}" for day in shown]
        return "\n".join(lines)

    __str__ = preview
