"""What a set of questions needs: each accurate enough, and the budget that holds them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import CalibrationError, RangeError
from shoal.events import Composed
from shoal.exact import short, short_up, shown_up, turning_point
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.query.answer import Answer
from shoal.query.ask import AccuracyTarget
from shoal.query.notebook_html import block, quiet, table
from shoal.query.payment import Budget, Payer
from shoal.query.pricing import Priced
from shoal.query.shown_answer import level_of

_DIGITS, _WIDEST = 4, 48


@dataclass(frozen=True)
class Planned:
    """One question of a plan: what is wanted of it, and the epsilon (or rho) at which it is so."""

    target: AccuracyTarget
    priced: Priced

    @property
    def size(self) -> Fraction:
        """The epsilon or rho to ask with, in few digits, rounded up."""
        return self.priced.request.size

    def release(self, *, key: str | None = None) -> Answer:
        """Ask it, with that; ``key`` is as in `Ask.release`."""
        of, asked = self.target, dict[str, Any]({_word(self.priced): self.size})
        return of.ask.release(delta=of.delta, noise=self.priced.law, key=key, **asked)

    def to_dict(self) -> dict[str, Any]:
        """The question, the target and the price, as plain data."""
        of = self.target
        return {
            "question": of.ask.text,
            "column": of.column,
            "error": str(of.error),
            "confidence": str(of.confidence),
            "rows": of.rows,
            _word(self.priced): str(self.size),
            "failing": str(self.priced.request.failing),
            "noise": self.priced.law,
        }


@dataclass(frozen=True, repr=False)
class BudgetPlan:
    """Questions with their prices, and what they need together, in the terms of their budget.

    ``total`` is the least budget that would take all of them from the start; ``fits`` says whether
    what is left of theirs does.
    """

    questions: tuple[Planned, ...]
    total: Measure
    fits: bool

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        total = {name: str(getattr(self.total, name)) for name in _names(self.total)}
        return {
            "questions": [each.to_dict() for each in self.questions],
            "total": total,
            "fits": self.fits,
        }

    @property
    def _head(self) -> list[str]:
        return ["question", "wanted", _word(self.questions[0].priced), "noise"]

    @property
    def _in_all(self) -> str:
        left = "which fits" if self.fits else "more than is left of the budget"
        return f"in all {self.total}, {left}"

    def __str__(self) -> str:
        rows = [self._head, *(_cells(each) for each in self.questions)]
        widths = [max(len(row[at]) for row in rows) for at in range(4)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, self._in_all])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return block(table(self._head, map(_cells, self.questions)), quiet([self._in_all]))


def plan_budget(targets: Sequence[AccuracyTarget]) -> BudgetPlan:
    """What questions need to be as accurate as is wanted of each; free, and nothing is reserved.

    A target is ``ask.within(error)``.  All questions must be asked of one budget.

    >>> import pyarrow as pa
    >>> from shoal import Pure, Row, private
    >>> people = private(pa.table({"x": [1, 2]}), name="people", protects=Row(), budget=Pure(1))
    >>> ask = people.sql("SELECT COUNT(*) AS n FROM people")
    >>> print(plan_budget([ask.within(10), ask.within(20, confidence="0.9")]))
    question                            wanted                epsilon  noise
    SELECT COUNT(*) AS n FROM people    all within 10 (95%)   0.2...   laplace
    SELECT COUNT(*) AS n FROM people    all within 20 (90%)   0.1...   laplace
    in all epsilon 0.3..., which fits
    """
    listed = tuple(targets)
    budget = _one_budget(listed)
    planned = tuple(planned_for(target) for target in listed)
    event = Composed(tuple(each.priced.event() for each in planned))
    return BudgetPlan(planned, _least(budget, event), budget.would_fit(event))


def _one_budget(targets: tuple[AccuracyTarget, ...]) -> Payer:
    if not targets or not all(isinstance(target, AccuracyTarget) for target in targets):
        raise RangeError(
            "a plan needs questions with an error each.",
            remedy="Give plan_budget([ask.within(100), ...]).",
        )
    budgets = {id(target.ask.budget): target.ask.budget for target in targets}
    if len(budgets) > 1:
        raise RangeError(
            f"these questions are paid from {len(budgets)} budgets.",
            remedy="Plan the questions of each budget by themselves.",
        )
    return next(iter(budgets.values()))


def planned_for(target: AccuracyTarget) -> Planned:
    """The least price in few digits at which the target is met."""
    size = target.ask.least(target)
    while not target.ask.meets(target, rounded := Fraction(short_up(size, digits=_DIGITS))):
        size = rounded * (1 + Fraction(1, 10**_DIGITS))
    return Planned(target, target.ask.priced_at(target, rounded))


def _least(budget: Payer, event: Composed) -> Measure:
    """The least budget of the same kind, with the same delta, that takes an event from the
    start.
    """
    if not isinstance(budget.whole, Approx):
        wide = Pure(10**9) if isinstance(budget.whole, Pure) else ZeroConcentrated(10**9)
        counted = Budget(wide, relation=budget.relation)
        counted.charge(event)
        return counted.spent
    delta = budget.whole.delta

    def fits(inverse: Fraction) -> bool:
        return Budget(Approx(1 / inverse, delta), relation=budget.relation).would_fit(event)

    if not fits(Fraction(1, 10**6)):
        raise CalibrationError(
            f"what may fail in the selection of keys is more than half of delta {short(delta)}, whatever the epsilon.",
            remedy="Select keys with a smaller delta, in fewer questions, or state Choices for them.",
        )
    inverse, _ = turning_point(fits, start=Fraction(1), bits=12)
    return Approx(Fraction(short_up(1 / inverse, digits=_DIGITS)), delta)


def _word(priced: Priced) -> str:
    return "rho" if isinstance(priced.request.measure, ZeroConcentrated) else "epsilon"


def _names(total: Measure) -> tuple[str, ...]:
    if isinstance(total, ZeroConcentrated):
        return ("rho",)
    return ("epsilon", "delta") if isinstance(total, Approx) else ("epsilon",)


def _cells(planned: Planned) -> list[str]:
    of, text = planned.target, " ".join(planned.target.ask.text.split())
    cut = text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
    sure = level_of(of.confidence)
    wanted = f"{of.column or 'all'} within {shown_up(of.error, digits=6)} ({sure})"
    return [cut, wanted, short(planned.size), planned.priced.law]
