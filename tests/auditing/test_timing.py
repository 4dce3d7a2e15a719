from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shoal.auditing.timing import Timed, time_runs, timing
from shoal.errors import DataError
from shoal.mechanisms import Geometric, Laplace
from shoal.noise import uniform_below
from shoal.noise.seam import seeded

Mechanism = Callable[[Any], Any]


class Stopwatch:
    """A clock that moves only when a mechanism says that it worked, and by some chance; tests of
    time need no time.
    """

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        self.now += 40 + int(uniform_below(200, 1)[0])
        return self.now

    def work(self, nanoseconds: int) -> None:
        self.now += nanoseconds


def judged(
    made: Callable[[Stopwatch], Mechanism], d0: Any, d1: Any, runs: int = 400, **how: Any
) -> Any:
    clock = Stopwatch()
    with seeded(7):
        return timing(time_runs(made(clock), d0, d1, runs=runs, clock=clock), **how)


def told(verdict: Any) -> set[str]:
    names = {
        name.removesuffix(": p-value")
        for name, value in verdict.figures
        if name.endswith("p-value") and value < 1e-4
    }
    return set(names)


def looping(clock: Stopwatch) -> Mechanism:
    """Two-sided geometric noise by a loop that runs as often as the noise is large; each turn takes
    50 nanoseconds.
    """

    def answer(value: int) -> int:
        drawn = (1 + float(uniform_below(1 << 30, 1)[0])) / (1 << 30)
        size = int(math.log(drawn) / math.log(0.99))
        clock.work(50 * size)
        return value + (size if uniform_below(2, 1)[0] else -size)

    return answer


def steady(clock: Stopwatch) -> Mechanism:
    noise = Geometric.for_epsilon("0.01", sensitivity=1)

    def answer(value: int) -> int:
        clock.work(5000)
        return int(noise.release(value))

    return answer


def slow_on_one(clock: Stopwatch) -> Mechanism:
    noise = steady(clock)

    def answer(value: int) -> Any:
        clock.work(3000 * value)
        return noise(value)

    return answer


def by_the_answer(clock: Stopwatch) -> Mechanism:
    """Work that grows with the answer, which everybody sees."""
    noise = steady(clock)

    def answer(value: int) -> Any:
        told = noise(value)
        clock.work(50 * abs(told))
        return told

    return answer


def test_a_loop_that_runs_as_often_as_the_noise_is_large_is_refuted() -> None:
    found = judged(looping, 0, 1)
    assert found.refuted
    assert told(found) == {"size of noise, dataset 0", "size of noise, dataset 1"}


def test_datasets_far_apart_show_it_at_equal_answers() -> None:
    assert "size of noise at equal answers" in told(judged(looping, 0, 100, runs=2000))


def test_time_that_depends_on_the_answer_alone_is_not_seen_at_equal_answers() -> None:
    found = judged(by_the_answer, 0, 100, runs=2000)
    assert "size of noise, dataset 0" in told(found)
    assert "size of noise at equal answers" not in told(found)


def test_a_dataset_that_takes_longer_is_refuted() -> None:
    found = judged(slow_on_one, 0, 1)
    assert found.refuted
    assert "slower dataset" in told(found)


def test_which_dataset_is_slower_does_not_matter() -> None:
    assert judged(slow_on_one, 1, 0).refuted


def test_time_that_depends_on_nothing_is_let_pass() -> None:
    found = judged(steady, 0, 1)
    assert not found.refuted
    assert "proves nothing" in found.found


def test_differences_below_the_resolution_are_not_looked_for() -> None:
    assert not judged(looping, 0, 1, resolution=0.001).refuted


@pytest.mark.audit
def test_steady_time_is_refuted_no_more_often_than_the_confidence_allows() -> None:
    generator, alarms = np.random.default_rng(5), 0
    for _ in range(400):
        answers = np.asarray(generator.geometric(0.1, (200, 2)), dtype=np.float64)
        found = Timed(generator.exponential(1e4, (200, 2)), answers)
        alarms += timing(found, resolution=0, confidence="0.95").refuted
    assert alarms <= 33  # 5 % of 400, and three standard deviations


def test_a_machine_that_grows_slower_accuses_nobody() -> None:
    generator, alarms = np.random.default_rng(6), 0
    for _ in range(40):
        drifting = np.abs(np.cumsum(generator.normal(0, 1e5, 600))).reshape(300, 2)
        answers = np.asarray(generator.geometric(0.05, (300, 2)), dtype=np.float64)
        alarms += timing(Timed(drifting, answers)).refuted
    assert alarms <= 3  # 1 % of 40, and three standard deviations


@pytest.mark.audit
@pytest.mark.parametrize("mechanism", [Laplace, Geometric])
def test_noise_of_shoal_takes_no_longer_when_it_is_large(mechanism: Any) -> None:
    noise = mechanism.for_epsilon("0.01", sensitivity=1)
    assert not timing(time_runs(noise.release, 0, 100, runs=5000), confidence="0.999").refuted


def test_runs_that_warm_up_are_not_counted() -> None:
    clock, seen = Stopwatch(), list[int]()

    def answer(value: int) -> int:
        seen.append(value)
        return value

    assert len(time_runs(answer, 0, 1, runs=30, warm=10, clock=clock).times) == 30
    assert len(seen) == 80
    assert seen.count(0) == seen.count(1) == 40


def test_pairs_begin_with_either_dataset() -> None:
    clock, seen = Stopwatch(), list[int]()

    def answer(value: int) -> int:
        seen.append(value)
        return value

    time_runs(answer, 0, 1, runs=200, warm=0, clock=clock)
    assert 60 < sum(seen[::2]) < 140


def test_few_pairs_are_refused() -> None:
    with pytest.raises(DataError, match="at least 20"):
        Timed(np.zeros((5, 2)), np.zeros((5, 2)))


def test_answers_of_several_numbers_are_refused() -> None:
    with pytest.raises(DataError, match="one number"):
        time_runs(lambda value: [value, value], 0, 1, runs=20)


@pytest.mark.parametrize("answer", [None, "four", float("nan"), float("inf"), [None], 10**400])
def test_a_run_without_one_finite_number_is_refused_in_words(answer: Any) -> None:
    with pytest.raises(DataError, match=r"no answer|one finite number"):
        time_runs(lambda _: answer, 0, 1, runs=20)


def test_answers_that_never_change_are_timed_without_a_warning() -> None:
    """Warnings are errors here: no couple of runs differs in noise, so no median is taken of
    them.
    """
    times = np.tile([1000.0, 9000.0], (24, 1))
    found = timing(Timed(times, np.zeros((24, 2))))
    assert found.refuted
    assert not any(
        name.startswith("size") and name.endswith("microseconds") for name, _ in found.figures
    )
