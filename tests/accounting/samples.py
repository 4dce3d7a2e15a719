"""Events of every kind with everyday numbers, measures to price them in, and laws to check prices
against.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.events import (
    Composed,
    CorrelatedGaussian,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    GaussianNoisyMax,
    Geometric,
    Group,
    Laplace,
    MixtureOfGaussians,
    NoisyMax,
    Parallel,
    PermuteAndFlip,
    PoissonSampled,
    RandomizedResponse,
    RandomlyAllocated,
    RepeatAndSelect,
    Repeated,
    SampledWithoutReplacement,
    SampledWithReplacement,
    Shuffled,
    Skellam,
    SometimesAnswered,
    SparseVector,
    Staircase,
    StatedApprox,
    StatedGaussian,
    StatedProfile,
    StatedPure,
    StatedRenyi,
    StatedZeroConcentrated,
    TopK,
    TreeAggregation,
    TruncatedGeometric,
    TruncatedLaplace,
    TruncatedPoissonSampled,
)
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated

Floats = NDArray[np.float64]

EVENTS: dict[str, Event] = {
    "laplace": Laplace(10, 1),
    "laplace on a stated lattice": Laplace(3, 2, size=3, steps=40),
    "laplace without movement": Laplace(3, 0, steps=0),
    "geometric": Geometric("2.5", 2),
    "truncated geometric": TruncatedGeometric(4, 1, low=0, high=9),
    "truncated laplace": TruncatedLaplace(4, 2, bound=90),
    "gaussian": Gaussian(3, 1),
    "mixture of gaussians": MixtureOfGaussians(3, [0, 1, 2], ["0.5", "0.25", "0.25"]),
    "correlated gaussian": CorrelatedGaussian(
        9, 1, [1, "1/2", "3/8"], steps=50, participations=4, separation=2
    ),
    "correlated gaussian of both signs": CorrelatedGaussian(
        9, 1, [1, "-1/2"], steps=9, participations=3
    ),
    "tree aggregation": TreeAggregation(20, 1, steps=24, participations=8, separation=3),
    "discrete gaussian": DiscreteGaussian(9, 2),
    "narrow discrete gaussian": DiscreteGaussian("0.2", 1),
    "discrete gaussian vector": DiscreteGaussian("30.5", 7, size=4),
    "skellam": Skellam(9, 2),
    "skellam vector": Skellam("30.5", 4, size=4, sensitivity_squared=7),
    "staircase": Staircase("0.5", 1, "0.4"),
    "randomized response": RandomizedResponse(2, "3/4"),
    "randomized response by epsilon": RandomizedResponse(5, epsilon="0.7"),
    "randomized response that never tells the truth": RandomizedResponse(1000, 0),
    "exponential": Exponential("0.5", 1, candidates=5, monotone=False),
    "permute and flip": PermuteAndFlip("0.5", 1, candidates=5, monotone=True),
    "noisy max": NoisyMax("laplace", "0.3", 1, candidates=4, monotone=False),
    "noisy max by gumbel": NoisyMax("gumbel", "0.3", 1, candidates=4, monotone=False),
    "randomly chosen by gaussian noise": GaussianNoisyMax(40, candidates=10),
    "top k": TopK(3, "0.6", 1, candidates=8, monotone=True),
    "sparse vector": SparseVector("0.1", "0.2", "0.3", 1, positives=3, monotone=False),
    "stated pure": StatedPure("0.1"),
    "stated approx": StatedApprox("0.2", "1e-9"),
    "stated zero concentrated": StatedZeroConcentrated("0.01"),
    "stated gaussian": StatedGaussian("0.2"),
    "stated profile": StatedProfile(["0.1", "0.5", 1], ["0.02", "1e-4", "1e-9"]),
    "stated renyi": StatedRenyi([2, 4, 64], ["0.1", "0.2", 4]),
    "composed": Composed([Laplace(10, 1), Gaussian(5, 1)]),
    "repeated": Repeated(Gaussian(5, 1), 7),
    "parallel": Parallel([Laplace(10, 1), Gaussian(5, 1), StatedPure("0.05")]),
    "group": Group(Gaussian(5, 1), 3),
    "poisson sampled gaussian": PoissonSampled(Gaussian(1, 1), "0.05"),
    "poisson sampled laplace": PoissonSampled(Laplace(1, 1), "0.05"),
    "poisson sampled laplace on a lattice": PoissonSampled(Laplace(2, 1, steps=3), "0.05"),
    "poisson sampled geometric": PoissonSampled(Geometric(3, 2), "0.2"),
    "poisson sampled exponential": PoissonSampled(
        Exponential("0.5", 1, candidates=5, monotone=False), "0.1"
    ),
    "poisson sampled list": PoissonSampled(
        Composed([Laplace(9, 1, steps=1), Gaussian(9, 1)]), "0.1"
    ),
    "poisson sampled approx": PoissonSampled(StatedApprox(1, "1e-9"), "0.05"),
    "poisson sampled discrete gaussian": PoissonSampled(DiscreteGaussian(2, 1), "0.05"),
    "poisson sampled up to a batch": TruncatedPoissonSampled(
        Gaussian(1, 1), "0.05", batch=120, population=1000
    ),
    "sampled by random allocation": RandomlyAllocated(Gaussian(1, 1), 20),
    "sampled without replacement": SampledWithoutReplacement(Gaussian(1, 1), 5, 100),
    "randomly sometimes answered": SometimesAnswered(RandomizedResponse(3, epsilon=1), "0.3"),
    "sampled with replacement": SampledWithReplacement(Gaussian(3, 1), 5, 100),
    "approx sampled with replacement": SampledWithReplacement(StatedApprox(1, "1e-9"), 5, 100),
    "best of many runs": RepeatAndSelect(Gaussian(3, 1), "negative_binomial", eta=1, gamma="0.01"),
    "best of pure runs": RepeatAndSelect(
        Laplace(3, 1), "negative_binomial", eta="-0.5", gamma="0.1"
    ),
    "best of a poisson number of runs": RepeatAndSelect(Laplace(5, 1), "poisson", mean=4),
    "shuffled": Shuffled(RandomizedResponse(2, epsilon=1), 50),
    "shuffled answers": Shuffled(RandomizedResponse(5, epsilon=1), 40),
}
MEASURES: list[type[Measure]] = [Pure, Approx, ZeroConcentrated, Renyi, GaussianDP]
ORDERS = [Fraction(5, 4), Fraction(2), Fraction(7, 2), Fraction(16)]

positives = st.fractions("1/50", 8, max_denominator=60)
rates = st.fractions("1/100", 1, max_denominator=100)

NOISIER: dict[str, Callable[[Fraction], Event]] = {
    "laplace": lambda x: Laplace(x, 1),
    "laplace on a stated lattice": lambda x: Laplace(x, 1, steps=7),
    "geometric": lambda x: Geometric(x, 2),
    "truncated geometric": lambda x: TruncatedGeometric(x, 1, low=0, high=9),
    "gaussian": lambda x: Gaussian(x, 1),
    "mixture of gaussians": lambda x: MixtureOfGaussians(x, [0, 1, 2], ["0.9", "0.06", "0.04"]),
    "correlated gaussian": lambda x: CorrelatedGaussian(
        x, 1, [1, "1/2"], steps=9, participations=3
    ),
    "tree aggregation": lambda x: TreeAggregation(x, 1, steps=9, participations=3),
    "discrete gaussian": lambda x: DiscreteGaussian(x, 1),
    "discrete gaussian vector": lambda x: DiscreteGaussian(x, 3, size=2),
    "skellam vector": lambda x: Skellam(4 * x**2, 3, size=2, sensitivity_squared=5),
    "staircase": lambda x: Staircase(1 / x, 1, "0.4"),
    "randomized response": lambda x: RandomizedResponse(3, epsilon=1 / x),
    "randomized response by truth": lambda x: RandomizedResponse(2, (1 + x) / (1 + 2 * x)),
    "exponential": lambda x: Exponential(1 / x, 1, candidates=5, monotone=False),
    "permute and flip": lambda x: PermuteAndFlip(1 / x, 1, candidates=5, monotone=False),
    "noisy max": lambda x: NoisyMax("laplace", 1 / x, 1, candidates=5, monotone=False),
    "gaussian noisy max": lambda x: GaussianNoisyMax(x, candidates=10),
    "top k": lambda x: TopK(2, 1 / x, 1, candidates=5, monotone=False),
    "sparse vector": lambda x: SparseVector(1 / x, 1 / x, 1 / x, 1, positives=2, monotone=False),
    "stated pure": lambda x: StatedPure(1 / x),
    "stated approx": lambda x: StatedApprox(1 / x, "1e-9"),
    "stated zero concentrated": lambda x: StatedZeroConcentrated(1 / x),
    "stated gaussian": lambda x: StatedGaussian(1 / x),
    "stated profile": lambda x: StatedProfile([1 / x, 4 / x], ["1e-4", "1e-9"]),
    "stated renyi": lambda x: StatedRenyi([2, 16, 256], [1 / x, 8 / x, 128 / x]),
    "poisson sampled gaussian": lambda x: PoissonSampled(Gaussian(x, 1), "0.05"),
    "poisson sampled laplace": lambda x: PoissonSampled(Laplace(x, 1), "0.05"),
    "poisson sampled geometric": lambda x: PoissonSampled(Geometric(x, 2), "0.05"),
    "poisson sampled discrete gaussian": lambda x: PoissonSampled(DiscreteGaussian(x, 1), "0.05"),
    "smaller samples": lambda x: PoissonSampled(Gaussian(1, 1), 1 / (50 * x)),
    "sometimes answered": lambda x: SometimesAnswered(Laplace(x, 1, steps=4), "0.3"),
    "poisson sampled up to a batch": lambda x: TruncatedPoissonSampled(
        Gaussian(x, 1), "0.05", batch=120, population=1000
    ),
    "sampled without replacement": lambda x: SampledWithoutReplacement(Laplace(x, 1), 5, 100),
    "sampled by random allocation": lambda x: RandomlyAllocated(Gaussian(x, 1), 20),
    "sampled with replacement": lambda x: SampledWithReplacement(Laplace(x, 1), 5, 100),
    "best of runs": lambda x: RepeatAndSelect(
        Gaussian(x, 1), "negative_binomial", eta=0, gamma="0.1"
    ),
    "parallel": lambda x: Parallel([Laplace(x, 1), Gaussian(x, 2)]),
    "groups": lambda x: Group(Laplace(x, 1), 3),
}


def divergence(p: Floats, q: Floats, order: float) -> float:
    """The Rényi divergence of two laws on finitely many points, both ways, the larger one."""
    left, right = np.log(p), np.log(q)
    ways = [order * a + (1 - order) * b for a, b in ((left, right), (right, left))]
    sums = [np.log(np.sum(np.exp(way - way.max()))) + way.max() for way in ways]
    return float(max(sums)) / (order - 1)


def hockey_stick(p: Floats, q: Floats, epsilon: float) -> float:
    """The delta of two laws on finitely many points, both ways, the larger one."""
    gain = math.exp(epsilon)
    return float(max(np.maximum(p - gain * q, 0).sum(), np.maximum(q - gain * p, 0).sum()))


def composed(laws: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The product laws of independent pairs."""
    p, q = np.ones(1), np.ones(1)
    for left, right in laws:
        p, q = np.outer(p, left).ravel(), np.outer(q, right).ravel()
    return p, q


def two_point(epsilon: float) -> tuple[Floats, Floats]:
    """Randomized response."""
    truth = 1 / (1 + math.exp(-epsilon))
    return np.array([truth, 1 - truth]), np.array([1 - truth, truth])


def discrete_laplace_pair(scale: float, shift: int) -> tuple[Floats, Floats]:
    reach = int(50 * scale)
    x = np.arange(-reach, reach + shift + 1)
    p, q = np.exp(-np.abs(x) / scale), np.exp(-np.abs(x - shift) / scale)
    return p / p.sum(), q / q.sum()


def normal_pair(mu: float, rate: float = 1.0) -> tuple[Floats, Floats]:
    """N(0, 1) and its mixture with N(mu, 1), as the trapezoid rule sees them (exact to
    round-off).
    """
    x = np.linspace(-35, 37, 50_001)
    q = np.exp(-(x**2) / 2) * (x[1] - x[0]) / math.sqrt(2 * math.pi)
    p = np.exp(-((x - mu) ** 2) / 2) * (x[1] - x[0]) / math.sqrt(2 * math.pi)
    return (1 - rate) * q + rate * p, q


def above(bound: Fraction | None, truth: float, *, within: float = 1e-9) -> bool:
    """Whether a bound is at least the truth, up to the round-off of the truth, and hardly more."""
    assert bound is not None
    return truth - 1e-11 * max(1.0, abs(truth)) <= float(bound) <= truth * (1 + within) + 1e-11
