"""Mixtures of Gaussians: noise around a centre that is itself drawn at random."""

from __future__ import annotations

from fractions import Fraction

from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from, normal_loss
from shoal.events import Gaussian, MixtureOfGaussians
from shoal.exact import float_up
from shoal.loss import (
    Components,
    LossDistribution,
    MixtureNormalLoss,
    SampledNormalLoss,
)
from shoal.measures import GaussianDP
from shoal.sensitivity import Relation

MOST_COMPONENTS = 256
"""Mixtures of more normal laws than this are priced by their longest shift alone."""

_LEAST_WEIGHT = 1e-280
_TWO = 2


def mixture_square(event: MixtureOfGaussians, unit: Unit) -> Fraction:  # noqa: ARG001
    """(Longest shift / sigma)²: an average of pairs of laws, each of which keeps this price.

    Reference: Dong, Roth and Su 2022, Theorem 2.7, and that delta is convex in the pair of laws.
    """
    return (_longest(event) / event.sigma) ** 2


def mixture_loss(event: MixtureOfGaussians, size: int) -> ReleaseLoss | None:
    """The loss of the mixture against the plain law, and the other way round.

    Guarantee: longer shifts and the weights as floats hold them stand for the exact ones (loss.md,
        *Groups in a sample*).
    Edges: for groups only the longest shift is known to hold, so many times; then nothing is known
        from below.
    """
    components, longest = _components(event), _longest(event)
    if longest == 0:
        return loss_from()
    if size > 1:
        found = normal_loss(size * longest / event.sigma)
        return ReleaseLoss(found.distribution, attained=False)
    if len(components) == 1:
        return normal_loss(longest / event.sigma)
    if not _fits(components):
        return None
    if len(components) == _TWO and 0 in components:
        rate, mu = float_up(components[longest]), float_up(longest / event.sigma)
        if rate == 1:
            return None
        both = [SampledNormalLoss(rate, mu, removed) for removed in (True, False)]
        return ReleaseLoss(LossDistribution.of(*both))
    mixed, plain = _in_floats(event), ((0.0, 1.0),)
    return ReleaseLoss(
        LossDistribution.of(MixtureNormalLoss(mixed, plain), MixtureNormalLoss(plain, mixed))
    )


def mixture_loss_of_changes(event: MixtureOfGaussians, rows: int) -> ReleaseLoss | None:
    """The loss where one row changes: the mixture on one side of 0 against the mixture on the
    other; None for more rows.

    Guarantee: with beta what a test has without the row, it has at most the mean of Φ(z + shift)
        with it, and at least the mean of Φ(z - shift) with the other, z = Φ^-1(beta); a half line
        attains both.  Proof: loss.md, *Groups in a sample*.
    """
    if rows > 1 or _longest(event) == 0 or not _fits(_components(event)):
        return None
    return loss_from(MixtureNormalLoss(_in_floats(event), _in_floats(event)))


def _fits(components: dict[Fraction, Fraction]) -> bool:
    """Whether the mixture is small enough to be added up, and its weights large enough for
    floats.
    """
    return len(components) <= MOST_COMPONENTS and min(components.values()) >= _LEAST_WEIGHT


def _in_floats(event: MixtureOfGaussians) -> Components:
    """Shifts in standard deviations, rounded up, and their weights."""
    return tuple(
        (float_up(shift / event.sigma), float(weight))
        for shift, weight in sorted(_components(event).items())
    )


def _components(event: MixtureOfGaussians) -> dict[Fraction, Fraction]:
    """The shifts that occur, each with its weight."""
    found: dict[Fraction, Fraction] = {}
    for shift, weight in zip(event.shifts, event.weights, strict=True):
        if weight:
            found[shift] = found.get(shift, Fraction(0)) + weight
    return found


def _longest(event: MixtureOfGaussians) -> Fraction:
    return max(_components(event))


def _for_group(event: MixtureOfGaussians, size: int) -> Gaussian:
    """Every step is one of at most the longest shift."""
    return Gaussian(event.sigma, size * _longest(event), relation=event.relation)


register(
    MixtureOfGaussians,
    KindOfEvent(
        prices={GaussianDP: mixture_square},
        loss=mixture_loss,
        loss_of_changes=mixture_loss_of_changes,
        for_group=_for_group,
        relation=str(Relation.ADD_REMOVE),
    ),
)
