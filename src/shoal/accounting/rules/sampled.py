"""Prices of releases from a secret sample.

Sampling never raises a price: what is released is an average, over the rest of the sample, of pairs of laws
each of which keeps the price of the release inside (or of a pair of equal laws), and each unit here grows
at most to the largest of the averaged ones.  Each rule takes the least of that and of what its theorems give.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from shoal.accounting.pricing import Bill, Line, bill, line_price, total
from shoal.accounting.registry import prices
from shoal.accounting.sampling import (
    fixed_size_divergence_up,
    sampled_divergence_up,
    sampled_epsilon_up,
    sampled_gaussian_divergence_up,
    sampled_pure_divergence_up,
    sampled_symmetric_divergence_up,
)
from shoal.accounting.unit import Unit, told
from shoal.events import (
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    PoissonSampled,
    SampledWithoutReplacement,
    StatedGaussian,
)
from shoal.measures import (
    Approx,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
    pure_divergence_up,
    pure_mu_up,
    pure_rho_up,
)
from shoal.sensitivity import Relation

Sampled = PoissonSampled | SampledWithoutReplacement


def _rate(event: Sampled) -> Fraction:
    if isinstance(event, PoissonSampled):
        return event.rate
    return Fraction(event.sample, event.population)


def _inside(event: Sampled, unit: Unit) -> Fraction | None:
    """What the release inside costs, for neighbours of the sample."""
    poisson = isinstance(event, PoissonSampled)
    return total(event.event, str(Relation.ADD_REMOVE if poisson else Relation.CHANGE), unit)


@prices(PoissonSampled, SampledWithoutReplacement, by=Approx)
def sampled_failing(event: Sampled, unit: Unit) -> Fraction | None:
    """The rate times the delta inside: only a row in the sample can be told.

    Reference: Balle, Barthe and Gaboardi 2018, Theorems 8 and 9.
    """
    mass = _rate(event) * told(_inside(event, unit))
    return None if mass == 1 else mass


@prices(PoissonSampled, SampledWithoutReplacement, by=Pure)
def sampled_epsilon(event: Sampled, unit: Unit) -> Fraction | None:
    """`sampled_epsilon_up` of the epsilon inside."""
    inside, rate = _inside(event, unit), _rate(event)
    if (
        rate == 0 or _inside(event, unit.at(Approx)) is None
    ):  # what is not told is not in the sample
        return Fraction(0)
    return None if inside is None else sampled_epsilon_up(inside, rate=rate)


@prices(PoissonSampled, SampledWithoutReplacement, by=ZeroConcentrated)
def sampled_rho(event: Sampled, unit: Unit) -> Fraction | None:
    """The less of rho inside and of what the sampled epsilon implies."""
    epsilon = sampled_epsilon(event, unit.at(Pure))
    return _least(_inside(event, unit), None if epsilon is None else pure_rho_up(epsilon))


@prices(PoissonSampled, SampledWithoutReplacement, by=GaussianDP)
def sampled_square(event: Sampled, unit: Unit) -> Fraction | None:
    """The less of mu² inside and of what the sampled epsilon implies."""
    epsilon = sampled_epsilon(event, unit.at(Pure))
    return _least(_inside(event, unit), None if epsilon is None else pure_mu_up(epsilon) ** 2)


@prices(PoissonSampled, SampledWithoutReplacement, by=Renyi)
def sampled_divergence(event: Sampled, unit: Unit) -> Fraction | None:
    """The least of the divergence inside, of what the sampled epsilon implies, and of the theorems.

    Edges: the theorems are about releases without a failing mass; with one, only the first two are used.
    """
    order, epsilon = unit.at_order, sampled_epsilon(event, unit.at(Pure))
    plain = None if epsilon is None else pure_divergence_up(epsilon, order=order)
    known = [_inside(event, unit), plain]
    if _rate(event) not in (0, 1) and _inside(event, unit.at(Approx)) == 0:
        poisson = isinstance(event, PoissonSampled)
        known.append(_poisson(event, unit) if poisson else _fixed_size(event, unit))
    return _least(*known)


def _poisson(event: Sampled, unit: Unit) -> Fraction | None:
    order, rate = unit.at_order, _rate(event)
    inside = bill(event.event, str(Relation.ADD_REMOVE))
    epsilon = _inside(event, unit.at(Pure))
    known: list[Fraction | None] = []
    if epsilon is not None:
        known.append(sampled_pure_divergence_up(epsilon, rate=rate, order=order))
    if all(isinstance(line.event, Gaussian | StatedGaussian) for line in inside):
        square = _inside(event, unit.at(GaussianDP)) or Fraction(0)
        known.append(sampled_gaussian_divergence_up(square, rate=rate, order=order))
    elif any(isinstance(line.event, _NOISE) for line in inside) and _is_symmetric(inside, unit):
        symmetric = _curve(inside, unit)
        known.append(sampled_symmetric_divergence_up(symmetric, rate=rate, order=order))
    elif epsilon is None:
        known.append(
            sampled_divergence_up(
                lambda at: _inside(event, unit.at(Renyi, Fraction(at))), rate=rate, order=order
            )
        )
    return _least(*known)


_NOISE = Laplace | Geometric | DiscreteGaussian | Gaussian | StatedGaussian
"""Kinds whose price in divergences is that of two laws which a reflection exchanges."""


def _is_symmetric(inside: Bill, unit: Unit) -> bool:
    """Whether all releases from one sample have symmetric pairs that dominate them, together too.

    Those of noise are two laws a shift apart; randomized response stands for whatever has an epsilon.  Discrete
    Gaussian noise on several numbers has such a pair for any two neighbours, but none for all of them, and
    so must be the only release.
    """
    if sum(inside.values()) > 1:
        kept = [line.event for line in inside if isinstance(line.event, DiscreteGaussian)]
        if any(event.size > 1 for event in kept):
            return False
    return _curve(inside, unit)(2) is not None


def _curve(inside: Bill, unit: Unit) -> Callable[[int], Fraction | None]:
    """The divergence at each whole order of the symmetric pair that dominates all releases of a bill together."""

    def at(order: int) -> Fraction | None:
        whole = Fraction(0)
        for line, times in inside.items():
            cost = _symmetric_price(line, unit.at(Renyi, Fraction(order)))
            if cost is None:
                return None
            whole += times * cost
        return whole

    return at


def _symmetric_price(line: Line, unit: Unit) -> Fraction | None:
    if isinstance(line.event, _NOISE):
        return line_price(line, unit)
    epsilon = line_price(line, unit.at(Pure))
    return None if epsilon is None else pure_divergence_up(epsilon, order=unit.at_order)


def _fixed_size(event: Sampled, unit: Unit) -> Fraction | None:
    return fixed_size_divergence_up(
        lambda at: _inside(event, unit.at(Renyi, Fraction(at))),
        epsilon=_inside(event, unit.at(Pure)),
        rate=_rate(event),
        order=unit.at_order,
    )


def _least(*prices: Fraction | None) -> Fraction | None:
    return min((price for price in prices if price is not None), default=None)
