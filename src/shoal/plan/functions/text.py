"""Text by code points.  Only ASCII letters change case: engines disagree about the others."""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression, Literal
from shoal.plan.facts import Span
from shoal.plan.functions.function import (
    Fit,
    Fitted,
    constant,
    function,
    takes,
    touched_until_different,
)
from shoal.plan.types import BOOLEAN, INTEGER, TEXT, Kind, Type, Value

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()
FARTHEST = 2**31 - 1
_TO_LOWER, _TO_UPPER = str.maketrans(UPPER, LOWER), str.maketrans(LOWER, UPPER)

_one = takes(Kind.TEXT, result=TEXT)


def _as_long(call: Call) -> int:
    return call.arguments[0].length


def _searched(call: Call) -> int:
    """A search may compare the part at every place of the text; no engine does more."""
    text, part = call.arguments[0].length, call.arguments[1].length
    return 1 + text * max(1, part)


_two_to_truth = takes(Kind.TEXT, Kind.TEXT, result=BOOLEAN)


@function("lower", _one, length=_as_long)
def _lower(_: Call, text: str) -> Value:
    return text.translate(_TO_LOWER)


@function("upper", _one, length=_as_long)
def _upper(_: Call, text: str) -> Value:
    return text.translate(_TO_UPPER)


@function("trim", _one, length=_as_long)
def _trim(_: Call, text: str) -> Value:
    return text.strip(" ")


@function("ltrim", _one, length=_as_long)
def _ltrim(_: Call, text: str) -> Value:
    return text.lstrip(" ")


@function("rtrim", _one, length=_as_long)
def _rtrim(_: Call, text: str) -> Value:
    return text.rstrip(" ")


@function(
    "length",
    takes(Kind.TEXT, result=INTEGER),
    span=lambda call: Span(Fraction(0), Fraction(call.arguments[0].length)),
)
def _length(_: Call, text: str) -> Value:
    return len(text)


@function(
    "concat",
    takes(Kind.TEXT, Kind.TEXT, result=TEXT),
    written="({0} || {1})",
    length=lambda call: sum(argument.length for argument in call.arguments),
)
def _concat(_: Call, left: str, right: str) -> Value:
    return left + right


@function("starts_with", _two_to_truth, work=touched_until_different)
def _starts_with(_: Call, text: str, part: str) -> Value:
    return text.startswith(part)


@function("ends_with", _two_to_truth, work=touched_until_different)
def _ends_with(_: Call, text: str, part: str) -> Value:
    return text.endswith(part)


@function("contains", _two_to_truth, work=_searched)
def _contains(_: Call, text: str, part: str) -> Value:
    return part in text


def _with_counts(*least: int, name: str) -> Fit:
    """Text, and then whole constants that are at least so large."""

    def fit(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
        kinds = (Kind.TEXT, *(Kind.INTEGER for _ in least))
        fitted, kind = takes(*kinds, result=TEXT)(arguments, None)
        for argument, lowest in zip(fitted[1:], least, strict=True):
            count = constant(argument, f"a position or length in {name}")
            if type(count) is not int or not lowest <= count <= FARTHEST:
                raise ExpressionError(
                    f"a position in {name} counts from 1, and a length from 0.",
                    remedy=f"Give {name} whole numbers, {lowest} or more here.",
                )
        return fitted, kind

    return fit


def _fit_substring(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) == 2:
        arguments = (*arguments, Literal(FARTHEST, INTEGER))
    return _with_counts(1, 0, name="SUBSTRING")(arguments, None)


def _cut(call: Call) -> int:
    """The last argument is the most characters that are kept."""
    kept = call.arguments[-1]
    assert isinstance(kept, Literal)
    assert isinstance(kept.value, int)
    return min(call.arguments[0].length, kept.value)


@function("substring", _fit_substring, length=_cut)
def _substring(_: Call, text: str, start: int, length: int) -> Value:
    return text[start - 1 : start - 1 + length]


@function("left", _with_counts(0, name="LEFT"), length=_cut)
def _left(_: Call, text: str, length: int) -> Value:
    return text[:length]


@function("right", _with_counts(0, name="RIGHT"), length=_cut)
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


def _replaced(call: Call) -> int:
    """Every old text becomes a new one: the most if there is nothing between them, or if none is
    there.
    """
    whole, old, new = (argument.length for argument in call.arguments)
    kept = whole % old
    return max(whole, whole // old * new + kept)


@function(
    "replace",
    _fit_replace,
    length=_replaced,
    work=lambda call: _searched(call) + call.length,
)
def _replace(_: Call, text: str, old: str, new: str) -> Value:
    return text.replace(old, new)


def _with_letters(what: str) -> Fit:
    """Text, and then a constant text that is not empty."""

    def fit(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
        fitted, kind = takes(Kind.TEXT, Kind.TEXT, result=TEXT)(arguments, None)
        if constant(fitted[1], what) == "":
            raise ExpressionError(f"{what} is empty.", remedy="Give it at least one character.")
        return fitted, kind

    return fit


_trimming = _with_letters("what is trimmed")


@function("trim_of", _trimming, length=_as_long, written="TRIM({*})", work=_searched)
def _trim_of(_: Call, text: str, letters: str) -> Value:
    return text.strip(letters)


@function("ltrim_of", _trimming, length=_as_long, written="LTRIM({*})", work=_searched)
def _ltrim_of(_: Call, text: str, letters: str) -> Value:
    return text.lstrip(letters)


@function("rtrim_of", _trimming, length=_as_long, written="RTRIM({*})", work=_searched)
def _rtrim_of(_: Call, text: str, letters: str) -> Value:
    return text.rstrip(letters)


def _fit_position(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    fitted, _ = _with_letters("the text to look for")(arguments, None)
    return fitted, INTEGER


@function(
    "position",
    _fit_position,
    span=lambda call: Span(Fraction(0), Fraction(call.arguments[0].length)),
    written="STRPOS({*})",
    work=_searched,
)
def _position(_: Call, text: str, part: str) -> Value:
    return text.find(part) + 1


def _fit_split(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    fitted, kind = takes(Kind.TEXT, Kind.TEXT, Kind.INTEGER, result=TEXT)(arguments, None)
    number = constant(fitted[2], "the number of a part")
    if constant(fitted[1], "the separator") == "" or type(number) is not int or number < 1:
        raise ExpressionError(
            "SPLIT_PART takes a separator and the number of a part, from 1.",
            remedy="Write SPLIT_PART(x, '.', 1).",
        )
    return fitted, kind


@function("split_part", _fit_split, length=_as_long, work=_searched)
def _split_part(_: Call, text: str, separator: str, number: int) -> Value:
    parts = text.split(separator)
    return parts[number - 1] if number <= len(parts) else ""
