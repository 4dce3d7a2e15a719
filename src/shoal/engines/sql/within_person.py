"""What each row is told of the other rows of its person, as a window function."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.engines.sql.dialect import Dialect
from shoal.engines.sql.expressions import Layers, lowered
from shoal.engines.sql.per_person import total_of
from shoal.plan import PersonWindow, WindowWord, WithinPerson

_FRAMES = {
    True: "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    False: "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
}


def told(
    within: WithinPerson,
    source: str,
    names: Mapping[str, str],
    persons: list[str],
    dialect: Dialect,
) -> str:
    """The rows with one more column.

    Rows that the question leaves equal are in the order of all columns, so that an engine's own order
    is never seen.
    """
    window, layers = within.window, Layers()
    apart = [lowered(each, names, layers, dialect).sql for each in window.partition]
    order = [lowered(each.expression, names, layers, dialect).sql for each in window.order]
    argument = (
        "" if window.argument is None else lowered(window.argument, names, layers, dialect).sql
    )
    below = [f"{sql} AS w{at}" for at, sql in enumerate(apart)]
    below += [f"{sql} AS o{at}" for at, sql in enumerate(order)]
    below += [f"{argument} AS a0"] if argument else []
    inner = f"SELECT {', '.join(['*', *below])} FROM {layers.over(f'({source})')}"
    sorted_by = [
        f"o{at} {'DESC' if part.descending else 'ASC'} NULLS {'FIRST' if part.nulls_first else 'LAST'}"
        for at, part in enumerate(window.order)
    ]
    sorted_by += [f"{name} ASC NULLS FIRST" for name in names.values()]
    by = ", ".join([*persons, *(f"w{at}" for at in range(len(apart)))])
    over = f"PARTITION BY {by} ORDER BY {', '.join(sorted_by)}"
    value = _value(within, over, dialect)
    kept = [*names.values(), f"{value} AS c{len(names)}", *persons]
    return f"SELECT {', '.join(kept)} FROM ({inner})"


def _value(within: WithinPerson, over: str, dialect: Dialect) -> str:
    window: PersonWindow = within.window
    framed = f"OVER ({over} {_FRAMES[window.so_far]})"
    match window.word:
        case WindowWord.NUMBER:
            return f"CAST(ROW_NUMBER() OVER ({over}) AS BIGINT)"
        case WindowWord.TOTAL:
            return total_of(window.total, "a0", dialect, framed)
        case WindowWord.BEFORE:
            made = f"LAG(a0, {window.steps}) OVER ({over})"
        case WindowWord.AFTER:
            made = f"LEAD(a0, {window.steps}) OVER ({over})"
        case WindowWord.FIRST:
            made = f"FIRST_VALUE(a0) {framed}"
        case WindowWord.LAST:
            made = f"LAST_VALUE(a0) {framed}"
    return dialect.one_of_equals(made, within.columns[-1].type.kind)
