"""Terms of products and powers: what covariances, regressions, skewness and kurtosis are made of.

They are sums of expressions of the row language, so nothing here needs a bound, an engine or a
proof of its own: a product of two numbers within their ranges is a number with a range, and
`sum_of` adds it up as any other.  Numbers are taken about the middle of their range, where a
product is smallest, and so is its noise.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from shoal.errors import FactsError
from shoal.plan.expression import Call, Expression, Literal, call, cast
from shoal.plan.printing import text_of
from shoal.plan.terms import Term, sum_of
from shoal.plan.types import REAL, value_at


def known_together(left: Expression, right: Expression) -> tuple[Expression, Expression]:
    """Two expressions, each NULL where the other is: then their counts and sums are over the same
    rows.
    """
    return _where_known(left, right), _where_known(right, left)


def _where_known(value: Expression, other: Expression) -> Expression:
    if not other.nullable:
        return value
    return call("case", call("not", call("is_null", other)), value, Literal(None, value.type))


def counted_by(left: Expression, right: Expression) -> Expression:
    """What counts the rows in which two expressions are known: either, once each is NULL where the
    other is.

    The shorter is taken, so that most often a column counts itself; the order of the two makes no
    difference.
    """
    return min(known_together(left, right), key=_by_length)


def _by_length(expression: Expression) -> tuple[int, str]:
    text = text_of(expression)
    return len(text), text


def centre_of(argument: Expression) -> Fraction:
    """The middle that products and powers are taken about: that of the centred sum."""
    term = sum_of(argument, centred=True)
    return term.middle * term.step


def products_of(left: Expression, right: Expression) -> Term:
    """The sum of products of two expressions, each about the middle of its range.

    The order of the two makes no difference: the term is the same.
    """
    first, second = sorted((left, right), key=text_of)
    product = call("multiply", _deviation(first), _deviation(second))
    of = f"products of {text_of(first)} and {text_of(second)}"
    return replace(sum_of(_finite(product, of)), label=f"sum of {of} about their middles")


def cubes_of(argument: Expression) -> Term:
    """The sum of third powers about the middle of the range."""
    off = _deviation(argument)
    of = f"cubes of {text_of(argument)}"
    made = _finite(call("multiply", _square(off), off), of)
    return replace(sum_of(made), label=f"sum of {of} about its middle")


def fourths_of(argument: Expression) -> Term:
    """The sum of fourth powers about the middle of the range, less a constant that halves the
    bound.
    """
    square = _square(_deviation(argument))
    of = f"fourth powers of {text_of(argument)}"
    made = _finite(call("multiply", square, square), of)
    return replace(sum_of(made, centred=True), label=f"sum of {of} about its middle")


def _deviation(argument: Expression) -> Expression:
    """How far a value lies from the middle of its range, as a real; exact before that, where a
    difference cannot overflow.
    """
    middle = Literal(value_at(centre_of(argument), argument.type), argument.type)
    exact = call("subtract", argument, middle)
    if not (isinstance(exact, Call) and exact.partial):
        return cast(exact, REAL)
    return call("subtract", cast(argument, REAL), cast(middle, REAL))


def _square(off: Expression) -> Expression:
    """A square; ABS changes no value, and lets the plan see that none is negative."""
    return call("abs", call("multiply", off, off))


def _finite(made: Expression, of: str) -> Expression:
    """Refuse what can overflow: a row would then count in some totals of a statistic and not in
    others.
    """
    parts = [made]
    while parts:
        part = parts.pop()
        if isinstance(part, Call) and part.name in ("multiply", "abs"):
            if part.partial:
                raise FactsError(
                    f"the {of} can be larger than any real number.",
                    remedy="State a smaller Range, or measure in another unit.",
                )
            parts += part.arguments
    return made
