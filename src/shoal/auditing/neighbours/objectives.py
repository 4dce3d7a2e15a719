"""What a search makes as large as it can: a number for each pair, larger where a promise is nearer
to breaking.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from shoal.auditing.exact import Bits, law_of, verify
from shoal.auditing.judge import audit
from shoal.auditing.replay import replay
from shoal.auditing.replay.replayed_runs import HINTS
from shoal.exact import float_down
from shoal.measures import Measure
from shoal.sensitivity import Relation

Aim = Callable[[Any, Any], float]
OTHERWISE = 1e6
"""What a difference counts that no length tells: another noise, another result, an error on one
side.
"""


def moving(run: Callable[[Any], Any], *, relation: Relation | str | None = None) -> Aim:
    """By record and play: how much of its declared sensitivity an input of a noise uses; above 1 it
    is broken.

    >>> import shoal
    >>> noise = shoal.Laplace.for_epsilon(1, sensitivity=10)
    >>> moving(lambda rows: noise.release(sum(rows)))([3, 4], [3])
    0.4
    """

    def aim(one: Any, two: Any) -> float:
        found = replay(run, [(one, two)], relation=relation)
        shown = [each for each in found.differences if each.kind not in HINTS]
        if any(each.kind != "moved" or not each.share for each in shown):
            return OTHERWISE
        return float(found.worst)

    return aim


def losing(
    mechanism: Callable[[Any, Bits], Hashable], *, depth: int = 64, paths: int = 10_000
) -> Aim:
    """By the exact verifier: the worst-case epsilon of a program that consumes bits, rounded
    down.
    """

    def aim(one: Any, two: Any) -> float:
        laws = {
            side: law_of(mechanism, data, depth=depth, paths=paths)
            for side, data in ((0, one), (1, two))
        }
        low: Fraction | None = verify(laws).epsilon.low
        return float("inf") if low is None else float_down(low)

    return aim


def sampling(mechanism: Any, claim: Measure, *, samples: int = 2_000, seed: int | str = 0) -> Aim:
    """By samples: the parameter of a claim that a few of them prove.

    Of many pairs the best one seems worse than it is.  So a pair found in this way proves nothing
    by itself: audit it anew, with another seed, and quote that verdict.
    """

    def aim(one: Any, two: Any) -> float:
        return audit(mechanism, one, two, claim=claim, samples=samples, seed=f"search {seed}").lower

    return aim
