"""Mechanisms whose one price is a pure epsilon, and how each is made for a price, a budget or an
accuracy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from shoal.exact import Number, positive, turning_point
from shoal.measures import Measure
from shoal.mechanisms.affordable_parameters import pure_epsilon_of
from shoal.mechanisms.mechanism import Mechanism
from shoal.sensitivity import Sensitivity


@dataclass(frozen=True, init=False, repr=False)
class ByEpsilon(Mechanism, ABC):
    """A mechanism made from ``epsilon``, ``sensitivity`` and options of its own."""

    @abstractmethod
    def __init__(
        self, *, epsilon: Number, sensitivity: Number | Sensitivity, **options: Any
    ) -> None: ...

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, *, sensitivity: Number | Sensitivity, **options: Any
    ) -> Self:
        """The mechanism that costs exactly this epsilon; ``options`` are those of the
        constructor.
        """
        return cls(epsilon=epsilon, sensitivity=sensitivity, **options)

    @classmethod
    def for_budget(
        cls, budget: Measure, *, sensitivity: Number | Sensitivity, **options: Any
    ) -> Self:
        """The mechanism with the least noise that a budget allows, in any measure it can meet."""
        return cls(epsilon=pure_epsilon_of(budget), sensitivity=sensitivity, **options)

    @classmethod
    def _most_private(
        cls,
        error: Number,
        error_of: Callable[[Self], float],
        *,
        sensitivity: Number | Sensitivity,
        **options: Any,
    ) -> Self:
        """The mechanism with the smallest epsilon whose error is within a target."""
        target = positive(error, "error")

        def holds(scale: Fraction) -> bool:
            return error_of(cls(epsilon=1 / scale, sensitivity=sensitivity, **options)) <= target

        scale, _ = turning_point(holds, start=target, bits=30)
        return cls(epsilon=1 / scale, sensitivity=sensitivity, **options)
