"""What the curator states about a column: the range of its values, or the list of them.

Facts are made true when a column is read: a value outside its range is moved to the nearer end, a
value outside its choices is NULL, a text without choices is cut to a public length, and NULL in a
column stated to have none is the lowest value stated.  So everything that is concluded from a fact
holds for all data, not only for data that keep to it.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from shoal.errors import NumberError, SchemaError
from shoal.exact import Number, rational, short
from shoal.plan.sizes import LONGEST_READ, ONE, WorkPerRow
from shoal.plan.types import (
    EPOCH,
    LEAST_INTEGER,
    MOST_INTEGER,
    Kind,
    Type,
    Value,
    is_broken,
    nearest,
    number_of,
    read,
    value_at,
    within,
)

Moment = dt.date | dt.datetime


@dataclass(frozen=True, slots=True)
class Span:
    """Two exact ends on the number line, both included; days for dates, microseconds for
    timestamps.
    """

    lo: Fraction
    hi: Fraction

    def hull(self, other: Span) -> Span:
        return Span(min(self.lo, other.lo), max(self.hi, other.hi))

    def __str__(self) -> str:
        return f"{short(self.lo)} .. {short(self.hi)}"


def widest(kind: Type) -> Span | None:
    """The span that every value of a type lies in, where that is of use."""
    match kind.kind:
        case Kind.INTEGER | Kind.DECIMAL:
            unit = Fraction(1, 10**kind.scale)
            return Span(LEAST_INTEGER * unit, MOST_INTEGER * unit)
        case Kind.DATE:
            return Span(_place(dt.date.min), _place(dt.date.max))
        case Kind.TIMESTAMP:
            return Span(_place(dt.datetime.min), _place(dt.datetime.max))
        case _:
            return None


def check_text(text: str, what: str) -> None:
    """Refuse a text that no table can hold, before anything is charged for it."""
    if is_broken(text):
        raise SchemaError(
            f"{what} holds a character that no table can: NUL or half of a surrogate pair.",
            remedy="Leave the character out.",
        )


def fact_of(given: object, name: str) -> Range | Choices:
    """A fact as a curator gives it: a `Range`, `Choices`, or a range as the pair of its ends.

    >>> fact_of((17, 90), "age")
    Range(17, 90)
    """
    if isinstance(given, Range | Choices):
        return given
    if isinstance(given, tuple) and len(given) == 2 and not any(map(_is_word, given)):
        return Range(*given)
    raise SchemaError(
        f"column {str(name)[:60]!r} is given a {type(given).__name__}, which states neither a range nor choices.",
        remedy="Give shoal.Range(17, 90), the pair (17, 90), or shoal.Choices(['a', 'b']).",
    )


def facts_of(given: object) -> dict[str, Range | Choices]:
    """Facts by the names of columns, as a curator gives them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SchemaError(
            f"columns is a {type(given).__name__}; it must say what is known of each column.",
            remedy="Give columns={'age': shoal.Range(0, 120)}, with a range or choices for each name.",
        )
    return {str(name): fact_of(said, str(name)) for name, said in given.items()}


def _is_word(end: object) -> bool:
    """Whether the end of a pair is a text that is no number and no moment: then the pair lists
    values.
    """
    try:
        _end(end, "end")  # type: ignore[arg-type]
    except SchemaError:
        return True
    return False


@dataclass(frozen=True, init=False)
class Range:
    """The lowest and the highest value of a column; values beyond are moved to the nearer end.

    Ends are numbers, dates or timestamps; text is read as whichever it is.

    >>> Range(0, 120)
    Range(0, 120)
    >>> Range("2026-01-01", "2026-12-31").lo
    datetime.date(2026, 1, 1)
    """

    lo: Fraction | Moment
    hi: Fraction | Moment

    def __init__(self, lo: Number | Moment, hi: Number | Moment) -> None:
        ends = _end(lo, "lo"), _end(hi, "hi")
        if isinstance(ends[0], Fraction) != isinstance(ends[1], Fraction):
            raise SchemaError(
                "a Range needs two ends of one kind; got a number and a moment.",
                remedy="Give two numbers, two dates or two timestamps.",
            )
        if _place(ends[0]) > _place(ends[1]):
            raise SchemaError(
                f"a Range runs upward; got {_shown(ends[0])} to {_shown(ends[1])}.",
                remedy="Give the lowest value first.",
            )
        object.__setattr__(self, "lo", ends[0])
        object.__setattr__(self, "hi", ends[1])

    def __repr__(self) -> str:
        return f"Range({_shown(self.lo)}, {_shown(self.hi)})"

    def span(self, kind: Type) -> Span | None:
        """The span as values of a type: inward to whole units, to the nearest double for reals."""
        if not kind.ordered or isinstance(self.lo, Fraction) != kind.numeric:
            return None
        if kind.kind is Kind.TIMESTAMP:
            return Span(_place(_moment(self.lo)), _place(_moment(self.hi)))
        lo, hi = (
            _place(_day(end) if kind.kind is Kind.DATE else end) for end in (self.lo, self.hi)
        )
        if kind.kind is Kind.REAL:
            if math.isinf(nearest(lo)) or math.isinf(nearest(hi)):
                return None
            return Span(Fraction(nearest(lo)), Fraction(nearest(hi)))
        unit = 10**kind.scale
        lowest, highest = math.ceil(lo * unit), math.floor(hi * unit)
        if lowest > highest or within(lowest) is None or within(highest) is None:
            return None
        return Span(Fraction(lowest, unit), Fraction(highest, unit))


@dataclass(frozen=True, init=False)
class Choices:
    """Every value a column may hold, public; anything else is read as NULL.

    >>> Choices(["tea", "milk"])
    Choices(['tea', 'milk'])
    """

    values: tuple[object, ...]

    def __init__(self, values: Iterable[object]) -> None:
        listed = tuple(values)
        if not listed or isinstance(values, str):
            raise SchemaError(
                "Choices needs a list with at least one value.", remedy="Give Choices(['a', 'b'])."
            )
        for value in listed:
            if isinstance(value, str):
                check_text(value, "a choice")
        object.__setattr__(self, "values", listed)

    def __repr__(self) -> str:
        return f"Choices({list(self.values)!r})"


@dataclass(frozen=True)
class Column:
    """A named column of a relation: its type, and what is known of its values.

    Make one with `column`.  ``person`` is the place of this column in the person's key, if it is
    part of it; ``origin`` is the public table and column it was read from, if any.  ``longest`` is
    the most characters its text can have, where that is neither the length of a choice nor the
    default; ``cost`` is what computes it.
    """

    name: str
    type: Type
    nullable: bool = True
    span: Span | None = None
    choices: tuple[Value, ...] | None = None
    person: int | None = None
    origin: tuple[str, str] | None = None
    longest: int | None = None
    cost: WorkPerRow = ONE

    @property
    def length(self) -> int:
        """The most characters its text can have; 0 if it is no text."""
        if self.type.kind is not Kind.TEXT or self.longest is not None:
            return self.longest or 0
        if self.choices is None:
            return LONGEST_READ
        return max((len(value) for value in self.choices if isinstance(value, str)), default=0)

    def __str__(self) -> str:
        known = f" in {self.span}" if self.span and self.type.numeric else ""
        known = f" of {len(self.choices)} values" if self.choices else known
        return f"{self.name} {self.type}{known}{'' if self.nullable else ' not null'}"


def column(
    name: str, kind: Type, fact: Range | Choices | None = None, *, nullable: bool = True
) -> Column:
    """A column as the curator states it.

    >>> from shoal.plan.types import INTEGER
    >>> print(column("age", INTEGER, Range(0, 120)))
    age integer in 0 .. 120
    """
    if not nullable and fact is None:
        raise SchemaError(
            f"column {name!r} is stated to hold no NULL, but no fact says what a NULL would be read as.",
            remedy="State a Range or Choices too: NULL is then read as the lowest or the first value.",
        )
    if isinstance(fact, Range):
        span = fact.span(kind)
        if span is None:
            raise SchemaError(
                f"{fact} does not fit column {name!r}, which is {kind}.",
                remedy="Give numbers for a number, dates for a date, and at least one value between them.",
            )
        return Column(name, kind, nullable, span=span)
    if isinstance(fact, Choices):
        return _with_choices(name, kind, fact, nullable=nullable)
    return Column(name, kind, nullable)


def _with_choices(name: str, kind: Type, fact: Choices, *, nullable: bool) -> Column:
    values = tuple(_choice(value, kind) for value in fact.values)
    if any(value is None for value in values) or len(set(values)) < len(values):
        raise SchemaError(
            f"the choices of column {name!r} must be different values of type {kind}.",
            remedy="List each value once, in the type of the column.  NULL needs no listing.",
        )
    return Column(name, kind, nullable, span=span_of_values(values, kind), choices=values)


def _choice(value: object, kind: Type) -> Value:
    if isinstance(value, float) and kind.exact:
        value = Decimal(repr(value))
    if isinstance(value, str) and kind.temporal:
        value = _end(value, "choice")
    return read(value, kind)


def span_of_values(values: tuple[Value, ...], kind: Type) -> Span | None:
    """The span of a list of values; None where there is no number line."""
    places = [place for value in values if (place := number_of(value, kind)) is not None]
    return Span(min(places), max(places)) if places and kind.ordered else None


def lowest(column: Column) -> Value:
    """What NULL is read as in a column stated to have none."""
    if column.choices:
        return column.choices[0]
    return value_at(column.span.lo, column.type) if column.span else None


def made_true(value: Value, column: Column) -> Value:
    """A value as the facts of its column have it."""
    if value is not None and column.choices is not None:
        value = value if value in column.choices else None
    elif isinstance(value, str):
        value = value[: column.length]
    elif value is not None and column.span is not None:
        place = number_of(value, column.type)
        if place is not None and place < column.span.lo:
            value = value_at(column.span.lo, column.type)
        elif place is not None and place > column.span.hi:
            value = value_at(column.span.hi, column.type)
    return lowest(column) if value is None and not column.nullable else value


def _end(given: Number | Moment, name: str) -> Fraction | Moment:
    if isinstance(given, dt.datetime):
        if given.tzinfo is not None:
            given = given.astimezone(dt.UTC).replace(tzinfo=None)
        return given
    if isinstance(given, dt.date):
        return given
    if isinstance(given, str):
        for read_text in (dt.date.fromisoformat, dt.datetime.fromisoformat):
            try:
                moment = read_text(given)
            except ValueError:
                continue
            if "-" in given[1:] and "e" not in given.lower():
                return _end(moment, name)
    try:
        return rational(given, name)
    except NumberError:
        raise SchemaError(
            f"{name} must be a number, a date or a timestamp; got {type(given).__name__}.",
            remedy="Give Range(0, 120) or Range('2026-01-01', '2026-12-31').",
        ) from None


def _moment(end: Fraction | Moment) -> dt.datetime:
    assert not isinstance(end, Fraction)
    return end if isinstance(end, dt.datetime) else dt.datetime.combine(end, dt.time())


def _day(end: Fraction | Moment) -> Fraction | Moment:
    return end.date() if isinstance(end, dt.datetime) else end


def _place(end: Fraction | Moment) -> Fraction:
    if isinstance(end, Fraction):
        return end
    if isinstance(end, dt.datetime):
        return Fraction((end - EPOCH) // dt.timedelta(microseconds=1))
    return Fraction(end.toordinal() - EPOCH.toordinal())


def _shown(end: Fraction | Moment) -> str:
    return short(end) if isinstance(end, Fraction) else repr(str(end))
