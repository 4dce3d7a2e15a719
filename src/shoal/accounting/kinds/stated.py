"""Releases of which only a promise is known: the promise itself is the price."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from shoal.accounting.joint_promises import LARGEST, StatedPoints, stated_points
from shoal.accounting.pricing import group_delta_up
from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from, normal_loss, pure_loss
from shoal.events import (
    NonPrivate,
    StatedApprox,
    StatedGaussian,
    StatedProfile,
    StatedPure,
    StatedRandom,
    StatedRenyi,
    StatedZeroConcentrated,
)
from shoal.measures import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated, pure_divergence_up


def stated_epsilon(event: StatedPure | StatedApprox, unit: Unit) -> Fraction:  # noqa: ARG001
    """Epsilon; for an approximate promise it is the price of what happens outside its failing
    mass.
    """
    return event.epsilon


def stated_failing(event: StatedApprox, unit: Unit) -> Fraction | None:  # noqa: ARG001
    """Delta; no sum is finite for delta 1, which promises nothing."""
    return None if event.delta == 1 else event.delta


def stated_loss(event: StatedPure | StatedApprox, size: int) -> ReleaseLoss | None:
    """Randomized response, which keeps the promise and no more.

    Edges: None for groups, whose promise is weaker than randomized response: the steps between must
    be kept, too.
    """
    return pure_loss(event.epsilon) if size == 1 else None


def nothing_promised(event: NonPrivate | StatedRandom, unit: Unit) -> None:  # noqa: ARG001
    """No price in any measure; a promise for most neighbours is none for all."""
    return


def stated_rho(event: StatedZeroConcentrated, unit: Unit) -> Fraction:  # noqa: ARG001
    return event.rho


def stated_square(event: StatedGaussian, unit: Unit) -> Fraction:  # noqa: ARG001
    return event.mu**2


def stated_divergence(event: StatedRenyi, unit: Unit) -> Fraction | None:
    """The stated curve, between its orders by convexity; None above the last.

    Reference: van Erven and Harremoës 2014, Corollary 2; see `shoal.measures.curve`.
    """
    order = unit.at_order
    return _curve(event).epsilon_at(order) if order <= event.orders[-1] else None


@lru_cache(maxsize=1 << 8)
def _curve(event: StatedRenyi) -> Renyi:
    return Renyi(zip(event.orders, event.epsilons, strict=True))


def _points(event: StatedProfile) -> StatedPoints:
    return stated_points(event.epsilons, event.deltas)


def profile_epsilon(event: StatedProfile, unit: Unit) -> Fraction:  # noqa: ARG001
    """The epsilon of the promise with the least delta: the largest loss where not everything is
    told.
    """
    return _points(event).last[0]


def profile_failing(event: StatedProfile, unit: Unit) -> Fraction | None:  # noqa: ARG001
    """The least delta; see `shoal.accounting.joint_promises`."""
    delta = _points(event).last[1]
    return None if delta == 1 else delta


def profile_divergence(event: StatedProfile, unit: Unit) -> Fraction | None:
    """The divergence of the one pair that keeps the promises and no more, when not everything is
    told.
    """
    points = _points(event)
    epsilon, delta = points.last
    if delta == 1:
        return Fraction(0)
    if epsilon > LARGEST:
        return pure_divergence_up(epsilon, order=unit.at_order)
    return points.divergence_up(unit.at_order)


def profile_loss(event: StatedProfile, size: int) -> ReleaseLoss | None:
    """The loss of the one pair that keeps the promises and no more.

    Edges: for a group, that of what the promises imply for it; no release is known to attain it,
        nor where a promise was left out for its large epsilon.
    """
    points = _points(event if size == 1 else _profile_for_group(event, size))
    epsilon, delta = points.last
    if delta == 1:
        return None
    attained = size == 1 and len(points.points) == len(event.epsilons)
    if epsilon > LARGEST:
        return pure_loss(epsilon, attained=attained)
    loss = points.loss()
    return loss_from(*([] if loss is None else [loss]), attained=attained)


def _profile_for_group(event: StatedProfile, size: int) -> StatedProfile:
    """Each promise by itself, for the group."""
    deltas = [
        group_delta_up(epsilon, delta, size=size)
        for epsilon, delta in zip(event.epsilons, event.deltas, strict=True)
    ]
    return replace(event, epsilons=[one * size for one in event.epsilons], deltas=deltas)


def _approx_for_group(event: StatedApprox, size: int) -> StatedApprox:
    delta = group_delta_up(event.epsilon, event.delta, size=size)
    return StatedApprox(event.epsilon * size, delta)


def _rho_for_group(event: StatedZeroConcentrated, size: int) -> StatedZeroConcentrated:
    """Reference: Bun and Steinke 2016, Proposition 1.9."""
    return replace(event, rho=event.rho * size**2)


def _mu_for_group(event: StatedGaussian, size: int) -> StatedGaussian:
    """Reference: Dong, Roth and Su 2022, Theorem 2.14."""
    return replace(event, mu=event.mu * size)


register(
    StatedPure,
    KindOfEvent(
        prices={Pure: stated_epsilon},
        loss=stated_loss,
        for_group=lambda event, size: StatedPure(event.epsilon * size),
    ),
)
register(
    StatedApprox,
    KindOfEvent(
        prices={Pure: stated_epsilon, Approx: stated_failing},
        loss=stated_loss,
        for_group=_approx_for_group,
    ),
)
register(
    StatedZeroConcentrated,
    KindOfEvent(prices={ZeroConcentrated: stated_rho}, for_group=_rho_for_group),
)
register(
    StatedGaussian,
    KindOfEvent(
        prices={GaussianDP: stated_square},
        loss=lambda event, size: normal_loss(size * event.mu),
        for_group=_mu_for_group,
        has_normal_loss=True,
        is_symmetric=lambda _event, _alone: True,
    ),
)
register(
    StatedProfile,
    KindOfEvent(
        prices={Pure: profile_epsilon, Approx: profile_failing, Renyi: profile_divergence},
        loss=profile_loss,
        for_group=_profile_for_group,
        is_symmetric=lambda _event, _alone: True,
    ),
)
# for groups the theorem in general serves: Mironov's, at doubled orders
register(
    StatedRenyi,
    KindOfEvent(prices={Renyi: stated_divergence}, orders=lambda event: event.orders),
)
register(
    NonPrivate,
    KindOfEvent(prices={Approx: nothing_promised}, for_group=lambda event, _size: event),
)
register(
    StatedRandom,
    KindOfEvent(
        prices={Approx: nothing_promised},
        for_group=lambda event, _size: event,
        without_price=(
            "an event of kind 'stated_random' holds for most neighbours only, so it has no price in differential privacy.",
            "Release with a sensitivity that is proven for all neighbours.",
        ),
    ),
)
