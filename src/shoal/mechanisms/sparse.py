"""Sparse vector: many questions, and budget spent only on the few that come out above a
threshold.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from shoal import events
from shoal.errors import ExhaustedError, RangeError, ShapeError
from shoal.exact import (
    Grid,
    Number,
    ball,
    float_up,
    lower,
    open_unit,
    positive,
    rational,
    truth_value,
    whole,
)
from shoal.measures import Pure
from shoal.mechanisms.additive import apart, default_grid
from shoal.mechanisms.by_epsilon import ByEpsilon
from shoal.mechanisms.laplace import Laplace
from shoal.mechanisms.values import exact_real, is_integer, is_real
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import IntegerNoise, discrete_laplace, secret
from shoal.owned import Owned
from shoal.sensitivity import Norm, Sensitivity
from shoal.sensitivity.claims import Moves


@dataclass(frozen=True, init=False, repr=False)
class SparseVector(ByEpsilon):
    """Compare a stream of questions with a threshold until ``positives`` of them came out above.

    Guarantee: epsilon-DP for the whole run, exactly, whatever the number of questions and however
        they are chosen from earlier answers: epsilon is the sum of three parts, spent on the
        threshold, on the comparisons, and on the numeric answers where those are asked for.
    Needs: each question moves by at most ``sensitivity`` between neighbours; ``monotone`` only
        where all questions move the same way between any two neighbours (their noise is then half
        as wide).  The threshold is public: it may depend on earlier answers, never on the data.
    Edges: the threshold's noise is drawn once and kept; a run that has given its positives refuses
        every further question.  Numbers are answered only with their own part of the budget:
        telling the noisy number that was compared would not be private.
    Reference: Lyu, Su and Li 2017, Algorithm 7.  Proof: sparse.md.

    >>> run = SparseVector(epsilon=100, sensitivity=1, positives=1).start(threshold=50)
    >>> run.ask(3), run.ask(99), run.spent
    (False, True, True)
    """

    epsilon_threshold: Fraction
    epsilon_queries: Fraction
    epsilon_answers: Fraction
    sensitivity: Sensitivity
    positives: int
    monotone: bool

    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number | Sensitivity,
        positives: int = 1,
        numeric: bool = False,
        monotone: bool = False,
    ) -> None:
        keep = object.__setattr__
        total = positive(epsilon, "epsilon")
        keep(self, "sensitivity", Sensitivity.read(sensitivity, norm=Norm.LINF))
        apart(self.sensitivity)
        keep(self, "positives", whole(positives, "positives", at_least=1))
        keep(self, "monotone", truth_value(monotone, "monotone"))
        answers = total / 2 if truth_value(numeric, "numeric") else Fraction(0)
        threshold = (total - answers) * _threshold_share(self.positives * self._doubled)
        keep(self, "epsilon_answers", answers)
        keep(self, "epsilon_threshold", threshold)
        keep(self, "epsilon_queries", total - answers - threshold)

    @classmethod
    def for_error(
        cls,
        error: Number,
        *,
        confidence: Number,
        questions: int,
        sensitivity: Number | Sensitivity,
        **options: Any,
    ) -> Self:
        """The most private mechanism whose `error` over so many questions is within the target."""
        wanted = open_unit(confidence, "confidence")
        return cls._most_private(
            error,
            lambda mechanism: mechanism.error(wanted, questions=questions),
            sensitivity=sensitivity,
            **options,
        )

    @property
    def epsilon(self) -> Fraction:
        return self.epsilon_threshold + self.epsilon_queries + self.epsilon_answers

    @property
    def cost(self) -> Pure:
        """What a whole run costs, whether or not it gives all its positives."""
        return Pure(self.epsilon)

    @property
    def event(self) -> events.SparseVector:
        """The description of a whole run."""
        return events.SparseVector(
            epsilon_threshold=self.epsilon_threshold,
            epsilon_queries=self.epsilon_queries,
            epsilon_answers=self.epsilon_answers,
            sensitivity=self.sensitivity.value,
            positives=self.positives,
            monotone=self.monotone,
            relation=self.sensitivity.relation,
            private=secret(),
        )

    @property
    def threshold_scale(self) -> Fraction:
        """The scale of the threshold's noise."""
        return self.sensitivity.value / self.epsilon_threshold

    @property
    def question_scale(self) -> Fraction:
        """The scale of the noise of each comparison."""
        moved = self._doubled * self.positives * self.sensitivity.value
        return moved / self.epsilon_queries

    @property
    def answer_scale(self) -> Fraction:
        """The scale of the noise of each number that is told; needs ``numeric``."""
        return self.positives * self.sensitivity.value / self.epsilon_answers

    @property
    def _doubled(self) -> int:
        return 1 if self.monotone else 2

    @property
    def lattice(self) -> tuple[Grid, Fraction]:
        """The grid of a run, and how many of its steps a unit of noise takes, rounding made good
        for.
        """
        distance = self.sensitivity.value
        grid = default_grid(distance, max(self.threshold_scale, self.question_scale))
        return grid, Fraction(grid.steps_up(distance)) / distance

    def _shown(self) -> Iterator[tuple[str, Any]]:
        yield from (("epsilon", self.epsilon), ("sensitivity", self.sensitivity))
        yield "positives", self.positives if self.positives > 1 else None
        yield from (("numeric", self.epsilon_answers > 0), ("monotone", self.monotone))

    def error(self, confidence: Number, *, questions: int) -> float:
        """How far a question can lie on the wrong side of the threshold, with at least this
        probability.

        Over so many questions none that is further than this above the threshold is called below,
        and none further below it above: half of the risk is given to the threshold's noise, half to
        the questions'.  The rounding of both to the grid is included.
        """
        each = (1 + open_unit(confidence, "confidence")) / 2
        count = whole(questions, "questions", at_least=1)
        grid, stretch = self.lattice
        off = [
            Laplace(scale=scale * stretch, sensitivity=0).error(each, size=size, integers=True)
            for scale, size in ((self.threshold_scale, 1), (self.question_scale, count))
        ]
        return float_up((Fraction(sum(off)) + 1) * grid.spacing)

    def start(self, *, threshold: Number) -> SparseVectorRun:
        """Begin a run: the threshold's noise is drawn now and kept to the end."""
        return SparseVectorRun(self, rational(threshold, "threshold"))


@dataclass(frozen=True, init=False, repr=False)
class AboveThreshold(SparseVector):
    """Find the first question that comes out above a threshold.

    Guarantee: epsilon-DP for the whole run, exactly.
    Needs: as `SparseVector`, of which it is the case of one positive and no numbers.
    Edges: as `SparseVector`.
    Reference: Dwork and Roth 2014, Section 3.6; Lyu, Su and Li 2017.  Proof: sparse.md.

    >>> run = AboveThreshold(epsilon=100, sensitivity=1).start(threshold=50)
    >>> [run.ask(value) for value in (3, 20, 99)]
    [False, False, True]
    """

    def __init__(
        self, *, epsilon: Number, sensitivity: Number | Sensitivity, monotone: bool = False
    ) -> None:
        super().__init__(epsilon=epsilon, sensitivity=sensitivity, monotone=monotone)


class SparseVectorRun(Owned):
    """One run of a `SparseVector`: ask until it is spent.

    It cannot be copied, sent elsewhere or used after a fork: each copy would give all its positives
    again.
    """

    called = "a run of a sparse vector"
    harm = "each copy would give all its positives again."
    way_out = "Pass the run itself on within one process, or start another one, which costs its epsilon again."

    def __init__(self, mechanism: SparseVector, threshold: Fraction) -> None:
        self.mechanism = mechanism
        self._grid, stretch = mechanism.lattice
        self._question_noise = discrete_laplace(mechanism.question_scale * stretch)
        self._answer_noise = None
        if mechanism.epsilon_answers:
            self._answer_noise = discrete_laplace(mechanism.answer_scale * stretch)
        noise = discrete_laplace(mechanism.threshold_scale * stretch)
        self._threshold = self._added(noise, self._grid.to_steps(threshold), moves=False)
        self._private = secret()
        self._left = mechanism.positives
        self._turn = threading.Lock()

    @property
    def event(self) -> events.SparseVector:
        """The description of this run; private only if all its noise so far was."""
        return replace(self.mechanism.event, private=self._private)

    @property
    def left(self) -> int:
        """How many more positives the run can give."""
        self._check_owner()
        return self._left

    @property
    def spent(self) -> bool:
        """Whether the run has given all its positives."""
        return self.left == 0

    def ask(self, value: float | Fraction) -> bool:
        """Whether a question's noisy answer is at or above the noisy threshold.

        Edges: a value that is not a finite number is refused without being quoted, and costs
        nothing.
        """
        return self._ask(value) is not None

    def answer(self, value: float | Fraction) -> float | None:
        """The question's answer with noise of its own if it comes out above the threshold, else
        None.
        """
        if self._answer_noise is None:
            raise RangeError(
                "this run has no budget for numbers.",
                remedy="Make the mechanism with numeric=True, or use ask.",
            )
        steps = self._ask(value)
        return (
            None if steps is None else self._grid.to_float(self._added(self._answer_noise, steps))
        )

    def _ask(self, value: float | Fraction) -> int | None:
        """The value in steps if it came out above."""
        self._check_owner()
        if not is_integer(value) and not is_real(value):
            raise ShapeError(
                f"a question's value must be a number; got {type(value).__name__}.",
                remedy="Give an int, a float or a Fraction.",
            )
        steps = self._grid.to_steps(exact_real(value))
        with self._turn:
            if self._left == 0:
                raise ExhaustedError(
                    f"this run has given all of its {self.mechanism.positives} positives.",
                    remedy="Start another run, which costs its epsilon again.",
                )
            self._private = self._private and secret()
            if self._added(self._question_noise, steps) < self._threshold:
                return None
            self._left -= 1
            return steps

    def _added(self, noise: IntegerNoise, steps: int, *, moves: bool = True) -> int:
        """The steps plus noise; questions move by the sensitivity, the threshold is public."""
        moved = self.mechanism.sensitivity if moves else Sensitivity(Fraction(0), Norm.LINF)
        return meet(
            lambda: noise.added_to(steps),
            lambda: NoiseWitness(
                self.mechanism,
                noise.law,
                steps,
                Moves(
                    moved,
                    Fraction(self._grid.steps_up(moved.value)),
                    self._grid.spacing,
                    monotone=moves and self.mechanism.monotone,
                    run=id(self),
                ),
            ),
        )


def _threshold_share(spread: int) -> Fraction:
    """The share of the budget the threshold gets, near the one with the least total variance.

    With question noise ``spread`` times the sensitivity that is 1 / (1 + spread^(2/3)); any share
    is private.
    """
    return lower(lambda: 1 / (1 + (ball(spread).log() * 2 / 3).exp()), bits=20)
