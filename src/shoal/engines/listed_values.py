"""The values that the type of a column lists: categories of pandas, dictionaries of Arrow, enums of
polars and DuckDB.

Such a list is part of the schema, but it may have been made from the rows: ``astype("category")``
lists what the rows hold.  So it is handed to whoever owns the data, and never taken as a fact.
"""

from __future__ import annotations

from typing import Any

from shoal.engines.frames_extra import arrow
from shoal.errors import SourceError
from shoal.plan import Choices


def listed_choices(source: object) -> dict[str, Choices]:
    """Choices for every column whose type lists its values, to be stated by the data's owner.

    Needs: lists that were made without looking at the rows.  Stating choices publishes them.  The
        list of ``astype("category")``, ``dictionary_encode()`` or ``CREATE TYPE ... AS ENUM (SELECT
        ...)`` is the list of values that the rows hold, and publishing it can name a person.
    Edges: no column is listed for files, and none whose list is empty.

    >>> import pandas as pd
    >>> wards = pd.CategoricalDtype(["east", "west"])
    >>> listed_choices(pd.DataFrame({"ward": pd.Series(["east"], dtype=wards), "age": [40]}))
    {'ward': Choices(['east', 'west'])}
    """
    from shoal.engines.duckdb.sources import DuckTable, enums_of  # noqa: PLC0415 - loaded with DuckDB

    found = enums_of(source) if isinstance(source, DuckTable) else _of_frame(source)
    return {name: Choices(values) for name, values in found.items() if values}


def _of_frame(source: Any) -> dict[str, list[Any]]:
    module = type(source).__module__.partition(".")[0]
    if module == "pandas" and hasattr(source, "dtypes"):
        columns = zip(map(str, source.columns), source.dtypes, strict=True)
        return {name: kind.categories.tolist() for name, kind in columns if kind.name == "category"}
    if module == "polars" and hasattr(source, "collect_schema"):
        columns = source.collect_schema().items()
        return {
            name: list(kind.categories) for name, kind in columns if type(kind).__name__ == "Enum"
        }
    if module == "pyarrow" and hasattr(source, "schema"):
        return _of_arrow(source)
    raise SourceError(
        f"a {type(source).__name__} has no types that list values.",
        remedy="Give a pandas or polars frame, an Arrow table or a DuckTable, or write the choices out.",
    )


def _of_arrow(source: Any) -> dict[str, list[Any]]:
    pa = arrow("an Arrow table")
    table = pa.Table.from_batches([source]) if isinstance(source, pa.RecordBatch) else source
    table = table.unify_dictionaries()
    return {
        name: column.chunk(0).dictionary.to_pylist()
        for name, column in zip(table.column_names, table.columns, strict=True)
        if pa.types.is_dictionary(column.type) and column.num_chunks
    }
