"""A privacy loss is a value: pure, approximate, Rényi, zero-concentrated, Gaussian and random,
their order, and the only conversions between them, each with its theorem.
"""

from shoal.measures.approx import Approx
from shoal.measures.from_pure import (
    pure_delta_up,
    pure_divergence_up,
    pure_epsilon_up,
    pure_mu_up,
    pure_rho_up,
)
from shoal.measures.from_renyi import mironov_epsilon_up, renyi_delta_up, renyi_epsilon_up
from shoal.measures.from_zero_concentrated import (
    zero_concentrated_delta_up,
    zero_concentrated_epsilon_up,
)
from shoal.measures.gaussian_profile import (
    gaussian_delta_down,
    gaussian_delta_up,
    gaussian_epsilon_up,
    gaussian_mu_down,
)
from shoal.measures.measure import Measure
from shoal.measures.one_parameter import GaussianDP, Pure, ZeroConcentrated
from shoal.measures.random_dp import RandomDP
from shoal.measures.renyi import Renyi
from shoal.measures.stated_budget import StatedBudget, budget_of

__all__ = [
    "Approx",
    "GaussianDP",
    "Measure",
    "Pure",
    "RandomDP",
    "Renyi",
    "StatedBudget",
    "ZeroConcentrated",
    "budget_of",
    "gaussian_delta_down",
    "gaussian_delta_up",
    "gaussian_epsilon_up",
    "gaussian_mu_down",
    "mironov_epsilon_up",
    "pure_delta_up",
    "pure_divergence_up",
    "pure_epsilon_up",
    "pure_mu_up",
    "pure_rho_up",
    "renyi_delta_up",
    "renyi_epsilon_up",
    "zero_concentrated_delta_up",
    "zero_concentrated_epsilon_up",
]
