"""The file of `shoal publish`: which tables are wanted, in TOML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from shoal.cli.hierarchy_file import hierarchy_of
from shoal.errors import SchemaError
from shoal.query.publication import Publication
from shoal.vault import Vault
from shoal.workloads import AllRanges, Marginals, PrefixSums, Total, WantedTables

_LINES: dict[str, Any] = {
    "marginals": Marginals,
    "prefix": PrefixSums,
    "ranges": AllRanges,
    "total": Total,
}
_KNOWN = {
    "accept",
    "dataset",
    "detail",
    "hierarchies",
    "known",
    "tables",
    "title",
    "where",
    "whole_numbers",
}


def wanted_tables(file: Path) -> Mapping[str, Any]:
    """What the file says, checked for words that mean nothing here."""
    try:
        found: Mapping[str, Any] = tomlkit.parse(file.read_text(encoding="utf-8")).unwrap()
    except FileNotFoundError:
        raise SchemaError(
            f"there is no file {str(file)!r}.", remedy="shoal publish --help shows such a file."
        ) from None
    except (TOMLKitError, UnicodeDecodeError) as problem:
        raise SchemaError(
            f"{str(file)!r} is not TOML: {str(problem)[:100]}", remedy="Mend the line it names."
        ) from None
    unknown = sorted(set(found) - _KNOWN)
    asked = found.get("tables") or found.get("detail")
    if unknown or not isinstance(found.get("dataset"), str) or not asked:
        word = f"{unknown[0][:40]!r} means nothing" if unknown else "a dataset or its tables lack"
        raise SchemaError(
            f"in {str(file)!r} {word}.",
            remedy='Write dataset = "people" and at least one [[tables]] with '
            'marginals = ["region", "sex"].',
        )
    return found


def title_of(wanted: Mapping[str, Any]) -> str:
    """What the page is called."""
    return str(wanted.get("title") or f"Tables of {wanted['dataset']}")


def asked_for(held: Vault, wanted: Mapping[str, Any], folder: Path) -> Publication:
    """The publication that a file describes; ``folder`` is where it names other files from."""
    rows = held.table(wanted["dataset"])
    if wanted.get("where"):
        rows = rows.where(wanted["where"])
    known = wanted.get("known")
    if isinstance(known, Mapping):
        known = {_columns(named): _cells(cells) for named, cells in known.items()}
    hierarchies = [
        hierarchy_of(column, given, folder)
        for column, given in (wanted.get("hierarchies") or {}).items()
    ]
    return rows.workload(
        [line_of(each) for each in wanted["tables"]], known=known, hierarchies=hierarchies
    )


def _columns(named: str) -> str | tuple[str, ...]:
    names = tuple(part.strip() for part in named.split(","))
    return names if len(names) > 1 else named


def _cells(cells: Any) -> Any:
    """Totals by cell; where there are several columns, a TOML key lists their values with commas."""
    if not isinstance(cells, Mapping):
        raise SchemaError(
            "known totals must name their cells.",
            remedy="Write [known.region] and below it north = 1200.",
        )
    return {
        tuple(part.strip() for part in cell.split(",")) if "," in cell else cell: count
        for cell, count in cells.items()
    }


def as_exact(number: Any) -> Any:
    """A number of TOML as it is written: 0.95 is 19/20."""
    return str(number) if isinstance(number, float) else number


def line_of(given: Mapping[str, Any]) -> WantedTables:
    """One [[tables]] of the file, as it would be written in Python."""
    kinds = [word for word in _LINES if word in given]
    if len(kinds) != 1:
        raise SchemaError(
            f"each [[tables]] has one of {', '.join(_LINES)}.",
            remedy='Write marginals = ["region", "sex"], prefix = "age", ranges = "age" or '
            "total = true.",
        )
    (kind,) = kinds
    rest = {word: as_exact(value) for word, value in given.items() if word != kind}
    try:
        made: WantedTables = _LINES[kind](*(() if kind == "total" else (given[kind],)), **rest)
    except TypeError:
        raise SchemaError(
            f"a word beside {kind} means nothing there.",
            remedy="marginals take up_to, of, weight and within; prefix and ranges take by, weight and within.",
        ) from None
    return made
