"""When two outputs are the same to whoever sees them: of one type, with one value, to the last bit.

Python's own equality is no help: to it True, 1 and 1.0 are one, and so are 0.0 and -0.0, while a
NaN differs from itself.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np

from shoal.errors import DataError

_PLAIN = frozenset((str, int, bytes, type(None)))
"""Values of these types are equal among each other only where they are the same."""


class OutputKey:
    """An output as a key: two are equal where the outputs are the same.

    >>> OutputKey(True) == True, OutputKey(True) == 1, OutputKey(float("nan")) == OutputKey(float("nan"))
    (True, False, True)
    """

    __slots__ = ("_token", "value")

    def __init__(self, value: Any) -> None:
        self.value, self._token = value, token(value)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, OutputKey):
            return bool(self._token == other._token)
        try:
            return bool(self._token == token(other))
        except DataError:
            return False

    def __hash__(self) -> int:
        return hash(_without_nan(self.value))

    def __repr__(self) -> str:
        return repr(self.value)


def told(value: Any) -> Hashable:
    """An output as a key of a law: itself where equality serves, else wrapped.

    >>> told("yes"), told((1, "a")), type(told(1.0)).__name__
    ('yes', (1, 'a'), 'OutputKey')
    """
    return value if isinstance(value, OutputKey) or _plain(value) else OutputKey(value)


def token(value: Any) -> Hashable:
    """What a value is, as something that is equal to another only where the values are the same.

    Edges: values of other types are told apart by their own equality; one without is refused, as is
    one that cannot be a key.
    """
    kind = type(value)
    if isinstance(value, OutputKey):
        return token(value.value)
    if isinstance(value, np.generic) and value.dtype.kind in "mM":
        return kind, str(value.dtype), int(value.astype(np.int64))
    if isinstance(value, np.generic) and value.dtype.kind in "fc":
        return kind, str(value.dtype), _inner(value)
    if isinstance(value, float):
        return kind, "nan" if value != value else struct.pack("<d", value)  # noqa: PLR0124 - a NaN differs
    if isinstance(value, complex):
        return kind, token(value.real), token(value.imag)
    if isinstance(value, Decimal):
        return kind, value.as_tuple()
    if isinstance(value, Enum):
        return kind, value.name
    if isinstance(value, tuple):
        return kind, tuple(token(each) for each in value)
    if isinstance(value, frozenset):
        return kind, frozenset(token(each) for each in value)
    if is_dataclass(value) and kind.__hash__ is not None and not isinstance(value, type):
        return kind, tuple(token(getattr(value, each.name)) for each in fields(value))
    return kind, _own(value)


def _without_nan(value: Any) -> Hashable:
    """Something with the hash of the value, where that does not depend on where it lies."""
    if isinstance(value, tuple):
        return tuple(_without_nan(each) for each in value)
    if isinstance(value, frozenset):
        return frozenset(_without_nan(each) for each in value)
    if is_dataclass(value):
        return token(value)
    same = isinstance(value, Decimal) and value.is_nan()
    kept: Hashable = None if same or value != value else value  # noqa: PLR0124 - a NaN differs from itself
    return kept


def _inner(value: Any) -> Hashable:
    item = value.item()
    if isinstance(item, float | complex):
        return token(item)
    return "nan" if np.isnan(value) else str(value)  # longer than a double: its digits tell it


def _own(value: Any) -> Hashable:
    """A value that Python compares; what Python tells apart only by where it lies is refused."""
    by_place = not has_equality(value) and not isinstance(value, type)
    try:
        hash(value)
    except TypeError:
        by_place = True
    if by_place and value is not None:
        raise DataError(
            f"an output of type {type(value).__name__} cannot be told apart from others: it cannot be a key, or has no equality of its own.",
            remedy="Return numbers, text, or tuples of them.",
        )
    kept: Hashable = value
    return kept


def has_equality(value: Any) -> bool:
    """Whether values of its type are compared by anything but where they lie."""
    own: Any = type(value).__eq__
    return own is not object.__eq__


def _plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(_plain(each) for each in value)
    return type(value) in _PLAIN
