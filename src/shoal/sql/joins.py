"""Joins as people type them: ON with columns, expressions and constants, USING, and commas.

A condition of one side alone is a filter of that side; of a left join, one of the left side decides
which rows have partners.  What compares both sides must be an equality.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from shoal.plan import (
    INTEGER,
    Call,
    Expression,
    Filter,
    Person,
    PersonJoin,
    Project,
    PublicJoin,
    Ref,
    call,
    columns_of,
    evaluate,
    rows_per_key,
)
from shoal.plan import Literal as Constant
from shoal.plan.id_spaces import check_one_space
from shoal.plan.relation import tables_of, with_persons
from shoal.sql.question_text import Text
from shoal.sql.scope import Scope, ScopeEntry, sources_of, translator

Pair = tuple[Expression, Expression]
MOST_JOINED = 1000
"""Of a table of which nothing is stated, at most so many rows of a person are joined to each row:
rows of one person that are joined with one another are as many as the product.
"""
_SIDES = ("", "LEFT", "RIGHT")
_KINDS = ("", "INNER", "OUTER", "SEMI", "ANTI")


def is_comma(join: Any) -> bool:
    """Whether two tables are listed with a comma, or crossed: what joins them is in WHERE."""
    said = any(map(join.args.get, ("on", "using", "side", "method")))
    return not said and (join.args.get("kind") or "").upper() in ("", "CROSS", "INNER")


def comma_joined(
    left: Scope, right: Scope, join: Any, parts: list[Any], text: Text
) -> tuple[Scope, list[Any]]:
    """Two tables listed with a comma, joined by those conditions of WHERE that compare them; and the
    conditions that are left.
    """
    text.only(join, "this", "kind")
    _check_apart(left, right, join, text)
    right = _renamed(left, right)
    used = [part for part in parts if _compared(part, left, right)]
    if not used:
        raise text.refused(
            join.this,
            "nothing says which rows of these tables belong together; a join needs ON.",
            "Say which columns agree: JOIN ... ON a.k = b.k.",
        )
    pairs = [_pair(part, left, right, text) for part in used]
    with text.at(join):
        made = _put_together(left, right, pairs, join, text, kind="inner")
    return made, [part for part in parts if not any(part is each for each in used)]


def joined(left: Scope, right: Scope, join: Any, text: Text) -> Scope:
    """A join with ON or USING, or a natural one."""
    if (join.args.get("method") or "").upper() == "NATURAL":
        join = _natural(left, right, join, text)
    text.only(join, "this", "side", "kind", "on", "using")
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    if side not in _SIDES or kind not in _KINDS or (side == "RIGHT" and kind in _KINDS[3:]):
        raise text.refused(
            join, f"a {side or kind} join is not answered.", "Use JOIN or LEFT JOIN with ON."
        )
    _check_apart(left, right, join, text)
    entries = (*left.entries, *right.entries)
    if side == "RIGHT":
        left, right = right, left
    right = _renamed(left, right)
    entries = tuple(
        next(e for e in (*left.entries, *right.entries) if (e.source, e.name) == (o.source, o.name))
        for o in entries
    )
    outer = side != "" and kind not in _KINDS[3:]
    left, right, pairs, rest = _conditions(join, left, right, text, outer=outer)
    if rest and kind in _KINDS[3:]:
        raise _not_a_pair(rest[0], left, right, text)
    with text.at(join):
        if kind in _KINDS[3:]:
            from shoal.sql.person_subqueries import filtered_by_match  # noqa: PLC0415 - both join

            return filtered_by_match(left, right, pairs, join, text, anti=kind == "ANTI")
        made = _put_together(left, right, pairs, join, text, kind="left" if outer else "inner")
    twins = _twins(join, right, text)
    made = replace(
        made, entries=tuple(replace(e, twin=True) if e.held in twins else e for e in entries)
    )
    for part in rest:  # of an inner join, as good as in WHERE
        made = made.over(Filter(made.rows, translator(made, text).of(part)))
    return made


def _natural(left: Scope, right: Scope, join: Any, text: Text) -> Any:
    """A natural join as one with USING: all names that both sides have, in any case."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    held = {entry.name.lower() for entry in left.entries if not entry.twin}
    shared = [e.name for e in right.entries if not e.twin and e.name.lower() in held]
    if not shared:
        raise text.refused(
            join,
            "these tables have no column of the same name, so a natural join would cross them.",
            "Say which columns agree: JOIN ... ON a.k = b.k.",
        )
    made = join.copy()
    made.set("method", None)
    made.set("using", [exp.to_identifier(name) for name in shared])
    return made


def _twins(join: Any, right: Scope, text: Text) -> set[str]:
    """The columns of the right side that USING makes one with columns of the left side."""
    named = [_as_column(name, join, text) for name in join.args.get("using") or ()]
    return {entry.held for each in named for entry in right.find(each)}


def _check_apart(left: Scope, right: Scope, join: Any, text: Text) -> None:
    if sources_of(left.entries) & sources_of(right.entries):
        raise text.refused(
            join.this,
            "two tables here have the same name.",
            "Name one of them with AS.",
        )


def _renamed(left: Scope, right: Scope) -> Scope:
    """The right side with names that the left side does not have."""
    taken = {column.name for column in left.rows.columns}
    renamed: dict[str, str] = {}
    for column in right.rows.columns:
        source = next((e.source for e in right.entries if e.held == column.name), "right")
        name = column.name
        while name in taken or name in renamed.values():
            name = f"{source}.{name}"
        renamed[column.name] = name
    if all(old == new for old, new in renamed.items()):
        return right
    project = Project(right.rows, tuple((renamed[c.name], Ref(c)) for c in right.rows.columns))
    return Scope(project, tuple(replace(e, held=renamed[e.held]) for e in right.entries))


class _Conditions(NamedTuple):
    """Two sides of a join, the equalities between them, and what else must hold of both."""

    left: Scope
    right: Scope
    pairs: list[Pair]
    rest: list[Any]


def _conditions(join: Any, left: Scope, right: Scope, text: Text, *, outer: bool) -> _Conditions:
    """Both sides, filtered by what ON says of one of them, and what ON says of both."""
    using, on = join.args.get("using"), join.args.get("on")
    if using:
        named = [_as_column(name, join, text) for name in using]
        both: list[Pair] = [(left.resolve(n, text), right.resolve(n, text)) for n in named]
        return _Conditions(left, right, both, [])
    if on is None:
        raise text.refused(join.this, "a join needs ON.", "Say which columns agree: ON a.k = b.k.")
    pairs: list[Pair] = []
    late: list[Any] = []
    rest: list[Any] = []
    for part in conjuncts_of(on):
        if _compared(part, left, right):
            late.append(part)
        elif _within(part, right) and not (_has_columns(part) and _within(part, left)):
            right = right.over(Filter(right.rows, translator(right, text).of(part)))
        elif _within(part, left) and not _within(part, right):
            made = translator(left, text).of(part)
            if outer:
                one = Constant(1, INTEGER)
                pairs.append((call("case", made, one, Constant(None, INTEGER)), one))
            else:
                left = left.over(Filter(left.rows, made))
        elif outer or type(part).__name__ == "EQ" or not _each_known(part, left, right):
            raise _not_a_pair(part, left, right, text)
        else:
            rest.append(part)
    found = [_pair(part, left, right, text) for part in late]
    if rest and not found:
        raise _not_a_pair(rest[0], left, right, text)
    if not found:
        raise text.refused(
            on,
            "no condition compares the two sides of the join; all columns are on one side.",
            "Compare one of each side: ON a.k = b.k.",
        )
    return _Conditions(left, right, [*found, *pairs], rest)


def _as_column(name: Any, join: Any, text: Text) -> Any:
    from sqlglot import exp  # noqa: PLC0415 - heavy

    if isinstance(name, exp.Identifier):
        return exp.Column(this=name.copy())
    if not (isinstance(name, exp.Column) and isinstance(name.this, exp.Identifier)):
        raise text.refused(join.this, "USING takes names of columns.", "Write USING (city).")
    return name


def conjuncts_of(node: Any) -> list[Any]:
    """The parts that AND puts together."""
    while type(node).__name__ == "Paren":
        node = node.this
    if type(node).__name__ == "And":
        return [*conjuncts_of(node.this), *conjuncts_of(node.expression)]
    return [node]


def _has_columns(node: Any) -> bool:
    return any(type(part).__name__ == "Column" for part in node.walk())


def _within(node: Any, scope: Scope) -> bool:
    """Whether a node reads columns of a scope only."""
    return all(scope.find(part) for part in node.walk() if type(part).__name__ == "Column")


def _each_known(node: Any, left: Scope, right: Scope) -> bool:
    """Whether a node reads columns that are on one side each."""
    read = [part for part in node.walk() if type(part).__name__ == "Column"]
    return all(len(left.find(part)) + len(right.find(part)) == 1 for part in read)


def _of_one(node: Any, scope: Scope, other: Scope) -> bool:
    """Whether a node reads columns, each of which is in one scope and not in the other."""
    read = [part for part in node.walk() if type(part).__name__ == "Column"]
    return bool(read) and all(scope.find(part) and not other.find(part) for part in read)


def _compared(node: Any, left: Scope, right: Scope) -> bool:
    """Whether a condition is an equality between the two sides."""
    if type(node).__name__ != "EQ":
        return False
    first, second = node.this, node.expression
    straight = _of_one(first, left, right) and _of_one(second, right, left)
    return straight or (_of_one(second, left, right) and _of_one(first, right, left))


def _pair(node: Any, left: Scope, right: Scope, text: Text) -> Pair:
    if not _compared(node, left, right):
        raise _not_a_pair(node, left, right, text)
    first, second = node.this, node.expression
    if not _of_one(first, left, right):
        first, second = second, first
    return translator(left, text).of(first), translator(right, text).of(second)


def _not_a_pair(node: Any, left: Scope, right: Scope, text: Text) -> Exception:
    both = Scope(left.rows, (*left.entries, *right.entries))
    for part in node.walk():
        if type(part).__name__ == "Column" and len(both.find(part)) != 1:
            if not both.find(part):
                both.resolve(part, text)
            return text.refused(
                part, "this name is on both sides of the join.", "Write table.column."
            )
    if type(node).__name__ == "EQ" and (_within(node, left) or _within(node, right)):
        return text.refused(
            node, "both columns are on one side of the join.", "Compare one of each side."
        )
    return text.refused(
        node,
        "ON takes equalities of the two sides, and conditions of one side, joined by AND.",
        "Put other conditions in WHERE.",
    )


def _put_together(
    left: Scope,
    right: Scope,
    pairs: list[Pair],
    join: Any,
    text: Text,
    *,
    kind: Literal["inner", "left"],
) -> Scope:
    entries: tuple[ScopeEntry, ...] = (*left.entries, *right.entries)
    if left.rows.protects is None and right.rows.protects is not None and kind == "inner":
        left, right, pairs = right, left, [(b, a) for a, b in pairs]
    if left.rows.protects is None and right.rows.protects is not None:
        raise text.refused(
            join,
            "a public table would keep its rows whatever the private one holds.",
            "Write JOIN in place of LEFT JOIN or RIGHT JOIN; groups by a public column appear even if they are empty.",
        )
    if right.rows.protects is None:
        at_most = _at_most(right, [b for _, b in pairs], join, text)
        return Scope(PublicJoin(left.rows, right.rows, tuple(pairs), kind, at_most), entries)
    others = besides_person(left, right, pairs, join, text)
    swapped = kind == "inner" and _known(right, [b for _, b in pairs]) is None
    if swapped and _known(left, [a for a, _ in pairs]) is not None:
        left, right = right, left
        pairs, others = [(b, a) for a, b in pairs], [(b, a) for a, b in others]
    at_most = _at_most(right, [b for _, b in pairs], join, text)
    return Scope(PersonJoin(left.rows, right.rows, tuple(others), kind, at_most), entries)


def besides_person(
    left: Scope, right: Scope, pairs: list[Pair], node: Any, text: Text
) -> list[Pair]:
    """What must agree besides the person; refused if the person need not."""
    check_one_space([*with_persons(left.rows), *with_persons(right.rows)])
    unit = left.rows.protects
    columns = len(unit.columns) if isinstance(unit, Person) else 1
    if len({_place(a) for a, b in pairs if _same_person(a, b)}) < columns:
        raise text.refused(
            node,
            "two private tables can be joined only on the columns that say whose row it is.",
            "Add the person's columns of both tables to the condition, as in a.user_id = b.user_id.",
        )
    return [pair for pair in pairs if not _same_person(*pair)]


def _place(expression: Expression) -> int | None:
    return expression.column.person if isinstance(expression, Ref) else None


def _same_person(left: Expression, right: Expression) -> bool:
    return _place(left) is not None and _place(left) == _place(right)


def _known(scope: Scope, keys: list[Expression]) -> int | None:
    """How many rows agree in keys, as far as is known; of an expression, where its column has few
    values, all that it takes for one.
    """
    plain = frozenset(key.column.name for key in keys if isinstance(key, Ref))
    found = [rows_per_key(scope.rows, plain)]
    for key in keys:
        held = list(dict.fromkeys(columns_of(key)))
        if isinstance(key, Call) and len(held) == 1 and held[0].choices is not None:
            name = held[0].name
            taken = Counter(evaluate(key, {name: value}) for value in held[0].choices)
            own = rows_per_key(scope.rows, plain | {name})
            found.append(own and own * max(taken.values(), default=1))
    return min((each for each in found if each is not None), default=None)


def _at_most(scope: Scope, keys: list[Expression], join: Any, text: Text) -> int:
    found = _known(scope, keys)
    unit = scope.rows.protects
    share = unit.groups * unit.rows_per_group if isinstance(unit, Person) else 1
    if found is None and share > 1:
        return min(share, MOST_JOINED)  # as many rows of a person as may count
    if found is None:
        raise text.refused(
            join,
            "nobody has stated how many rows agree in the columns of this join.",
            _stating(scope, keys),
        )
    return found


def _stating(scope: Scope, keys: list[Expression]) -> str:
    """How to state it, in words that work: by the name of the table, not by what it is called here."""
    tables = sorted(tables_of(scope.rows))
    held = {key.column.name for key in keys if isinstance(key, Ref)}
    names = [entry.name for entry in scope.entries if entry.held in held]
    if not names or len(tables) != 1:
        return "Join on columns of a table, and state how many of its rows agree in them where it is registered."
    said = (
        f"keys={{{names[0]!r}: 1}} in vault.add (--keys {names[0]}=1) for at most one row per key"
    )
    if scope.rows.protects is None:
        return f"State it where {tables[0]!r} is registered: {said}."
    both = f"{tables[0]}.{names[0]}"
    return f"State it where {tables[0]!r} is registered: keys={{{both!r}: 1}} in shoal.private, {said}."
