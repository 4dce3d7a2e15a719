"""Which epsilon: from how many people, how accurate and how many questions to a budget.

The error of each budget is exact.  Which error is good enough, and which risk is acceptable, is a
judgement that no theorem makes.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shoal.engines.held_rows import HeldRows
from shoal.errors import RangeError
from shoal.exact import Number, open_unit, positive, short, short_up, shown_up, whole
from shoal.interpret import risk_of
from shoal.measures import Measure, Pure, ZeroConcentrated, zero_concentrated_epsilon_up
from shoal.plan import INTEGER, Person
from shoal.query.ask import AccuracyTarget
from shoal.query.notebook_html import bar, block, quiet, table, title
from shoal.query.payment import amount_of
from shoal.query.preview import errors_at
from shoal.query.private_tables import private
from shoal.query.shown_answer import level_of

if TYPE_CHECKING:
    from shoal.plots import Picture

__all__ = ["Guide", "guide"]

_DIGITS = 3
_FACTORS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
"""The budgets that are shown beside the one that is proposed."""
_FINE = 20
"""So many steps the drawn curve has from an eighth of the budget to the budget, and as many to
eight times it.
"""
_ASKED = {
    "people": "How many people are in the data, roughly? ",
    "within": "How many people may a published count be off by? ",
    "questions": "How many tables or numbers do you want to publish, in all? ",
}
JUDGEMENT = (
    "Which epsilon is acceptable is a judgement, not a theorem. A common rule of thumb: up to 1 is strong, "
    "up to about 10 is used in practice, above that the promise alone says little."
)


@dataclass(frozen=True, repr=False)
class Guide:
    """A budget that makes counts as accurate as wanted, and what it means; made by `guide`.

    ``each`` is what one question costs, ``budget`` what all of them cost together.  A question is a
    count, or a table of counts, in which one person counts with ``rows_per_person`` rows at most.
    """

    people: int
    within: Fraction
    questions: int
    confidence: Fraction
    rows_per_person: int
    delta: Fraction | None
    each: Pure | ZeroConcentrated

    @property
    def budget(self) -> Measure:
        """What all questions cost together: the sum, which is exact in both measures."""
        return _times(self.each, Fraction(self.questions))

    @property
    def error(self) -> float:
        """How far a count is off at most, at the confidence; no more than was wanted."""
        return self.error_at(self.budget)

    @property
    def sentence(self) -> str:
        """What the budget means for one person."""
        told = risk_of(self.budget)
        return f"{told[0].upper()}{told[1:]}"

    def error_at(self, budget: Measure) -> float:
        """How far each count is off at most, if all questions share this budget alike."""
        target = self._target
        made = target.ask.priced_at(target, amount_of(budget) / self.questions)
        found = errors_at(made, made.recipes[0], self.confidence, None)
        assert found is not None
        return found

    @cached_property
    def _target(self) -> AccuracyTarget:
        return _counted(type(self.each), self)

    def curve(self) -> tuple[tuple[Measure, float], ...]:
        """Some budgets around the proposed one, each with the error of a count."""
        shown = [_times(self.budget, factor) for factor in _FACTORS]
        return tuple((each, self.error_at(each)) for each in shown)

    def plot(self) -> Picture:
        """The error against the budget; ``.save("guide.svg")`` writes it.

        Edges: the extra `plots` is needed, and loaded here.
        """
        from shoal.plots import error_curve  # noqa: PLC0415 - loaded with the first picture

        size = amount_of(self.budget)
        factors = (8.0 ** (at / _FINE) for at in range(-_FINE, _FINE + 1))
        shown = [_times(self.budget, Fraction(factor)) for factor in factors]
        word = _word(self.budget)
        return error_curve(
            [(float(amount_of(each)), self.error_at(each)) for each in shown],
            (float(size), self.error),
            x=f"{word} for all questions together",
            y="people a count may be off by",
            title="Error against budget",
            subtitle=f"{self._many}, {level_of(self.confidence)} confidence",
        )

    def to_dict(self) -> dict[str, Any]:
        """The proposal as plain data, exact."""
        word = _word(self.budget)
        return {
            "people": self.people,
            "within": str(self.within),
            "questions": self.questions,
            "confidence": str(self.confidence),
            "rows_per_person": self.rows_per_person,
            "delta": None if self.delta is None else str(self.delta),
            "budget": {word: str(amount_of(self.budget))},
            "each": {word: str(amount_of(self.each))},
            "error": self.error,
            "sentence": self.sentence,
            "curve": [{word: str(amount_of(at)), "error": error} for at, error in self.curve()],
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """The proposal in words."""
        share = shown_up(100 * Fraction(self.error) / self.people, digits=2)
        chance = round(0.98 * math.sqrt(self.people))  # 1.96 deviations of a fair coin's count
        off, sure = shown_up(self.error, digits=_DIGITS), level_of(self.confidence)
        word, each = _word(self.budget), short(amount_of(self.each))
        return (
            f"{self._budget} for {self._many}; {word} {each} for each.",
            f"Each count is then within {off} people with {sure} confidence: {share} % of {self.people:,} people.",
            f"For one person: {self.sentence[0].lower()}{self.sentence[1:]}",
            f"If the people are a random sample, drawing them already moves a count near one half by about {chance:,} people.",
            *self._other,
            JUDGEMENT,
        )

    @property
    def _many(self) -> str:
        return "1 question" if self.questions == 1 else f"all {self.questions:,} questions together"

    @property
    def _budget(self) -> str:
        if isinstance(self.budget, ZeroConcentrated) and self.delta is not None:
            epsilon = zero_concentrated_epsilon_up(self.budget.rho, delta=self.delta)
            return f"A budget of rho {short(self.budget.rho)} (epsilon {short_up(epsilon, digits=_DIGITS)} at delta {short(self.delta)})"
        return f"A budget of {_word(self.budget)} {short(amount_of(self.budget))}"

    @property
    def _other(self) -> list[str]:
        """The way by Gaussian noise, where it is not taken and promises much more."""
        if self.delta is not None:
            return []
        delta = Fraction(1, 10 ** (len(str(self.people)) + 2))
        rho = self.questions * amount_of(_least(ZeroConcentrated, self))
        epsilon = zero_concentrated_epsilon_up(rho, delta=delta)
        if 2 * epsilon > amount_of(self.budget):
            return []
        told = short_up(rho, digits=_DIGITS), short_up(epsilon, digits=_DIGITS), short(delta)
        return [
            "A budget of rho {} buys the same accuracy and promises epsilon {} at delta {}; ask for it with that delta.".format(
                *told
            )
        ]

    def __str__(self) -> str:
        rows = [
            (f"{_word(at)} {short_up(amount_of(at), digits=_DIGITS)}", error)
            for at, error in self.curve()
        ]
        widest, most = max(len(name) for name, _ in rows), max(error for _, error in rows)
        bars = [
            f"  {name.ljust(widest)}  {'#' * max(1, round(40 * error / most))} within {shown_up(error, digits=_DIGITS)}"
            for name, error in rows
        ]
        return "\n".join([*self.lines, "", "The same questions with other budgets:", *bars])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        most = max(error for _, error in self.curve())
        rows = [
            [
                f"{_word(at)} {short_up(amount_of(at), digits=_DIGITS)}",
                bar(error / most, f"within {shown_up(error, digits=_DIGITS)} people"),
            ]
            for at, error in self.curve()
        ]
        head = ["budget", f"error of a count, {level_of(self.confidence)} confidence"]
        first, *others = self.lines
        return block(title(first), quiet(others), table(head, rows))


def guide(
    *,
    people: Number | None = None,
    within: Number | None = None,
    questions: Number | None = None,
    confidence: Number = "0.95",
    rows_per_person: int = 1,
    delta: Number | None = None,
) -> Guide:
    """A budget at which every count is ``within`` so many people of the truth.

    Questions are counts, or tables of counts; ``rows_per_person`` is how many rows of one person
    count in each of them.  With a ``delta``, Gaussian noise and a budget in rho are taken where
    they promise more.  On a terminal, what is not given is asked for.

    Guarantee: the error is the one that a preview of such a count shows, for protected persons,
        and the budget is the exact sum of what the questions cost, rounded up.
    Edges: whether the budget is acceptable is a judgement; see docs/which-epsilon.md.

    >>> found = guide(people=5000, within=20, questions=10)
    >>> print(found.budget, found.each, found.error)
    epsilon 1.5 epsilon 0.15 19.9...
    """
    asked = {"people": people, "within": within, "questions": questions}
    said: dict[str, Any] = {name: _given(name, value) for name, value in asked.items()}
    some = whole(_plain(said["people"]), "people", at_least=2)
    many = whole(_plain(said["questions"]), "questions", at_least=1)
    error = positive(said["within"], "within")
    if error >= some:
        raise RangeError(
            f"within is {short(error)}, and there are {some:,} people: such counts say nothing.",
            remedy=f"Give a number well below {some:,}, such as within={max(1, some // 100)}.",
        )
    level = open_unit(confidence, "confidence")
    rows = whole(rows_per_person, "rows_per_person", at_least=1)
    at = None if delta is None else open_unit(delta, "delta")
    made = Guide(some, error, many, level, rows, at, Pure(1))
    return replace(made, each=_chosen(made))


def _chosen(made: Guide) -> Pure | ZeroConcentrated:
    """The price of each question: in epsilon, or in rho where a delta is given and that promises
    more.
    """
    pure = _least(Pure, made)
    if made.delta is None:
        return pure
    normal = _least(ZeroConcentrated, made)
    rho = made.questions * amount_of(normal)
    promised = zero_concentrated_epsilon_up(rho, delta=made.delta)
    return normal if promised < made.questions * amount_of(pure) else pure


def _counted(kind: type[Measure], made: Guide) -> AccuracyTarget:
    """The count that questions are taken to be, over one made-up row that is never read."""
    held = private(
        HeldRows({"person": (INTEGER, [0])}),
        protects=Person("person", groups=1, rows_per_group=made.rows_per_person),
        budget=_sized(kind, Fraction(1)),
    )
    ask = held.sql("SELECT COUNT(*) AS n FROM data")
    return ask.within(made.within, confidence=made.confidence)


def _least(kind: type[Measure], made: Guide) -> Pure | ZeroConcentrated:
    """The least price in few digits at which a count is within the error that is wanted."""
    target = _counted(kind, made)
    size = target.ask.least(target)
    while not target.ask.meets(target, rounded := Fraction(short_up(size, digits=_DIGITS))):
        size = rounded * (1 + Fraction(1, 10**_DIGITS))
    return _sized(kind, rounded)


def _sized(kind: type[Measure], size: Fraction) -> Pure | ZeroConcentrated:
    return Pure(size) if kind is Pure else ZeroConcentrated(size)


def _times(measure: Measure, factor: Fraction) -> Pure | ZeroConcentrated:
    return _sized(type(measure), amount_of(measure) * factor)


def _word(measure: Measure) -> str:
    return "epsilon" if isinstance(measure, Pure) else "rho"


def _plain(given: Any) -> Any:
    """A number as people type it: 5,000 is 5000."""
    if not isinstance(given, str):
        return given
    digits = given.replace(",", "").strip()
    return int(digits) if digits.isdecimal() else given


def _given(name: str, value: Any) -> Any:
    """What was given, or what somebody at a terminal answers."""
    if value is not None:
        return value
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        return _plain(input(_ASKED[name]))
    missing = "people=5000, within=20, questions=10"
    raise RangeError(
        f"{name} is not given, and there is no terminal to ask.",
        remedy=f"Write shoal.guide({missing}), or shoal guide --people 5000 --within 20 --questions 10.",
    )
