"""The transition matrix: the one value behind every design and categorical protocol."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np

from shoal import events
from shoal.errors import PriceError, RangeError, ShapeError
from shoal.exact import (
    Number,
    ball,
    closed_unit,
    non_negative,
    open_unit,
    short_up,
    upper,
)
from shoal.local import written_matrix
from shoal.local.answer_shares import Shares
from shoal.local.client_randomness import Take, number_below, secret_bytes
from shoal.local.indices import counted, read_counts, read_indices
from shoal.local.intervals import Groups
from shoal.local.odds import EvenOdds, Odds, TableOdds, odds_down
from shoal.measures import Pure
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import secret, uniform_below
from shoal.sensitivity.claims import Answers


@dataclass(frozen=True, init=False, repr=False)
class TransitionMatrix:
    """The chance of every report under every answer, exactly.

    Guarantee: a report is epsilon-DP for the person who sends it (relation "change"), with the
        largest log-ratio of two chances of one report as epsilon: rounded up, and infinite where a
        report excludes an answer.
    Needs: chances that are rational and add up to 1 under every answer.
    Edges: an infinite epsilon is no error; `note` says which reports give an answer away.  That a
        report was sent at all is not hidden.
    Reference: Warner 1965; Chaudhuri and Mukerjee 1988.  Proof: transition.md.

    >>> coins = TransitionMatrix([["3/4", "1/4"], ["1/4", "3/4"]], answers=("no", "yes"))
    >>> print(coins.cost, "|", [str(share) for share in coins.estimate_from_counts([60, 40]).frequencies])
    epsilon 1.09862 | ['7/10', '3/10']
    """

    answers: tuple[str, ...]
    reports: tuple[str, ...]
    odds: Odds

    def __init__(
        self,
        chances: Sequence[Sequence[Number]],
        *,
        answers: Iterable[str] | None = None,
        reports: Iterable[str] | None = None,
    ) -> None:
        read = [[closed_unit(chance, "a chance") for chance in row] for row in chances]
        total = math.lcm(*(chance.denominator for row in read for chance in row))
        odds = TableOdds(tuple(tuple(int(chance * total) for chance in row) for row in read))
        if odds.total != total:
            raise RangeError(
                "the chances of the reports must add up to 1 under every answer.",
                remedy="Give exact chances, such as '1/3', that add up to 1 in every row.",
            )
        self._keep(odds, answers, reports)

    @classmethod
    def of_odds(
        cls,
        odds: Odds,
        *,
        answers: Iterable[str] | None = None,
        reports: Iterable[str] | None = None,
    ) -> Self:
        """The matrix with given weights; reports are named like the answers where they are as
        many.
        """
        made = cls.__new__(cls)
        made._keep(odds, answers, reports)  # noqa: SLF001 - its own
        return made

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, *, size: int = 2, answers: Iterable[str] | None = None
    ) -> Self:
        """k-ary randomized response with odds at or just below e^epsilon: the best rational of
        small denominator.
        """
        odds = odds_down(epsilon)
        return cls.of_odds(EvenOdds(size, odds.numerator, odds.denominator), answers=answers)

    @classmethod
    def for_truth(
        cls, truth: Number, *, size: int = 2, answers: Iterable[str] | None = None
    ) -> Self:
        """k-ary randomized response that tells the truth with this probability."""
        chance = open_unit(truth, "truth")
        ratio = chance * (size - 1) / (1 - chance)
        return cls.of_odds(EvenOdds(size, ratio.numerator, ratio.denominator), answers=answers)

    def _keep(
        self, odds: Odds, answers: Iterable[str] | None, reports: Iterable[str] | None
    ) -> None:
        keep = object.__setattr__
        named = _names(answers, odds.answers, "answers")
        keep(self, "odds", odds)
        keep(self, "answers", named)
        same = reports is None and odds.answers == odds.reports
        keep(self, "reports", named if same else _names(reports, odds.reports, "reports"))

    def __repr__(self) -> str:
        shape = f"{self.odds.answers} answers, {self.odds.reports} reports"
        return f"<TransitionMatrix: {shape}, {self._price_in_words}>"

    @property
    def _price_in_words(self) -> str:
        found = self.epsilon
        return f"epsilon {short_up(found)}" if isinstance(found, Fraction) else "epsilon infinite"

    # what it promises

    @cached_property
    def ratio(self) -> Fraction | None:
        """The largest ratio of two chances of one report, exactly; None where there is no bound."""
        return self.odds.largest_ratio()

    @cached_property
    def epsilon(self) -> Fraction | float:
        """The logarithm of the ratio: exact where it is 0, else rounded up; `math.inf` without a
        bound.
        """
        ratio = self.ratio
        if ratio is None:
            return math.inf
        return Fraction(0) if ratio == 1 else upper(lambda: ball(ratio).log())

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it; refused where a report gives an answer
        away.
        """
        if not isinstance(self.epsilon, Fraction):
            raise PriceError(
                f"no epsilon covers these odds: {self.note}",
                remedy="Choose a design in which every report is possible under every answer.",
            )
        return Pure(self.epsilon)

    @property
    def note(self) -> str:
        """Which reports exclude which answers for sure, in words; empty where none does."""
        if self.ratio is not None:
            return ""
        rows = range(self.odds.answers)
        excluded = [
            f"the report {name!r} excludes the answer {self.answers[answer]!r}"
            for report, name in enumerate(self.reports)
            for answer in rows
            if not self.odds.weight(answer, report)
        ]
        more = f", and {len(excluded) - 3} more like it" if len(excluded) > 3 else ""
        return f"{'; '.join(excluded[:3])}{more}."

    @property
    def event(self) -> events.Event:
        """The description of one report."""
        if not isinstance(self.epsilon, Fraction):
            return events.NonPrivate(relation="change", private=secret())
        if isinstance(self.odds, EvenOdds):
            return events.RandomizedResponse(
                categories=self.odds.size,
                truth=Fraction(self.odds.same, self.odds.total),
                relation="change",
                private=secret(),
            )
        return events.StatedPure(epsilon=self.epsilon, relation="change", private=secret())

    def chance(self, answer: int, report: int) -> Fraction:
        """The chance of a report under an answer."""
        return Fraction(self.odds.weight(answer, report), self.odds.total)

    @property
    def kinds(self) -> int:
        """How many reports there are."""
        return self.odds.reports

    @property
    def total(self) -> int:
        """The denominator of all chances; a client draws a number below it."""
        return self.odds.total

    @cached_property
    def variation(self) -> Fraction:
        """The largest total variation between the reports of two answers; shuffling builds on
        it.
        """
        odds = self.odds
        if isinstance(odds, EvenOdds):
            return Fraction(abs(odds.same - odds.other), odds.total)
        rows = [odds.row(answer) for answer in range(odds.answers)]
        apart = (
            sum(max(0, a - b) for a, b in zip(one, two, strict=True))
            for one, two in combinations(rows, 2)
        )
        return Fraction(max(apart), odds.total)

    def told(self, report: int) -> str:
        """What a report says, in words."""
        return self.reports[report]

    # sending

    def place(self, answer: int, drawn: int) -> int:
        """The report that a number below ``total`` leads to under an answer."""
        return self.odds.place(answer, drawn)

    def release(self, value: Any) -> Any:
        """The report of an answer, or an array or list of them; answers are numbered from 0.

        Guarantee: exactly the chances of the matrix, for each answer by itself.
        Edges: answers outside the matrix are refused without being quoted.
        """
        answers = read_indices(value, self.odds.answers, what="answers")
        flat = answers.reshape(-1)
        told = meet(
            lambda: self.odds.places(flat, uniform_below(self.odds.total, flat.size)),
            lambda: self._meeting(flat),
        ).reshape(answers.shape)
        if isinstance(value, np.ndarray):
            return told
        return told[()] if isinstance(value, np.generic) else told.tolist()

    def report(self, answer: int, *, take: Take = secret_bytes) -> int:
        """One report from a stream of bytes, as a client in any language makes it.

        The number drawn does not depend on the answer, nor does how many bytes are taken; see
        transition.md.

        >>> from io import BytesIO
        >>> coins = TransitionMatrix.for_truth("3/4")
        >>> [coins.report(1, take=BytesIO(bytes([byte])).read) for byte in (0, 64, 128, 255)]
        [0, 1, 1, 1]
        """
        known = int(read_indices(answer, self.odds.answers, what="answers"))
        (told,) = meet(
            lambda: [self.odds.place(known, number_below(self.odds.total, take))],
            lambda: self._meeting([known]),
        )
        return told

    def _meeting(self, answers: Any) -> NoiseWitness:
        """What a witness is told: the answers, and the largest ratio of the chances of a report."""
        return NoiseWitness(self, ("matrix",), answers, Answers(self.ratio, self.chance))

    # undoing

    def estimate(self, reports: Any) -> Shares:
        """Unbiased shares of the answers, from the reports of many people."""
        return Shares(self, counted(reports, self.odds.reports))

    def estimate_from_counts(self, counts: Any) -> Shares:
        """The same from the number of reports of each kind."""
        return Shares(self, read_counts(counts, self.odds.reports))

    def worth(self, report: int, answer: int) -> Fraction:
        """By what a report counts for an answer."""
        if isinstance(self.odds, EvenOdds):
            return self.odds.undone_weights()[report != answer]
        return self.estimator[report][answer]

    def groups(self, counts: Mapping[int, int]) -> tuple[Groups, ...]:
        """For each answer what reports count for it, and how many count so much; counts are by the
        number of the report.
        """
        every = tuple(counts.get(report, 0) for report in range(self.kinds))
        return tuple(share.groups for share in Shares(self, every))

    @cached_property
    def estimator(self) -> tuple[tuple[Fraction, ...], ...]:
        """For each report, by what it counts for each answer; the mean over all reports is
        unbiased, exactly.
        """
        return self.odds.undo()

    def reported(self, shares: Sequence[Number]) -> tuple[Fraction, ...]:
        """The chance of every report when the answers have these shares."""
        known, odds = self._read_shares(shares), self.odds
        if isinstance(odds, EvenOdds):
            rest = sum(known) * odds.other
            return tuple((rest + share * (odds.same - odds.other)) / odds.total for share in known)
        held = [(share, odds.row(answer)) for answer, share in enumerate(known) if share]
        return tuple(
            sum((share * row[report] for share, row in held), Fraction(0)) / odds.total
            for report in range(odds.reports)
        )

    def variances(
        self, shares: Sequence[Number], *, reports: int, fixed: bool = False
    ) -> tuple[Fraction, ...]:
        """The variance of each estimated share over so many reports, exactly.

        People are drawn from a population with these shares; with ``fixed`` the people are given,
        their answers have these shares, and only the randomisation varies.
        """
        known = self._read_shares(shares)
        second = self._second_moments(known)
        given = self._squared_means(known) if fixed else [share**2 for share in known]
        return tuple((two - one) / reports for two, one in zip(second, given, strict=True))

    def _second_moments(self, shares: Sequence[Fraction]) -> list[Fraction]:
        told = self.reported(shares)
        if isinstance(self.odds, EvenOdds):
            same, other = self.odds.undone_weights()
            return [chance * same**2 + (1 - chance) * other**2 for chance in told]
        columns = zip(*self.estimator, strict=True)
        return [
            sum((c * b**2 for c, b in zip(told, column, strict=True)), Fraction(0))
            for column in columns
        ]

    @staticmethod
    def _squared_means(shares: Sequence[Fraction]) -> list[Fraction]:
        """One person's estimate has mean 1 or 0, so its squared mean is, on average, the share
        itself.
        """
        return list(shares)

    def log_likelihood(self, counts: Any, shares: Sequence[Number]) -> float:
        """The logarithm of the chance of these reports, up to a constant; minus infinity where they
        cannot be.
        """
        tally = read_counts(counts, self.odds.reports)
        pairs = [
            (count, told) for count, told in zip(tally, self.reported(shares), strict=True) if count
        ]
        if any(told == 0 for _, told in pairs):
            return -math.inf
        return math.fsum(count * math.log(told) for count, told in pairs)

    def posterior(self, report: int, prior: Sequence[Number]) -> tuple[Fraction, ...]:
        """How likely each answer of one person is after a report, given how likely it was before.

        >>> [str(chance) for chance in TransitionMatrix.for_truth("3/4").posterior(1, ["9/10", "1/10"])]
        ['3/4', '1/4']
        """
        known = self._read_shares(prior)
        told = int(read_indices(report, self.odds.reports, what="reports"))
        joint = [share * self.odds.weight(answer, told) for answer, share in enumerate(known)]
        if not any(joint):
            raise RangeError(
                "this report is impossible under the prior that was given.",
                remedy="Give some prior chance to an answer that can lead to it.",
            )
        return tuple(each / sum(joint) for each in joint)

    def _read_shares(self, shares: Sequence[Number]) -> tuple[Fraction, ...]:
        known = tuple(non_negative(share, "a share") for share in shares)
        if len(known) != self.odds.answers or sum(known) != 1:
            raise ShapeError(
                f"{self.odds.answers} shares that add up to 1 are needed.",
                remedy="Give one exact share, such as '1/10', for each answer.",
            )
        return known

    # in writing

    def to_dict(self) -> dict[str, Any]:
        """The matrix as plain values; numbers are texts of decimal digits, which no reader
        rounds.
        """
        return written_matrix.written(self.answers, self.reports, self.odds)

    def to_json(self) -> str:
        """The same as canonical text: equal matrices have equal text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a matrix back, and check that its parts agree."""
        odds, names = written_matrix.read(text)
        made = cls.of_odds(odds, **names)
        if made.to_dict() != json.loads(text):
            raise written_matrix.unreadable()
        return made

    def then(self, later: TransitionMatrix) -> TransitionMatrix:
        """The odds of both together, when another matrix is applied to the reports of this one."""
        if later.odds.answers != self.odds.reports:
            raise ShapeError(
                f"the second matrix has {later.odds.answers} answers for {self.odds.reports} reports.",
                remedy="Give a second matrix with one answer for each report of the first.",
            )
        one, two = self.odds, later.odds
        if isinstance(one, EvenOdds) and isinstance(two, EvenOdds):
            others = (one.size - 2) * one.other * two.other
            made: Odds = EvenOdds(
                one.size,
                one.same * two.same + (one.size - 1) * one.other * two.other,
                one.same * two.other + one.other * two.same + others,
            )
        else:
            columns = list(zip(*(two.row(i) for i in range(two.answers)), strict=True))
            made = TableOdds(
                tuple(
                    tuple(
                        sum(a * b for a, b in zip(one.row(i), column, strict=True))
                        for column in columns
                    )
                    for i in range(one.answers)
                )
            )
        return TransitionMatrix.of_odds(made, answers=self.answers, reports=later.reports)


def _names(given: Iterable[str] | None, size: int, what: str) -> tuple[str, ...]:
    names = tuple(str(number) for number in range(size)) if given is None else tuple(given)
    if len(names) != size or len(set(names)) != size or not all(isinstance(n, str) for n in names):
        raise ShapeError(
            f"{size} different names of {what} are needed.",
            remedy="Name each of them once, in text.",
        )
    return names
