"""What all ready functions share: integers that are sums over rows, noise for all of them, and then
no more data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal import events
from shoal.exact import Number
from shoal.functions.bernstein import deviation_of
from shoal.functions.operator import Reals
from shoal.functions.vector_noise import Noise, noise_for, norm_for, read_budget
from shoal.measures import Measure
from shoal.mechanisms.mechanism import Mechanism
from shoal.sensitivity import Norm, Relation, Sensitivity


@dataclass(frozen=True, init=False, repr=False)
class Summed(Mechanism, ABC):
    """A vector of integers, each a sum over rows; one row adds a vector of known length."""

    budget: Measure
    relation: Relation

    def _keep(self, budget: Measure, relation: Relation | str, **fields: Any) -> None:
        keep = object.__setattr__
        keep(self, "budget", read_budget(None, budget))
        keep(self, "relation", Relation.read(relation, "relation"))
        for name, value in fields.items():
            keep(self, name, value)

    @abstractmethod
    def __init__(self, *, budget: Measure, relation: Relation | str, **options: Any) -> None: ...

    @classmethod
    def for_epsilon(cls, epsilon: Number, **options: Any) -> Self:
        """The mechanism that costs exactly this epsilon; ``options`` are those of the
        constructor.
        """
        return cls(budget=read_budget(epsilon, None), **options)

    @classmethod
    def for_budget(cls, budget: Measure, **options: Any) -> Self:
        """Laplace noise for a pure budget, Gaussian noise for any other."""
        return cls(budget=budget, **options)

    @property
    @abstractmethod
    def size(self) -> int:
        """How many integers are released."""

    @abstractmethod
    def _moved_up(self, norm: Norm) -> Fraction:
        """How far neighbours can be apart, in the integers that are released."""

    @property
    def sensitivity(self) -> Sensitivity:
        """How far the integers can move between neighbours, in the norm that the budget's noise
        needs.
        """
        norm = norm_for(self.budget)
        return Sensitivity(self._moved_up(norm), norm, self.relation, self.size)

    @cached_property
    def noise(self) -> Noise:
        """The noise on the integers."""
        return noise_for(self.budget, self.sensitivity, size=self.size)

    @property
    def cost(self) -> Measure:
        """What one release costs."""
        return self.noise.cost

    @property
    def event(self) -> events.Event:
        """The description of a release."""
        return self.noise.event_for(size=self.size)

    def _noisy(self, sums: NDArray[Any]) -> Reals:
        """The integers with their noise, as floats: the one rounding, after the noise."""
        return np.asarray(self.noise.release(sums).astype(np.float64))

    def _deviation(self, unit: float) -> float:
        return deviation_of(self.noise, unit)


def apart_up(longest: Fraction, relation: Relation, norm: Norm, *, signed: bool) -> Fraction:
    """How far neighbours are apart whose rows add vectors of at most this length.

    Guarantee: the length itself under ADD_REMOVE.  Under CHANGE twice the length; in L2, for
        vectors without negative entries, sqrt 2 times it, rounded up.
    Proof: a row that changes adds v' for v.  |v - v'| <= |v| + |v'|.  In L2 |v - v'|^2 = |v|^2 +
        |v'|^2 - 2 v.v', and v.v' >= 0 where no entry is negative.
    """
    if relation is Relation.ADD_REMOVE:
        return longest
    if norm is Norm.L2 and not signed:
        return Norm.L2.length_up([longest, longest])
    return 2 * longest
