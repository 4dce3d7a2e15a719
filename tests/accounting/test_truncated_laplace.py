"""Noise that is never larger than a bound: against the two laws, written out, and against the
continuous law.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.accounting.samples import Floats, above, composed, divergence, hockey_stick

from shoal.accounting import account
from shoal.accounting.pricing import total
from shoal.accounting.quantities import FAILING, PURE
from shoal.accounting.quantities import divergence as at
from shoal.events import Composed, Gaussian, Group, Repeated, TruncatedLaplace
from shoal.measures import Approx

CASES = [(4.0, 2, 30), (1.5, 1, 7), (2.0, 5, 9), (3.0, 6, 4), (3.0, 4, 2), (0.7, 3, 3)]


def pair(scale: float, shift: int, bound: int) -> tuple[Floats, Floats]:
    """Both laws on all answers that one of them can give."""
    x = np.arange(-bound, bound + shift + 1)
    p = np.where(np.abs(x) <= bound, np.exp(-np.abs(x) / scale), 0.0)
    q = np.where(np.abs(x - shift) <= bound, np.exp(-np.abs(x - shift) / scale), 0.0)
    return p / p.sum(), q / q.sum()


def near(found: Fraction, truth: float, within: float = 1e-8) -> bool:
    return truth * (1 - 1e-10) - 1e-15 <= float(found) <= truth * (1 + within) + 1e-14


@pytest.mark.parametrize(("scale", "shift", "bound"), CASES)
def test_delta_is_that_of_the_two_laws_written_out(scale: float, shift: int, bound: int) -> None:
    event = TruncatedLaplace(scale, shift, bound=bound)
    for epsilon in (0.0, 0.2, 0.9, 2.0, 9.0):
        truth = hockey_stick(*pair(scale, shift, bound), epsilon)
        assert near(account(event).delta(epsilon=epsilon).delta, truth)


@pytest.mark.parametrize(("scale", "shift", "bound"), CASES)
def test_shorter_shifts_need_no_more(scale: float, shift: int, bound: int) -> None:
    event = TruncatedLaplace(scale, shift, bound=bound)
    for shorter in range(1, shift):
        for epsilon in (0.0, 0.5, 1.5):
            truth = hockey_stick(*pair(scale, shorter, bound), epsilon)
            assert truth <= float(account(event).delta(epsilon=epsilon).delta) + 1e-12


@pytest.mark.parametrize(("scale", "shift", "bound"), CASES[:4])
def test_two_releases_need_what_the_product_of_the_laws_needs(
    scale: float, shift: int, bound: int
) -> None:
    event = Repeated(TruncatedLaplace(scale, shift, bound=bound), 2)
    for epsilon in (0.1, 1.0):
        truth = hockey_stick(*composed([pair(scale, shift, bound)] * 2), epsilon)
        assert near(account(event).delta(epsilon=epsilon).delta, truth, 1e-5)


@pytest.mark.parametrize(("scale", "shift", "bound"), CASES)
@pytest.mark.parametrize("order", [1.25, 2.0, 16.0])
def test_answers_that_both_can_give_have_their_own_divergence(
    scale: float, shift: int, bound: int, order: float
) -> None:
    p, q = pair(scale, shift, bound)
    both = (p > 0) & (q > 0)
    truth = divergence(p[both] / p[both].sum(), q[both] / q[both].sum(), order)
    assert above(
        total(TruncatedLaplace(scale, shift, bound=bound), None, at(Fraction(order))), truth
    )


def test_what_may_fail_and_the_epsilon_otherwise_are_one_promise() -> None:
    for scale, shift, bound in CASES:
        p, q = pair(scale, shift, bound)
        cost = account(TruncatedLaplace(scale, shift, bound=bound)).cost(Approx)
        assert isinstance(cost, Approx)
        assert math.isclose(float(cost.delta), float(p[q == 0].sum()), rel_tol=1e-12)
        both = (p > 0) & (q > 0)
        largest = float(np.abs(np.log(p[both] / q[both])).max())
        assert math.isclose(float(cost.epsilon), largest, rel_tol=1e-9, abs_tol=1e-12)


def test_a_fine_lattice_needs_the_delta_of_the_published_continuous_law() -> None:
    # Geng, Ding, Guo and Kumar 2020: the bound is (Δ/ε) ln(1 + (e^ε - 1) / (2 δ)); here ε = 1, δ =
    # 1e-6, 10^5 steps
    steps = 100_000
    bound = round(steps * math.log(1 + (math.e - 1) / 2e-6))
    delta = total(TruncatedLaplace(steps, steps, bound=bound), None, FAILING)
    assert delta is not None
    assert math.isclose(float(delta), 1e-6, rel_tol=1e-4)


def test_a_bound_too_short_hides_nothing_and_no_shift_costs_nothing() -> None:
    assert account(TruncatedLaplace(5, 3, bound=1)).delta(epsilon=100).delta == 1
    assert total(TruncatedLaplace(5, 0, bound=1), None, FAILING) == 0
    assert account(TruncatedLaplace(5, 0, bound=1)).epsilon(delta="1e-9").epsilon == 0
    half = TruncatedLaplace(5, 4, bound=2)
    assert total(half, None, PURE) == 0
    assert near(account(half).delta(epsilon=0).delta, hockey_stick(*pair(5, 4, 2), 0))


def test_a_group_moves_the_answer_so_much_further_and_attains_it() -> None:
    group = account(Group(TruncatedLaplace(4, 2, bound=30), 3))
    assert group.delta(epsilon=1) == account(TruncatedLaplace(4, 6, bound=30)).delta(epsilon=1)
    found = group.epsilon(delta="0.05")
    assert found.lower is not None
    assert found.epsilon - found.lower < 1e-6


def test_it_joins_noise_without_a_bound() -> None:
    event = Composed([TruncatedLaplace(4, 1, bound=90), Gaussian(3, 1)])
    found = account(event).epsilon(delta="1e-6")
    plain = account("geometric scale=4 + gaussian sigma=3").epsilon(delta="1e-6")
    assert plain.epsilon <= found.epsilon <= plain.epsilon + Fraction(1, 1000)
