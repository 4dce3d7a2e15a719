"""Randomized response: each person's answer is randomised before anyone sees it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal import events
from shoal.errors import CalibrationError, DataError, RangeError, ShapeError
from shoal.exact import (
    Number,
    ball,
    float_up,
    lower,
    open_unit,
    out_of_range,
    positive,
    rational,
    short,
    upper,
    whole,
)
from shoal.measures import Measure, Pure
from shoal.mechanisms.affordable_parameters import pure_epsilon_of
from shoal.mechanisms.estimate import Estimate
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.values import array_of
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import Coin, secret, uniform_below
from shoal.sensitivity.claims import Answers

_MOST_CATEGORIES = 1 << 62


@dataclass(frozen=True, init=False, repr=False)
class RandomizedResponse(Mechanism):
    """Report one's category truthfully with a known probability, and any other one equally often
    else.

    Guarantee: epsilon-DP for each person by itself (local privacy, relation "change"): epsilon is the
        largest log-ratio of the probabilities of any report under two answers,
        |ln(truth (k - 1) / (1 - truth))|, exact, or rounded up where it is not rational.
    Needs: at least two categories; a truth probability strictly between 0 and 1, or an epsilon.
    Edges: truth 0 and 1 exclude some answers for sure and are refused; truth 1 / categories is perfectly
        private and estimates nothing.  That a report was sent at all is not hidden.
    Reference: Warner 1965; Kairouz, Bonawitz and Ramage 2016.  Proof: response.md.

    >>> coins = RandomizedResponse.coins()
    >>> print(coins.cost, coins.truth)
    epsilon 1.09862 3/4
    >>> answers = coins.release(np.array([1, 0, 0, 1]))
    """

    categories: int
    truth: Fraction | None
    epsilon: Fraction

    def __init__(
        self,
        *,
        truth: Number | None = None,
        epsilon: Number | None = None,
        categories: int = 2,
    ) -> None:
        if (truth is None) == (epsilon is None):
            raise RangeError(
                "exactly one of truth and epsilon must be given.",
                remedy="Give truth, the probability of a true answer, or epsilon, from which it follows.",
            )
        keep = object.__setattr__
        keep(self, "categories", _read_categories(categories))
        if truth is None:
            assert epsilon is not None
            keep(self, "truth", None)
            keep(self, "epsilon", positive(epsilon, "epsilon"))
            return
        chance = open_unit(truth, "truth")
        odds = chance * (self.categories - 1) / (1 - chance)
        keep(self, "truth", chance)
        keep(self, "epsilon", Fraction(0) if odds == 1 else upper(lambda: abs(ball(odds).log())))

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, categories: int = 2) -> Self:
        """The most truthful response that costs exactly this epsilon: e^epsilon / (e^epsilon + k -
        1).
        """
        return cls(epsilon=epsilon, categories=categories)

    @classmethod
    def for_budget(cls, budget: Measure, *, categories: int = 2) -> Self:
        """The most truthful response that a budget allows, in any measure it can meet."""
        return cls(epsilon=pure_epsilon_of(budget), categories=categories)

    @classmethod
    def for_error(
        cls, error: Number, *, confidence: Number, answers: int, categories: int = 2
    ) -> Self:
        """The most private response whose `error` over so many answers is within the target."""
        count, target = _read_categories(categories), positive(error, "error")
        deviation = _deviation(confidence, answers)
        lean = deviation / target
        if lean >= 1:
            raise CalibrationError(
                f"even true answers from {answers} people are only known to be within {short(deviation)}.",
                remedy="Ask more people, or allow a larger error or a lower confidence.",
            )
        return cls(truth=(1 + (count - 1) * lean) / count, categories=count)

    @classmethod
    def coins(cls) -> Self:
        """Two coins: lie if both show heads, else tell the truth.  It costs ln 3."""
        return cls(truth=Fraction(3, 4))

    @classmethod
    def for_phi(cls, phi: Number) -> Self:
        """Warner's design: asked the question with probability phi, and its opposite else."""
        return cls(truth=open_unit(phi, "phi"))

    @classmethod
    def for_gamma(cls, gamma: Number) -> Self:
        """The truth with probability 1/2 + gamma, for gamma between -1/2 and 1/2."""
        lean = rational(gamma, "gamma")
        if not -Fraction(1, 2) < lean < Fraction(1, 2):
            raise out_of_range("gamma", lean, "above -1/2 and below 1/2")
        return cls(truth=Fraction(1, 2) + lean)

    def _shown(self) -> Iterator[tuple[str, Any]]:
        """By what it was made from, and by how many categories where there are more than two."""
        yield ("epsilon", self.epsilon) if self.truth is None else ("truth", self.truth)
        yield "categories", self.categories if self.categories > 2 else None

    @property
    def cost(self) -> Pure:
        """What one answer costs the person who gives it."""
        return Pure(self.epsilon)

    @property
    def event(self) -> events.RandomizedResponse:
        """The description of one answer."""
        return events.RandomizedResponse(
            categories=self.categories,
            truth=self.truth,
            epsilon=None if self.truth is not None else self.epsilon,
            relation="change",
            private=secret(),
        )

    def release(self, value: Any) -> Any:
        """The randomised answer, or an array or list of them, of the same kind as given.

        Guarantee: what `cost` says, for each answer by itself.
        Edges: answers are whole numbers from 0 to categories - 1, or truth values for two
            categories; others are refused without being quoted.
        """
        answers = self._read(value)
        flat = answers.astype(np.int64).reshape(-1)
        told = meet(
            lambda: self._told(flat), lambda: NoiseWitness(self, self._lies.law, flat, self._claim)
        )
        told = told.reshape(answers.shape).astype(self._told_as(answers.dtype))
        if isinstance(value, np.ndarray):
            return told
        if isinstance(value, np.generic):
            return told[()]
        return told.tolist()

    @property
    def _claim(self) -> Answers:
        """Any answer for any other; the odds are checked where they are rational."""
        truth, others = self.truth, self.categories - 1
        if truth is None or truth in (0, 1):
            return Answers()
        lie = (1 - truth) / others
        return Answers(
            max(truth / lie, lie / truth), lambda answer, told: truth if answer == told else lie
        )

    def _told(self, answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """A lie is any of the other answers, each as likely."""
        away = 1 + uniform_below(self.categories - 1, answers.size)
        return np.where(self._lies.many(answers.size), (answers + away) % self.categories, answers)

    def _read(self, value: Any) -> NDArray[Any]:
        """The answers as an array of integers or truth values, all of them categories."""
        answers = array_of(value, what="answers")
        if answers.dtype.kind not in "biu" or (answers.dtype.kind == "b" and self.categories != 2):
            raise ShapeError(
                f"answers are whole numbers from 0 to {self.categories - 1}; got {type(value).__name__} of another kind.",
                remedy="Number the categories from 0 and give an int or an array of integers.",
            )
        if answers.size and (answers.min() < 0 or answers.max() >= self.categories):
            raise DataError(
                f"an answer lies outside the categories 0 to {self.categories - 1}.",
                remedy="Map every answer to a category by a public rule before the release.",
            )
        return answers

    def _told_as(self, kind: np.dtype[Any]) -> np.dtype[Any]:
        """The kind that was given, or int64 where that does not hold all the categories."""
        if kind.kind == "b" or self.categories - 1 <= np.iinfo(kind).max:
            return kind
        return np.dtype(np.int64)

    def error(self, confidence: Number, *, answers: int) -> float:
        """How far an estimated frequency can be off the one in the sample, with this probability.

        Hoeffding's bound, which holds whatever the answers are.
        """
        lean = self._lean_down
        return float_up(_deviation(confidence, answers) / lean) if lean else math.inf

    def estimate(self, reports: NDArray[Any]) -> Estimate:
        """Unbiased estimates of how often each category is true, from the reports of many people.

        >>> coins = RandomizedResponse.coins()
        >>> [round(share, 3) for share in coins.estimate(np.array([1] * 60 + [0] * 40)).frequencies]
        [0.3, 0.7]
        """
        told = self._read(reports).astype(np.int64).reshape(-1)
        return self.estimate_from_counts(np.bincount(told, minlength=self.categories))

    def estimate_from_counts(self, counts: Any) -> Estimate:
        """The same from the number of reports of each category."""
        tally = array_of(counts, what="counts")
        if tally.shape != (self.categories,) or tally.dtype.kind not in "iu" or tally.min() < 0:
            raise ShapeError(
                f"counts of {self.categories} categories are needed.",
                remedy="Give how many reports named each category, zeros included.",
            )
        if self.lean == 0:
            raise CalibrationError(
                "reports that do not depend on the answers estimate nothing.",
                remedy="Choose a truth probability other than 1 / categories.",
            )
        return Estimate(counts=tuple(tally.tolist()), lean=self.lean, floor=self._floor)

    @property
    def lean(self) -> float:
        """How much likelier a report is when it is true: truth - lie, about the nearest float."""
        others = self.categories - 1
        if self.truth is not None:
            return float((self.categories * self.truth - 1) / others)
        epsilon = float(min(self.epsilon, Fraction(745)))
        return -math.expm1(-epsilon) / (1 + others * math.exp(-epsilon))

    @property
    def _lean_down(self) -> Fraction:
        """The size of the lean, exact or rounded down."""
        others = self.categories - 1
        if self.truth is not None:
            return abs(self.categories * self.truth - 1) / others

        def lean() -> arb:
            fall = ball(-self.epsilon).exp()
            return (1 - fall) / (1 + others * fall)

        return lower(lean)

    @property
    def _floor(self) -> float:
        """The probability of naming a category that is not the true one."""
        return (1 - self.lean) / self.categories

    @cached_property
    def _lies(self) -> Coin:
        if self.truth is not None:
            return Coin(1 - self.truth)
        others, epsilon = self.categories - 1, self.epsilon

        def lie() -> arb:
            fall = others * ball(-epsilon).exp()
            return fall / (1 + fall)

        return Coin(lie)


def _read_categories(categories: int) -> int:
    count = whole(categories, "categories", at_least=2)
    if count > _MOST_CATEGORIES:
        raise out_of_range("categories", Fraction(count), "at most 2^62")
    return count


def _deviation(confidence: Number, answers: int) -> Fraction:
    """Hoeffding: a mean of so many independent coins is within this of its expectation, rounded
    up.
    """
    risk = 1 - open_unit(confidence, "confidence")
    count = whole(answers, "answers", at_least=1)

    def bound() -> arb:
        return (ball(2 / risk).log() / (2 * count)).sqrt()

    return upper(bound)
