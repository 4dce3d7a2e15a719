"""Frames that live in this process, of pandas, polars or Arrow, as one Arrow table."""

from __future__ import annotations

from typing import Any

from shoal.errors import SourceError

KINDS = (
    "a path to a .parquet or .csv file, an Arrow table, a pandas or polars frame, "
    "or DuckTable(database, table)"
)
"""What a source can be, in words."""


def as_arrow(source: object, name: str) -> Any:
    """A frame or an Arrow table as an Arrow table."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    module = type(source).__module__.partition(".")[0]
    try:
        if isinstance(source, pa.Table):
            return source
        if isinstance(source, pa.RecordBatch):
            return pa.Table.from_batches([source])
        if module == "pandas":
            return pa.Table.from_pandas(source, preserve_index=False)
        if module == "polars" and hasattr(source, "to_arrow"):
            return source.to_arrow()
    except (pa.ArrowException, TypeError, ValueError):
        raise SourceError(
            f"the frame of {name!r} has a column that mixes kinds of values.",
            remedy="Give each column one type before handing the frame over.",
        ) from None
    raise SourceError(
        f"the source of {name!r} is a {type(source).__name__}, which cannot be read.",
        remedy=f"Give {KINDS}.",
    )
