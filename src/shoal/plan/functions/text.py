"""Text by code points.  Only ASCII letters change case: engines disagree about the others."""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression, Literal
from shoal.plan.facts import Span
from shoal.plan.functions.function import Fit, Fitted, constant, function, takes
from shoal.plan.types import BOOLEAN, INTEGER, TEXT, Kind, Type
from shoal.plan.values import Value

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()
LONGEST_TEXT = 2**31 - 1
_TO_LOWER, _TO_UPPER = str.maketrans(UPPER, LOWER), str.maketrans(LOWER, UPPER)

_one = takes(Kind.TEXT, result=TEXT)
_two_to_truth = takes(Kind.TEXT, Kind.TEXT, result=BOOLEAN)


@function("lower", _one)
def _lower(_: Call, text: str) -> Value:
    return text.translate(_TO_LOWER)


@function("upper", _one)
def _upper(_: Call, text: str) -> Value:
    return text.translate(_TO_UPPER)


@function("trim", _one)
def _trim(_: Call, text: str) -> Value:
    return text.strip(" ")


@function("ltrim", _one)
def _ltrim(_: Call, text: str) -> Value:
    return text.lstrip(" ")


@function("rtrim", _one)
def _rtrim(_: Call, text: str) -> Value:
    return text.rstrip(" ")


@function(
    "length",
    takes(Kind.TEXT, result=INTEGER),
    span=lambda _: Span(Fraction(0), Fraction(LONGEST_TEXT)),
)
def _length(_: Call, text: str) -> Value:
    return len(text)


@function("concat", takes(Kind.TEXT, Kind.TEXT, result=TEXT), written="({0} || {1})")
def _concat(_: Call, left: str, right: str) -> Value:
    return left + right


@function("starts_with", _two_to_truth)
def _starts_with(_: Call, text: str, part: str) -> Value:
    return text.startswith(part)


@function("ends_with", _two_to_truth)
def _ends_with(_: Call, text: str, part: str) -> Value:
    return text.endswith(part)


@function("contains", _two_to_truth)
def _contains(_: Call, text: str, part: str) -> Value:
    return part in text


def _with_counts(*least: int, name: str) -> Fit:
    """Text, and then whole constants that are at least so large."""

    def fit(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
        kinds = (Kind.TEXT, *(Kind.INTEGER for _ in least))
        fitted, kind = takes(*kinds, result=TEXT)(arguments, None)
        for argument, lowest in zip(fitted[1:], least, strict=True):
            count = constant(argument, f"a position or length in {name}")
            if type(count) is not int or not lowest <= count <= LONGEST_TEXT:
                raise ExpressionError(
                    f"a position in {name} counts from 1, and a length from 0.",
                    remedy=f"Give {name} whole numbers, {lowest} or more here.",
                )
        return fitted, kind

    return fit


def _fit_substring(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) == 2:
        arguments = (*arguments, Literal(LONGEST_TEXT, INTEGER))
    return _with_counts(1, 0, name="SUBSTRING")(arguments, None)


@function("substring", _fit_substring)
def _substring(_: Call, text: str, start: int, length: int) -> Value:
    return text[start - 1 : start - 1 + length]


@function("left", _with_counts(0, name="LEFT"))
def _left(_: Call, text: str, length: int) -> Value:
    return text[:length]


@function("right", _with_counts(0, name="RIGHT"))
def _right(_: Call, text: str, length: int) -> Value:
    return text[-length:] if length else ""


def _fit_replace(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    fitted, kind = takes(Kind.TEXT, Kind.TEXT, Kind.TEXT, result=TEXT)(arguments, None)
    if constant(fitted[1], "the text to replace") == "":
        raise ExpressionError(
            "the text to replace is empty.",
            remedy="Give REPLACE at least one character to look for.",
        )
    constant(fitted[2], "the replacement")
    return fitted, kind


@function("replace", _fit_replace)
def _replace(_: Call, text: str, old: str, new: str) -> Value:
    return text.replace(old, new)
