"""How a source is read: the plain files that a path names, and each column as which type of ours, by
which SQL, and what that may lose.

Opening a pipe waits for somebody to write into it, and a device need not end, so files are looked
at before any is opened.  Distinct values must stay distinct where they say who a row belongs to, so
each reading says what it may lose: nothing, values that become NULL, or the difference between two
values.
"""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shoal.errors import SourceError
from shoal.plan import DATE, TEXT, Column, Person, Rows, Table, Type
from shoal.plan.types import is_broken

if TYPE_CHECKING:
    from shoal.engines.engine import Engine


class Loss(Enum):
    """What reading a column may lose."""

    NOTHING = "nothing"
    TO_NULL = "some values are read as NULL"
    DISTINCTION = "different values may be read as one"


class ColumnReading(NamedTuple):
    """A type of ours and the SQL that makes it of a column written {0}."""

    type: Type
    sql: str
    loss: Loss = Loss.NOTHING

    def asked(self, column: str) -> str:
        """What is asked of a column so that all its values are read: counting texts does not read
        them, their lengths do.
        """
        value = self.sql.format(column)
        return f"MAX(LENGTH({value}))" if self.type == TEXT else f"COUNT({value})"


def in_part(reading: ColumnReading | None) -> ColumnReading | None:
    """The reading of a column some of whose values are NULL already because they did not fit."""
    if reading is None or reading.loss is not Loss.NOTHING:
        return reading
    return reading._replace(loss=Loss.TO_NULL)


DAYS = ColumnReading(
    DATE,
    "CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {0} END",
    Loss.TO_NULL,
)
"""How days are read: those that have no place in our calendar are NULL."""


def check_names(names: Sequence[str], name: str) -> None:
    """Refuse names that an engine would change or mix up: each column is called as the source calls
    it.
    """
    seen: dict[str, str] = {}
    for each in names:
        if not each or is_broken(each):
            raise SourceError(
                f"the source of {name!r} has a column without a name, or whose name no table can hold.",
                remedy="Give every column a name.",
            )
        other = seen.get(each.lower())
        seen[each.lower()] = each
        if other is not None:
            raise SourceError(
                f"two columns of {name!r} are called {each!r}"
                + ("." if other == each else f" and {other!r}, which SQL cannot tell apart."),
                remedy="Rename one of them in the source.",
            )


def check_stated(table: Table, readings: Mapping[str, ColumnReading] | None) -> None:
    """Refuse a table that is stated otherwise than its source has it, or whose persons cannot be
    told apart.
    """
    if readings is None:
        raise SourceError(
            f"the engine has no source for table {table.name!r}.",
            remedy="Give a source for it when making the engine.",
        )
    for column in table.columns:
        reading = readings.get(column.name)
        if reading is None or reading.type != column.type:
            found = reading.type if reading else "no type that can be used"
            raise SourceError(
                f"column {column.name!r} of table {table.name!r} is stated as {column.type}; "
                f"its source has {found}.",
                remedy="State the columns as `engine.columns` finds them.",
            )
        if column.person is not None and isinstance(table.protects, Person):
            _check_person(column, reading, table.protects)


def _check_person(column: Column, reading: ColumnReading, person: Person) -> None:
    merges = reading.loss is Loss.TO_NULL and person.nulls == "one"
    if reading.loss is Loss.DISTINCTION or merges:
        raise SourceError(
            f"column {column.name!r} cannot say who a row belongs to: {reading.loss.value}.",
            remedy="Use a column of 64-bit integers, or one of text and nulls='drop'.",
        )


def check_usable(name: str, readings: Mapping[str, ColumnReading]) -> None:
    """Refuse a source without any column that can be used."""
    if not readings:
        raise SourceError(
            f"the source of {name!r} has no column of a type that can be used.",
            remedy="Give numbers, texts, truth values, dates or timestamps.",
        )


def read_whole(engine: Engine, rows: Rows, name: str) -> None:
    """Read every value once, so that a source that is not whole is refused when it is opened, and
    by no later question.
    """
    engine.check(rows)
    try:
        engine.read_through(rows)
    except SourceError:
        raise SourceError(
            f"not every row of {name!r} can be read.",
            remedy="Check that the source is whole: texts must be UTF-8, and all rows of a CSV file need as many cells as "
            "its header, one kind of line end and quotes that end.",
        ) from None


# files


def is_plain(path: Path) -> bool:
    """Whether a path leads to a plain file; one that cannot be followed does not."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, or forbidden
        return False


def found_at(path: Path) -> tuple[Path, ...]:
    """What lies at a path, or, where nothing does, at the places that it is a pattern for; as
    absolute paths.
    """
    try:
        places = [path] if is_plain(path) else sorted(glob.glob(str(path)))  # noqa: PTH207 - absolute too
        return tuple(Path(each).resolve() for each in places)
    except (OSError, RuntimeError, ValueError):  # a link to itself
        return ()


def check_plain(paths: Sequence[Path], name: str) -> None:
    """Refuse a source that is not there or is no plain file, or whose name DuckDB would take for a
    pattern.
    """
    if not paths:
        raise SourceError(
            f"the file of {name!r} is not there.", remedy="Check the path, or give an absolute one."
        )
    if not all(map(is_plain, paths)):
        raise SourceError(
            f"the source of {name!r} is not a plain file.",
            remedy="Give files, and no folders, pipes or devices.",
        )
    if any(glob.has_magic(str(each)) for each in paths):  # it would read other files in its place
        raise SourceError(
            f"the name of a file or folder of {name!r} holds *, ? or [, which DuckDB reads as a pattern.",
            remedy="Rename it.",
        )


def is_spark_frame(source: object) -> bool:
    """Whether something is a frame of Spark, in this process or at the other end of Spark Connect.

    >>> is_spark_frame("visits.parquet")
    False
    """
    kind = type(source)
    return kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"
