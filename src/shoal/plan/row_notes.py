"""What is told of the rows of a question: the steps for each person in words, limits of their totals
that the question did not state, and conditions that no row can meet.

Such a condition is known from what is declared alone: a value that is not among the choices, a
number beyond a range, a comparison with NULL.  Facts are made true when a column is read, so it is
false for everybody, whatever the rows hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from shoal.plan.condition_facts import conjuncts
from shoal.plan.expression import Call, Expression, Literal, Ref, columns_of
from shoal.plan.facts import Column
from shoal.plan.meaning import evaluate, values_of
from shoal.plan.per_person import PerPerson, PersonQuantity, PersonTotal
from shoal.plan.printing import name_of, text_of
from shoal.plan.relation import Filter, PersonJoin, Project, Rows, tables_of
from shoal.plan.types import MOST_INTEGER, Kind, value_at, written
from shoal.plan.within_person import MOVED, WindowWord, WithinPerson


def per_person_act(rows: PerPerson) -> str:
    """The step in words."""
    by = "".join(f", {text_of(key)} AS {name_of(name)}" for name, key in rows.keys)
    return f"for each person{by}: {', '.join(map(_told, rows.totals)) or 'one row'}"


def within_person_act(rows: WithinPerson) -> str:
    """The step in words."""
    window = rows.window
    what = f"{window.quantity or window.word}{f' {window.steps}' if window.word in MOVED else ''}"
    of = "" if window.argument is None else f" of {text_of(window.argument)}"
    by = "".join(f", {text_of(each)}" for each in window.partition)
    order = ", ".join(
        f"{text_of(each.expression)}{' desc' * each.descending}{' nulls first' * each.nulls_first}"
        for each in window.order
    )
    rest = f", by {order}" if order else ""
    some = " so far" if window.so_far and window.word is WindowWord.TOTAL else ""
    return f"tell each row of a person{by}: {what}{of}{some}{rest} AS {name_of(rows.name)}"


def per_person_notes(rows: object) -> tuple[str, ...]:
    """Which totals of a person have a limit that the question did not state."""
    notes = (
        f"{name_of(total.name)} is at most {_most(total)} for one person; what is more counts as that. "
        f"For another limit write {_limited(total)}."
        for total in _limited_totals(rows)
    )
    return tuple(dict.fromkeys([*notes, *_left_out(rows)]))


def _limited_totals(rows: object) -> Iterator[PersonTotal]:
    """The totals in a relation that count no more than a stated share of a person's rows."""
    if isinstance(rows, PerPerson):
        yield from filter(_is_limited, rows.totals)
    for source in getattr(rows, "sources", ()):
        yield from _limited_totals(source)


def _is_limited(total: PersonTotal) -> bool:
    """Whether a person can have more than is counted; that somebody has rows at all is a fact, and
    no number with a limit.
    """
    if total.quantity is PersonQuantity.ROWS and total.most == 1:
        return False
    listed = None if total.argument is None else values_of(total.argument)
    distinct = total.quantity is PersonQuantity.DISTINCT and listed is not None
    return total.most < MOST_INTEGER and not (distinct and len(listed or ()) <= total.most)


def _left_out(rows: object) -> Iterator[str]:
    """How many rows of a person a join takes, where that is not one."""
    if isinstance(rows, PersonJoin) and rows.at_most > 1:
        tables = " and ".join(name_of(name) for name in sorted(tables_of(rows.right)))
        yield (
            f"Of one person at most {rows.at_most:,} rows of {tables} are joined to each other row, the first in the "
            "order of their values; more are left out."
        )
    for source in getattr(rows, "sources", ()):
        yield from _left_out(source)


def _told(total: PersonTotal) -> str:
    of = "" if total.argument is None else f" of {text_of(total.argument)}"
    limit = f" (at most {_most(total)})" if total.most < MOST_INTEGER else ""
    return f"{total.quantity}{of} AS {name_of(total.name)}{limit}"


def _most(total: PersonTotal) -> str:
    if total.argument is None or total.quantity is not PersonQuantity.SUM:
        return f"{total.most:,}"
    return f"{written(total.most, total.argument.type):,}"


def _limited(total: PersonTotal) -> str:
    if total.argument is None:
        return "LEAST(COUNT(*), 20)"
    name = "SUM" if total.quantity is PersonQuantity.SUM else "COUNT"
    return f"LEAST({name}(...), 20)"


# conditions that no row can meet

_MOST_TRIED = 100
"""So many choices of a column are tried in a condition, and a condition of no more parts than this.
"""
_MOST_SHOWN = 5
_LONGEST_SHOWN = 80
_REAL = re.compile(r"(?<=[0-9])(\.0)?e0\b")
"""What tells a real from a decimal, and tells people nothing."""
_COMPARED = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "between"})
_CHECK = " Check spelling, spaces and upper or lower case."


def unmet_notes(rows: Rows, asked: Iterable[Expression]) -> tuple[str, ...]:
    """What is said of each comparison that no row can meet, in the rows and in what is asked of
    them; each once.
    """
    found: list[str] = []
    for condition in _conditions(rows):
        for part in conjuncts(condition):
            found += list(_compared(part)) or list(_whole(part))
    for each in (*_computed(rows), *asked):
        found += _compared(each)
    return tuple(dict.fromkeys(found))


def _conditions(rows: Rows) -> Iterator[Expression]:
    if isinstance(rows, Filter):
        yield rows.condition
    for source in rows.sources:
        yield from _conditions(source)


def _computed(rows: Rows) -> Iterator[Expression]:
    if isinstance(rows, Project):
        yield from (each for _, each in rows.named)
    for source in rows.sources:
        yield from _computed(source)


def _compared(expression: Expression) -> Iterator[str]:
    """What is wrong with comparisons in an expression, one by one."""
    if not isinstance(expression, Call):
        return
    match expression:
        case Call("not", (Call("in", (_, *others)),)) if any(map(_is_null, others)):
            yield (
                f"No row meets {_short(expression)}: with NULL in the list it is never true. "
                "Leave NULL out."
            )
        case Call(name, parts) if name in _COMPARED and any(map(_is_null, parts)):
            yield (
                f"No row meets {_short(expression)}: nothing can be compared with NULL. "
                "Write IS NULL or IS NOT NULL."
            )
        case Call("eq" | "ne" | "same", (Ref(column), Literal() as other)):
            yield from _not_chosen(column, [other])
        case Call("eq" | "ne" | "same", (Literal() as other, Ref(column))):
            yield from _not_chosen(column, [other])
        case Call("in", (Ref(column), *others)):
            yield from _not_chosen(column, [each for each in others if isinstance(each, Literal)])
    for argument in expression.arguments:
        yield from _compared(argument)


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def _not_chosen(column: Column, values: list[Literal]) -> Iterator[str]:
    for value in values:
        if column.choices is not None and value.value not in (None, *column.choices):
            check = _CHECK if column.type.kind is Kind.TEXT else ""
            yield f"No row has {name_of(column.name)} = {_short(value)}: {_facts(column)}.{check}"


def _whole(condition: Expression) -> Iterator[str]:
    """What is said of a condition that must hold in every row kept, where it cannot.

    Ranges are looked at here only: comparisons that a function is made of, as BIN is, need not
    hold.
    """
    if isinstance(condition, Call) and (_is_beyond(condition) or _is_false_for_all(condition)):
        known = dict.fromkeys(_facts(each) for each in columns_of(condition))
        yield f"No row meets {_short(condition)}: {' and '.join(known)}."


def _is_beyond(call: Call) -> bool:
    """Whether the ranges of what is compared leave no way for the comparison to hold."""
    spans = [argument.span for argument in call.arguments]
    if any(span is None for span in spans) or not any(True for _ in columns_of(call)):
        return False
    lows, highs = [s.lo for s in spans if s], [s.hi for s in spans if s]
    match call.name:
        case "eq":
            return highs[0] < lows[1] or highs[1] < lows[0]
        case "lt":
            return lows[0] >= highs[1]
        case "le":
            return lows[0] > highs[1]
        case "gt":
            return highs[0] <= lows[1]
        case "ge":
            return highs[0] < lows[1]
        case "between":
            return highs[0] < lows[1] or lows[0] > highs[2]
        case "in":
            return all(
                highs[0] < lo or hi < lows[0] for lo, hi in zip(lows[1:], highs[1:], strict=True)
            )
    return False


def _is_false_for_all(condition: Call) -> bool:
    """Whether a condition on one column is true for none of its choices."""
    columns = set(columns_of(condition))
    if len(columns) != 1 or condition.cost.parts > _MOST_TRIED:
        return False
    (column,) = columns
    if column.choices is None or len(column.choices) > _MOST_TRIED:
        return False
    values = [*column.choices, *([None] if column.nullable else [])]
    return not any(evaluate(condition, {column.name: value}) is True for value in values)


def _facts(column: Column) -> str:
    name = name_of(column.name)
    if column.choices is not None:
        shown = [_short(Literal(value, column.type)) for value in column.choices[:_MOST_SHOWN]]
        more = len(column.choices) - len(shown)
        return f"{name} is one of {', '.join(shown)}{f' and {more} more' if more > 0 else ''}"
    if column.span is None:
        return f"{name} is {column.type}"
    ends = column.span.lo, column.span.hi
    lo, hi = (_short(Literal(value_at(end, column.type), column.type)) for end in ends)
    return f"{name} is from {lo} to {hi}"


def _short(expression: Expression) -> str:
    text = text_of(expression)
    text = text[1:-1] if isinstance(expression, Call) and text.startswith("(") else text
    text = _REAL.sub("", text)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
