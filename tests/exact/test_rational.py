from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal, Inexact, InvalidOperation, getcontext, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import NumberError, RangeError
from shoal.exact import (
    closed_unit,
    non_negative,
    open_unit,
    out_of_range,
    positive,
    rational,
    short,
    whole,
)

finite = st.floats(allow_nan=False, allow_infinity=False)


class LoudFloat(float):
    """A float whose text says something else."""

    def __repr__(self) -> str:
        return "7"

    __str__ = __repr__


# what is read


@pytest.mark.parametrize(
    ("given_as", "meant"),
    [
        (0.1, Fraction(1, 10)),
        (1e-6, Fraction(1, 10**6)),
        (-2.5, Fraction(-5, 2)),
        (5e-324, Fraction(5, 10**324)),
        (-0.0, Fraction(0)),
        (LoudFloat(0.1), Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.longdouble("0.1"), Fraction(1, 10)),
        (3, Fraction(3)),
        (-(10**40), Fraction(-(10**40))),
        (np.int8(-7), Fraction(-7)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (Fraction(22, 7), Fraction(22, 7)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Decimal("0E+99999999"), Fraction(0)),
        ("0.1", Fraction(1, 10)),
        (" 1e-6 ", Fraction(1, 10**6)),
        ("1/3", Fraction(1, 3)),
        (" 1 / 3 ", Fraction(1, 3)),
        ("-0.5/1e2", Fraction(-1, 200)),
        ("1/-3", Fraction(-1, 3)),
        ("1e5000", Fraction(10**5000)),
        ("1e-5000", Fraction(1, 10**5000)),
    ],
    ids=lambda value: "number" if isinstance(value, Fraction) else repr(value),
)
def test_a_parameter_means_the_number_its_writer_meant(given_as: Any, meant: Fraction) -> None:
    assert rational(given_as, "epsilon") == meant


def test_ten_times_a_tenth_is_one() -> None:
    assert sum(rational(0.1, "epsilon") for _ in range(10)) == 1


@given(finite)
def test_a_float_is_read_as_its_shortest_decimal(number: float) -> None:
    read = rational(number, "epsilon")
    assert read == Fraction(repr(number))
    assert float(read) == number


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_single_precision_float_has_a_shortest_decimal_of_its_own(number: float) -> None:
    single = np.float32(number)
    read = rational(single, "epsilon")
    assert np.float32(float(read)) == single
    assert len(str(read.numerator).strip("-0")) <= 9


@given(st.decimals(allow_nan=False, allow_infinity=False, places=30))
def test_a_decimal_is_read_digit_by_digit(number: Decimal) -> None:
    assert rational(number, "epsilon") == rational(str(number), "epsilon") == Fraction(number)


@given(st.integers(), st.integers(min_value=1))
def test_text_with_a_slash_is_a_quotient(above: int, below: int) -> None:
    assert rational(f"{above}/{below}", "epsilon") == Fraction(above, below)


def test_the_display_options_of_numpy_do_not_change_a_parameter() -> None:
    with np.printoptions(precision=2, legacy="1.13"):
        assert rational(np.float64(0.1234567890123456), "epsilon") == Fraction("0.1234567890123456")
        assert rational(np.float32(0.12345679), "epsilon") == Fraction("0.12345679")


def test_the_decimal_context_of_the_caller_does_not_change_a_parameter() -> None:
    with localcontext() as context:
        context.prec = 2
        context.traps[Inexact] = True
        assert rational(0.123456789, "epsilon") == Fraction("0.123456789")
        assert rational("0.123456789", "epsilon") == Fraction("0.123456789")
        assert short(Fraction(1, 3)) == "0.333333"


def test_the_parts_of_a_rational_are_pythons_own_integers() -> None:
    parts: Any = np.int64(2**62), np.int64(3)
    from_numpy = Fraction(*parts)
    for value in (from_numpy, np.int64(2**62), np.float32(0.1), "1/3"):
        read = rational(value, "epsilon")
        assert type(read.numerator) is int
        assert type(read.denominator) is int
    assert rational(from_numpy, "epsilon") * 8 == Fraction(2**65, 3)


# what is refused, and how


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        np.float64("nan"),
        np.float32("inf"),
        np.float16("-inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        True,
        False,
        np.True_,
        None,
        [],
        [0.1],
        (1, 2),
        {},
        b"0.1",
        1 + 0j,
        np.complex128(1),
        np.array([0.1]),
        np.array(0.1),
        NotImplemented,
        int,
        "",
        " ",
        "nan",
        "-inf",
        "Infinity",
        "one",
        "0,1",
        "0x10",
        "1/0",
        "1/0.0",
        "0/0",
        "1/",
        "/3",
        "/",
        "1/2/3",
        "1//2",
        "nan/2",
        "1e",
        "--1",
    ],
    ids=repr,
)
def test_what_is_not_a_finite_number_is_refused_by_name(value: Any) -> None:
    with pytest.raises(NumberError, match="noise_scale must be a finite number") as caught:
        rational(value, "noise_scale")
    assert "noise_scale" in caught.value.remedy
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "value",
    [
        "1e5001",
        "1e-5001",
        "1e999999",
        "-1e999999",
        "1e99999999999999999999",
        Decimal("1e-999999"),
        10**5100,
        -(10**5100),
        Fraction(1, 10**5100),
        "1e5000/1e-5000",
        "1e-4000/1e4000",
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_a_number_too_large_or_too_small_to_matter_is_refused_by_name(value: Any) -> None:
    with pytest.raises(RangeError, match=r"delta is beyond 10\^5000"):
        rational(value, "delta")


def test_text_of_an_absurd_size_is_refused_at_once() -> None:
    with pytest.raises(RangeError):
        rational("1e999999999999999", "epsilon")


def test_a_refusal_shows_at_most_forty_characters_of_what_it_was_given() -> None:
    with pytest.raises(NumberError) as caught:
        rational("x" * 1000, "epsilon")
    assert len(caught.value.problem) < 100


def test_a_refusal_of_an_object_shows_its_kind_and_not_its_contents() -> None:
    with pytest.raises(NumberError, match=r"got list\.") as caught:
        rational([123456], "epsilon")  # type: ignore[arg-type]
    assert "123456" not in str(caught.value)


def test_unreadable_text_is_refused_even_where_decimal_would_be_silent() -> None:
    with localcontext() as context:
        context.traps[InvalidOperation] = False
        with pytest.raises(NumberError):
            rational("one", "epsilon")


# the named ranges

Reader = Callable[[Any, str], Any]


@pytest.mark.parametrize(
    ("reader", "inside", "outside", "words"),
    [
        (positive, ["1e-5000", 1, 0.5], [0, -0.0, -1, "-1e-9"], "above 0"),
        (non_negative, [0, "1e-5000", 3], [-1, "-1e-5000"], "0 or more"),
        (
            open_unit,
            ["1e-5000", 0.5, "0.999999999999999999999"],
            [0, 1, -1, 2],
            "above 0 and below 1",
        ),
        (closed_unit, [0, 1, 0.5], ["-1e-5000", "1.0000000000000000001", 2], "from 0 to 1"),
    ],
)
def test_a_reader_takes_its_range_and_nothing_beyond(
    reader: Reader, inside: list[Any], outside: list[Any], words: str
) -> None:
    for value in inside:
        assert reader(value, "epsilon") == rational(value, "epsilon")
    for value in outside:
        with pytest.raises(RangeError, match=f"epsilon must be {re.escape(words)}; got"):
            reader(value, "epsilon")
    with pytest.raises(NumberError):
        reader(math.nan, "epsilon")


@pytest.mark.parametrize("value", [3, 3.0, "3", "6/2", Decimal("3.00"), np.int16(3), Fraction(3)])
def test_a_count_may_be_written_in_any_way_that_is_whole(value: Any) -> None:
    count = whole(value, "rounds", at_least=1)
    assert count == 3
    assert type(count) is int


@pytest.mark.parametrize("value", [2.5, "1/3", 0, -3])
def test_a_count_that_is_not_whole_or_too_small_is_refused(value: Any) -> None:
    with pytest.raises(RangeError, match="rounds must be a whole number, 1 or more"):
        whole(value, "rounds", at_least=1)


def test_a_truth_value_is_not_a_count() -> None:
    with pytest.raises(NumberError):
        whole(True, "rounds", at_least=0)


# how numbers are shown


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-3), "-3"),
        (Fraction(999_999_999), "999999999"),
        (Fraction(10**9), "1e9"),
        (Fraction(123456789012), "1.23457e11"),
        (Fraction(1, 10), "0.1"),
        (Fraction(-1, 3), "-0.333333"),
        (Fraction(1, 10**5), "0.00001"),
        (Fraction(1, 10**6), "1e-6"),
        (Fraction(1, 3 * 10**9), "3.33333e-10"),
        (Fraction(10**5000), "1e5000"),
        (Fraction(1, 10**5000), "1e-5000"),
        (Fraction(199_999_999, 2), "100000000"),
    ],
    ids=lambda value: value if isinstance(value, str) else "number",
)
def test_a_number_prints_in_few_characters(number: Fraction, text: str) -> None:
    assert short(number) == text


@given(st.fractions(), st.integers(-400, 400))
def test_the_printed_number_is_right_to_six_digits_and_never_a_false_zero(
    number: Fraction, exponent: int
) -> None:
    scaled = number * Fraction(10) ** exponent
    shown = Fraction(short(scaled))
    assert abs(shown - scaled) <= abs(scaled) * Fraction(5, 10**6)
    assert (shown == 0) == (scaled == 0)


def test_printing_leaves_the_decimal_context_of_the_caller_alone() -> None:
    before = getcontext().copy()
    short(Fraction(1, 3))
    after = getcontext()
    assert (after.prec, after.flags) == (before.prec, before.flags)


def test_a_parameter_out_of_range_is_told_in_one_wording() -> None:
    error = out_of_range("epsilon", Fraction(-1, 2), "above 0")
    assert str(error) == (
        "[number-2] epsilon must be above 0; got -0.5.\n    Choose epsilon above 0."
    )
