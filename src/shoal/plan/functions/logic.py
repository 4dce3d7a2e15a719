"""Comparison and the three-valued logic of SQL: NULL is "not known"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression, Literal
from shoal.plan.functions.function import (
    Fit,
    Fitted,
    alike,
    constant,
    function,
    never,
    require,
    takes,
    touched_until_different,
    wrong_number,
)
from shoal.plan.sizes import LONGEST_PATTERN
from shoal.plan.types import BOOLEAN, TEXT, Kind, Type, Value


def _compares(count: int) -> Fit:
    def fit(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
        if len(arguments) != count:
            raise wrong_number(count, len(arguments))
        return alike(arguments)[0], BOOLEAN

    return fit


@function("eq", _compares(2), written="({0} = {1})", work=touched_until_different)
def _eq(_: Call, left: Value, right: Value) -> Value:
    return left == right


@function("ne", _compares(2), written="({0} <> {1})", work=touched_until_different)
def _ne(_: Call, left: Value, right: Value) -> Value:
    return left != right


@function("lt", _compares(2), written="({0} < {1})", work=touched_until_different)
def _lt(_: Call, left: Any, right: Any) -> Value:
    return bool(left < right)


@function("le", _compares(2), written="({0} <= {1})", work=touched_until_different)
def _le(_: Call, left: Any, right: Any) -> Value:
    return bool(left <= right)


@function("gt", _compares(2), written="({0} > {1})", work=touched_until_different)
def _gt(_: Call, left: Any, right: Any) -> Value:
    return bool(left > right)


@function("ge", _compares(2), written="({0} >= {1})", work=touched_until_different)
def _ge(_: Call, left: Any, right: Any) -> Value:
    return bool(left >= right)


def _any_is_nullable(call: Call) -> bool:
    return any(argument.nullable for argument in call.arguments)


@function(
    "between",
    _compares(3),
    strict=False,
    may_be_null=_any_is_nullable,
    written="({0} BETWEEN {1} AND {2})",
    uses=2,
)
def _between(call: Call, value: Any, lo: Any, hi: Any) -> Value:
    above = None if value is None or lo is None else bool(value >= lo)
    below = None if value is None or hi is None else bool(value <= hi)
    return _and(call, above, below)


@function("same", _compares(2), strict=False, written="({0} IS NOT DISTINCT FROM {1})")
def _same(_: Call, left: Value, right: Value) -> Value:
    return left == right


def _fit_in(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    fitted, _kind = alike(arguments, at_least=2)
    for choice in fitted[1:]:
        if not isinstance(choice, Literal):
            raise ExpressionError(
                "the list after IN may hold constants only.",
                remedy="Write x = a OR x = b for columns.",
            )
    return fitted, BOOLEAN


@function("in", _fit_in, strict=False, may_be_null=_any_is_nullable, written="({0} IN ({1*}))")
def _in(_: Call, value: Value, *choices: Value) -> Value:
    if value is None:
        return None
    if value in [choice for choice in choices if choice is not None]:
        return True
    return None if None in choices else False


_truths = takes(Kind.BOOLEAN, Kind.BOOLEAN, result=BOOLEAN)


@function("and", _truths, strict=False, may_be_null=_any_is_nullable, written="({0} AND {1})")
def _and(_: Call, left: Value, right: Value) -> Value:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


@function("or", _truths, strict=False, may_be_null=_any_is_nullable, written="({0} OR {1})")
def _or(_: Call, left: Value, right: Value) -> Value:
    if left is True or right is True:
        return True
    return None if left is None or right is None else False


@function("not", takes(Kind.BOOLEAN, result=BOOLEAN), written="(NOT {0})")
def _not(_: Call, operand: bool) -> Value:  # noqa: FBT001 - a value
    return not operand


def _any_one(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) != 1:
        raise wrong_number(1, len(arguments))
    return arguments, BOOLEAN


@function("is_null", _any_one, strict=False, may_be_null=never, written="({0} IS NULL)")
def _is_null(_: Call, operand: Value) -> Value:
    return operand is None


def _fit_like(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) == 2:
        arguments = (*arguments, Literal("", TEXT))
    fitted, _kind = takes(Kind.TEXT, Kind.TEXT, Kind.TEXT, result=BOOLEAN)(arguments, None)
    pattern = str(constant(fitted[1], "the pattern of LIKE"))
    escape = fitted[2]
    require(escape, (Kind.TEXT,))
    sign = str(constant(escape, "the escape of LIKE"))
    if len(pattern) > LONGEST_PATTERN:
        raise ExpressionError(
            f"the pattern of LIKE has {len(pattern):,} characters; at most {LONGEST_PATTERN:,} are allowed.",
            remedy="Use a shorter pattern, or compare with =.",
        )
    if len(sign) > 1 or not sign.isascii() or sign in ("%", "_"):
        raise ExpressionError(
            "the escape of LIKE must be one ASCII character other than % and _.",
            remedy="Write x LIKE '10!%' ESCAPE '!'.",
        )
    if sign and pattern.replace(sign * 2, "").endswith(sign):
        raise ExpressionError(
            "the pattern of LIKE ends in its escape.",
            remedy="Write the escape twice to mean itself.",
        )
    return fitted, BOOLEAN


Part = str | None
"""A letter of a pattern that means itself, or None for any one letter."""


def parts_of_pattern(pattern: str, escape: str) -> list[list[Part]]:
    """What stands between the signs % of a pattern of LIKE, letter by letter.

    >>> parts_of_pattern("a_%b", "")
    [['a', None], ['b']]
    """
    found: list[list[Part]] = [[]]
    letters = iter(pattern)
    for letter in letters:
        if escape and letter == escape:
            found[-1].append(next(letters, ""))
        elif letter == "%":
            found.append([])
        else:
            found[-1].append(None if letter == "_" else letter)
    return found


@lru_cache(maxsize=256)
def _pattern(like: str, escape: str) -> tuple[re.Pattern[str], ...]:
    """A form for each part between signs %."""
    written = (
        "".join("." if letter is None else re.escape(letter) for letter in part)
        for part in parts_of_pattern(like, escape)
    )
    return tuple(re.compile(part, re.DOTALL) for part in written)


def _work_of_like(call: Call) -> int:
    """Each part is looked for once, from where the one before it ended: at most pattern times
    text.
    """
    return 1 + call.arguments[0].length * max(1, call.arguments[1].length)


@function("like", _fit_like, written="({0} LIKE {1})", work=_work_of_like)
def _like(_: Call, text: str, pattern: str, escape: str) -> Value:
    """Parts are found one after the other, each at its first place: one that is found early leaves
    most room for the rest.
    """
    first, *others = _pattern(pattern, escape)
    if not others:
        return first.fullmatch(text) is not None
    found = first.match(text)
    for part in others[:-1]:
        found = part.search(text, found.end()) if found else None
    size = len(parts_of_pattern(pattern, escape)[-1])
    return bool(
        found and len(text) - size >= found.end() and others[-1].match(text, len(text) - size)
    )
