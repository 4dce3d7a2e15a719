"""What is told of rows that were aggregated for each person: the step in a plan, and the limits of
its totals.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.plan.per_person import PerPerson, PersonQuantity, PersonTotal, limited_totals
from shoal.plan.printing import name_of, text_of
from shoal.plan.relation import PersonJoin, tables_of
from shoal.plan.types import MOST_INTEGER
from shoal.plan.values import written
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
        for total in limited_totals(rows)
    )
    return tuple(dict.fromkeys([*notes, *_left_out(rows)]))


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
