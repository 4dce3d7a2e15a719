from __future__ import annotations

import itertools
import math
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shoal.auditing import processes
from shoal.auditing.repeats import repeats, sharing
from shoal.errors import DataError, RangeError
from shoal.mechanisms import Gaussian, Geometric, Laplace
from shoal.noise.seam import seeded

Rows = list[tuple[Any, ...]]


def rows(*numbers: Any) -> Rows:
    return [(each,) for each in numbers]


def test_lists_with_one_difference_have_the_chance_of_one_order_in_all() -> None:
    one = [0.25, -1.5, 2.75, 0.125, 9.0]
    found = sharing(rows(*one), rows(*(each + 3 for each in one)))
    assert found.same == 5
    assert found.p_value == pytest.approx(1 / math.factorial(5))


def test_equal_answers_are_counted_as_they_may_change_places() -> None:
    found = sharing(rows(1, 1, 1, 2, 2), rows(4, 4, 4, 5, 5))
    assert found.p_value == pytest.approx(math.factorial(3) * math.factorial(2) / math.factorial(5))


def test_the_chance_of_lists_that_share_some_places_is_near_that_of_all_orders() -> None:
    one, two = [0, 10, 25, 47, 60], [1, 11, 26, 90, 61]
    orders = list(itertools.permutations(two))
    same = [max(Counter(b - a for a, b in zip(one, each, strict=True)).values()) for each in orders]
    found = sharing(rows(*one), rows(*two))
    assert found.same == 4
    exact = sum(each >= 4 for each in same) / len(orders)
    assert found.p_value == pytest.approx(exact, abs=5 * math.sqrt(exact / 2000) + 1 / 2000)


def test_rounding_does_not_hide_noise_that_came_again() -> None:
    noise = [0.1, 0.7, -0.3, 12.345, 1e-3, 4.2]
    found = sharing(rows(*(1e6 + each for each in noise)), rows(*(each + 0.1 for each in noise)))
    assert found.same == 6


def test_answers_that_are_no_numbers_are_held_against_each_other_as_they_are() -> None:
    found = sharing(rows("a", "b", "c", "d"), rows("a", "b", "c", "d"))
    assert found.p_value == pytest.approx(1 / 24)
    assert sharing(rows("a", "b", "c", "d"), rows("d", "c", "b", "a")).same == 1


@pytest.mark.audit
def test_independent_lists_are_called_the_same_no_more_often_than_the_level() -> None:
    noise, alarms = Geometric.for_epsilon(1, sensitivity=1), 0
    for seed in range(400):
        with seeded(seed):
            one, two = (
                rows(*noise.release(np.zeros(12, dtype=np.int64)).tolist()) for _ in range(2)
            )
        alarms += sharing(one, two, seed=str(seed)).p_value <= 0.05
    assert alarms <= 33  # 5 % of 400, and three standard deviations


def one_generator(seed: int | None) -> Callable[[Any], Any]:
    generator = np.random.default_rng(seed)
    return lambda value: value + float(generator.laplace())


def seeded_each_time(value: float) -> float:
    return value + random.Random(7).gauss(0, 1)


def told(verdict: Any) -> set[str]:
    return {
        name.removesuffix(": p-value")
        for name, value in verdict.figures
        if name.endswith("p-value") and value < 1e-3
    }


def test_a_generator_that_is_copied_by_a_fork_is_found() -> None:
    found = repeats(one_generator(None), 0.0, 1.0)
    assert found.refuted
    assert told(found) == {"two children of a process", "two datasets, in children of a process"}


@pytest.mark.slow
def test_a_seed_in_every_call_is_found_by_the_claim() -> None:
    assert repeats(seeded_each_time, 0.0, 1.0, epsilon=1).refuted
    assert not repeats(seeded_each_time, 0.0, 1.0).refuted


def test_a_constant_that_does_not_depend_on_the_data_is_let_pass() -> None:
    assert not repeats(lambda _: 3, 0.0, 1.0, epsilon=1).refuted


class Turns:
    """A program whose noise is the next of a list; two of them that begin at the same place share
    it.
    """

    def __init__(self, begins: int, factor: float = 1) -> None:
        self.turn, self.factor, self.gate = begins, factor, threading.Lock()

    def __call__(self, value: float) -> float:
        with self.gate:
            self.turn += 1
            return self.factor * value + random.Random(self.turn // 2).gauss(0, 1)


def test_programs_that_start_at_the_same_time_and_take_it_for_a_seed_are_found() -> None:
    found = repeats(Turns(1), 0.0, 1.0, program=True)
    assert {"two fresh processes", "two datasets"} <= told(found)


def test_two_questions_with_the_same_noise_are_found() -> None:
    class Question:
        def __init__(self, factor: float) -> None:
            self.factor, self.generator = factor, random.Random(9)

        def __call__(self, value: float) -> float:
            return self.factor * value + self.generator.gauss(0, 1)

    one, other = Question(1), Question(2)
    for _ in range(2 * 2 * 24):  # the first question was asked by other places before
        other(0.0)
    found = repeats(one, 0.0, 1.0, other=other, program=True)
    assert told(found) == {"two questions"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace.for_epsilon(1, sensitivity=1),
        Geometric.for_epsilon("0.1", sensitivity=1),
        Gaussian(sigma=3, sensitivity=1),
    ],
    ids=lambda each: type(each).__name__,
)
def test_noise_of_shoal_is_fresh_in_processes_children_and_threads(mechanism: Any) -> None:
    """Chance refutes once in 200 times at most; three times in a row, less than once in a
    million.
    """
    tries = (repeats(mechanism.release, 0, 1, epsilon=1, confidence="0.995") for _ in range(3))
    found = next((each for each in tries if not each.refuted), None)
    assert found is not None
    assert "not tried" not in dict(found.figures)


def test_a_mechanism_that_cannot_be_sent_to_a_fresh_process_says_so() -> None:
    assert dict(repeats(lambda value: value, 0, 1).figures)["not tried"] == "two fresh processes"


def test_a_mechanism_that_fails_in_a_child_is_no_finding() -> None:
    calls = [0]

    def fails_later(value: float) -> float:
        calls[0] += 1
        if calls[0] > 3:
            raise ValueError
        return value

    with pytest.raises((DataError, ValueError)):
        repeats(fails_later, 0.0, 1.0)


def test_a_delta_without_an_epsilon_is_refused() -> None:
    with pytest.raises(RangeError, match="without the epsilon"):
        repeats(lambda value: value, 0, 1, delta="0.1")


def test_a_child_that_hangs_is_ended_and_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    parent, fork, children = os.getpid(), os.fork, list[int]()

    def forked() -> int:
        children.append(fork())
        return children[-1]

    def hanging(value: float) -> float:
        if os.getpid() != parent:
            time.sleep(600)
        return value

    monkeypatch.setattr(processes, "_PATIENCE", 0.2)
    monkeypatch.setattr(os, "fork", forked)
    with pytest.raises(DataError, match="did not end within"):
        processes.forked([(hanging, 0.0)], 4)
    [child] = children
    with pytest.raises(ChildProcessError):  # it is not left; this process may have others
        os.waitpid(child, os.WNOHANG)
