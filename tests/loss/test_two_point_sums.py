"""Sums of losses of two values, where exp(-sum) leaves the floats: beside exact probabilities in
long decimals.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, log

import pytest

from shoal.accounting import account
from shoal.events import Gaussian, Repeated, StatedPure

DIGITS = 400


def exact_delta(copies: int, each: int, epsilon: int) -> Fraction:
    """The least delta at epsilon of so many promises, to hundreds of digits."""
    with localcontext() as context:
        context.prec = DIGITS
        odds = Decimal(each).exp()
        truth = odds / (1 + odds)
        total = Decimal(0)
        for told in range(copies + 1):
            loss = each * (2 * told - copies)
            if loss > epsilon:
                chance = comb(copies, told) * truth**told * (1 - truth) ** (copies - told)
                total += chance * (1 - Decimal(epsilon - loss).exp())
        return Fraction(total)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("copies", "each", "epsilon"),
    [(1000, 1, 590), (1000, 1, 650), (1000, 1, 700), (1000, 1, 720), (1000, 1, 999),
     (400, 2, 640), (400, 2, 790), (300, 4, 1100), (100, 20, 1960)],
)  # fmt: skip
def test_delta_is_at_least_the_exact_one_and_close_to_it_however_large_the_losses_are(
    copies: int, each: int, epsilon: int
) -> None:
    found = account([Repeated(StatedPure(each), copies)]).delta(epsilon=epsilon).delta
    exact = exact_delta(copies, each, epsilon)
    assert exact <= found <= exact * (1 + Fraction(1, 10**6))


@pytest.mark.slow
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-20", "1e-120", "1e-300"])
@pytest.mark.parametrize(("copies", "each"), [(1000, 1), (300, 4)])
def test_an_epsilon_of_hundreds_has_the_delta_it_was_asked_for(
    copies: int, each: int, delta: str
) -> None:
    found = account([Repeated(StatedPure(each), copies)]).bracket(delta=delta)
    assert exact_delta(copies, each, int(found.high) + 1) <= Fraction(delta)
    assert found.high - found.low <= 1e-6 * found.high or found.high == copies * each
    assert exact_delta(copies, each, int(found.low) - 1) >= Fraction(delta)


@pytest.mark.slow
def test_a_delta_too_small_for_a_float_is_not_told_as_zero() -> None:
    unbounded = account([Repeated(StatedPure(1), 800), Gaussian(sigma=1, sensitivity=3)])
    assert unbounded.delta(epsilon=900).delta > 0
    assert account([Repeated(StatedPure(1), 800)]).delta(epsilon=801).delta == 0


def test_a_mass_below_the_floats_is_no_mistake() -> None:
    found = account("pure epsilon=900 | x 7")
    assert found.delta(epsilon=1).delta <= 1
    assert float(found.delta(epsilon=1).delta) == pytest.approx(1)
    assert float(found.epsilon(delta="0.5").epsilon) == pytest.approx(6300 + log(0.5))
