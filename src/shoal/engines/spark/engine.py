"""Spark as an engine: sources become views in our types, and only whole numbers by key come back,
some at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, islice, pairwise
from typing import Any

import numpy as np

from shoal.engines.source_reading import ColumnReading, Loss, check_stated, check_usable
from shoal.engines.spark.connection import a_name, is_lost, told
from shoal.engines.spark.contributions import Contributions
from shoal.engines.spark.dialect import SPARK
from shoal.engines.spark.files import fields_of
from shoal.engines.spark.repeatable_rows import check_repeats
from shoal.engines.spark.running import Progress, running
from shoal.engines.spark.sources import held, opened_as, reading_of, session_of
from shoal.engines.spark.values import pythonic
from shoal.engines.spark.wanted_groups import only_wanted
from shoal.engines.sql import (
    cells,
    count_of_words,
    counted,
    distinct,
    keys_of,
    most_added,
    names_of,
    number_of,
    persons_of,
    select,
    shares,
    size_of,
    splits,
    totals,
    weight_words,
    weights,
)
from shoal.errors import InternalError, SourceError
from shoal.plan import (
    INTEGER,
    Bounded,
    Column,
    Person,
    Quantity,
    Rows,
    Spread,
    Term,
    Value,
    ValueWeights,
    count_of,
    tables_of,
)

Key = tuple[Value, ...]

BATCH = 1 << 16
"""So many keys are handed on at a time."""


MOST_ROWS = 1 << 22
"""So many rows are brought to this process, where rows themselves are asked for: those of public
tables.
"""


class Spark:
    """Named sources, fixed once, and the relations over them, in one session of Spark.

    A source is a frame of Spark, a `SparkTable`, a path that the cluster can read, or a small Arrow
    table or frame that is sent to it.  Rows stay in the cluster: what comes back is one line per
    key, ``BATCH`` of them at a time.  Contributions are computed once and kept as temporary views
    for the next question, at most four, until `close`; the session's own settings are neither
    changed nor relied on.  ``progress`` is called with tasks done and tasks known.
    """

    def __init__(
        self,
        sources: Mapping[str, object],
        *,
        session: Any = None,
        progress: Progress | None = None,
    ) -> None:
        self.session = session_of(sources, session)
        self._readings: dict[str, dict[str, ColumnReading]] = {}
        self._left_out: dict[str, dict[str, str]] = {}
        self._views: dict[str, str] = {}
        self._kept = Contributions(self.session, progress)
        self._progress = progress
        for name, source in sources.items():
            self._make_view(name, *opened_as(held(source, name), name, self.session))

    def _make_view(self, name: str, frame: Any, losses: Mapping[str, Loss]) -> None:
        fields = told(lambda: fields_of(frame))
        readings = {column: reading_of(kind) for column, kind in fields}
        if len(readings) < len(fields):
            raise SourceError(
                f"the source of {name!r} has two columns of one name.", remedy="Rename one of them."
            )
        self._readings[name] = {
            c: reading._replace(loss=losses.get(c, reading.loss))
            for c, reading in readings.items()
            if reading
        }
        self._left_out[name] = {c: kind for c, kind in fields if not readings[c]}
        check_usable(name, self._readings[name])
        check_repeats(name, frame)
        places = {column: f"x{at}" for at, (column, _) in enumerate(fields)}
        outputs = [
            f"{reading.sql.format(places[column])} AS {SPARK.name(column)}"
            for column, reading in self._readings[name].items()
        ]
        self._views[name] = a_name("view")
        plain = frame.toDF(*places.values())
        told(lambda: plain.selectExpr(*outputs).createOrReplaceTempView(self._views[name]))

    def close(self) -> None:
        """Drop what was kept and the views over the sources; the session goes on."""
        self._kept.close()
        with suppress(Exception):  # a session that has ended has dropped them
            for view in self._views.values():
                self.session.catalog.dropTempView(view)

    def columns(self, table: str) -> tuple[Column, ...]:
        return tuple(Column(name, reading.type) for name, reading in self._readings[table].items())

    def left_out(self, table: str) -> Mapping[str, str]:
        return self._left_out[table]

    def view(self, table: str) -> str:
        """The view over a source, in our types; its columns have the names of `SPARK`."""
        return self._views[table]

    def rows(self, relation: Rows, *, persons: bool = False) -> list[tuple[Value, ...]]:
        outputs = [*names_of(relation).values(), *(persons_of(relation) if persons else ())]
        kinds = [column.type for column in relation.columns]
        kinds += relation.person if persons else ()
        found = self.fetched(f"SELECT {', '.join(outputs)} FROM ({self.sql(relation)})")
        rows = [pythonic(row, kinds) for row in islice(found, MOST_ROWS + 1)]
        if len(rows) > MOST_ROWS:
            raise SourceError(
                f"there are more than {MOST_ROWS} rows, too many to be brought to one machine.",
                remedy="A public table is read as a whole: give one of fewer rows, or a summary.",
            )
        return rows

    def read_through(self, relation: Rows) -> None:
        list(self.fetched(counted(relation, self.sql(relation))))

    def totals(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> dict[Key, tuple[int, ...]]:
        found: dict[Key, tuple[int, ...]] = {}
        lines = 0
        for part in self.parts(bounded, soon=soon):
            found |= part
            lines += len(part)
        _check_once(len(found), lines)
        return found

    def parts(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> Iterator[dict[Key, tuple[int, ...]]]:
        self._check(bounded.relation)
        if not bounded.terms:
            for part in self.parts(replace(bounded, terms=(count_of(),)), soon=soon):
                yield dict.fromkeys(part, ())
            return
        kinds, sizes = [key.type for key in bounded.keys], _sizes(bounded)
        with self._kept.in_use():
            rows = _counted(self._lines(bounded, lambda: self._totals_with(bounded, soon)))
            batch = list(islice(rows, BATCH))
            while True:
                found = {
                    pythonic(row[: len(kinds)], kinds): _numbers(row[len(kinds) :], sizes)
                    for row in batch
                }
                _check_once(len(found), len(batch))
                yield found
                if not (batch := list(islice(rows, BATCH))):
                    return

    def _totals_with(self, bounded: Bounded, soon: Bounded | None) -> str:
        """The SELECT of totals; if what is asked next has the same groups, the lines of both are
        found here, where they are few.

        Each is then kept as if it had been found by itself, for its own SELECT.
        """
        sql = self._totals(bounded, soon)
        if soon is None or not _are_found_together(bounded, soon) or self._kept.has(sql):
            return sql
        both = replace(bounded, terms=tuple(dict.fromkeys((*bounded.terms, *soon.terms))))
        if (lines := self._kept.few(self._totals(both, None), self.fetched)) is not None:
            for each, of in ((soon, self._totals(soon, None)), (bounded, sql)):
                places = _places(each, both)
                self._kept.keep(of, [tuple(line[at] for at in places) for line in lines])
        return sql

    def _totals(self, bounded: Bounded, soon: Bounded | None) -> str:
        """The SELECT of totals, with the numbers of distinct values in their places."""
        apart = [t for t in bounded.terms if t.quantity is Quantity.DISTINCT]
        sql = self._summed(bounded, soon)
        if not apart:
            return sql
        by = keys_of(bounded)
        names = [f"o{at}" for at in range(len(by) + sum(_sizes(bounded)) + 1)]
        listed, place = [f"t.{name}" for name in names], len(by)
        joined = f"({sql}) AS t({', '.join(names)})"
        for term, size in zip(bounded.terms, _sizes(bounded), strict=True):
            if term in apart:
                at = apart.index(term)
                listed[place] = f"COALESCE(d{at}.d, 0)"
                columns = ", ".join([*by, "d"])
                same = " AND ".join(f"t.o{n} <=> d{at}.{key}" for n, key in enumerate(by))
                joined += f" LEFT JOIN ({self._distinct(bounded.values(term))}) AS d{at}({columns})"
                joined += f" ON {same or 'TRUE'}"
            place += size
        return f"SELECT {', '.join(listed)} FROM {joined}"

    def _summed(self, bounded: Bounded, soon: Bounded | None) -> str:
        if not isinstance(bounded.unit, Person):
            return totals(bounded, f"({cells(bounded, self._views, SPARK)})", SPARK)
        wanted = [bounded, *([soon] if soon is not None and bounded.has_groups_of(soon) else [])]
        names = tuple(names_of(bounded.relation))  # terms say their columns by name, SQL by place
        kept = self._kept.cells(
            (cells(replace(bounded, terms=()), self._views, SPARK), names),
            _added(wanted),
            lambda terms: cells(replace(bounded, terms=terms), self._views, SPARK),
        )
        others = [term for term in bounded.terms if term not in kept.terms]
        whole = replace(bounded, terms=(*kept.terms, *others))
        return totals(whole, kept.name, SPARK, of=bounded.terms, everyone=not bounded.keys)

    def _distinct(self, spread: Spread) -> str:
        return distinct(spread, self._splits(spread), SPARK)

    def shares(self, bounded: Bounded) -> dict[tuple[int, int], int]:
        self._check(bounded.relation)
        with self._kept.in_use():
            made = cells(replace(bounded, terms=()), self._views, SPARK)
            found = list(self._lines(bounded, lambda: shares(bounded, self._kept.table(made))))
        return {(int(groups), int(most)): int(persons) for groups, most, persons in found}

    def weights(self, spread: Spread) -> dict[Key, ValueWeights]:
        self._check(spread.relation)
        if spread.only == ():
            return {}
        width, words = len(spread.keys) + 1, len(weight_words(spread, SPARK))
        kinds = [key.type for key in spread.keys]
        kinds.append(INTEGER if spread.grid is not None else spread.value.type)
        points = spread.grid is not None
        found: dict[Key, tuple[Any, Any]] = {}
        with self._kept.in_use():
            if spread.only is not None and isinstance(spread.unit, Person):  # of all keys
                sums = self._lines(spread, lambda: f"SELECT SUM(c) FROM {self._splits(spread)}")
                list(_counted(sums))
            made = self._lines(
                spread, lambda: only_wanted(weights(spread, self._splits(spread), SPARK), spread)
            )
            for row in _counted(made):
                *key, value = pythonic(row[:width], kinds)
                weight = number_of(row[width : width + words], SPARK)
                columns = found.setdefault(tuple(key), _no_columns(points=points))
                columns[0].append(value)
                columns[1].append(weight)
        return {key: _weighed(*found.pop(key), points=points) for key in list(found)}

    def _splits(self, spread: Spread) -> str:
        """The table of splits; those of protected rows are as few as there are values, and are not
        kept.
        """
        made = splits(spread, self._views, SPARK)
        return self._kept.table(made) if isinstance(spread.unit, Person) else f"({made})"

    def sql(self, relation: Rows) -> str:
        """The SELECT that computes a relation: columns c0, c1, ..., the person's key p0, p1, ..."""
        self._check(relation)
        return select(relation, self._views, SPARK)

    def _lines(
        self, plan: Bounded | Spread, select: Callable[[], str]
    ) -> Iterator[tuple[Any, ...]]:
        """The lines of a SELECT over contributions; where a part of these is lost, they are made
        again, once.

        Lines that were handed on are not taken back: what is lost after the first of them is told.
        If somebody else who lost a part has dropped the tables meanwhile, they are as good as lost;
        nobody drops what was made again after that.
        """
        for again in (False, True):
            came, before = False, self._kept.closed
            try:
                for line in self._found(plan, select()):
                    came = True
                    yield line
            except SourceError as error:
                if is_lost(error):
                    self._kept.close(unless_after=before)
                if again or came or self._kept.closed == before:
                    raise
            else:
                return

    def _found(self, plan: Bounded | Spread, sql: str) -> Iterator[tuple[Any, ...]]:
        """Lines, in parts where there may be very many; those of contributions, which do not
        change, are found once.
        """
        if not isinstance(plan.unit, Person):
            is_one = isinstance(plan, Bounded) and not plan.keys
            return self.fetched(sql) if is_one else self._in_parts(sql)
        few = self._kept.few(sql, self.fetched)
        if few is None:
            return self._in_parts(sql)
        self._kept.keep(sql, few)
        return iter(few)

    def _in_parts(self, sql: str) -> Iterator[tuple[Any, ...]]:
        with self._kept.in_parts(sql) as lines:
            yield from self.fetched(lines)

    def fetched(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The lines of a SELECT made here, as they come; an error of the engine is told without its
        text.
        """
        with running(self.session, self._progress):
            lines = told(lambda: self.session.sql(sql).toLocalIterator())
            while (line := told(lambda: next(lines, None))) is not None:
                yield tuple(line)

    def check(self, relation: Rows) -> None:
        """Refuse tables that are stated otherwise than their sources have them, or whose persons
        cannot be told apart.
        """
        self._check(relation)

    def _check(self, relation: Rows) -> None:
        for table in tables_of(relation).values():
            check_stated(table, self._readings.get(table.name))


def _check_once(keys: int, lines: int) -> None:
    """One of two lines with the same key would be lost, and with it the bound on what a person
    adds.
    """
    if keys != lines:
        raise InternalError("two groups came back under one key.", remedy="Please report it.")


def _no_columns(*, points: bool) -> tuple[Any, Any]:
    """Room for values and weights: arrays take 16 bytes a point, where Python's numbers take ten
    times as much.
    """
    return (array("q"), array("q")) if points else ([], [])


def _weighed(values: Any, weights: Any, *, points: bool) -> ValueWeights:
    """The weights of one group, of which each value came once."""
    if not points:
        found = dict(zip(values, weights, strict=True))
        _check_once(len(found), len(values))
        return ValueWeights.of(found, points=False)
    at = np.frombuffer(values, np.int64)
    order = np.argsort(at)
    held = at[order]
    _check_once(1 + int(np.count_nonzero(held[1:] != held[:-1])), len(held))
    return ValueWeights(held, np.frombuffer(weights, np.int64)[order])


def _added(wanted: Sequence[Bounded]) -> tuple[Term, ...]:
    """The terms of some plans for which each row adds a number of its own, each once."""
    terms = dict.fromkeys(term for bounded in wanted for term in bounded.terms)
    return tuple(t for t in terms if t.argument and t.quantity is not Quantity.DISTINCT)


def _are_found_together(bounded: Bounded, soon: Bounded) -> bool:
    """Whether two plans differ in their terms alone, and all of these are added up over the same
    cells.
    """
    return (
        isinstance(bounded.unit, Person)
        and bounded.has_groups_of(soon)
        and (bounded.norm, bounded.possible) == (soon.norm, soon.possible)
        and all(t.quantity is not Quantity.DISTINCT for t in (*bounded.terms, *soon.terms))
    )


def _places(bounded: Bounded, both: Bounded) -> list[int]:
    """Where the line of a plan stands in the line of one with more terms: its keys, the words of
    its terms, the number of rows.
    """
    ends = list(accumulate(_sizes(both), initial=len(both.keys)))
    begins = dict(zip(both.terms, pairwise(ends), strict=True))
    words = [at for term in bounded.terms for at in range(*begins[term])]
    return [*range(len(both.keys)), *words, ends[-1]]


def _sizes(bounded: Bounded) -> list[int]:
    """In how many words the total of each term comes; what a cell adds must fit 64 bits
    (`exactness.md`).
    """
    sizes = [size_of(bounded, term) for term in bounded.terms]
    if any(size >> 63 for size in sizes):
        raise InternalError("a cell would add more than 64 bits hold.", remedy="Please report it.")
    return [count_of_words(size, SPARK) for size in sizes]


def _numbers(row: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
    """Totals of their words; the number of rows behind them is left."""
    words = iter(row)
    return tuple(number_of(list(islice(words, size)), SPARK) for size in sizes)


def _counted(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Lines whose last number says of how many rows they are; more rows than sums are exact for are
    refused.
    """
    seen, most = 0, most_added(SPARK)
    for row in rows:
        seen += int(row[-1] or 0)
        if most is not None and seen > most:
            raise SourceError(
                f"there are more than {most} rows, for which sums are not known to be exact.",
                remedy="Ask of fewer rows: a part of the table at a time.",
            )
        yield row
