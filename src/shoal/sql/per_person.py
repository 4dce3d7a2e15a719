"""A sub-query that groups by the person: one row for each person, or for each person and key.

Counts and sums of one person have a public end: the number of rows that is declared for a person,
what the question says with LEAST and GREATEST, or else the person's share.  Sums of reals are sums of
whole steps, as everywhere, so that the order of rows makes no difference.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shoal.plan import (
    BOOLEAN,
    INTEGER,
    REAL,
    Expression,
    Filter,
    Literal,
    PerPerson,
    Person,
    PersonQuantity,
    PersonTotal,
    Project,
    Ref,
    Rows,
    call,
    cast,
    range_of,
    rows_per_key,
    substitute,
    sum_of,
    values_of,
)
from shoal.plan.types import LEAST_INTEGER, MOST_INTEGER, nearest
from shoal.sql.expressions import Translator
from shoal.sql.functions import AGGREGATES
from shoal.sql.question_text import Text
from shoal.sql.scope import Scope

PERSON_AGGREGATES = {
    "Count", "CountIf", "Sum", "Avg", "Min", "Max", "LogicalOr", "LogicalAnd", "AnyValue", "Filter",
}  # fmt: skip
_ENDS = {
    "Min": PersonQuantity.LEAST,
    "Max": PersonQuantity.GREATEST,
    "LogicalAnd": PersonQuantity.LEAST,
    "LogicalOr": PersonQuantity.GREATEST,
    "AnyValue": PersonQuantity.LEAST,
}
_COMPARED = {"GT", "GTE", "LT", "LTE", "EQ", "NEQ", "Between", "In", "Is", "NullSafeEQ"}


@dataclass(frozen=True)
class _Ends:
    """Whether a total needs a lower and an upper end of its own where it stands."""

    low: bool = True
    high: bool = True


@dataclass
class PersonItems:
    """The keys of a sub-query that groups by the person, and the totals found so far."""

    scope: Scope
    text: Text
    keys: tuple[tuple[str, Expression], ...]
    rows: Translator
    totals: list[PersonTotal] = field(default_factory=list)
    named: dict[str, Expression] = field(default_factory=dict)

    def of(self, node: Any, name: str, *, whole: Any = True) -> Expression:
        """An item of SELECT or a condition of HAVING, over the rows of persons; what stands around
        it, up to ``whole`` (by default itself), may give its totals their ends.
        """
        top = node if whole is True else whole

        def resolve(part: Any) -> Expression | None:
            return self._resolve(part, name if part is node else "", top)

        return Translator(self.text, resolve).of(node)

    @cached_property
    def _columns(self) -> dict[str, Ref]:
        made = PerPerson(self.scope.rows, self.keys, ())
        return {column.name: Ref(column) for column in made.columns}

    def _resolve(self, node: Any, name: str, whole: Any) -> Expression | None:
        kind = type(node).__name__
        if kind in PERSON_AGGREGATES:
            with self.text.at(node):
                return self._aggregate(node, name, _ends_of(node, whole))
        if kind in AGGREGATES:
            raise self.text.refused(
                node,
                "this aggregate is not computed for one person.",
                "Use COUNT, SUM, AVG, MIN, MAX, BOOL_OR or BOOL_AND in the sub-query, and this one outside of it.",
            )
        if kind in ("Literal", "Var", "Identifier", "Star"):
            return None
        if any(type(part).__name__ in PERSON_AGGREGATES for part in node.walk()):
            return None
        if kind == "Column" and not self.scope.find(node) and not node.args.get("table"):
            for alias, made in self.named.items():
                if alias.lower() == node.this.name.lower():
                    return made
        columns = [part for part in node.walk() if type(part).__name__ == "Column"]
        if columns and all(len(self.scope.find(part)) == 1 for part in columns):
            made = self.rows.of(node)
            for key_name, key in self.keys:
                if key == made:
                    return self._columns[key_name]
        if kind == "Column":
            self.scope.resolve(node, self.text)
            raise self.text.refused(
                node,
                f"the column {node.this.name!r} is neither grouped by nor aggregated.",
                "Add it to GROUP BY, or aggregate it: MIN, MAX, SUM, AVG or COUNT.",
            )
        return None

    def _aggregate(
        self, node: Any, name: str, ends: _Ends, condition: Expression | None = None
    ) -> Expression:
        kind = type(node).__name__
        if kind == "Filter":
            self.text.only(node, "this", "expression")
            return self._aggregate(node.this, name, ends, self.rows.of(node.expression.this))
        self.text.only(node, "this")
        if kind == "Count":
            return self._count(node, name, ends, condition)
        argument = self.rows.of(node.this)
        if kind == "CountIf":
            one = _where(Literal(1, INTEGER), argument)
            return self._counted(PersonQuantity.COUNT, _where(one, condition), name, ends, node)
        if kind in _ENDS:
            return self._total(PersonTotal(name, _ENDS[kind], _where(argument, condition)), node)
        if argument.type == BOOLEAN:
            argument = cast(argument, INTEGER)
        argument = _where(argument, condition)
        return (self._sum if kind == "Sum" else self._mean)(argument, name, ends, node)

    def _count(self, node: Any, name: str, ends: _Ends, condition: Expression | None) -> Expression:
        inner = node.this
        if inner is None or type(inner).__name__ == "Star":
            if condition is None:
                return self._counted(PersonQuantity.ROWS, None, name, ends, node)
            one = _where(Literal(1, INTEGER), condition)
            return self._counted(PersonQuantity.COUNT, one, name, ends, node)
        if type(inner).__name__ != "Distinct":
            argument = _where(self.rows.of(inner), condition)
            return self._counted(PersonQuantity.COUNT, argument, name, ends, node)
        if len(inner.expressions) != 1:
            raise self.text.refused(
                node, "COUNT(DISTINCT ...) of one person takes one column.", "Count one of them."
            )
        argument = _where(self.rows.of(inner.expressions[0]), condition)
        return self._counted(PersonQuantity.DISTINCT, argument, name, ends, node)

    def _counted(
        self,
        quantity: PersonQuantity,
        argument: Expression | None,
        name: str,
        ends: _Ends,
        node: Any,
    ) -> Expression:
        most = MOST_INTEGER
        listed = values_of(argument) if argument is not None else None
        if quantity is PersonQuantity.DISTINCT and listed is not None:
            most = max(1, len(listed))  # nobody has more different values than there are
        if ends.high:
            most = self._most_rows(node) if most == MOST_INTEGER else most
        return self._total(PersonTotal(name, quantity, argument, 0, most), node)

    def _sum(self, argument: Expression, name: str, ends: _Ends, node: Any) -> Expression:
        if argument.type == REAL:
            return self._real_sum(argument, name, ends, node)
        low, high = LEAST_INTEGER, MOST_INTEGER
        if argument.span is not None or ends.low or ends.high:
            unit = 10**argument.type.scale
            lo, hi = (int(end * unit) for end in range_of(argument))
            most = self._most_rows(node) if ends.low or ends.high else MOST_INTEGER
            low = _far(lo, most, least=True) if ends.low or lo >= 0 else low
            high = _far(hi, most, least=False) if ends.high or hi <= 0 else high
        return self._total(PersonTotal(name, PersonQuantity.SUM, argument, low, high), node)

    def _real_sum(self, argument: Expression, name: str, ends: _Ends, node: Any) -> Expression:
        """The sum of the nearest whole numbers of steps: adding them up has no order."""
        term = sum_of(argument)
        scaled = call("multiply", argument, Literal(float(1 / term.step), REAL))
        steps = call("floor", call("add", scaled, Literal(0.5, REAL)))
        most = self._most_rows(node) if ends.low or ends.high else MOST_INTEGER
        low = _far(term.lo, most, least=True) if ends.low or term.lo >= 0 else LEAST_INTEGER
        high = _far(term.hi, most, least=False) if ends.high or term.hi <= 0 else MOST_INTEGER
        whole = PersonTotal(name, PersonQuantity.SUM, cast(steps, INTEGER), low, high)
        total = self._total(whole, node)
        return call("multiply", cast(total, REAL), Literal(float(term.step), REAL))

    def _mean(self, argument: Expression, name: str, ends: _Ends, node: Any) -> Expression:
        free = _Ends(low=False, high=False)
        total = self._sum(argument, f"sum of {name}" if name else "", free, node)
        count = self._counted(
            PersonQuantity.COUNT, argument, f"rows of {name}" if name else "", free, node
        )
        mean = call("divide", cast(total, REAL), cast(count, REAL))
        if not (ends.low or ends.high):
            return mean
        lo, hi = (Literal(nearest(end), REAL) for end in range_of(argument))
        known = call("not", call("is_null", mean))
        held = call("least", call("greatest", mean, lo), hi)
        return call("case", known, held, Literal(None, REAL))

    def _most_rows(self, node: Any) -> int:
        """How many rows of one person count: as many as are declared, or else as their share has."""
        rows = self.scope.rows
        own = frozenset(column.name for column in rows.columns if column.person is not None)
        declared = rows_per_key(rows, own)
        if declared is not None:
            return declared
        unit = rows.protects
        assert isinstance(unit, Person)
        if unit.groups * unit.rows_per_group == 1:
            raise self.text.refused(
                node,
                "nobody has stated how many rows of one person may count here.",
                f"Write LEAST({node.sql(dialect='duckdb')}, 20) with the most that one person should count for, or "
                "protect Person(..., groups=..., rows_per_group=...).",
            )
        return unit.groups * unit.rows_per_group

    def _total(self, total: PersonTotal, node: Any) -> Ref:
        for known in self.totals:
            if (known.quantity, known.argument, known.least, known.most) == (
                total.quantity, total.argument, total.least, total.most,
            ):  # fmt: skip
                return Ref(known.column)
        taken = {name for name, _ in self.keys} | {each.name for each in self.totals}
        label = total.name or node.sql(dialect="duckdb").lower()
        while label in taken:
            label += "'"
        made = PersonTotal(label, total.quantity, total.argument, total.least, total.most)
        self.totals.append(made)
        return Ref(made.column)


def _far(end: int, rows: int, *, least: bool) -> int:
    """The end of a sum of at most so many numbers, of which there is at least one."""
    far = end * rows if (end < 0) == least else end
    return min(max(far, LEAST_INTEGER), MOST_INTEGER)


def _where(argument: Expression, condition: Expression | None) -> Expression:
    if condition is None:
        return argument
    return call("case", condition, argument, Literal(None, argument.type))


def _ends_of(node: Any, whole: Any) -> _Ends:
    """Which ends a total needs where it stands: none in a comparison, and not the one that LEAST or
    GREATEST gives it.
    """
    low = high = True
    above = node
    while above is not whole and above.parent is not None:
        above = above.parent
        kind = type(above).__name__
        if kind in _COMPARED:
            return _Ends(low=False, high=False)
        high = high and kind != "Least"
        low = low and kind != "Greatest"
    return _Ends(low, high)


def aggregated(select: Any, scope: Scope, rows: Translator, text: Text) -> Rows:
    """A sub-query that aggregates, over its rows as they were joined and filtered."""
    items = [(item.alias_or_name or item.sql(), _inner(item)) for item in select.expressions]
    keys = _keys(select, items, scope, rows, text)
    _check_person(scope, keys, select, text)
    found = PersonItems(scope, text, keys, rows)
    named = {name: found.of(node, name) for name, node in items}
    found.named = dict(named)
    having = select.args.get("having")
    condition = found.of(having.this, "") if having is not None else None
    with text.at(select):
        made: Rows = PerPerson(scope.rows, keys, tuple(found.totals))
        if condition is not None:
            made = Filter(made, condition)
        held = {column.name: Ref(column) for column in made.columns}
        return Project(made, tuple((name, substitute(e, held)) for name, e in named.items()))


def distinct(made: Rows, select: Any, text: Text) -> Rows:
    """SELECT DISTINCT: the different rows of each person."""
    named = tuple((column.name, Ref(column)) for column in made.columns)
    _check_person(Scope.of(made, ""), named, select, text)
    with text.at(select):
        return PerPerson(made, named, ())


def _inner(item: Any) -> Any:
    return item.this if type(item).__name__ == "Alias" else item


def _keys(
    select: Any, items: list[tuple[str, Any]], scope: Scope, rows: Translator, text: Text
) -> tuple[tuple[str, Expression], ...]:
    group = select.args.get("group")
    if group is None:
        return ()
    text.only(group, "expressions", "all")
    plain = [(name, node) for name, node in items if not _has_aggregate(node)]
    nodes = [node for _, node in plain] if group.args.get("all") else []
    nodes += [_meant(node, items, scope, text) for node in group.expressions]
    named: dict[str, Expression] = {}
    for node in nodes:
        made = rows.of(node)
        if made in named.values():
            continue
        alias = next((name for name, each in plain if each == node), node.alias_or_name)
        label = alias or node.sql(dialect="duckdb").lower()
        while label in named:
            label += "'"
        named[label] = made
    return tuple(named.items())


def _has_aggregate(node: Any) -> bool:
    return any(type(part).__name__ in PERSON_AGGREGATES for part in node.walk())


def _meant(node: Any, items: list[tuple[str, Any]], scope: Scope, text: Text) -> Any:
    """What a part of GROUP BY means: an item by its number, a column, or an item by its alias."""
    if type(node).__name__ == "Literal" and not node.is_string:
        at = int(node.name) if node.name.isascii() and node.name.isdigit() else 0
        if not 1 <= at <= len(items):
            raise text.refused(node, "there is no such column in SELECT.", "Count from 1.")
        return items[at - 1][1]
    if type(node).__name__ == "Column" and not scope.find(node) and not node.args.get("table"):
        return next((each for name, each in items if name.lower() == node.name.lower()), node)
    return node


def _check_person(
    scope: Scope, keys: tuple[tuple[str, Expression], ...], select: Any, text: Text
) -> None:
    unit = scope.rows.protects
    if not isinstance(unit, Person):
        what = "public rows" if unit is None else "rows that are protected one by one"
        raise text.refused(
            select,
            f"a sub-query aggregates {what}; it can aggregate the rows of one person.",
            "Write a sub-query of one number, (SELECT SUM(x) FROM t WHERE k = 'a'), or register the grouped table."
            if unit is None
            else "Aggregate in the outermost SELECT, or protect Person(...).",
        )
    told = {e.column.person for _, e in keys if isinstance(e, Ref)} - {None}
    if len(told) < len(unit.columns):
        columns = " and ".join(unit.columns)
        raise text.refused(
            select,
            "a sub-query that aggregates must keep the rows of different persons apart.",
            f"Group it by the person: add {columns} to SELECT and GROUP BY there, or aggregate in the outermost SELECT.",
        )
