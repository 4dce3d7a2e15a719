"""A survey design: odds, what the respondent is told to do, and what the odds mean in words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import RangeError
from shoal.local.answer_shares import Shares
from shoal.local.odds import EvenOdds
from shoal.local.transition import TransitionMatrix
from shoal.measures import Pure

_MOST = 10**15
"""Odds beyond this are told as a bound."""

NO, YES = "no", "yes"
DICE, HARMLESS = "dice", "harmless"
"""Where a respondent's chance comes from: it is drawn anew for each question, or is the answer to a
harmless question.
"""


@dataclass(frozen=True)
class Design:
    """A way to ask a sensitive question, so that the reply alone proves little.

    Guarantee: what its matrix promises, for each reply by itself, when the randomisation is done as
        `instructions` say.
    Needs: nothing but its matrix.
    Edges: `note` says what a one-sided design gives away; its epsilon is infinite.  `source` is
        "dice" or "harmless", or empty where it is not known; a harmless question serves one
        sensitive question only.
    """

    name: str
    matrix: TransitionMatrix
    instructions: str
    source: str = ""

    @property
    def epsilon(self) -> Fraction | float:
        """What one reply costs the person who sends it, rounded up; infinite for one-sided
        designs.
        """
        return self.matrix.epsilon

    @property
    def cost(self) -> Pure:
        """The same as a measure; refused where it is infinite."""
        return self.matrix.cost

    @property
    def note(self) -> str:
        """Which replies exclude which answers for sure; empty where none does."""
        return self.matrix.note

    @property
    def words(self) -> str:
        """The odds in plain words, for the respondent."""
        return odds_in_words(self.matrix)

    @property
    def floor(self) -> Fraction:
        """The chance that the last kind of reply comes from a person whose answer is no."""
        self._check_two()
        return self.matrix.chance(0, 1)

    @property
    def lean(self) -> Fraction:
        """How much likelier the last kind of reply is when the answer is yes; a reply comes with
        floor + lean * share.
        """
        self._check_two()
        return self.matrix.chance(1, 1) - self.floor

    def _check_two(self) -> None:
        if (self.matrix.odds.answers, self.matrix.odds.reports) != (2, 2):
            raise RangeError(
                f"the design {self.name!r} does not have two answers and two kinds of reply.",
                remedy="Use its matrix, which serves any number of them.",
            )

    def release(self, value: Any) -> Any:
        """Replies for true answers, by number; for rehearsals, and where a device randomises."""
        return self.matrix.release(value)

    def estimate(self, replies: Any) -> Shares:
        """Unbiased shares of the answers, from the replies of many people, by number."""
        return self.matrix.estimate(replies)

    def estimate_from_counts(self, counts: Any) -> Shares:
        """The same from how many replies there were of each kind."""
        return self.matrix.estimate_from_counts(counts)

    def __str__(self) -> str:
        return f"{self.name}: {self.words}"


def odds_in_words(matrix: TransitionMatrix) -> str:
    """What is sent how often, in words that need no mathematics.

    >>> odds_in_words(TransitionMatrix.for_truth("3/4"))
    'your true answer is sent 3 times out of 4'
    """
    if _is_even(matrix):
        words = f"your true answer is sent {times(matrix.chance(0, 0))}"
        others = matrix.odds.answers - 1
        more = f", and each of the {others} others {times(matrix.chance(0, 1))}"
        return words if others == 1 else words + more
    parts = []
    for place, answer in enumerate(matrix.answers):
        chances = [matrix.chance(place, number) for number in range(len(matrix.reports))]
        sent = [
            f"{report!r} is {'always sent' if chance == 1 else 'sent ' + times(chance)}"
            for report, chance in zip(matrix.reports, chances, strict=True)
            if chance
        ]
        parts.append(f"if your true answer is {answer!r}, {' and '.join(sent)}")
    return "; ".join(parts)


def _is_even(matrix: TransitionMatrix) -> bool:
    if isinstance(matrix.odds, EvenOdds):
        return True
    two = (matrix.odds.answers, matrix.odds.reports) == (2, 2) and matrix.answers == matrix.reports
    return two and matrix.chance(0, 0) == matrix.chance(1, 1)


def times(chance: Fraction) -> str:
    """A chance as so many times out of so many: exact where that is short, else about; never
    certain by rounding.

    >>> times(Fraction(3, 4)), times(Fraction(1)), times(Fraction(1, 6)), times(Fraction(123457, 999983))
    ('3 times out of 4', 'always', '1 time out of 6', 'about 123 times out of 1000')
    >>> times(Fraction(22026, 22027)), times(Fraction(1, 10**12)), times(Fraction(1, 10**5000))
    ('all but about 1 time in 22,027', 'about 1 time in 1,000,000,000,000', 'less than 1 time in 1,000,000,000,000,000')
    """
    if chance in (0, 1):
        return "always" if chance else "never"
    if chance.denominator <= 100:
        return f"{chance.numerator} {'time' if chance.numerator == 1 else 'times'} out of {chance.denominator}"
    base = 1000
    while round(chance * base) < 10 and base < 10**9:
        base *= 10
    near = round(chance * base)
    if near == base:
        return f"all but {_one_in(1 / (1 - chance))}"
    if near == 0:
        return _one_in(1 / chance)
    return f"about {near} {'time' if near == 1 else 'times'} out of {base}"


def _one_in(times: Fraction) -> str:
    return (
        f"about 1 time in {round(times):,}" if times < _MOST else f"less than 1 time in {_MOST:,}"
    )
