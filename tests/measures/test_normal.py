"""The normal law in balls."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from shoal.exact import at_precision, ball
from shoal.measures.normal import density, mills, mills_drop, upper_tail

POINTS = ["0", "1e-300", "0.3", "1", "7", "37", "150", "999.5", "1000.5"]


@given(st.floats(0, 40))
def test_the_mills_ratio_agrees_with_scaled_tails_in_floats(x: float) -> None:
    truth = special.erfcx(x / 2**0.5) * (3.141592653589793 / 2) ** 0.5
    assert float(at_precision(128, lambda: mills(arb(x)))) == pytest.approx(truth, rel=1e-13)


@pytest.mark.parametrize("bits", [128, 300, 1000])
@pytest.mark.parametrize("x", POINTS)
def test_tail_and_mills_ratio_and_density_belong_together(x: str, bits: int) -> None:
    def gap() -> arb:
        at = ball(Fraction(x))
        return mills(at) * density(at) - upper_tail(at)

    assert at_precision(bits, gap).contains(0)
    assert at_precision(bits, lambda: mills(ball(Fraction(x))).rel_accuracy_bits()) > bits - 40


@pytest.mark.parametrize("x", ["1e10", "1e150", "1e1000"])
def test_far_out_the_mills_ratio_is_between_its_two_classic_bounds(x: str) -> None:
    def inside() -> bool:
        at = ball(Fraction(x))
        return bool(mills(at) < 1 / at) and bool(mills(at) > at / (at * at + 1))

    assert at_precision(30_000, inside)


@pytest.mark.parametrize("step", ["1e-5", "1e-10", "1e-40", "1e-300"])
@pytest.mark.parametrize("x", ["-1e-11", "0", "1e-300", "0.5", "6", "38", "152"])
def test_the_drop_of_the_mills_ratio_is_the_difference_of_two(x: str, step: str) -> None:
    a, h = Fraction(x), Fraction(step)

    def far() -> arb:
        return upper_tail(ball(a)) / density(ball(a)) - upper_tail(ball(a + h)) / density(
            ball(a + h)
        )

    short = at_precision(200, lambda: mills_drop(ball(a), ball(h)))
    assert short.overlaps(at_precision(3000, far))
    assert short.rel_accuracy_bits() > 100


def test_the_drop_of_the_mills_ratio_is_enclosed_at_every_precision() -> None:
    step = Fraction(1, 10**5)
    truth = at_precision(1000, lambda: mills(arb(0)) - mills(ball(step)))
    for bits in range(24, 160):
        assert at_precision(bits, lambda: mills_drop(arb(0), ball(step))).contains(truth)


# search
