"""A budget in memory: what may be spent, what one question asks for, and the filter that
refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.accounting import filter_for
from shoal.errors import RangeError
from shoal.events import Event
from shoal.exact import Number, open_unit, positive, short, short_down, short_up
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.owned import Owned
from shoal.query.notebook_html import Html, bar, block, title
from shoal.query.paying import PaymentRequest, QuestionCharge


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
