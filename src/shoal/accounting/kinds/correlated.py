"""Gaussian noise that is correlated over the steps of a stream."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from shoal.accounting.participation import SquaredSensitivity, toeplitz_square
from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, normal_loss
from shoal.accounting.tree_participation import tree_square
from shoal.events import CorrelatedGaussian, TreeAggregation
from shoal.exact import root_up
from shoal.measures import GaussianDP

Correlated = CorrelatedGaussian | TreeAggregation


def _whole_square(event: Correlated) -> SquaredSensitivity:
    """The squared sensitivity of the whole stream, for contributions of norm 1."""
    if isinstance(event, TreeAggregation):
        return tree_square(
            event.steps, participations=event.participations, separation=event.separation
        )
    return toeplitz_square(
        event.coefficients,
        steps=event.steps,
        participations=event.participations,
        separation=event.separation,
    )


def correlated_square(event: Correlated, unit: Unit) -> Fraction:  # noqa: ARG001
    """(Sensitivity of the whole stream / sigma)²: the stream tells no more than one normal moved by
    that.

    Guarantee: also where contributions, and who takes part, depend on what was released before
        (`participation.md`).
    Reference: Denisov, McMahan, Rush, Smith and Thakurta 2022, Theorem 2.1, for adaptive streams of
        which one person contributes to one step; Choquette-Choo and others 2023, for several.
    """
    return _whole_square(event).square * (event.sensitivity / event.sigma) ** 2


def correlated_loss(event: Correlated, size: int) -> ReleaseLoss:
    """Normal; attained where the sensitivity of the whole stream is."""
    whole = _whole_square(event)
    moved = root_up(whole.square * (size * event.sensitivity / event.sigma) ** 2)
    return replace(normal_loss(moved), attained=whole.attained)


def _for_group(event: Correlated, size: int) -> Correlated:
    return replace(event, sensitivity=event.sensitivity * size)


for _kind in (CorrelatedGaussian, TreeAggregation):
    register(
        _kind,
        KindOfEvent(
            prices={GaussianDP: correlated_square},
            loss=correlated_loss,
            for_group=_for_group,
            has_normal_loss=True,
            is_symmetric=lambda _event, _alone: True,
        ),
    )
