from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from shoal.auditing.guess_bound import one_run_epsilon, one_run_p_value
from shoal.errors import RangeError


def worst_learner(m: int, r: int, v: int, epsilon: float, delta: float) -> float:
    """The largest probability of v right guesses over all (epsilon, delta)-private learners of m
    coins, by linear programming.
    """
    coins = list(itertools.product((-1, 1), repeat=m))
    guesses = [t for t in itertools.product((-1, 0, 1), repeat=m) if np.count_nonzero(t) == r]
    pairs = list(_neighbours(coins))
    many = len(coins) * len(guesses)
    width = many + len(pairs) * len(guesses)
    gain = np.zeros(width)
    for (i, s), (j, t) in itertools.product(enumerate(coins), enumerate(guesses)):
        right = sum(a == b for a, b in zip(s, t, strict=True))
        gain[i * len(guesses) + j] = -(right >= v) / len(coins)
    above, limits = [], []
    for number, (one, two) in enumerate(pairs):
        for j in range(len(guesses)):
            row = np.zeros(width)
            row[one * len(guesses) + j], row[two * len(guesses) + j] = 1, -math.exp(epsilon)
            row[many + number * len(guesses) + j] = -1
            above.append(row)
            limits.append(0.0)
        row = np.zeros(width)
        row[many + number * len(guesses) : many + (number + 1) * len(guesses)] = 1
        above.append(row)
        limits.append(delta)
    sums = np.zeros((len(coins), width))
    for i in range(len(coins)):
        sums[i, i * len(guesses) : (i + 1) * len(guesses)] = 1
    found = linprog(gain, A_ub=np.array(above), b_ub=limits, A_eq=sums, b_eq=np.ones(len(coins)))
    return float(-found.fun)


def _neighbours(coins: list[tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    for (i, s), (j, t) in itertools.product(enumerate(coins), repeat=2):
        if sum(a != b for a, b in zip(s, t, strict=True)) == 1:
            yield i, j


CASES = [(m, r, v) for m in (1, 2, 3) for r in range(1, m + 1) for v in range(1, r + 1)]


@pytest.mark.parametrize(("m", "r", "v"), CASES)
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_the_p_value_is_what_the_worst_private_learner_attains(
    m: int, r: int, v: int, epsilon: float, delta: float
) -> None:
    bound = one_run_p_value(canaries=m, guesses=r, right=v, epsilon=epsilon, delta=delta)
    assert worst_learner(m, r, v, epsilon, delta) == pytest.approx(bound, abs=1e-8)


def worst_of_many(n: int, v: int, epsilon: float, delta: float) -> float:
    """The same for n canaries that are all guessed; a learner may be made symmetric, so that only
    the number of right guesses matters.
    """
    odds, width = math.exp(epsilon), 3 * n + 1
    above = np.zeros((2 * n + 1, width))
    for a in range(1, n + 1):
        up, down = 2 * (a - 1), 2 * (a - 1) + 1
        above[up, [a, a - 1, n + a]] = a / n, -odds * (n - a + 1) / n, -1
        above[down, [a - 1, a, 2 * n + a]] = (n - a + 1) / n, -odds * a / n, -1
    above[-1, n + 1 :] = 1
    limits = np.append(np.zeros(2 * n), delta)
    gain = np.zeros(width)
    gain[v : n + 1] = -1
    sums = np.zeros((1, width))
    sums[0, : n + 1] = 1
    return float(-linprog(gain, A_ub=above, b_ub=limits, A_eq=sums, b_eq=[1]).fun)


@pytest.mark.parametrize(
    ("n", "v", "epsilon", "delta"),
    [(10, 8, 0.5, 0.01), (30, 25, 0.5, 0.01), (30, 25, 2.0, 0.01), (100, 75, 0.7, 1e-4), (100, 99, 3.0, 1e-4)],
)  # fmt: skip
def test_the_worst_learner_of_many_canaries_attains_it_too(
    n: int, v: int, epsilon: float, delta: float
) -> None:
    bound = one_run_p_value(canaries=n, guesses=n, right=v, epsilon=epsilon, delta=delta)
    assert worst_of_many(n, v, epsilon, delta) == pytest.approx(bound, abs=1e-7)


@pytest.mark.parametrize(("right", "epsilon"), [(60, 0.1), (75, 0.5), (90, 1.0), (99, 3.0)])
def test_above_the_mean_the_printed_bound_is_never_smaller(right: int, epsilon: float) -> None:
    q, delta = 1 / (1 + math.exp(-epsilon)), 1e-4
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), 100, q)) / np.arange(1, right + 1)
    printed = binom.sf(right - 1, 100, q) + 2 * 1000 * delta * below.max()
    ours = one_run_p_value(canaries=1000, guesses=100, right=right, epsilon=epsilon, delta=delta)
    assert ours < printed


def test_the_worked_example_of_the_paper_is_certified_a_little_higher() -> None:
    found = one_run_epsilon(canaries=1000, guesses=100, right=75, delta="1e-4")
    assert round(found, 3) == 0.695  # the paper has 0.673


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_without_delta_the_p_value_is_a_binomial_tail_rounded_up(epsilon: float) -> None:
    tail = binom.sf(79, 120, 1 / (1 + math.exp(-epsilon)))
    found = one_run_p_value(canaries=500, guesses=120, right=80, epsilon=epsilon)
    assert found == pytest.approx(tail, rel=1e-9)


@pytest.mark.parametrize(
    ("canaries", "guesses", "right", "delta"),
    [
        (1000, 1000, 700, 0),
        (1000, 200, 190, "1e-5"),
        (300, 300, 300, "1e-6"),
        (2000, 60, 60, "1e-5"),
    ],
)
def test_the_bound_is_refuted_and_a_little_more_is_not(
    canaries: int, guesses: int, right: int, delta: str | int
) -> None:
    counts = {"canaries": canaries, "guesses": guesses, "right": right}
    bound = one_run_epsilon(**counts, delta=delta)
    assert bound > 0
    assert one_run_p_value(**counts, epsilon=bound, delta=delta) <= 0.05
    assert one_run_p_value(**counts, epsilon=bound * 1.003, delta=delta) > 0.05


def test_guesses_no_better_than_chance_refute_nothing() -> None:
    assert one_run_epsilon(canaries=1000, guesses=1000, right=500) == 0


def test_where_delta_alone_explains_the_guesses_nothing_is_refuted() -> None:
    assert one_run_epsilon(canaries=1000, guesses=10, right=10, delta="0.01") == 0


def test_more_right_guesses_than_guesses_are_refused() -> None:
    with pytest.raises(RangeError, match="must not decrease"):
        one_run_p_value(canaries=10, guesses=5, right=6, epsilon=1)
