"""How long a single draw takes says nothing about how large it is."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

from shoal.mechanisms import Geometric
from shoal.noise import IntegerNoise, discrete_gaussian, discrete_laplace, rounded_gaussian

DRAWS = 16_000
LARGEST = 0.05
TRIES = 5
ENOUGH = 2500
"""Answers of one kind, so that the correlation of what is unrelated is seldom above 0.04."""

LAWS: dict[str, Callable[[Fraction], IntegerNoise]] = {
    "discrete laplace": discrete_laplace,
    "discrete gaussian": lambda scale: discrete_gaussian(scale**2),
    "rounded gaussian": lambda scale: rounded_gaussian(scale**2),
}


def timed(draw: Callable[[], int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What is drawn, and the time that each draw takes."""
    clock = time.perf_counter_ns
    for _ in range(1000):
        draw()
    drawn, times = [], []
    gc.disable()
    try:
        for _ in range(DRAWS):
            start = clock()
            one = draw()
            times.append(clock() - start)
            drawn.append(one)
    finally:
        gc.enable()
    return np.array(drawn), np.array(times)


def correlation(one: NDArray[Any], two: NDArray[Any]) -> float:
    """Spearman's, or 0 where there is nothing to tell apart."""
    if len(one) < ENOUGH or len(set(one.tolist())) == 1:
        return 0.0
    return float(np.corrcoef(rankdata(one), rankdata(two))[0, 1])


def most_told(draw: Callable[[], int], value: int = 0) -> float:
    """How much the time tells of the noise to somebody who has the answer.

    The time tells the sign of an answer, and whether it is one of the integers from -5 to 256,
    which Python keeps; so does the answer.  Among answers that are alike in both: of the size of
    the noise, of its sign, and of whether it is such an integer.  It is the median of some tries,
    for other work on the machine has nothing to do with the noise.
    """

    def one_try() -> list[float]:
        answers, times = timed(draw)
        noise = answers - value
        about = (np.abs(noise), noise, _is_kept(noise))
        kinds = [
            (np.sign(answers) == sign) & (_is_kept(answers) == kept)
            for sign in (-1, 0, 1)
            for kept in (False, True)
        ]
        return [correlation(each[kind], times[kind]) for kind in kinds for each in about]

    return float(np.abs(np.median([one_try() for _ in range(TRIES)], axis=0)).max())


def _is_kept(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    return (numbers >= -5) & (numbers <= 256)


@pytest.mark.audit
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("scale", [10, 10**4, 10**8])
def test_time_and_size_of_a_draw_are_unrelated(name: str, scale: int) -> None:
    assert most_told(LAWS[name](Fraction(scale)).one) <= LARGEST


@pytest.mark.audit
@pytest.mark.parametrize("value", [-5, 0, 100, 256, 1000, 10**6])
@pytest.mark.parametrize("scale", [3, 10, 30, 100, 300, 1000, 10**4])
def test_the_time_of_a_whole_release_says_nothing_about_its_noise(scale: int, value: int) -> None:
    made = Geometric(scale=scale, sensitivity=1)
    assert most_told(lambda: made.release(value), value) <= LARGEST


@pytest.mark.audit
@pytest.mark.parametrize(("scale", "value"), [(300, 256), (1000, 1000)])
def test_noise_that_is_an_integer_of_python_before_it_is_added_is_found(
    scale: int, value: int
) -> None:
    noise = discrete_laplace(Fraction(scale))
    assert most_told(lambda: value + noise.one(), value) > 0.1


@pytest.mark.audit
def test_a_sampler_that_walks_to_its_draw_is_found() -> None:
    """As samplers are often written: a step for each coin that falls the same way."""
    coins, again = np.random.default_rng(1), math.exp(-1 / 10)

    def walk() -> int:
        steps = 0
        while coins.random() < again:
            steps += 1
        return steps

    assert most_told(walk) > 0.5
