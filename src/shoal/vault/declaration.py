"""A declaration that people read, review and keep under version control: a dataset as TOML, and
back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from shoal.engines.csv_file import CsvFile, is_csv
from shoal.engines.spark.sources import SparkTable
from shoal.errors import SchemaError
from shoal.measures import Measure
from shoal.plan import Unit
from shoal.vault.dataset import Dataset, StatedColumn
from shoal.vault.plain_toml import plain_toml
from shoal.vault.plain_values import (
    budget_from,
    budget_to,
    fact_from,
    fact_to,
    type_from,
    unit_from,
    unit_to,
)
from shoal.vault.sources.source_choice import source_named
from shoal.vault.stated_columns import Said

HEADER = "# A dataset of a Shoal vault."
_ABOUT = """\
# Facts are stated from knowledge of the world, never read off the rows: values outside a range are moved to its
# nearer end, values outside the choices are NULL.  Read back with: shoal add FILE
"""
_KNOWN = {
    "name",
    "path",
    "spark",
    "table",
    "header",
    "delimiter",
    "decimal",
    "encoding",
    "public",
    "shares",
    "protects",
    "budget",
    "columns",
}
_OF_UNIT = {
    "row": {"unit", "relation"},
    "person": {"unit", "columns", "groups", "rows_per_group", "nulls", "relation"},
}
_OF_COLUMN = {"type", "range", "choices", "required", "rows"}


@dataclass(frozen=True)
class Declaration:
    """What a file declares."""

    name: str
    source: Path | CsvFile | SparkTable
    table: str | None
    protects: Unit | None
    budget: Measure | None
    said: Said
    shares: tuple[str, ...] = ()


def to_toml(
    dataset: Dataset,
    budget: Measure | None,
    *,
    beside: Path | None = None,
    place: Mapping[str, Any] | None = None,
) -> str:
    """A dataset as TOML; its path is written relative to the folder ``beside`` where it lies below
    that.  ``place`` is said of it instead of where it lies.
    """
    lines = [HEADER, _ABOUT.rstrip("\n"), "", f"name = {_value(dataset.name)}"]
    lines += _pairs(dataset.location.declared(beside) if place is None else place)
    if dataset.shares:
        lines.append(
            f"shares = {_value(dataset.shares[0] if len(dataset.shares) == 1 else list(dataset.shares))}"
        )
    if dataset.protects is None:
        lines.append("public = true")
    else:
        lines += ["", "[protects]", *_pairs(unit_to(dataset.protects))]
    if budget is not None:
        lines += ["", "[budget]", *_pairs(budget_to(budget))]
    for each in dataset.columns:
        lines += ["", f"[columns.{_key(each.name)}]", *_pairs(_column(each, public=dataset.public))]
    return "\n".join(lines) + "\n"


def from_toml(path: str | Path) -> Declaration:
    """The declaration in a file; what it does not know is refused by name."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _not_toml(file.name, error) from None
    return from_text(text, file)


def from_text(text: str, file: Path, *, homes: bool = True) -> Declaration:
    """The declaration that a text is, as if it stood in a file: paths are beside that, and what is
    wrong is said of its name.  ``homes`` says whether ~ in a path is somebody's home.
    """
    try:
        said = plain_toml(text)
    except ValueError as error:  # also a number of too many digits
        raise _not_toml(file.name, error) from None
    _check_names(said, _KNOWN, file.name)
    if "name" not in said or ("path" in said) == ("spark" in said):
        raise SchemaError(f"{file.name} needs a name and a path.", remedy='Write name = "visits".')
    columns = said.get("columns", {})
    for each in ("name", "path", "spark"):
        _check_kind(said, each, str, "text", file.name)
    for part in ("columns", "protects", "budget"):
        _check_kind(said, part, dict, "a table", file.name)
    for name, each in columns.items():
        _check_kind(columns, name, dict, "a table", "columns")
        _check_names(each, _OF_COLUMN, f"column {name!r}")
        _check_kind(each, "required", bool, "true or false", f"column {name!r}")
        _check_kind(each, "type", str, "text", f"column {name!r}")
        _check_kind(each, "choices", list, "a list", f"column {name!r}")
        _check_kind(each, "rows", int, "a whole number", f"column {name!r}")
    _check_kind(said, "table", str, "text", file.name)
    for each in ("delimiter", "decimal", "encoding"):
        _check_kind(said, each, str, "text", file.name)
    _check_kind(said, "header", bool, "true or false", file.name)
    return Declaration(
        name=str(said["name"]),
        source=source_named(said, file, homes=homes),
        table=None if "spark" in said else said.get("table"),
        protects=None if _is_public(said, file.name) else _protected(said, file.name),
        budget=budget_from(said["budget"]) if "budget" in said else None,
        said=_said(columns),
        shares=names_of(said.get("shares")),
    )


def declared_source(
    path: str,
    types: Mapping[str, str],
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> str | CsvFile:
    """A path, with what is said of the columns if it is a CSV file, which says nothing itself."""
    if is_csv(path) and header is False and not types:
        return CsvFile.without_names(
            Path(path), delimiter=delimiter, decimal=decimal, encoding=encoding
        )
    if is_csv(path):
        return CsvFile(
            path, types, header=header, delimiter=delimiter, decimal=decimal, encoding=encoding
        )
    for option, given in (
        ("type", types),
        ("header", header is not None),
        ("delimiter", delimiter),
        ("decimal", decimal),
        ("encoding", encoding),
    ):
        if given:
            raise SchemaError(
                f"--{option} is given, and {Path(path).name!r} is not a CSV file.",
                remedy=f"Leave --{option} out: other files say the types of their columns themselves.",
            )
    return path


def declared_again(dataset: Dataset, source: object) -> object:
    """A CSV file of a dataset with what is said of it now over what was declared before: types,
    header, delimiter, decimal, encoding.
    """
    place = dataset.location
    if not isinstance(source, CsvFile) or place.form != "csv":
        return source
    header = place.header if source.header is None else source.header
    known = {each.name: each.type for each in dataset.columns}
    unknown = [each for each in source.types if each not in known]
    if unknown and header is False and source.header is None:
        raise SchemaError(
            f"something is stated of a column {unknown[0][:60]!r}, which is not there.",
            remedy=f"The columns are: {', '.join(known)}.",
        )
    types = {**known, **source.types} if source.header is None else source.types
    if header is False and not types:
        types = known
    return CsvFile(
        source.path,
        types,
        header=header,
        delimiter=source.delimiter or place.delimiter,
        decimal=source.decimal or place.decimal,
        encoding=source.encoding or place.encoding,
    )


def names_of(shares: object) -> tuple[str, ...]:
    """The datasets that are shared with: one name, several or none."""
    names = () if shares is None else (shares,) if isinstance(shares, str) else shares
    if isinstance(names, list | tuple) and all(isinstance(each, str) for each in names):
        return tuple(names)
    raise SchemaError(
        "shares must be the name of a dataset, or a list of names.",
        remedy='Write shares = "visits".',
    )


def _is_public(said: Mapping[str, Any], where: str) -> bool:
    """Whether nobody is protected: only if it is said so, and nothing else that is said speaks
    against it.
    """
    _check_kind(said, "public", bool, "true or false", where)
    against = [each for each in ("protects", "budget", "shares") if each in said]
    if said.get("public") and against:
        raise SchemaError(
            f"{where} says public and {against[0]}; a public dataset protects nobody and has no budget.",
            remedy="Leave public out if anybody is protected, and the other out if nobody is.",
        )
    return bool(said.get("public"))


def _protected(said: Mapping[str, Any], where: str) -> Unit:
    """Who is protected; a word that is not known, or missing, is named."""
    if "protects" not in said:
        raise SchemaError(
            f"{where} does not say who is protected.",
            remedy='Write [protects] with unit = "row", or with unit = "person", columns, groups and rows_per_group; '
            "or public = true for a table that protects nobody.",
        )
    given = said["protects"]
    known = _OF_UNIT.get(str(given.get("unit")))
    if known is None and "unit" in given:
        raise SchemaError(
            f"[protects] of {where} has unit = {str(given['unit'])[:40]!r}.",
            remedy='Write unit = "row" or unit = "person".',
        )
    _check_names(given, known or _OF_UNIT["person"], f"[protects] of {where}")
    if "unit" not in given:
        raise SchemaError(
            f"[protects] of {where} has no unit.", remedy='Write unit = "row" or unit = "person".'
        )
    if given["unit"] == "person" and "columns" not in given:
        raise SchemaError(
            f"[protects] of {where} has no columns.", remedy='Write columns = ["user_id"].'
        )
    return unit_from(given)


def _not_toml(name: str, error: Exception) -> SchemaError:
    return SchemaError(
        f"{name} is not TOML: {str(error)[:200]}.",
        remedy="Correct it; shoal describe NAME --toml shows the form.",
    )


def _check_kind(said: Mapping[str, Any], name: str, kind: type, words: str, where: str) -> None:
    if name in said and not isinstance(said[name], kind):
        raise SchemaError(
            f"{name} of {where} must be {words}.",
            remedy="Correct it; shoal describe NAME --toml shows the form.",
        )


def _said(columns: Mapping[str, Mapping[str, Any]]) -> Said:
    facts, keys, types = {}, {}, {}
    for name, each in columns.items():
        if "type" not in each:
            raise SchemaError(
                f"column {name!r} has no type.", remedy='Write type = "integer", for example.'
            )
        types[name] = str(type_from(each["type"]))
        fact = fact_from(each, type_from(each["type"]))
        if fact is not None:
            facts[name] = fact
        if "rows" in each:
            keys[name] = each["rows"]
    required = tuple(name for name, each in columns.items() if each.get("required"))
    return Said(facts, required, keys, types)


def _column(each: StatedColumn, *, public: bool) -> dict[str, Any]:
    said: dict[str, Any] = {"type": str(each.type), **fact_to(each.fact)}
    if each.required:
        said["required"] = True
    if each.rows is not None and not public:
        said["rows"] = each.rows
    return said


def _check_names(given: Mapping[str, Any], known: set[str], where: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            raise SchemaError(
                f"{where} has {str(name)[:40]!r}, which means nothing here.",
                remedy=(f"Write {near[0]}. " if near else "")
                + f"The words are: {', '.join(sorted(known))}.",
            )


def _pairs(values: Mapping[str, Any]) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in values.items()]


def _value(value: Any) -> str:
    # loaded here: it takes 40 ms, and most declarations are read, not written
    import tomlkit  # noqa: PLC0415

    return str(tomlkit.item(value).as_string())


def _key(name: str) -> str:
    import tomlkit  # noqa: PLC0415 - as above

    return tomlkit.key(name).as_string()
