"""Selection: which candidate has the highest score, without telling the scores.

All mechanisms here take public candidates, each with a score computed from the data that moves by
at most ``sensitivity`` between neighbours.  ``monotone=True`` says that between any two neighbours
all scores move the same way; the noise is then half as wide.  Counts are monotone under add/remove,
not under change.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from numpy.typing import NDArray

from shoal.errors import CalibrationError
from shoal.exact import (
    Number,
    Real,
    ball,
    float_up,
    is_below,
    open_unit,
    positive,
    truth_value,
    turning_point,
    upper,
    whole,
)
from shoal.measures import Pure
from shoal.mechanisms import candidates as candidate_sets
from shoal.mechanisms.additive import apart
from shoal.mechanisms.by_epsilon import ByEpsilon
from shoal.mechanisms.candidates import Scored
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import secret
from shoal.sensitivity import Norm, Sensitivity
from shoal.sensitivity.claims import Moves


@dataclass(frozen=True, init=False, repr=False)
class Selection(ByEpsilon):
    """What all selection mechanisms share."""

    epsilon: Fraction
    sensitivity: Sensitivity
    monotone: bool

    def __init__(
        self, *, epsilon: Number, sensitivity: Number | Sensitivity, monotone: bool = False
    ) -> None:
        keep = object.__setattr__
        keep(self, "epsilon", positive(epsilon, "epsilon"))
        keep(self, "sensitivity", Sensitivity.read(sensitivity, norm=Norm.LINF))
        apart(self.sensitivity)
        keep(self, "monotone", truth_value(monotone, "monotone"))

    @classmethod
    def for_error(
        cls,
        error: Number,
        *,
        confidence: Number,
        candidates: int,
        sensitivity: Number | Sensitivity,
        **options: Any,
    ) -> Self:
        """The most private mechanism whose `error` at this confidence is within the target."""
        wanted = open_unit(confidence, "confidence")
        count = whole(candidates, "candidates", at_least=1)
        if cls(epsilon=1, sensitivity=sensitivity, **options).error(wanted, candidates=count) == 0:
            raise CalibrationError(
                "a choice by lot reaches this confidence already, so every epsilon does.",
                remedy="Ask for more confidence than 1 / candidates, or state the epsilon yourself.",
            )

        return cls._most_private(
            error,
            lambda mechanism: mechanism.error(wanted, candidates=count),
            sensitivity=sensitivity,
            **options,
        )

    @property
    def cost(self) -> Pure:
        """What one choice costs."""
        return Pure(self.epsilon)

    @property
    def rate(self) -> Fraction:
        """How much a score counts: epsilon / (2 sensitivity), or twice that for monotone scores."""
        return self.epsilon / self.sensitivity.value / (1 if self.monotone else 2)

    def release(self, scores: Scored, *, candidates: Sequence[Hashable] | None = None) -> Any:
        """The chosen candidate, by name where names were given, else by its place.

        Guarantee: what `cost` says, for candidates fixed before the data were seen.
        Edges: scores that are not finite are refused without being quoted; empty and repeated
            candidates, and a `Counter`, are refused.
        """
        numbers, names = candidate_sets.read(scores, candidates)
        return names[meet(lambda: self._choose(numbers), lambda: self._meeting(numbers))]

    def _meeting(self, scores: NDArray[Any]) -> NoiseWitness:
        """What a witness is told: the scores, each of which moves by at most the sensitivity."""
        claim = Moves.of(self.sensitivity, monotone=self.monotone)
        return NoiseWitness(self, (f"{self._race}_race", self.rate, self._places), scores, claim)

    @property
    @abstractmethod
    def _race(self) -> str:
        """The noise that decides: gumbel, exponential or laplace."""

    @property
    def _places(self) -> int:
        return 1

    @abstractmethod
    def _choose(self, scores: NDArray[Any]) -> int:
        """The place of the chosen candidate."""

    def error(self, confidence: Number, *, candidates: int) -> float:
        """How far below the best score the choice can be: with at least this probability, within
        this.

        The exact quantile for the worst scores so many candidates can have (for Laplace noise and
        for several choices a bound of it), rounded up.  0 where a choice by lot is as sure.
        """
        wanted = open_unit(confidence, "confidence")
        count = whole(candidates, "candidates", at_least=1)
        if wanted <= self._coverage_by_lot(count):
            return 0.0
        _, gap = turning_point(
            lambda gap: is_below(self._worst_coverage(gap, count), lambda: ball(wanted)),
            start=Fraction(1),
        )
        return float_up(gap / self.rate)

    @abstractmethod
    def _worst_coverage(self, gap: Fraction, candidates: int) -> Real:
        """P(the choice is less than ``gap`` / rate below the best), for the worst scores, or
        less.
        """

    def _coverage_by_lot(self, candidates: int) -> Fraction:
        """How sure a best candidate is, whatever the scores and however small epsilon."""
        return Fraction(1, candidates)

    def textbook_error(self, confidence: Number, *, candidates: int) -> float:
        """The bound usually quoted, ln(candidates / (1 - confidence)) / rate."""
        return float_up(self._textbook(confidence, candidates))

    def _textbook(self, confidence: Number, candidates: int) -> Fraction:
        count = whole(candidates, "candidates", at_least=1)
        risk = (1 - open_unit(confidence, "confidence")) / count
        return upper(lambda: -ball(risk).log()) / self.rate

    @property
    def _described(self) -> dict[str, Any]:
        return {
            "epsilon": self.epsilon,
            "sensitivity": self.sensitivity.value,
            "monotone": self.monotone,
            "relation": self.sensitivity.relation,
            "private": secret(),
        }
