"""What is typed of a CSV file, which says neither the types of its columns nor how it is
written.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import pair
from shoal.errors import SchemaError
from shoal.vault import Dataset
from shoal.vault.declaration import declared_again, declared_source
from shoal.vault.proposal import settled

Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COL=TYPE",
        help="The type of a column of a CSV file: integer, real, decimal(2), text, boolean, date or timestamp.",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of a CSV file holds names; if not, --type names all columns in order.",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="CHAR", help="What separates the cells of a CSV file: , ; | or tab."),
]

Decimal = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR", help="What separates the decimals of a number in a CSV file: . or ,"
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The encoding of a CSV file: utf-8, latin-1 or utf-16.  [default: utf-8]",
    ),
]


def source_of(
    path: str | None,
    types: Sequence[str],
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> object:
    """A path as it is typed; a CSV file with what is typed of its columns."""
    found: dict[str, str] = {}
    for text in types:
        name, said = pair(text, "--type", "age=integer")
        found[name] = said.strip()
    mark = "\t" if delimiter in ("tab", "\\t") else delimiter
    if path is None:
        return None
    return declared_source(
        path, found, header=header, delimiter=mark, decimal=decimal, encoding=encoding
    )


def source_again(
    dataset: Dataset,
    path: str | None,
    types: Sequence[str],
    *,
    header: bool | None,
    delimiter: str | None,
    decimal: str | None,
    encoding: str | None,
) -> object:
    """Where the rows of a dataset are now; a CSV file with what is typed of it over what was
    declared before.
    """
    if not types and header is None and not (delimiter or decimal or encoding):
        return path
    there = path or str(getattr(dataset.location, "path", None) or "")
    found = source_of(
        there, types, header=header, delimiter=delimiter, decimal=decimal, encoding=encoding
    )
    return declared_again(dataset, found)


def settle(file: Path) -> None:
    """Take the lines off a declaration that call it a proposal: it is registered now."""
    text = file.read_text(encoding="utf-8")
    if text != settled(text):
        with suppress(OSError):  # a file that only others may write stays as it is
            file.write_text(settled(text), encoding="utf-8")


def propose(text: str | None, file: Path, *, new_people: bool) -> None:
    """Write a proposal for the curator to review, and stop; a file that says something else may
    have been edited, and stays.
    """
    if text is None:
        return
    if file.exists() and file.read_text(encoding="utf-8", errors="replace") != text:
        raise SchemaError(
            f"{file.name} is there from an earlier command or was edited, so what you typed now is not in it. Nothing is registered.",
            remedy=f"To use the file as it is: shoal add {file.name}. "
            f"To use what you typed: delete {file.name} and run this again, or give every type here: --type age=integer.",
        )
    file.write_text(text, encoding="utf-8")
    raise SchemaError(
        f"a CSV file does not say the types of its columns; nothing is registered yet. {file.name} proposes them.",
        remedy=f"Review {file.name}, then: shoal add {file.name}{' --new-people' if new_people else ''}. "
        "Or give every type here: --type age=integer.",
    )
