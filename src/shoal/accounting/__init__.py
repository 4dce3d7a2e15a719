"""Adds up events: one pure rule per event and measure, composition done once, amplification,
filters that refuse before harm, odometers, calibration.
"""

from shoal.accounting import kinds as _kinds  # noqa: F401 - registers every kind of event
from shoal.accounting.account import Account, Bound, account
from shoal.accounting.bounded_range import (
    bounded_range_delta_up,
    bounded_range_divergence_up,
    bounded_range_epsilon_up,
)
from shoal.accounting.budget_filters import (
    PrivacyFilter,
    PureFilter,
    ZeroConcentratedFilter,
    filter_for,
)
from shoal.accounting.calibration import calibrate, fits
from shoal.accounting.comparison import Comparison, compare
from shoal.accounting.converters import Way, add_way, ways
from shoal.accounting.kinds.laplace import laplace_divergence_up, laplace_rho_up
from shoal.accounting.optimal_composition import optimal_delta_up, optimal_epsilon_up
from shoal.accounting.pricing import OWN, group_delta_up
from shoal.accounting.privacy_blanket import (
    shuffled_response_delta_up,
    shuffled_response_epsilon_up,
)
from shoal.accounting.profile_points import profile_points, promise_from, promise_of
from shoal.accounting.quantities import Cost
from shoal.accounting.renyi_filter import RenyiFilter
from shoal.accounting.sampling import (
    sampled_epsilon_up,
    sampled_gaussian_divergence_up,
    sampled_pure_divergence_up,
    sampled_symmetric_divergence_up,
)
from shoal.accounting.shuffled_count import (
    shuffled_binary_delta_down,
    shuffled_binary_delta_up,
    shuffled_binary_epsilon_down,
    shuffled_binary_epsilon_up,
)
from shoal.accounting.shuffled_divergence import shuffled_divergence_up
from shoal.accounting.shuffling import (
    shuffled_closed_epsilon_up,
    shuffled_delta_up,
    shuffled_epsilon_up,
)
from shoal.accounting.shuffling_by_variation import (
    shuffled_variation_delta_up,
    shuffled_variation_epsilon_up,
)
from shoal.accounting.textbook_composition import advanced, advanced_heterogeneous, basic

__all__ = [
    "OWN",
    "Account",
    "Bound",
    "Comparison",
    "Cost",
    "PrivacyFilter",
    "PureFilter",
    "RenyiFilter",
    "Way",
    "ZeroConcentratedFilter",
    "account",
    "add_way",
    "advanced",
    "advanced_heterogeneous",
    "basic",
    "bounded_range_delta_up",
    "bounded_range_divergence_up",
    "bounded_range_epsilon_up",
    "calibrate",
    "compare",
    "filter_for",
    "fits",
    "group_delta_up",
    "laplace_divergence_up",
    "laplace_rho_up",
    "optimal_delta_up",
    "optimal_epsilon_up",
    "profile_points",
    "promise_from",
    "promise_of",
    "sampled_epsilon_up",
    "sampled_gaussian_divergence_up",
    "sampled_pure_divergence_up",
    "sampled_symmetric_divergence_up",
    "shuffled_binary_delta_down",
    "shuffled_binary_delta_up",
    "shuffled_binary_epsilon_down",
    "shuffled_binary_epsilon_up",
    "shuffled_closed_epsilon_up",
    "shuffled_delta_up",
    "shuffled_divergence_up",
    "shuffled_epsilon_up",
    "shuffled_response_delta_up",
    "shuffled_response_epsilon_up",
    "shuffled_variation_delta_up",
    "shuffled_variation_epsilon_up",
    "ways",
]
