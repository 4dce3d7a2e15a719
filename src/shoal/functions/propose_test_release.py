"""Propose, test, release: say how far one row may move the statistic, test that this is so, and
only then answer.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from shoal.errors import RangeError
from shoal.events import Composed, Event, Geometric, StatedApprox
from shoal.exact import Number, ball, float_down, lower, open_unit, positive, whole
from shoal.functions.smooth import Reading, SmoothStatistic
from shoal.functions.thresholds import rarely_reached
from shoal.measures import Approx
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import discrete_laplace, secret
from shoal.sensitivity import Relation
from shoal.sensitivity.claims import Stands


@dataclass(frozen=True, init=False, repr=False)
class ProposeTestRelease(Mechanism):
    """Release a statistic with Laplace noise for a proposed bound on its local sensitivity, or
    nothing.

    The test asks how many changes away the nearest dataset is on which one change moves the
    statistic by more than ``bound``.  That number has sensitivity 1; with noise it must reach a
    threshold.

    Guarantee: (epsilon, delta)-DP.  ``share`` of epsilon pays for the test and the rest for the
        answer; in other measures it costs what both noises cost, and a failing mass of delta.
    Needs: epsilon > 0, 0 < delta < 1, bound > 0, in the units of the statistic and chosen without
        the data.
    Edges: a bound below one step of the statistic is refused.  The answer None says that the test
        failed; it costs as much as any other.
    Reference: Dwork and Lei 2009; Dwork and Roth 2014, Section 7.2.  Proof: stability.md.

    >>> from shoal.functions import TrimmedMean
    >>> mechanism = ProposeTestRelease(epsilon=2, delta="1e-6", bound=1)
    >>> mechanism.threshold
    14
    >>> ages = [18 + i * i % 73 for i in range(1001)]
    >>> answer = mechanism.release(TrimmedMean.median(size=1001, low=0, high=120), ages)
    """

    epsilon: Fraction
    delta: Fraction
    bound: Fraction
    share: Fraction

    def __init__(
        self, *, epsilon: Number, delta: Number, bound: Number, share: Number = "1/2"
    ) -> None:
        put = object.__setattr__
        put(self, "epsilon", positive(epsilon, "epsilon"))
        put(self, "delta", open_unit(delta, "delta"))
        put(self, "bound", positive(bound, "bound"))
        put(self, "share", open_unit(share, "share"))

    @property
    def cost(self) -> Approx:
        """What one release costs, answered or not."""
        return Approx(self.epsilon, self.delta)

    @property
    def _test_scale(self) -> Fraction:
        return 1 / (self.share * self.epsilon)

    @cached_property
    def threshold(self) -> int:
        """What the noisy distance must reach."""
        return rarely_reached(self._test_scale, self.delta)

    def chance(self, distance: int) -> float:
        """How likely an answer is, where an unstable dataset is so many changes away; rounded
        down.
        """
        missing = self.threshold - whole(distance, "distance", at_least=0)
        scale = self._test_scale

        def beyond(steps: int) -> arb:
            """P(X >= steps) for steps of 1 or more."""
            return ball(-steps / scale).exp() / (1 + ball(-1 / scale).exp())

        if missing > 0:
            return float_down(lower(lambda: beyond(missing)))
        return float_down(lower(lambda: 1 - beyond(1 - missing)))

    def release(self, statistic: SmoothStatistic, data: Any) -> float | None:
        """The value plus noise, or None where the data are too close to a dataset that is not
        stable.

        Guarantee: what `cost` says, for neighbours under the statistic's relation.
        """
        moved = self._steps(statistic)
        reading = statistic.reading(data)
        answer = self._tested(reading, moved, statistic.relation)
        if answer is None:
            return None
        low, high = statistic.bounds
        return float(min(max(answer, low), high) * statistic.spacing)

    def _tested(self, reading: Reading, moved: int, relation: Relation) -> int | None:
        """The noisy value where the test succeeds: one step, whose answer is only bounded where the
        test may pass.
        """
        distance = distance_to_instability(reading, moved)
        test = discrete_laplace(self._test_scale)
        noise = discrete_laplace(self._answer_scale(moved))

        def draw() -> int | None:
            if test.added_to(distance) < self.threshold:
                return None
            return noise.added_to(reading.value)

        claim = Stands(reading.value, Fraction(moved), relation)
        return meet(draw, lambda: NoiseWitness(self, (*test.law, *noise.law), distance, claim))

    def event_for(self, statistic: SmoothStatistic) -> Event:
        """The description of one release of a statistic: two noises, and delta that may fail."""
        moved = self._steps(statistic)
        own: dict[str, Any] = {"relation": statistic.relation, "private": secret()}
        return Composed(
            (
                Geometric(scale=self._test_scale, sensitivity=1, **own),
                Geometric(scale=self._answer_scale(moved), sensitivity=moved, **own),
                StatedApprox(epsilon=0, delta=self.delta, **own),
            )
        )

    def _answer_scale(self, moved: int) -> Fraction:
        return moved / ((1 - self.share) * self.epsilon)

    def _steps(self, statistic: SmoothStatistic) -> int:
        """The bound in whole steps of the statistic, which is where its values lie."""
        moved = self.bound // statistic.spacing
        if moved < 1:
            raise RangeError(
                "bound must be at least one step of the statistic.",
                remedy="Propose a larger bound, or give the statistic a finer grid.",
            )
        return moved


_NEVER = 1 << 40


def distance_to_instability(reading: Reading, moved: int) -> int:
    """The least k at which the span exceeds so many steps, and 2^40 if it never does.

    Spans never fall with k, so it is found by bisection.  The last span is the same for all
    datasets, so whether it never does is no secret.
    """
    if reading.span(reading.last) <= moved:
        return _NEVER
    return bisect_left(range(reading.last + 1), True, key=lambda k: reading.span(k) > moved)
