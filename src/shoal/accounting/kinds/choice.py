"""Releases in which a candidate was chosen."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from shoal.accounting.bounded_range import bounded_range_divergence_up
from shoal.accounting.quantities import SQUARED_MU, Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from, normal_loss
from shoal.events import (
    Event,
    Exponential,
    GaussianNoisyMax,
    NoisyMax,
    PermuteAndFlip,
    Repeated,
    TopK,
)
from shoal.exact import float_up, root_up
from shoal.loss import BoundedRangeLoss
from shoal.measures import GaussianDP, Pure, Renyi, ZeroConcentrated, pure_rho_up
from shoal.sensitivity import Relation

_Choice = TypeVar("_Choice", Exponential, PermuteAndFlip, NoisyMax)


def choice_epsilon(event: Exponential | PermuteAndFlip | NoisyMax, unit: Unit) -> Fraction:  # noqa: ARG001
    """Epsilon, which is part of the law of each; nothing where there is only one candidate to
    choose.

    Reference: McSherry and Talwar 2007; McKenna and Sheldon 2020; Ding and others 2021.
    """
    return event.epsilon if event.candidates > 1 else Fraction(0)


def exponential_rho(event: Exponential, unit: Unit) -> Fraction:
    """Epsilon² / 8, exactly: all losses between two neighbours lie within a range of length
    epsilon.

    Reference: Cesar and Rogers 2021, Lemma 3.2; Dong, Durfee and Rogers 2020 for the bounded range.
    """
    epsilon = choice_epsilon(event, unit)
    return min(epsilon**2 / 8, pure_rho_up(epsilon))


def exponential_divergence(event: Exponential, unit: Unit) -> Fraction:
    """`bounded_range_divergence_up`: the exact curve of the worst choice of this range."""
    return bounded_range_divergence_up(choice_epsilon(event, unit), order=unit.at_order)


def exponential_loss(event: Exponential, size: int) -> ReleaseLoss | None:
    """The least loss above every choice of this range; no single choice attains it."""
    if event.candidates == 1:
        return None
    return loss_from(BoundedRangeLoss(float_up(size * event.epsilon)), attained=False)


def _for_group(event: _Choice, size: int) -> _Choice:
    """With each step the loss of a choice moves through a range of epsilon, so of k epsilon in
    all.
    """
    return replace(event, epsilon=event.epsilon * size, sensitivity=event.sensitivity * size)


def _noisy_max(event: NoisyMax) -> Event:
    """Gumbel noise chooses as the exponential mechanism, exponential noise as permute-and-flip.

    Reference: Durfee and Rogers 2019; Ding and others 2021.
    """
    if event.noise == "laplace":
        return event
    kind = Exponential if event.noise == "gumbel" else PermuteAndFlip
    return kind(
        epsilon=event.epsilon,
        sensitivity=event.sensitivity,
        candidates=event.candidates,
        monotone=event.monotone,
        relation=event.relation,
    )


def _top_k(event: TopK) -> Event:
    """The k largest scores with Gumbel noise are k exponential mechanisms, one after another.

    Reference: Durfee and Rogers 2019.
    """
    one = Exponential(
        epsilon=event.epsilon / event.k,
        sensitivity=event.sensitivity,
        candidates=event.candidates,
        monotone=event.monotone,
        relation=event.relation,
    )
    return Repeated(one, event.k)


def noisy_votes_square(event: GaussianNoisyMax, unit: Unit) -> Fraction:  # noqa: ARG001
    """2 / sigma², exactly: one count falls by 1 and another rises by 1, so the counts move by √2 in
    L2.

    The label is a function of all noisy counts.  With two candidates it is the sign of one normal
    number of variance 2 sigma² that moves by 2, which has the same mu: nothing smaller holds for
    every number of votes and every sigma.  Divergences of order α are α / sigma², as published.
    Reference: Papernot and others 2018, Proposition 8.
    """
    return 2 / event.sigma**2 if event.candidates > 1 else Fraction(0)


def noisy_votes_loss(event: GaussianNoisyMax, size: int) -> ReleaseLoss:
    """That of the noisy counts, of which the label is a function; so nothing is known from
    below.
    """
    square = noisy_votes_square(event, SQUARED_MU)
    return replace(normal_loss(root_up(size**2 * square)), attained=False)


register(
    GaussianNoisyMax,
    KindOfEvent(
        prices={GaussianDP: noisy_votes_square},
        loss=noisy_votes_loss,
        relation=str(Relation.CHANGE),
    ),
)
register(
    Exponential,
    KindOfEvent(
        prices={
            Pure: choice_epsilon,
            ZeroConcentrated: exponential_rho,
            Renyi: exponential_divergence,
        },
        loss=exponential_loss,
        for_group=_for_group,
    ),
)
register(PermuteAndFlip, KindOfEvent(prices={Pure: choice_epsilon}, for_group=_for_group))
register(
    NoisyMax, KindOfEvent(prices={Pure: choice_epsilon}, for_group=_for_group, unfold=_noisy_max)
)
register(TopK, KindOfEvent(unfold=_top_k))
