"""Part of the row *accounting*: an account that grows by one release at a time and is asked after
each.

Times are CPU milliseconds of one answer.
"""

from __future__ import annotations

import statistics
import time

from benchmarks.measure import Goal

RELEASES = 200
DELTA = 1e-6
MOST_MILLISECONDS = 5
MIXES: dict[str, tuple[str, ...]] = {
    "everyday releases": (
        "gaussian sigma={}",
        "laplace scale={}",
        "pure epsilon=1/{}",
        "geometric scale={}",
        "gaussian sigma=1.{} | sampled q=0.01",
    ),
    "no samples": (
        "gaussian sigma={}",
        "laplace scale={}",
        "rr epsilon=1/{}",
        "geometric scale={}",
    ),
}
"""Kinds of releases that take turns; each has its own number, so that no two releases are the same.
"""


def measured(mix: str) -> dict[str, float]:
    """The median and the worst answer of one running account, the first not counted: it loads what
    is needed.
    """
    from shoal.accounting import account
    from shoal.events import read_events

    kinds = MIXES[mix]
    events = [read_events(kinds[k % len(kinds)].format(10 + k)) for k in range(RELEASES)]
    together = account(events[0], relation="own")
    together.epsilon(delta=DELTA)
    spent, widest = [], 0.0
    for event in events[1:]:
        start = time.process_time()
        together = together.plus(event)
        found = together.epsilon(delta=DELTA)
        spent.append(1000 * (time.process_time() - start))
        assert found.lower is not None  # the laws of all of these are known
        widest = max(widest, float(found.epsilon - found.lower))
    return {
        "median": statistics.median(spent),
        "worst": max(spent),
        "above 5 ms": float(sum(each > MOST_MILLISECONDS for each in spent)),
        "widest gap": widest,
        "epsilon": float(found.epsilon),
    }


def running_goals(found: dict[str, dict[str, float]]) -> list[Goal]:
    """The median and the worst answer within 5 ms, and every gap within 0.0001, for measured
    mixes.
    """
    slowest = max(found, key=lambda mix: found[mix]["worst"])
    widest = max(found, key=lambda mix: found[mix]["widest gap"])
    count = f"a running account of {RELEASES} releases"
    middling = max(found, key=lambda mix: found[mix]["median"])
    return [
        Goal(
            f"{count}: median answer within {MOST_MILLISECONDS} ms",
            MOST_MILLISECONDS,
            found[middling]["median"],
            " ms",
            where=middling,
            at_most=True,
        ),
        Goal(
            f"{count}: worst answer within {MOST_MILLISECONDS} ms",
            MOST_MILLISECONDS,
            found[slowest]["worst"],
            " ms",
            where=slowest,
            at_most=True,
        ),
        Goal(
            f"{count}: certified gap at most 0.0001",
            1e-4,
            found[widest]["widest gap"],
            "",
            where=widest,
            at_most=True,
        ),
    ]
