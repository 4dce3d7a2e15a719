"""Cauchy noise: a pure promise, with a tail so heavy that its width may follow the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from flint import arb

from shoal.errors import RangeError
from shoal.events import StatedPure
from shoal.exact import Number, Real, ball, lower, open_unit, positive, short, upper
from shoal.functions.smooth.mechanism import Smooth
from shoal.functions.smooth.statistic import SmoothStatistic
from shoal.measures import Measure, Pure
from shoal.mechanisms.affordable_parameters import pure_epsilon_of
from shoal.noise import IntegerNoise, rounded_cauchy, secret


@dataclass(frozen=True, init=False, repr=False)
class SmoothCauchy(Smooth):
    """Add Cauchy noise of scale smooth sensitivity / alpha.

    Guarantee: epsilon-DP, exactly: the largest alpha is used that keeps the ratio of two Cauchy
        densities within e^epsilon, which is a distance in the hyperbolic plane.
    Needs: epsilon > 0; ``keep`` above e^-epsilon and below 1, by default min(e^-(epsilon / 2), 1 /
        (2 cosh(epsilon) - 1)).
    Edges: the noise has no mean; `error` is a quantile.  A smaller keep lets the smooth sensitivity
        follow the data closer and leaves less for alpha.
    Reference: Nissim, Raskhodnikova and Smith 2007, Lemma 2.6, whose alpha = epsilon / 6 is here
        some epsilon.  Proof: smooth.md.

    >>> mechanism = SmoothCauchy(epsilon=1)
    >>> print(mechanism.cost, "| alpha", round(float(mechanism.alpha), 3))
    epsilon 1 | alpha 1.042
    """

    epsilon: Fraction
    kept: Fraction

    def __init__(self, *, epsilon: Number, keep: Number | None = None) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        kept = usual_keep(self.epsilon) if keep is None else open_unit(keep, "keep")
        object.__setattr__(self, "kept", kept)
        if not _is_above(kept, self.epsilon):
            raise RangeError(
                f"keep must be above e^-epsilon; got {short(kept)} for epsilon {short(self.epsilon)}.",
                remedy="Choose a keep closer to 1, or leave it out.",
            )

    @classmethod
    def for_epsilon(cls, epsilon: Number) -> Self:
        """The mechanism that costs exactly this epsilon."""
        return cls(epsilon=epsilon)

    @classmethod
    def for_budget(cls, budget: Measure) -> Self:
        """The mechanism with the largest epsilon that a budget allows."""
        return cls(epsilon=pure_epsilon_of(budget))

    @cached_property
    def alpha(self) -> Fraction:
        """The largest with alpha^2 <= 2 c and alpha^2 <= 2 c / keep - (1 / keep - 1)^2, c =
        cosh(epsilon) - 1.
        """
        wide = 1 / self.kept

        def room() -> arb:
            return _room(self.epsilon)

        def squeezed() -> arb:
            return _room(self.epsilon) * ball(wide) - ball((wide - 1) ** 2)

        return min(lower(lambda: room().sqrt()), lower(lambda: squeezed().sqrt()))

    @property
    def keep(self) -> Fraction:
        return self.kept

    @property
    def cost(self) -> Pure:
        return Pure(self.epsilon)

    def event_for(self, statistic: SmoothStatistic) -> StatedPure:
        return StatedPure(epsilon=self.epsilon, relation=statistic.relation, private=secret())

    def _shown(self) -> Iterator[tuple[str, Any]]:
        yield "epsilon", self.epsilon
        yield "keep", None if self.kept == usual_keep(self.epsilon) else self.kept

    def _noise(self, scale: Fraction) -> IntegerNoise:
        return rounded_cauchy(scale)

    def _quantile(self, confidence: Fraction) -> Real:
        return lambda: ball(confidence / 2).tan_pi()


def usual_keep(epsilon: Fraction) -> Fraction:
    """Where following the data closer would cost nothing, or half of epsilon if that is more."""

    def free() -> arb:
        return 1 / (1 + _room(epsilon))

    return min(upper(lambda: ball(-epsilon / 2).exp(), bits=40), upper(free, bits=40))


def _room(epsilon: Fraction) -> arb:
    """2 (cosh(epsilon) - 1) = 4 sinh(epsilon / 2)^2."""
    return 4 * ball(epsilon / 2).sinh() ** 2


def _is_above(keep: Fraction, epsilon: Fraction) -> bool:
    return lower(lambda: ball(keep).log() + ball(epsilon)) > 0
