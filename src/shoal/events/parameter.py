"""A parameter of an event is declared once; the declaration checks it, keeps it exact and writes
it.

``scale: Exact = exact(positive)`` in the body of a frozen dataclass means: the constructor takes
any `Number`, refuses a bad one by the name ``scale``, and the attribute is a `Fraction`.  In JSON
exact numbers are text (``"1/10"``), counts are whole numbers, events inside are objects, the rest
is itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from shoal.errors import EventError, RangeError
from shoal.exact import Number, out_of_range, rational, whole

Json = str | int | bool | None | list[Any] | dict[str, Any]
"""What one parameter looks like in JSON; lists and objects only where events are inside events."""

MOST_DIGITS = 4000
"""An exact number of an event has at most so many digits above and below its bar."""

MOST_NUMBERS = 100_000
"""A list of numbers in an event is no longer than this."""

_MOST_BITS = int(MOST_DIGITS * 3.32)
_REQUIRED: Any = object()
_Given = TypeVar("_Given")
_Kept = TypeVar("_Kept")
_Value = TypeVar("_Value")


@runtime_checkable
class Written(Protocol):
    """What is written as an object of its own: an event."""

    def to_dict(self) -> dict[str, Any]: ...


class Parameter(Generic[_Given, _Kept]):
    """A data descriptor: what is assigned is read, checked and kept; what is got is what was
    kept.
    """

    name: str

    def __init__(
        self,
        read: Callable[[_Given, str], _Kept],
        *,
        json: tuple[type, ...],
        default: Any = _REQUIRED,
        from_json: Callable[[Any, str, int], _Kept] | None = None,
    ) -> None:
        self.read = read
        self.json = json
        self.default = default
        self.from_json = from_json

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type) -> _Kept:
        if instance is not None:
            kept: _Kept = instance.__dict__[self.name]
            return kept
        if self.default is _REQUIRED:
            raise AttributeError(self.name)
        default: _Kept = self.default
        return default

    def __set__(self, instance: object, value: _Given) -> None:
        instance.__dict__[self.name] = self.read(value, self.name)

    def check_json(self, value: object) -> None:
        """Refuse a value whose JSON type is not the one this parameter is written with."""
        if type(value) not in self.json:
            allowed = " or ".join(_JSON_WORDS[kind] for kind in self.json)
            raise EventError(
                f"{self.name} must be {allowed}; got {_JSON_WORDS.get(type(value), 'something else')}.",
                remedy=f"Write {self.name} as {allowed}.",
            )

    def take_json(self, value: Any, *, depth: int) -> Any:
        """What the constructor is given for a value that was read from text, so deep inside
        others.
        """
        self.check_json(value)
        return value if self.from_json is None else self.from_json(value, self.name, depth)


Exact = Parameter[Number, Fraction]
OptionalExact = Parameter[Number | None, Fraction | None]
Exacts = Parameter[Iterable[Number], tuple[Fraction, ...]]
Count = Parameter[Number, int]
OptionalCount = Parameter[Number | None, int | None]
Flag = Parameter[bool, bool]
Word = Parameter[str, str]
OptionalWord = Parameter[str | None, str | None]

_JSON_WORDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    type(None): "null",
    float: "a number with a point or exponent",
    list: "a list",
    dict: "an object",
}


def exact(read: Callable[[Number, str], Fraction]) -> Exact:
    """An exact rational, read by one of the readers of `shoal.exact`."""
    return Parameter(lambda value, name: _writable(read(value, name), name), json=(str,))


def optional_exact(read: Callable[[Number, str], Fraction]) -> OptionalExact:
    """An exact rational or None, which is the default."""
    return Parameter(_or_none(exact(read).read), json=(str, type(None)), default=None)


def exacts(read: Callable[[Number, str], Fraction]) -> Exacts:
    """Exact rationals in order, at least one, each read by one of the readers of `shoal.exact`."""
    one = exact(read).read

    def several(values: Iterable[Number], name: str) -> tuple[Fraction, ...]:
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise EventError(
                f"{name} must be a list of numbers; got {type(values).__name__}.",
                remedy=f"Give {name} as a list, such as [0, 1, 2].",
            )
        found = tuple(
            one(value, f"each of {name}") for value in itertools.islice(values, MOST_NUMBERS + 1)
        )
        if not 1 <= len(found) <= MOST_NUMBERS:
            raise RangeError(
                f"{name} must hold from 1 to {MOST_NUMBERS} numbers.",
                remedy=f"Give {name} as a list, such as [0, 1, 2].",
            )
        return found

    def from_json(values: list[Any], name: str, depth: int) -> tuple[Fraction, ...]:  # noqa: ARG001
        if not all(type(value) is str for value in values):
            raise EventError(
                f"{name} must be a list of text.",
                remedy='Write exact numbers as text: ["1/10", "2"].',
            )
        return several(values, name)

    return Parameter(several, json=(list,), from_json=from_json)


def count(*, at_least: int, default: Any = _REQUIRED) -> Count:
    """A whole number from ``at_least`` up."""
    return Parameter(_counting(at_least), json=(int,), default=default)


def optional_count(*, at_least: int) -> OptionalCount:
    """A whole number from ``at_least`` up or None, which is the default."""
    return Parameter(_or_none(_counting(at_least)), json=(int, type(None)), default=None)


def integer() -> Count:
    """A whole number of either sign."""

    def read(value: Number, name: str) -> int:
        number = _writable(rational(value, name), name)
        if number.denominator != 1:
            raise out_of_range(name, number, "a whole number")
        return number.numerator

    return Parameter(read, json=(int,))


def flag(*, default: Any = _REQUIRED) -> Flag:
    """True or False, and nothing that merely counts as one of them."""

    def read(value: bool, name: str) -> bool:  # noqa: FBT001 - the value itself, not an option
        if type(value) is not bool:
            raise EventError(
                f"{name} must be True or False; got {type(value).__name__}.",
                remedy=f"Give {name} as a plain truth value.",
            )
        return value

    return Parameter(read, json=(bool,), default=default)


def word(*allowed: str) -> Word:
    """One of a few words."""
    return Parameter(_choosing(allowed), json=(str,))


def optional_word(*allowed: str) -> OptionalWord:
    """One of a few words or None, which is the default."""
    return Parameter(_or_none(_choosing(allowed)), json=(str, type(None)), default=None)


def to_json(kept: object) -> Json:
    """A kept value as JSON: a rational as text, events as objects, everything else as itself."""
    if kept is None or isinstance(kept, str | int):  # the protocol below is slow to check
        return kept
    if isinstance(kept, Fraction):
        above, below = str(Decimal(kept.numerator)), str(Decimal(kept.denominator))
        return above if kept.denominator == 1 else f"{above}/{below}"
    if isinstance(kept, tuple):
        return [to_json(each) for each in kept]
    assert isinstance(kept, Written)
    return kept.to_dict()


def _or_none(read: Callable[[Any, str], _Value]) -> Callable[[Any, str], _Value | None]:
    return lambda value, name: None if value is None else read(value, name)


def _counting(at_least: int) -> Callable[[Number, str], int]:
    def read(value: Number, name: str) -> int:
        return _writable(Fraction(whole(value, name, at_least=at_least)), name).numerator

    return read


def _choosing(allowed: tuple[str, ...]) -> Callable[[str, str], str]:
    words = ", ".join(repr(each) for each in allowed)

    def read(value: str, name: str) -> str:
        if not isinstance(value, str) or value not in allowed:
            shown = repr(str(value)[:40]) if isinstance(value, str) else type(value).__name__
            raise EventError(
                f"{name} must be one of {words}; got {shown}.",
                remedy=f"Choose {name} from {words}.",
            )
        return str(value)

    return read


def _writable(number: Fraction, name: str) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        raise RangeError(
            f"{name} has more than {MOST_DIGITS} digits above or below its bar.",
            remedy=f"Round {name} to a safe side first; no law needs so many digits.",
        )
    return number
