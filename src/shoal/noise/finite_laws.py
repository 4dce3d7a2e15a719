"""Laws with finitely many outcomes: coins of any exact bias, and categories with weights
exp(rational).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.exact import Real, ball, closed_unit, non_negative
from shoal.noise.integer_samplers import IntegerNoise
from shoal.noise.ladder import Ladder
from shoal.noise.source import Source


class Coin:
    """A coin that shows True with an exact probability: a rational, or any `Real` in (0, 1).

    >>> from fractions import Fraction
    >>> Coin(Fraction(1)).one(), Coin(Fraction(0)).one()
    (True, False)
    """

    __slots__ = ("_ahead", "_ladder")

    def __init__(self, chance: Fraction | Real) -> None:
        self._ladder = _coin_ladder(chance)
        self._ahead = IntegerNoise(self._ladder.draw, "coin", chance)

    @classmethod
    def exp(cls, exponent: Fraction) -> Coin:
        """The coin that shows True with probability e to the minus ``exponent``, 0 or more."""
        non_negative(exponent, "exponent")
        return cls(Fraction(1)) if exponent == 0 else cls(lambda: ball(-exponent).exp())

    def many(self, count: int) -> NDArray[np.bool_]:
        """``count`` independent tosses."""
        return self._ahead.many(count).astype(bool)

    @property
    def law(self) -> tuple[Any, ...]:
        """Its name and its chance."""
        return self._ahead.law

    def toss(self, count: int, source: Source) -> NDArray[np.bool_]:
        """The same from a given source."""
        return self._ladder.draw(count, source).astype(bool)

    def one(self) -> bool:
        """One toss."""
        return bool(self._ahead.one())


def categorical(log_weights: Sequence[Fraction]) -> IntegerNoise:
    """P(i) proportional to exp(log_weights[i]), exactly; for many draws from few categories.

    One draw from very many categories is a race: see `shoal.noise.candidate_race`.
    """
    heaviest = max(log_weights)

    def survivals() -> list[arb]:
        # Only differences matter; the heaviest then weighs 1 and nothing is too large to write.
        weights = [ball(weight - heaviest).exp() for weight in log_weights]
        tails = list(accumulate(reversed(weights)))[::-1]
        return [tail / tails[0] for tail in tails[1:]]

    return IntegerNoise(Ladder.of(survivals).draw, "categorical", *log_weights)


def _coin_ladder(chance: Fraction | Real) -> Ladder:
    """Rank 1 is True."""
    if isinstance(chance, Fraction):
        closed_unit(chance, "chance")
    if chance == 0:
        return Ladder([], lambda _rank: lambda: ball(0), endless=False)
    if chance == 1:
        return Ladder([0], lambda _rank: lambda: ball(1), endless=False)
    real: Real = (lambda: ball(chance)) if isinstance(chance, Fraction) else chance
    return Ladder.of(lambda: [real()])
