"""Private selection of keys: a group is told if enough persons, with noise, stand in it.

Each person votes in their groups with bounded weight, noise is added to the votes of every group
that has some, and groups at or above a threshold are told.  The threshold makes it unlikely (delta)
that a group in which only one person stands is told.  Proof: key_selection.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from shoal.engines.engine import Engine
from shoal.errors import InternalError
from shoal.events import Composed, Event, StatedApprox
from shoal.exact import Real, ball, is_below
from shoal.mechanisms import Geometric
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.plan import Bounded, Person, Rows, Term
from shoal.plan.contribution_bounds import stated_rows
from shoal.query.keys import Group, in_order
from shoal.query.noise_choice import Noise
from shoal.sensitivity import Relation
from shoal.sensitivity.claims import Tells

VOTES = 32
"""A person in more than this many times ``groups`` groups has no vote; where fewer rows of a person
are stated, nobody needs a vote in so many, and the threshold is lower.
"""


def most_voted(rows: Rows, groups: int) -> int:
    """In how many groups a person may be who has a vote.

    Edges: who has more rows than are stated for one person can be in more groups, and has none.
    """
    stated = stated_rows(rows)
    return VOTES * groups if stated is None else min(VOTES * groups, max(groups, stated))


@dataclass(frozen=True)
class KeySelection:
    """Votes by group, the noise they get, and the threshold above which a group is told.

    Guarantee: the groups told are (epsilon, delta)-DP for the epsilon of the noise and ``delta``;
        in Gaussian and Rényi terms what `event` says.
    Needs: votes bounded by the plan that gave the noise its sensitivity.
    Edges: a group without a vote is never told.  Under change, delta counts for the person who
        comes and for the one who goes.
    Reference: Korolova and others 2009; Gopi and others 2020.  Proof: key_selection.md.
    """

    bounded: Bounded
    noise: Noise
    delta: Fraction

    @property
    def term(self) -> Term:
        return self.bounded.terms[0]

    @property
    def unit(self) -> int:
        """One whole vote, in units of the totals."""
        return self.bounded.fraction(self.term)

    def threshold(self) -> int:
        """The least total at which a group is told."""
        return self._threshold

    @cached_property
    def _threshold(self) -> int:
        # Under change one person goes and another comes, and each may bring a group of their own.
        risk = self.delta / (2 if self.bounded.unit.relation is Relation.CHANGE else 1)
        return max(
            weight + _quantile_up(self.noise, risk / groups) for groups, weight in self._heaviest()
        )

    def _heaviest(self) -> list[tuple[int, int]]:
        """Pairs that cover all persons: one in at most so many groups has at most such a vote in
        each.
        """
        unit = self.bounded.unit
        if not isinstance(unit, Person):
            rows = self.bounded.rows_of_one
            return [(rows, rows)]
        found, few, most = [(unit.groups, self.unit)], unit.groups, self.term.hi
        while few < most:
            # Steps of a quarter: a threshold for each number of groups would be exact, and this
            # one is at most a little higher.
            many = min(most, max(few + 1, few * 5 // 4))
            found.append((many, self.bounded.vote(few + 1)))
            few = many
        return found

    @property
    def event(self) -> Event:
        """What a selection costs: its noise, and delta that may fail."""
        relation = str(self.bounded.unit.relation)
        failing = StatedApprox(epsilon=0, delta=self.delta, relation=relation)
        return Composed((self.noise.event_for(size=1), failing))

    def release(self, engine: Engine, soon: Bounded | None = None) -> list[Group]:
        """The groups that are told, in the order of their keys; ``soon`` is what the engine is
        asked of them next.

        Votes come some groups at a time and get their noise then, each by itself: only groups that
        are told are held.
        """
        told: list[Group] = []
        for part in engine.parts(self.bounded, soon=soon):
            told += self._met({key: vote for key, (vote,) in part.items() if vote > 0})
        return sorted(told, key=in_order)

    def _met(self, votes: dict[Group, int]) -> list[Group]:
        return meet(lambda: self._told(votes), lambda: self._meeting(votes))

    def _told(self, votes: dict[Group, int]) -> list[Group]:
        totals = np.array(list(votes.values()), dtype=object)
        noisy, least = self.noise.release(totals), self.threshold()
        return [key for key, vote in zip(votes, noisy, strict=True) if int(vote) >= least]

    def _meeting(self, votes: dict[Group, int]) -> NoiseWitness:
        """What a witness is told: the votes, and how many groups one person can bring with how
        heavy a vote.
        """
        moved = self.bounded.sensitivity(self.term)
        claim = Tells(moved, tuple(self._heaviest()))
        return NoiseWitness(self.noise, ("threshold", self.threshold()), votes, claim)


def _quantile_up(noise: Noise, risk: Fraction) -> int:
    """The least whole number that the noise reaches with probability at most ``risk``."""

    def rare(steps: int) -> bool:
        return is_below(_tail(noise, steps), lambda: ball(risk))

    high = 1
    while not rare(high):
        high *= 2
        if high.bit_length() > 200:
            raise InternalError("no threshold was found.", remedy="Please report the parameters.")
    low = high // 2
    # A threshold one part in 2^40 too high is safe, and ends the search.
    while high - low > max(1, high >> 40):
        middle = (low + high) // 2
        low, high = (low, middle) if rare(middle) else (middle, high)
    return high


def _tail(noise: Noise, steps: int) -> Real:
    """The probability that the noise is at least so many steps, a positive number."""
    if isinstance(noise, Geometric):
        scale = noise.scale

        def laplace() -> arb:
            return ball(-Fraction(steps) / scale).exp() / (1 + ball(-1 / scale).exp())

        return laplace
    sigma = noise.sigma
    return lambda: (ball((steps - Fraction(1, 2)) / sigma) / arb(2).sqrt()).erfc() / 2
