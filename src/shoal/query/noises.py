"""The noise of each total: how a request is shared among them, and which law has the least error.

Between totals the shares make the sum of squared relative errors least.  Laplace noise of epsilon e
has variance in 1 / e^2, so shares of epsilon go with the cube root of what a total weighs; Gaussian
noise has variance in 1 / rho, so shares of rho go with the square root.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from shoal.errors import CalibrationError
from shoal.events import Event
from shoal.exact import ball, lower
from shoal.measures import Approx, Pure, ZeroConcentrated
from shoal.mechanisms import Gaussian, Geometric
from shoal.mechanisms.affordable_parameters import gaussian_mu_of, pure_epsilon_of, rho_of
from shoal.plan import Bounded, Term
from shoal.query.budget import CostRequest
from shoal.query.recipes import Recipe
from shoal.sensitivity import Norm, Sensitivity

Noise = Geometric | Gaussian

_CUT = 1 << 16
_WIDEST = 1 << 60
NORMS = {"laplace": Norm.L1, "gaussian": Norm.L2}
"""The laws of noise by name, each with the norm in which it needs totals to be bounded."""


@dataclass(frozen=True)
class Noised:
    """Bounded totals and the noise that each will get; None for a total that no data can move."""

    bounded: Bounded
    law: str
    mechanisms: tuple[Noise | None, ...]

    def of(self, term: Term) -> Noise | None:
        return self.mechanisms[self.bounded.terms.index(term)]

    def level(self, terms: Sequence[Term], confidence: Fraction) -> Fraction:
        """How sure to be of each total, so that all hold together at a confidence; one without
        noise always holds.
        """
        noisy = sum(self.of(term) is not None for term in terms)
        return 1 - (1 - confidence) / max(1, noisy)

    def error(self, term: Term, confidence: Fraction, *, size: int = 1) -> float:
        """How far a total can be off at this confidence, on the number line of its argument."""
        mechanism = self.of(term)
        if mechanism is None:
            return 0.0
        steps = mechanism.error(confidence, size=size, integers=True)
        return float(Fraction(steps) * self.bounded.worth(term))

    def error_of_sum(self, term: Term, confidence: Fraction, count: int) -> float:
        """How far the sum of a total over so many groups can be off, at this confidence.

        Guarantee: the chance of more is at most 1 - confidence, for any groups that were not
            chosen by the noise.
        Edges: never more than the errors of all groups, added up.
        Reference: Chernoff's bound.  Discrete Laplace noise of scale b has E exp(tX) at most
            1 / (1 - t^2 b^2) for t < 1/b, since sinh(x) / x rises; a discrete Gaussian has at most
            exp(t^2 s^2 / 2) (Canonne, Kamath and Steinke 2020).
        """
        mechanism = self.of(term)
        if mechanism is None:
            return 0.0
        each = float(mechanism.error(confidence, size=count, integers=True)) * count
        spread, tail = float(mechanism.spread), math.log(2 / float(1 - confidence))
        if isinstance(mechanism, Geometric):
            steps = (k / 64 / spread for k in range(1, 64))
            best = min((tail - count * math.log1p(-((t * spread) ** 2))) / t for t in steps)
        else:
            best = spread * math.sqrt(2 * count * tail)
        return min(best * (1 + 1e-9), each) * float(self.bounded.worth(term)) * (1 + 1e-12)

    def deviation(self, term: Term) -> float:
        """About the standard deviation of a total."""
        mechanism = self.of(term)
        if mechanism is None:
            return 0.0
        # Laplace noise of scale b has variance 2 b^2; that of a Gaussian is its spread squared.
        root = 2**0.5 if isinstance(mechanism, Geometric) else 1.0
        return float(mechanism.spread * self.bounded.worth(term)) * root

    def events(self, size: int) -> list[Event]:
        """What will be released, for so many groups."""
        made = (m for m in self.mechanisms if m is not None)
        return [mechanism.event_for(size=max(1, size)) for mechanism in made]


@dataclass(frozen=True)
class Means:
    """What a request comes to for either law.

    ``mixed`` says that Gaussian noise is not all: then everything is counted in rho.
    """

    request: CostRequest
    mixed: bool = False

    @cached_property
    def squared_mu(self) -> Fraction:
        if self.mixed:
            return 2 * rho_of(self.request.measure)
        return gaussian_mu_of(self.request.measure) ** 2

    def loss(self, share: Fraction, norm: Norm) -> Fraction:
        """The epsilon of a share, or in L2 the range of losses that costs its rho, rounded down."""
        return self.epsilon(share) if norm is Norm.L1 else 2 * self.mu(share)

    def epsilon(self, share: Fraction) -> Fraction:
        """The epsilon of a share, for Laplace noise."""
        measure = self.request.measure
        if isinstance(measure, ZeroConcentrated):
            return pure_epsilon_of(ZeroConcentrated(measure.rho * share))
        return measure.epsilon * share

    def mu(self, share: Fraction) -> Fraction:
        """The mu of a share, for Gaussian noise, rounded down."""
        square = self.squared_mu * share
        return lower(lambda: ball(square).sqrt())

    @property
    def laws(self) -> tuple[str, ...]:
        measure = self.request.measure
        pure = isinstance(measure, Pure) or (isinstance(measure, Approx) and measure.delta == 0)
        return ("laplace",) if pure else ("laplace", "gaussian")


def noise_for(bounded: Bounded, term: Term, means: Means, share: Fraction) -> Noise | None:
    """The noise of one total for its share; None where its sensitivity is 0."""
    sensitivity = bounded.sensitivity(term)
    return None if sensitivity.value == 0 else noise_with(sensitivity, means, share)


def noise_with(sensitivity: Sensitivity, means: Means, share: Fraction) -> Noise:
    """The noise that hides a move of this size, for a share: Laplace in L1, Gaussian in L2."""
    made: Noise
    if sensitivity.norm is Norm.L1:
        made = Geometric(scale=sensitivity.value / means.epsilon(share), sensitivity=sensitivity)
    else:
        made = Gaussian(sigma=sensitivity.value / means.mu(share), sensitivity=sensitivity)
    if made.spread > _WIDEST:
        raise CalibrationError(
            "the noise would be wider than can be drawn.",
            remedy="Ask with more epsilon, or state fewer groups and rows per group.",
        )
    return made


def weights_of(recipes: tuple[Recipe, ...], given: Mapping[str, Fraction]) -> dict[Term, Fraction]:
    """What each total weighs: the squared pulls of all aggregates on it, times their own
    weights.
    """
    found: dict[Term, Fraction] = {}
    for recipe in recipes:
        weight = given.get(recipe.aggregate.name, Fraction(1))
        for term, pull in zip(recipe.terms, recipe.pulls, strict=True):
            found[term] = found.get(term, Fraction(0)) + weight * pull**2
    return found


def shares_of(weights: list[Fraction], law: str) -> list[Fraction]:
    """Shares of a request, which sum to exactly 1."""
    power = 1 / 3 if law == "laplace" else 1 / 2
    if not weights:
        return []
    raw = [max(float(weight), 1e-6) ** power for weight in weights]
    # Shares are fractions of a whole number of parts, so that they add up to exactly 1 although
    # the weights were floats.
    parts = [max(1, round(_CUT * each / sum(raw))) for each in raw]
    return [Fraction(part, sum(parts)) for part in parts]
