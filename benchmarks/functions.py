"""The row *functions*: a private regression curve, and the sampler behind most of them, beside R's
diffpriv.

The setting is that of diffpriv's vignette: x uniform, y = x sin(10 x) plus normal noise of
deviation 0.2; an oracle that draws random curves; 500 pairs for gamma 0.2; the error is the mean
square over 50 points of [0, 1] to the true curve.  diffpriv 0.4.2 (R) was measured once, over 400,
300 and 60 repetitions; its figures stand here.  It is not installed by `make bench`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Goal, Row, table
from benchmarks.peers import has

REPETITIONS = 200
GAMMA, PAIRS = "0.2", 500
POINTS = np.linspace(0, 1, 50)
SIZES = (100, 500, 5000)
DIFFPRIV_ERRORS = {
    (100, 1): 1.957, (100, 3): 0.2343, (500, 1): 0.1221, (500, 3): 0.0605, (5000, 1): 0.05282, (5000, 3): 0.05255,
}  # fmt: skip
DIFFPRIV_SECONDS = {
    "diffpriv, its vignette's target": {100: 2.987, 500: 10.334, 5000: 119.023},
    "diffpriv, a vectorised target": {100: 0.322, 500: 0.6, 5000: 3.011},
}
PARTS = {100: 5, 500: 5, 5000: 10}
"""Ours is to be at most this part of diffpriv's error."""
BANDWIDTHS = {100: 0.05, 500: 0.04, 5000: 0.02}
IMAGINED: tuple[Callable[[Any], Any], ...] = (
    lambda x: 0.8 * np.sin(9 * x),
    lambda x: (1 - x) * np.cos(11 * x),
    lambda x: x * np.cos(9 * x),
)
"""Curves about as lively as the true one, none of which is it: what degree and order are chosen
for.
"""
SPACED, MEAN = "**Shoal**, random DP, spacings", "**Shoal**, random DP, local mean"
PURE, PLAIN = "**Shoal**, pure DP", "no privacy, local mean"


def truth(x: Any) -> Any:
    return x * np.sin(10 * x)


def drawn(generator: np.random.Generator, rows: int) -> Any:
    """Rows of data: the curve that is to be found."""
    x = generator.uniform(size=rows)
    return np.stack([x, truth(x) + generator.normal(size=rows) * 0.2], axis=1)


def oracle(generator: np.random.Generator) -> Callable[[int], Any]:
    """The vignette's law: a random curve, then rows on it; the true curve is none of them."""

    def draw(rows: int) -> Any:
        x = generator.uniform(size=rows)
        y = x if generator.uniform() < 0.95 else np.zeros(rows)
        if generator.uniform() < 0.5:
            y = y * np.sin(x)
        if generator.uniform() < 0.5:
            y = y * np.cos(x)
        found = np.empty((rows, 2))
        found[:, 0] = x
        np.add(y, generator.normal(scale=0.2, size=rows), out=found[:, 1])
        return found

    return draw


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours there is only what diffpriv was measured to do."""
    row = Row("Functions")
    errors = {"diffpriv, random DP": {_column(*at): each for at, each in DIFFPRIV_ERRORS.items()}}
    seconds = {
        name: {f"n = {rows}": each for rows, each in measured.items()}
        for name, measured in DIFFPRIV_SECONDS.items()
    }
    shares: dict[str, dict[str, float]] = {}
    if with_ours and has("shoal"):
        errors |= our_errors()
        seconds |= our_seconds()
        shares = our_shares()
    title = f"Regression curve: median over {REPETITIONS} repetitions of the mean squared error"
    columns = [_column(*at) for at in DIFFPRIV_ERRORS]
    row.tables.append(table(title, columns, errors))
    row.tables.append(table("Share of neighbours left out, mean of 200,000 samplers", ["claimed", "true", "true / claimed"], shares))  # fmt: skip
    row.tables.append(
        table(f"Sampler, {PAIRS} pairs: CPU seconds", [f"n = {rows}" for rows in SIZES], seconds)
    )
    row.goals += [*_error_goals(errors), *_share_goals(shares), *_speed_goals(seconds)]
    return row


def our_errors(repetitions: int = REPETITIONS) -> dict[str, dict[str, float]]:
    """Median errors of our releases, each repetition with fresh data, a fresh sampler and fresh
    noise.
    """
    found: dict[str, dict[str, float]] = {SPACED: {}, MEAN: {}, PURE: {}, PLAIN: {}}
    for rows in SIZES:
        print(f"functions: regression curves of {rows} rows")
        generator = np.random.default_rng(rows)
        several: dict[tuple[str, int], list[float]] = {}
        for _ in range(repetitions):
            for name, epsilon, error in one_repetition(generator, rows):
                several.setdefault((name, epsilon), []).append(error)
        for (name, epsilon), each in several.items():
            found[name][_column(rows, epsilon)] = statistics.median(each)
    return found


def one_repetition(generator: np.random.Generator, rows: int) -> Iterator[tuple[str, int, float]]:
    """The error of every release of one dataset."""
    from shoal import privatize
    from shoal.functions import LocalMean, Sampler, SpacedCurve

    data = drawn(generator, rows)
    width = BANDWIDTHS[rows]
    targets: dict[str, Any] = {SPACED: SpacedCurve(width), MEAN: LocalMean(width)}
    for epsilon in (1, 3):
        for name, target in targets.items():
            sampler = Sampler(oracle(generator), rows=rows, gamma=GAMMA, samples=PAIRS)
            made = privatize(target, sampler=sampler, epsilon=epsilon, degree=25, order=5)
            yield name, epsilon, _squared(made.release(data)(POINTS))
        pure = tuned(rows, epsilon).release(data[:, 0], data[:, 1])
        yield PURE, epsilon, _squared(pure(POINTS))
        yield PLAIN, epsilon, _squared(LocalMean(width)(data)(POINTS))


_tuned: dict[tuple[int, int], Any] = {}


def tuned(rows: int, epsilon: int) -> Any:
    """The pure release whose degree and order suit the imagined curves."""
    from shoal import Pure
    from shoal.functions import KernelRegression

    if (rows, epsilon) not in _tuned:
        _tuned[rows, epsilon] = KernelRegression.tuned(
            Pure(epsilon), curves=IMAGINED, rows=rows, relation="change", low=-1.5, high=1.5
        )
    return _tuned[rows, epsilon]


def our_shares() -> dict[str, dict[str, float]]:
    """For the mean of ten uniform numbers the share beyond a measured distance d is (1 - 10 d)^2:
    no second simulation.
    """
    from shoal.functions import plan_sampling

    found: dict[str, dict[str, float]] = {}
    for pairs, gamma, asked in (
        (4, "0.2", {}), (19, "0.05", {}), (99, "0.01", {}), (500, "0.2", {}), (500, "0.2", {"rule": "published"}),
    ):  # fmt: skip
        plan = plan_sampling(gamma=gamma, samples=pairs, **asked)
        generator = np.random.default_rng(pairs)
        beyond = statistics.fmean(_beyond(generator, pairs, plan.rank) for _ in range(100))
        claimed = float(plan.gamma)
        name = f"{plan.rule} rule, {plan.rank} of {pairs}"
        found[name] = {"claimed": claimed, "true": beyond, "true / claimed": beyond / claimed}
    return found


def _beyond(generator: np.random.Generator, pairs: int, rank: int) -> float:
    """The mean share beyond the distance of this rank, of 2000 samplers."""
    ends = generator.uniform(size=(2000, pairs, 2))
    ranked = np.partition(np.abs(ends[..., 0] - ends[..., 1]), rank - 1, axis=1)
    return float(((1 - ranked[:, rank - 1]) ** 2).mean())


def our_seconds() -> dict[str, dict[str, float]]:
    """CPU seconds of measuring one curve, the oracle's draws included."""
    from shoal import Norm
    from shoal.functions import LocalMean, Operator, Sampler, SpacedCurve
    from shoal.functions.any_function import LatticeValues

    found: dict[str, dict[str, float]] = {}
    for name, target in (("spacings", SpacedCurve(0.1)), ("local mean", LocalMean(0.1))):
        cells = found.setdefault(f"**Shoal**, {name}", {})
        for rows in SIZES:
            sampler = Sampler(
                oracle(np.random.default_rng(1)), rows=rows, gamma=GAMMA, samples=PAIRS
            )
            values = LatticeValues(target, Operator(25), None)
            runs = []
            for _ in range(7):
                start = time.process_time()
                sampler.measure(values, norm=Norm.L1)
                runs.append(time.process_time() - start)
            cells[f"n = {rows}"] = statistics.median(runs)
    return found


def _error_goals(errors: dict[str, dict[str, float]]) -> Iterator[Goal]:
    theirs = errors["diffpriv, random DP"]
    for rows, part in PARTS.items():
        columns = [_column(rows, epsilon) for epsilon in (1, 3)]
        for name in (SPACED, MEAN):
            promise = f"{name.replace('*', '')}: at most 1/{part} of diffpriv's error at n = {rows}"
            yield _worst(promise, 1 / part, errors.get(name, {}), theirs, columns)
    columns = [_column(rows, epsilon) for rows in SIZES[1:] for epsilon in (1, 3)]
    promise = "the pure release errs less than diffpriv's random one at n >= 500"
    yield _worst(promise, 1, errors.get(PURE, {}), theirs, columns)


def _worst(
    promise: str, bound: float, ours: dict[str, float], theirs: dict[str, float], columns: list[str]
) -> Goal:
    shares = {each: ours[each] / theirs[each] for each in columns if each in ours}
    where = max(shares, key=shares.__getitem__, default="")
    return Goal(promise, bound, shares.get(where), where=where, at_most=True)


def _share_goals(shares: dict[str, dict[str, float]]) -> Iterator[Goal]:
    exact = {name: cells["true / claimed"] for name, cells in shares.items() if name.startswith("exact")}  # fmt: skip
    low, high = (pick(exact, key=exact.__getitem__, default="") for pick in (min, max))
    yield Goal("the claimed gamma holds (within 1 % of simulation)", 1.01, exact.get(high), where=high, at_most=True)  # fmt: skip
    yield Goal("the claimed gamma is not loose by a tenth", 0.9, exact.get(low), where=low)


def _speed_goals(seconds: dict[str, dict[str, float]]) -> Iterator[Goal]:
    at = f"n = {SIZES[-1]}"
    ours = [cells[at] for name, cells in seconds.items() if "Shoal" in name]
    for name in DIFFPRIV_SECONDS:
        times = seconds[name][at] / max(ours) if ours else None
        yield Goal(f"the sampler at least 50 times as fast as {name}, {at}", 50, times)


def _squared(values: Any) -> float:
    return float(((values - truth(POINTS)) ** 2).mean())


def _column(rows: int, epsilon: int) -> str:
    return f"n = {rows}, epsilon {epsilon}"
