"""A dataset: where its rows lie, whom it protects, what is stated of its columns, and which
accounts pay for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from shoal.engines.csv_file import READING
from shoal.errors import SchemaError
from shoal.plan import Choices, Column, IdSpace, Person, Range, Span, Table, Type, Unit, column
from shoal.query.notebook_html import block, quiet, title
from shoal.query.shown_answer import columns_table
from shoal.vault.plain_values import fact_from, fact_to, type_from, type_to, unit_from, unit_to
from shoal.vault.sources.data_source import DataSource
from shoal.vault.sources.source_choice import source_from


@dataclass(frozen=True)
class StatedColumn:
    """A column as it was found, and what the curator states of it.

    ``rows`` is how many rows agree in its value, at most: of one person, or of a public table as it
    was read.  ``span`` is the range that was read off a public table.
    """

    name: str
    type: Type
    fact: Range | Choices | None = None
    required: bool = False
    rows: int | None = None
    span: Span | None = None

    def to_dict(self) -> dict[str, Any]:
        """The column as plain values; what is not stated is left out."""
        said: dict[str, Any] = {"name": self.name, "type": type_to(self.type), **fact_to(self.fact)}
        if self.required:
            said["required"] = True
        if self.rows is not None:
            said["rows"] = self.rows
        if self.span is not None:
            said["span"] = [str(self.span.lo), str(self.span.hi)]
        return said

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> StatedColumn:
        """The column that `to_dict` wrote."""
        kind = type_from(written["type"])
        span = written.get("span")
        return cls(
            written["name"],
            kind,
            fact_from(written, kind),
            bool(written.get("required", False)),
            written.get("rows"),
            None if span is None else Span(*map(Fraction, span)),
        )

    @property
    def column(self) -> Column:
        """The column of a plan."""
        if self.span is not None:
            return Column(self.name, self.type, span=self.span)
        return column(self.name, self.type, self.fact, nullable=not self.required)


@dataclass(frozen=True)
class Dataset:
    """One version of a dataset, as the vault has it.

    ``accounts`` pay for every question about it; a public one has none.  ``ids`` are those of them
    whose datasets use the same ids for the same people, as far as that was declared.  ``digest`` is
    the keyed hash of its content, and ``size`` the bytes of its files; ``sample`` are keyed hashes
    of some of its people, ``row_sample`` of some of its rows where people are protected.  An
    analyst is told none of these.
    """

    name: str
    version: int
    location: DataSource
    protects: Unit | None
    columns: tuple[StatedColumn, ...]
    accounts: tuple[str, ...]
    digest: str
    dates: tuple[tuple[int, ...], ...] = ()
    size: int | None = 0
    entry: int = 0
    declared: str = ""
    ids: tuple[str, ...] = ()
    sample: tuple[str, ...] = field(default=(), repr=False)
    row_sample: tuple[str, ...] = field(default=(), repr=False)

    @property
    def table(self) -> Table:
        """The table of a plan."""
        keys: dict[tuple[str, ...], int] = {
            (each.name,): each.rows for each in self.columns if each.rows is not None
        }
        made = tuple(each.column for each in self.columns)
        ids = IdSpace(frozenset(self.ids), frozenset(self.accounts))
        return Table(self.name, made, protects=self.protects, keys=keys, ids=ids)

    def source(self, place: DataSource) -> object:
        """What an engine is given to read it at a place: its own, or that held open; a CSV file
        with the declared types.
        """
        return place.for_engine({each.name: each.type for each in self.columns})

    @property
    def public(self) -> bool:
        return self.protects is None

    @property
    def shares(self) -> tuple[str, ...]:
        """The other datasets whose accounts pay for it."""
        owners = dict.fromkeys(account.partition("#")[0] for account in self.accounts)
        return tuple(each for each in owners if each != self.name)

    @property
    def as_told(self) -> Dataset:
        """What an analyst may see of it: nothing that depends on rows, so no size, date or hash of
        its files.
        """
        return replace(
            self,
            digest="",
            dates=(),
            size=None,
            location=self.location.as_told,
            sample=(),
            row_sample=(),
        )

    def unit_with(self, groups: int | None, rows_per_group: int | None) -> Unit | None:
        """Who is protected, with as much of each person as is said, or as before."""
        unit = self.protects
        if groups is None and rows_per_group is None:
            return unit
        if not isinstance(unit, Person):
            raise SchemaError(
                f"{self.name!r} does not protect persons, so nobody has groups or rows.",
                remedy="Leave groups and rows_per_group out.",
            )
        return unit.with_shares(groups or unit.groups, rows_per_group or unit.rows_per_group)

    @property
    def data_digest(self) -> str:
        """What a stored answer was computed from: a version, its facts and its unit, and how its
        file is read.
        """
        read = {name: getattr(self.location, name, None) for name in READING}
        said = {name: value for name, value in read.items() if value is not None}
        stated = {**self.stated, "reading": said} if said else self.stated
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()

    def _repr_html_(self) -> str:
        who = "public: it protects nobody" if self.protects is None else f"protects {self.protects}"
        return block(
            title(self.name, f"version {self.version}; {who}"),
            columns_table(self.table.columns),
            quiet([f"rows: {self.location}"]),
        )

    @property
    def stated(self) -> dict[str, Any]:
        """All that is public about it: what a certificate may tell."""
        return {
            "name": self.name,
            "version": self.version,
            "protects": None if self.protects is None else unit_to(self.protects),
            "columns": [each.to_dict() for each in self.columns],
        }

    def to_dict(self) -> dict[str, Any]:
        """The dataset as the journal has it."""
        return {
            **self.stated,
            "location": self.location.to_record(),
            "accounts": list(self.accounts),
            "ids": list(self.ids),
            "digest": self.digest,
            "dates": [list(each) for each in self.dates],
            "size": self.size,
            "declared": self.declared,
            "sample": list(self.sample),
            "row_sample": list(self.row_sample),
        }

    @classmethod
    def from_dict(cls, written: Mapping[str, Any], entry: int) -> Dataset:
        """The dataset that `to_dict` wrote."""
        unit = written["protects"]
        return cls(
            name=written["name"],
            version=written["version"],
            location=source_from(written["location"]),
            protects=None if unit is None else unit_from(unit),
            columns=tuple(StatedColumn.from_dict(each) for each in written["columns"]),
            accounts=tuple(written["accounts"]),
            digest=written["digest"],
            dates=tuple(tuple(each) for each in written["dates"]),
            size=written["size"],
            entry=entry,
            declared=written["declared"],
            ids=tuple(
                written.get("ids", written["accounts"])
            ),  # journals of before had one for both
            sample=tuple(written.get("sample", ())),  # earlier versions kept none
            row_sample=tuple(written.get("row_sample", ())),
        )
