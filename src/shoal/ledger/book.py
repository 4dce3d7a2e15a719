"""An account while it is open, a budget and the filter behind it; and what is asked of it: a debit,
with its text, by which it is known again, and its price.  Both are written as the journal keeps
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from shoal.accounting import Cost, PrivacyFilter, filter_for
from shoal.accounting.quantities import fraction_to_text, sum_from_text, sum_to_text
from shoal.errors import AccountError, ShapeError
from shoal.events import Event
from shoal.exact import rational
from shoal.ledger.entry import canonical, digest
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.sensitivity import Relation

LONGEST_NAME = 200


@dataclass(frozen=True)
class AccountState:
    """An account as it stood at one moment.

    ``spent`` is in the measure of the budget (the odometer, for an approximate one); ``left`` is
    what still fits: an epsilon, a rho, or for an approximate budget the rho of an event that does.
    ``events`` counts the charges that were kept.
    """

    name: str
    budget: Measure
    relation: str
    spent: Measure
    left: Measure
    events: int
    entry: int


class Book:
    """One account in memory.  Its sums are those of a filter of the accounting floor."""

    def __init__(self, name: str, budget: Measure, relation: str) -> None:
        self.name = name
        self.budget = budget
        self.relation = relation
        self.filter = filter_for(budget, relation=relation)
        self.events = 0
        self.entry = 0
        self._budget_text = canonical(budget_to(budget))

    @classmethod
    def read(cls, row: tuple[Any, ...], *, known: Book | None = None) -> Book:
        """The book that `row` wrote; ``known`` is one of the same account as it once stood, if
        there is one.
        """
        name, budget, relation, state, events, entry, *_ = row
        if known is not None and known.has_terms(budget, relation):
            book = copy(known)
        else:
            book = cls(name, budget_from(json.loads(budget)), relation)
        book.filter = book.filter.restored(json.loads(state))
        book.events, book.entry = events, entry
        return book

    def has_terms(self, budget_text: str, relation: str) -> bool:
        """Whether the account is kept for this budget, as it is written, and this relation."""
        return self._budget_text == budget_text and self.relation == relation

    def row(self, chained: str) -> tuple[Any, ...]:
        """The book as it is kept; ``chained`` is the hash of the last entry that changed it."""
        state = canonical(self.filter.state())
        row = (self.name, self._budget_text, self.relation, state, self.events, self.entry)
        return (*row, seal_of(row, chained))

    def with_budget(self, budget: Measure) -> Book:
        """The same account with another budget; one that is below what was spent is refused."""
        if type(budget) is not type(self.budget):
            raise AccountError(
                f"the budget of {self.name!r} is counted as {type(self.budget).__name__}, "
                f"which cannot become {type(budget).__name__}.",
                remedy="Give the new budget in the same measure.",
            )
        made = Book(self.name, budget, self.relation)
        made.filter = made.filter.restored(self.filter.state())
        made.events, made.entry = self.events, self.entry
        if not made.filter.holds:
            raise AccountError(
                f"the new budget of {self.name!r}, {budget}, is below what was spent: {self.filter.spent}.",
                remedy="Choose a budget that holds at least what was spent.",
            )
        return made

    def dearer(self, other: Book) -> Book:
        """The same account with, of each sum, the larger of two: for when it is not known which is
        right.
        """
        mine, theirs = dict(self.filter.state()), dict(other.filter.state())
        if mine.get("shares") == theirs.get("shares") and type(other.budget) is type(self.budget):
            mine["sums"] = [
                _larger(*pair) for pair in zip(mine["sums"], theirs["sums"], strict=True)
            ]
        made = Book(self.name, self.budget, self.relation)
        made.filter = made.filter.restored(mine)
        made.events = max(self.events, other.events)
        return made

    def account(self) -> AccountState:
        """The account as it stands."""
        kept = self.filter
        return AccountState(
            self.name, self.budget, self.relation, kept.spent, kept.left, self.events, self.entry
        )


def _larger(one: str | None, other: str | None) -> str | None:
    left, right = sum_from_text(one), sum_from_text(other)
    return None if left is None or right is None else sum_to_text(max(left, right))


def seal_of(row: tuple[Any, ...], chained: str) -> str:
    """What binds the row of an account to the entry that it follows from."""
    return digest("\n".join([chained, *map(str, row)]))


def budget_to(budget: Measure) -> dict[str, str]:
    """A budget as plain JSON values, exactly."""
    match budget:
        case Pure():
            return {"measure": "pure", "epsilon": fraction_to_text(budget.epsilon)}
        case ZeroConcentrated():
            return {"measure": "zero_concentrated", "rho": fraction_to_text(budget.rho)}
        case Approx():
            return {
                "measure": "approx",
                "epsilon": fraction_to_text(budget.epsilon),
                "delta": fraction_to_text(budget.delta),
            }
    raise ShapeError(
        f"a budget must be Pure, Approx or ZeroConcentrated; got {type(budget).__name__}.",
        remedy="Give budget=shoal.Approx(3, '1e-7'), for example.",
    )


def budget_from(written: dict[str, str]) -> Measure:
    """The budget that `budget_to` wrote."""

    def number(name: str) -> Fraction:
        return rational(written[name], name)

    match written["measure"]:
        case "pure":
            return Pure(number("epsilon"))
        case "zero_concentrated":
            return ZeroConcentrated(number("rho"))
    return Approx(number("epsilon"), number("delta"))


def read_name(name: str, what: str = "name") -> str:
    """A name of an account, a caller or a key: text without line feeds, not too long."""
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise AccountError(
            f"{what} must be printable text of 1 to {LONGEST_NAME} characters.",
            remedy=f"Give {what} such as 'visits'.",
        )
    return name


def read_relation(relation: str) -> str:
    """The relation for which an account is kept."""
    return str(Relation.read(relation, "relation"))


class Request(NamedTuple):
    """A debit that is asked for: from which accounts, for what, by whom; ``text`` is the body of
    its entry.
    """

    names: tuple[str, ...]
    event: Event
    caller: str
    key: str | None
    same: str | None
    text: str


def request_for(
    names: tuple[str, ...],
    event: Event,
    *,
    caller: str,
    body: Mapping[str, Any],
    key: str | None,
    same: str | None,
) -> Request:
    """A request; equal requests have equal texts, which are canonical JSON."""
    if not isinstance(event, Event):
        raise ShapeError(
            f"what is charged must be an event; got {type(event).__name__}.",
            remedy="Give the event of the mechanism, or one of shoal.events.",
        )
    text = (
        f'{{"accounts":{_names_text(names)},"body":{canonical(body) if body else "{}"},'
        f'"caller":{_quoted(caller)},"event":{known_event(event).text},'
        f'"key":{_quoted(key)},"same":{_quoted(same)}}}'
    )
    return Request(names, event, caller, key, same, text)


def _quoted(word: str | None) -> str:
    return "null" if word is None else encode_basestring_ascii(word)


@lru_cache(maxsize=512)
def _names_text(names: tuple[str, ...]) -> str:
    return canonical(names)


def read_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """The accounts that a charge takes from, each once."""
    if isinstance(names, str):
        return (names,)
    given = tuple(names)
    if not given or len(set(given)) != len(given) or not all(isinstance(n, str) for n in given):
        raise AccountError(
            "a charge needs the names of one or more different accounts.",
            remedy="Give names such as ['visits', 'visits@ana'].",
        )
    return given


class KnownEvent:
    """What is worked out about an event once: its text, and its price in each way of counting.

    That is done outside of any transaction, so that nobody waits for it.
    """

    __slots__ = ("costs", "event", "text")

    def __init__(self, event: Event) -> None:
        self.event = event
        self.text = event.to_json()
        self.costs: dict[object, Cost] = {}


_MOST_KNOWN = 512
_KNOWN: dict[int, KnownEvent] = {}


def known_event(event: Event) -> KnownEvent:
    """What is known about this very event; while it is remembered its identity is not given to
    another.
    """
    known = _KNOWN.get(id(event))
    if known is None:
        known = KnownEvent(event)
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[id(event)] = known
    return known


def price(of: PrivacyFilter, event: Event) -> Cost:
    """What an event costs a filter."""
    known, way = known_event(event), of.counts_in
    cost = known.costs.get(way)
    if cost is None:
        cost = known.costs[way] = of.price(event)
    return cost
