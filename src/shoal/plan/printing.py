"""Expressions as a person would write them."""

from __future__ import annotations

import datetime as dt
import re

from shoal.plan.expression import Call, Expression, Literal, Ref
from shoal.plan.types import INTEGER, LEAST_INTEGER, TEXT, Kind, Type, written

_PLACES = re.compile(r"\{[0-9a-z]*\*?\}")
"""Where arguments stand in the form of a function."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")


def text_of(expression: Expression) -> str:
    """An expression in SQL, for people; names that are not plain words are quoted.

    >>> from shoal.plan.expression import call
    >>> from shoal.plan.facts import column
    >>> from shoal.plan.types import INTEGER
    >>> text_of(call("add", Ref(column("age", INTEGER)), Literal(1, INTEGER)))
    '(age + 1)'
    """
    match expression:
        case Ref(column):
            return name_of(column.name)
        case Literal():
            return _literal(expression)
        case Call():
            return _call(expression)


def name_of(name: str) -> str:
    """A name, quoted if it is not a plain word."""
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _literal(literal: Literal) -> str:
    value = literal.value
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, dt.date):
        return f"{literal.type.kind.upper()} '{value}'"
    if isinstance(value, float):  # with an exponent: without one it would be a decimal
        return text if "e" in (text := repr(value)) else f"{text}e0"
    if value == LEAST_INTEGER and literal.type == INTEGER:  # without its sign it is no integer
        return f"({value + 1} - 1)"
    return f"{written(value, literal.type):f}" if literal.type.scale else str(value)


_ALIKE = (
    "and",
    "between",
    "case",
    "coalesce",
    "eq",
    "ge",
    "greatest",
    "gt",
    "in",
    "le",
    "least",
    "lt",
    "ne",
    "not",
    "nullif",
    "or",
    "same",
)
"""Functions that give NULL the type of what stands beside it."""


def _arguments(call: Call) -> list[str]:
    """The arguments; a NULL whose type does not follow from the others is written with it."""
    values = call.arguments[1::2] + call.arguments[-1:] if call.name == "case" else call.arguments
    follows = call.name in _ALIKE and not all(map(_is_null, values))
    return [
        f"CAST(NULL AS {_type(each.type)})" if _is_null(each) and not follows else text_of(each)
        for each in call.arguments
    ]


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def _call(call: Call) -> str:
    parts = _arguments(call)
    if call.name == "case":
        pairs = zip(parts[:-1:2], parts[1::2], strict=True)
        whens = " ".join(f"WHEN {condition} THEN {value}" for condition, value in pairs)
        return f"CASE {whens} ELSE {parts[-1]} END"
    form = call.function.written
    if call.name == "like" and call.arguments[2] != Literal("", TEXT):
        form = "({0} LIKE {1} ESCAPE {2})"
    listed = {f"{{{at}}}": part for at, part in enumerate(parts)}
    listed |= {"{*}": ", ".join(parts), "{1*}": ", ".join(parts[1:]), "{type}": _type(call.type)}
    return _PLACES.sub(lambda place: listed[place[0]], form)


def _type(kind: Type) -> str:
    """A type as CAST names it."""
    return f"decimal(38, {kind.scale})" if kind.kind is Kind.DECIMAL else str(kind)
