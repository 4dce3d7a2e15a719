"""One spelling of a question: the same question in other words has the same plan, so that it is
answered once.

Keys and aggregates are put in an order of their own, too; what is shown of them, under which names
and in which order, stays as it was asked.  Proof: normal_questions.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.errors import ShoalError
from shoal.plan.expression import Expression, substitute
from shoal.plan.meaning import values_of
from shoal.plan.normal_expressions import NormalSpelling
from shoal.plan.normal_rows import normal_rows
from shoal.plan.person_rows import known_rows, share_of
from shoal.plan.protected_unit import Person
from shoal.plan.question import (
    Aggregate,
    FromTable,
    Key,
    Known,
    Listed,
    Query,
    Statistic,
    known_values,
)
from shoal.plan.relation import Rows

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
