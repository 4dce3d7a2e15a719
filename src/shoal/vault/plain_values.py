"""Facts, types, units and budgets as plain values, for the journal and for files that people
edit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from shoal.errors import SchemaError, ShapeError
from shoal.exact import rational, whole_numeral
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.plan import Choices, Kind, Person, Range, Row, Type, Unit, type_named

Plain = dict[str, Any]


def number_to(number: Fraction) -> str:
    """A rational as text: as a decimal where it is one, as a fraction else.

    >>> number_to(Fraction(1, 8)), number_to(Fraction(1, 3)), number_to(Fraction(1, 10**7))
    ('0.125', '1/3', '1e-7')
    """
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1 or number.denominator > 10**60:
        return str(number)
    digits = Decimal(number.numerator) / Decimal(number.denominator)
    if Fraction(digits) != number:
        return str(number)
    shown = digits.normalize()
    if shown.adjusted() < -4:
        return f"{shown:e}".replace("e-0", "e-")
    return f"{shown:f}"


def type_to(kind: Type) -> str:
    return str(kind)


def type_from(written: str) -> Type:
    """The type that `type_to` wrote."""
    return type_named(written)


def fact_to(fact: Range | Choices | None) -> Plain:
    """A fact as plain values."""
    if isinstance(fact, Range):
        return {"range": [_end_to(fact.lo), _end_to(fact.hi)]}
    if isinstance(fact, Choices):
        return {"choices": [_choice_to(value) for value in fact.values]}
    return {}


def fact_from(written: Mapping[str, Any], kind: Type) -> Range | Choices | None:
    """The fact that `fact_to` wrote, for a column of a type."""
    if "range" in written:
        ends = written["range"]
        if not isinstance(ends, list) or len(ends) != 2:
            raise SchemaError(
                "a range has two ends.", remedy="Write range = [0, 500], lowest first."
            )
        return Range(*ends)
    if "choices" in written:
        return Choices([choice_from(value, kind) for value in written["choices"]])
    return None


def choice_from(value: Any, kind: Type) -> Any:
    """A choice as its column has it; text is read as a value of the type where it is one."""
    if not isinstance(value, str) or kind.kind is Kind.TEXT or kind.temporal:
        return value
    try:
        if kind.kind is Kind.BOOLEAN:
            return {"true": True, "false": False}[value.strip().lower()]
        number = rational(value, "choice")
        if kind.kind is Kind.INTEGER and whole_numeral(value) is not None:
            return number.numerator
        if kind.kind is not Kind.INTEGER:
            return float(number) if kind.kind is Kind.REAL else Decimal(value.strip())
    except (ValueError, KeyError, ArithmeticError):
        pass
    raise SchemaError(
        f"the choice {value[:40]!r} is not a value of type {kind}.",
        remedy="List values of the type of the column.",
    )


def unit_to(unit: Unit) -> Plain:
    """Who is protected, as plain values."""
    if isinstance(unit, Row):
        return {"unit": "row", "relation": str(unit.relation)}
    return {
        "unit": "person",
        "columns": list(unit.columns),
        "groups": unit.groups,
        "rows_per_group": unit.rows_per_group,
        "nulls": unit.nulls,
        "relation": str(unit.relation),
    }


def unit_from(written: Mapping[str, Any]) -> Unit:
    """The unit that `unit_to` wrote."""
    given = {str(name): value for name, value in written.items()}
    unit = given.pop("unit", None)
    try:
        if unit == "row":
            return Row(**given)
        if unit == "person":
            return Person(given.pop("columns"), **given)
    except (TypeError, KeyError):
        pass
    raise SchemaError(
        "protects does not say who is protected.",
        remedy='Write unit = "row", or unit = "person" with columns, groups and rows_per_group.',
    )


def budget_to(budget: Measure) -> dict[str, str]:
    """A budget as plain values."""
    if isinstance(budget, Pure):
        return {"epsilon": number_to(budget.epsilon)}
    if isinstance(budget, ZeroConcentrated):
        return {"rho": number_to(budget.rho)}
    if isinstance(budget, Approx):
        return {"epsilon": number_to(budget.epsilon), "delta": number_to(budget.delta)}
    raise ShapeError(
        f"a budget must be Pure, Approx or ZeroConcentrated; got {type(budget).__name__}.",
        remedy="Give budget=shoal.Approx(3, '1e-7'), for example.",
    )


def budget_from(written: Mapping[str, Any]) -> Measure:
    """The budget that `budget_to` wrote."""
    names = set(written)
    if names == {"rho"}:
        return ZeroConcentrated(rational(written["rho"], "rho"))
    if names == {"epsilon"} or (
        names == {"epsilon", "delta"} and not rational(written["delta"], "delta")
    ):
        return Pure(rational(written["epsilon"], "epsilon"))
    if names == {"epsilon", "delta"}:
        return Approx(rational(written["epsilon"], "epsilon"), rational(written["delta"], "delta"))
    raise SchemaError(
        "a budget is an epsilon, an epsilon and a delta, or a rho.",
        remedy='Write epsilon = "3" and delta = "1e-7", for example.',
    )


def _end_to(end: Fraction | dt.date | dt.datetime) -> str:
    return number_to(end) if isinstance(end, Fraction) else end.isoformat()


def _choice_to(value: object) -> Any:
    if isinstance(value, dt.date):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
