"""An answer as JSON and back.  What was drawn is kept exactly; what follows from it is there to be
read.

``columns``, ``rows`` and ``intervals`` are for readers.  ``groups`` and ``released`` are what was
drawn: a question that differs only in what comes after the draws is answered from them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from shoal.engines.held_rows import HeldRows
from shoal.errors import InternalError
from shoal.exact import Number
from shoal.plan import (
    Expression,
    Kind,
    Query,
    Term,
    Type,
    Value,
    grid_of,
    points_of,
    value_at,
)
from shoal.query.answer import CONFIDENCE, Answer, held_rows
from shoal.query.estimates import Ends, Interval, interval_of
from shoal.query.keys import Group, in_asked_order
from shoal.query.pricing import Priced
from shoal.query.quantiles import Quantile

Json = None | bool | int | float | str


def stored(answer: Answer) -> dict[str, Any]:
    """Everything an answer is, as plain JSON values."""
    drawn = _drawn(answer.priced)
    return {
        "columns": list(answer.columns),
        "types": [str(kind) for kind in answer.types],
        "rows": [[plain(value) for value in row] for row in answer.rows],
        "keys": list(answer.keys),
        "bins": {name: found for name in answer.keys if (found := answer.bins(name)) is not None},
        "request": answer.price,
        "notes": list(answer.notes),
        "confidence": str(answer.confidence),
        "intervals": intervals_of(answer),
        "groups": [[plain(value) for value in group] for group in answer.groups],
        **({} if answer.counts is None else {"clipped": list(answer.counts)}),
        "released": [[str(noisy[what]) for what in drawn] for noisy in answer.noisy],
        **_steps(drawn),
        **({} if answer.whole is None else {"whole": list(answer.whole)}),
        "certificate": dict(answer.certificate),
    }


def restored(
    made: Priced,
    kept: Mapping[str, Any],
    confidence: Fraction = CONFIDENCE,
    *,
    asked: Query | None = None,
) -> Answer:
    """The answer that `stored` wrote, for the question as it is ``asked`` now: perhaps in other
    words, with its keys in another order.
    """
    made = made.on_grids(_grids(made, kept))
    drawn, kinds = _drawn(made), [key.expression.type for key in made.question.keys]
    released = [dict(zip(drawn, map(Fraction, row), strict=False)) for row in kept["released"]]
    if any(len(row) != len(drawn) for row in kept["released"]):
        raise InternalError(
            "the answer that was kept is not one to this question.",
            remedy="Ask it with another key, and report this.",
        )
    groups: list[Group] = [
        tuple(_value(value, kind) for value, kind in zip(group, kinds, strict=True))
        for group in kept["groups"]
    ]
    whole = kept.get("whole")
    if asked is not None:
        places = in_asked_order(groups, made.question, asked)
        groups, released = [groups[at] for at in places], [released[at] for at in places]
        whole = whole and [whole[at] for at in places]
    cut = kept.get("clipped")
    counts = None if cut is None else (int(cut[0]), int(cut[1]))
    return Answer(made, groups, released, kept["certificate"], confidence, counts, whole)


@dataclass(frozen=True)
class Kept:
    """A stored answer to look at, with what a picture needs of it; its intervals are those that
    were stored.
    """

    stored: Mapping[str, Any]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.stored["columns"])

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.stored["keys"])

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return [
            tuple(_read(value, kind) for value, kind in zip(row, self.types, strict=True))
            for row in self.stored["rows"]
        ]

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(map(_type, self.stored["types"]))

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self.stored["notes"])

    @property
    def confidence(self) -> Fraction:
        return Fraction(self.stored["confidence"])

    @property
    def price(self) -> str:
        return str(self.stored["request"])

    def has_interval(self, column: str) -> bool:
        """Whether an interval was stored for a column."""
        return column in self.stored["intervals"]

    def interval(self, column: str, confidence: Number | None = None) -> list[Interval]:  # noqa: ARG002 - one was stored
        """The stored interval of every row."""
        return [interval_of(each) for each in self.ends(column)]

    def ends(self, column: str, most: int | None = None) -> list[Ends]:
        """The same in the type of the column, as it is shown."""
        kind = self.types[self.columns.index(column)]
        return [
            (_read(low, kind), _read(high, kind))
            for low, high in self.stored["intervals"][column][:most]
        ]

    def to_rows(self, *, intervals: bool = True) -> HeldRows:
        """The values that files and frames hold, as `Answer.to_rows` has them."""
        return held_rows(self, intervals=intervals)

    def bins(self, column: str) -> list[tuple[float, float] | None] | None:
        """The ends of the bin of every row, where a key was made of bins."""
        found = self.stored["bins"].get(column)
        return found and [None if each is None else (each[0], each[1]) for each in found]


def _type(text: str) -> Type:
    """The type that was written as text."""
    name, _, scale = text.removesuffix(")").partition("(")
    return Type(Kind(name), int(scale or 0))


def _read(value: Any, kind: Type) -> Any:
    """A stored cell or end as a value: decimals, dates and timestamps are texts; ends of earlier
    answers are numbers.
    """
    if not isinstance(value, str):
        return value if value is None or kind.kind in _BARE else _of_number(value, kind)
    match kind.kind:
        case Kind.DECIMAL:
            return Decimal(value)
        case Kind.DATE:
            return dt.date.fromisoformat(value)
        case Kind.TIMESTAMP:
            return dt.datetime.fromisoformat(value)
        case _:
            return value


_BARE = (Kind.INTEGER, Kind.REAL, Kind.TEXT, Kind.BOOLEAN)


def _of_number(value: float, kind: Type) -> Any:
    number = Fraction(value)
    return Decimal(repr(value)) if kind.kind is Kind.DECIMAL else value_at(number, kind)


def intervals_of(answer: Answer) -> dict[str, list[list[Json]]]:
    """The interval of every number that has one, by column, in the column's type; an end that is
    nowhere is None.
    """
    return {
        name: [[plain(end) for end in each] for each in answer.ends(name)]
        for name in answer.columns
        if answer.has_interval(name)
    }


def plain(value: object) -> Json:
    """A cell as JSON has it: decimals, dates and timestamps as text."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _drawn(made: Priced) -> list[Term | Quantile]:
    together = (place for tree in made.trees for place in tree.places)
    return [*made.noised.bounded.terms, *(placed.place for placed in made.places), *together]


def _steps(drawn: list[Term | Quantile]) -> dict[str, list[str]]:
    """How far apart the points of each quantile's grid are; nothing where all are as they were when
    answers did not tell it.
    """
    places = [what for what in drawn if isinstance(what, Quantile)]
    if all(place.grid == _earlier(place) for place in places):
        return {}
    return {"steps": [str(place.grid.step) for place in places]}


def _grids(made: Priced, kept: Mapping[str, Any]) -> dict[Quantile, Term]:
    """The grids on which the quantiles of a stored answer were drawn."""
    places = [what for what in _drawn(made) if isinstance(what, Quantile)]
    if "steps" not in kept:
        return {place: _earlier(place) for place in places}
    steps = dict(zip(places, map(Fraction, kept["steps"]), strict=True))
    return {place: grid_of(_argument(place), step) for place, step in steps.items()}


_EARLIER_POINTS = 1024
"""Grids had about so many points at most when answers did not tell their steps."""


def _earlier(place: Quantile) -> Term:
    return points_of(_argument(place), _EARLIER_POINTS)


def _argument(place: Quantile) -> Expression:
    assert place.aggregate.argument is not None
    return place.aggregate.argument


def _value(value: Any, kind: Type) -> Value:
    if value is None:
        return None
    if kind.kind is Kind.TIMESTAMP:
        return dt.datetime.fromisoformat(value)
    if kind.kind is Kind.DATE:
        return dt.date.fromisoformat(value)
    found: Value = value
    return found
