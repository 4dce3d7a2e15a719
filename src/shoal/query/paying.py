"""How a question is paid for: the source it is asked of, the payer, and the charge that its answer
closes.

The order is the same for every payer: charge, open the rows, read, draw, keep the answer, give it.
A charge can be given back only before rows are opened; it does that by itself, in
`QuestionCharge.begin`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from shoal.engines.engine import Engine
from shoal.errors import ChangedError, UnansweredError
from shoal.events import Event
from shoal.exact import Number
from shoal.measures import Measure
from shoal.plan import Table

if TYPE_CHECKING:
    from shoal.query.budget import CostRequest

T = TypeVar("T")

StoredAnswer = Mapping[str, Any]
"""An answer as it is kept; `shoal.query.storing` says what is in it."""


@dataclass(frozen=True)
class PaymentRequest:
    """A question as a payer sees it: its text, what decides its draws, its request, and the
    caller's key.
    """

    text: str
    canonical: str
    request: str
    key: str | None = None


@dataclass(frozen=True, kw_only=True)
class QuestionCharge:
    """What was taken for one question.  This one is of a budget in memory: nothing is opened, and
    nothing is kept.

    ``facts`` are what the certificate says of the place where the charge stands.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)

    def begin(self) -> None:
        """Open the rows; if that fails the charge is given back.  From then on it never is."""

    def answered(self, answer: StoredAnswer) -> None:
        """Keep the answer; after this it may be shown."""

    def left(self, reason: str) -> None:
        """There will be no answer, though rows may have been read: what was taken stays taken."""


class Payer(Protocol):
    """Who pays for questions: a budget in memory, or the accounts of a vault."""

    @property
    def whole(self) -> Measure:
        """All that may be spent."""

    @property
    def relation(self) -> str:
        """The neighbours for which it is spent."""

    @property
    def spent(self) -> Measure:
        """What has been spent so far."""

    @property
    def left(self) -> Measure:
        """What still fits; of an approximate budget as the rho of an event that does."""

    def request(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        selects: bool = False,
    ) -> CostRequest:
        """What is asked for, in the terms of the budget; ``selects`` says that keys must be
        selected.
        """

    def would_fit(self, event: Event) -> bool:
        """Whether an event could be charged now; asking is free."""

    def has_answered(self, asked: PaymentRequest) -> bool:
        """Whether the answer to a question is kept; asking is free."""

    def charge(self, event: Event, asked: PaymentRequest) -> QuestionCharge | StoredAnswer:
        """Take what an event costs before anything is read, or refuse with nothing spent.

        What was answered before is given again, and nothing is taken.
        """


class Askable(Protocol):
    """What questions are asked of: tables by name, of which a question finds its rows and who pays
    for it.
    """

    @property
    def tables(self) -> Mapping[str, Table]:
        """Every table that can be asked of, by name."""

    def source_for(self, names: Collection[str]) -> QuestionSource:
        """The source of a question that reads these tables."""

    def with_tables(self, tables: Mapping[str, Table]) -> Askable:
        """The same rows and the same payer, with other things said of the tables."""


@dataclass(frozen=True)
class QuestionSource:
    """What one question is asked of: an engine with the rows, the tables by name, and who pays."""

    engine: Engine
    tables: Mapping[str, Table]
    payer: Payer

    def source_for(self, names: Collection[str]) -> QuestionSource:  # noqa: ARG002 - one for all tables
        """Itself: one payer pays for all tables."""
        return self

    def with_tables(self, tables: Mapping[str, Table]) -> QuestionSource:
        """The same rows and the same payer."""
        return replace(self, tables=tables)


def read_for(charge: QuestionCharge, read: Callable[[], T]) -> T:
    """Read rows and draw noise for a question that was charged.

    Guarantee: whatever fails, the error and what is kept of it are the same for all data: how an
        engine fails, and what it says of it, may depend on a single row.
    Edges: a file that was written meanwhile is told as that; a caller who interrupts is not
        stopped.
    """
    try:
        return read()
    except (ChangedError, KeyboardInterrupt, SystemExit, GeneratorExit) as error:
        charge.left(type(error).__name__)
        raise
    except BaseException:  # noqa: BLE001, S110 - told below, where no trace of it is left
        pass
    charge.left(UnansweredError.__name__)
    raise UnansweredError(
        "the question was charged, but the engine could not answer it. What was charged stays spent.",
        remedy="Let the owner of the data check that they can be read, and that the engine has enough memory and disk.",
    )
