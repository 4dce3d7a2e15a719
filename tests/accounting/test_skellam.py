"""Skellam noise: against its law, written out with Bessel functions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ive
from tests.accounting.samples import Floats, composed, divergence, hockey_stick

from shoal.accounting import account
from shoal.accounting.pricing import total
from shoal.accounting.quantities import divergence as at
from shoal.accounting.skellam import whole_moves
from shoal.events import Composed, Gaussian, Group, PoissonSampled, Repeated, Skellam
from shoal.loss import SkellamLoss
from shoal.loss.skellam import skellam_logs


def pair(variance: float, shift: int, reach: int = 0) -> tuple[Floats, Floats]:
    """The two laws, one number moved, as far out as floats go."""
    last = reach or int(12 * math.sqrt(variance)) + 40
    x = np.arange(-last, last + shift + 1)
    return ive(np.abs(x), variance), ive(np.abs(x - shift), variance)


def near(found: Fraction, truth: float, within: float = 1e-8) -> bool:
    return truth * (1 - 1e-9) - 1e-14 <= float(found) <= truth * (1 + within) + 1e-13


@pytest.mark.parametrize("variance", [0.3, 2.0, 40.0, 1000.0])
@pytest.mark.parametrize("shift", [1, 3])
def test_delta_is_that_of_the_law(variance: float, shift: int) -> None:
    event = Skellam(variance, shift)
    for epsilon in (0.0, 0.1, 1.0):
        truth = hockey_stick(*pair(variance, shift), epsilon)
        assert near(account(event).delta(epsilon=epsilon).delta, truth)
        shorter = hockey_stick(*pair(variance, 1), epsilon)
        assert shorter <= truth + 1e-12


@pytest.mark.parametrize("variance", [0.5, 12.0, 3000.0])
def test_masses_are_right_far_out(variance: float) -> None:
    logs = skellam_logs(Fraction(variance))
    assert math.isclose(
        math.fsum(float(one.exp()) for one in logs[1:]) * 2, 1 - float(logs[0].exp())
    )
    for y in range(0, min(len(logs), 40), 7):
        known = float(ive(y, variance))
        assert math.isclose(float(logs[y].exp()), known, rel_tol=1e-10)
    # Chernoff for what is not listed
    y = len(logs) - 1
    assert math.hypot(variance, y) - variance - y * math.asinh(y / variance) < 960 * math.log(0.5)


def test_a_shift_needs_a_half_line_and_its_epsilon_is_bracketed() -> None:
    found = account(Skellam(10, 2)).epsilon(delta="1e-6")
    assert found.lower is not None
    assert found.epsilon - found.lower < 1e-6
    p, q = pair(10.0, 2)
    assert hockey_stick(p, q, float(found.epsilon)) <= 1e-6 * (1 + 1e-9)
    assert hockey_stick(p, q, float(found.lower) * (1 - 1e-9)) >= 1e-6 * (1 - 1e-6)


def test_two_releases_need_what_the_product_of_the_laws_needs() -> None:
    for epsilon in (0.2, 1.0):
        truth = hockey_stick(*composed([pair(6.0, 1)] * 2), epsilon)
        found = account(Repeated(Skellam(6, 1), 2)).delta(epsilon=epsilon).delta
        assert near(found, truth, 1e-3)
        vector = Skellam(6, 2, size=9, sensitivity_squared=2)
        assert near(account(vector).delta(epsilon=epsilon).delta, truth, 1e-3)


def test_a_sample_needs_what_the_mixture_needs() -> None:
    p, q = pair(5.0, 1)
    mixed = 0.9 * q + 0.1 * p
    for epsilon in (0.0, 0.05, 0.2):
        truth = hockey_stick(mixed, q, epsilon)
        found = account(PoissonSampled(Skellam(5, 1), "0.1")).delta(epsilon=epsilon).delta
        assert near(found, truth, 1e-7)


@pytest.mark.parametrize("variance", [0.05, 1.0, 20.0, 400.0])
@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("order", [2, 3, 8])
def test_the_published_bound_is_above_the_exact_divergence(
    variance: float, shift: int, order: int
) -> None:
    bound = total(Skellam(variance, shift), None, at(Fraction(order)))
    assert bound is not None
    logs = [float(one) for one in skellam_logs(Fraction(variance), beyond=shift)]
    places = range(-len(logs) + 1 + shift, len(logs) - shift)
    terms = [order * logs[abs(x)] + (1 - order) * logs[abs(x + shift)] for x in places]
    top = max(terms)
    exact = (top + math.log(math.fsum(math.exp(one - top) for one in terms))) / (order - 1)
    assert exact <= float(bound) * (1 + 1e-12)
    if variance == 400:
        assert float(bound) <= exact * 1.02


def test_at_a_large_variance_it_is_nearly_gaussian() -> None:
    found = account(Skellam(90_000, 300)).epsilon(delta="1e-6").epsilon
    normal = account(Gaussian(300, 300)).epsilon(delta="1e-6").epsilon
    assert abs(float(found / normal) - 1) < 0.01


def test_orders_between_whole_ones_are_bounded_by_the_chord_and_the_law_is_below() -> None:
    event = Skellam(10, 1)
    two, three = (total(event, None, at(Fraction(order))) for order in (2, 3))
    assert two is not None
    assert three is not None
    half = total(event, None, at(Fraction(5, 2)))
    assert half == (two + 2 * three) / 3
    assert divergence(*pair(10.0, 1), 2.5) <= float(half)


def test_integers_move_by_what_both_bounds_allow() -> None:
    assert whole_moves(Skellam(1, 3)) == (3, 9)
    assert whole_moves(Skellam(1, 3, sensitivity_squared="8.5")) == (2, 4)
    assert whole_moves(Skellam(1, 3, size=4)) == (3, 9)
    assert whole_moves(Skellam(1, 30, size=4, sensitivity_squared=5)) == (5, 5)
    assert whole_moves(Skellam(1, 3, size=4, sensitivity_squared="0.5")) == (0, 0)


def test_a_group_moves_so_much_further_and_vectors_have_no_loss_where_one_moves_by_two() -> None:
    event = Skellam(20, 1)
    assert account(Group(event, 3)).delta(epsilon=1) == account(Skellam(20, 3)).delta(epsilon=1)
    vector = Skellam(20, 2, size=2, sensitivity_squared=4)
    assert account(vector).losses is None
    assert account(vector).epsilon(delta="1e-6").measure == "Renyi"
    assert account(Composed([vector, event])).epsilon(delta="1e-6").lower is None
    assert account(Skellam(20, 0)).epsilon(delta="1e-9").epsilon == 0


def test_what_is_not_listed_counts_from_above() -> None:
    loss = SkellamLoss(1, Fraction(1000))
    assert loss.delta_alone(Fraction(30), Fraction(30)).high >= 2.0**-960
