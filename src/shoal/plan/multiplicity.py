"""How many rows agree in given columns, as far as the keys of tables say."""

from __future__ import annotations

from shoal.plan.expression import Ref
from shoal.plan.per_person import PerPerson
from shoal.plan.relation import Filter, PersonJoin, Project, PublicJoin, Rows, Scan
from shoal.plan.within_person import WithinPerson


def rows_per_key(rows: Rows, names: frozenset[str]) -> int | None:
    """The greatest number of rows (of one person, if private) that agree in the named columns.

    None if no key of a table says so.  What is stated of fewer columns holds for more of them.
    """
    match rows:
        case Scan(table):
            known = [count for key, count in table.keys.items() if set(key) <= names]
            return min(known, default=None)
        case Filter(source) | WithinPerson(source):
            return rows_per_key(source, names)
        case Project(source, named):
            back = {name: e.column.name for name, e in named if isinstance(e, Ref)}
            return rows_per_key(source, frozenset(back[name] for name in names if name in back))
        case PublicJoin() | PersonJoin():
            own = rows_per_key(rows.left, names & {column.name for column in rows.left.columns})
            return own and own * rows.at_most
        case PerPerson():
            return 1 if names.issuperset(name for name, _ in rows.grouping) else None
    return None
