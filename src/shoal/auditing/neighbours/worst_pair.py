"""The worst pair of neighbours: all of them where they are few, and otherwise climbing with some
patience.

The climb is simulated annealing.  A step changes a cell, a row, how many rows there are or where
the unit stands; a step to a better pair is always taken, one to a worse pair now and then, less
often as the search goes on; after a quarter of the budget without a better pair it starts anew.
What is found is a pair, which anyone can check; that a better one was not found proves nothing.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.auditing.neighbours.domain import Domain, Neighbours, Rows, at_most, every_pair
from shoal.auditing.neighbours.objectives import Aim
from shoal.exact import whole
from shoal.noise.source import Keystream
from shoal.sensitivity import Relation

Told = Callable[[int, int, float], None]
"""Is told how many pairs were tried, of how many, and the best so far."""
_COOLING = 4.0
_PATIENCE = 4


@dataclass(frozen=True)
class Found:
    """The worst pair that was seen."""

    neighbours: Neighbours
    score: float
    tried: int
    complete: bool
    """Whether all pairs of the domain were tried."""

    @property
    def pair(self) -> tuple[list[Any], list[Any]]:
        """The two tables."""
        return self.neighbours.pair


def worst_pair(
    aim: Aim,
    domain: Domain,
    *,
    budget: int = 1_000,
    enough: float | None = None,
    seed: int | str = 0,
    told: Told | None = None,
) -> Found:
    """The pair of a domain with the largest ``aim``, of as many as the ``budget`` allows to try.

    Guarantee: where the domain has no more pairs than the budget, all are tried, and none scores
        more.
    Edges: with ``enough`` the search ends at the first pair that scores more than that.  The same
        seed takes the same way.

    >>> import shoal
    >>> noise = shoal.Laplace.for_epsilon(1, sensitivity=10)
    >>> from shoal.auditing.neighbours import moving
    >>> found = worst_pair(moving(lambda rows: noise.release(sum(rows))), Domain(rows=(0, 3, 12), size=2))
    >>> found.score, found.complete, found.pair
    (1.2, True, ([12], []))
    """
    trying = _Trying(aim, whole(budget, "budget", at_least=1), enough, told)
    if at_most(domain, trying.budget):
        for each in every_pair(domain):
            if trying.score(each) is None:
                break
        return trying.found(complete=not trying.stopped)
    _climb(domain, trying, _Dice(seed))
    return trying.found(complete=False)


class _Trying:
    """Keeps the best pair, and knows when to stop."""

    def __init__(self, aim: Aim, budget: int, enough: float | None, told: Told | None) -> None:
        self._aim, self.budget, self._enough, self._told = aim, budget, enough, told
        self.tried = 0
        self.stopped = False
        self.best: tuple[float, Neighbours] | None = None

    def score(self, each: Neighbours) -> float | None:
        """How a pair scores; None where the search is over, before or with this pair."""
        if self.stopped or self.tried == self.budget:
            return None
        self.tried += 1
        found = self._aim(*each.pair)
        if self.best is None or found > self.best[0]:
            self.best = (found, each)
        if self._told is not None:
            self._told(self.tried, self.budget, self.best[0])
        if self._enough is not None and found > self._enough:
            self.stopped = True
            return None
        return found

    def found(self, *, complete: bool) -> Found:
        assert self.best is not None
        return Found(self.best[1], self.best[0], self.tried, complete)


class _Dice:
    """Numbers from a seed: for the search alone, never for noise."""

    def __init__(self, seed: int | str) -> None:
        key = hashlib.sha256(f"shoal neighbours {seed}".encode()).digest()
        self._source = Keystream(key, private=False)

    def share(self) -> float:
        """A number from 0 to 1."""
        return float(self._source.words(np.uint32, 1)[0]) / 2**32

    def below(self, bound: int) -> int:
        return min(bound - 1, int(self.share() * bound))

    def one_of(self, items: Any) -> Any:
        return items[self.below(len(items))]


def _climb(domain: Domain, trying: _Trying, dice: _Dice) -> None:
    patience = max(10, trying.budget // _PATIENCE)
    while True:
        here = _anywhere(domain, dice)
        score = trying.score(here)
        best, since = score, 0
        while score is not None and since < patience:
            there = _step(here, domain, dice)
            found = trying.score(there)
            if found is None:
                return
            heat = _heat(trying.tried / trying.budget, best or 0.0)
            if found >= score or dice.share() < math.exp(min(0.0, (found - score) / heat)):
                here, score = there, found
            best, since = (found, 0) if best is None or found > best else (best, since + 1)
        if score is None:
            return


def _heat(spent: float, best: float) -> float:
    """How large a loss is taken about once in three times: a tenth of the best at first, and soon
    much less.
    """
    scale = best if 0 < best < math.inf else 1.0
    return max(1e-9, 0.1 * scale * math.exp(-_COOLING * spent))


def _anywhere(domain: Domain, dice: _Dice) -> Neighbours:
    others = tuple(dice.one_of(domain.others) for _ in range(dice.below(domain.size + 1)))
    first = _unit(domain, dice)
    second = _unit(domain, dice) if domain.relation is Relation.CHANGE else ()
    return Neighbours(others, first, second, dice.below(len(others) + 1))


def _unit(domain: Domain, dice: _Dice) -> Rows:
    return tuple(dice.one_of(domain.own) for _ in range(1 + dice.below(domain.unit)))


def _step(here: Neighbours, domain: Domain, dice: _Dice) -> Neighbours:
    """A pair a little beside this one."""
    sides = ["others", "others", "first", "first", "first", "at"]  # mostly who comes and goes
    if domain.relation is Relation.CHANGE:
        sides.extend(["second"] * 3)
    side = dice.one_of(sides)
    if side == "at":
        return replace(here, at=dice.below(len(here.others) + 1))
    others = side == "others"
    least, most = (0, domain.size) if others else (1, domain.unit)
    choices = domain.others if others else domain.own
    rows = _changed(getattr(here, side), choices, least, most, dice)
    if side == "first":
        return replace(here, first=rows)
    if side == "second":
        return replace(here, second=rows)
    return replace(here, others=rows, at=min(here.at, len(rows)))


def _changed(rows: Rows, choices: list[Any], least: int, most: int, dice: _Dice) -> Rows:
    """One row more, one less, another one, or another cell."""
    acts = [
        name
        for name, can in (
            ("more", len(rows) < most),
            ("less", len(rows) > least),
            ("other", bool(rows)),
            ("cell", bool(rows)),
        )
        if can
    ]
    if not acts:
        return rows
    act, place = dice.one_of(acts), dice.below(max(1, len(rows)))
    if act == "less":
        return rows[:place] + rows[place + 1 :]
    if act == "more":
        return (*rows[:place], dice.one_of(choices), *rows[place:])
    fresh = dice.one_of(choices)
    if act == "cell" and isinstance(fresh, Mapping):
        column = dice.one_of(list(fresh))
        mixed = {**rows[place], column: fresh[column]}
        fresh = mixed if mixed in choices else fresh
    return (*rows[:place], fresh, *rows[place + 1 :])
