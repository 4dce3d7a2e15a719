"""How a question is paid for: the source it is asked of, the payer, what it may cost, and the charge
that its answer closes; and the payer of questions without a vault, a budget in memory.

The order is the same for every payer: charge, open the rows, read, draw, keep the answer, give it.
A charge can be given back only before rows are opened; it does that by itself, in
`QuestionCharge.begin`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from shoal.accounting import filter_for
from shoal.engines.engine import Engine
from shoal.errors import ChangedError, RangeError, UnansweredError
from shoal.events import Event
from shoal.exact import Number, open_unit, positive, short, short_down, short_up
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.owned import NotCopied, Owned
from shoal.plan import Table
from shoal.query.notebook_html import Html, bar, block, title

T = TypeVar("T")

StoredAnswer = Mapping[str, Any]
"""An answer as it is kept; `shoal.query.stored_answer` says what is in it."""


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
class QuestionSource(NotCopied):
    """What one question is asked of: an engine with the rows, the tables by name, and who pays."""

    called = "rows with a budget"

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


# what a question may cost


@dataclass(frozen=True)
class CostRequest:
    """What one question may cost: a promise for its noise, and a failing mass for selecting
    keys.
    """

    measure: Pure | Approx | ZeroConcentrated
    failing: Fraction = Fraction(0)

    @property
    def size(self) -> Fraction:
        """The number that was asked for: an epsilon or a rho."""
        return (
            self.measure.rho if isinstance(self.measure, ZeroConcentrated) else self.measure.epsilon
        )

    @property
    def promise(self) -> Pure | Approx | ZeroConcentrated:
        """What an asker may be promised of the whole: the delta of keys counts in.

        Edges: beside a rho, the delta of keys stands by itself, as on a certificate.
        """
        if isinstance(self.measure, ZeroConcentrated) or not self.failing:
            return self.measure
        delta = self.measure.delta if isinstance(self.measure, Approx) else 0
        return Approx(self.measure.epsilon, delta + self.failing)

    def __str__(self) -> str:
        failing = f", and delta {short(self.failing)} for keys" if self.failing else ""
        return f"{self.measure}{failing}"


class Budget(Owned):
    """What all questions together may cost; each takes its part before its noise is drawn.

    `Pure` buys Laplace noise; `Approx` and `ZeroConcentrated` buy Laplace or Gaussian noise,
    whichever is less.  Half of the delta of an `Approx` budget is kept for the selection of keys.
    Edges: a budget in memory belongs to the process that made it; forked children, copies and
    pickles are refused.

    >>> budget = Budget(Approx(1, "1e-6"), relation="add_remove")
    >>> print(budget.request(epsilon="0.1"))
    epsilon 0.1, delta 5e-7
    """

    called = "a budget in memory"

    def __init__(self, whole: Measure, *, relation: str) -> None:
        self.whole = whole
        self.relation = str(relation)
        self._filter = filter_for(whole, relation=self.relation)

    def request(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        selects: bool = False,
    ) -> CostRequest:
        """What is asked for, in the terms of this budget; ``selects`` says that keys must be
        selected.
        """
        return cost_request(self.whole, epsilon=epsilon, delta=delta, rho=rho, selects=selects)

    def would_fit(self, event: Event) -> bool:
        """Whether an event could be charged now; asking is free."""
        self._check_owner()
        return self._filter.would_fit(event)

    def has_answered(self, asked: PaymentRequest) -> bool:  # noqa: ARG002 - nothing is kept here
        """No: a budget in memory keeps no answers."""
        return False

    def charge(self, event: Event, asked: PaymentRequest | None = None) -> QuestionCharge:
        """Take what an event costs, or refuse with nothing spent."""
        self._check_owner()
        if asked is not None and asked.key is not None:
            raise RangeError(
                "a key was given, and a budget in memory remembers none.",
                remedy="Leave key out, or ask in a vault: shoal.open('office.shoal').",
            )
        self._filter.spend(event)
        return QuestionCharge()

    @property
    def spent(self) -> Measure:
        """What has been spent so far."""
        self._check_owner()
        return self._filter.spent

    @property
    def left(self) -> Measure:
        """What still fits, exactly; of an approximate budget as the rho of an event that does."""
        self._check_owner()
        return self._filter.left

    def __repr__(self) -> str:
        if not self._is_at_home:
            return f"<budget of {self.whole}, which belongs to another process>"
        return f"<budget of {self.whole}; spent: {self.spent}>"

    def _repr_html_(self) -> str:
        if not self._is_at_home:
            return block(repr(self))
        return block(title("budget"), budget_bar(self.whole, self.spent, self.left))


def amount_of(measure: Measure) -> Fraction:
    """What a budget, or what is left of it, is as one number: an epsilon or a rho."""
    if isinstance(measure, ZeroConcentrated):
        return measure.rho
    assert isinstance(measure, Pure | Approx)
    return measure.epsilon


def left_text(left: Measure) -> str:
    """What is left, in six digits, rounded down: so much can be asked for.

    >>> left_text(Pure("2/3")), left_text(ZeroConcentrated("2/3"))
    ('epsilon 0.666666', 'rho 0.666666')
    """
    word = "rho" if isinstance(left, ZeroConcentrated) else "epsilon"
    return f"{word} {short_down(amount_of(left))}"


def budget_bar(whole: Measure, spent: Measure, left: Measure) -> Html:
    """A budget for notebooks: a bar that is filled with what is spent, and the numbers.

    What is left of an approximate budget is no epsilon, and is not shown: what fits depends on the
    noise, and a refusal says what would.
    """
    size = amount_of(whole)
    share = amount_of(spent) / size if size else Fraction(1)
    if isinstance(whole, Approx):
        return bar(share, f"epsilon {short_up(amount_of(spent))} spent of {whole}")
    return bar(share, f"{spent} spent of {whole}; left {left_text(left)}")


def cost_request(
    whole: Measure,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    selects: bool = False,
) -> CostRequest:
    """What is asked for, in the terms of a budget; ``selects`` says that keys must be selected."""
    failing = _failing(whole, delta, selects=selects)
    if isinstance(whole, ZeroConcentrated):
        if rho is None or epsilon is not None:
            raise _say("rho", "a zero-concentrated budget is spent in rho", "release(rho=0.01)")
        return CostRequest(ZeroConcentrated(positive(rho, "rho")), failing)
    if epsilon is None or rho is not None:
        raise _say("epsilon", "this budget is spent in epsilon", "release(epsilon=0.1)")
    size = positive(epsilon, "epsilon")
    if isinstance(whole, Pure):
        return CostRequest(Pure(size), failing)
    assert isinstance(whole, Approx)
    return CostRequest(Approx(size, whole.delta / 2), failing)


def _failing(whole: Measure, delta: Number | None, *, selects: bool) -> Fraction:
    if not selects:
        if delta is not None:
            raise RangeError(
                "delta is spent on the selection of keys only, and this question selects none.",
                remedy="Leave delta out: epsilon is meant at the delta of the budget.",
            )
        return Fraction(0)
    if not isinstance(whole, Approx):
        raise RangeError(
            "the values that this question groups by are not declared, so groups must be "
            f"selected privately. That needs a delta, and the budget {whole} has none.",
            remedy="State Choices for the keys, or give a budget such as shoal.Approx(1, '1e-6'). "
            "shoal.listed_choices(frame) gives those of categories and enums, for you to check.",
        )
    if delta is None:
        raise RangeError(
            "the values that this question groups by are not declared, so groups must be "
            "selected privately, and delta says at what risk.",
            remedy=f"Give delta, at most {short(whole.delta / 2)} for all questions together, "
            "or state Choices for the keys.",
        )
    return open_unit(delta, "delta")


def _say(name: str, why: str, how: str) -> RangeError:
    return RangeError(f"{why}: {name} is needed, and nothing else.", remedy=f"Write {how}.")
