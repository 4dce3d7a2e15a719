"""Secret bits come from one source and become samples of exactly the stated law, in integers, whole
vectors at a time.
"""

from shoal.noise.candidate_race import exponential_race, gumbel_race, laplace_race
from shoal.noise.equal_runs import run_race
from shoal.noise.finite_laws import Coin, categorical
from shoal.noise.integer_samplers import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    IntegerNoise,
    discrete_gaussian,
    discrete_laplace,
    floored_laplace,
    geometric,
    rounded_gaussian,
    truncated_geometric,
)
from shoal.noise.inversion import (
    rounded_arsinh_normal,
    rounded_cauchy,
    rounded_laplace,
    rounded_normal,
)
from shoal.noise.source import Source, current, one_below, put_in_place, secret, uniform_below
from shoal.noise.staircase_integers import staircase

__all__ = [
    "LARGEST_SCALE",
    "SMALLEST_SCALE",
    "Coin",
    "IntegerNoise",
    "Source",
    "categorical",
    "current",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential_race",
    "floored_laplace",
    "geometric",
    "gumbel_race",
    "laplace_race",
    "one_below",
    "put_in_place",
    "rounded_arsinh_normal",
    "rounded_cauchy",
    "rounded_gaussian",
    "rounded_laplace",
    "rounded_normal",
    "run_race",
    "secret",
    "staircase",
    "truncated_geometric",
    "uniform_below",
]
