"""The row *selection*: one of a million candidates, beside the peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Act, Goal, Row, cpu_seconds, ratios, smallest, table
from benchmarks.peers import EPSILON, Selector, has, selectors

CANDIDATES = 10**6
YARDSTICK = "numpy argmax of scores + Gumbel, unsafe"
MECHANISMS = ("Exponential", "PermuteAndFlip", "NoisyMax")


def scores() -> dict[str, NDArray[np.int64]]:
    """Three shapes of a million counts: a few large ones, all about the same, all equal."""
    generator = np.random.default_rng(7)
    ranks = generator.permutation(np.arange(1, CANDIDATES + 1))
    return {
        "long tail": (CANDIDATES // ranks).astype(np.int64),
        "alike": generator.poisson(100, CANDIDATES).astype(np.int64),
        "equal": np.full(CANDIDATES, 100, dtype=np.int64),
    }


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it times the peers alone."""
    row = Row("Selection")
    profiles = scores()
    rates: dict[str, dict[str, float]] = {}
    for contestant in [*our_selectors(with_ours), *selectors()]:
        count = min(CANDIDATES, contestant.most)
        print(f"selection: {count} candidates, {contestant.name.replace('*', '')}")
        rates[contestant.name] = {
            name: count / cpu_seconds(contestant.prepare(values[:count]))
            for name, values in profiles.items()
        }
    columns = list(profiles)
    title = f"{CANDIDATES} candidates: candidates per CPU second; counts"
    row.tables.append(table(title, columns, rates))
    for name in MECHANISMS:
        times = ratios(rates.get(_ours(name), {}), rates[YARDSTICK])
        measured, where = smallest(times, columns)
        promise = f"{name} no slower than numpy's argmax of scores + Gumbel"
        row.goals.append(Goal(promise, 1, measured, where=f"{where} counts, its worst"))
    return row


def our_selectors(with_ours: bool) -> Iterator[Selector]:  # noqa: FBT001
    if not (with_ours and has("shoal")):
        return
    import shoal

    for name in MECHANISMS:
        if hasattr(shoal, name):
            yield Selector(_ours(name), _preparer(getattr(shoal, name)))
        else:
            print(f"skipped: shoal.{name} (not there)")


def _preparer(kind: Any) -> Callable[[NDArray[np.int64]], Act]:
    def prepare(values: NDArray[np.int64]) -> Act:
        mechanism = kind(epsilon=EPSILON, sensitivity=1)
        return lambda: mechanism.release(values)

    return prepare


def _ours(name: str) -> str:
    return f"**Shoal** {name}"
