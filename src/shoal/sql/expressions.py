"""Expressions of SQL as expressions of the plan, function by function from an allow-list."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from shoal.errors import ExpressionError
from shoal.exact import DECIMAL
from shoal.plan import BOOLEAN, DATE, INTEGER, REAL, TEXT, Expression, Literal, call, cast, decimal
from shoal.plan.expression import moment_written
from shoal.plan.functions.dates import PARTS
from shoal.plan.types import LARGEST_SCALE, LEAST_INTEGER, MOST_INTEGER, Type, finite, nearest
from shoal.sql.composed_nodes import MoreNodes
from shoal.sql.date_words import borders, start
from shoal.sql.functions import (
    BINARY,
    BY_NAME,
    KNOWN,
    PARTS_BY_CLASS,
    REASONS,
    REASONS_BY_NAME,
    RELEASED_BY_CLASS,
    UNARY,
    type_of,
)
from shoal.sql.node_parts import READ
from shoal.sql.pattern_words import PatternNodes
from shoal.sql.question_text import Text
from shoal.sql.question_text import nearest as nearest_names

_POWERS = range(1, 9)
"""Powers that are products, so that every engine computes them alike."""

Resolve = Callable[[Any], Expression | None]


class Translator(MoreNodes, PatternNodes):
    """Translates expression nodes; ``resolve`` is asked first about every node.

    ``released`` says that the values are public by then, so that functions may be used on which
    engines disagree.
    """

    def __init__(
        self,
        text: Text,
        resolve: Resolve,
        seen: dict[int, tuple[Any, Expression]] | None = None,
        *,
        released: bool = False,
    ) -> None:
        self.text = text
        self.resolve = resolve
        self.seen = seen
        self.released = released

    def of(self, node: Any) -> Expression:
        """The expression that a node means; one that was seen, where that is remembered, is not
        read again.
        """
        if self.seen is None:
            return self._of(node)
        if id(node) not in self.seen:
            self.seen[id(node)] = node, self._of(node)
        return self.seen[id(node)][1]

    def _of(self, node: Any) -> Expression:
        if not hasattr(node, "walk"):
            raise self.text.unreadable(None, "an operand is missing.")
        found = self.resolve(node)
        if found is not None:
            return found
        kind = type(node).__name__
        with self.text.at(node):
            if kind in BINARY:
                self.text.only(node, "this", "expression")
                return self.binary(kind, node)
            if kind in UNARY:
                self.text.only(node, "this")
                return call(UNARY[kind], self.of(node.this))
            if kind in PARTS_BY_CLASS:
                self.text.only(node, "this")
                return self.part_of(PARTS_BY_CLASS[kind], node.this)
            if self.released and kind in RELEASED_BY_CLASS:
                return call(RELEASED_BY_CLASS[kind], *self.operands(node))
            method = getattr(self, f"of_{kind.lower()}", None)
            if method is not None:
                self.text.only(node, "negate", *READ[kind])
                return self.negated(node, method(node))
        raise self.unknown(node)

    def negated(self, node: Any, made: Expression) -> Expression:
        """The opposite, if a node says NOT itself, as NOT LIKE does."""
        return call("not", made) if node.args.get("negate") else made

    def unknown(self, node: Any) -> Exception:
        """What cannot be translated, with the reason if there is one, or the nearest names."""
        if type(node).__name__ in ("IgnoreNulls", "RespectNulls"):
            node = node.this if type(node.this).__name__ in REASONS else node
        if type(node).__name__ == "Column" and node.is_star:  # t.*
            node = node.this
        kind = type(node).__name__
        name = self.text.word_of(node) or getattr(node, "sql_name", lambda: kind)()
        reason = REASONS.get(kind) or REASONS_BY_NAME.get(str(name).lower())
        if reason is not None:
            problem, remedy = reason
            return self.text.refused(node, problem.replace("{name}", str(name).upper()), remedy)
        if not isinstance(node, _function_class()):
            return self.text.refused(
                node,
                f"{kind} is not part of the row language.",
                "See docs/questions.md for what is.",
            )
        return self.text.unknown(
            node,
            f"there is no function {str(name)[:60]!r} here.",
            nearest_names(str(name), KNOWN, most=len(KNOWN)),
        )

    def operands(self, node: Any) -> list[Expression]:
        """What stands in the parentheses of a function of one or two numbers."""
        self.text.only(node, "this", "expression")
        parts = (node.this, node.args.get("expression"))
        return [self.of(part) for part in parts if part is not None]

    def of_pow(self, node: Any) -> Expression:
        """POWER(x, 2) is x * x; of released values any power is computed."""
        base, power = self.operands(node)
        if self.released:
            return call("power", base, power)
        times = power.value if isinstance(power, Literal) and power.type == INTEGER else None
        if not isinstance(times, int) or times not in _POWERS:
            raise self.text.refused(node, *REASONS["Pow"])
        made = base
        for _ in range(times - 1):
            made = call("multiply", made, base)
        return made

    def binary(self, kind: str, node: Any) -> Expression:
        if kind in ("Add", "Sub"):
            return self.sum_or_shift(kind, node)
        left, right = self.of(node.this), self.of(node.expression)
        made = call(BINARY[kind], left, right)
        return call("not", made) if kind == "NullSafeNEQ" else made

    def sum_or_shift(self, kind: str, node: Any) -> Expression:
        left = self.of(node.this)
        if type(node.expression).__name__ == "Interval" and left.type.temporal:
            return self.shifted(left, node.expression, -1 if kind == "Sub" else 1)
        right = self.of(node.expression)
        if kind == "Sub" and left.type.temporal:
            shifts = right.type == INTEGER
            return (
                call("add_days", left, call("negate", right))
                if shifts
                else call("days_between", left, right)
            )
        if left.type.temporal or right.type.temporal:
            return call("add_days", *((left, right) if left.type.temporal else (right, left)))
        return call(BINARY[kind], left, right)

    # leaves

    def of_literal(self, node: Any) -> Expression:
        return Literal(node.name, TEXT) if node.is_string else number(node.name)

    def of_boolean(self, node: Any) -> Expression:
        return Literal(bool(node.this), BOOLEAN)

    def of_null(self, _: Any) -> Expression:
        return Literal(None, BOOLEAN)

    def of_paren(self, node: Any) -> Expression:
        return self.of(node.this)

    # logic and choice

    def of_is(self, node: Any) -> Expression:
        operand, other = self.of(node.this), type(node.expression).__name__
        self.text.only(node.expression, "this")
        if other == "Null":
            return call("is_null", operand)
        if other == "Boolean":
            return call("same", operand, Literal(bool(node.expression.this), BOOLEAN))
        raise self.text.refused(node, "IS takes NULL, TRUE or FALSE.", "Write x = y.")

    def of_in(self, node: Any) -> Expression:
        query, public = node.args.get("query"), self.text.subqueries
        if query is not None and public is not None:
            found: Expression | None = public.listed(self.of(node.this), query)
            if found is not None:
                return found
        if query is not None:
            raise self.text.refused(
                node,
                "IN with a sub-query is not answered.",
                "Join to a public table, or list the values.",
            )
        return call("in", self.of(node.this), *map(self.of, node.expressions))

    def of_subquery(self, node: Any) -> Expression:
        public = self.text.subqueries
        found: Expression | None = None if public is None else public.scalar(node.this)
        if found is None:
            raise self.unknown(node)
        return found

    def of_exists(self, node: Any) -> Expression:
        public = self.text.subqueries
        found: Expression | None = None if public is None else public.exists(node, self.of)
        if found is None:
            raise self.unknown(node)
        return found

    def of_between(self, node: Any) -> Expression:
        return call("between", *map(self.of, (node.this, node.args["low"], node.args["high"])))

    def of_like(self, node: Any) -> Expression:
        return call("like", self.of(node.this), self.of(node.expression))

    def of_ilike(self, node: Any) -> Expression:
        parts = (call("lower", self.of(part)) for part in (node.this, node.expression))
        return call("like", *parts)

    def of_escape(self, node: Any) -> Expression:
        like = node.this
        if type(like).__name__ not in ("Like", "ILike"):
            raise self.text.refused(node, "ESCAPE belongs to LIKE.", "Leave it out.")
        self.text.only(like, "negate", *READ["Like"])
        parts = [self.of(like.this), self.of(like.expression)]
        if type(like).__name__ == "ILike":
            parts = [call("lower", part) for part in parts]
        return self.negated(like, call("like", *parts, self.of(node.expression)))

    def of_case(self, node: Any) -> Expression:
        subject = self.of(node.this) if node.this is not None else None
        parts: list[Expression] = []
        for branch in node.args.get("ifs") or []:
            self.text.only(branch, "this", "true")
            condition = self.of(branch.this)
            parts += [
                call("eq", subject, condition) if subject else condition,
                self.of(branch.args["true"]),
            ]
        default = node.args.get("default")
        return call(
            "case", *parts, self.of(default) if default is not None else Literal(None, BOOLEAN)
        )

    def of_if(self, node: Any) -> Expression:
        other = node.args.get("false")
        otherwise = self.of(other) if other is not None else Literal(None, BOOLEAN)
        return call("case", self.of(node.this), self.of(node.args["true"]), otherwise)

    def of_coalesce(self, node: Any) -> Expression:
        return call("coalesce", *self.listed(node))

    def of_least(self, node: Any) -> Expression:
        return call("least", *self.listed(node))

    def of_greatest(self, node: Any) -> Expression:
        return call("greatest", *self.listed(node))

    def listed(self, node: Any) -> list[Expression]:
        return [self.of(part) for part in (node.this, *node.expressions) if part is not None]

    # casts, numbers and bins

    def of_cast(self, node: Any) -> Expression:
        """CAST and DATE '...': a constant that cannot be read as a date is refused."""
        return _as_written(self.of(node.this), self._cast_to(node))

    def of_trycast(self, node: Any) -> Expression:
        return cast(self.of(node.this), self._cast_to(node))

    def _cast_to(self, node: Any) -> Type:
        kind = type_of(node.args["to"])
        if kind is None:
            raise self.text.refused(
                node,
                f"there is no type {node.args['to'].sql()[:40]} here.",
                "Cast to INTEGER, DOUBLE, DECIMAL(18, s), TEXT, BOOLEAN, DATE or TIMESTAMP.",
            )
        return kind

    def of_date(self, node: Any) -> Expression:
        return _as_written(self.of(node.this), DATE)

    def of_round(self, node: Any) -> Expression:
        digits = node.args.get("decimals")
        return call("round", self.of(node.this), *([self.of(digits)] if digits is not None else []))

    def of_widthbucket(self, node: Any) -> Expression:
        names = ("this", "min_value", "max_value", "num_buckets")
        return call("width_bucket", *(self.of(node.args[n]) for n in names if node.args.get(n)))

    # text

    def of_substring(self, node: Any) -> Expression:
        names = ("this", "start", "length")
        return call("substring", *(self.of(node.args[n]) for n in names if node.args.get(n)))

    def of_concat(self, node: Any) -> Expression:
        empty = Literal("", TEXT)
        made: Expression = empty
        for part in node.expressions:
            made = call("concat", made, call("coalesce", cast(self.of(part), TEXT), empty))
        return made

    def of_replace(self, node: Any) -> Expression:
        names = ("this", "expression", "replacement")
        return call("replace", *(self.of(node.args[n]) for n in names if node.args.get(n)))

    # dates

    def of_extract(self, node: Any) -> Expression:
        return self.part_of(node.this.name.lower(), node.expression)

    def of_timestamptrunc(self, node: Any) -> Expression:
        return start(str(node.args["unit"].name).lower(), self.of(node.this))

    of_datetrunc = of_timestamptrunc

    def of_datediff(self, node: Any) -> Expression:
        later, earlier = self.of(node.this), self.of(node.expression)
        match str(node.args.get("unit") or "DAY").upper():
            case "HOUR" | "MINUTE" | "SECOND" as unit:
                return call("subtract", borders(unit, later), borders(unit, earlier))
            case "DAY":
                return call("days_between", later, earlier)
            case "YEAR":
                return call("subtract", _part("year", later), _part("year", earlier))
            case "MONTH":
                return call("subtract", _months(later), _months(earlier))
        raise self.text.refused(
            node,
            "dates differ by seconds, minutes, hours, days, months or years.",
            "Write DATE_DIFF('day', a, b).",
        )

    # functions sqlglot does not know

    def of_anonymous(self, node: Any) -> Expression:
        name, parts = node.name.lower(), node.expressions
        if name in ("date_sub", "datesub") and len(parts) == 3:
            return self.full_units(node, *parts)
        if name in ("date_part", "datepart") and len(parts) == 2:
            return self.part_of(
                self.constant_text(parts[0], "the part of a date").lower(), parts[1]
            )
        if name in ("yearweek", "isoyear", "century", "decade", "millennium") and len(parts) == 1:
            return self.part_of(name, parts[0])
        if name not in BY_NAME or name in ("cast", "case", "in", "and", "or", "not"):
            raise self.unknown(node)
        return self.of_named(BY_NAME[name], [self.of(part) for part in node.expressions])

    def of_named(self, name: str, parts: list[Expression]) -> Expression:
        return call(name, *parts)


def _function_class() -> type:
    from sqlglot.expressions import Func  # noqa: PLC0415 - heavy

    return Func


def _part(name: str, moment: Expression) -> Expression:
    assert name in PARTS
    return call("date_part", Literal(name, TEXT), moment)


def _months(moment: Expression) -> Expression:
    years = call("multiply", _part("year", moment), Literal(12, INTEGER))
    return call("add", years, _part("month", moment))


_NUMBER = re.compile(DECIMAL)
_FURTHEST = 400
"""Doubles reach from 1e-324 to 1e308; further numbers are not written out."""


def number(written: str) -> Literal:
    """A number as SQL has it: whole, with a point exact, with an exponent or too long a real."""
    if len(written) > 400:
        raise ExpressionError("a number has too many digits.", remedy="Write it with an exponent.")
    if _NUMBER.fullmatch(written) is None:
        raise ExpressionError("this is not a number.", remedy="Write 12, 1.5 or 1e-3.")
    try:
        exact = Decimal(written)
    except ArithmeticError:
        exact = Decimal("Infinity")  # an exponent of more digits than a Decimal holds
    if not exact.is_finite() or abs(exact.adjusted()) > _FURTHEST:
        raise ExpressionError(
            f"a number is beyond 1e{_FURTHEST} or closer to 0 than 1e-{_FURTHEST}.",
            remedy="Write one of a size that can matter.",
        )
    exponent = exact.as_tuple().exponent
    scale = -exponent if isinstance(exponent, int) else 0
    units = exact.scaleb(scale) if scale >= 0 else exact
    plain = "e" not in written.lower() and 0 <= scale <= LARGEST_SCALE
    if plain and LEAST_INTEGER <= int(units) <= MOST_INTEGER:
        return Literal(int(units), decimal(scale))
    size = finite(nearest(Fraction(exact)))
    if size is None:
        raise ExpressionError("a number is beyond the largest real.", remedy="Write a smaller one.")
    return Literal(size, REAL)


def _as_written(expression: Expression, to: Type) -> Expression:
    """A cast; a text that stands in the question as a date or timestamp must be one."""
    text = isinstance(expression, Literal) and isinstance(expression.value, str)
    return moment_written(expression, to) if text and to.temporal else cast(expression, to)
