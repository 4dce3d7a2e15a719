"""How a question is paid for: what is asked, the purse that pays, and the charge that its answer closes.

The order is the same for every purse: charge, open the rows, read, draw, keep the answer, give it.  A charge
can be given back only before rows are opened; the purse does that by itself, in `QuestionCharge.begin`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from shoal.errors import ChangedError, UnansweredError
from shoal.events import Event
from shoal.exact import Number
from shoal.measures import Measure

if TYPE_CHECKING:
    from shoal.query.budget import CostRequest

T = TypeVar("T")


@dataclass(frozen=True)
class PaymentRequest:
    """A question as a purse sees it: its text, what decides its draws, its request, and the caller's key."""

    text: str
    canonical: str
    request: str
    key: str | None = None


class QuestionCharge(Protocol):
    """What was taken for one question."""

    @property
    def stored(self) -> Mapping[str, Any] | None:
        """The answer that was given before, where there is one; then nothing was taken."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the certificate says of the place where this charge stands."""

    def begin(self) -> None:
        """Open the rows; if that fails the charge is given back.  From then on it never is."""

    def answered(self, answer: Mapping[str, Any]) -> None:
        """Keep the answer; after this it may be shown."""

    def left(self, reason: str) -> None:
        """There will be no answer, though rows may have been read: what was taken stays taken."""


class Purse(Protocol):
    """What questions are paid from: a budget in memory, or the accounts of a vault."""

    @property
    def whole(self) -> Measure:
        """All that may be spent."""

    @property
    def relation(self) -> str:
        """The neighbours for which it is spent."""

    @property
    def spent(self) -> Measure:
        """What has been spent so far."""

    def request(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        selects: bool = False,
    ) -> CostRequest:
        """What is asked for, in the terms of this purse."""

    def would_fit(self, event: Event) -> bool:
        """Whether an event could be charged now; asking is free."""

    def charge(self, event: Event, asked: PaymentRequest) -> QuestionCharge:
        """Take what an event costs before anything is read, or refuse with nothing spent."""


@dataclass(frozen=True)
class Taken:
    """A charge in memory: nothing is kept."""

    stored: None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def begin(self) -> None:
        """Rows in memory are open already."""

    def answered(self, answer: Mapping[str, Any]) -> None:
        """Nothing is kept."""

    def left(self, reason: str) -> None:
        """Nothing is kept."""


def read_for(charge: QuestionCharge, read: Callable[[], T]) -> T:
    """Read rows and draw noise for a question that was charged.

    Guarantee: whatever fails, the error and what is kept of it are the same for all data: how an engine fails, and
        what it says of it, may depend on a single row.
    Edges: a file that was written meanwhile is told as that; a caller who interrupts is not stopped.
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
