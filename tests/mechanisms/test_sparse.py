"""Sparse vector: every short run enumerated on a coarse lattice, held against the claim; broken
variants fail.

A run is a sequence of questions and their outcomes.  Its probability is the sum over all values of
the threshold's noise of the product of the chances of the outcomes; the sum is cut where the rest
is below 10^-40.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from unittest.mock import patch

import pytest
from flint import arb
from tests.mechanisms import laws
from tests.mechanisms.record import recorded

from shoal import AboveThreshold, Grid, SparseVector
from shoal.exact import ball

Questions = tuple[int, ...]
Outcomes = tuple[bool, ...]
CUT = 130
"""Threshold noise beyond this many scales has probability e^-130, below 10^-56."""


@dataclass(frozen=True)
class Scales:
    """The scales of the noise of a run, in steps of its lattice, and the sensitivity in steps."""

    threshold: Fraction
    question: Fraction
    answer: Fraction | None
    moved: int


def scales_of(mechanism: SparseVector, grid: Grid) -> Scales:
    """What a real run draws when its lattice is this coarse one."""
    with recorded() as drawn, patch("shoal.mechanisms.sparse.default_grid", lambda *_: grid):
        run = mechanism.start(threshold=0)
        (threshold,) = drawn
        if mechanism.epsilon_answers:
            assert run.answer(10**6) == 10**6
            _, question, answer = drawn
            scale: Fraction | None = answer.scale
        else:
            assert run.ask(10**6)
            _, question = drawn
            scale = None
    return Scales(
        threshold.scale, question.scale, scale, grid.steps_up(mechanism.sensitivity.value)
    )


def endings(questions: int, positives: int) -> Iterator[Outcomes]:
    """All outcomes of a run, which stops at its last positive."""
    for outcomes in itertools.product((False, True), repeat=questions):
        for length in range(1, questions + 1):
            cut = outcomes[:length]
            stopped = sum(cut) == positives and cut[-1]
            if (stopped or length == questions) and sum(cut[:-1]) < positives:
                yield cut


def all_endings(questions: int, positives: int) -> set[Outcomes]:
    return set(endings(questions, positives))


def run_law(scales: Scales, positives: int) -> Callable[[Questions], dict[Outcomes, arb]]:
    """P(outcomes) for questions whose true answers are so many steps above the threshold."""
    reach = int(CUT * scales.threshold) + 1
    weight = laws.discrete_laplace(scales.threshold)
    noises = [(place, weight(place)) for place in range(-reach, reach + 1)]

    @cache
    def above(gap: int) -> arb:
        """P(question noise >= gap)."""
        return 1 - laws.laplace_at_most(scales.question, gap - 1)

    @cache
    def law(questions: Questions) -> dict[Outcomes, arb]:
        chances = {outcomes: arb(0) for outcomes in all_endings(len(questions), positives)}
        for noise, weighed in noises:
            ups = [above(noise - question) for question in questions]
            for outcomes in chances:
                chance = weighed
                for outcome, up in zip(outcomes, ups, strict=False):
                    chance = chance * (up if outcome else 1 - up)
                chances[outcomes] += chance
        return chances

    return law


def neighbours(
    questions: int, moved: int, *, monotone: bool
) -> Iterator[tuple[Questions, Questions]]:
    """True answers around the threshold, and how one row can move them."""
    one = (-moved, 0, moved)
    moves = set(itertools.product(one, repeat=questions))
    if monotone:
        moves = {move for move in moves if min(move) >= 0 or max(move) <= 0}
    for here in itertools.product((-2 * moved, 0, 2 * moved), repeat=questions):
        for move in moves:
            yield here, tuple(a + b for a, b in zip(here, move, strict=True))


def worst_loss(scales: Scales, *, questions: int, positives: int, monotone: bool) -> laws.Bounds:
    def losses() -> Iterator[arb]:
        law = run_law(scales, positives)
        for here, there in neighbours(questions, scales.moved, monotone=monotone):
            one, other = law(here), law(there)
            for outcomes in one:
                told = Fraction(0)
                if scales.answer is not None:
                    pairs = zip(outcomes, here, there, strict=False)
                    told = sum((abs(a - b) / scales.answer for up, a, b in pairs if up), told)
                yield laws.loss(one[outcomes], other[outcomes]) + ball(told)

    return laws.bounds(lambda: laws.largest(losses()))


RUNS = [
    (AboveThreshold(epsilon=2, sensitivity=1), 3),
    (AboveThreshold(epsilon=2, sensitivity=1, monotone=True), 3),
    (SparseVector(epsilon=3, sensitivity=1, positives=2), 3),
    (SparseVector(epsilon=3, sensitivity=1, positives=2, monotone=True), 3),
    (SparseVector(epsilon=4, sensitivity=1, positives=1, numeric=True), 2),
    (SparseVector(epsilon=4, sensitivity=1, positives=2, numeric=True), 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "questions"), RUNS, ids=repr)
@pytest.mark.parametrize("grid", [Grid(0), Grid(-1)], ids=["whole steps", "half steps"])
def test_a_run_loses_at_most_epsilon(mechanism: SparseVector, questions: int, grid: Grid) -> None:
    scales = scales_of(mechanism, grid)
    low, high = worst_loss(
        scales, questions=questions, positives=mechanism.positives, monotone=mechanism.monotone
    )
    assert mechanism.epsilon / 2 < low <= high <= mechanism.epsilon


@pytest.mark.parametrize("grid", [Grid(-2), Grid(0)], ids=str)
def test_a_sensitivity_that_is_no_whole_number_of_steps_is_widened_to_one(grid: Grid) -> None:
    """1/3 moves by up to two steps of 1/4, and by up to one step of 1."""
    mechanism = AboveThreshold(epsilon=2, sensitivity="1/3")
    scales = scales_of(mechanism, grid)
    assert scales.moved == (2 if grid == Grid(-2) else 1)
    low, high = worst_loss(scales, questions=2, positives=1, monotone=False)
    assert mechanism.epsilon / 2 < low <= high <= mechanism.epsilon
    assert scales.threshold == scales.moved / mechanism.epsilon_threshold


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("positives", [1, 3])
def test_the_claim_is_reached_by_questions_that_move_against_each_other(
    positives: int, *, monotone: bool
) -> None:
    """Twenty questions stay below although they rose; some far below come out above although they
    did not.
    """
    mechanism = SparseVector(epsilon=2, sensitivity=1, positives=positives, monotone=monotone)
    scales = scales_of(mechanism, Grid(0))
    outcome = (*([False] * 20), *([True] * positives))
    here = (*([0] * 20), *([-40 if monotone else -39] * positives))
    there = (*([1] * 20), *([-40] * positives))
    low, high = laws.bounds(
        lambda: laws.loss(_chance(scales, here, outcome), _chance(scales, there, outcome))
    )
    assert mechanism.epsilon * Fraction(999, 1000) <= low <= high <= mechanism.epsilon


def _chance(scales: Scales, questions: Questions, outcomes: Outcomes) -> arb:
    """One run's probability, without the table of all the others."""
    reach = int(CUT * scales.threshold) + 1
    weight = laws.discrete_laplace(scales.threshold)
    total = arb(0)
    for noise in range(-reach, reach + 1):
        chance = weight(noise)
        for (question, outcome), times in _runs_of(zip(questions, outcomes, strict=True)):
            up = 1 - laws.laplace_at_most(scales.question, noise - question - 1)
            chance *= (up if outcome else 1 - up) ** times
        total += chance
    return total


def _runs_of(pairs: Iterator[tuple[int, bool]]) -> list[tuple[tuple[int, bool], int]]:
    return [(pair, len(list(group))) for pair, group in itertools.groupby(pairs)]


# variants that are known to be broken, under the same check


def test_without_noise_on_the_questions_no_epsilon_is_kept() -> None:
    """Lyu, Su and Li's Algorithm 5: for answers (0, 1) and (1, 0) one outcome has probability 0."""

    def chance(questions: Questions, outcomes: Outcomes) -> arb:
        weight, total = laws.discrete_laplace(Fraction(2)), arb(0)
        for noise in range(-300, 301):
            told = tuple(question >= noise for question in questions)
            total += weight(noise) if told == outcomes else arb(0)
        return total

    _, none = laws.bounds(lambda: chance((1, 0), (False, True)))
    some, _ = laws.bounds(lambda: chance((0, 1), (False, True)))
    assert none == 0 < some


def test_noise_that_forgets_how_many_positives_are_told_fails() -> None:
    """Algorithm 6: question noise of scale 2 / epsilon_2 whatever the number of positives."""
    mechanism = SparseVector(epsilon=2, sensitivity=1, positives=4)
    right = scales_of(mechanism, Grid(0))
    wrong = Scales(right.threshold, right.question / 4, None, 1)
    low, _ = laws.bounds(lambda: _most_of_all_positive(wrong, 4))
    assert low > mechanism.epsilon
    _, high = laws.bounds(lambda: _most_of_all_positive(right, 4))
    assert high <= mechanism.epsilon


def _most_of_all_positive(scales: Scales, positives: int) -> arb:
    """One question stays below while it rises; as many as are told rise the other way."""
    below = 12
    here = (*([0] * below), *([-30] * positives))
    there = (*([1] * below), *([-31] * positives))
    outcome = (*([False] * below), *([True] * positives))
    return laws.loss(_chance(scales, here, outcome), _chance(scales, there, outcome))


def test_a_threshold_without_noise_fails() -> None:
    mechanism = AboveThreshold(epsilon=1, sensitivity=1)
    scales = scales_of(mechanism, Grid(0))

    def found() -> arb:
        up = [1 - laws.laplace_at_most(scales.question, gap) for gap in (-1, 0)]
        return 40 * laws.loss(1 - up[1], 1 - up[0])

    low, _ = laws.bounds(found)
    assert low > mechanism.epsilon


def test_telling_the_number_that_was_compared_fails() -> None:
    """Algorithm 3: the noisy answer that beat the threshold bounds the threshold for the others.

    The first question came out below, the second above with the number y told; so the threshold is
    at most y.
    """
    mechanism = AboveThreshold(epsilon=1, sensitivity=1)
    scales = scales_of(mechanism, Grid(0))

    def chance(many: int, first: int, second: int, told: int) -> arb:
        weight, total = laws.discrete_laplace(scales.threshold), arb(0)
        question = laws.discrete_laplace(scales.question)
        for noise in range(-400, told + 1):
            below = laws.laplace_at_most(scales.question, noise - first - 1)
            total += weight(noise) * below**many
        return total * question(told - second)

    low, _ = laws.bounds(lambda: laws.loss(chance(60, 0, 1, -10), chance(60, 1, 0, -10)))
    assert low > mechanism.epsilon
