"""A declaration to fill in: every column with its type, and the places where the curator states
what is known.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import tomlkit

from shoal.engines.csv_file import CsvFile, as_csv, is_csv
from shoal.engines.duckdb.csv_reading import proposed
from shoal.engines.engine_choice import close, engine_over
from shoal.engines.source_reading import check_names
from shoal.errors import SchemaError
from shoal.measures import Measure, Pure
from shoal.plan import Kind, Type, Unit
from shoal.vault.dataset import Dataset, StatedColumn
from shoal.vault.declaration import HEADER
from shoal.vault.plain_values import budget_to, fact_to, unit_to
from shoal.vault.sources import source_of

PROPOSED = "# PROPOSED, NOT REGISTERED.  Edit this file, then run: shoal add "
"""The line by which a proposal is known until it is registered."""

_PUBLIC = """\
# Everything you write here is public.  State what you know without looking at the rows (an age is 0 to 120 years);
# a value that you copy from the data is published.
"""
_TYPES = (
    "integer, real, decimal(2), text, boolean, date or timestamp; a cell that does not fit is NULL"
)
_RANGES = {
    Kind.INTEGER: "range = [0, 100]",
    Kind.REAL: "range = [0, 100]",
    Kind.DECIMAL: "range = [0, 100]",
    Kind.DATE: 'range = ["2000-01-01", "2030-12-31"]',
    Kind.TIMESTAMP: 'range = ["2000-01-01", "2030-12-31"]',
}
_RANGE_SAYS = "for sums, means, medians and bins: values outside count as the nearer end"
_CHOICES = {
    Kind.TEXT: 'choices = ["first value", "second value"]',
    Kind.INTEGER: "choices = [1, 2, 3]",
}
_CHOICES_SAYS = "to group by it: all values that can occur; others count as NULL"
_PERSON = re.compile(
    r"(.*[_ ])?(id|uid|person|patient|user|member|customer|respondent|household|client|pupil|student|employee)"
    r"([_ ]?(id|no|nr|number|key))?",
    re.IGNORECASE,
)
_USUAL = re.compile(r"[a-z_][a-z0-9_]*")
_WIDTH = 34
"""Remarks begin at this column, where the value leaves room."""


def undeclared(source: object, name: str, names: Sequence[str] = ()) -> Dataset:
    """A source as a dataset of which nothing is stated: its columns, and nobody chosen to be
    protected.

    A CSV file has the types that fit all its cells, and without a header the ``names`` that are
    given.
    Needs: a curator's act.  The types of a CSV file depend on its rows, and are only proposed.
    """
    if is_csv(source):
        file, types = _read_file(as_csv(source), name)
        location = source_of(file, name=name)
        types = _renamed(types, names) if names else types
    else:
        location, types = source_of(source, name=name), _types_of(source, name)
    columns = tuple(StatedColumn(each, kind) for each, kind in types.items())
    return Dataset(name, 1, location, None, columns, (), "")


def _read_file(file: CsvFile, name: str) -> tuple[CsvFile, Mapping[str, Type]]:
    """A CSV file with the types that fit its cells.  Where cells are separated by something else,
    numbers may be written with a comma; that is proposed if more columns are numbers then.
    """
    plain = proposed(file, {}, name)
    if file.decimal is None and plain.separator != ",":
        commas = file.with_decimal(",")
        other = proposed(commas, {}, name)
        if _count_numbers(other) > _count_numbers(plain):
            return commas, other.types
    return file, plain.types


def _count_numbers(file: CsvFile) -> int:
    return sum(each.kind is not Kind.TEXT for each in file.types.values())


def _types_of(source: object, name: str) -> dict[str, Type]:
    engine = engine_over({name: source})
    try:
        return {each.name: each.type for each in engine.columns(name)}
    finally:
        close(engine)


def _renamed(types: Mapping[str, Type], names: Sequence[str]) -> dict[str, Type]:
    if len(names) != len(types):
        raise SchemaError(
            f"{len(names)} names are given, and the file has {len(types)} columns.",
            remedy="Give one name for each column, in the order of the file.",
        )
    check_names(names, "the file")
    return dict(zip(names, types.values(), strict=True))


def proposal(dataset: Dataset, budget: Measure | None, file: Path) -> str:
    """The text of a declaration to be written to ``file``, edited by the curator, and registered by
    ``shoal add FILE``.

    What is stated of the dataset already is written out.  If nobody is chosen to be protected, a
    column that is named like an identifier is proposed as the person's; without one the curator has
    to choose before it can be registered.
    """
    parts = [
        [HEADER, PROPOSED + file.name, *_PUBLIC.splitlines()],
        [*_place(dataset, file)],
        [*_protects(dataset)],
        [*_budget(budget, shares=bool(dataset.shares))],
        [*_unusual_names(dataset, file)],
        *([*_column(each, is_first=not at)] for at, each in enumerate(dataset.columns)),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def declare(
    source: object,
    *,
    name: str | None = None,
    out: str | Path | None = None,
    names: Sequence[str] = (),
    protects: Unit | None = None,
    budget: Measure | None = None,
    force: bool = False,
) -> Path:
    """Write a proposal for a file, and return where it is; over a declaration that is there only
    with ``force``.
    """
    path = Path(str(source.path if isinstance(source, CsvFile) else source))
    called = name or re.sub(r"\W+", "_", path.name.split(".")[0]).strip("_").lower() or "data"
    file = Path(f"{called}.toml") if out is None else Path(out)
    if file.suffix != ".toml":
        raise SchemaError(
            f"a declaration is a file whose name ends in .toml; got {file.name[:60]!r}.",
            remedy=f"Write --out {called}.toml.",
        )
    if file.exists() and not force:
        raise SchemaError(
            f"there is a file {file.name} already; nothing was written.",
            remedy=f"Edit it and run shoal add {file.name}, or add --force to write over it.",
        )
    made = replace(undeclared(source, called, names), protects=protects)
    file.write_text(proposal(made, budget, file), encoding="utf-8")
    return file


def settled(text: str) -> str:
    """A declaration that is registered now, without the line that calls it a proposal."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(PROPOSED))


def _place(dataset: Dataset, file: Path) -> Iterator[str]:
    yield _line("name", dataset.name, "what SQL calls it")
    for key, value in dataset.location.declared(file.parent).items():
        yield _line(key, value)
    if dataset.shares:
        yield _line(
            "shares", list(dataset.shares), "its people are in these datasets, under the same ids"
        )


def _protects(dataset: Dataset) -> Iterator[str]:
    yield "# Who is protected: each person with all their rows, or each row by itself."
    yield "[protects]"
    if dataset.protects is not None:
        for key, value in unit_to(dataset.protects).items():
            yield _line(key, value)
        return
    named = [each.name for each in dataset.columns if _PERSON.fullmatch(each.name)]
    dash = "" if named else "# "
    if not named:
        yield _line("unit", "row", "if each row is about another person; otherwise:", dash)
    yield _line("unit", "person", "several rows may be about one person", dash)
    who = named[0] if named else "person_id"
    yield _line("columns", [who], "the column that identifies the person", dash)
    yield _line("groups", 1, "a person counts in at most this many groups of a table,", dash)
    yield _line("rows_per_group", 1, "with at most this many rows in each", dash)


def _budget(budget: Measure | None, *, shares: bool) -> Iterator[str]:
    if shares and budget is None:
        return
    yield "# The privacy budget: all that may ever be spent on these people.  Smaller is safer; 1 is a usual start."
    yield "[budget]"
    for key, value in budget_to(Pure(1) if budget is None else budget).items():
        yield _line(key, value)
    if budget is None:
        yield _line("delta", "1e-6", "needed only to group by columns without choices", "# ")


def _unusual_names(dataset: Dataset, file: Path) -> Iterator[str]:
    """A question about names that could be a person's: a first line of texts looks like a header."""
    told = dataset.location.declared(file.parent)
    path = str(told.get("path", ""))
    unusual = not all(_USUAL.fullmatch(each.name) for each in dataset.columns)
    if unusual and is_csv(path) and told.get("header") is not False:
        yield "# These names are the first line of the file.  If that line is about a person, delete this file, which"
        yield f"# shows it, and run: shoal declare {shlex.quote(path)} --no-header"


def _column(each: StatedColumn, *, is_first: bool) -> Iterator[str]:
    yield f"[columns.{tomlkit.key(each.name).as_string()}]"
    yield _line("type", str(each.type), _TYPES if is_first else "")
    for key, value in fact_to(each.fact).items():
        yield _line(key, value)
    if each.required:
        yield _line("required", value=True, says="no cell is empty")
    if each.rows is not None:
        yield _line("rows", each.rows, "so many rows of one person agree in it, for joins")
    if each.fact is None:
        yield from _open_facts(each.type.kind)


def _open_facts(kind: Kind) -> Iterator[str]:
    """The facts that can be stated of a column of this kind, as remarks to fill in."""
    if kind in _RANGES:
        yield _said(f"# {_RANGES[kind]}", _RANGE_SAYS)
    if kind in _CHOICES:
        yield _said(f"# {_CHOICES[kind]}", _CHOICES_SAYS)


def _line(key: str, value: object, says: str = "", dash: str = "") -> str:
    return _said(f"{dash}{key} = {tomlkit.item(value).as_string()}", says)


def _said(line: str, says: str) -> str:
    return f"{line:<{_WIDTH - 2}}  # {says}" if says else line
