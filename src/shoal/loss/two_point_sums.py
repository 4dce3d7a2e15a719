"""Sums of losses with values on a lattice: there are so few of them that all can be listed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.exact import float_down, float_up
from shoal.loss.bracket import Bracket
from shoal.loss.cells import RELATIVE_ERROR, Floats
from shoal.loss.loss_sources import AtomicLoss, Sources
from shoal.loss.single_release import POSITION_ERROR, enclosed_root

MOST_SUMS = 1 << 17
MOST_ADDED = 1 << 13
"""Up to so many sums of copies of one loss are added up term by term."""
_TWO = 2
_UNIT = 2.0**-53
_LEAST = 2.0**-1022
"""A probability below it may have been rounded to 0."""
_FAR = 600.0
"""Beyond such sums, exp(-sum) and its inverse leave the floats, and delta is added up term by term.
"""


class FewSums:
    """The sums of losses on lattices, with their probabilities.

    With A the probability of all sums above epsilon and B the mean of exp(-sum) over them, delta is
    A - e^epsilon B: a logarithm inverts it between two sums.  Where sums are so large that B leaves
    the floats, delta is the sum of probability times 1 - exp(epsilon - sum) instead.
    """

    def __init__(self, sums: Floats, masses: Floats, slack: float) -> None:
        order = np.argsort(-sums)
        self._sums = sums[order]
        self._falling = -self._sums
        self._masses = masses[order]
        self._above = np.cumsum(self._masses)
        self._weighted = np.cumsum(self._masses * np.exp(-self._sums))
        largest = float(self._sums.max(initial=0.0))
        self._is_far = largest > _FAR
        self._slack = 4 * RELATIVE_ERROR + slack + _UNIT * (len(sums) + largest)
        self._lost = _LEAST * len(sums)
        self._aside = POSITION_ERROR * largest

    @classmethod
    def of(cls, sources: Sources) -> FewSums | None:
        """All sums, or None where losses are on no lattice or the sums are too many."""
        total = 1
        for source, copies in sources:
            count = _sums_of(source, copies)
            if count is None or (total := total * count) > MOST_SUMS:
                return None
        sums, masses, slack = np.zeros(1), np.ones(1), 0.0
        for source, copies in sources:
            assert isinstance(source, AtomicLoss)
            more, chances, off = _listed(source, copies)
            slack += off
            sums = np.add.outer(sums, more).ravel()
            masses = np.multiply.outer(masses, chances).ravel()
        reached = sums > 0
        return cls(sums[reached], masses[reached], slack)

    def _delta(self, epsilon: float) -> tuple[float, float]:
        """Delta, and what it can be off by."""
        count = int(self._falling.searchsorted(-epsilon))
        if count == 0:
            return 0.0, 0.0
        over = float(self._above[count - 1])
        if self._is_far:
            shares = -np.expm1(epsilon - self._sums[:count])
            return float((self._masses[:count] * shares).sum()), self._slack * over + self._lost
        under = float(self._weighted[count - 1]) * math.exp(epsilon)
        return over - under, self._slack * (over + under) + self._lost

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        return Bracket(self._delta_at(float_up(high)).low, self._delta_at(float_down(low)).high)

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        near = self._searched(float(delta)) if self._is_far else self._inverted(delta)
        return enclosed_root(near, self._delta_at, delta, off=self._moved(near))

    def _moved(self, epsilon: float) -> float:
        """About how far round-off moves the root, so that the first guess mostly holds."""
        value, doubt = self._delta(epsilon)
        if self._is_far or not doubt:
            return 0.0
        above = float(self._above[int(self._falling.searchsorted(-epsilon)) - 1])
        return self._aside + 2 * doubt / max(_LEAST, above - value)

    def _delta_at(self, epsilon: float) -> Bracket:
        least, less = self._delta(epsilon + self._aside)
        most, more = self._delta(max(0.0, epsilon - self._aside))
        return Bracket(max(0.0, least - less), min(1.0, most + more))

    def _searched(self, delta: float) -> float:
        """About the epsilon at delta, by halving."""
        low, high = 0.0, float(self._sums[0])
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._delta(middle)[0] > delta else (low, middle)
        return high

    def _inverted(self, delta: Fraction) -> float:
        """About the epsilon at delta, by a logarithm."""
        ends = np.append(self._sums[1:], 0.0)
        reached = self._above - np.exp(ends) * self._weighted
        piece = min(int(np.searchsorted(reached, float(delta))), len(reached) - 1)
        over = float(self._above[piece]) - float(delta)
        return math.log(over / float(self._weighted[piece])) if over > 0 else 0.0


def _sums_of(source: object, copies: int) -> int | None:
    """How many sums so many copies have; None where they are not listed."""
    if not isinstance(source, AtomicLoss) or source.infinite:
        return None
    if len(source.atoms) == _TWO:
        return copies + 1
    places = _places(source)
    if places is None or copies * int(places.max()) >= MOST_ADDED:
        return None
    return copies * int(places.max()) + 1


def _places(source: AtomicLoss) -> NDArray[np.int64] | None:
    """Where on its lattice each atom lies; None where one lies beside it."""
    if source.unit is None:
        return None
    losses = np.array([loss for loss, _ in source.atoms])
    steps = (losses - losses.min()) / source.unit
    places = np.rint(steps).astype(np.int64)
    if np.abs(steps - places).max() > POSITION_ERROR * (1 + places.max()):
        return None
    return np.asarray(places)


def _listed(source: AtomicLoss, copies: int) -> tuple[Floats, Floats, float]:
    """As `binomial`: all terms are positive, so sums of products keep their relative accuracy."""
    if len(source.atoms) == _TWO:
        return binomial(source.atoms, copies)
    places = _places(source)
    assert places is not None
    assert source.unit is not None
    one = np.zeros(int(places.max()) + 1)
    np.add.at(one, places, np.array([mass for _, mass in source.atoms]))
    found, square, off, error, left = np.ones(1), one, 0.0, 0.0, copies
    while left:
        if left & 1:
            off += error + _UNIT * (min(len(found), len(square)) + 2)
            found = np.convolve(found, square)
        left >>= 1
        if left:
            error = 2 * error + _UNIT * (len(square) + 2)
            square = np.convolve(square, square)
    least = min(loss for loss, _ in source.atoms)
    return copies * least + source.unit * np.arange(len(found)), found, off


def binomial(atoms: Sequence[tuple[float, float]], copies: int) -> tuple[Floats, Floats, float]:
    """The sums of so many copies, their probabilities, and what these can be off by in relative
    terms.
    """
    (one, first), (other, second) = atoms
    # A mass below the floats is raised to the least of them: far less than what the other sums pay
    # for their rounding.
    first, second = max(first, _LEAST), max(second, _LEAST)
    counts = np.arange(copies + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log((copies - counts[:-1]) / counts[1:]))])
    logs = ways + counts * math.log(first) + (copies - counts) * math.log(second)
    sizes = float(ways.max()) - copies * (math.log(first) + math.log(second))
    return (
        counts * one + (copies - counts) * other,
        np.exp(logs),
        2 * _UNIT * (copies + 4) * (1 + sizes),
    )
