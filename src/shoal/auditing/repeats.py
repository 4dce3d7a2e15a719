"""Traces of seeds: is the noise ever drawn twice?

Noise that comes again is no noise: the difference of two answers that share it is the difference of
the truths.  So the same mechanism is asked where a seed, a copied state or a shared generator would
show: in two fresh processes, in two children of one process, in two threads, for two datasets, and
for two questions.  Each time two lists of answers are held against each other, place by place, and
the commonest difference is counted.

Level: if the two lists are independent, and each is a list of independent draws of one law, every
order of the second is equally likely beside the first.  So the share of orders whose commonest
difference is at least as common is a p-value.  Where all places have the same difference, only the
orders that exchange equal answers do so, too, and the share is the product of the factorials of
their numbers over n!, exactly; for n different answers that is 1/n!.  Else orders are drawn, the
one seen counts among them, and the share stays a p-value.  All places that are looked at share the
risk.

A mechanism that always gives the same answer has no order to look at.  There the claim is asked: if
the n answers on one dataset are all a, and none of the n on its neighbour is, then by the promise
this has probability at most the largest p^(n-1) (1 - (p - delta) e^-epsilon)^n, where p is the
probability of a; the first answer chooses a.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.processes import (
    Answers,
    Mechanism,
    Task,
    Way,
    forked,
    fresh,
    one_after_another,
    side_by_side,
)
from shoal.auditing.verdict import Figure, Verdict
from shoal.auditing.verdict_pictures import differences_of_noise
from shoal.errors import RangeError
from shoal.exact import Number, closed_unit, finite_float, non_negative, open_unit, whole
from shoal.noise import uniform_below
from shoal.noise.seam import seeded

DRAWS = 24
SHUFFLES = 1999
DATASETS = "two datasets"
CLAIM = "noise is drawn afresh each time"
_CLOSE = 1e-9
"""Differences of answers are equal if they are so to this share of the largest answer; floats are
rounded when noise is added.
"""


@dataclass(frozen=True)
class Sharing:
    """How many places of two lists of answers have the commonest difference, and how probable that
    is by chance.
    """

    where: str
    same: int
    draws: int
    p_value: float
    differences: tuple[float, ...] = field(default=(), repr=False, compare=False)
    """Of answers that are numbers: how far the second is from the first, place by place."""


def repeats(
    mechanism: Mechanism,
    d0: Any,
    d1: Any,
    *,
    other: Mechanism | None = None,
    draws: int = DRAWS,
    program: bool = False,
    epsilon: Number | None = None,
    delta: Number = 0,
    confidence: Number = "0.99",
    seed: int | str = 2026,
) -> Verdict:
    """Ask a mechanism in places where noise might come again; ``other`` is a second question to the
    same data.

    With ``program`` every call is known to run in a process of its own, and calls of two lists are
    made side by side, as noise that is seeded by the clock would show.  With an ``epsilon`` a
    mechanism that always gives the same answer is judged, too.

    >>> import random
    >>> def seeded_noise(value):
    ...     return value + random.Random(7).gauss(0, 1)
    >>> repeats(seeded_noise, 0.0, 1.0, epsilon=1).refuted
    True
    """
    n = whole(draws, "draws", at_least=4)
    if epsilon is None and closed_unit(delta, "delta"):
        raise RangeError(
            "a delta was given without the epsilon it stands beside.",
            remedy="Give an epsilon, too, or leave delta out.",
        )
    alpha = float(1 - open_unit(confidence, "confidence"))
    found, skipped, lists = list[Sharing](), list[str](), list[Answers]()
    for where, way, tasks in _places(mechanism, other, d0, d1, program=program):
        drawn = way(tasks, n)
        if drawn is None:
            skipped.append(where)
            continue
        lists += drawn if where == DATASETS else []
        found.append(sharing(*drawn, where=where, seed=f"{seed}/{where}"))
    if epsilon is not None and lists:
        found.append(_frozen(*lists, epsilon=epsilon, delta=delta))
    return _verdict(found, skipped, alpha)


def sharing(one: Answers, two: Answers, *, where: str = "", seed: str = "2026") -> Sharing:
    """Hold two lists of answers against each other."""
    n = len(one)
    step = _CLOSE * max(
        [1.0, *(abs(each) for row in (*one, *two) for each in row if isinstance(each, float))]
    )
    cells = _differences(one, two, step)
    seen = int(_commonest(np.diagonal(cells)[None, :])[0])
    away = _away(one, two)
    if seen == n:
        equal = Counter(_cell(row, step) for row in one).values()
        chance = math.exp(sum(math.lgamma(each + 1) for each in equal) - math.lgamma(n + 1))
        return Sharing(where, seen, n, min(1.0, chance * (1 + 1e-9)), away)
    with seeded(f"{seed}/repeats"):
        orders = np.argsort(uniform_below(1 << 62, SHUFFLES * n).reshape(SHUFFLES, n), axis=1)
    tried = _commonest(cells[np.arange(n), orders])
    return Sharing(
        where, seen, n, float(1 + np.count_nonzero(tried >= seen)) / (1 + SHUFFLES), away
    )


def _places(
    mechanism: Mechanism, other: Mechanism | None, d0: Any, d1: Any, *, program: bool
) -> list[tuple[str, Way, list[Task]]]:
    same, apart = [(mechanism, d0), (mechanism, d0)], [(mechanism, d0), (mechanism, d1)]
    anew: Way = side_by_side if program else fresh
    places: list[tuple[str, Way, list[Task]]] = [("two fresh processes", anew, same)]
    if not program:
        places += [("two children of a process", forked, same), ("two threads", side_by_side, same)]
    places.append((DATASETS, side_by_side if program else one_after_another, apart))
    if not program:
        places.append(("two datasets, in children of a process", forked, apart))
    if other is not None:
        places.append(("two questions", anew, [(mechanism, d0), (other, d0)]))
    return places


def _away(one: Answers, two: Answers) -> tuple[float, ...]:
    """The differences of the first numbers; none where an answer has no number."""
    try:
        found = [float(b[0] - a[0]) for a, b in zip(one, two, strict=True)]
    except (TypeError, IndexError, OverflowError):
        return ()
    return tuple(found) if all(map(math.isfinite, found)) else ()


def _cell(row: tuple[Any, ...], step: float) -> tuple[Any, ...]:
    return tuple(
        round(each / step) if isinstance(each, float) and math.isfinite(each) else each
        for each in row
    )


def _differences(one: Answers, two: Answers, step: float) -> NDArray[np.int64]:
    """A number for the difference of every answer of the one list and every answer of the other;
    equal where they are.
    """
    known: dict[Any, int] = {}
    cells = [[known.setdefault(_difference(a, b, step), len(known)) for b in two] for a in one]
    return np.array(cells, dtype=np.int64)


def _difference(one: tuple[Any, ...], two: tuple[Any, ...], step: float) -> Any:
    """Of numbers their difference; of other answers only whether they are equal."""
    numbers = all(isinstance(each, int | float) and math.isfinite(each) for each in (*one, *two))
    if numbers and len(one) == len(two):
        return _cell(tuple(b - a for a, b in zip(one, two, strict=True)), step)
    return "equal" if one == two else object()


def _commonest(lists: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often the commonest number of each list occurs."""
    rows, n = lists.shape
    ends = np.ones((rows, n), dtype=np.bool_)
    ordered = np.sort(lists, axis=1)
    ends[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    last = np.maximum.accumulate(np.where(ends, np.arange(1, n + 1), 0), axis=1)
    before = np.concatenate([np.zeros((rows, 1), dtype=np.int64), last[:, :-1]], axis=1)
    return np.asarray(np.where(ends, np.arange(1, n + 1) - before, 0).max(axis=1), dtype=np.int64)


def _frozen(one: Answers, two: Answers, *, epsilon: Number, delta: Number) -> Sharing:
    """Whether the answers never change but with the data."""
    n, loss = len(one), math.exp(-finite_float(non_negative(epsilon, "epsilon"), "epsilon"))
    slack = float(closed_unit(delta, "delta"))
    same = sum(each == one[0] for each in one)
    if same < n or one[0] in two:
        return Sharing("the same answer always", same, n, 1.0)
    p = min(1.0, (n - 1) * (1 + slack * loss) / ((2 * n - 1) * loss))
    chance = p ** (n - 1) * max(0.0, 1 - (p - slack) * loss) ** n
    return Sharing("the same answer always", n, n, min(1.0, chance * (1 + 1e-9)))


def _verdict(found: list[Sharing], skipped: list[str], alpha: float) -> Verdict:
    told = [each for each in found if each.p_value * len(found) <= alpha]
    said = "; ".join(f"{each.where} ({each.same} of {each.draws})" for each in told)
    figures: list[tuple[str, Figure]] = []
    for each in found:
        figures += [(f"{each.where}: same", each.same), (f"{each.where}: p-value", each.p_value)]
    if skipped:
        figures.append(("not tried", "; ".join(skipped)))
    return Verdict(
        test="repeats",
        claim=CLAIM,
        refuted=bool(told),
        confidence=1 - alpha,
        p_value=min(1.0, len(found) * min(each.p_value for each in found)),
        found=f"The noise came again: {said}."
        if told
        else "No noise was seen to come again in the places that were looked at.",
        figures=(*figures, ("draws", found[0].draws)),
        drawings=tuple(
            differences_of_noise(each.where, each.differences) for each in _shown(found)
        ),
    )


def _shown(found: list[Sharing]) -> list[Sharing]:
    """Where the noise most seems to come again, if the answers are numbers there."""
    return sorted((each for each in found if each.differences), key=lambda each: each.p_value)[:1]
