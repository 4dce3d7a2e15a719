"""A CSV file with the schema that its curator declares: names and types are stated, never read off
the rows.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from shoal.engines.source_reading import check_names, check_plain, found_at
from shoal.errors import SchemaError, SourceError
from shoal.plan.types import Type, type_named

_LONGEST_HEADER = 1 << 21
"""How many bytes the first row may have: as many as the engine reads of a line."""

DELIMITERS = (",", ";", "\t", "|")
DECIMALS = (".", ",")
ENCODINGS = {"utf-8": "utf-8-sig", "latin-1": "latin-1", "utf-16": "utf-16"}
"""What a file can be encoded in, by the name that the engine knows, and as Python calls it."""
READING = ("header", "delimiter", "decimal", "encoding")
"""What is said of how a file is read, beside the types of its columns."""

_NUMBER = re.compile(r"\s*[+-]?[0-9][0-9.,]*([eE][+-]?[0-9]+)?\s*")
_MOMENT = re.compile(r"\s*[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}.*")


@dataclass(frozen=True, init=False)
class CsvFile:
    """A path to a CSV or TSV file, and the types of its columns by name: integer, real, decimal(2),
    text, boolean, date or timestamp.

    ``header`` says whether the first row holds the names; without one, ``types`` has every column
    in the order of the file.  ``delimiter`` is found in the header if it is not given.  ``decimal``
    is what separates the decimals of a number, a point or a comma; ``encoding`` is utf-8, latin-1
    or utf-16.  A cell that does not fit its type is NULL.  ``handle`` is where an open file is read
    through, in place of its path.

    >>> CsvFile("people.csv", {"age": "integer", "city": "text"}).types["age"]
    Type(kind=<Kind.INTEGER: 'integer'>, scale=0)
    """

    path: Path
    types: Mapping[str, Type]
    header: bool | None
    delimiter: str | None
    decimal: str | None
    encoding: str | None
    handle: Path | None

    def __init__(
        self,
        path: str | os.PathLike[str],
        types: Mapping[str, str | Type] | None = None,
        *,
        header: bool | None = None,
        delimiter: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        handle: Path | None = None,
    ) -> None:
        if delimiter is not None and delimiter not in DELIMITERS:
            raise SchemaError(
                f"{str(delimiter)[:10]!r} cannot separate the cells of a CSV file.",
                remedy="Give ',', ';', '|' or a tab.",
            )
        if decimal is not None and decimal not in DECIMALS:
            raise SchemaError(
                f"{str(decimal)[:10]!r} cannot separate the decimals of a number.",
                remedy="Give decimal='.' or decimal=','.",
            )
        if header is False and not types:
            raise SchemaError(
                f"{Path(path).name} has no header, so its columns need names.",
                remedy="Give types={'age': 'integer', 'city': 'text'}, in the order of the file.",
            )
        assign = object.__setattr__
        assign(self, "path", Path(path))
        assign(self, "types", {str(name): type_named(kind) for name, kind in (types or {}).items()})
        assign(self, "header", header)
        assign(self, "delimiter", delimiter)
        assign(self, "decimal", decimal)
        assign(self, "encoding", None if encoding is None else _known_encoding(encoding))
        assign(self, "handle", handle)

    @classmethod
    def without_names(
        cls,
        path: Path,
        *,
        delimiter: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
    ) -> CsvFile:
        """A file that has no header and whose columns are not named yet: they are numbered, for a
        curator to name.
        """
        made = cls(
            path,
            {"column_1": "text"},
            header=False,
            delimiter=delimiter,
            decimal=decimal,
            encoding=encoding,
        )
        object.__setattr__(made, "types", {})
        return made

    def with_types(
        self, types: Mapping[str, Type], *, header: bool, delimiter: str | None
    ) -> CsvFile:
        """The same file with a type for every column, in their order."""
        return CsvFile(
            self.path,
            types,
            header=header,
            delimiter=delimiter,
            decimal=self.decimal,
            encoding=self.encoding,
            handle=self.handle,
        )

    def with_decimal(self, mark: str) -> CsvFile:
        """The same file, with what separates the decimals of a number."""
        made = copy(self)
        object.__setattr__(made, "decimal", mark)
        return made

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files to open: what is held open, the path itself, or those that it is a pattern
        for.
        """
        if self.handle is not None:
            return (self.handle,)
        return found_at(self.path)

    @property
    def compressed(self) -> bool:
        """Whether it is packed by gzip."""
        return self.path.name.lower().endswith(".gz")

    @property
    def separator(self) -> str:
        """What stands between cells, where the header does not show it."""
        return self.delimiter or ("\t" if ".tsv" in self.path.name.lower() else ",")


def is_csv(source: object) -> bool:
    """Whether a source is a CSV file, with or without its types."""
    if isinstance(source, CsvFile):
        return True
    if not isinstance(source, str | Path):
        return False
    return Path(str(source).lower().removesuffix(".gz")).suffix in (".csv", ".tsv")


def as_csv(source: object) -> CsvFile:
    """A CSV file as one whose types may still be missing."""
    return source if isinstance(source, CsvFile) else CsvFile(str(source))


def first_row(file: CsvFile, path: Path, name: str) -> tuple[list[str], str]:
    """The cells of the first row, and what separates them; only the file's first bytes are read."""
    line = _first_line(file, path, name)
    if file.delimiter is not None:
        return _cells(line, file.delimiter), file.delimiter
    tried = {mark: _cells(line, mark) for mark in DELIMITERS}
    if file.types:
        wanted = set(file.types)
        for mark, cells in tried.items():
            if wanted <= set(cells):
                return cells, mark
    own = file.separator
    if len(tried[own]) > 1:
        return tried[own], own
    most = max(DELIMITERS, key=lambda mark: len(tried[mark]))
    mark = most if len(tried[most]) > 1 else own
    return tried[mark], mark


def _cells(line: str, mark: str) -> list[str]:
    """The cells of a row; a row that would hold a cell too long to be one is not cut by this
    mark.
    """
    try:
        return next(csv.reader([line], delimiter=mark))
    except csv.Error:
        return [line]


def _first_line(file: CsvFile, path: Path, name: str) -> str:
    """The first row as text, which may run over lines inside quotes."""
    try:
        with path.open("rb") as raw:
            _check_without_holes(raw, name)
            with cast("BinaryIO", gzip.open(raw)) if file.compressed else raw as read:
                head = read.read(_LONGEST_HEADER)
    except (OSError, EOFError):
        raise SourceError(
            f"the file of {name!r} cannot be read.",
            remedy="Check the path, or give an absolute one.",
        ) from None
    text = _decoded(head, name, file.encoding or "utf-8")
    line = ""
    for each in io.StringIO(text, newline=""):
        line += each
        if line.count('"') % 2 == 0:
            return line.rstrip("\r\n")
    if len(head) == _LONGEST_HEADER or line.count('"') % 2:
        raise SourceError(
            f"the first row of {name!r} does not end.",
            remedy="Check that the file is text, with a row on each line.",
        )
    return line


def _known_encoding(given: str) -> str:
    """The name of an encoding as the engine knows it."""
    plain = str(given).lower().replace("_", "-")
    known = {"utf8": "utf-8", "latin1": "latin-1", "iso-8859-1": "latin-1", "utf16": "utf-16"}
    found = known.get(plain, plain)
    if found not in ENCODINGS:
        raise SchemaError(
            f"a CSV file cannot be read in the encoding {str(given)[:40]!r}.",
            remedy="Give utf-8, latin-1 or utf-16; or write the file as UTF-8: iconv -f WINDOWS-1252 -t UTF-8 old.csv > new.csv.",
        )
    return found


def _decoded(head: bytes, name: str, encoding: str) -> str:
    """The first bytes as text; the last letter may be cut in the middle."""
    decoder = codecs.getincrementaldecoder(ENCODINGS[encoding])()
    try:
        text = decoder.decode(head)
    except UnicodeDecodeError:
        text = "\0"
    # DuckDB finds no row in UTF-16 that has the larger byte first, and says nothing of it
    if "\0" in text or (encoding == "utf-16" and head.startswith(codecs.BOM_UTF16_BE)):
        raise SourceError(
            f"the file of {name!r} is not text in {encoding.upper()}.",
            remedy="Say what it is encoded in: encoding='latin-1' (--encoding latin-1); or write it as UTF-8, or as Parquet.",
        )
    return text


def _check_without_holes(file: BinaryIO, name: str) -> None:
    """Refuse a file with stretches that were never written: they are read as zeros, for as long as
    it claims to be.
    """
    if not hasattr(os, "SEEK_HOLE"):
        return
    size = os.fstat(file.fileno()).st_size
    try:
        hole = os.lseek(file.fileno(), 0, os.SEEK_HOLE) if size else size
    except OSError:
        return
    finally:
        file.seek(0)
    if hole < size:
        raise SourceError(
            f"the file of {name!r} has holes: parts of it were never written.",
            remedy="Copy the file again from where it came from.",
        )


def header_of(file: CsvFile, name: str) -> tuple[list[str], str]:
    """The names of the columns and what separates them; without a header, as they are declared.

    The cells of a first row are quoted in no refusal: they may be somebody's data.
    """
    paths = file.paths
    check_plain(paths, name)
    rows = [first_row(file, path, name) for path in paths]
    if any(row != rows[0] for row in rows) and file.header is not False:
        raise SourceError(
            f"the files of {name!r} have different headers.",
            remedy="Write all files with the same columns, in the same order.",
        )
    if not rows[0][0] and not (file.header is False and file.types):
        raise SourceError(
            f"{file.path.name} is empty, or its first row is.",
            remedy="Check the path, and write the names of the columns in the first row.",
        )
    if file.header is False and not file.types:
        cells, mark = rows[0]
        return [f"column_{at}" for at in range(1, len(cells) + 1)], mark
    if file.header is False:
        check_names(list(file.types), name)
        return list(file.types), file.separator
    names, mark = rows[0]
    missing = [each for each in file.types if each not in names]
    if missing:
        raise lacking(f"the first row of {file.path.name}", missing)
    if file.types and _unclear(names):
        raise SchemaError(
            f"the first row of {file.path.name} holds a name twice, or a cell without a name.",
            remedy="Give every column a name of its own in the first row, or header=False if the file has none.",
        )
    return names, mark


def lacking(where: str, missing: Sequence[str]) -> SchemaError:
    """The refusal of a header without some of the declared names; these are public, the header may
    be data.
    """
    shown = ", ".join(repr(each[:60]) for each in missing[:5])
    more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
    return SchemaError(
        f"{where} does not hold the declared names: {shown}{more} {'is' if len(missing) == 1 else 'are'} missing.",
        remedy="Declare the names as the header has them, or header=False if the file has none.",
    )


def _unclear(names: Sequence[str]) -> bool:
    return len({each.lower() for each in names}) < len(names) or "" in names


def is_datum(cell: str) -> bool:
    """Whether a cell is a number, a moment or a truth value: what a name is not."""
    return bool(
        _NUMBER.fullmatch(cell)
        or _MOMENT.fullmatch(cell)
        or cell.strip().lower() in ("true", "false", "", "nan", "null", "none", "na")
    )
