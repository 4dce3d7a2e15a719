"""Every mechanism at the front of the package, on two neighbours between which its promise is
nearly used up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.auditing.suite.case import Case
from shoal.mechanisms import (
    AboveThreshold,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Geometric,
    Histogram,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    Staircase,
    TopK,
    TruncatedGeometric,
)

MANY, SOME = 400_000, 20_000


def _asked(mechanism: SparseVector, answers: list[int]) -> tuple[Any, ...]:
    """Is each answer above 0? Until the run is spent."""
    run = mechanism.start(threshold=0)
    told: list[bool] = []
    for answer in answers:
        if run.spent:
            break
        told.append(run.ask(answer))
    return tuple(told)


def _cells(table: Histogram, tally: tuple[int, ...], wanted: int) -> Any:
    """Cells have noise of their own, so that many tables are one long one."""
    return table.release_counts(np.tile(np.array(tally), wanted)).reshape(wanted, len(tally))


MECHANISMS = (
    Case(
        "laplace", ("Laplace",), lambda: Laplace.for_epsilon(1, sensitivity=1), 0, 1, samples=MANY
    ),
    Case(
        "laplace, reals",
        ("Laplace",),
        lambda: Laplace.for_epsilon(1, sensitivity=1),
        0.0,
        1.0,
        samples=MANY // 4,
    ),
    Case(
        "geometric",
        ("Geometric",),
        lambda: Geometric.for_epsilon(1, sensitivity=2),
        0,
        2,
        samples=MANY,
    ),
    Case(
        "truncated geometric",
        ("TruncatedGeometric",),
        lambda: TruncatedGeometric.for_epsilon(1, sensitivity=1, low=0, high=5),
        0,
        1,
        samples=MANY,
    ),
    Case(
        "staircase",
        ("Staircase",),
        lambda: Staircase(epsilon=2, sensitivity=1),
        0.0,
        1.0,
        samples=MANY // 4,
    ),
    Case("gaussian", ("Gaussian",), lambda: Gaussian(sigma=1, sensitivity=1), 0, 1, samples=MANY),
    Case(
        "gaussian, reals",
        ("Gaussian",),
        lambda: Gaussian(sigma=1, sensitivity=1),
        0.0,
        1.0,
        samples=MANY // 4,
    ),
    Case(
        "discrete gaussian",
        ("DiscreteGaussian",),
        lambda: DiscreteGaussian(sigma=1, sensitivity=1),
        0,
        1,
        samples=MANY,
    ),
    Case(
        "histogram",
        ("Histogram",),
        lambda: Histogram.for_epsilon(1),
        (5, 3),
        (6, 3),
        many=_cells,
        samples=MANY // 4,
    ),
    Case(
        "exponential",
        ("Exponential",),
        lambda: Exponential(epsilon=1, sensitivity=1),
        (1, 4),
        (0, 5),
        samples=SOME,
    ),
    Case(
        "exponential, monotone",
        ("Exponential",),
        lambda: Exponential(epsilon=1, sensitivity=1, monotone=True),
        (1, 3),
        (0, 3),
        samples=SOME,
    ),
    Case(
        "permute and flip",
        ("PermuteAndFlip",),
        lambda: PermuteAndFlip(epsilon=1, sensitivity=1),
        (1, 4),
        (0, 5),
        samples=SOME,
    ),
    Case(
        "noisy max",
        ("NoisyMax",),
        lambda: NoisyMax(epsilon=1, sensitivity=1),
        (1, *[-1] * 9),
        (0,) * 10,
        samples=SOME,
    ),
    Case(
        "top two",
        ("TopK",),
        lambda: TopK(k=2, epsilon=1, sensitivity=1),
        (1, 1, 4, 4),
        (0, 0, 5, 5),
        samples=SOME,
    ),
    Case(
        "randomized response",
        ("RandomizedResponse",),
        lambda: RandomizedResponse.for_epsilon(1, categories=3),
        0,
        1,
        samples=MANY,
    ),
    Case(
        "above threshold",
        ("AboveThreshold",),
        lambda: AboveThreshold(epsilon=1, sensitivity=1),
        [0] * 9 + [1],
        [1] * 9 + [0],
        act=_asked,
        samples=SOME,
    ),
    Case(
        "sparse vector",
        ("SparseVector", "SparseVectorRun"),
        lambda: SparseVector(epsilon=1, sensitivity=1, positives=2),
        [0] * 4 + [1] * 2,
        [1] * 4 + [0] * 2,
        act=_asked,
        samples=SOME,
    ),
)
