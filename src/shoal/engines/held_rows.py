"""Rows that Shoal itself holds, column by column as Python values: public tables, made-up rows, and
answers to write down.

No library of frames is needed for them: an engine makes a table of them (`duckdb/held_tables.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal.engines.frames_extra import arrow
from shoal.plan import Kind, Type


@dataclass(frozen=True)
class HeldRows:
    """Columns by name, each with its type and its values; decimals have at most so many ``digits``.

    >>> rows = HeldRows({"n": (Type(Kind.INTEGER), [3, None]), "city": (Type(Kind.TEXT), ["Aldam", None])})
    >>> print(rows.csv())
    "n","city"
    3,"Aldam"
    ,
    <BLANKLINE>
    """

    columns: dict[str, tuple[Type, Sequence[Any]]]
    digits: int = 38

    def __len__(self) -> int:
        return next((len(values) for _, values in self.columns.values()), 0)

    def to_arrow(self) -> Any:
        """An Arrow table of the same columns."""
        pa = arrow("an Arrow table")
        return pa.table(
            {
                name: pa.array(values, _arrow_type(pa, kind, self.digits))
                for name, (kind, values) in self.columns.items()
            }
        )

    def csv(self) -> str:
        """A header and a line for each row: texts in quotation marks, nothing where a value is
        missing.
        """
        lists = ([_cell(each, kind) for each in values] for kind, values in self.columns.values())
        lines = [tuple(map(_quoted, self.columns)), *zip(*lists, strict=True)]
        return "".join(",".join(line) + "\n" for line in lines)

    def write_parquet(self, path: Path) -> None:
        """A file of Parquet with these columns."""
        from shoal.engines.duckdb import held_tables  # noqa: PLC0415 - loaded with DuckDB, and made of this

        held_tables.write_parquet(self, path)

    def dicts(self) -> Iterator[dict[str, Any]]:
        """Each row by the names of its columns."""
        lists = (values for _, values in self.columns.values())
        return (dict(zip(self.columns, row, strict=True)) for row in zip(*lists, strict=True))


def written_out(value: Any, kind: Type) -> str:
    """A value that is not missing as a text from which the same value is read."""
    match kind.kind:
        case Kind.TEXT:
            return str(value)
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.REAL:
            return repr(float(value))
        case Kind.INTEGER:
            return str(int(value))
        case Kind.DECIMAL:
            return str(Decimal(value).quantize(Decimal(1).scaleb(-kind.scale)))
        case Kind.TIMESTAMP:
            return str(value.isoformat(sep=" ", timespec="microseconds"))
    return str(value.isoformat())


def _arrow_type(pa: Any, kind: Type, digits: int) -> Any:
    kinds = {
        Kind.INTEGER: pa.int64(),
        Kind.REAL: pa.float64(),
        Kind.TEXT: pa.string(),
        Kind.BOOLEAN: pa.bool_(),
        Kind.DATE: pa.date32(),
        Kind.TIMESTAMP: pa.timestamp("us"),
    }
    return kinds.get(kind.kind) or pa.decimal128(digits, kind.scale)


def _cell(value: Any, kind: Type) -> str:
    if value is None:
        return ""
    if kind.kind is Kind.REAL:
        return _number(float(value))
    text = written_out(value, kind)
    return _quoted(text) if kind.kind is Kind.TEXT else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _number(value: float) -> str:
    """The shortest decimal that is read as this number; with an exponent below 10^-6 and from 10^10
    on.
    """
    if not math.isfinite(value) or value == 0:
        return repr(value).removesuffix(".0")
    decimal = Decimal(repr(value)).normalize()
    tens = decimal.adjusted()
    if -6 <= tens < 10:  # where Arrow's writer, which these files look like, changes over
        return f"{decimal:f}"
    digits = f"{decimal.scaleb(-tens):f}"
    return f"{digits}e{tens:+d}"
