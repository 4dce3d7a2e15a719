"""From what a curator says to the columns of a dataset: what is found in the source, and what is
stated of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shoal.engines.csv_file import CsvFile, as_csv, header_of, is_csv
from shoal.engines.duckdb.csv_reading import check_rows, complete, implied, proposed
from shoal.engines.engine import Engine
from shoal.engines.engine_choice import close, engine_over
from shoal.engines.source_reading import read_whole
from shoal.engines.spark.sources import SparkTable
from shoal.errors import SchemaError, SourceError
from shoal.plan import Choices, Column, Range, Scan, Table, Type, Unit, type_named
from shoal.query.public_tables import read_public
from shoal.vault.dataset import Dataset, StatedColumn
from shoal.vault.plain_values import choice_from
from shoal.vault.sources.data_source import DataSource
from shoal.vault.sources.file_source import FileSource
from shoal.vault.sources.source_choice import source_of


@dataclass(frozen=True)
class Said:
    """What a curator states of the columns: facts, which hold no NULL, how often values repeat per
    person, and types.
    """

    facts: Mapping[str, Range | Choices] = field(default_factory=dict)
    required: Sequence[str] = ()
    keys: Mapping[str, int] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    def of(self, source: object) -> Said:
        """The same, with the types that a CSV file was given with."""
        if not isinstance(source, CsvFile | SparkTable) or not source.types:
            return self
        # its own order first: without a header the order of the names says which column is which
        own = {name: str(kind) for name, kind in source.types.items()}
        return replace(self, types={**own, **{n: k for n, k in self.types.items() if n not in own}})

    def check(self, found: Sequence[Column]) -> None:
        """Refuse what is stated of a column that is not there, or is of another type."""
        known = {each.name: each for each in found}
        for name in (*self.facts, *self.required, *self.keys, *self.types):
            if name not in known:
                raise SchemaError(
                    f"something is stated of a column {str(name)[:60]!r}, which is not there.",
                    remedy=f"The columns are: {', '.join(known)}.",
                )
        for each in found:
            said = self.types.get(each.name, str(each.type))
            if said != str(each.type):
                raise SchemaError(
                    f"column {each.name!r} is declared as {said}; the source has {each.type}.",
                    remedy="Correct the declaration, or the source.",
                )


def private_columns(
    name: str, location: DataSource, said: Said, protects: Unit
) -> tuple[tuple[StatedColumn, ...], Mapping[str, str]]:
    """The columns of a private source with what is stated, and the columns that cannot be used.

    Every row is read once, so that a file that is not whole is refused now, by the curator's own
    act, and no question ever fails for what a row holds.
    """
    source = _declared(name, location, said)
    engine = engine_over({name: source})
    try:
        return _private_columns(name, engine, said, protects), engine.left_out(name)
    except SourceError:
        if isinstance(source, CsvFile):
            check_rows(source, name)
        raise
    finally:
        close(engine)


def _declared(name: str, location: DataSource, said: Said) -> object:
    """What is read: a CSV file with a type for every column, declared or left by a fact."""
    given = location.for_engine(_types(said))
    return complete(given, said.facts, name) if isinstance(given, CsvFile) else given


def _types(said: Said) -> dict[str, Type]:
    return {name: type_named(kind) for name, kind in said.types.items()}


def _private_columns(
    name: str, engine: Engine, said: Said, protects: Unit
) -> tuple[StatedColumn, ...]:
    found = engine.columns(name)
    said.check(found)
    stated = tuple(
        StatedColumn(
            each.name,
            each.type,
            _read(said.facts.get(each.name), each.type),
            each.name in said.required,
            said.keys.get(each.name),
        )
        for each in found
    )
    table = Table(
        name,
        tuple(each.column for each in stated),
        protects=protects,
        keys={(each.name,): each.rows for each in stated if each.rows is not None},
    )
    read_whole(engine, Scan(table), name)
    return stated


def _read(fact: Range | Choices | None, kind: Type) -> Range | Choices | None:
    """A fact whose choices, where they are text, are read as values of the column's type."""
    if not isinstance(fact, Choices):
        return fact
    return Choices([choice_from(value, kind) for value in fact.values])


def public_columns(name: str, location: DataSource, said: Said) -> tuple[StatedColumn, ...]:
    """The columns of a public source, with all that there is to know of them."""
    source = location.for_engine(_types(said) if location.form == "csv" else None)
    table, _ = read_public({name: source})[name]
    return tuple(
        StatedColumn(each.name, each.type, rows=table.keys[(each.name,)], span=each.span)
        for each in table.columns
    )


def proposed_dataset(
    name: str, source: object, said: Said, protects: Unit | None, shares: Sequence[str]
) -> Dataset | None:
    """A private CSV file as a dataset whose missing types are those that fit its cells; None if
    none is missing.
    """
    if protects is None or not is_csv(source):
        return None
    location = source_of(as_csv(source), name=name)
    assert isinstance(location, FileSource)
    types = _types(said.of(source))
    file = (
        CsvFile.without_names(
            location.path,
            delimiter=location.delimiter,
            decimal=location.decimal,
            encoding=location.encoding,
        )
        if location.header is False and not types
        else location.csv(types)
    )
    names, _ = header_of(file, name)
    if all(each in file.types or implied(said.facts.get(each)) for each in names):
        return None
    found = proposed(file, said.facts, name)
    said.check([Column(each, kind) for each, kind in found.types.items()])
    columns = tuple(
        StatedColumn(
            each,
            kind,
            _read(said.facts.get(each), kind),
            each in said.required,
            said.keys.get(each),
        )
        for each, kind in found.types.items()
    )
    return Dataset(name, 1, location, protects, columns, tuple(shares) or (name,), "")
