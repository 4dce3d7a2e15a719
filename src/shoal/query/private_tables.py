"""Private tables in memory: a source, whom it protects, facts about its columns, and a budget."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.engines.csv_file import CsvFile, as_csv, is_csv
from shoal.engines.duckdb import DuckDB
from shoal.engines.duckdb.csv_reading import complete
from shoal.engines.engine_choice import engine_over
from shoal.engines.limits import NONE, EngineLimits
from shoal.engines.source_reading import read_whole
from shoal.errors import SchemaError
from shoal.exact import Number, open_unit
from shoal.measures import StatedBudget, budget_of
from shoal.plan import (
    TEXT,
    Choices,
    Column,
    Person,
    Range,
    Row,
    Scan,
    Table,
    Unit,
    column,
    facts_of,
)
from shoal.query.ask import Ask
from shoal.query.batch import Batch
from shoal.query.frame_verbs import FrameVerbs
from shoal.query.notebook_html import block, title
from shoal.query.payment import Askable, Budget, Payer, QuestionSource, budget_bar
from shoal.query.public_lookups import PublicReader
from shoal.query.public_tables import read_public
from shoal.query.publication import Publication
from shoal.query.question_builder import Building
from shoal.query.shown_answer import columns_table
from shoal.query.suggested_bounds import SuggestedBounds, bounds_from, magnitudes_asked
from shoal.query.suggested_shares import SuggestedShares, Votes
from shoal.query.training import Learnable
from shoal.sql import expression, question
from shoal.workloads import Hierarchy, WantedTables

Facts = Mapping[str, Range | Choices | tuple[Any, Any]]
"""What is stated of columns; a pair is the two ends of a range."""


class Private(FrameVerbs):
    """Tables to ask private questions of; made by `private`.

    `sql` asks in SQL; ``people.mean("age")`` and the other words of dataframes (`FrameVerbs`) ask
    the same of its own table, and of another one after `table`.
    """

    def __init__(self, held: Askable, name: str, stated: Stated | None = None) -> None:
        self._held = held
        self._stated = stated or Stated.of(held.tables)
        self.name = name

    @property
    def budget(self) -> Payer:
        """What may be spent, and what has been."""
        return self._source.payer

    @property
    def _source(self) -> QuestionSource:
        """The rows of its own table, and who pays for them."""
        return self._held.source_for([self.name])

    @property
    def tables(self) -> dict[str, Table]:
        """Every table that can be asked of, by name."""
        return dict(self._held.tables)

    def sql(
        self,
        text: str,
        *,
        weights: Mapping[str, Any] | None = None,
        intervals: Number | None = None,
    ) -> Ask:
        """A question in SQL; nothing is read or spent yet.  `Ask` says what the options are."""
        made = question(text, self._held.tables, read_public=PublicReader(self._held))
        return Ask(self._held, made, text, weights, intervals)

    def table(self, name: str | None = None) -> Building:
        """The rows of a table, to build a question on without writing a SELECT."""
        return Building.of(self._held, name or self.name)

    def groupby(self, *keys: str, **named: str) -> Building:
        """The rows of its table by the values of some keys: ``people.groupby("ward").mean("age")``."""
        return self.table().group_by(*keys, **named)

    def _built(self) -> Building:
        return self.table()

    def workload(
        self,
        wanted: Sequence[WantedTables] | WantedTables,
        *,
        known: Mapping[Any, Any] | int | None = None,
        hierarchies: Sequence[Hierarchy] = (),
    ) -> Publication:
        """Tables to be published together, such as ``[shoal.Marginals(["region", "sex"],
        up_to=2)]``; nothing is read or spent yet.  ``known`` are totals that are public already,
        and ``hierarchies`` levels above columns.
        """
        return self.table().workload(wanted, known=known, hierarchies=hierarchies)

    def batch(self, questions: Sequence[str | Ask]) -> Batch:
        """Several counts of the same rows, to be released together: texts of SQL, or questions that
        were built; `Batch` says what they need.
        """
        return Batch([self.sql(each) if isinstance(each, str) else each for each in questions])

    def learn(
        self,
        model: Learnable,
        *,
        target: str | None = None,
        features: Sequence[str] | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        key: str | None = None,
    ) -> Any:
        """A model of `shoal.learning`, trained on the rows of its table; see `Building.learn`."""
        return self.table().learn(
            model, target=target, features=features, epsilon=epsilon, rho=rho, key=key
        )

    def suggest_bounds(
        self,
        column: str,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        share: Number = "0.99",
    ) -> SuggestedBounds:
        """A range for a column of numbers that nothing is known of, for a part of the budget.

        Rows are counted by magnitude, privately, and the range is the smallest that holds about
        this share of those that stand out of the noise.  Values are counted as they are in the
        source, also where a range is stated already.  `stating` puts it to use.

        Guarantee: it costs what is asked for, as any count by known keys does, and no more.

        >>> import pyarrow as pa
        >>> from shoal.measures import Pure
        >>> paid = private(pa.table({"fee": [30, 45, 80] * 200}), protects=Row(), budget=Pure(9))
        >>> print(paid.suggest_bounds("fee", epsilon=8))
        fee: Range(20, 100) holds about 100.0% of the rows (epsilon 8). State it: stating(columns={'fee': shoal.Range(20, 100)})
        """
        wanted = open_unit(share, "share")
        table, name = self._stated.place(column)
        found = self._held.tables[table].column(name)
        asked = magnitudes_asked(self._held.tables[table], found)
        ask = Ask(self._held, asked, f"suggest_bounds({column!r})")
        return bounds_from(ask.release(epsilon=epsilon, rho=rho), column, found, wanted)

    def suggest_groups(
        self,
        *by: str,
        epsilon: Number | None = None,
        rho: Number | None = None,
        share: Number = "0.95",
    ) -> SuggestedShares:
        """How many groups and rows per group to allow a person, for questions grouped ``by`` these
        keys.

        Each is the least that is enough for about this share of all persons, found for a part of
        the budget.  `sharing` puts them to use.
        """
        wanted = open_unit(share, "share")
        rows = Scan(self._held.tables[self.name])
        source = self._source
        request = source.payer.request(epsilon=epsilon, rho=rho)
        votes = Votes.of(rows, [expression(key, rows) for key in by], request)
        return votes.release(source.engine, source.payer, wanted)

    def sharing(self, *, groups: int, rows_per_group: int) -> Private:
        """The same rows and the same budget, with other shares for each person."""
        tables = dict(self._held.tables)
        for name in self._stated.found:
            unit = tables[name].protects
            if not isinstance(unit, Person):
                raise SchemaError(
                    "shares are those of persons; each row is protected by itself.",
                    remedy="Protect shoal.Person('user_id') to give persons shares.",
                )
            told = unit.with_shares(groups, rows_per_group)
            tables[name] = replace(tables[name], protects=told)
        return Private(self._held.with_tables(tables), self.name, self._stated)

    def stating(self, columns: Facts, *, required: Sequence[str] = ()) -> Private:
        """The same rows and the same budget, with more said of their columns."""
        facts, filled = self._stated.facts(columns), set(self._stated.read(dict.fromkeys(required)))
        tables = dict(self._held.tables)
        for name, known in self._stated.found.items():
            tables[name] = _told(tables[name], known, facts, filled)
        return Private(self._held.with_tables(tables), self.name, self._stated)

    def __repr__(self) -> str:
        table = self._held.tables[self.name]
        columns = "; ".join(str(each) for each in table.columns)
        return f"<private {self.name!r}, protecting {table.protects}: {columns}>"

    def _repr_html_(self) -> str:
        parts, payer = list[str](), self.budget
        for name, each in self._held.tables.items():
            about = "public" if each.protects is None else f"protects {each.protects}"
            parts += [title(name, about), columns_table(each.columns)]
        return block(*parts, budget_bar(payer.whole, payer.spent, payer.left))


def private(
    source: object,
    *,
    protects: Unit,
    columns: Facts | None = None,
    budget: StatedBudget,
    required: Sequence[str] = (),
    keys: Mapping[str, int] | None = None,
    public: Mapping[str, object] | None = None,
    name: str | None = None,
    limits: EngineLimits = NONE,
) -> Private:
    """Rows to ask private questions of.

    ``source`` is a path to Parquet or CSV, an Arrow table, a pandas or polars frame, a `DuckTable`,
    a frame of Spark or a `SparkTable`; ``name`` is what SQL calls it: by default that of its file,
    or ``data``.  ``columns`` states facts, from knowledge of the world and never from the rows;
    ``required`` ones hold no NULL, and one that is found is read as the lowest value stated, which
    spares means a count of their own.  ``public`` tables protect nobody; what there is to know of
    them, and their rows, is read now.  ``limits`` is what the engine may take for a question.
    A ``budget`` that is a number means epsilon; others are measures such as `shoal.Approx`.

    Several private tables of the same persons are a mapping of names to sources, which declares
    that an id means the same person in all of them; columns are then written ``table.column``, and
    ``keys`` says for joins how many rows of one person agree in a column, at most.

    >>> import pyarrow as pa
    >>> from shoal.measures import Pure
    >>> visits = private(
    ...     pa.table({"who": [1, 1, 2], "spend": [10.0, 20.0, 5.0]}),
    ...     protects=Person("who", rows_per_group=2),
    ...     columns={"spend": Range(0, 50)}, required=["spend"], budget=Pure(1),
    ... )
    >>> print(visits.sql("SELECT COUNT(*) AS n, SUM(spend) AS spend FROM data").preview(epsilon="0.5"))
    costs epsilon 0.5; errors at 95% confidence
    n: within 16.46; two Laplace noises of scale 4 on the count
    spend: within 599.2; two Laplace noises of scale 100 on the sum of (spend - 25) and two Laplace noises of scale 4 on the count
    note: Intervals cover the noise only. People with more than 2 rows count for less, so the true numbers may differ. Values outside a declared range count as its nearer end.
    """
    if not isinstance(protects, Row | Person):
        raise SchemaError(
            "protects must say who is protected.",
            remedy="Give protects=shoal.Person('user_id', groups=5, rows_per_group=3), or shoal.Row().",
        )
    sources, others = _named(source, name), dict(public or {})
    twice = sorted(set(sources) & set(others))
    if twice or not sources:
        raise SchemaError(
            f"two tables are called {twice[0]!r}." if twice else "there is no private table.",
            remedy="Give each private table a name of its own.",
        )
    several = isinstance(source, Mapping)
    sources = {n: _declared(held, n, columns or {}, several=several) for n, held in sources.items()}
    read = read_public(others)
    everything = {**sources, **{other: rows for other, (_, rows) in read.items()}}
    engine = engine_over(everything, limits=limits)
    found = {table: engine.columns(table) for table in sources}
    for table, known in found.items():
        engine.check(Scan(Table(table, known, protects=protects)))
        if isinstance(engine, DuckDB) and _may_break(sources[table], known):
            read_whole(engine, Scan(Table(table, known)), table)
    stated = Stated(found, several=several)
    facts, filled = stated.facts(columns or {}), set(stated.read(dict.fromkeys(required)))
    counts = stated.read(keys or {})
    tables = {}
    for table, known in found.items():
        own: dict[tuple[str, ...], int] = {
            (c,): count for (holder, c), count in counts.items() if holder == table
        }
        tables[table] = _told(
            Table(table, known, protects=protects, keys=own), known, facts, filled
        )
    tables |= {other: table for other, (table, _) in read.items()}
    held = QuestionSource(engine, tables, Budget(budget_of(budget), relation=protects.relation))
    return Private(held, next(iter(sources)), stated)


def _declared(source: object, table: str, columns: Facts, *, several: bool) -> object:
    """A source; a CSV file with a type for each column, declared or left by a fact."""
    if not is_csv(source):
        return source
    prefix = f"{table}." if several else ""
    facts = {
        each[len(prefix) :]: said
        for each, said in facts_of(columns).items()
        if each.startswith(prefix)
    }
    return complete(as_csv(source), facts, table)


def _may_break(source: object, columns: Sequence[Column]) -> bool:
    """Whether a row of a file can be such that it cannot be read: then every row is, once, before
    any question.
    """
    texts = any(each.type == TEXT for each in columns)
    return isinstance(source, CsvFile) or (isinstance(source, str | Path) and texts)


def _named(source: object, name: str | None) -> dict[str, object]:
    """Private sources by name."""
    if isinstance(source, Mapping):
        return {str(each): held for each, held in source.items()}
    if isinstance(source, CsvFile):
        name = name or source.path.name.partition(".")[0]
    if name is None and isinstance(source, str | Path):
        name = Path(source).name.partition(".")[0]
    return {name or "data": source}


def _told(
    table: Table,
    known: Sequence[Column],
    facts: Mapping[tuple[str, str], Any],
    filled: Collection[tuple[str, str]],
) -> Table:
    """A table with facts of its columns; those of which nothing is said stay as they are."""
    made = []
    for plain, before in zip(known, table.columns, strict=True):
        place, fact = (table.name, plain.name), facts.get((table.name, plain.name))
        nullable = before.nullable and place not in filled
        if fact is None and nullable == before.nullable:
            made.append(before)
        elif fact is None and (before.span is not None or before.choices is not None):
            made.append(replace(before, nullable=nullable))
        else:
            made.append(column(plain.name, plain.type, fact, nullable=nullable))
    return replace(table, columns=tuple(made))


@dataclass(frozen=True)
class Stated:
    """How what is stated by name finds its column."""

    found: Mapping[str, tuple[Column, ...]]
    several: bool

    @classmethod
    def of(cls, tables: Mapping[str, Table]) -> Stated:
        """The private tables among these; with more than one, columns are written
        ``table.column``.
        """
        found = {name: t.columns for name, t in tables.items() if t.protects is not None}
        return cls(found, several=len(found) > 1)

    def facts(self, given: Facts) -> dict[tuple[str, str], Range | Choices]:
        """Facts by table and column; what states neither a range nor choices is refused."""
        return self.read(facts_of(given))

    def read(self, given: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
        """What is stated, by table and column."""
        return {self.place(str(written)): said for written, said in given.items()}

    def place(self, written: str) -> tuple[str, str]:
        place = self._places.get(written)
        if place is None:
            raise SchemaError(
                f"something is stated of a column {written[:60]!r}, which is not there.",
                remedy=f"The columns are: {', '.join(self._places)}.",
            )
        return place

    @cached_property
    def _places(self) -> dict[str, tuple[str, str]]:
        """Where each name leads; of two that are written alike, the first."""
        places: dict[str, tuple[str, str]] = {}
        for table, columns in self.found.items():
            for each in columns:
                written = f"{table}.{each.name}" if self.several else each.name
                places.setdefault(written, (table, each.name))
        return places
