"""A plan as a tree of lines: what each node does, whom it protects, and how far one row reaches."""

from __future__ import annotations

from shoal.plan.expression import Expression
from shoal.plan.printing import name_of, text_of
from shoal.plan.relation import Filter, PersonJoin, Project, PublicJoin, Rows, Scan, UnionAll


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
        case PublicJoin():
            pairs = " and ".join(f"{text_of(a)} = {text_of(b)}" for a, b in rows.on)
            return f"{rows.kind} join to public on {pairs}, at most {rows.at_most} per key"


def _named(name: str, expression: Expression) -> str:
    text = text_of(expression)
    return text if text == name_of(name) else f"{text} AS {name_of(name)}"
