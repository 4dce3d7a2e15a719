"""An expression is a column, a literal, or a function of expressions; it knows its type, span,
length and cost.

Expressions are made by `call` and `cast`, which check types, put in the casts that mixing types
needs, and fold what is constant.  What a function means, and the span of its values, stands with
the function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.errors import ExpressionError
from shoal.plan.facts import Column, Span, span_of_values
from shoal.plan.sizes import ONE, WorkPerRow, require_small
from shoal.plan.types import Kind, Type, Value, common_type, is_broken, nearest

if TYPE_CHECKING:
    from shoal.plan.functions.function import Function


@dataclass(frozen=True)
class Ref:
    """The value of a column in the row at hand."""

    column: Column

    @property
    def type(self) -> Type:
        return self.column.type

    @property
    def nullable(self) -> bool:
        return self.column.nullable

    @property
    def span(self) -> Span | None:
        return self.column.span

    @property
    def length(self) -> int:
        return self.column.length

    @property
    def cost(self) -> WorkPerRow:
        return self.column.cost


@dataclass(frozen=True)
class Literal:
    """A constant, as a value of its type."""

    value: Value
    type: Type

    def __post_init__(self) -> None:
        if isinstance(self.value, str):
            _refuse_broken_text(self.value)
        if isinstance(self.value, float) and self.value == 0:  # a zero has no sign
            object.__setattr__(self, "value", 0.0)

    @property
    def nullable(self) -> bool:
        return self.value is None

    @property
    def span(self) -> Span | None:
        return span_of_values((self.value,), self.type)

    @property
    def length(self) -> int:
        return len(self.value) if isinstance(self.value, str) else 0

    @property
    def cost(self) -> WorkPerRow:
        return ONE


@dataclass(frozen=True)
class Call:
    """A function of expressions; made by `call`, never by hand."""

    name: str
    arguments: tuple[Expression, ...]
    type: Type

    @property
    def function(self) -> Function:
        return functions()[self.name]

    @cached_property
    def span(self) -> Span | None:
        return self.function.span(self)

    @cached_property
    def nullable(self) -> bool:
        if not self.function.strict:
            return self.function.may_be_null(self)
        return any(argument.nullable for argument in self.arguments) or self.partial

    @cached_property
    def partial(self) -> bool:
        """Whether NULL can come of arguments that are not NULL."""
        return self.function.may_be_null(self)

    @cached_property
    def released(self) -> bool:
        """Whether it is, or rests on, a function of released values only."""
        parts = (each for each in self.arguments if isinstance(each, Call))
        return self.name not in row_functions() or any(each.released for each in parts)

    @cached_property
    def depth(self) -> int:
        return 1 + max((depth(argument) for argument in self.arguments), default=0)

    @cached_property
    def length(self) -> int:
        """The most characters its text can have; 0 if it is no text."""
        return self.function.length(self) if self.type.kind is Kind.TEXT else 0

    @cached_property
    def cost(self) -> WorkPerRow:
        """What it takes to compute it in one row, of every column it rests on as often as it is
        used.
        """
        parts = self.function.uses * sum(argument.cost.parts for argument in self.arguments)
        work = self.function.uses * sum(argument.cost.work for argument in self.arguments)
        return WorkPerRow(1 + parts, self.function.work(self) + work)


Expression = Ref | Literal | Call
"""A column, a literal, or a function of expressions."""

DEEPEST = 150
"""Expressions nested deeper than this are refused."""


def functions() -> Mapping[str, Function]:
    """Every function by name: those of rows, and those of released values."""
    from shoal.plan.functions import EVERY  # noqa: PLC0415 - functions are made of expressions

    return EVERY


def row_functions() -> Mapping[str, Function]:
    """The functions that every engine computes alike, by name."""
    from shoal.plan.functions import FUNCTIONS  # noqa: PLC0415 - functions are made of expressions

    return FUNCTIONS


def depth(expression: Expression) -> int:
    return expression.depth if isinstance(expression, Call) else 0


def call(name: str, *arguments: Expression, type: Type | None = None) -> Expression:  # noqa: A002
    """A function of arguments, with types checked and constants folded.

    >>> from shoal.plan.types import INTEGER, REAL
    >>> call("add", Literal(1, INTEGER), Literal(0.5, REAL))
    Literal(value=1.5, type=Type(kind=<Kind.REAL: 'real'>, scale=0))
    """
    function = functions()[name]
    fitted, result = function.fit(arguments, type)
    made = Call(name, fitted, result)
    if made.depth > DEEPEST:
        raise ExpressionError(
            f"the expression is nested more than {DEEPEST} deep.", remedy="Write it flatter."
        )
    require_small(made.length, made.cost)
    if all(isinstance(argument, Literal) for argument in fitted):
        values = [argument.value for argument in fitted if isinstance(argument, Literal)]
        return Literal(function.of(made, values), result)
    return made


def cast(expression: Expression, to: Type) -> Expression:
    """An expression in another type; what does not fit there is NULL."""
    if isinstance(expression, Literal) and expression.value is None:
        return Literal(None, to)
    return expression if expression.type == to else call("cast", expression, type=to)


def in_common(*expressions: Expression) -> tuple[tuple[Expression, ...], Type] | None:
    """Expressions cast to the one type they can be mixed in; None if there is none.

    NULL takes any type, and a text literal takes that of a date or timestamp beside it.
    """
    typed = [e for e in expressions if not (isinstance(e, Literal) and e.value is None)]
    moments = [e.type for e in typed if e.type.temporal]
    typed = [e for e in typed if not (moments and _plain_text(e))]
    if not typed:
        return expressions, expressions[0].type
    found: Type | None = typed[0].type
    for other in typed[1:]:
        found = common_type(found, other.type) if found else None
    if found is None:
        return None
    return tuple(_into(expression, found) for expression in expressions), found


def _plain_text(expression: Expression) -> bool:
    return isinstance(expression, Literal) and isinstance(expression.value, str)


def moment_written(expression: Expression, to: Type) -> Expression:
    """A date or timestamp that stands in a question as text; a day alone is its midnight.

    Edges: any other text is refused, since a NULL in its place would answer another question.
    """
    return _into(expression, to)


def _into(expression: Expression, to: Type) -> Expression:
    written = expression.value if isinstance(expression, Literal) else None
    if to.kind is Kind.REAL and expression.type.kind is Kind.DECIMAL and isinstance(written, int):
        # What is written means its nearest double.  A cast divides two doubles: of 17 digits the
        # upper one is rounded already, and 0.09999999999999999 would be 0.1.
        return Literal(nearest(Fraction(written, 10**expression.type.scale)), to)
    made = cast(expression, to)
    if _is_null(made) and _plain_text(expression) and to.kind is Kind.TIMESTAMP:
        made = cast(cast(expression, Type(Kind.DATE)), to)
    if _is_null(made) and _plain_text(expression):
        assert isinstance(expression, Literal)
        raise ExpressionError(
            f"{str(expression.value)[:40]!r} is not a {to}.",
            remedy="Write dates as '2026-01-31' and timestamps as '2026-01-31 23:59:59'.",
        )
    return made


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def columns_of(expression: Expression) -> Iterator[Column]:
    """Every column an expression reads, as often as it reads it."""
    if isinstance(expression, Ref):
        yield expression.column
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from columns_of(argument)


def substitute(expression: Expression, by_name: Mapping[str, Expression]) -> Expression:
    """An expression over other columns: each name replaced by what it stands for."""
    match expression:
        case Ref(column):
            return by_name.get(column.name, expression)
        case Call(name, arguments, kind):
            return call(name, *(substitute(a, by_name) for a in arguments), type=kind)
    return expression


def _refuse_broken_text(text: str) -> None:
    if is_broken(text):
        raise ExpressionError(
            "a text holds a character that no table can: NUL or half of a surrogate pair.",
            remedy="Leave the character out.",
        )


def require_known(expression: Expression, columns: Iterable[Column]) -> None:
    """Refuse an expression that reads a column other than these, which are those of a relation."""
    if isinstance(expression, Call) and expression.released:
        raise ExpressionError(
            "this function is computed of released values only.",
            remedy="Use it on aggregates: EXP(AVG(x)).",
        )
    held = {column.name: column for column in columns}
    for column in columns_of(expression):
        if held.get(column.name) != column:
            raise ExpressionError(
                f"column {column.name!r} is not one of the relation it is used on, or has other facts there.",
                remedy="Take columns from the relation itself: Ref(rows.columns[0]).",
            )
