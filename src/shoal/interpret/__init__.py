"""What a promise means: as a profile, to a tester, to a believer, and in plain words."""

from shoal.interpret.bayes import (
    factor_moment_up,
    guess_up,
    loss_up,
    mean_log_factor_up,
    posterior_interval,
    posterior_up,
)
from shoal.interpret.central_limit import (
    GaussianApproximation,
    gaussian_approximation,
)
from shoal.interpret.divergence_bounds import (
    group_curve,
    probability_down,
    probability_up,
    textbook_group_curve,
    weak_triangle,
    weak_triangle_orders,
)
from shoal.interpret.divergences import (
    approximate_max_divergence_up,
    hockey_stick_down,
    hockey_stick_up,
    max_divergence_up,
    renyi_divergence_down,
    renyi_divergence_up,
    total_variation,
)
from shoal.interpret.explanation import Explanation, explain, explain_belief, risk_of
from shoal.interpret.f_divergences import (
    CHI_SQUARED,
    KULLBACK_LEIBLER,
    SQUARED_HELLINGER,
    TOTAL_VARIATION,
    Convex,
    chi_squared,
    f_divergence_down,
    f_divergence_up,
    kullback_leibler_down,
    kullback_leibler_up,
    squared_hellinger_down,
    squared_hellinger_up,
)
from shoal.interpret.pair import Pair
from shoal.interpret.polygon import Polygon
from shoal.interpret.profiles import Profile, Promise, profile
from shoal.interpret.testing import (
    advantage_up,
    conditional_advantage_up,
    power_up,
    textbook_conditional_advantage_up,
    type_two_down,
)
from shoal.interpret.trade_off_curves import gaussian_sum_up, trade_off
from shoal.interpret.trade_offs import TradeOff
from shoal.interpret.utility import expected_utility_interval

__all__ = [
    "CHI_SQUARED",
    "KULLBACK_LEIBLER",
    "SQUARED_HELLINGER",
    "TOTAL_VARIATION",
    "Convex",
    "Explanation",
    "GaussianApproximation",
    "Pair",
    "Polygon",
    "Profile",
    "Promise",
    "TradeOff",
    "advantage_up",
    "approximate_max_divergence_up",
    "chi_squared",
    "conditional_advantage_up",
    "expected_utility_interval",
    "explain",
    "explain_belief",
    "f_divergence_down",
    "f_divergence_up",
    "factor_moment_up",
    "gaussian_approximation",
    "gaussian_sum_up",
    "group_curve",
    "guess_up",
    "hockey_stick_down",
    "hockey_stick_up",
    "kullback_leibler_down",
    "kullback_leibler_up",
    "loss_up",
    "max_divergence_up",
    "mean_log_factor_up",
    "posterior_interval",
    "posterior_up",
    "power_up",
    "probability_down",
    "probability_up",
    "profile",
    "renyi_divergence_down",
    "renyi_divergence_up",
    "risk_of",
    "squared_hellinger_down",
    "squared_hellinger_up",
    "textbook_conditional_advantage_up",
    "textbook_group_curve",
    "total_variation",
    "trade_off",
    "type_two_down",
    "weak_triangle",
    "weak_triangle_orders",
]
