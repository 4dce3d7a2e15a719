"""Expressions as a person would write them."""

from __future__ import annotations

import datetime as dt
import re

from shoal.plan.expression import Call, Expression, Literal, Ref
from shoal.plan.types import Kind
from shoal.plan.values import written

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
    return repr(value) if literal.type.kind is Kind.REAL else str(written(value, literal.type))


def _call(call: Call) -> str:
    parts = [text_of(argument) for argument in call.arguments]
    if call.name == "case":
        pairs = zip(parts[:-1:2], parts[1::2], strict=True)
        whens = " ".join(f"WHEN {condition} THEN {value}" for condition, value in pairs)
        return f"CASE {whens} ELSE {parts[-1]} END"
    form = call.function.written
    form = form.replace("{1*}", ", ".join(parts[1:]).replace("{", "{{").replace("}", "}}"))
    form = form.replace("{*}", ", ".join(parts).replace("{", "{{").replace("}", "}}"))
    return form.format(*parts, type=call.type)
