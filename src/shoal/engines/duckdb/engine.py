"""DuckDB as an engine: sources become views in our types, relations become one SELECT over them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any

from shoal.engines.csv_file import CsvFile
from shoal.engines.duckdb import csv_reading
from shoal.engines.duckdb.callers_database import HandedOver
from shoal.engines.duckdb.connection import described_by, locked, opened, stopped_after
from shoal.engines.duckdb.connection import guarded as _guarded
from shoal.engines.duckdb.connection import told as _told
from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.duckdb.fetching import (
    MOST_ROWS,
    Groups,
    Wanted,
    fetched,
    fetched_arrays,
    groups_of,
    sortable,
)
from shoal.engines.duckdb.histograms import (
    by_value,
    grouped_histograms,
    sorted_histograms,
    sorted_values,
)
from shoal.engines.duckdb.sorting import totals_of
from shoal.engines.duckdb.sources import (
    DuckTable,
    FileOf,
    attach,
    read_in_part,
    readable,
    reading_of,
)
from shoal.engines.limits import NONE, EngineLimits
from shoal.engines.source_reading import ColumnReading, check_stated, check_usable, in_part
from shoal.engines.sql import (
    cells,
    distinct,
    names_of,
    persons_of,
    select,
    shares,
    splits,
    totals,
    weights,
)
from shoal.errors import SourceError
from shoal.plan import (
    REAL,
    Bounded,
    Column,
    Quantity,
    Rows,
    Spread,
    Table,
    Term,
    Value,
    ValueWeights,
    count_of,
    tables_of,
)
from shoal.plan.used_columns import (
    WIDE,
    columns_read,
    narrowed_rows,
    narrowed_totals,
    narrowed_weights,
)

Totals = tuple[list[tuple[Value, ...]], list[list[int]]]
"""The groups there are, and for each term one total per group."""

Weights = dict[tuple[Value, ...], ValueWeights]
"""The weight of each value, by key."""

_MOST_KEPT, _MOST_ANSWERED = 4, 1 << 22
"""How many tables of contributions and of groups, and how many numbers that were found, are kept.
"""

_MOST_GROUPS = 1 << 16
"""More groups than this are looked for anew each time: their names take memory."""


_MOST_COLUMNS = 2048
"""How many columns of a wide source are read through at once."""

_COPIES = 16
"""How often a row may stand in a table, on average, so that a sample of its rows is still full."""


class DuckDB:
    """Named sources, fixed once, and the relations over them.

    A source is a path to Parquet or CSV, an Arrow table, a pandas or polars frame, or a
    `DuckTable`.  Once made, the engine reads these and no other file, and fetches nothing.  Up to
    ``most_rows`` rows are brought into memory to be sorted by person, which is several times as
    fast; the answer is the same.

    >>> import pyarrow as pa
    >>> engine = DuckDB({"people": pa.table({"age": [41, None], "tags": [["x"], []]})})
    >>> [str(column) for column in engine.columns("people")], dict(engine.left_out("people"))
    (['age integer'], {'tags': 'VARCHAR[]'})
    """

    def __init__(
        self,
        sources: Mapping[str, object],
        *,
        threads: int | None = None,
        limits: EngineLimits = NONE,
        most_rows: int = MOST_ROWS,
    ) -> None:
        self._most_rows, self._seconds = most_rows, limits.seconds
        found = {name: readable(source, name) for name, source in sources.items()}
        self._handed_over = _handed_over(found, limits)
        self._connection = (
            self._handed_over.connection
            if self._handed_over
            else opened(threads=threads, memory=limits.memory)
        )
        self._lock = Lock()  # a connection serves one thread at a time
        self._readings: dict[str, dict[str, ColumnReading]] = {}
        self._left_out: dict[str, dict[str, str]] = {}
        self._views: dict[str, str] = {}
        self._written: dict[str, str] = {}
        self._described: dict[str, list[tuple[str, str]]] = {}
        self._wide_files: dict[str, CsvFile] = {}
        self._kept: dict[str, str] = {}
        self._answered: dict[object, Any] = {}
        self._sizes: dict[object, int] = {}
        self._numbered: dict[tuple[object, ...], Groups] = {}
        self._made = 0
        # Tables of a connection that was handed over can change under us, so nothing found in
        # them is kept.
        self._keeps = self._handed_over is None
        for at, (name, source) in enumerate(found.items()):
            self._make_view(name, self._attached(source, name, at), at, source)
        if self._keeps:
            files = [s for s in found.values() if isinstance(s, FileOf | CsvFile)]
            paths = [str(path) for file in files for path in file.paths]
            # Locked last, when all views are there: from now on no SQL can reach another file or
            # the network.
            locked(self._connection, paths)

    def _attached(self, source: object, name: str, at: int) -> str:
        """How a source is written in FROM."""
        if self._handed_over and isinstance(source, DuckTable) and _borrowed(source):
            return self._handed_over.located(source.table, name)
        return attach(self._connection, source, name, at)

    def _make_view(self, name: str, written: str, at: int, source: object) -> None:
        if isinstance(source, CsvFile) and len(source.types) > WIDE:
            self._wide_files[name] = source
            described = csv_reading.described(source)
        else:
            described = _told(lambda: described_by(self._connection, written))
        self._described[name] = described
        readings = {column: reading_of(kind) for column, kind in described}
        for column in read_in_part(source):  # cells that do not fit are NULL before they are read
            readings[column] = in_part(readings[column])
        self._readings[name] = {c: reading for c, reading in readings.items() if reading}
        self._left_out[name] = {c: kind for c, kind in described if not readings[c]}
        check_usable(name, self._readings[name])
        self._written[name] = written
        if len(self._readings[name]) <= WIDE:
            sql = f"CREATE TEMP VIEW shoal_view_{at} AS {self._in_our_types(name)}"
            _guarded(self._connection, sql)
            self._views[name] = f"shoal_view_{at}"

    def _in_our_types(self, name: str, columns: Collection[str] | None = None) -> str:
        """The SELECT of a source, or of some of its columns, each read as a type of ours."""
        readings = self._readings[name]
        listed = ", ".join(
            f"{_read(readings[column], DUCKDB.name(column))} AS {DUCKDB.name(column)}"
            for column in readings
            if columns is None or column in columns
        )
        file = self._wide_files.get(name)
        written = self._written[name] if file is None else csv_reading.typed_sql(file, columns)
        return f"SELECT {listed} FROM {written}"

    def _sources(self, relation: Rows) -> dict[str, str]:
        """What each table is read from: its view or, where it is wide, no more than the columns
        that are used.
        """
        return {
            name: self._views.get(name) or f"({self._in_our_types(name, columns)})"
            for name, columns in columns_read(relation).items()
        }

    def columns(self, table: str) -> tuple[Column, ...]:
        return tuple(Column(name, reading.type) for name, reading in self._readings[table].items())

    def left_out(self, table: str) -> Mapping[str, str]:
        return self._left_out[table]

    def rows(self, relation: Rows, *, persons: bool = False) -> list[tuple[Value, ...]]:
        outputs = [*names_of(relation).values(), *(persons_of(relation) if persons else ())]
        return self.run(f"SELECT {', '.join(outputs)} FROM ({self.sql(relation)})")

    def least_hashes(
        self, table: str, columns: Sequence[str], key: str, most: int, *, persons: bool
    ) -> list[str]:
        """The smallest hashes, under a key, of the persons that some columns name, or of rows;
        equal ones count once.

        Telling all rows apart would take memory for all of them, so of rows a few more are fetched,
        and told apart afterwards.
        """
        names = [DUCKDB.name(column) for column in columns]
        texts = ", ".join(f"coalesce(CAST({name} AS VARCHAR), chr(30))" for name in names)
        source = self._views.get(table) or f"({self._in_our_types(table, columns)})"
        read = f"SELECT {', '.join(names)} FROM {source}"
        if persons:
            named = " AND ".join(f"{name} IS NOT NULL" for name in names)
            read = f"SELECT DISTINCT {', '.join(names)} FROM ({read}) WHERE {named}"
        # Control characters, which texts hardly ever hold, stand between columns and for NULL.
        hashed = f"left(sha256(concat_ws(chr(31), '{key}', {texts})), 16)"
        # DISTINCT over whole rows would hold all of them; sixteen times as many hashes are enough
        # unless rows stand there more often than that on average.
        limit = most if persons else _COPIES * most
        found = self.run(f"SELECT {hashed} AS h FROM ({read}) ORDER BY h LIMIT {limit}")
        return sorted({each for (each,) in found})[:most]

    def read_through(self, relation: Rows) -> None:
        """Read every value of the sources themselves.

        DuckDB plans many aggregates slowly, so those of wide tables are one, some columns at a
        time.
        """
        self.check(relation)
        for table in tables_of(relation).values():
            readings, written = self._readings[table.name], self._written[table.name]
            names = [DUCKDB.name(each.name) for each in table.columns]
            if (file := self._wide_files.get(table.name)) is not None:  # texts; no cast can fail
                written, names = (
                    csv_reading.csv_sql(file),
                    [f"c{n}" for n in range(len(file.types))],
                )
            if len(names) <= WIDE:
                asked = map(
                    ColumnReading.asked, (readings[each.name] for each in table.columns), names
                )
                self.run(f"SELECT {', '.join(asked)} FROM {written}")
                continue
            for at in range(0, len(names), _MOST_COLUMNS):
                some = ", ".join(names[at : at + _MOST_COLUMNS])
                self.run(f"SELECT BIT_XOR(HASH({some})) FROM {written}")

    def totals(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> dict[tuple[Value, ...], tuple[int, ...]]:
        for table in tables_of(bounded.relation).values():
            self._check(table)
        bounded, soon = narrowed_totals(bounded, soon)
        if not bounded.terms:
            return dict.fromkeys(self.totals(replace(bounded, terms=(count_of(),))), ())
        asked = self._asked(bounded)
        with self._turn():
            found = {term: self._answered[a] for term, a in asked.items() if a in self._answered}
            missing = [self._missing(bounded)] if len(found) < len(asked) else []
            if missing and soon is not None and self._keeps and bounded.has_groups_of(soon):
                missing.append(self._missing(soon))
            found |= self._added([each for each in missing if each.terms])
            # Totals of two moments must not be mixed in one answer.
            if any(column.keys() != found[bounded.terms[0]].keys() for column in found.values()):
                found = self._added([bounded])  # the source was written since
        keys = list(found[bounded.terms[0]])
        rows = zip(*(map(found[term].__getitem__, keys) for term in bounded.terms), strict=True)
        return dict(zip(keys, rows, strict=True))

    def parts(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> Iterator[dict[tuple[Value, ...], tuple[int, ...]]]:
        yield self.totals(bounded, soon=soon)

    def _asked(self, bounded: Bounded) -> dict[Term, tuple[object, ...]]:
        """Under which name the totals of each term are kept.

        A term says its columns by name, and SQL by place: the same term means another one where
        names have changed places.
        """
        frame, names = self._frame(bounded), tuple(names_of(bounded.relation))
        return {term: (frame, names, term) for term in bounded.terms}

    def _missing(self, bounded: Bounded) -> Bounded:
        """A plan with those of its terms whose totals are not kept."""
        asked = self._asked(bounded)
        return replace(bounded, terms=tuple(t for t, a in asked.items() if a not in self._answered))

    def _added(self, wanted: list[Bounded]) -> dict[Term, dict[tuple[Value, ...], int]]:
        """The totals of plans with rows and keys in common, computed now and kept; those of the
        first.
        """
        made = []
        for bounded, (keys, columns) in zip(wanted, self._computed(wanted), strict=True):
            by_term = zip(bounded.terms, columns, strict=True)
            made.append({term: dict(zip(keys, column, strict=True)) for term, column in by_term})
            for term, asked in self._asked(bounded).items():
                self._keep(asked, made[-1][term], len(keys))
        return made[0] if made else {}

    def _frame(self, bounded: Bounded) -> str:
        """What two totals of the same term differ by: rows, keys, and the shares of persons in a
        norm.
        """
        alone = replace(bounded, terms=(count_of(),))
        return cells(alone, self._sources(alone.relation), DUCKDB) + totals(alone, "", DUCKDB)

    def _computed(self, wanted: list[Bounded]) -> Iterator[Totals]:
        """Every key that rows have, and the totals of each term: by sorting where rows fit into
        memory.
        """
        for bounded, found in zip(wanted, self._sorted(wanted), strict=True):
            keys, columns = found or self._grouped(bounded)
            for at, term in enumerate(bounded.terms):
                if term.quantity is Quantity.DISTINCT:
                    counts = self._distinct(bounded.values(term), len(bounded.keys))
                    columns[at] = [counts.get(key, 0) for key in keys]
            yield keys, columns

    def _sorted(self, wanted: list[Bounded]) -> list[Totals | None]:
        if not (wanted and sortable(wanted[0])):
            return [None for _ in wanted]
        terms = dict.fromkeys(term for bounded in wanted for term in bounded.terms)
        sources = self._sources(wanted[0].relation)
        got = self._fetched(Wanted.totals(replace(wanted[0], terms=tuple(terms)), sources))
        if got is None:
            return [None for _ in wanted]
        groups, rows = got
        found = _told(lambda: totals_of(wanted, rows))
        return [None if each is None else (list(groups.keys), each) for each in found]

    def _fetched(
        self, wanted: Wanted, read: Callable[..., Any] = fetched
    ) -> tuple[Groups, Any] | None:
        """Rows that fit into memory, with their groups; groups, if not too many, are kept as totals
        are.
        """
        frame = wanted.grouped, wanted.keys
        kept = self._numbered.pop(frame, None)
        groups = kept or self._groups(wanted)
        try:
            rows = _told(lambda: read(self._connection, wanted, groups, self._most_rows))
            if rows is None and kept:  # the source was written since
                self._drop(kept.table)
                groups = self._groups(wanted)
                rows = _told(lambda: read(self._connection, wanted, groups, self._most_rows))
        finally:
            self._numbered[frame] = groups
            keeps = self._keeps and len(groups.keys) <= _MOST_GROUPS
            # Dictionaries keep the order of insertion, and what is used is put in again: the
            # first is the one used longest ago.
            while len(self._numbered) > (_MOST_KEPT if keeps else 0):
                self._drop(self._numbered.pop(next(iter(self._numbered))).table)
        return None if rows is None else (groups, rows)

    def _groups(self, wanted: Wanted) -> Groups:
        self._made += 1
        table = f"shoal_groups_{self._made}"
        found: Groups = _told(lambda: groups_of(self._connection, wanted, table))
        return found

    def _drop(self, table: str) -> None:
        if table:
            _guarded(self._connection, f"DROP TABLE IF EXISTS {table}")

    def _grouped(self, bounded: Bounded) -> Totals:
        width = len(bounded.keys)
        with self._contributions(cells(bounded, self._sources(bounded.relation), DUCKDB)) as name:
            rows = _guarded(self._connection, totals(bounded, name, DUCKDB))
        found = list(zip(*rows, strict=True)) or [()] * (width + len(bounded.terms))
        keys = [row[:width] for row in rows]
        return keys, [list(map(int, column)) for column in found[width:]]

    def _distinct(self, spread: Spread, width: int) -> dict[tuple[Value, ...], int]:
        sorted_ = self._sorted_weights(spread)
        if sorted_ is not None:
            whole = spread.fraction
            return {
                key: sum(min(whole, w) for w in each.weights.tolist())
                for key, each in sorted_.items()
            }
        with self._contributions(splits(spread, self._sources(spread.relation), DUCKDB)) as name:
            rows = _guarded(self._connection, distinct(spread, name, DUCKDB))
        return {row[:width]: int(row[width]) for row in rows}

    def _keep(self, asked: object, found: Any, numbers: int) -> None:
        """Remember what was found, so many numbers; not for a connection that was handed over: its
        tables may change.
        """
        if not self._keeps:
            return
        self._answered[asked] = found
        self._sizes[asked] = numbers
        while sum(self._sizes.values()) > _MOST_ANSWERED:
            oldest = next(iter(self._answered))
            del self._answered[oldest], self._sizes[oldest]

    def shares(self, bounded: Bounded) -> dict[tuple[int, int], int]:
        for table in tables_of(bounded.relation).values():
            self._check(table)
        bounded, _ = narrowed_totals(bounded, None)
        made = cells(bounded, self._sources(bounded.relation), DUCKDB)
        with self._turn(), self._contributions(made) as name:
            rows = _guarded(self._connection, shares(bounded, name))
        return {(int(groups), int(most)): int(persons) for groups, most, persons in rows}

    def weights(self, spread: Spread) -> Weights:
        for table in tables_of(spread.relation).values():
            self._check(table)
        spread = narrowed_weights(spread)
        made = splits(spread, self._sources(spread.relation), DUCKDB)
        asked = made + weights(spread, "", DUCKDB)
        with self._turn():
            if asked in self._answered:
                return spread.wanted(dict(self._answered[asked]))
            found = self._sorted_weights(spread)
            if found is None:
                with self._contributions(made) as name:
                    found = self._grouped_weights(spread, weights(spread, name, DUCKDB))
            self._keep(asked, found, 2 * sum(map(len, found.values())))
        return spread.wanted(found)

    def _grouped_weights(self, spread: Spread, sql: str) -> Weights:
        if spread.grid is not None:
            self._made += 1
            table = f"shoal_points_{self._made}"
            points: Weights = _told(
                lambda: grouped_histograms(self._connection, spread, sql, table)
            )
            return points
        return by_value(_guarded(self._connection, sql))

    def _sorted_weights(self, spread: Spread) -> Weights | None:
        """Weights by sorting, where rows fit into memory."""
        exact = spread.grid is not None or spread.value.type != REAL
        if not (exact and sortable(spread.bounded)):
            return None
        wanted = Wanted.weights(spread, self._sources(spread.relation))
        read, weigh = (
            (fetched_arrays, sorted_histograms) if spread.grid else (fetched, sorted_values)
        )
        got = self._fetched(wanted, read)
        if got is None:
            return None
        weighed: Weights | None = _told(lambda: weigh(spread, got[0].keys, got[1]))
        return weighed

    @contextmanager
    def _contributions(self, sql: str) -> Iterator[str]:
        """A table of contributions, kept for the next question on the same ones as totals are."""
        name = self._kept.pop(sql, None)
        if name is None:
            self._made += 1
            name = f"shoal_cells_{self._made}"
            _guarded(self._connection, f"CREATE TEMP TABLE {name} AS {sql}")
        self._kept[sql] = name
        try:
            yield name
        finally:
            while len(self._kept) > (_MOST_KEPT if self._keeps else 0):
                oldest = next(iter(self._kept))
                _guarded(self._connection, f"DROP TABLE {self._kept.pop(oldest)}")

    def sql(self, relation: Rows) -> str:
        """The SELECT that computes a relation: columns c0, c1, ..., the person's key p0, p1, ..."""
        for table in tables_of(relation).values():
            self._check(table)
        relation = narrowed_rows(relation)
        return select(relation, self._sources(relation), DUCKDB)

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a SELECT made of `sql` and give its rows; an error of the engine is told without its
        text.
        """
        with self._lock:
            return _guarded(self._connection, sql)

    def arrow(self, sql: str) -> Any:
        """Run a SELECT made of `sql` and give an Arrow table."""
        with self._lock:
            return _told(lambda: self._connection.execute(sql).to_arrow_table())

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """The connection for one part of a question, for no longer than is allowed."""
        with self._lock, stopped_after(self._seconds, self._connection.interrupt):
            yield

    def check(self, relation: Rows) -> None:
        """Refuse tables that are stated otherwise than their sources have them, or whose persons
        cannot be told apart.
        """
        for table in tables_of(relation).values():
            self._check(table)

    def _check(self, table: Table) -> None:
        if self._handed_over and table.name in self._written:
            with self._lock:
                _told(self._handed_over.check)
                self._check_columns(table.name)
        check_stated(table, self._readings.get(table.name))

    def _check_columns(self, name: str) -> None:
        """Refuse a table of a database that was handed over if it has other columns by now."""
        try:
            now = _told(lambda: described_by(self._connection, self._written[name]))
        except SourceError:
            now = []
        if now != self._described[name]:
            raise SourceError(
                f"table {name!r} has other columns than when it was opened, or is gone.",
                remedy="Open it again with shoal.private.",
            )


def _read(reading: ColumnReading, name: str) -> str:
    """A column as a type of ours; equal values are the same value from here on (`plan/bounding.md`,
    One equality).
    """
    return DUCKDB.one_of_equals(reading.sql.format(name), reading.type.kind)


def _borrowed(source: object) -> bool:
    return isinstance(source, DuckTable) and hasattr(source.database, "cursor")


def _handed_over(sources: Mapping[str, object], limits: EngineLimits) -> HandedOver | None:
    """A session in the database that was handed over open, if one was."""
    borrowed = [s.database for s in sources.values() if isinstance(s, DuckTable) and _borrowed(s)]
    if any(other is not borrowed[0] for other in borrowed):
        raise SourceError(
            "tables of two open connections cannot be read together.",
            remedy="Attach both databases to one connection.",
        )
    if borrowed and limits.memory is not None:
        raise SourceError(
            "the memory of a connection that was handed over open is not ours to limit.",
            remedy="Leave memory out, and set it there: SET memory_limit = '8GB'.",
        )
    return HandedOver(borrowed[0]) if borrowed else None
