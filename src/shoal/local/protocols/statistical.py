"""Statistical queries answered from local reports: every question asks new people."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import CalibrationError, ExhaustedError
from shoal.exact import Number, ball, open_unit, positive, short, upper, whole
from shoal.local.protocols.numeric import OneBit
from shoal.measures import Pure
from shoal.mechanisms.total_functions import called, each_row, number_of, unwrapped
from shoal.owned import Owned

Query = Callable[[NDArray[Any]], Any]


def people_needed(*, tolerance: Number, queries: int, failure: Number, epsilon: Number) -> int:
    """How many people answer so many queries to within a tolerance, all at once but for a chance of
    failure.

    Guarantee: each query has the mean of n scores of size c = (E + 1) / (E - 1), E the odds; by
        Hoeffding's bound it is off by more than the tolerance t with chance at most 2 exp(-n t^2 /
        (2 c^2)).  With n >= 2 c^2 ln(2 T / β) / t^2 for each of T queries, all hold but for β.
    Reference: Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011.

    >>> people_needed(tolerance="0.1", queries=10, failure="0.05", epsilon=1)
    56120
    """
    tau, beta = positive(tolerance, "tolerance"), open_unit(failure, "failure")
    count = whole(queries, "queries", at_least=1)
    bit = OneBit.for_epsilon(epsilon, low=-1, high=1)
    needed = upper(lambda: 2 * ball(2 * count / beta).log() / ball((bit.variation * tau) ** 2))
    return count * math.ceil(needed)


class StatisticalQueries(Owned):
    """An oracle for means of functions with values from -1 to 1, each answered to within a
    tolerance.

    Guarantee: each person answers one query, with one bit that costs at most epsilon; but for the
        chance ``failure`` all answers are within ``tolerance`` of the mean of the population that
        the people were drawn from.
    Needs: as many people as `people_needed` says.  What a query prints, writes or keeps, and how
        long it takes, is not hidden.
    Edges: a query is asked of each person by itself, as an array of one, so nobody's value depends
        on another's; it counts as asked before it runs.  A value outside [-1, 1] is cut to it;
        where the query fails or gives no number, the person counts as 0.  A query too many is
        refused; queries may depend on earlier answers.
    Reference: Kearns 1998; Kasiviswanathan et al. 2011.  Argument: mechanisms/total_functions.md.

    >>> people = np.linspace(0, 1, 60_000)
    >>> oracle = StatisticalQueries(people, tolerance="0.1", queries=10, failure="0.05", epsilon=1)
    >>> oracle.people_each, abs(oracle.ask(lambda x: 0 * x + 0.5) - 0.5) < 0.2
    (6000, True)
    """

    called = "an oracle of statistical queries"
    harm = "each copy would ask the same people again."
    way_out = "Ask all queries in the process that made the oracle, through that one object."

    def __init__(
        self, people: Any, *, tolerance: Number, queries: int, failure: Number, epsilon: Number
    ) -> None:
        self._people = _people(people)
        needed = people_needed(
            tolerance=tolerance, queries=queries, failure=failure, epsilon=epsilon
        )
        if len(self._people) < needed:
            raise CalibrationError(
                f"{needed:,} people are needed for {queries} queries within {short(positive(tolerance, 'tolerance'))}; there are {len(self._people):,}.",
                remedy="Ask more people or fewer queries, or allow a larger tolerance or epsilon.",
            )
        self._bit = OneBit.for_epsilon(epsilon, low=-1, high=1)
        self._queries, self.asked = queries, 0
        self._turn = threading.Lock()
        self.people_each = len(self._people) // queries

    @property
    def cost(self) -> Pure:
        """What each person pays; everyone answers once."""
        return self._bit.cost

    def ask(self, query: Query) -> float:
        """The mean of a function of one person, from people who have not been asked before."""
        self._check_owner()
        with self._turn:
            if self.asked == self._queries:
                raise ExhaustedError(
                    f"all {self._queries} queries have been asked.",
                    remedy="Plan for more queries from the start; the same people must not answer twice.",
                )
            start = self.asked * self.people_each
            self.asked += 1
        batch = range(start, start + self.people_each)
        values = called(  # a copy of each person, since a view would hold all others
            lambda place: query(np.array(self._people[place : place + 1])),
            batch,
            read=_value,
            otherwise=0.0,
        )
        return self._bit.estimate(self._bit.report(np.array(values))).mean


def _people(people: Any) -> Any:
    """People as an array of one dtype, or as a list, where each person has a type of their own and
    nobody else's changes with it.
    """
    lines = (
        len(getattr(people, "shape", ())) > 1
    )  # an array or a frame, with a line for each person
    given = each_row(np.asarray(people) if lines else people, of="person")
    if isinstance(given, list | tuple):
        return given
    held = np.asarray(given)
    return held.tolist() if held.dtype.kind == "O" else held


def _value(answer: Any) -> float:
    """One number, or one truth value, cut to [-1, 1]."""
    (one,) = np.asarray(answer).reshape(-1).tolist()
    number = number_of(int(one) if isinstance(one, bool) else unwrapped(one))
    if number is None or isinstance(answer, np.ma.MaskedArray):
        return 0.0
    return float(min(max(number, -1), 1))
