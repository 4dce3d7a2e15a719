"""Aggregates of SQL as statistics of the plan, and what is computed from them after the release.

Several quantiles can stand in one word: QUANTILE_CONT(x, [0.1, 0.5, 0.9]) is a column for each
level.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from shoal.plan import (
    BOOLEAN,
    INTEGER,
    SYMMETRIC,
    Aggregate,
    Expression,
    Key,
    Literal,
    Ref,
    Statistic,
    call,
    cast,
    counted_by,
    known_together,
    number_of,
    text_of,
)
from shoal.sql.distinct_tuples import joined
from shoal.sql.expressions import Translator
from shoal.sql.functions import AGGREGATES
from shoal.sql.question_text import Text
from shoal.sql.scope import Scope, translator
from shoal.sql.windows import Windows

_SIMPLE = {
    "Sum": Statistic.SUM,
    "Avg": Statistic.MEAN,
    "Variance": Statistic.VARIANCE,
    "VariancePop": Statistic.VARIANCE_POPULATION,
    "Stddev": Statistic.DEVIATION,
    "StddevSamp": Statistic.DEVIATION,
    "StddevPop": Statistic.DEVIATION_POPULATION,
    "Min": Statistic.LEAST,
    "Max": Statistic.GREATEST,
    "Skewness": Statistic.SKEWNESS,
    "Kurtosis": Statistic.KURTOSIS,
    "ApproxDistinct": Statistic.COUNT_DISTINCT,
}
_PAIRS = {
    "CovarPop": Statistic.COVARIANCE_POPULATION,
    "CovarSamp": Statistic.COVARIANCE,
    "Corr": Statistic.CORRELATION,
    "RegrSlope": Statistic.SLOPE,
    "RegrIntercept": Statistic.INTERCEPT,
    "RegrR2": Statistic.DETERMINATION,
    "RegrSxy": Statistic.COVARIANCE_POPULATION,
}
_ONE_OF_TWO = {
    "RegrCount": (Statistic.COUNT, 0),
    "RegrAvgy": (Statistic.MEAN, 0),
    "RegrAvgx": (Statistic.MEAN, 1),
    "RegrSyy": (Statistic.VARIANCE_POPULATION, 0),
    "RegrSxx": (Statistic.VARIANCE_POPULATION, 1),
}
"""Statistics of one of two arguments, where both are known."""
_TIMES_ROWS = ("RegrSxx", "RegrSyy", "RegrSxy")
"""Sums of squares and products about the mean: a variance or a covariance times the number of rows.
"""


class _Asked(NamedTuple):
    """An aggregate without its name."""

    statistic: Statistic
    argument: Expression | None = None
    level: Fraction | None = None
    other: Expression | None = None


@dataclass
class Gathered:
    """The keys of a question and the aggregates found so far."""

    scope: Scope
    text: Text
    keys: tuple[Key, ...]
    named: dict[str, Expression] = field(default_factory=dict)
    found: list[Aggregate] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    windows: Windows | None = None
    _aggregated: set[int] = field(default_factory=set)
    _unresolved: set[int] = field(default_factory=set)

    def after(self, node: Any, name: str | None = None) -> Expression:
        """A node of SELECT, HAVING or ORDER BY as an expression over released values.

        ``name`` is what the node is called, if it is an aggregate by itself.
        """
        self._aggregated |= _holders(node, lambda part: type(part).__name__ in AGGREGATES)
        self._unresolved |= _holders(node, self._is_unresolved)
        outermost = node
        while type(outermost).__name__ == "Paren":
            outermost = outermost.this

        def resolve(part: Any) -> Expression | None:
            return self._resolve(part, name if part is outermost else None)

        return Translator(self.text, resolve, released=True).of(node)

    def _resolve(self, node: Any, name: str | None) -> Expression | None:
        kind = type(node).__name__
        if kind == "Window" and self.windows is not None:
            return self.windows.of(node, self.after)
        if kind in AGGREGATES:
            with self.text.at(node):
                return self._released(node, name)
        if id(node) in self._aggregated:
            return None
        key = self._key(node)
        if key is not None:
            return Ref(key.column)
        if kind == "Column" and type(node.this).__name__ == "Identifier":
            alias = self.alias(node)
            if alias is not None:
                return alias
            self.scope.resolve(node, self.text)
            raise self.text.refused(
                node,
                f"the column {node.this.name!r} is neither grouped by nor aggregated.",
                self._remedy_for_column(node.this.name),
            )
        return None

    def _remedy_for_column(self, name: str) -> str:
        if not self.keys:
            return "Group by it and count: SELECT x, COUNT(*) AS n FROM t GROUP BY x."
        listed = ", ".join([*(key.name for key in self.keys), name])
        return f"Write GROUP BY {listed}, or aggregate it: COUNT(DISTINCT {name})."

    def alias(self, node: Any) -> Expression | None:
        """What a bare name stands for among the columns of the answer."""
        if type(node).__name__ != "Column" or node.args.get("table"):
            return None
        identifier = node.this
        for name, expression in self.named.items():
            exact = identifier.args.get("quoted")
            if name == identifier.name or (not exact and name.lower() == identifier.name.lower()):
                return expression
        return None

    def _is_unresolved(self, node: Any) -> bool:
        return type(node).__name__ == "Column" and len(self.scope.find(node)) != 1

    @cached_property
    def _rows(self) -> Translator:
        """One translator for every part that may be a key: a part of a part is translated once."""
        return translator(self.scope, self.text, once=True)

    def _key(self, node: Any) -> Key | None:
        if not self.keys or type(node).__name__ in ("Literal", "Var", "Identifier", "Star"):
            return None
        if id(node) in self._unresolved:
            return None
        expression = self._rows.of(node)
        return next((key for key in self.keys if key.expression == expression), None)

    def _released(self, node: Any, name: str | None) -> Expression:
        """An aggregate, or what is computed from two, as an expression over released values."""
        asked, inner = self._read(node), node.this if type(node).__name__ == "Filter" else node
        written = node.sql(dialect="duckdb").lower()
        if type(inner).__name__ not in _TIMES_ROWS:
            return Ref(self._aggregate(asked, name, written).column)
        assert asked.argument is not None
        rows = asked.argument
        if asked.other is not None:
            rows = counted_by(asked.argument, asked.other)
        each = self._aggregate(asked, None, f"{written} per row")
        count = self._aggregate(_Asked(Statistic.COUNT, rows), None, f"rows of {written}")
        return call("multiply", Ref(each.column), Ref(count.column))

    def _aggregate(self, asked: _Asked, name: str | None, written: str) -> Aggregate:
        for known in self.found:
            if (known.statistic, known.argument, known.level, known.other) == asked:
                return known
        label = name or written
        taken = self.names | {key.name for key in self.keys} | {a.name for a in self.found}
        if name is None or name in {a.name for a in self.found}:
            while label in taken:
                label += "'"
        made = Aggregate(label, *asked)
        self.found.append(made)
        return made

    def _read(self, node: Any, condition: Expression | None = None) -> _Asked:
        kind, rows = type(node).__name__, translator(self.scope, self.text)
        if kind == "Filter":
            self.text.only(node, "this", "expression")
            return self._read(node.this, rows.of(node.expression.this))
        if kind == "Count":
            return _Asked(*self._count(node, condition))
        if kind == "CountIf":
            return _Asked(Statistic.COUNT, _where(_where(_one(), rows.of(node.this)), condition))
        if kind == "Median":
            half = Fraction(1, 2)
            return _Asked(Statistic.QUANTILE, _where(rows.of(node.this), condition), half)
        if kind == "WithinGroup":
            return self._within_group(node, condition)
        if kind in QUANTILES:
            self.text.only(node, "this", "expression", "quantile")
            level = node.args.get("quantile") or node.args.get("expression")
            argument = _where(rows.of(node.this), condition)
            return _Asked(Statistic.QUANTILE, argument, self._level(level, node))
        if kind in _SIMPLE:
            self.text.only(node, "this")
            self._not_distinct(node)
            argument = rows.of(node.this)
            if _SIMPLE[kind] is not Statistic.COUNT_DISTINCT:
                argument = _number_of(argument)
            return _Asked(_SIMPLE[kind], _where(argument, condition))
        if kind in _PAIRS or kind in _ONE_OF_TWO:
            return self._pair(node, condition)
        raise self.text.refused(node, "this aggregate is not answered.", "Use COUNT, SUM, AVG, ...")

    def _not_distinct(self, node: Any) -> None:
        if type(node.this).__name__ == "Distinct":
            raise self.text.refused(
                node,
                "only COUNT takes DISTINCT.",
                "Write COUNT(DISTINCT x), or leave DISTINCT out.",
            )

    def _pair(self, node: Any, condition: Expression | None) -> _Asked:
        """A statistic of y and x, or of one of them, over the rows in which both are known."""
        self.text.only(node, "this", "expression")
        self._not_distinct(node)
        kind, rows = type(node).__name__, translator(self.scope, self.text)
        own = _where(_number_of(rows.of(node.this)), condition)
        other = _number_of(rows.of(node.expression))
        if kind in _ONE_OF_TWO:
            statistic, at = _ONE_OF_TWO[kind]
            if statistic is Statistic.COUNT:
                return _Asked(statistic, counted_by(own, other))
            return _Asked(statistic, known_together(own, other)[at])
        if _PAIRS[kind] in SYMMETRIC:
            own, other = sorted((own, other), key=text_of)
        return _Asked(_PAIRS[kind], own, None, other)

    def _within_group(self, node: Any, condition: Expression | None) -> _Asked:
        ordered = node.expression.expressions
        if type(node.this).__name__ not in QUANTILES or len(ordered) != 1:
            raise self.text.refused(
                node, "WITHIN GROUP belongs to PERCENTILE_CONT.", "Write QUANTILE_CONT(x, 0.5)."
            )
        level = self._level(node.this.this, node)
        argument = translator(self.scope, self.text).of(ordered[0].this)
        level = 1 - level if ordered[0].args.get("desc") else level
        return _Asked(Statistic.QUANTILE, _where(argument, condition), level)

    def _level(self, node: Any, whole: Any) -> Fraction:
        if type(node).__name__ == "Array":
            raise self.text.refused(
                whole,
                "a list of levels makes several columns, so it stands by itself in SELECT.",
                "Give it an item of its own, or one level: QUANTILE_CONT(x, 0.5).",
            )
        made = translator(self.scope, self.text).of(node) if node is not None else None
        place = number_of(made.value, made.type) if isinstance(made, Literal) else None
        if place is None:
            raise self.text.refused(
                whole,
                "a quantile needs a constant level from 0 to 1.",
                "Write QUANTILE_CONT(x, 0.5).",
            )
        return Fraction(place).limit_denominator(10**9)

    def _count(
        self, node: Any, condition: Expression | None
    ) -> tuple[Statistic, Expression | None]:
        self.text.only(node, "this")
        rows, inner = translator(self.scope, self.text), node.this
        if inner is None or type(inner).__name__ == "Star":
            if condition is None:
                return Statistic.COUNT_ROWS, None
            return Statistic.COUNT, _where(_one(), condition)
        if type(inner).__name__ == "Distinct" and not inner.expressions:
            raise self.text.unreadable(
                self.text.start_of(node),
                "COUNT(DISTINCT) needs a column.",
                "Name a column, COUNT(DISTINCT x), or write COUNT(*).",
            )
        if type(inner).__name__ != "Distinct":
            return Statistic.COUNT, _where(rows.of(inner), condition)
        parts, is_tuple = inner.expressions, False
        if len(parts) == 1 and type(parts[0]).__name__ in ("Tuple", "Paren"):
            is_tuple = type(parts[0]).__name__ == "Tuple"
            parts = parts[0].expressions or [parts[0].this]
        listed = [rows.of(part) for part in parts]
        person = {e.column.person for e in listed if isinstance(e, Ref)} - {None}
        whole = len(person) == len(listed) == len(self.scope.rows.person)
        if whole and condition is None and not any(e.nullable and self._one_null() for e in listed):
            return Statistic.COUNT_PERSONS, None
        value = listed[0] if len(listed) == 1 else joined(listed, with_nulls=is_tuple)
        if value is None:
            raise self.text.refused(
                node,
                "COUNT(DISTINCT ...) of several columns takes texts, whole numbers, dates and conditions.",
                "Count one column, or cast: CAST(x AS INTEGER).",
            )
        return Statistic.COUNT_DISTINCT, _where(value, condition)

    def _one_null(self) -> bool:
        """Whether rows without a key count as one person, whom COUNT(DISTINCT key) would not
        count.
        """
        return getattr(self.scope.rows.protects, "nulls", "drop") == "one"


def _holders(tree: Any, wanted: Callable[[Any], bool]) -> set[int]:
    """The nodes of a tree that are wanted or hold one that is, each visited once."""
    found: set[int] = set()
    for node in tree.walk():
        if wanted(node):
            above = node
            while above is not None and id(above) not in found:
                found.add(id(above))
                above = above.parent if above is not tree else None
    return found


def _one() -> Expression:
    return Literal(1, INTEGER)


def _number_of(argument: Expression) -> Expression:
    """An argument to add up: true counts as 1 and false as 0."""
    return cast(argument, INTEGER) if argument.type == BOOLEAN else argument


def _where(argument: Expression, condition: Expression | None) -> Expression:
    """An argument that is NULL, and so not aggregated, where a condition does not hold."""
    if condition is None:
        return argument
    return call("case", condition, argument, Literal(None, argument.type))


QUANTILES = ("Quantile", "PercentileCont", "PercentileDisc", "ApproxQuantile")
"""How the tree calls quantiles with a level."""

_SHORT = re.compile(r"(\d{1,3}\.?|\d?\.\d{1,9})(e-\d)?", re.ASCII | re.IGNORECASE)


def spelled_out(item: Any, text: Text) -> list[Any]:
    """An item of SELECT, or one for each level if it is a quantile with a list of them.

    A name gets the level in percent: ``x`` becomes ``x_10``, ``x_50``, and ``x_99_9`` at 0.999.
    """
    levels = _list_in(item)
    if levels is None:
        return [item]
    if not levels.expressions:
        raise text.refused(item, "the list of levels is empty.", "Write QUANTILE_CONT(x, [0.5]).")
    made = []
    for level in levels.expressions:
        one = item.copy()
        place = _list_in(one)
        assert place is not None
        place.replace(level.copy())
        name = one.args.get("alias")
        if name is not None:
            name.set("this", f"{name.name}_{_percent(level, text)}")
        made.append(one)
    return made


def _list_in(item: Any) -> Any | None:
    """The list of levels, where an item is a quantile that has one."""
    node = item.this if type(item).__name__ == "Alias" else item
    while type(node).__name__ in ("Paren", "Filter"):
        node = node.this
    parts: tuple[str, ...] = ("quantile", "expression")
    if type(node).__name__ == "WithinGroup":
        node, parts = node.this, ("this",)
    if type(node).__name__ not in QUANTILES:
        return None
    found = (node.args.get(part) for part in parts)
    return next((each for each in found if type(each).__name__ == "Array"), None)


def _percent(level: Any, text: Text) -> str:
    percent = Decimal(level.name).scaleb(2) if _SHORT.fullmatch(level.name) else Decimal(-1)
    if not 0 <= percent <= 100:
        raise text.refused(
            level,
            "a quantile needs constant levels from 0 to 1, with few digits.",
            "Write QUANTILE_CONT(x, [0.1, 0.5, 0.9]).",
        )
    return f"{percent.normalize():f}".replace(".", "_")
