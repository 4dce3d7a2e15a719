"""Which rows of a person count."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.noise import current

_COMPARED_BY_VALUE = frozenset(
    {str, bytes, bool, int, float, Decimal, dt.date, dt.datetime, dt.time, dt.timedelta}
)
"""The types that a name of a person may have, exactly: a type made from one may compare otherwise."""


def person_keys(persons: Any) -> list[Any]:
    """The person of each row, from a list, an array, or a column of a frame.

    Guarantee: each key is that of its own row.  An array of one type for all would not promise it:
        whole numbers beside a missing one become floats, and large ones then become equal.
    """
    persons = one_column(persons)
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(persons, name):
            return list(getattr(persons, name)())
    return list(persons)


def one_column(persons: Any) -> Any:
    """Persons without a second dimension; more than one column is refused, by the shape alone."""
    shape = tuple(getattr(persons, "shape", (0,)))
    if len(shape) == 1:
        return persons
    if len(shape) != 2 or shape[1] != 1:
        raise ShapeError(
            f"persons has {len(shape)} dimensions; it must name one person for each row.",
            remedy="Give one column, such as persons=frame['id'], or a list of tuples for several: "
            "persons=list(zip(first, second)).",
        )
    if hasattr(persons, "iloc"):
        return persons.iloc[:, 0]
    return persons.column(0) if hasattr(persons, "column") else persons[:, 0]


def rows_within(persons: Sequence[Any] | NDArray[Any], most: int) -> NDArray[np.int64]:
    """Which rows count: at most so many of each person, chosen by secret chance.

    Guarantee: which rows of a person are chosen depends on that person's rows and on chance alone,
        so one person more or less adds or takes away ``most`` rows at most.
    """
    if most < 1:
        raise RangeError(
            "rows_per_person must be at least 1.", remedy="Give rows_per_person=1 or more."
        )
    owners = owner_numbers(persons)
    chance = current().words(np.uint64, len(persons))
    order = np.lexsort((chance, owners))
    ordered = owners[order]
    first = np.searchsorted(ordered, ordered, side="left")
    kept = order[np.arange(len(order)) - first < most]
    return np.sort(kept)


def owner_numbers(persons: Sequence[Any] | NDArray[Any]) -> NDArray[np.int64]:
    """A number for each row, the same for all rows of one person, from 0 to below the number of
    rows.
    """
    numbers: dict[Any, int] = {}
    return np.fromiter(
        (numbers.setdefault(_one(each), len(numbers)) for each in persons),
        np.int64,
        len(persons),
    )


def _one(person: Any) -> Any:
    """A person as a key, which is equal for equal names; all rows without a name, or with one that
    is no plain value, are one person's.  It never fails: an error would tell that there is such a
    row.
    """
    try:
        return _plain(person)
    except Exception:  # noqa: BLE001 - a name of any kind may fail in any way
        return None


def _plain(value: Any) -> Any:
    """A value of a type that is known to be compared by value, or None.

    Other objects may be equal to themselves alone: then each row would be a person of its own, and
    nothing would bound how many rows a person has.
    """
    if hasattr(value, "item"):  # a number of numpy or torch
        value = value.item()
    elif hasattr(value, "as_py"):  # a value of Arrow
        value = value.as_py()
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if value != value:  # noqa: PLR0124 - NaN is not itself
        return None
    if type(value).__module__ == "uuid":
        value = value.int
    if hasattr(value, "to_pydatetime"):  # a moment of pandas
        value = value.to_pydatetime(warn=False)
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        value = value.astimezone(dt.UTC)  # moments of two zones are not always equal to themselves
    return value if type(value) in _COMPARED_BY_VALUE else None
