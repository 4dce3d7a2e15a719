"""A question: rows, the keys they are grouped by, what is released of each group, and what follows
from it.

Only keys and aggregates touch the data.  What stands in `After` is computed from released values
alone, so it is free: arithmetic on aggregates, HAVING, ORDER BY, LIMIT.  As a tree of lines it says
what each node does, whom it protects, and how far one row reaches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression, Literal, Ref, columns_of, require_known
from shoal.plan.facts import Column
from shoal.plan.meaning import values_of
from shoal.plan.per_person import PerPerson
from shoal.plan.printing import name_of, text_of
from shoal.plan.relation import (
    Filter,
    PersonJoin,
    Project,
    PublicJoin,
    Rows,
    Scan,
    UnionAll,
    cost_of,
)
from shoal.plan.released_steps import Keep, Levels, LookUp, Order, Step, columns_after
from shoal.plan.row_notes import per_person_act, per_person_notes, unmet_notes, within_person_act
from shoal.plan.sizes import require_little
from shoal.plan.types import BOOLEAN, DATE, INTEGER, REAL, TEXT, TIMESTAMP, Type, Value
from shoal.plan.within_person import WithinPerson


class Statistic(StrEnum):
    """What can be released of a group."""

    COUNT_ROWS = "count rows"
    COUNT = "count"
    COUNT_PERSONS = "count persons"
    COUNT_DISTINCT = "count distinct"
    SUM = "sum"
    MEAN = "mean"
    VARIANCE = "variance"
    VARIANCE_POPULATION = "population variance"
    DEVIATION = "standard deviation"
    DEVIATION_POPULATION = "population standard deviation"
    SKEWNESS = "skewness"
    KURTOSIS = "kurtosis"
    COVARIANCE = "covariance"
    COVARIANCE_POPULATION = "population covariance"
    CORRELATION = "correlation"
    SLOPE = "slope"
    INTERCEPT = "intercept"
    DETERMINATION = "coefficient of determination"
    QUANTILE = "quantile"
    LEAST = "least"
    GREATEST = "greatest"


_COUNTS = (Statistic.COUNT_ROWS, Statistic.COUNT, Statistic.COUNT_PERSONS, Statistic.COUNT_DISTINCT)
_PLACES = (Statistic.QUANTILE, Statistic.LEAST, Statistic.GREATEST)
PAIRED = (
    Statistic.COVARIANCE,
    Statistic.COVARIANCE_POPULATION,
    Statistic.CORRELATION,
    Statistic.SLOPE,
    Statistic.INTERCEPT,
    Statistic.DETERMINATION,
)
"""Statistics of two arguments, over the rows in which neither is NULL."""
_POWERS = (Statistic.SKEWNESS, Statistic.KURTOSIS)
SYMMETRIC = (*PAIRED[:3], Statistic.DETERMINATION)
"""Those of them that do not depend on the order of the two."""


def _uses(statistic: Statistic) -> int:
    """How often a row computes an argument, at most: products and powers need it in several
    terms.
    """
    return 10 if statistic in (*PAIRED, *_POWERS) else 1


@dataclass(frozen=True)
class Aggregate:
    """One number per group, under a name: a statistic, of an expression, at a level if it is a
    quantile.

    A statistic of two expressions has the second in ``other``: of the regression of y on x, y is
    the ``argument`` and x the ``other``, as in SQL.
    """

    name: str
    statistic: Statistic
    argument: Expression | None = None
    level: Fraction | None = None
    other: Expression | None = None

    def __post_init__(self) -> None:
        bare = self.statistic in (Statistic.COUNT_ROWS, Statistic.COUNT_PERSONS)
        if bare == (self.argument is not None):
            raise ExpressionError(
                f"{self.statistic} {'takes no' if bare else 'needs an'} argument.",
                remedy="Write COUNT(*) for rows, SUM(x) for a sum.",
            )
        if (self.statistic in PAIRED) != (self.other is not None):
            raise ExpressionError(
                f"{self.statistic} takes {'two arguments' if self.statistic in PAIRED else 'one argument'}.",
                remedy="Write CORR(y, x) for two columns, AVG(x) for one.",
            )
        for kind in [each.type for each in self.arguments]:
            placed = self.statistic in _PLACES and kind in (DATE, TIMESTAMP)
            if self.statistic not in _COUNTS and not kind.numeric and not placed:
                raise ExpressionError(
                    f"the {self.statistic} of a {kind} is not defined.",
                    remedy="Give it a number, or cast: CAST(x AS INTEGER).",
                )
        if (self.statistic is Statistic.QUANTILE) != (self.level is not None) or (
            self.level is not None and not 0 <= self.level <= 1
        ):
            raise ExpressionError(
                "a quantile, and nothing else, has a level from 0 to 1.",
                remedy="Write QUANTILE_CONT(x, 0.5).",
            )

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """What it is computed of: nothing, one expression or two."""
        return tuple(each for each in (self.argument, self.other) if each is not None)

    @property
    def type(self) -> Type:
        """The type of what is released."""
        if self.statistic in _COUNTS:
            return INTEGER
        assert self.argument is not None
        kind = self.argument.type
        return kind if kind.temporal or self.statistic is Statistic.SUM else REAL

    @property
    def column(self) -> Column:
        """The column that stands for it in what follows."""
        return Column(self.name, self.type, nullable=True)

    def __str__(self) -> str:
        of = f" of {' and '.join(map(text_of, self.arguments))}" if self.arguments else ""
        at = "" if self.level is None else f" at {self.level}"
        return f"{self.statistic}{of}{at} AS {name_of(self.name)}"


@dataclass(frozen=True)
class Listed:
    """The values of a key are known from facts: these, and NULL if ``null``."""

    values: tuple[Value, ...]
    null: bool = True


@dataclass(frozen=True)
class FromTable:
    """The values of a key are those of a column of a public table, and NULL if ``null``."""

    table: str
    column: str
    null: bool = True


@dataclass(frozen=True)
class Selected:
    """The values of a key are private: which of them appear has to be selected, at a cost."""


Known = Listed | FromTable | Selected
"""How the values of a key come to be known."""


@dataclass(frozen=True)
class Key:
    """What rows are grouped by, under a name, and how its values come to be known."""

    name: str
    expression: Expression
    known: Known = field(default_factory=Selected)

    @property
    def column(self) -> Column:
        """The column that stands for it in what follows."""
        text = self.expression.type == TEXT
        longest = self.expression.length if text else None
        return Column(self.name, self.expression.type, nullable=True, longest=longest)

    def __str__(self) -> str:
        match self.known:
            case Listed(values, null):
                how = f"{len(values)} known values{' and NULL' if null else ''}"
            case FromTable(table, column, _):
                how = f"values of {name_of(table)}.{name_of(column)}"
            case Selected():
                how = "private selection"
        return f"{text_of(self.expression)} AS {name_of(self.name)} ({how})"


def known_values(expression: Expression) -> Known:
    """How the values of an expression can be known: from facts, from a public table, or not at
    all.
    """
    values = values_of(expression)
    if values is not None:
        return Listed(values, null=expression.nullable)
    if isinstance(expression, Ref) and expression.column.origin is not None:
        return FromTable(*expression.column.origin, null=expression.nullable)
    return Selected()


@dataclass(frozen=True)
class After:
    """What follows from released values: columns to show, groups to keep, their order and number.

    Expressions here refer to keys and aggregates by their names.  ``steps`` come first: each makes
    a table of the one before, and the rest is about the last.
    """

    columns: tuple[tuple[str, Expression], ...]
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    steps: tuple[Step, ...] = ()

    def expressions(self) -> list[Expression]:
        """What is computed of each row that the steps leave."""
        found = [expression for _, expression in self.columns]
        found += [order.expression for order in self.order]
        return found if self.having is None else [*found, self.having]


_NOTES = {
    Statistic.LEAST: "{} is a low quantile, some ranks inside: the least value itself is somebody's.",
    Statistic.GREATEST: "{} is a high quantile, some ranks inside: the greatest value itself is somebody's.",
}

_FILLED = (
    "{} counts a missing value as a number: LEAST and GREATEST pass over NULL. "
    "To leave missing values out, write CASE WHEN x IS NOT NULL THEN ... END."
)


def _fills_null(expression: Expression) -> bool:
    """Whether LEAST or GREATEST puts a constant in the place of NULL; what stands in CASE is
    meant.
    """
    if not isinstance(expression, Call) or expression.name == "case":
        return False
    parts = expression.arguments
    constant = any(isinstance(part, Literal) and part.value is not None for part in parts)
    fills = expression.name in ("least", "greatest") and constant
    return (fills and any(part.nullable for part in parts)) or any(map(_fills_null, parts))


@dataclass(frozen=True)
class Query:
    """Everything that is asked of private rows at once."""

    relation: Rows
    keys: tuple[Key, ...]
    aggregates: tuple[Aggregate, ...]
    after: After

    def __post_init__(self) -> None:
        if self.relation.protects is None:
            raise ExpressionError(
                "the question reads public tables only; it needs no privacy.",
                remedy="Ask it of the public table itself.",
            )
        for key in self.keys:
            require_known(key.expression, self.relation.columns)
        for aggregate in self.aggregates:
            for argument in aggregate.arguments:
                require_known(argument, self.relation.columns)
        self._check_cost()
        self._check_after()

    def _check_cost(self) -> None:
        """Every plan has a public bound on its work per row."""
        asked = [key.expression for key in self.keys]
        asked += [each for a in self.aggregates for each in a.arguments * _uses(a.statistic)]
        require_little(sum((each.cost for each in asked), cost_of(self.relation)))

    def _check_after(self) -> None:
        released = [key.column for key in self.keys] + [a.column for a in self.aggregates]
        if len({column.name for column in released}) < len(released):
            raise ExpressionError(
                "keys and aggregates need different names.", remedy="Name each with AS."
            )
        kept = [step.condition for step in self.after.steps if isinstance(step, Keep)]
        kept += [] if self.after.having is None else [self.after.having]
        if any(condition.type != BOOLEAN for condition in kept):
            raise ExpressionError("HAVING needs a condition.", remedy="Compare: n > 10.")
        columns = _check_steps(self.after.steps, tuple(released))
        _check_released(self.after.expressions(), columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the answer should know about some of its numbers."""
        ends = [
            _NOTES[a.statistic].format(name_of(a.name))
            for a in self.aggregates
            if a.statistic in _NOTES
        ]
        filled = [
            _FILLED.format(name_of(a.name))
            for a in self.aggregates
            if any(map(_fills_null, a.arguments))
        ]
        asked = [key.expression for key in self.keys]
        asked += [each for a in self.aggregates for each in a.arguments]
        limited = per_person_notes(self.relation)
        return (*ends, *filled, *limited, *unmet_notes(self.relation, asked))

    def explain(self) -> str:
        """The question as a tree, the last step first, and notes about what it releases."""
        lines = [
            f"show {', '.join(f'{text_of(e)} AS {name_of(n)}' for n, e in self.after.columns)}"
        ]
        if self.after.having is not None:
            lines.append(f"having {text_of(self.after.having)}")
        lines += [
            f"order by {text_of(order.expression)}{' desc' * order.descending}"
            for order in self.after.order
        ]
        if self.after.limit is not None:
            lines.append(f"limit {self.after.limit}")
        lines += [str(step) for step in reversed(self.after.steps)]
        lines += [f"release {aggregate}" for aggregate in self.aggregates]
        lines += [f"by {key}" for key in self.keys]
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, explain(self.relation), *notes])


def looked_up(question: Query) -> set[str]:
    """The public tables that are joined with released groups."""
    return {step.table for step in question.after.steps if isinstance(step, LookUp)}


def _check_steps(steps: Iterable[Step], columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Check each step against the columns before it; the columns after the last."""
    for step in steps:
        _check_released(step.expressions(), columns)
        for branch in step.branches if isinstance(step, Levels) else ():
            _check_released(branch.shown, _check_steps(branch.steps, columns))
        columns = columns_after(columns, step)
    return columns


def _check_released(parts: Iterable[Expression], columns: tuple[Column, ...]) -> None:
    """Refuse what reads anything but released columns."""
    for part in parts:
        for column in columns_of(part):
            if column not in columns:
                raise ExpressionError(
                    f"{column.name!r} is neither a key nor an aggregate.",
                    remedy="Group by it, or aggregate it.",
                )


def explain(rows: Rows) -> str:
    """A relation as a tree, the last step first.

    >>> from shoal.plan import INTEGER, Literal, Ref, Row, Table, call, column
    >>> people = Scan(Table("people", (column("age", INTEGER),), protects=Row()))
    >>> adults = Filter(people, call("ge", Ref(people.columns[0]), Literal(18, INTEGER)))
    >>> print(explain(adults))
    filter (age >= 18)  [1 row of people -> 1]
      scan people (age)  [each row; 1 row of people -> 1]
    """
    return "\n".join(_lines(rows, 0))


def _lines(rows: Rows, depth: int) -> list[str]:
    unit = f"{rows.protects}; " if isinstance(rows, Scan) and rows.protects else ""
    if unit and isinstance(rows, Scan) and rows.table.space is not None:
        unit = f"{rows.protects}, with ids of {rows.table.space}; "
    reach = ", ".join(
        f"1 row of {n} -> {'any' if k is None else k}" for n, k in rows.stability.items()
    )
    lines = [f"{'  ' * depth}{_act(rows)}  [{unit}{reach or 'public'}]"]
    for source in rows.sources:
        lines += _lines(source, depth + 1)
    return lines


def _act(rows: Rows) -> str:
    match rows:
        case Scan(table):
            return (
                f"scan {name_of(table.name)} ({', '.join(name_of(c.name) for c in rows.columns)})"
            )
        case Filter(_, condition):
            return f"filter {text_of(condition)}"
        case Project(_, named):
            return f"select {', '.join(_named(name, e) for name, e in named)}"
        case UnionAll():
            return "union all"
        case PersonJoin():
            others = "".join(f" and {text_of(a)} = {text_of(b)}" for a, b in rows.on)
            return f"{rows.kind} join of the same person{others}, at most {rows.at_most} per key"
        case PerPerson():
            return per_person_act(rows)
        case WithinPerson():
            return within_person_act(rows)
        case PublicJoin():
            pairs = " and ".join(f"{text_of(a)} = {text_of(b)}" for a, b in rows.on)
            return f"{rows.kind} join to public on {pairs}, at most {rows.at_most} per key"


def _named(name: str, expression: Expression) -> str:
    text = text_of(expression)
    return text if text == name_of(name) else f"{text} AS {name_of(name)}"
