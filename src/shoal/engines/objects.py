"""A pandas column of Python objects, whose dtype says nothing: one kind of value, or refused.

The kind alone decides the Arrow type, so that no single value widens it: whole numbers are 64-bit
integers, moments are microseconds.  A value that does not fit is NULL, as everywhere.
"""

from __future__ import annotations

import datetime as dt
import decimal
import numbers
from typing import Any

from shoal.errors import SourceError
from shoal.plan.types import LEAST_INTEGER, MOST_INTEGER

_TO_DECLARE = {
    "truth values": '"boolean"',
    "whole numbers": '"Int64"',
    "numbers": '"Float64"',
    "texts": '"string"',
    "dates": "pandas.ArrowDtype(pyarrow.date32())",
    "moments": '"datetime64[us]"',
    "moments with a zone": '"datetime64[us, UTC]"',
    "decimals": "pandas.ArrowDtype(pyarrow.decimal128(18, 2))",
}
"""The dtype to declare for each kind of value."""


def column_of_objects(series: Any, name: str, label: str) -> Any:
    """The values as an Arrow array; refused unless their one kind decides the type of the
    column.
    """
    import pandas as pd  # noqa: PLC0415 - the frame is one of its own
    import pyarrow as pa  # noqa: PLC0415 - heavy

    cells = series.to_numpy(dtype=object)
    if (
        pd.api.types.infer_dtype(cells, skipna=True) == "string"
    ):  # most columns of objects, and quickly
        return _texts(cells, name, label, pa)
    missing = pd.isna(series).to_numpy(dtype=bool)
    kinds = {_kind(cell) for cell, gone in zip(cells, missing, strict=True) if not gone}
    if len(kinds) != 1 or kinds == {"decimals"}:
        raise _undeclared(kinds, name, label)
    kind = kinds.pop()
    if kind == "texts":
        return _texts(cells, name, label, pa)
    values = [None if gone else cell for cell, gone in zip(cells, missing, strict=True)]
    if kind == "other objects":  # no type of ours: the column is left out
        return pa.nulls(len(values), pa.binary())
    return pa.array([_fitting(value, kind) for value in values], _arrow(kind, pa))


def _texts(cells: Any, name: str, label: str, pa: Any) -> Any:
    try:
        return pa.array(cells, pa.string(), from_pandas=True)
    except UnicodeEncodeError:
        raise SourceError(
            f"column {label!r} of {name!r} holds a text that no table can: half of a surrogate pair.",
            remedy="Decode the column into Unicode text before handing the frame over.",
        ) from None


def _undeclared(kinds: set[str], name: str, label: str) -> SourceError:
    if not kinds:
        problem = "holds Python objects, none of which says its type"
    elif len(kinds) == 1:
        problem = "holds decimals, and does not say how many digits they have"
    else:
        problem = f"holds Python objects of several kinds: {', '.join(sorted(kinds))}"
    listed = [kind for kind in _TO_DECLARE if kind in kinds] or ["texts"]
    return SourceError(
        f"column {label!r} of {name!r} {problem}.",
        remedy=f"Declare its type: frame = frame.astype({{{label!r}: {_TO_DECLARE[listed[-1]]}}}).",
    )


def _kind(value: object) -> str:
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "truth values"
    if isinstance(value, decimal.Decimal):
        return "decimals"
    if isinstance(value, numbers.Integral):
        return "whole numbers"
    if isinstance(value, numbers.Real) and hasattr(value, "__float__") and not _is_ratio(value):
        return "numbers"
    if isinstance(value, str):
        return "texts"
    if isinstance(value, dt.datetime):
        return "moments" if value.tzinfo is None else "moments with a zone"
    return "dates" if isinstance(value, dt.date) else "other objects"


def _is_ratio(value: object) -> bool:
    return isinstance(value, numbers.Rational)


def _fitting(value: Any, kind: str) -> Any:
    """A value as the Arrow type of its kind has it; None if it does not fit."""
    if value is None:
        return None
    if kind == "whole numbers":
        number = int(value)
        return number if LEAST_INTEGER <= number <= MOST_INTEGER else None
    if kind == "numbers":
        return float(value)
    if kind == "truth values":
        return bool(value)
    if kind.startswith("moments") and getattr(value, "nanosecond", False):
        return None  # between two microseconds: cutting it would make two moments one
    return value


def _arrow(kind: str, pa: Any) -> Any:
    return {
        "truth values": pa.bool_(),
        "whole numbers": pa.int64(),
        "numbers": pa.float64(),
        "dates": pa.date32(),
        "moments": pa.timestamp("us"),
        "moments with a zone": pa.timestamp("us", "UTC"),
    }[kind]
