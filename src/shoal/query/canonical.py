"""What decides the draws of a question, as text: two questions with the same text have one answer.

The text is the plan itself, node by node, and not the plan as people read it: every constant with
its type, every function with all its arguments, every table with its facts.  So different plans
have different texts, which a stored answer stands on.  Names of columns in the answer, HAVING,
ORDER BY and LIMIT come after the draws, so they are not part of it.  Columns of a table have their
names in the text; those that a question makes have their places, so that no alias makes another
question.  That words in another order are the same question is the work of
`shoal.plan.normal_question`, which comes before.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shoal.plan import (
    Aggregate,
    Call,
    Column,
    Expression,
    Filter,
    FromTable,
    Key,
    Listed,
    Literal,
    PerPerson,
    Person,
    PersonTotal,
    PersonWindow,
    Project,
    Query,
    Ref,
    Rows,
    Scan,
    Selected,
    UnionAll,
    Unit,
    Value,
    WithinPerson,
)
from shoal.query.joint_noise import JointNoised
from shoal.query.pricing import Priced


def canonical_of(made: Priced) -> str:
    """The plan, the request and the noise, in one line of JSON with sorted names."""
    body: dict[str, Any] = {
        "plan": canonical_plan(made.question),
        "request": str(made.request),
        "noise": made.law,
        "event": made.event().to_dict(),
        "ends": [[placed.place.side, str(placed.place.sure)] for placed in made.places],
    }
    if made.trees:
        body["trees"] = [[str(place.level) for place in tree.places] for tree in made.trees]
    if made.noised.pairs:
        terms = made.noised.bounded.terms
        body["pairs"] = [[terms.index(term) for term in n.pair.terms] for n in made.noised.pairs]
    if made.clipping is not None:
        body["clipped"] = True
    if isinstance(made.noised, JointNoised):
        body["together"] = {
            "strategy": made.noised.plan.strategy_hash,
            "sets": sorted(map(list, made.noised.counts.sets)),
        }
    return json.dumps(body, sort_keys=True, separators=(",", ":"))


def canonical_plan(question: Query) -> dict[str, Any]:
    """Rows, keys and aggregates, without the names they are given."""
    called = columns_called(question.relation)
    return {
        "rows": canonical_rows(question.relation),
        "by": [_key(key, called) for key in question.keys],
        "release": [_aggregate(aggregate, called) for aggregate in question.aggregates],
    }


Called = Mapping[str, str | int]
"""What the columns of a relation are called in the text, by their names in the plan."""


def columns_called(rows: Rows) -> Called:
    """Columns of a table by name, columns that a question makes by place."""
    match rows:
        case Scan(table):
            return {column.name: column.name for column in table.columns}
        case Filter(source):
            return columns_called(source)
    return {column.name: at for at, column in enumerate(rows.columns)}


def canonical_rows(rows: Rows) -> list[Any]:
    """A relation.

    Guarantee: relations that differ in more than the names of columns they make have different
    texts, and the relation can be read back from its text and these names.
    """
    below = [columns_called(source) for source in rows.sources]
    match rows:
        case Scan(table):
            columns = [_column(column) for column in table.columns]
            return ["scan", table.name, columns, _unit(table.protects)]
        case Filter(source, condition):
            return ["filter", canonical_rows(source), canonical_expression(condition, *below)]
        case Project(source, named):
            listed = [canonical_expression(each, *below) for _, each in named]
            return ["project", canonical_rows(source), listed]
        case UnionAll(left, right):
            return ["union", canonical_rows(left), canonical_rows(right)]
        case PerPerson(source, keys, totals):
            listed = [canonical_expression(each, *below) for _, each in keys]
            totalled = [_person_total(each, *below) for each in totals]
            return ["per person", canonical_rows(source), listed, totalled]
        case WithinPerson(source, _, window):
            return ["within person", canonical_rows(source), _window(window, *below)]
    own, other = below
    pairs = [[canonical_expression(a, own), canonical_expression(b, other)] for a, b in rows.on]
    sides = [canonical_rows(rows.left), canonical_rows(rows.right)]
    return [type(rows).__name__, *sides, pairs, rows.kind, rows.at_most]


def canonical_expression(expression: Expression, called: Called) -> list[Any]:
    """An expression, with the type of every part that its arguments do not decide."""
    match expression:
        case Ref(column):
            return ["column", called[column.name]]
        case Literal(value, kind):
            return ["constant", str(kind), _value(value)]
        case Call(name, arguments, kind):
            parts = [canonical_expression(each, called) for each in arguments]
            return ["call", name, str(kind), parts]


def _person_total(total: PersonTotal, called: Called) -> list[Any]:
    of = None if total.argument is None else canonical_expression(total.argument, called)
    return [str(total.quantity), of, total.least, total.most]


def _window(window: PersonWindow, called: Called) -> list[Any]:
    of = None if window.argument is None else canonical_expression(window.argument, called)
    by = [canonical_expression(each, called) for each in window.partition]
    order = [
        [canonical_expression(each.expression, called), each.descending, each.nulls_first]
        for each in window.order
    ]
    held = [window.quantity and str(window.quantity), window.least, window.most]
    return [str(window.word), of, by, order, window.so_far, window.steps, *held]


def _value(value: Value) -> Any:
    """A value so that, with its type, no two are written alike."""
    if isinstance(value, float):
        return value.hex()
    return value.isoformat() if isinstance(value, dt.date) else value


def _column(column: Column) -> list[Any]:
    span = column.span and [str(column.span.lo), str(column.span.hi)]
    choices = None if column.choices is None else [_value(each) for each in column.choices]
    return [column.name, str(column.type), column.nullable, span, choices, column.longest]


def _unit(unit: Unit | None) -> list[Any] | None:
    if unit is None:
        return None
    if not isinstance(unit, Person):
        return ["row", str(unit.relation)]
    shares = [unit.groups, unit.rows_per_group, unit.nulls]
    return ["person", list(unit.columns), *shares, str(unit.relation)]


def _key(key: Key, called: Called) -> list[Any]:
    made = canonical_expression(key.expression, called)
    match key.known:
        case Listed(values, null):
            return [made, "listed", [_value(each) for each in values], null]
        case FromTable(table, column, null):
            return [made, "table", table, column, null]
        case Selected():
            return [made, "selected"]


def _aggregate(aggregate: Aggregate, called: Called) -> dict[str, Any]:
    said: dict[str, Any] = {"statistic": str(aggregate.statistic)}
    if aggregate.argument is not None:
        said |= {
            "of": canonical_expression(aggregate.argument, called),
            "type": str(aggregate.argument.type),
        }
    if aggregate.other is not None:
        said |= {
            "and": canonical_expression(aggregate.other, called),
            "type of both": [str(each.type) for each in aggregate.arguments],
        }
    return said if aggregate.level is None else {**said, "at": str(Fraction(aggregate.level))}
