"""The noise of each total: how a request is shared among them, and which law has the least error.

Between totals the shares make the sum of squared relative errors least.  Laplace noise of epsilon e
has variance in 1 / e^2, so shares of epsilon go with the cube root of what a total weighs; Gaussian
noise has variance in 1 / rho, so shares of rho go with the square root.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from shoal.errors import CalibrationError
from shoal.events import Event
from shoal.exact import ball, lower
from shoal.measures import Approx, Pure, ZeroConcentrated
from shoal.mechanisms import Gaussian, Geometric
from shoal.mechanisms.affordable_parameters import gaussian_mu_of, pure_epsilon_of, rho_of
from shoal.plan import Bounded, Term, Value
from shoal.query.paired_noise import PairedNoise
from shoal.query.payment import CostRequest
from shoal.query.recipes import Recipe
from shoal.sensitivity import Norm, Sensitivity

Noise = Geometric | Gaussian

_CUT = 1 << 16
_WIDEST = 1 << 60
NORMS = {"laplace": Norm.L1, "gaussian": Norm.L2}
"""The laws of noise by name, each with the norm in which it needs totals to be bounded."""


@dataclass(frozen=True)
class Noised:
    """Bounded totals and the noise that each will get; None for a total that no data can move, and
    the same for both of a pair.
    """

    bounded: Bounded
    law: str
    mechanisms: tuple[Noise | PairedNoise | None, ...]

    def of(self, term: Term) -> Noise | PairedNoise | None:
        return self._by_term[term]

    @cached_property
    def _by_term(self) -> dict[Term, Noise | PairedNoise | None]:
        """Each term is looked up many times, and a question may have a thousand of them."""
        found: dict[Term, Noise | PairedNoise | None] = {}
        for term, mechanism in zip(self.bounded.terms, self.mechanisms, strict=True):
            found.setdefault(term, mechanism)
        return found

    @property
    def pairs(self) -> tuple[PairedNoise, ...]:
        """The pairs among the totals, each once."""
        return tuple(dict.fromkeys(m for m in self.mechanisms if isinstance(m, PairedNoise)))

    def errors(
        self,
        recipes: Sequence[Recipe],
        confidence: Fraction,
        *,
        size: int = 1,
        beside: Sequence[Recipe] = (),
    ) -> dict[Hashable, float]:
        """How far each total can be off in any of ``size`` groups, such that all hold together at a
        confidence, with those of recipes ``beside`` them; one without noise always holds.

        Of a sum that is made of a pair of totals it is the error of the sum, under both of them:
        where the noise of one cancels, it is less than their errors one by one.
        """
        wanted = dict.fromkeys(what for recipe in recipes for what in self._stated(recipe))
        others = (what for recipe in beside for what in self._stated(recipe))
        noisy = [what for what in dict.fromkeys([*wanted, *others]) if self._moves(what)]
        each = 1 - (1 - confidence) / max(1, len(noisy))
        return {
            what: self.error(what, each, size=size)
            if isinstance(what, Term)
            else self._error_of_sum_of_two(what, each, size)
            for what in wanted
        }

    def _stated(self, recipe: Recipe) -> tuple[Term | tuple[Term, ...], ...]:
        """What an error is stated of: each total, or the sum of a pair."""
        noise = self.of(recipe.terms[0]) if recipe.adds_up else None
        if isinstance(noise, PairedNoise) and noise is self.of(recipe.terms[1]):
            return (recipe.terms,)
        return recipe.terms

    def _moves(self, what: Term | tuple[Term, ...]) -> bool:
        return not isinstance(what, Term) or self.of(what) is not None

    def _error_of_sum_of_two(
        self, terms: tuple[Term, ...], confidence: Fraction, size: int
    ) -> float:
        """That of a centred sum plus the middle times the count."""
        total, count = terms
        noise = self.of(total)
        assert isinstance(noise, PairedNoise)
        middle = total.middle * total.step
        worths = {total: self.bounded.worth(total), count: middle * self.bounded.worth(count)}
        return float(noise.error_of_combination(worths, confidence, size=size))

    def error(self, term: Term, confidence: Fraction, *, size: int = 1) -> float:
        """How far a total can be off at this confidence, on the number line of its argument."""
        mechanism = self.of(term)
        if mechanism is None:
            return 0.0
        if isinstance(mechanism, PairedNoise):
            steps = mechanism.error(term, confidence, size=size)
        else:
            steps = Fraction(_steps(mechanism, confidence, size))
        return float(steps * self.bounded.worth(term))

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
        worth = float(self.bounded.worth(term))
        each = self.error(term, confidence, size=count) * count
        spread, tail = float(mechanism.spread), math.log(2 / float(1 - confidence))
        draws = count
        if isinstance(mechanism, PairedNoise):  # two noises in each group, each weighed
            draws, worth = 2 * count, worth * float(mechanism.weight(term))
        if isinstance(mechanism, Gaussian):
            best = spread * math.sqrt(2 * draws * tail)
        else:
            steps = (k / 64 / spread for k in range(1, 64))
            best = min((tail - draws * math.log1p(-((t * spread) ** 2))) / t for t in steps)
        return min(best * (1 + 1e-9) * worth, each) * (1 + 1e-12)

    def error_of_groups(
        self, term: Term, confidence: Fraction, groups: Sequence[Mapping[str, Value]]
    ) -> float:
        """The same for groups that are named, each by the values of its keys."""
        return self.error_of_sum(term, confidence, len(groups))

    def deviation(self, term: Term) -> float:
        """About the standard deviation of a total."""
        mechanism = self.of(term)
        if mechanism is None:
            return 0.0
        # Laplace noise of scale b has variance 2 b^2; that of a Gaussian is its spread squared.
        root = 2**0.5 if isinstance(mechanism, Geometric) else 1.0
        if isinstance(mechanism, PairedNoise):
            root = 2 * float(mechanism.weight(term))
        return float(mechanism.spread * self.bounded.worth(term)) * root

    def events(self, size: int) -> list[Event]:
        """What will be released, for so many groups; a pair once."""
        alone = [m for m in self.mechanisms if m is not None and not isinstance(m, PairedNoise)]
        return [each.event_for(size=max(1, size)) for each in (*alone, *self.pairs)]


@lru_cache(maxsize=4096)
def _steps(mechanism: Noise, confidence: Fraction, size: int) -> float:
    """How many steps noise can be off; kept, since answers that are given again ask it again."""
    return mechanism.error(confidence, size=size, integers=True)


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
