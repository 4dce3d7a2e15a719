"""Discrete Gaussian noise in every order, against sums over the lattice."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from shoal.accounting.discrete_gaussian import discrete_gaussian_divergence_up, whole_square
from shoal.accounting.pricing import total
from shoal.accounting.quantities import CONCENTRATED
from shoal.accounting.quantities import divergence as at
from shoal.events import DiscreteGaussian
from shoal.exact import at_precision, ball

ORDERS = [Fraction(order) for order in ("1.01", "1.5", "2", "2.5", "3.3", "16")]


def summed(square: Fraction, shift: int, order: Fraction) -> float:
    """The divergence as a sum over the lattice, with 300 bits."""

    def value() -> arb:
        reach = 60 + math.ceil(40 * math.sqrt(square)) + math.ceil(float(order)) * shift
        points = range(-reach, reach + 1)
        whole = sum((ball(-Fraction(x * x) / (2 * square)).exp() for x in points), arb(0))
        powers = (-(order * x * x + (1 - order) * (x - shift) ** 2) / (2 * square) for x in points)
        moment = sum((ball(power).exp() for power in powers), arb(0))
        return (moment / whole).log() / ball(order - 1)

    return float(at_precision(300, lambda: value().mid()))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("square", "shift"), [("1/20", 1), ("1/5", 1), ("1/2", 3), ("2", 2)])
def test_one_integer_costs_its_own_divergence(order: Fraction, square: str, shift: int) -> None:
    truth = summed(Fraction(square), shift, order)
    event = DiscreteGaussian(square, shift**2)
    bound = discrete_gaussian_divergence_up(event, order=order)
    assert truth * (1 - 1e-14) <= float(bound) <= truth * (1 + 1e-12)
    rho = total(event, None, CONCENTRATED)
    assert rho is not None
    assert bound <= order * rho
    assert (bound == order * rho) == ((order * shift).denominator == 1)


def test_narrow_noise_costs_less_between_whole_orders_than_rho_says() -> None:
    event = DiscreteGaussian("1/20", 1)
    bound = total(event, None, at(Fraction(3, 2)))
    assert bound is not None
    assert bound < 15 * Fraction(9, 10)


@pytest.mark.parametrize(
    ("stated", "size", "square"),
    [("0.99", 1, 0), ("1", 1, 1), ("8.9", 1, 4), ("9", 1, 9), ("8.9", 2, 8), ("0.5", 7, 0)],
)
def test_integers_differ_by_integers(stated: str, size: int, square: int) -> None:
    event = DiscreteGaussian(2, stated, size=size)
    assert whole_square(event) == square
    assert total(event, None, CONCENTRATED) == Fraction(square, 4)
    assert total(event, None, at(Fraction(2))) == Fraction(square, 2)
