"""Where two results differ, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from shoal.query import Answer


def apart(one: Any, two: Any, *, at: str = "the result") -> str | None:
    """The first place at which two results differ in type, shape or value; None where they are alike.

    >>> apart({"n": 1}, {"n": 2})
    "the result['n'] has another value"
    >>> apart([1, 2], [1.0, 2])
    'the result[0] is of another type'
    """
    if type(one) is not type(two):
        return f"{at} is of another type"
    if isinstance(one, Answer):
        return apart(_told(one), _told(two), at=at)
    if isinstance(one, np.ndarray):
        return _arrays_apart(one, two, at)
    if isinstance(one, Mapping):
        return _mappings_apart(one, two, at)
    if isinstance(one, list | tuple):
        return _sequences_apart(one, two, at)
    if is_dataclass(one) and type(one).__repr__ is object.__repr__:
        return _mappings_apart(_fields(one), _fields(two), at)
    if _alike(one, two):
        return None
    return f"{at} has another value"


def _alike(one: Any, two: Any) -> bool:
    if isinstance(one, float) and np.isnan(one) and np.isnan(two):
        return True
    same = one == two
    if same is NotImplemented or not isinstance(same, bool | np.bool_):
        same = False
    return bool(same) or (_stands_for_itself(one) and repr(one) == repr(two))


def _stands_for_itself(value: Any) -> bool:
    """Whether a value says in its text what it is, rather than where it lies."""
    return " at 0x" not in repr(value)


def _arrays_apart(one: Any, two: Any, at: str) -> str | None:
    if one.dtype != two.dtype:
        return f"{at} is an array of {one.dtype} on one side, of {two.dtype} on the other"
    if one.shape != two.shape:
        return f"{at} has another shape"
    equal_nan = one.dtype.kind in "fc"
    return None if np.array_equal(one, two, equal_nan=equal_nan) else f"{at} has other values"


def _mappings_apart(one: Mapping[Any, Any], two: Mapping[Any, Any], at: str) -> str | None:
    if list(one) != list(two):
        return f"{at} has other keys, or the same in another order"
    found = (apart(one[key], two[key], at=f"{at}[{key!r}]") for key in one)
    return next((each for each in found if each), None)


def _sequences_apart(one: Any, two: Any, at: str) -> str | None:
    if len(one) != len(two):
        return f"{at} has another length"
    found = (apart(a, b, at=f"{at}[{place}]") for place, (a, b) in enumerate(zip(one, two, strict=True)))  # fmt: skip
    return next((each for each in found if each), None)


def _fields(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _told(answer: Answer) -> dict[str, Any]:
    """All that an answer tells: its table with intervals, its notes and its certificate."""
    table = answer.to_arrow()
    return {
        "columns": {name: table[name].to_pylist() for name in table.column_names},
        "types": [str(field.type) for field in table.schema],
        "notes": list(answer.notes),
        "price": answer.price,
        "text": str(answer),
    }
