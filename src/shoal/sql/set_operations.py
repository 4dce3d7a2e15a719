"""UNION, INTERSECT and EXCEPT of rows that say whose they are: rows of one person are compared with
rows of the same person.
"""

from __future__ import annotations

from typing import Any

from shoal.plan import (
    INTEGER,
    Column,
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
    UnionAll,
    call,
)
from shoal.plan.id_spaces import check_one_space
from shoal.plan.relation import with_persons
from shoal.sql.question_text import Text

SET_OPERATIONS = ("Union", "Intersect", "Except")
_ONE, _NONE = Literal(1, INTEGER), Literal(0, INTEGER)


def combined(node: Any, left: Rows, right: Rows, text: Text) -> Rows:
    """The rows of two relations, put together as a node says."""
    kind, every = type(node).__name__, node.args.get("distinct") is False
    if kind == "Union" and every:
        return UnionAll(left, right)
    if every:
        raise text.refused(
            node, f"{kind.upper()} ALL is not answered.", f"Write {kind.upper()} without ALL."
        )
    if not _says_whose(left, right):
        raise text.refused(
            node,
            f"{kind.upper()}{' without ALL' if kind == 'Union' else ''} compares rows of different persons.",
            "Write UNION ALL."
            if kind == "Union"
            else "Select the column of the person on both sides, too.",
        )
    check_one_space([*with_persons(left), *with_persons(right)])
    return _compared(kind, left, right)


def _says_whose(left: Rows, right: Rows) -> bool:
    """Whether the id of the person is among the columns of both sides, at the same places."""
    unit = left.protects
    if not isinstance(unit, Person) or not isinstance(right.protects, Person):
        return False
    pairs = zip(left.columns, right.columns, strict=False)
    told = {mine.person for mine, theirs in pairs if mine.person == theirs.person} - {None}
    return len(told) == len(unit.columns)


def _compared(kind: str, left: Rows, right: Rows) -> Rows:
    """The different rows of each person, with a mark for each side that has them."""
    marks = _new(("left", "right"), [*left.columns, *right.columns])
    sides = [_marked(left, marks, (_ONE, _NONE)), _marked(right, marks, (_NONE, _ONE))]
    both = UnionAll(*sides)
    refs = {column.name: Ref(column) for column in both.columns}
    names = [column.name for column in left.columns]
    totals = tuple(PersonTotal(m, PersonQuantity.GREATEST, refs[m]) for m in marks)
    per = PerPerson(both, tuple((name, refs[name]) for name in names), totals)
    here, there = (Ref(column) for column in per.columns[-2:])
    made: Rows = per
    if kind != "Union":
        wanted = _ONE if kind == "Intersect" else _NONE
        made = Filter(per, call("and", call("eq", here, _ONE), call("eq", there, wanted)))
    held = {column.name: Ref(column) for column in made.columns}
    return Project(made, tuple((name, held[name]) for name in names))


def _marked(rows: Rows, marks: tuple[str, ...], values: tuple[Literal, ...]) -> Project:
    named: list[tuple[str, Expression]] = [(column.name, Ref(column)) for column in rows.columns]
    return Project(rows, (*named, *zip(marks, values, strict=True)))


def _new(names: tuple[str, ...], columns: list[Column]) -> tuple[str, ...]:
    taken = {column.name for column in columns}
    made = []
    for name in names:
        while name in taken:
            name += "'"  # noqa: PLW2901 - until nobody has it
        made.append(name)
    return tuple(made)
