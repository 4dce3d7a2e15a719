"""The loss of a release that is made only sometimes, by a coin that everyone sees and that no value
moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.loss.bracket import Bracket
from shoal.loss.cells import RELATIVE_ERROR, Cells
from shoal.loss.loss_sources import AtomicLoss, LossSource
from shoal.loss.single_release import KnownAlone

_ON_LATTICE = 1e-12


@dataclass(frozen=True)
class AnsweredLoss:
    """The loss ``inside`` with probability ``rate``, and none otherwise.

    Guarantee: the coin has the same law under P and Q and is seen, so that the loss is 0 where
        nothing was released, and the one inside otherwise.  By itself it needs rate times the delta
        inside.
    Needs: 0 < rate < 1; a loss inside that is known by itself.
    """

    inside: LossSource
    rate: float

    @property
    def spacing(self) -> float | None:
        return self.inside.spacing

    @property
    def largest(self) -> float:
        return max(0.0, self.inside.largest)

    @property
    def moved(self) -> float:
        """How far a true loss can lie from where it is put."""
        return float(getattr(self.inside, "moved", getattr(self.inside, "blur", 0.0)))

    def span(self, smallest: float) -> float:
        return self.inside.span(smallest)

    def cells(self, step: float, smallest: float) -> Cells:
        found = self.inside.cells(step, smallest)
        place = math.floor(-found.origin / step)
        before, after = max(0, -place), max(0, place + 1 - len(found.mass))
        mass = np.pad(found.mass * self.rate, (before, after))
        places = np.pad(found.place, (before, after))
        origin, here = found.origin - before * step, place + before
        share = math.expm1(origin + here * step) / math.expm1(-step)
        both = mass[here] + 1 - self.rate
        places[here] = (mass[here] * places[here] + (1 - self.rate) * share) / both
        mass[here] = both
        return replace(
            found,
            origin=origin,
            mass=mass,
            place=np.clip(places, 0.0, 1.0),
            infinite=found.infinite * self.rate,
            above=found.above * self.rate,
            below=found.below * self.rate,
        )

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        found = self._known.delta_alone(low, high)
        return Bracket(
            self.rate * found.low * (1 - RELATIVE_ERROR),
            self.rate * found.high * (1 + RELATIVE_ERROR),
        )

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        share = delta / Fraction(self.rate)
        if share >= 1:
            return Bracket(0.0, 0.0)
        slack = Fraction(RELATIVE_ERROR)
        most = self._known.epsilon_alone(share * (1 - slack))
        least = self._known.epsilon_alone(min(share * (1 + slack), Fraction(1) - slack))
        return Bracket(min(least.low, most.high), most.high)

    @property
    def _known(self) -> KnownAlone:
        assert isinstance(self.inside, KnownAlone)
        return self.inside


def answered_loss(inside: LossSource, rate: float) -> LossSource | None:
    """The loss inside with probability ``rate``; None where nothing is known of the one inside by
    itself.
    """
    if isinstance(inside, AtomicLoss):
        return _answered_atoms(inside, rate)
    return AnsweredLoss(inside, rate) if isinstance(inside, KnownAlone) else None


def _answered_atoms(inside: AtomicLoss, rate: float) -> AtomicLoss:
    silent = math.fsum([1 - rate, *(rate * mass for loss, mass in inside.atoms if loss == 0)])
    atoms = [(loss, rate * mass) for loss, mass in inside.atoms if loss != 0]
    atoms.append((0.0, silent))
    return AtomicLoss(tuple(atoms), infinite=rate * inside.infinite, unit=_with_zero(inside))


def _with_zero(inside: AtomicLoss) -> float | None:
    """The step of a lattice that holds the atoms and 0, where theirs, or half of it, does."""
    if inside.unit is None:
        return None
    places = -min(loss for loss, _ in inside.atoms) / inside.unit
    for parts in (1, 2):
        if abs(places * parts - round(places * parts)) <= _ON_LATTICE * max(1.0, abs(places)):
            return inside.unit / parts
    return None
