"""Promises that a limit is for: kept by a curator, by every respondent, or by both around a
shuffler.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from shoal.errors import ConversionError, RangeError
from shoal.exact import Number, ball, positive
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated

KNOWN = (Pure, Approx, ZeroConcentrated, GaussianDP)


@dataclass(frozen=True)
class Central:
    """A trusted curator releases under this measure."""

    measure: Measure

    def __post_init__(self) -> None:
        if not isinstance(self.measure, KNOWN):
            raise ConversionError(
                f"no lower bound is known here for a promise in {type(self.measure).__name__}.",
                remedy="Give Pure, Approx, ZeroConcentrated or GaussianDP.",
            )


@dataclass(frozen=True, init=False)
class Local:
    """Each report is epsilon-DP by itself, one round per person, later ones may look at earlier
    reports.
    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))


@dataclass(frozen=True, init=False)
class ShuffledPromise:
    """Reports in random order: each is ``local`` epsilon-DP, all together keep ``central``; one of
    them may be None.

    What comes out of a shuffler is a function of the reports, so the limit of the local model
    holds; and it is a central release, so the limit of the central model holds too.
    """

    local: Fraction | None
    central: Measure | None

    def __init__(self, *, local: Number | None = None, central: Measure | None = None) -> None:
        if local is None and central is None:
            raise RangeError(
                "local and central are both missing.",
                remedy="Say what each report promises, or what all of them do, or both.",
            )
        kept = None if local is None else positive(local, "local")
        object.__setattr__(self, "local", kept)
        object.__setattr__(self, "central", None if central is None else Central(central).measure)


Promise = Central | Local | ShuffledPromise


def read(promise: Promise | Measure) -> tuple[Central | Local, ...]:
    """The promises that hold, each of which gives a limit; a plain measure is central."""
    if isinstance(promise, Central | Local):
        return (promise,)
    if isinstance(promise, ShuffledPromise):
        found: list[Central | Local] = []
        if promise.local is not None:
            found.append(Local(promise.local))
        if promise.central is not None:
            found.append(Central(promise.central))
        return tuple(found)
    return (Central(promise),)


def central(promise: Promise | Measure) -> Central:
    """The central promise, for limits that are about one dataset; a local one alone has none
    here.
    """
    for each in read(promise):
        if isinstance(each, Central):
            return each
    raise ConversionError(
        "this limit is about one dataset in the hands of a curator.",
        remedy="Give a measure, or ask for the limit of the population.",
    )


def group_overlap(measure: Measure, rows: int) -> arb:
    """At or below 1 - TV of the outputs on two datasets so many rows apart, at the precision in
    force.

    Pure: 2 / (1 + e^(h eps)).  Approx: 2 (1 - delta_h) / (1 + e^(h eps)), delta_h = delta (e^(h
        eps) - 1) / (e^eps - 1).
    Gaussian: 2 Phi(-h mu / 2).  Zero-concentrated: KL <= rho h^2, with Pinsker or
        Bretagnolle-Huber.
    """
    if rows == 0:
        return arb(1)
    if isinstance(measure, GaussianDP):
        return (ball(rows * measure.mu) / (2 * arb(2).sqrt())).erfc()
    if isinstance(measure, ZeroConcentrated):
        return overlap_of_divergence(ball(measure.rho * rows * rows))
    price: Any = measure
    grown = ball(rows * price.epsilon).exp()
    overlap = 2 / (1 + grown)
    if isinstance(measure, Approx) and measure.delta > 0:
        terms = ball(Fraction(rows))
        if measure.epsilon > 0:
            terms = ball(rows * measure.epsilon).expm1() / ball(measure.epsilon).expm1()
        overlap = overlap * (1 - ball(measure.delta) * terms)
    return overlap.max(arb(0))


def overlap_of_divergence(divergence: arb) -> arb:
    """1 - TV >= 1 - sqrt(KL / 2) (Pinsker) and >= 1 - sqrt(1 - e^-KL) (Bretagnolle and Huber)."""
    pinsker = 1 - (divergence / 2).sqrt()
    huber = 1 - (-(-divergence).expm1()).sqrt()
    return pinsker.max(huber)
