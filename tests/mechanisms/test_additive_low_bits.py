"""No event on the low bits of an answer tells neighbours apart, for scalars and vectors.

The attack: answers near 0 that are no multiple of 2^-53 can come from the value 0, where floats are
dense, and never from 1, whose sum with anything is a multiple of 2^-53 (Mironov 2012; Haney and
others 2022).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal import DiscreteGaussian, Gaussian, Grid, Laplace, SparseVector, Staircase
from shoal.mechanisms.additive import Additive
from shoal.noise import seam

N = 4000
Floats = NDArray[np.float64]
MECHANISMS: list[Additive] = [
    Laplace(scale=1, sensitivity=1),
    Laplace(scale=1, sensitivity=1, grid=Grid(-59)),
    Laplace(scale="1/3", sensitivity="1/3"),
    Gaussian(sigma=1, sensitivity=1),
    Gaussian(sigma=1, sensitivity=1, grid=Grid(-58)),
    DiscreteGaussian(sigma=1, sensitivity=1),
    Staircase(epsilon=1, sensitivity=1),
]
HELD = [each for each in MECHANISMS if each.grid is None and not isinstance(each, Staircase)]
"""Vectors whose grid is coarse enough that an answer near 2^8 holds its last bits."""
PAIRS = [(0.0, 1.0), (2.0**20 - 1, 2.0**20), (2.0**40 - 1, 2.0**40), (0.1, 1.1), (1e-300, 1.0)]


def scalars(mechanism: Additive, value: float, *, seed: str) -> Floats:
    with seam.seeded(seed):
        return np.array([mechanism.release(value) for _ in range(N)])


def vector(mechanism: Additive, value: float, *, seed: str) -> Floats:
    with seam.seeded(seed):
        return mechanism.release(np.full(N, value))


def naive(value: float, *, seed: int) -> Floats:
    draws = np.random.default_rng(seed)
    return value + draws.laplace(size=N)


def small_and_fine(answers: Floats) -> int:
    """How many answers lie within 1/2 and are no multiple of 2^-53."""
    near = answers[np.abs(answers) < 0.5]
    return int((np.ldexp(near, 53) % 1 != 0).sum())


def compatible(counts: list[int], epsilon: float) -> bool:
    """Whether two counts out of N can come from chances within e^epsilon of each other, at six
    sigma.
    """
    high, low = max(counts), min(counts)
    rise = math.exp(epsilon)
    return high <= rise * low + 6 * math.sqrt(rise**2 * low + high) + 20


def cost_of(mechanism: Additive) -> float:
    """The pure loss, or what bounds the loss of 99.99 % of the answers."""
    if isinstance(mechanism, Gaussian | DiscreteGaussian):
        return float(mechanism.cost.to_approx(delta="1e-4").epsilon)
    return float(mechanism.cost.epsilon)  # type: ignore[attr-defined]


Draw = Callable[..., Floats]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_classic_event_is_as_likely_from_one_as_from_zero(mechanism: Additive) -> None:
    draws: list[Draw] = [scalars] if isinstance(mechanism, Staircase) else [scalars, vector]
    for draw in draws:
        counts = [
            small_and_fine(draw(mechanism, value, seed=f"bits {value}")) for value in (0.0, 1.0)
        ]
        assert compatible(counts, cost_of(mechanism)), counts


def test_the_classic_event_is_reachable_at_all_on_a_fine_grid() -> None:
    counts = [
        small_and_fine(vector(Laplace(scale=1, sensitivity=1, grid=Grid(-58)), value, seed="fine"))
        for value in (0.0, 1.0)
    ]
    assert min(counts) > N / 50


def test_naive_noise_fails_the_same_test() -> None:
    counts = [small_and_fine(naive(value, seed=3)) for value in (0.0, 1.0)]
    assert counts[1] == 0
    assert not compatible(counts, 1.0)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_every_answer_is_a_whole_number_of_steps_rounded_once(
    mechanism: Additive, pair: tuple[float, float]
) -> None:
    spacing = mechanism._on_grid(1)[0].spacing
    for value in pair:
        for answer in scalars(mechanism, value, seed="steps")[:300].tolist():
            steps = round(Fraction(answer) / spacing)
            assert float(steps * spacing) == answer


@pytest.mark.parametrize("mechanism", HELD, ids=repr)
@pytest.mark.parametrize("pair", [(0.0, 1.0), (2.0**8 - 1, 2.0**8), (0.1, 1.1)], ids=str)
def test_the_low_bits_of_neighbours_are_equally_uniform(
    mechanism: Additive, pair: tuple[float, float]
) -> None:
    """The last four bits of the steps: the law is flat at that scale, whatever the value."""
    spacing = mechanism._on_grid(N)[0].spacing
    for value in pair:
        steps = [
            int(Fraction(each) / spacing) & 15
            for each in vector(mechanism, value, seed="uniform").tolist()
        ]
        counts = np.bincount(steps, minlength=16)
        assert ((counts - N / 16) ** 2 / (N / 16)).sum() < 70  # p of about 10^-8 for 15 degrees


def test_the_low_bits_of_naive_noise_tell_the_neighbours_apart() -> None:
    """The same statistic on the bits below 2^-53 of answers near 0."""
    fine = [np.ldexp(naive(value, seed=8), 56) % 8 for value in (0.0, 1.0)]
    assert (fine[1][np.abs(naive(1.0, seed=8)) < 0.5] == 0).all()
    assert (fine[0][np.abs(naive(0.0, seed=8)) < 0.5] != 0).any()


def test_numbers_told_by_a_sparse_vector_lie_on_its_grid() -> None:
    mechanism = SparseVector(epsilon=20, sensitivity=1, positives=400, numeric=True)
    with seam.seeded("sparse bits"):
        answers: dict[float, list[Any]] = {}
        for value in (0.0, 1.0):
            run = mechanism.start(threshold=-(10**6))
            answers[value] = [run.answer(value) for _ in range(400)]
    spacing = mechanism.lattice[0].spacing
    for told in answers.values():
        assert all((Fraction(each) / spacing).denominator == 1 for each in told)
