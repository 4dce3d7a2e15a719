"""How a column of a source is read: as which type of ours, by which SQL, and what that may lose.

Distinct values must stay distinct where they say who a row belongs to, so each reading says what it
may lose: nothing, values that become NULL, or the difference between two values.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from shoal.errors import SourceError
from shoal.plan import DATE, Column, Person, Table, Type


class Loss(Enum):
    """What reading a column may lose."""

    NOTHING = "nothing"
    TO_NULL = "some values are read as NULL"
    DISTINCTION = "different values may be read as one"


class Reading(NamedTuple):
    """A type of ours and the SQL that makes it of a column written {0}."""

    type: Type
    sql: str
    loss: Loss = Loss.NOTHING


DAYS = Reading(
    DATE,
    "CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {0} END",
    Loss.TO_NULL,
)
"""How days are read: those that have no place in our calendar are NULL."""


def check_stated(table: Table, readings: Mapping[str, Reading] | None) -> None:
    """Refuse a table that is stated otherwise than its source has it, or whose persons cannot be told apart."""
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


def _check_person(column: Column, reading: Reading, person: Person) -> None:
    merges = reading.loss is Loss.TO_NULL and person.nulls == "one"
    if reading.loss is Loss.DISTINCTION or merges:
        raise SourceError(
            f"column {column.name!r} cannot say who a row belongs to: {reading.loss.value}.",
            remedy="Use a column of 64-bit integers, or one of text and nulls='drop'.",
        )


def check_usable(name: str, readings: Mapping[str, Reading]) -> None:
    """Refuse a source without any column that can be used."""
    if not readings:
        raise SourceError(
            f"the source of {name!r} has no column of a type that can be used.",
            remedy="Give numbers, texts, truth values, dates or timestamps.",
        )
