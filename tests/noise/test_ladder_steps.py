"""The code that decides a rank switches exactly where the closed form of the law says."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pytest
from tests.noise.reference import BITS, SCALES, TARGETS, Target, fractions_of, label
from tests.noise.scripted import ONES, Scripted, ScriptExhaustedError

from shoal.exact import at_precision
from shoal.noise.ladder import Ladder

each_law = pytest.mark.parametrize("target", TARGETS, ids=label)
NOTHING = Scripted()
LONG = 8
"""Words of ones in a row that stand for an endless row: U must stay below 1."""


def some_ranks(target: Target) -> list[int]:
    """The first ranks, the last kept ones and some in between, unless their step looks like 1."""
    kept = len(target.sampler.ladder.steps)
    ranks = {0, min(1, kept - 1), kept // 3, kept // 2, max(0, kept - 2), kept - 1}
    return sorted(rank for rank in ranks if target.bits_of_step(rank, 2) != [ONES, ONES])


def decided(ladder: Ladder, word: int, tail: int) -> int:
    """The rank of U = word followed by endlessly many copies of one word."""
    try:
        return int(ladder.decide(np.array([word], dtype=np.uint64), NOTHING)[0])
    except ScriptExhaustedError:
        source = Scripted([tail] * LONG, forever=0)
        return int(ladder.decide(np.array([word], dtype=np.uint64), source)[0])


def first_word_above(ladder: Ladder, rank: int, tail: int) -> int:
    """By bisection through the code itself: the first word that is decided beyond a rank."""
    low, high = 0, 1 << 64
    while low < high:
        middle = (low + high) // 2
        if decided(ladder, middle, tail) > rank:
            high = middle
        else:
            low = middle + 1
    return low


@each_law
def test_every_step_is_the_floor_of_the_distribution_function(target: Target) -> None:
    steps = target.sampler.ladder.steps
    assert [target.bits_of_step(rank, 1)[0] for rank in range(len(steps))] == steps.tolist()


@pytest.mark.slow
@each_law
def test_the_decision_switches_within_the_word_that_holds_the_distribution_function(
    target: Target,
) -> None:
    ladder = target.sampler.ladder
    for rank in some_ranks(target):
        (step,) = target.bits_of_step(rank, 1)
        assert first_word_above(ladder, rank, tail=ONES) == step
        assert first_word_above(ladder, rank, tail=0) == step + 1


@each_law
@pytest.mark.parametrize("shift", [-1, 1])
def test_a_word_on_a_step_is_decided_by_the_next_word(target: Target, shift: int) -> None:
    ladder = target.sampler.ladder
    for rank in some_ranks(target):
        step, digit = target.bits_of_step(rank, 2)
        if 0 <= digit + shift <= ONES:
            source = Scripted([digit + shift])
            found = ladder.decide(np.array([step], dtype=np.uint64), source)
            assert int(found[0]) == rank + (shift > 0)
            assert source.left == 0


@pytest.mark.parametrize(
    "target", [target for target in TARGETS if target.scale >= SCALES[0]], ids=label
)
@pytest.mark.parametrize("shift", [-1, 1])
def test_a_word_on_a_step_twice_is_decided_by_the_word_after(target: Target, shift: int) -> None:
    ladder = target.sampler.ladder
    rank = len(ladder.steps) // 2
    step, digit, next_digit = target.bits_of_step(rank, 3)
    source = Scripted([digit, next_digit + shift])
    assert ladder.decide(np.array([step], dtype=np.uint64), source).tolist() == [rank + (shift > 0)]
    assert source.asked == [("uint64", 1), ("uint64", 1)]


@each_law
def test_a_word_away_from_the_steps_asks_for_nothing(target: Target) -> None:
    ladder = target.sampler.ladder
    steps = ladder.steps.tolist()
    near = {step + shift for step in steps for shift in (0, 1)}
    words = [step + shift for step in steps for shift in (-1, 2)]
    words = [word for word in words if word not in near and word < steps[-1]]
    source = Scripted()
    ranks = ladder.decide(np.array(words, dtype=np.uint64), source).tolist()
    assert ranks == [bisect_right(steps, word) for word in words]
    assert source.asked == []


@each_law
def test_the_guide_agrees_with_both_ends_of_every_cell_it_decides(target: Target) -> None:
    ladder = target.sampler.ladder
    ranks, undecided = ladder.guide
    cells = np.flatnonzero(~undecided).astype(np.uint64)
    for end in (0, (1 << 48) - 1):
        words = (cells << np.uint64(48)) + np.uint64(end)
        assert np.array_equal(ladder.decide(words, Scripted()), ranks[cells.astype(np.int64)])
    assert undecided.sum() <= 2 * len(ladder.steps) + 1


@each_law
@pytest.mark.parametrize("tail", [[0], [ONES // 3], [ONES, 0], [ONES, ONES, 1 << 62]])
def test_a_word_beyond_the_last_step_has_the_rank_of_the_closed_form(
    target: Target, tail: list[int]
) -> None:
    ladder = target.sampler.ladder
    found = ladder.decide(np.array([ONES], dtype=np.uint64), Scripted(tail, forever=0))
    prefix = ONES
    for word in tail:
        prefix = prefix << 64 | word
    beyond = (1 << 64 * (len(tail) + 1)) - prefix  # 2^k (1 - U), were U to end here

    def holds() -> bool:
        scaled = 2 ** (64 * (len(tail) + 1))
        rank = int(found[0])
        return bool(
            target.above(rank) * scaled >= beyond and target.above(rank + 1) * scaled < beyond
        )

    assert at_precision(BITS, holds)


@pytest.mark.slow
@pytest.mark.parametrize(
    "target", [target for target in TARGETS if SCALES[0] <= target.scale <= 10], ids=label
)
def test_cells_and_steps_recombine_to_the_law_within_two_words(target: Target) -> None:
    """Counts, for each rank, the words that surely lead to it and those that may."""
    ladder = target.sampler.ladder
    guide, undecided = ladder.guide
    sure = np.bincount(guide[~undecided], minlength=len(ladder.steps) + 1).astype(object) << 48
    possible = sure.copy()
    for cell in np.flatnonzero(undecided):
        first, end = int(cell) << 48, (int(cell) + 1) << 48
        low, high = decided(ladder, first, 0), decided(ladder, end - 1, ONES)
        edges = range(low, min(high, len(ladder.steps)))
        opened = [first, *(first_word_above(ladder, rank, tail=ONES) for rank in edges), end]
        closed = [first, *(first_word_above(ladder, rank, tail=0) for rank in edges), end]
        for place, rank in enumerate([*edges, edges.stop]):
            sure[rank] += max(0, opened[place + 1] - closed[place])
            possible[rank] += closed[place + 1] - opened[place]
    for rank in range(len(ladder.steps)):
        least, most = fractions_of(target.chance(rank))
        assert sure[rank] <= least * 2**64
        assert most * 2**64 <= possible[rank] <= sure[rank] + 2
