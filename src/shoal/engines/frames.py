"""Frames that live in this process, of pandas, polars or Arrow, as one Arrow table.

The type of a column is the one its frame declares (a dtype, an Arrow type), never one that a row
decides.  A pandas column of objects declares none: it is read if all its values are of one kind,
and refused if they are not.
"""

from __future__ import annotations

from typing import Any

from shoal.engines.frames_extra import arrow
from shoal.engines.held_rows import HeldRows
from shoal.engines.objects import column_of_objects
from shoal.engines.source_reading import check_names
from shoal.errors import ShoalError, SourceError

KINDS = (
    "a path to a .parquet file, CsvFile(path, types), an Arrow table, a pandas or polars frame, "
    "or DuckTable(database, table)"
)
"""What a source can be, in words."""

_LIBRARIES = ("pandas", "polars", "pyarrow")

TO_NULL = {b"shoal": b"values that do not fit are NULL"}
"""What is noted of a column some of whose values are NULL because they did not fit."""


def as_arrow(source: object, name: str) -> Any:
    """A frame or an Arrow table as an Arrow table whose names and texts can be read."""
    module = type(source).__module__.partition(".")[0]
    if module not in _LIBRARIES and not isinstance(source, HeldRows):
        raise _unreadable(source, name)
    pa = arrow("a frame of pandas, polars or Arrow")
    try:
        table = _table(source, module, name, pa)
    except ShoalError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise SourceError(
            f"the frame of {name!r} has a column of a type that cannot be read.",
            remedy="Give each column one type of numbers, texts, truth values, dates or timestamps.",
        ) from None
    if table is None:
        raise _unreadable(source, name)
    check_names(table.column_names, name)
    _check_days(table, name, pa)
    return _whole(table, name, pa)


def _unreadable(source: object, name: str) -> SourceError:
    return SourceError(
        f"the source of {name!r} is a {type(source).__name__}, which cannot be read.",
        remedy=f"Give {KINDS}.",
    )


def _check_days(table: Any, name: str, pa: Any) -> None:
    """Refuse days that hold a time: an engine would cut it off, and two persons could become
    one.
    """
    for label, column in zip(table.column_names, table.columns, strict=True):
        if not pa.types.is_date64(column.type):
            continue
        moments = column.cast(pa.timestamp("ms")).cast(pa.int64())
        if any(value is not None and value % 86_400_000 for value in moments.to_pylist()):
            raise SourceError(
                f"column {label!r} of {name!r} is of type date64 and holds times within a day.",
                remedy="Cast it to a timestamp, or to date32.",
            )


def _table(source: Any, module: str, name: str, pa: Any) -> Any:
    if isinstance(source, HeldRows):
        return source.to_arrow()
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if module == "pandas" and hasattr(source, "columns"):
        return _from_pandas(source, name, pa)
    if module == "polars" and hasattr(source, "to_arrow"):
        return source.to_arrow()
    return None


def _from_pandas(frame: Any, name: str, pa: Any) -> Any:
    """A pandas frame column by column: by its dtype, and where that is object by the one kind of
    its values.
    """
    names = [str(each) for each in frame.columns]
    check_names(names, name)
    arrays, fields = [], []
    for at, label in enumerate(names):
        series = frame.iloc[:, at]
        if series.dtype == object:
            arrays.append(column_of_objects(series, name, label))
        elif series.dtype.name == "category":
            arrays.append(_categories(series, name, label, pa))
        else:
            arrays.append(pa.Array.from_pandas(series))
        told = TO_NULL if series.dtype == object else None
        fields.append(pa.field(label, arrays[-1].type, metadata=told))
    return pa.table([_chunked(each, pa) for each in arrays], schema=pa.schema(fields))


def _categories(series: Any, name: str, label: str, pa: Any) -> Any:
    """Categories as their own type: the list of categories is declared, whichever of them rows
    have.
    """
    listed = series.cat.categories.to_series()
    if series.cat.categories.dtype == object:
        values = column_of_objects(listed, name, label)
    else:
        values = pa.Array.from_pandas(listed)
    codes = pa.array(series.cat.codes, mask=(series.cat.codes == -1).to_numpy())
    return pa.DictionaryArray.from_arrays(codes.cast(pa.int32()), values)


def _chunked(array: Any, pa: Any) -> Any:
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _whole(table: Any, name: str, pa: Any) -> Any:
    """The table without bytes that are no text: an engine would fail on them at some later
    question.
    """
    for at, (label, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        kind = column.type
        if pa.types.is_float16(kind):  # which no engine reads; every value of it is a float32
            table = table.set_column(at, label, column.cast(pa.float32()))
        while pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
            kind = kind.value_type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
            try:
                column.validate(full=True)
            except pa.ArrowInvalid:
                raise SourceError(
                    f"column {label!r} of {name!r} holds bytes that are not text in UTF-8.",
                    remedy="Decode the column into text before handing the frame over.",
                ) from None
    return table
