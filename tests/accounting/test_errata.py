"""What the source documents print about composition, conversion, groups and Gaussian noise, put
right in numbers.

Each test names the statement it is about and reproduces the figures that refute or correct it.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm
from tests.accounting.samples import divergence, hockey_stick, normal_pair, two_point

from shoal.accounting import account, calibrate, group_delta_up
from shoal.accounting.pricing import total
from shoal.accounting.quantities import divergence as at
from shoal.errors import PriceError
from shoal.events import (
    Gaussian,
    Group,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    StatedApprox,
    StatedPure,
)
from shoal.loss import AtomicLoss, LossDistribution
from shoal.measures import Approx, Pure, Renyi, gaussian_delta_up


def gaussian_needs(sigma: float, epsilon: float) -> float:
    return float(gaussian_delta_up(1 / Fraction(sigma), Fraction(epsilon)))


def figures(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


# how much Gaussian noise


def test_a_sigma_without_epsilon_hides_next_to_nothing() -> None:
    """The tutorial's Gaussian mechanism: its denominator is 2 log(1.25/δ), not ε; at δ = 1e-5 the
    true δ(1) is .975.
    """
    log = math.log(1.25e5)
    sigma = math.sqrt(2 * log) / (2 * log)
    assert round(sigma, 3) == 0.206
    assert round(gaussian_needs(sigma, 1), 3) == 0.975


@pytest.mark.parametrize(("epsilon", "needed"), [(0.1, 0.0528), (0.5, 0.0016)])
def test_a_sigma_that_forgets_to_divide_by_epsilon_needs_far_more(
    epsilon: float, needed: float
) -> None:
    """The thesis' theorem: sqrt(2 log(1.25/δ)) without / ε, at δ = 1e-4."""
    sigma = math.sqrt(2 * math.log(1.25e4))
    assert round(gaussian_needs(sigma, epsilon), 4) == needed


def test_the_classic_sigma_without_its_second_term_fails_for_large_epsilon() -> None:
    """The lecture's Gaussian theorem has no condition on ε; with t = sqrt(2 log(2/δ)) and ε = 20, δ
    = 1e-5 it needs 9.7e-4.
    """
    sigma = math.sqrt(2 * math.log(2e5)) / 20
    assert figures(gaussian_needs(sigma, 20), 2) == 9.7e-4


def test_the_classic_sigma_never_fails_for_epsilon_up_to_one() -> None:
    """The chapter's Proposition holds for ε <= 1 only: there true δ / nominal δ stays below .32."""
    worst = 0.0
    for epsilon in (0.05, 0.3, 0.7, 1.0):
        for delta in (1e-9, 1e-5, 1e-2, 0.3, 0.9, 0.98):
            sigma = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
            worst = max(worst, gaussian_needs(sigma, epsilon) / delta)
    assert 0.25 < worst < 0.32


def test_outside_the_quoted_range_the_classic_sigma_may_still_hold() -> None:
    """The thesis uses ε = 3 outside the theorem's (0, 1); true δ is 4.3e-6 at a nominal 1e-4."""
    sigma = math.sqrt(2 * math.log(1.25e4)) / 3
    assert figures(gaussian_needs(sigma, 3), 2) == 4.3e-6


def test_for_large_epsilon_the_noise_falls_like_its_root() -> None:
    """The slides' σ² <= O(1) log(1/δ) / ε²: at ε = 50, δ = 1e-5 it is .068, and .150 is needed."""
    sigma = calibrate(lambda s: Gaussian(s, 1), Approx(50, "1e-5"), safer="larger")
    assert round(float(sigma), 3) == 0.150
    assert round(math.sqrt(math.log(1e5)) / 50, 3) == 0.068


def test_a_divergence_bound_is_met_by_every_larger_sigma() -> None:
    """The thesis' example says "iff σ² = α / (2 ε)"; it is "if and only if σ² >= that"."""
    order, epsilon = Fraction(4), Fraction(1, 2)
    least = order / (2 * epsilon)
    assert total(Gaussian(2, 1), None, at(order)) == epsilon == order / (2 * least)
    for sigma, holds in (("1.99", False), (2, True), (3, True), (100, True)):
        cost = total(Gaussian(sigma, 1), None, at(order))
        assert cost is not None
        assert (cost <= epsilon) == holds


# what delta is


def test_a_small_delta_does_not_mean_that_the_loss_rarely_exceeds_epsilon() -> None:
    """Lecture and slides: "(ε, δ)-DP if and only if P(|L| >= ε) <= δ"; only "if" is true."""
    p, q = two_point(1.1)
    assert round(hockey_stick(p, q, 1), 4) == 0.0714
    found = account(RandomizedResponse(2, epsilon="1.1")).delta(epsilon=1).delta
    assert round(float(found), 4) == 0.0714
    assert float(p[np.abs(np.log(p / q)) >= 1].sum()) == 1


def test_the_tail_of_the_loss_asks_for_more_noise_than_delta_does() -> None:
    """The same: Gaussian (1, 1e-5) needs σ 3.731; P(L > 1) = 1.6e-4 there, and a tail of 1e-5 would
    take σ 4.379.
    """
    sigma = float(calibrate(lambda s: Gaussian(s, 1), Approx(1, "1e-5"), safer="larger"))
    assert round(sigma, 3) == 3.731

    def tail(sigma: float) -> float:  # L is normal, mean 1 / 2σ² and variance 1 / σ²
        return float(norm.sf(sigma - 1 / (2 * sigma)))

    assert figures(tail(sigma), 2) == 1.6e-4
    assert tail(4.379) == pytest.approx(1e-5, rel=5e-3)


def test_outcomes_that_only_one_side_has_are_infinite_losses_and_count_in_delta() -> None:
    """The lecture leaves the loss undefined where supports differ; it is +infinity there, whatever
    ε.
    """
    leaky = LossDistribution.of(AtomicLoss(((0.0, 0.75),), infinite=0.25))
    for epsilon in (0, 1, 20):
        assert leaky.delta(epsilon=epsilon).high == pytest.approx(0.25, rel=1e-9)
    p, q = np.array([0.25, 0.75, 0.0]), np.array([0.0, 0.75, 0.25])
    assert hockey_stick(p, q, 20) == 0.25
    assert account(RandomizedResponse(5, 0)).delta(epsilon=20).delta == Fraction(1, 4)


def test_a_promise_with_a_delta_has_no_divergence() -> None:
    """The thesis: "each measure can be expressed as the others"; an (ε, δ) promise allows infinite
    divergences.
    """
    with pytest.raises(PriceError, match="Renyi cannot express"):
        account(StatedApprox(1, "1e-6")).cost(Renyi)
    with pytest.raises(PriceError, match="Renyi cannot express"):
        account(PoissonSampled(StatedApprox(1, "1e-6"), "0.1")).cost(Renyi)


# groups


def test_the_delta_of_a_group_grows_with_epsilon_not_with_delta() -> None:
    """The lecture's group privacy text has the factor e^((k-1) δ); it is at most k e^((k-1) ε), and
    1 + e^ε + ... in full.
    """
    printed = math.exp(2e-6) * 1e-6
    sigma = calibrate(lambda s: Gaussian(s, 1), Approx("0.5", "1e-6"), safer="larger")
    exact = account(Group(Gaussian(sigma, 1), 3)).delta(epsilon="1.5").delta
    full, usual = group_delta_up("0.5", "1e-6", size=3), 3 * math.exp(1) * 1e-6
    assert printed < float(exact) < float(full) < usual
    assert figures(float(exact), 3) == 4.88e-6


def test_even_without_epsilon_a_group_of_k_risks_k_deltas() -> None:
    """The same text: a release that tells each row with probability δ, and nothing else."""
    delta = 0.01
    told = 1 - (1 - delta) ** 5
    assert told > math.exp(4 * delta) * delta
    assert told < float(group_delta_up(0, "0.01", size=5)) == 0.05


# divergences


def test_two_releases_cost_two_epsilons() -> None:
    """The thesis' table of properties: two ε-DP releases are 2 ε-DP together, not 3 ε."""
    assert account(Repeated(StatedPure("0.3"), 2)).cost(Pure) == Pure("0.6")


def test_the_moment_of_the_ratio_is_the_exponential_of_the_divergence() -> None:
    """The same table: E_P[(P/Q)^(α-1)] <= e^((α-1) ε); with the printed e^(ε (α-1) ε) it is
    false.
    """
    p, q = two_point(0.5)
    for order in (2, 8, 40):
        moment = float(np.sum(p * (p / q) ** (order - 1)))
        cost = total(RandomizedResponse(2, epsilon="0.5"), "change", at(Fraction(order)))
        assert cost is not None
        assert moment == pytest.approx(math.exp((order - 1) * float(cost)), rel=1e-12)
        assert moment <= math.exp((order - 1) * 0.5)
    assert moment > math.exp(0.5 * (order - 1) * 0.5)


def test_odds_stay_within_a_divergence_on_average_only() -> None:
    """The thesis: log of posterior over prior odds <= ε; true of its exponential mean to the power
    α - 1, not of each outcome.
    """
    p, q = normal_pair(1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.where(p > 0, np.log(p / q), 0.0)
    bound = total(Gaussian(1, 1), None, at(Fraction(3)))
    assert bound == Fraction(3, 2)
    moment = math.log(float(np.sum(p * np.exp(2 * losses)))) / 2
    assert moment == pytest.approx(1.5, rel=1e-9)
    assert float(np.sum(p * losses)) < 1.5
    assert float(p[losses > 1.5].sum()) > 0.15


def test_an_event_is_as_likely_as_the_larger_of_two_numbers_allows() -> None:
    """The thesis: P(B) <= min(e^ε' Q(B), δ) with ε' = ε + log(1/δ) / (α - 1); it is the larger one,
    as B = everything shows.
    """
    order, delta = 4.0, 1e-3
    shifted = divergence(*normal_pair(1.0), order) + math.log(1 / delta) / (order - 1)
    for end in np.linspace(-6, 6, 49):
        one, other = float(norm.sf(end - 1)), float(norm.sf(end))
        assert one <= max(math.exp(shifted) * other, delta)
    assert min(math.exp(shifted), delta) < 1


def test_the_power_of_a_probability_bound_is_alpha_minus_one_over_alpha() -> None:
    """The thesis prints the exponent α - 1/α: equal laws, P(B) = 1/2 and α = 2 would need .5 <=
    .354.
    """
    half, two = 0.5, 2.0
    assert round(half ** (two - 1 / two), 3) == 0.354
    assert half <= half ** ((two - 1) / two)
    order = 3.0
    bound = divergence(*normal_pair(1.0), order)
    for end in np.linspace(-6, 6, 25):
        one, other = float(norm.sf(end - 1)), float(norm.sf(end))
        assert one <= (math.exp(bound) * other) ** ((order - 1) / order) * (1 + 1e-12)
