"""One spelling of a question: the same question in other words has the same plan, so that it is
answered once.

Keys and aggregates are put in an order of their own; what is shown of them, under which names and
in which order, stays as it was asked.  Of the rows, sub-queries that only rename or compute columns
dissolve; conditions that follow each other are one, and stand below a join where they are about its
left side alone.  These are the same rows with the same persons; the columns may have other names.
Proof: normal_questions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from shoal.errors import ShoalError
from shoal.plan.condition_facts import conjuncts
from shoal.plan.contribution_bounds import known_rows, share_of
from shoal.plan.declared_table import Person
from shoal.plan.expression import Expression, Literal, Ref, columns_of, substitute
from shoal.plan.meaning import values_of
from shoal.plan.normal_expressions import NormalSpelling
from shoal.plan.per_person import PerPerson
from shoal.plan.question import (
    Aggregate,
    FromTable,
    Key,
    Known,
    Listed,
    Query,
    Statistic,
    explain,
    known_values,
)
from shoal.plan.relation import (
    Filter,
    PersonJoin,
    Project,
    PublicJoin,
    Rows,
    Scan,
    UnionAll,
)
from shoal.plan.types import BOOLEAN
from shoal.plan.within_person import WithinPerson

_ORDER = {statistic: at for at, statistic in enumerate(Statistic)}


def normal_question(asked: Query) -> Query:
    """The one spelling of a question; the question itself where a spelling would know less.

    Guarantee: the rows, the values of keys and the arguments of aggregates are the same in both, so
        the answers are; and no range, list or share is wider, so no noise is.
    Edges: two questions with the same meaning can still have two spellings (``x > 2 AND x > 3``).
        They are then charged twice: what protects people is the budget.
    Proof: normal_questions.md.
    """
    for dissolve in (True, False):
        try:
            made = _spelled(asked, dissolve=dissolve)
        except ShoalError:  # beyond a limit of size or depth
            continue
        if _is_as_sharp(made, asked):
            return made
    return asked


def _spelled(asked: Query, *, dissolve: bool) -> Query:
    rows, made = normal_rows(asked.relation, dissolve=dissolve).filtered()
    spelled = NormalSpelling(rows.columns)

    def of(expression: Expression) -> Expression:
        return spelled.of(substitute(expression, made))

    def place(parts: Sequence[Expression]) -> list[str]:
        return [spelled.place(each) for each in parts]

    keys = [_key(key, of(key.expression)) for key in asked.keys]
    keys.sort(key=lambda key: spelled.place(key.expression))
    aggregates = [
        _aggregate(
            replace(
                each,
                argument=None if each.argument is None else of(each.argument),
                other=None if each.other is None else of(each.other),
            )
        )
        for each in asked.aggregates
    ]
    aggregates.sort(key=lambda a: (_ORDER[a.statistic], place(a.arguments), a.level or 0))
    return Query(rows, tuple(keys), tuple(aggregates), asked.after)


def _key(key: Key, made: Expression) -> Key:
    return (
        replace(key, expression=made, known=known_values(made)) if made != key.expression else key
    )


def _aggregate(aggregate: Aggregate) -> Aggregate:
    """COUNT of what is never NULL counts rows."""
    argument = aggregate.argument
    if aggregate.statistic is Statistic.COUNT and argument is not None and not argument.nullable:
        return Aggregate(aggregate.name, Statistic.COUNT_ROWS)
    return aggregate


def _is_as_sharp(made: Query, asked: Query) -> bool:
    """Whether all that is known of a question is known of its spelling."""
    keys = {key.name: key for key in made.keys}
    found = {each.name: each for each in made.aggregates}
    return (
        all(_is_known(keys[key.name].known, key.known) for key in asked.keys)
        and all(
            _is_within(one, other, listed=each.statistic is Statistic.COUNT_DISTINCT)
            for each in asked.aggregates
            for one, other in zip(found[each.name].arguments, each.arguments, strict=False)
        )
        and _is_bounded(made.relation, asked.relation, made, asked)
    )


def _is_known(made: Known, asked: Known) -> bool:
    match asked, made:
        case Listed(values, null), Listed(others, or_null):
            return set(others) <= set(values) and null >= or_null
        case FromTable(), FromTable() | Listed():
            return isinstance(made, Listed) or made == asked
        case ((Listed() | FromTable()), _):
            return False
    return True


def _is_within(made: Expression, asked: Expression, *, listed: bool) -> bool:
    if made.nullable > asked.nullable or made.length > asked.length:
        return False
    if asked.span is not None and not (
        made.span is not None and asked.span.lo <= made.span.lo and made.span.hi <= asked.span.hi
    ):
        return False
    return not listed or values_of(asked) is None or values_of(made) is not None


def _is_bounded(rows: Rows, others: Rows, made: Query, asked: Query) -> bool:
    """Whether one person has no larger share."""
    unit, other = rows.protects, others.protects
    if not isinstance(unit, Person) or not isinstance(other, Person):
        factors = ((rows.stability.get(name, 0), most) for name, most in others.stability.items())
        return all(most is None or (own is not None and own <= most) for own, most in factors)
    by = [key.expression for key in made.keys]
    by_asked = [key.expression for key in asked.keys]
    share, most = share_of(rows, by, unit), share_of(others, by_asked, other)
    known, known_asked = known_rows(rows, by), known_rows(others, by_asked)
    return (
        share.groups <= most.groups
        and share.rows_per_group <= most.rows_per_group
        and all(one >= two for one, two in zip(known, known_asked, strict=True))
    )


# rows

Made = Mapping[str, Expression]
"""What each column of a relation is computed from, by its name."""


@dataclass(frozen=True)
class NormalRows:
    """A relation without the conditions on top of it, these conditions, and what its columns are
    made of.

    Conditions and columns are expressions over the columns of ``base``.
    """

    base: Rows
    conditions: tuple[Expression, ...]
    made: Made

    def filtered(self) -> tuple[Rows, Made]:
        """The relation with its conditions, and its columns over it."""
        base, rest = self.base, self.conditions
        if isinstance(base, PublicJoin | PersonJoin):
            base, rest = _pushed(base, rest)
        rows = _kept(base, rest)
        held = _by_name(rows)  # once: a table can have thousands of columns
        return rows, {name: substitute(made, held) for name, made in self.made.items()}

    def with_columns(self, names: Iterable[str]) -> Rows:
        """The relation with exactly these of its columns, in this order and under these names."""
        rows, made = self.filtered()
        named = tuple((name, made[name]) for name in names)
        plain = tuple((column.name, Ref(column)) for column in rows.columns)
        return rows if named == plain else Project(rows, named)


def normal_rows(rows: Rows, *, dissolve: bool) -> NormalRows:
    """The one spelling of a relation.

    Sub-queries that rename columns always dissolve; those that compute columns do so with
    ``dissolve``, since what a condition teaches of a computed column is lost with the column.

    Guarantee: the rows of every person are the same, as a multiset of values of ``made``.
    """
    match rows:
        case Scan():
            return _whole(rows)
        case Filter(source, condition):
            below = normal_rows(source, dissolve=dissolve)
            said = conjuncts(substitute(condition, below.made))
            return replace(below, conditions=(*below.conditions, *said))
        case Project(source, named):
            below = normal_rows(source, dissolve=dissolve)
            if dissolve or all(isinstance(each, Ref) for _, each in named):
                made = {name: substitute(each, below.made) for name, each in named}
                return replace(below, made=made)
            under, held = below.filtered()
            spelled = NormalSpelling(under.columns)
            return _whole(
                Project(under, tuple((name, spelled.of(substitute(e, held))) for name, e in named))
            )
        case PublicJoin() | PersonJoin():
            return _joined(rows, dissolve=dissolve)
        case UnionAll(left, right):
            return _whole(_union(_same(left, dissolve), _same(right, dissolve)))
        case PerPerson():
            return _whole(_per_person(rows, dissolve=dissolve))
        case WithinPerson(source, name, window):
            under = _same(source, dissolve)  # all values decide the order
            spelled = NormalSpelling(under.columns)
            order = tuple(
                replace(each, expression=spelled.of(onto(under, each.expression)))
                for each in window.order
            )
            of = None if window.argument is None else spelled.of(onto(under, window.argument))
            by = (spelled.of(onto(under, each)) for each in window.partition)
            parts = {spelled.place(each): each for each in by}
            listed = tuple(parts[place] for place in sorted(parts))
            return _whole(
                WithinPerson(
                    under, name, replace(window, argument=of, partition=listed, order=order)
                )
            )


def onto(rows: Rows, expression: Expression) -> Expression:
    """An expression over the columns of a relation that have its names, with what is known of them
    there.
    """
    return substitute(expression, _by_name(rows))


def _by_name(rows: Rows) -> Made:
    return {column.name: Ref(column) for column in rows.columns}


def _whole(rows: Rows) -> NormalRows:
    return NormalRows(rows, (), _by_name(rows))


def _same(rows: Rows, dissolve: bool) -> Rows:  # noqa: FBT001 - handed on
    """The one spelling of a relation whose columns, and their order, matter."""
    names = [column.name for column in rows.columns]
    return normal_rows(rows, dissolve=dissolve).with_columns(names)


def _kept(base: Rows, conditions: tuple[Expression, ...]) -> Rows:
    """The rows for which all conditions hold."""
    if not conditions:
        return base
    spelled = NormalSpelling(base.columns)
    condition = spelled.all_of(spelled.of(onto(base, each)) for each in conditions)
    return base if condition == Literal(value=True, type=BOOLEAN) else Filter(base, condition)


def _pushed(
    join: PublicJoin | PersonJoin, conditions: tuple[Expression, ...]
) -> tuple[Rows, tuple[Expression, ...]]:
    """A join with the conditions on its left side below it, and the other conditions."""
    names = {column.name for column in join.left.columns}
    spelled = NormalSpelling(join.columns)
    parts = [part for each in conditions for part in conjuncts(spelled.of(each))]
    below = tuple(part for part in parts if names.issuperset(c.name for c in columns_of(part)))
    left = _kept(join.left, below)
    made = replace(join, left=left, on=tuple((onto(left, a), b) for a, b in join.on))
    return made, tuple(part for part in parts if part not in below)


def _joined(join: PublicJoin | PersonJoin, *, dissolve: bool) -> NormalRows:
    """Which rows of the right side are joined is decided by all their values, so it keeps its
    columns.
    """
    left, right = normal_rows(join.left, dissolve=dissolve), _same(join.right, dissolve)
    taken = {column.name for column in right.columns}
    if any(column.name in taken for column in left.base.columns):
        left = _whole(left.with_columns(column.name for column in join.left.columns))
    own, other = NormalSpelling(left.base.columns), NormalSpelling(right.columns)
    pairs = [(own.of(substitute(a, left.made)), other.of(onto(right, b))) for a, b in join.on]
    placed = {(own.place(a), other.place(b)): (a, b) for a, b in pairs}
    on = tuple(placed[place] for place in sorted(placed))
    made = replace(join, left=left.base, right=right, on=on)
    beside = {c.name: Ref(c) for c in made.columns[len(left.base.columns) :]}
    return NormalRows(made, left.conditions, {**left.made, **beside})


def _union(left: Rows, right: Rows) -> Rows:
    """Two relations one after the other, in an order that does not depend on how they were listed.

    Columns are paired by place and named after the left side, so sides change places only where
    the names are the same on both.
    """
    made = UnionAll(left, right)
    if explain(left) <= explain(right):
        return made
    turned = UnionAll(right, left)
    # columns are the same if their names are, and all that is known of them
    alike = turned.columns == made.columns and turned.protects == made.protects
    return turned if alike else made


def _per_person(rows: PerPerson, *, dissolve: bool) -> PerPerson:
    under, made = normal_rows(rows.source, dissolve=dissolve).filtered()
    spelled = NormalSpelling(under.columns)
    keys = [(name, spelled.of(substitute(each, made))) for name, each in rows.keys]
    totals = [
        total
        if total.argument is None
        else replace(total, argument=spelled.of(substitute(total.argument, made)))
        for total in rows.totals
    ]
    keys.sort(key=lambda key: spelled.place(key[1]))
    totals.sort(
        key=lambda each: (each.quantity, (each.argument and spelled.place(each.argument)) or "")
    )
    return PerPerson(under, tuple(keys), tuple(totals))
