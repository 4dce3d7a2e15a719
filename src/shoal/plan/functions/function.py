"""What every function of the row language states: its types, its meaning, its span, and how it is
written.

A function is total.  It has a value for all arguments of its types; where mathematics has none
(division by zero, overflow, a cast that does not fit) the value is NULL.  Total includes size and
work: both have public bounds.  And its value is fixed bit for bit: whole numbers are exact, and on
reals only the operations that IEEE 754 rounds correctly are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import ExpressionError, InternalError
from shoal.plan.expression import Call, Expression, Literal, in_common
from shoal.plan.facts import Span, widest
from shoal.plan.types import REAL, Kind, Type, Value, nearest

Fitted = tuple[tuple[Expression, ...], Type]
Fit = Callable[[tuple[Expression, ...], Type | None], Fitted]

LARGEST_REAL = Fraction(nearest(Fraction(2**1024 - 2**971)))


@dataclass(frozen=True)
class Function:
    """One function of the row language.

    ``fit`` checks and casts arguments and gives the type of the result; ``value`` is the meaning,
    given the call and the values of its arguments, which are not NULL if the function is strict;
    ``span`` bounds the results; ``may_be_null`` says whether NULL can come of arguments that are
    not; ``written`` is the SQL a person would write, with {0}, {1} for arguments.  ``length``
    bounds the characters of a text result; ``work`` the characters touched in one row, of its
    arguments and result; ``uses`` says how often an engine may compute an argument.
    """

    name: str
    fit: Fit
    value: Callable[..., Value]
    span: Callable[[Call], Span | None]
    may_be_null: Callable[[Call], bool]
    strict: bool
    written: str
    length: Callable[[Call], int]
    work: Callable[[Call], int]
    uses: int

    def of(self, call: Call, values: Sequence[Value]) -> Value:
        """The value of a call, given those of its arguments."""
        if self.strict and any(value is None for value in values):
            return None
        return self.value(call, *values)


FUNCTIONS: dict[str, Function] = {}
"""Every function, by the name it has in the plan."""


def no_span(call: Call) -> Span | None:
    return widest(call.type) if call.type.temporal else None


def no_length(call: Call) -> int:
    raise InternalError(
        f"{call.name} states no bound on the length of its text.", remedy="Please report it."
    )


def longest_of(parts: Sequence[Expression]) -> int:
    """The length of the longest text among these."""
    return max((part.length for part in parts), default=0)


def touched_once(call: Call) -> int:
    """Every argument is read once, and the result is written once."""
    return 1 + sum(argument.length for argument in call.arguments) + call.length


def touched_until_different(call: Call) -> int:
    """Texts are compared up to the end of the shorter one."""
    return 1 + min((argument.length for argument in call.arguments), default=0)


def never(_: Call) -> bool:
    return False


def always(_: Call) -> bool:
    return True


def function(
    name: str,
    fit: Fit,
    *,
    span: Callable[[Call], Span | None] = no_span,
    may_be_null: Callable[[Call], bool] = never,
    strict: bool = True,
    written: str = "",
    length: Callable[[Call], int] = no_length,
    work: Callable[[Call], int] = touched_once,
    uses: int = 1,
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Enter a function into the language; it decorates the function's meaning."""

    def enter(value: Callable[..., Value]) -> Callable[..., Value]:
        text = written or f"{name.upper()}({{*}})"
        FUNCTIONS[name] = Function(
            name, fit, value, span, may_be_null, strict, text, length, work, uses
        )
        return value

    return enter


def takes(*kinds: Any, result: Type, optional: int = 0) -> Fit:
    """A fit for arguments of fixed kinds: each a `Kind`, or a tuple of them."""

    def fit(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
        if not len(kinds) - optional <= len(arguments) <= len(kinds):
            raise wrong_number(len(kinds) - optional, len(arguments))
        for argument, allowed in zip(arguments, kinds, strict=False):
            require(argument, allowed if isinstance(allowed, tuple) else (allowed,))
        typed = zip(arguments, kinds, strict=False)
        return tuple(_null_as(a, k) for a, k in typed), result

    return fit


def _null_as(argument: Expression, allowed: Any) -> Expression:
    if isinstance(argument, Literal) and argument.value is None:
        kind = allowed[0] if isinstance(allowed, tuple) else allowed
        return Literal(None, Type(kind))
    return argument


def alike(arguments: tuple[Expression, ...], *, at_least: int = 1) -> Fitted:
    """Arguments cast to the one type they share."""
    if len(arguments) < at_least:
        raise wrong_number(at_least, len(arguments))
    found = in_common(*arguments)
    if found is None:
        kinds = ", ".join(str(argument.type) for argument in arguments[:4])
        raise ExpressionError(
            f"values of types {kinds} cannot be mixed here.",
            remedy="Cast one of them: CAST(x AS ...), with a type of the other.",
        )
    return found


def require(argument: Expression, kinds: tuple[Kind, ...]) -> None:
    """Refuse an argument whose kind is none of these; NULL is of every kind."""
    if isinstance(argument, Literal) and argument.value is None:
        return
    if argument.type.kind not in kinds:
        allowed = " or ".join(str(kind) for kind in kinds)
        raise ExpressionError(
            f"a value of type {allowed} is needed here; got {argument.type}.",
            remedy=f"Give a value of type {allowed}, or cast: CAST(x AS {kinds[0].upper()}).",
        )


def constant(argument: Expression, what: str) -> Value:
    """The value of an argument that must be a literal."""
    if not isinstance(argument, Literal) or argument.value is None:
        raise ExpressionError(
            f"{what} must be a constant.", remedy=f"Write {what} as a literal, not as a column."
        )
    return argument.value


def wrong_number(needed: int, got: int) -> ExpressionError:
    return ExpressionError(
        f"the function needs {needed} argument{'' if needed == 1 else 's'}; got {got}.",
        remedy="Give it the arguments that docs/questions.md lists.",
    )


NUMBERS = (Kind.INTEGER, Kind.DECIMAL, Kind.REAL)
MOMENTS = (Kind.DATE, Kind.TIMESTAMP)


def rounded(lo: Fraction, hi: Fraction, kind: Type) -> Span:
    """The span of results between two exact ends, after the rounding of their type and what fits
    it.

    Rounding is monotone, so the ends round to bounds of everything between; what does not fit is
    NULL.
    """
    if kind.kind is Kind.REAL:
        lo, hi = (Fraction(nearest(_held(end, LARGEST_REAL))) for end in (lo, hi))
        return Span(lo, hi)
    widest_span = widest(kind)
    assert widest_span is not None
    return Span(
        min(max(lo, widest_span.lo), widest_span.hi), max(min(hi, widest_span.hi), widest_span.lo)
    )


def _held(number: Fraction, size: Fraction) -> Fraction:
    return max(-size, min(size, number))


def overflows(lo: Fraction, hi: Fraction, kind: Type) -> bool:
    """Whether exact results between two ends can fall outside their type."""
    bound = Span(-LARGEST_REAL, LARGEST_REAL) if kind == REAL else widest(kind)
    return bound is None or lo < bound.lo or hi > bound.hi


def spans(call: Call) -> list[Span] | None:
    """The spans of all arguments; None if one is not known."""
    found = [argument.span for argument in call.arguments]
    return None if any(span is None for span in found) else [span for span in found if span]
