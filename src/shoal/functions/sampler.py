"""The sensitivity sampler: how far a function moves between neighbours of a stated law, measured on
a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import CalibrationError, ShapeError
from shoal.exact import Number, float_up, truth_value, whole
from shoal.functions.operator import Reals
from shoal.functions.sampling_plan import SamplingPlan, plan_sampling
from shoal.sensitivity import Norm

Oracle = Callable[[int], Any]
_BATCH = 1 << 16
"""About so many rows are measured at once, which fit the processor's cache."""
_SLACK = Fraction(1, 1 << 30)
"""Distances are computed in floats and taken this much larger, which covers their rounding."""


@dataclass(frozen=True)
class Sampled:
    """A measured sensitivity.  It holds for all but a share of neighbours, so it is no
    `Sensitivity`.
    """

    value: Fraction
    norm: Norm
    rows: int
    plan: SamplingPlan


@dataclass(frozen=True, init=False)
class Sampler:
    """Measures a function on pairs of neighbours drawn from a stated law of datasets.

    ``oracle(k)`` draws k rows of one dataset, as an array or a list; it must be public: made from
    what is known before the data are seen.  Each pair takes ``rows`` + 1 of them: the first rows -
    1 are shared, and each of the last two completes them.  So both datasets of a pair are drawn
    from the law of ``oracle(rows)``, whenever rows can be swapped.  ``independent`` says that rows
    are drawn independently of each other; then many pairs are asked for in one call.

    Guarantee: what `SamplingPlan` says of its gamma, for neighbours that differ in one row
        ("change").
    Needs: an oracle that does not look at the data, and the same number of rows in the release.
    Edges: nothing is promised for data that the oracle would not draw.  The sampler draws nothing
        by itself: all randomness is the oracle's.  Draws are asked for in the calling thread;
        measuring is shared among ``workers``.
    Reference: Rubinstein and Aldà 2017.  Proof: sampler.md.

    >>> import numpy as np
    >>> uniform = np.random.default_rng(1).uniform
    >>> sampler = Sampler(lambda k: uniform(size=k), rows=100, gamma="0.1", samples=999, independent=True)
    >>> measured = sampler.measure(np.mean)
    >>> round(float(measured.value), 4), measured.plan.rank
    (0.0067, 900)
    """

    oracle: Oracle
    rows: int
    plan: SamplingPlan
    independent: bool
    workers: int

    def __init__(
        self,
        oracle: Oracle,
        *,
        rows: int,
        gamma: Number | None = None,
        samples: int | None = None,
        rule: str = "exact",
        confidence: Number | None = None,
        independent: bool = False,
        workers: int = 1,
    ) -> None:
        keep = object.__setattr__
        keep(self, "oracle", oracle)
        keep(self, "rows", whole(rows, "rows", at_least=1))
        plan = plan_sampling(gamma=gamma, samples=samples, rule=rule, confidence=confidence)
        keep(self, "plan", plan)
        keep(self, "independent", truth_value(independent, "independent"))
        keep(self, "workers", whole(workers, "workers", at_least=1))

    def measure(self, function: Callable[[Any], Any], *, norm: Norm | str = Norm.L1) -> Sampled:
        """The planned order statistic of the distances between the function's values on neighbours.

        A function with a method ``changes(batch)`` is asked for many pairs at once: the batch has a
        first axis for pairs, then rows + 1 rows; it gives the difference of its two values, a line
        for each pair.
        """
        chosen = Norm.read(norm, "norm")
        distances = np.sort(self.distances(function, norm=chosen))
        found = float(distances[self.plan.rank - 1])
        if not np.isfinite(found):
            raise CalibrationError(
                "the function moved by something that is not a finite number.",
                remedy="Let the function give finite numbers for every dataset the oracle draws.",
            )
        if found == 0:
            raise CalibrationError(
                f"the function did not move at all in {self.plan.rank} of {self.plan.samples} pairs.",
                remedy="Use an oracle whose rows differ, or a smaller gamma.",
            )
        value = Fraction(float_up(Fraction(found) * (1 + _SLACK)))
        return Sampled(value, chosen, self.rows, self.plan)

    def distances(self, function: Callable[[Any], Any], *, norm: Norm) -> Reals:
        """The distance of every pair, in the order in which they were drawn."""
        changes = getattr(function, "changes", None)
        batches = self._batches() if changes is not None else self._one_by_one()

        def far(batch: Any) -> Reals:
            moved = changes(batch) if changes is not None else _difference(function, batch)
            return _lengths(np.asarray(moved, dtype=np.float64), norm)

        if self.workers == 1:
            found = [far(batch) for batch in batches]
        else:
            with ThreadPoolExecutor(self.workers) as pool:
                found = list(pool.map(far, batches))
        return np.concatenate(found)

    def _batches(self) -> Iterator[NDArray[Any]]:
        """Arrays of several pairs, drawn in one call where rows are independent."""
        each = self.rows + 1
        most = max(1, _BATCH // each)
        for start in range(0, self.plan.samples, most):
            pairs = min(most, self.plan.samples - start)
            if self.independent:
                rows = self._drawn(pairs * each)
                yield rows.reshape(pairs, each, *rows.shape[1:])
            else:
                yield np.stack([self._drawn(each) for _ in range(pairs)])

    def _one_by_one(self) -> Iterator[Any]:
        if not self.independent:
            yield from (self._raw(self.rows + 1) for _ in range(self.plan.samples))
            return
        left = self.plan.samples
        each = self.rows + 1
        while left:
            pairs = min(left, max(1, _BATCH // each))
            rows = iter(range(0, pairs * each, each))
            drawn = self._raw(pairs * each)
            yield from (drawn[at : at + each] for at in islice(rows, pairs))
            left -= pairs

    def _drawn(self, rows: int) -> NDArray[Any]:
        return np.asarray(self._raw(rows))

    def _raw(self, rows: int) -> Any:
        """What the oracle gave, if it has as many rows as it was asked for."""
        found = self.oracle(rows)
        if not isinstance(found, np.ndarray | Sequence) or len(found) != rows:
            given = len(found) if isinstance(found, np.ndarray | Sequence) else type(found).__name__
            raise ShapeError(
                f"the oracle was asked for {rows} rows and gave {given}.",
                remedy="Let the oracle give an array or a list with one entry per row.",
            )
        return found


def _difference(function: Callable[[Any], Any], rows: Any) -> Reals:
    """The function's two values on the two datasets of a pair, one less the other."""
    other: Any = [*rows[:-2], rows[-1]]
    if isinstance(rows, np.ndarray):
        other = np.concatenate([rows[:-2], rows[-1:]])
    one = rows[:-1]
    values = [np.asarray(function(data), dtype=np.float64).reshape(1, -1) for data in (one, other)]
    if values[0].shape != values[1].shape:
        raise ShapeError(
            "the function gave different numbers of values for two neighbours.",
            remedy="Let it always give the same number of values.",
        )
    return np.asarray(values[0] - values[1])


def _lengths(moved: Reals, norm: Norm) -> Reals:
    lines = np.abs(moved.reshape(len(moved), -1))
    if norm is Norm.L1:
        return np.asarray(lines.sum(axis=1))
    if norm is Norm.L2:
        return np.asarray(np.sqrt((lines**2).sum(axis=1)))
    return np.asarray(lines.max(axis=1))
