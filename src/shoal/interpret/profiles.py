"""The privacy profile: delta as a function of epsilon, and back, whatever was promised.

A release has the profile δ(ε) when P(S) <= e^ε Q(S) + δ(ε) for every event S and every ε >= 0, both
ways round.  Every measure implies one.  Of two profiles that both hold for a release the smaller at
each ε holds (``&``); if only one of them is known to hold, not which, the larger does (``|``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from shoal.errors import ConversionError, ShapeError
from shoal.exact import Number, closed_unit, non_negative
from shoal.interpret.advantage import Moments, moment_advantage_up
from shoal.measures.approx import Approx
from shoal.measures.measure import Measure
from shoal.measures.one_parameter import Pure


class Profile(ABC):
    """delta as a function of epsilon and back, both rounded up.

    Guarantee: the release is (epsilon, delta)-DP for every epsilon with its `delta_up`, and for
        every delta with its `epsilon_up`.
    Needs: what it was made from is true of the release.
    Edges: where no finite epsilon exists, as for Gaussian noise at delta 0, `epsilon_up` raises
        `ConversionError`.
    Reference: Balle, Barthe and Gaboardi 2018, section 2; Dwork and Roth 2014 for the definition.
    """

    __slots__ = ()

    @abstractmethod
    def delta_up(self, epsilon: Number) -> Fraction:
        """The delta that holds at this epsilon."""

    @abstractmethod
    def epsilon_up(self, delta: Number) -> Fraction:
        """The epsilon that holds at this delta."""

    @property
    @abstractmethod
    def marks(self) -> tuple[Fraction, ...]:
        """Epsilons at which the profile may bend, worth a look in every search."""

    def __and__(self, other: Profile) -> Profile:
        return AllOf((self, other)) if isinstance(other, Profile) else NotImplemented

    def __or__(self, other: Profile) -> Profile:
        return OneOf((self, other)) if isinstance(other, Profile) else NotImplemented


@runtime_checkable
class HasProfile(Protocol):
    """Anything that knows its own profile, such as two finite laws or a trade-off curve."""

    def profile(self) -> Profile:
        """Its profile, both ways round."""
        ...


Promise = Measure | Profile | HasProfile
"""What every view may be asked about."""


def profile(*promises: Promise) -> Profile:
    """The profile of a release about which all the promises given are true.

    Guarantee: the smallest delta, and the smallest epsilon, that any one of them implies.
    Needs: at least one promise; all of them about the same release and the same neighbours.
    Reference: `Profile`; the conversions of each measure.

    >>> both = profile(Approx(1, "1e-6"), Pure(2))
    >>> both.epsilon_up("1e-6"), both.epsilon_up(0), both.delta_up(1)
    (Fraction(1, 1), Fraction(2, 1), Fraction(1, 1000000))
    """
    parts = tuple(_profile(promise) for promise in promises)
    if not parts:
        raise ShapeError("a profile needs at least one promise; got none.", remedy=_REMEDY)
    return parts[0] if len(parts) == 1 else AllOf(parts)


_REMEDY = "Give measures, such as Pure(1) or GaussianDP(0.5)."


def _profile(promise: object) -> Profile:
    if isinstance(promise, Measure):
        return OfMeasure(promise)
    if isinstance(promise, Profile):
        return promise
    if isinstance(promise, HasProfile):
        return promise.profile()
    raise ShapeError(
        f"{type(promise).__name__} is not a promise about privacy and has no profile.",
        remedy=_REMEDY,
    )


@dataclass(frozen=True, slots=True)
class OfMeasure(Profile):
    """The profile that one measure implies, through its conversions and `moment_advantage_up`."""

    measure: Measure

    def delta_up(self, epsilon: Number) -> Fraction:
        delta = self.measure.to_delta(epsilon=epsilon).delta
        return delta if self._advantage is None else min(delta, self._advantage)

    def epsilon_up(self, delta: Number) -> Fraction:
        target = closed_unit(delta, "delta")
        if self._advantage is not None and target >= self._advantage:
            return Fraction(0)
        return self.measure.to_approx(delta=target).epsilon

    @property
    def _advantage(self) -> Fraction | None:
        """The delta at epsilon 0, where a sharper bound is known than the conversion gives."""
        return moment_advantage_up(self.measure) if isinstance(self.measure, Moments) else None

    @property
    def marks(self) -> tuple[Fraction, ...]:
        return (self.measure.epsilon,) if isinstance(self.measure, Pure | Approx) else ()


@dataclass(frozen=True, slots=True)
class AllOf(Profile):
    """The smaller of several profiles that all hold."""

    parts: tuple[Profile, ...]

    def delta_up(self, epsilon: Number) -> Fraction:
        at = non_negative(epsilon, "epsilon")
        return min(part.delta_up(at) for part in self.parts)

    def epsilon_up(self, delta: Number) -> Fraction:
        at = closed_unit(delta, "delta")
        found, refusals = list[Fraction](), list[ConversionError]()
        for part in self.parts:
            try:
                found.append(part.epsilon_up(at))
            except ConversionError as refusal:
                refusals.append(refusal)
        if not found:
            raise refusals[0]
        return min(found)

    @property
    def marks(self) -> tuple[Fraction, ...]:
        return tuple(mark for part in self.parts for mark in part.marks)


@dataclass(frozen=True, slots=True)
class OneOf(Profile):
    """The larger of several profiles of which at least one holds, nobody says which."""

    parts: tuple[Profile, ...]

    def delta_up(self, epsilon: Number) -> Fraction:
        at = non_negative(epsilon, "epsilon")
        return max(part.delta_up(at) for part in self.parts)

    def epsilon_up(self, delta: Number) -> Fraction:
        at = closed_unit(delta, "delta")
        return max(part.epsilon_up(at) for part in self.parts)

    @property
    def marks(self) -> tuple[Fraction, ...]:
        return tuple(mark for part in self.parts for mark in part.marks)
