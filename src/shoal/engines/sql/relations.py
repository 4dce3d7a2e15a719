"""A relation as one SELECT; its columns are c0, c1, ..., the person's key p0, p1, ...

No name of a table's column goes further than the scan, so that a hostile name has nothing to say.
"""

from __future__ import annotations

from collections.abc import Mapping

from shoal.engines.sql.dialect import Dialect, value
from shoal.engines.sql.expressions import Layers, lowered
from shoal.engines.sql.per_person import aggregated
from shoal.engines.sql.within_person import told
from shoal.plan import (
    TEXT,
    Call,
    Column,
    Expression,
    Filter,
    Kind,
    Literal,
    PerPerson,
    Person,
    PersonJoin,
    Project,
    PublicJoin,
    Ref,
    Rows,
    Scan,
    UnionAll,
    WithinPerson,
    columns_of,
    value_at,
)
from shoal.plan.facts import lowest

Names = frozenset[str]
"""Names of columns."""


def select(
    rows: Rows, sources: Mapping[str, str], dialect: Dialect, read: Names = frozenset()
) -> str:
    """The rows of a relation as a SELECT in a dialect; ``sources`` says what to read each table
    from.

    ``read`` are the columns known to be read of every row, for which a scan may take more trouble.
    """
    match rows:
        case Scan():
            return _scan(rows, sources, dialect, read, [])
        case Filter(source, condition):
            return computed(source, [], condition, sources, dialect, read=read)
        case Project(source, named):
            below = read_by(*(e for name, e in named if name in read))
            return computed(source, [e for _, e in named], None, sources, dialect, read=below)
        case UnionAll(left, right):
            places = [at for at, column in enumerate(rows.columns) if column.name in read]
            return " UNION ALL ".join(
                f"SELECT {_outputs(side)} FROM ({select(side, sources, dialect, _at(side, places))})"
                for side in (left, right)
            )
        case PublicJoin() | PersonJoin():
            return _join(rows, sources, dialect, read)
        case PerPerson(source):
            inner = select(source, sources, dialect, read_by(*rows.expressions))
            return aggregated(rows, inner, names_of(source), persons_of(source), dialect)
        case WithinPerson(source):
            every = frozenset(names_of(source))  # all of them decide the order
            inner = select(source, sources, dialect, every)
            return told(rows, inner, names_of(source), persons_of(source), dialect)


def read_by(*expressions: Expression | None) -> Names:
    """The columns that expressions read."""
    return frozenset(column.name for e in expressions if e for column in columns_of(e))


def _at(rows: Rows, places: list[int]) -> Names:
    return frozenset(rows.columns[at].name for at in places)


def names_of(rows: Rows) -> dict[str, str]:
    """How the columns of a relation are written in its SELECT."""
    return {column.name: f"c{at}" for at, column in enumerate(rows.columns)}


def persons_of(rows: Rows) -> list[str]:
    """How the person's key is written in the SELECT of a relation."""
    return [f"p{at}" for at in range(len(rows.person))]


def _outputs(rows: Rows) -> str:
    return ", ".join([*names_of(rows).values(), *persons_of(rows)])


def computed(
    source: Rows,
    expressions: list[Expression],
    condition: Expression | None,
    sources: Mapping[str, str],
    dialect: Dialect,
    *,
    read: Names = frozenset(),
) -> str:
    """Expressions over a relation, of the rows that satisfy a condition; without any, all its
    columns.
    """
    layers, names = Layers(), names_of(source)
    pieces = [lowered(expression, names, layers, dialect) for expression in expressions]
    where = lowered(condition, names, layers, dialect) if condition is not None else None
    outputs = [f"{piece.sql} AS c{at}" for at, piece in enumerate(pieces)]
    listed = ", ".join([*(outputs or names.values()), *persons_of(source)])
    held = read | read_by(condition)
    inner = (
        _scan(source, sources, dialect, held, _equal(source, condition, dialect))
        if isinstance(source, Scan) and condition is not None
        else select(source, sources, dialect, held)
    )
    below = layers.over(f"({inner})")
    return f"SELECT {listed} FROM {below}" + (f" WHERE {where.sql}" if where else "")


def counted(rows: Rows, sql: str) -> str:
    """The SELECT that reads every value of a relation, of which ``sql`` is the SELECT, and tells
    how many there are.
    """
    counts = ", ".join(f"COUNT({name})" for name in names_of(rows).values())
    return f"SELECT {counts} FROM ({sql})"


def _equal(scan: Scan, condition: Expression, dialect: Dialect) -> list[str]:
    """What a condition says of texts as they are stored, for an engine that finds equal ones fast.

    A text that was cut has all the letters it may have, so only a text that was not cut equals a
    shorter constant.
    """
    match condition:
        case Call("and", (left, right)):
            return _equal(scan, left, dialect) + _equal(scan, right, dialect)
        case Call("eq" | "in", (Ref(column), *constants)) if _is_cut(column):
            texts = [c.value for c in constants if isinstance(c, Literal) and c.value is not None]
            if len(texts) == len(constants) and all(len(str(t)) < column.length for t in texts):
                listed = ", ".join(value(text, TEXT, dialect) for text in texts)
                return [f"s.{dialect.name(column.name)} IN ({listed})"]
    return []


def _is_cut(column: Column) -> bool:
    return column.type == TEXT and column.choices is None


def _scan(
    scan: Scan, sources: Mapping[str, str], dialect: Dialect, read: Names, only: list[str]
) -> str:
    table, protects = scan.table, scan.protects
    joined = [c for c in table.columns if dialect.listed and c.name in read and _many(c)]
    looked_up = {column.name: f"n{at}" for at, column in enumerate(joined)}
    outputs = [
        f"{_made_true(c, dialect, looked_up.get(c.name, ''))} AS c{at}"
        for at, c in enumerate(table.columns)
    ]
    person = protects.columns if isinstance(protects, Person) else ()
    outputs += [f"s.{dialect.name(name)} AS p{at}" for at, name in enumerate(person)]
    if person and table.space is not None:
        space = dialect.one_of_equals(dialect.text(table.space), Kind.TEXT)
        outputs.append(f"{space} AS p{len(person)}")
    sql = f"SELECT {', '.join(outputs)} FROM {sources[table.name]} AS s"
    for column in joined:
        at, values = looked_up[column.name], dialect.listed.format(_choices(column, dialect))
        sql += f" LEFT JOIN ({values}) AS {at} ON s.{dialect.name(column.name)} = {at}.v"
    if isinstance(protects, Person) and protects.nulls == "drop":
        only = [*only, *(f"s.{dialect.name(name)} IS NOT NULL" for name in person)]
    return f"{sql} WHERE {' AND '.join(only)}" if only else sql


def _many(column: Column) -> bool:
    """Whether a column is one of so many texts that to compare them one by one is slow."""
    return column.choices is not None and column.type == TEXT and len(column.choices) > 3


def _choices(column: Column, dialect: Dialect) -> str:
    assert column.choices is not None
    return ", ".join(value(choice, column.type, dialect) for choice in column.choices)


def _made_true(column: Column, dialect: Dialect, looked_up: str) -> str:
    """A column as its facts say; ``looked_up`` is where the choice that a text is was joined, if it
    was.
    """
    name = f"s.{dialect.name(column.name)}"
    least = "" if column.nullable else value(lowest(column), column.type, dialect)
    if (
        looked_up
    ):  # the text itself, not the one joined: it may be known by its place in a dictionary
        return f"CASE WHEN {looked_up}.v IS NULL THEN {least or 'NULL'} ELSE {name} END"
    sql = name
    if column.choices is not None:
        many = dialect.one_of_many and _many(column)
        form = dialect.one_of_many if many else "CASE WHEN {0} IN ({1}) THEN {0} END"
        sql = form.format(name, _choices(column, dialect))
    elif column.span is not None:
        lo, hi = (value_at(end, column.type) for end in (column.span.lo, column.span.hi))
        low, high = (value(end, column.type, dialect) for end in (lo, hi))
        sql = (
            f"CASE WHEN {name} < {low} THEN {low} WHEN {name} > {high} THEN {high} ELSE {name} END"
        )
    elif _is_cut(column):  # no text has more letters than bytes
        sql = dialect.cut.format(name, column.length)
    return f"COALESCE({sql}, {least})" if least else sql


def _side(
    rows: Rows, keys: list[Expression], sources: Mapping[str, str], dialect: Dialect, read: Names
) -> str:
    """A side of a join with its keys added as k0, k1, ..."""
    layers, names = Layers(), names_of(rows)
    pieces = [lowered(key, names, layers, dialect) for key in keys]
    added = "".join(f", {piece.sql} AS k{at}" for at, piece in enumerate(pieces))
    held = read.intersection(names) | read_by(*keys)
    return f"SELECT *{added} FROM {layers.over(f'({select(rows, sources, dialect, held)})')}"


def _join(
    join: PublicJoin | PersonJoin, sources: Mapping[str, str], dialect: Dialect, read: Names
) -> str:
    left = _side(join.left, [pair[0] for pair in join.on], sources, dialect, read)
    right = _side(join.right, [pair[1] for pair in join.on], sources, dialect, read)
    keys = [f"k{at}" for at in range(len(join.on))]
    keys += persons_of(join.right) if isinstance(join, PersonJoin) else []
    order = ", ".join(f"{name} ASC NULLS FIRST" for name in names_of(join.right).values())
    # Ranked by all columns, so that which rows are kept does not depend on the order in which an
    # engine reads.
    ranked = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {', '.join(keys)} ORDER BY {order}) AS r FROM ({right})"
    outputs = [f"l.{name}" for name in names_of(join.left).values()]
    count = len(outputs)
    outputs += [
        f"r.{name} AS c{count + at}" for at, name in enumerate(names_of(join.right).values())
    ]
    outputs += [f"l.{name}" for name in persons_of(join.left)]
    agree = " AND ".join(f"l.{key} = r.{key}" for key in keys)
    return (
        f"SELECT {', '.join(outputs)} FROM ({left}) AS l {join.kind.upper()} JOIN "
        f"(SELECT * FROM ({ranked}) WHERE r <= {join.at_most}) AS r ON {agree}"
    )
