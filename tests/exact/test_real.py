from __future__ import annotations

import math
import threading
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import InternalError, RangeError
from shoal.exact import (
    Real,
    at_precision,
    ball,
    decide,
    dyadic,
    exponent_of,
    float_down,
    float_up,
    floor_of,
    is_below,
    lower,
    precision_in_force,
    upper,
)
from shoal.exact import real as real_module

REFERENCE_BITS = 4000
"""Far beyond anything the functions under test ask for."""

LARGEST = math.nextafter(math.inf, 0)
fractions = st.fractions()
sizes = st.integers(-1200, 1200)
precisions = st.integers(1, 200)


def exp_of(number: Fraction) -> Real:
    return lambda: ball(number).exp()


def reference(real: Real) -> tuple[Fraction, Fraction]:
    """A very narrow enclosure of a real number, in rationals."""

    def question() -> tuple[Fraction, Fraction]:
        number = real()
        return dyadic(number.lower()), dyadic(number.upper())

    return at_precision(REFERENCE_BITS, question)


REALS: dict[str, Real] = {
    "pi": arb.pi,
    "minus pi": lambda: -arb.pi(),
    "e to the -1000": exp_of(Fraction(-1000)),
    "e to the 1000": exp_of(Fraction(1000)),
    "a third": lambda: ball(Fraction(1, 3)),
    "minus a seventh": lambda: ball(Fraction(-1, 7)),
    "log 2": lambda: ball(2).log(),
    "log of almost 1": lambda: ball(1 - Fraction(1, 10**30)).log(),
    "erfc of 20": lambda: ball(20).erfc(),
    "a difference that cancels": lambda: ball(Fraction(1, 10**50)).exp() - 1,
}


# enclosures and precision


@given(fractions, st.integers(2, 300))
def test_a_ball_contains_its_rational_at_every_precision(number: Fraction, bits: int) -> None:
    low, high = at_precision(
        bits, lambda: (dyadic(ball(number).lower()), dyadic(ball(number).upper()))
    )
    assert low <= number <= high


@given(st.integers())
def test_a_whole_number_is_enclosed_exactly(number: int) -> None:
    assert at_precision(2, lambda: dyadic(ball(number))) == number


@given(st.integers(), st.integers(-3000, 3000))
def test_a_ball_of_radius_zero_is_read_exactly(mantissa: int, exponent: int) -> None:
    number = Fraction(mantissa) * Fraction(2) ** exponent
    assert dyadic(ball(mantissa) * arb(2) ** exponent) == number or mantissa.bit_length() > 53


def test_a_question_is_asked_at_its_precision_and_leaves_none_behind() -> None:
    before = ctx.prec
    assert at_precision(777, lambda: ctx.prec) == 777
    assert at_precision(777, precision_in_force) == 777
    assert at_precision(300, lambda: at_precision(90, lambda: ctx.prec)) == 90
    with pytest.raises(ZeroDivisionError):
        at_precision(555, lambda: 1 // 0)
    assert ctx.prec == before


def test_threads_that_ask_at_once_do_not_share_a_precision() -> None:
    wrong: list[int] = []

    def ask(bits: int) -> None:
        for _ in range(200):
            seen = at_precision(bits, lambda: ctx.prec)
            if seen != bits:
                wrong.append(seen)

    threads = [threading.Thread(target=ask, args=(bits,)) for bits in (64, 128, 1000, 3000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# deciding


def test_a_question_is_asked_again_with_twice_the_bits_until_it_settles() -> None:
    asked: list[int] = []

    def question() -> str | None:
        asked.append(ctx.prec)
        return "yes" if ctx.prec >= 1000 else None

    assert decide(question) == "yes"
    assert asked == [128, 256, 512, 1024]


def test_an_answer_that_is_false_is_an_answer() -> None:
    assert decide(lambda: False) is False
    assert decide(lambda: 0) == 0


def test_a_question_without_an_answer_stops_with_an_internal_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(real_module, "LAST_PRECISION", 1 << 10)

    def root() -> arb:
        return ball(2).sqrt()

    with pytest.raises(InternalError, match="did not settle"):
        is_below(root, root)
    with pytest.raises(InternalError):
        floor_of(lambda: root() * root())
    with pytest.raises(InternalError):
        upper(lambda: root() * root() - 2)
    with pytest.raises(InternalError):
        upper(lambda: ball(-1).log())


@given(fractions, fractions)
@example(Fraction(0), Fraction(1, 10**60))
def test_two_exponentials_compare_as_their_exponents_do(left: Fraction, right: Fraction) -> None:
    if left != right:
        assert is_below(exp_of(left), exp_of(right)) == (left < right)


def test_reals_that_agree_in_a_thousand_bits_are_still_told_apart() -> None:
    tiny = Fraction(1, 2**1000)
    assert is_below(arb.pi, lambda: arb.pi() + ball(tiny))
    assert not is_below(lambda: arb.pi() + ball(tiny), arb.pi)


# floors


@given(fractions, st.integers(-80, 300))
def test_the_floor_of_an_exponential_is_exact(number: Fraction, bits: int) -> None:
    exponent = number % 100 - 50
    floor = floor_of(exp_of(exponent), bits=bits)
    low, high = reference(exp_of(exponent))
    assert floor == math.floor(low * Fraction(2) ** bits) == math.floor(high * Fraction(2) ** bits)


@pytest.mark.slow
@given(fractions.filter(lambda number: number.denominator > 1), st.integers(0, 100))
def test_the_floor_of_a_rational_is_its_floor(number: Fraction, bits: int) -> None:
    if (number * 2**bits).denominator > 1:
        assert floor_of(lambda: ball(number), bits=bits) == math.floor(number * 2**bits)


@given(st.integers(), st.integers(-3, 40))
def test_the_floor_of_an_integer_is_the_integer(number: int, bits: int) -> None:
    scaled = math.floor(Fraction(number) * Fraction(2) ** bits)
    assert floor_of(lambda: ball(number), bits=bits) == scaled


def test_a_floor_needs_as_many_bits_as_it_takes() -> None:
    above = 1 + Fraction(1, 2**5000)
    assert floor_of(lambda: ball(above).log() + 7) == 7
    assert floor_of(lambda: 7 - ball(above).log()) == 6


def test_the_floor_of_an_unimaginably_small_number_costs_nothing() -> None:
    assert floor_of(exp_of(Fraction(-(10**12))), bits=64) == 0
    assert floor_of(lambda: -ball(-(10**12)).exp(), bits=64) == -1


# directed rounding


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("bits", [1, 8, 53, 64, 200])
def test_a_named_direction_is_never_missed(name: str, bits: int) -> None:
    real = REALS[name]
    low, high = reference(real)
    assert lower(real, bits=bits) <= low
    assert upper(real, bits=bits) >= high


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("bits", [1, 8, 53, 64, 200])
def test_a_bound_is_as_close_as_it_says(name: str, bits: int) -> None:
    real = REALS[name]
    low, high = reference(real)
    tolerance = min(abs(low), abs(high)) * Fraction(2) ** (1 - bits)
    assert low - lower(real, bits=bits) <= tolerance
    assert upper(real, bits=bits) - high <= tolerance


@given(fractions, precisions)
def test_bounds_of_an_exponential_hold_and_are_close(number: Fraction, bits: int) -> None:
    exponent = number % 1000 - 500
    low, high = reference(exp_of(exponent))
    below, above = lower(exp_of(exponent), bits=bits), upper(exp_of(exponent), bits=bits)
    assert below <= low <= high <= above
    assert above - below <= low * Fraction(2) ** (2 - bits)


@given(fractions, precisions)
def test_bounds_of_a_rational_hold_and_mirror_each_other(number: Fraction, bits: int) -> None:
    below, above = lower(lambda: ball(number), bits=bits), upper(lambda: ball(number), bits=bits)
    assert below <= number <= above
    assert above == -lower(lambda: ball(-number), bits=bits)


@pytest.mark.slow
@given(fractions, precisions)
def test_a_bound_has_no_more_digits_than_asked_for(number: Fraction, bits: int) -> None:
    bound = upper(lambda: ball(number), bits=bits)
    assert bound.denominator & (bound.denominator - 1) == 0
    odd = bound.numerator >> max((bound.numerator & -bound.numerator).bit_length() - 1, 0)
    assert odd.bit_length() <= bits + 1


@pytest.mark.parametrize("middle", [1, -1, 1024])
def test_a_bound_holds_for_everything_the_ball_encloses(middle: int) -> None:
    radius = Fraction(1, 2**90)
    assert upper(lambda: arb(middle, 2.0**-90)) >= middle + radius
    assert lower(lambda: arb(middle, 2.0**-90)) <= middle - radius


def test_zero_is_its_own_bound() -> None:
    assert upper(lambda: ball(0)) == lower(lambda: ball(0)) == 0
    assert upper(lambda: ball(1).log()) == 0


@pytest.mark.parametrize("exponent", [-(10**7), -(10**12), -(10**40)])
def test_a_number_too_small_to_write_is_still_bounded_on_the_named_side(exponent: int) -> None:
    real = exp_of(Fraction(exponent))
    tiny = Fraction(2) ** -real_module.LARGEST_EXPONENT
    assert upper(real) == tiny
    assert -tiny <= lower(real) <= 0
    assert 0 <= upper(lambda: -real()) <= tiny
    assert lower(lambda: -real()) == -tiny


def test_a_number_too_large_to_write_is_refused() -> None:
    for bound in (upper, lower):
        with pytest.raises(RangeError, match="beyond"):
            bound(exp_of(Fraction(10**9)))


@given(fractions.filter(bool), sizes)
def test_the_exponent_brackets_its_number(number: Fraction, size: int) -> None:
    scaled = number * Fraction(2) ** size
    exponent = exponent_of(scaled)
    assert Fraction(2) ** exponent <= abs(scaled) < Fraction(2) ** (exponent + 1)


def test_zero_has_no_exponent() -> None:
    with pytest.raises(InternalError):
        exponent_of(Fraction(0))


# floats on a named side


@given(fractions, sizes)
@example(Fraction(1), 1024)
@example(Fraction(-1), 1024)
@example(Fraction(LARGEST) + 1, 0)
@example(-Fraction(LARGEST) - 1, 0)
@example(Fraction(1), -1074)
@example(Fraction(1), -1075)
@example(Fraction(-1), -1200)
def test_float_down_and_float_up_are_the_nearest_floats_on_their_sides(
    number: Fraction, size: int
) -> None:
    exact = number * Fraction(2) ** size
    down, up = float_down(exact), float_up(exact)
    assert down == -math.inf or Fraction(down) <= exact
    assert up == math.inf or Fraction(up) >= exact
    if down == up:
        assert Fraction(down) == exact
    else:
        assert math.nextafter(down, math.inf) == up


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_own_bound(number: float) -> None:
    assert float_down(Fraction(number)) == float_up(Fraction(number)) == number


def test_beyond_the_largest_float_the_named_side_is_kept() -> None:
    beyond = Fraction(10) ** 400
    assert (float_down(beyond), float_up(beyond)) == (LARGEST, math.inf)
    assert (float_down(-beyond), float_up(-beyond)) == (-math.inf, -LARGEST)


def test_closer_to_zero_than_any_float_the_named_side_is_kept() -> None:
    tiny = Fraction(1, 10**400)
    assert (float_down(tiny), float_up(tiny)) == (0.0, 5e-324)
    assert (float_down(-tiny), float_up(-tiny)) == (-5e-324, 0.0)


def test_a_bound_of_zero_prints_without_a_sign() -> None:
    assert repr(float_up(Fraction(0))) == "0.0"
    assert repr(float_down(Fraction(0))) == "0.0"
    assert repr(float_up(Fraction(-1, 10**400))) == "0.0"


def test_an_enclosure_too_wide_to_write_out_is_asked_again_and_not_a_crash() -> None:
    def exploding() -> arb:
        wide = arb(0).union(arb(10) ** 30) if precision_in_force() < 200 else arb(1)
        return wide.exp()

    assert float(upper(exploding)) == pytest.approx(math.e)
