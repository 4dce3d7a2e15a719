"""What `shoal account` has to say, before it is printed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.accounting import Account, Bound, Comparison, compare, promise_of
from shoal.errors import EventError
from shoal.events import write_events
from shoal.exact import float_down, float_up, short, short_down, short_up
from shoal.interpret import explain

_NEIGHBOURS = {
    "add_remove": "one row more or less",
    "change": "one row with another value",
    "own": "for each release those it was made for",
    None: "whatever the events were made for",
}


@dataclass(frozen=True)
class AccountView:
    """An account, and the comparison that was asked for."""

    account: Account
    comparison: Comparison

    @classmethod
    def of(cls, account: Account, *, delta: str | None, epsilon: str | None) -> AccountView:
        """The one question that the command asks of the accounting floor."""
        return cls(account, compare(account, delta=delta, epsilon=epsilon))

    @property
    def asked(self) -> str:
        return self.comparison.asked

    @property
    def given(self) -> str:
        """The number that was given, in words."""
        best = self.comparison.best
        return (
            f"delta {short(best.delta)}"
            if self.asked == "epsilon"
            else f"epsilon {short(best.epsilon)}"
        )

    @property
    def releases(self) -> int:
        return sum(self.account.lines.values())

    @property
    def text(self) -> str | None:
        """The events in compact text, where they have one."""
        try:
            return write_events(self.account.event)
        except EventError:
            return None

    @property
    def neighbours(self) -> str:
        return _NEIGHBOURS[self.account.relation]

    @property
    def between(self) -> str:
        """Which neighbours the number is about, where all releases agree."""
        agreed = self.account.relation in {"add_remove", "change"}
        return f", for {self.neighbours}" if agreed else ""

    def number(self, bound: Bound) -> Fraction:
        """The number of a bound that was asked for."""
        return bound.epsilon if self.asked == "epsilon" else bound.delta

    def bracket(self) -> str:
        """Where the truth lies, in a sentence."""
        high = self.number(self.comparison.best)
        low = self.comparison.lower
        if self.comparison.best.delta == 1:
            return "Any release promises that."
        if low is None:
            return (
                f"The truth is at most {short_up(high)}. How far below is not known: "
                "of some release only a bound is known, not the law."
            )
        digits = _telling_digits(low, high)
        return (
            f"The truth lies between {short_down(low, digits=digits)} and "
            f"{short_up(high, digits=digits)}; quote the upper number."
        )

    def sentences(self) -> tuple[str, ...]:
        """What the promise means: for any answer, for a tester, in a bet."""
        delta = self.comparison.best.delta
        if delta == 1:
            return ("With delta 1 nothing is promised at all.",)
        promise = promise_of(self.account, delta=delta, also=[self.comparison])
        told = explain(promise, delta=delta).sentences
        return told[0].removeprefix("Promise: a privacy profile. "), told[1], told[-1]

    def to_dict(self) -> dict[str, object]:
        """The wire shape; a number that was found is rounded to the side that promises less."""
        best = self.comparison.best
        low = self.comparison.lower
        return {
            **self._numbers(best),
            "asked": self.asked,
            "lower": None if low is None else float_down(low),
            "measures": [self._numbers(bound) for bound in self.comparison.bounds],
            "relation": self.account.relation,
            "events": self.text,
            "releases": self.releases,
        }

    def _numbers(self, bound: Bound) -> dict[str, object]:
        found = _finite(float_up(self.number(bound)))
        numbers = {"epsilon": float(bound.epsilon), "delta": float(bound.delta), self.asked: found}
        return {**numbers, "measure": bound.measure}


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _telling_digits(low: Fraction, high: Fraction) -> int:
    """So many digits that two numbers are seen to differ, from 6 to 9."""
    for digits in range(6, 9):
        if short_down(low, digits=digits) != short_down(high, digits=digits):
            return digits
    return 9
