"""How long a single draw takes says nothing about how large it is."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import rankdata

from shoal.mechanisms import Geometric
from shoal.noise import IntegerNoise, discrete_gaussian, discrete_laplace, rounded_gaussian

DRAWS = 8000
LARGEST = 0.05
LAWS: dict[str, Callable[[Fraction], IntegerNoise]] = {
    "discrete laplace": discrete_laplace,
    "discrete gaussian": lambda scale: discrete_gaussian(scale**2),
    "rounded gaussian": lambda scale: rounded_gaussian(scale**2),
}


def correlation(draw: Callable[[], int]) -> float:
    """Spearman's, of the size of a draw and the time it took."""
    clock = time.perf_counter_ns
    for _ in range(1000):
        draw()
    sizes, times = [], []
    gc.disable()
    try:
        for _ in range(DRAWS):
            start = clock()
            drawn = draw()
            times.append(clock() - start)
            sizes.append(abs(drawn))
    finally:
        gc.enable()
    return float(np.corrcoef(rankdata(sizes), rankdata(times))[0, 1])


def least_of(tries: int, draw: Callable[[], int]) -> float:
    """The smallest of a few correlations: a true one stays, a burst of other work does not come
    back.
    """
    return min(abs(correlation(draw)) for _ in range(tries))


@pytest.mark.audit
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("scale", [10, 10**4, 10**8])
def test_time_and_size_of_a_draw_are_unrelated(name: str, scale: int) -> None:
    assert least_of(2, LAWS[name](Fraction(scale)).one) <= LARGEST


@pytest.mark.audit
@pytest.mark.parametrize("value", [0, 100, 1000, 10**6])
@pytest.mark.parametrize("scale", [3, 10, 30, 100, 300, 1000, 10**4])
def test_the_time_of_a_whole_release_tells_no_more_than_the_docs_say(
    scale: int, value: int
) -> None:
    """Python keeps small integers ready, so that small answers are told a little by time.  Where
    there are none, nothing is.
    """
    made = Geometric(scale=scale, sensitivity=1)
    most = LARGEST if scale == 10**4 or value == 10**6 else 0.2
    assert least_of(8, lambda: made.release(value)) <= most


@pytest.mark.audit
def test_a_sampler_that_walks_to_its_draw_is_found() -> None:
    """As samplers are often written: a step for each coin that falls the same way."""
    coins, again = np.random.default_rng(1), math.exp(-1 / 10)

    def walk() -> int:
        steps = 0
        while coins.random() < again:
            steps += 1
        return steps

    assert least_of(2, walk) > 0.5
