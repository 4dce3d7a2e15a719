"""What a condition teaches about columns: after ``WHERE age >= 18`` no age is below 18, and none is
NULL.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from shoal.plan.expression import Call, Expression, Literal, Ref
from shoal.plan.facts import Column, Span, span_of_values
from shoal.plan.types import Kind, Type, number_of

_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}
_LOW, _HIGH = ("ge", "gt", "eq"), ("le", "lt", "eq")


def refined(columns: tuple[Column, ...], condition: Expression) -> tuple[Column, ...]:
    """The columns of the rows for which a condition holds.

    Guarantee: in every row for which the condition is true, each value keeps to the facts returned.
    Edges: a range is learnt only where both its ends are known, from the column or the condition.
    """
    parts = list(conjuncts(condition))
    return tuple(_learnt(column, list(_about(column.name, parts))) for column in columns)


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """The parts that must all hold for a condition to hold."""
    if isinstance(condition, Call) and condition.name == "and":
        for part in condition.arguments:
            yield from conjuncts(part)
    else:
        yield condition


def _about(name: str, parts: list[Expression]) -> Iterator[tuple[str, tuple[Expression, ...]]]:
    """What the parts of a condition say of one column: a comparison, and what with."""
    for part in parts:
        match part:
            case Call("in", (Ref(column), *choices)) if column.name == name:
                yield "in", tuple(choices)
            case Call("between", (Ref(column), lo, hi)) if column.name == name:
                yield "ge", (lo,)
                yield "le", (hi,)
            case Call(word, (Call("date_part", (Literal("year"), Ref(column))), Literal(year))) if (
                word in _TURNED and column.name == name and isinstance(year, int)
            ):
                yield from _in_year(word, year, column.type)
            case Call(word, (Ref(column), other)) if word in _TURNED and column.name == name:
                yield word, (other,)
            case Call(word, (other, Ref(column))) if word in _TURNED and column.name == name:
                yield _TURNED[word], (other,)
            case Call("not", (Call("is_null", (Ref(column),)),)) if column.name == name:
                yield "known", ()


def _in_year(word: str, year: int, kind: Type) -> Iterator[tuple[str, tuple[Expression, ...]]]:
    """What a comparison of the year of a date says of the date."""
    first = {"eq": year, "ge": year, "gt": year + 1}.get(word)
    last = {"eq": year, "le": year, "lt": year - 1}.get(word)
    for side, found in (("ge", first), ("le", last)):
        if found is not None and dt.MINYEAR <= found <= dt.MAXYEAR:
            day = dt.date(found, 1, 1) if side == "ge" else dt.date(found, 12, 31)
            time = dt.time() if side == "ge" else dt.time.max
            moment = dt.datetime.combine(day, time) if kind.kind is Kind.TIMESTAMP else day
            yield side, (Literal(moment, kind),)


def _learnt(column: Column, said: list[tuple[str, tuple[Expression, ...]]]) -> Column:
    if not said:
        return column
    lo: list[Fraction] = [column.span.lo] if column.span else []
    hi: list[Fraction] = [column.span.hi] if column.span else []
    choices = column.choices
    for word, others in said:
        constants = [other for other in others if isinstance(other, Literal)]
        places = [p for c in constants if (p := number_of(c.value, c.type)) is not None]
        lo += places if word in _LOW else []
        hi += places if word in _HIGH else []
        if word in ("in", "eq") and constants:
            listed = dict.fromkeys(c.value for c in constants if c.value is not None)
            choices = tuple(v for v in (listed if choices is None else choices) if v in listed)
    span = Span(max(lo), min(hi)) if lo and hi and max(lo) <= min(hi) else column.span
    if choices and span and column.type.ordered:
        at = {value: number_of(value, column.type) for value in choices}
        choices = tuple(v for v, p in at.items() if p is not None and span.lo <= p <= span.hi)
        span = span_of_values(choices, column.type) or span
    elif choices:
        span = span_of_values(choices, column.type) or span
    # an engine may compute a row before it tests the condition, so the length is still that of
    # every row
    longest = column.length if column.type.kind is Kind.TEXT else None
    choices = choices or column.choices
    return replace(column, nullable=False, span=span, choices=choices, longest=longest)
