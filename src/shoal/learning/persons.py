"""Which rows of a person count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.noise import current


def person_keys(persons: Any) -> list[Any]:
    """The person of each row, from a list, an array, or a column of a frame.

    Guarantee: each key is that of its own row.  An array of one type for all would not promise it:
        whole numbers beside a missing one become floats, and large ones then become equal.
    """
    if getattr(persons, "ndim", 1) == 2 and persons.shape[1] == 1:
        persons = persons.iloc[:, 0] if hasattr(persons, "iloc") else persons[:, 0]
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(persons, name):
            return list(getattr(persons, name)())
    return list(persons)


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
    """A person as a key; all rows without one, or with one that cannot be compared, are one
    person's.  It never fails: an error would tell that there is such a row.
    """
    try:
        hash(person)
        missing = bool(person != person)  # noqa: PLR0124 - NaN is not itself
    except Exception:  # noqa: BLE001 - a name of any kind may fail in any way
        return None
    return None if missing else person
