"""Many outputs of whatever is audited: a mechanism of Shoal, a function, or a program."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shoal.auditing.outputs import Outputs, joined, read_outputs
from shoal.errors import ExhaustedError, InputError, RangeError, ShapeError
from shoal.measures import Measure
from shoal.mechanisms import (
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    RandomizedResponse,
    Staircase,
    TruncatedGeometric,
)
from shoal.noise import uniform_below

Progress = Callable[[int, int], None]
"""Called now and then with how many samples are drawn, and how many there will be."""

_AT_ONCE = (
    Laplace,
    Geometric,
    Gaussian,
    DiscreteGaussian,
    Staircase,
    TruncatedGeometric,
    RandomizedResponse,
)
"""Mechanisms that add noise to each whole number of an array by itself, whatever its length."""
_STEP = 1 << 16
_BLOCKS = 32
"""Batches on the two datasets take turns at least so often, where there are so many samples."""


class Failing:
    """Counts how often a function failed, and keeps the first reason."""

    def __init__(self) -> None:
        self.calls = 0
        self.failed = 0
        self.first: Exception | None = None

    def note(self, error: Exception) -> None:
        """One failure more."""
        self.failed += 1
        self.first = self.first or error

    def check(self) -> None:
        """A function that never answers is a mistake of the caller, not a leak."""
        if self.first is not None and self.failed == self.calls:
            raise RangeError(
                f"what is audited failed every time, on both datasets ({type(self.first).__name__}).",
                remedy="Call it once by hand: it takes a dataset and returns one output.",
            ) from self.first


def claim_of(subject: Any) -> Measure | None:
    """What a mechanism of Shoal promises; None for anything else."""
    cost = getattr(subject, "cost", None)
    return cost if isinstance(cost, Measure) else None


def sample_both(
    subject: Any,
    datasets: tuple[Any, Any],
    samples: int,
    *,
    batch: bool,
    progress: Progress | None,
    failing: Failing,
) -> tuple[Outputs, Outputs]:
    """So many independent outputs on each dataset; a call that fails gives no answer, which is an
    output, too.

    The datasets take turns, and coins say which is first: what changes while samples are drawn (a
    cold start, a busy machine) then falls on both alike.
    """
    if batch:
        if not callable(subject):
            raise RangeError(
                "batch=True needs a function of a dataset and a number.",
                remedy="Give lambda data, n: an array of n outputs.",
            )
        return _in_blocks(
            lambda data, wanted: _batch(subject, data, wanted), datasets, samples, progress
        )
    if claim_of(subject) is not None:
        if all(_at_once(subject, data, 2) is not None for data in datasets):
            failing.calls += 2 * samples
            return _in_blocks(
                lambda data, wanted: _block(subject, data, wanted), datasets, samples, progress
            )
        subject = subject.release if hasattr(subject, "release") else subject
    if not callable(subject):
        raise RangeError(
            f"a mechanism of Shoal or a function of a dataset can be audited; got {type(subject).__name__}.",
            remedy="Give a mechanism, or a function that takes a dataset and returns one output.",
        )
    return _one_by_one(subject, datasets, samples, progress, failing)


def turns(pairs: int) -> Iterator[int]:
    """Which of the two datasets comes next: both once in each pair, in an order that a coin
    says.
    """
    for first in uniform_below(2, pairs).tolist():
        yield first
        yield 1 - first


def _one_by_one(
    act: Callable[[Any], Any],
    datasets: tuple[Any, Any],
    samples: int,
    progress: Progress | None,
    failing: Failing,
) -> tuple[Outputs, Outputs]:
    found: tuple[list[Any], list[Any]] = ([], [])
    for at, side in enumerate(turns(samples)):
        failing.calls += 1
        try:
            found[side].append(act(datasets[side]))
        except Exception as error:  # noqa: BLE001 - how it fails is part of what it says
            failing.note(error)
            found[side].append(None)
        if progress is not None and at % 4096 == 0:
            progress(at, 2 * samples)
    if progress is not None:
        progress(2 * samples, 2 * samples)
    return read_outputs(found[0]), read_outputs(found[1])


def _in_blocks(
    draw: Callable[[Any, int], Outputs],
    datasets: tuple[Any, Any],
    samples: int,
    progress: Progress | None,
) -> tuple[Outputs, Outputs]:
    """Many outputs at once, on one dataset and the other, block by block."""
    step = min(_STEP, -(-samples // _BLOCKS))
    sizes = [min(step, samples - done) for done in range(0, samples, step)]
    found: tuple[list[Outputs], list[Outputs]] = ([], [])
    done = 0
    for side in turns(len(sizes)):
        wanted = sizes[len(found[side])]
        found[side].append(draw(datasets[side], wanted))
        done += wanted
        if progress is not None:
            progress(done, 2 * samples)
    return joined(found[0]), joined(found[1])


def _batch(act: Callable[[Any, int], Any], data: Any, wanted: int) -> Outputs:
    """A function of a dataset and a number, which returns so many outputs."""
    part = read_outputs(act(data, wanted))
    if len(part) != wanted:
        raise ShapeError(
            f"{wanted} outputs were asked for; {len(part)} came.",
            remedy="Return as many outputs as the second argument says.",
        )
    return part


def _block(subject: Any, data: Any, wanted: int) -> Outputs:
    """All at once, or one after another where that was refused this time."""
    found = _at_once(subject, data, wanted)
    return read_outputs([subject.release(data) for _ in range(wanted)]) if found is None else found


def _at_once(subject: Any, data: Any, samples: int) -> Outputs | None:
    """All outputs in one call, where that is the same as many calls: integers, and reports of
    persons.
    """
    whole = isinstance(data, numbers.Integral) and not isinstance(data, bool)
    try:
        if isinstance(subject, _AT_ONCE) and whole:
            return read_outputs(np.asarray(subject.release(np.full(samples, int(data)))))
        if hasattr(subject, "report"):
            return read_outputs(np.asarray(subject.report(_repeated(data, samples))))
        if whole and hasattr(subject, "chance"):
            return read_outputs(np.asarray(subject.release(np.full(samples, int(data)))))
    except (InputError, ExhaustedError, TypeError):
        return None
    return None


def _repeated(data: Any, samples: int) -> Any:
    one = np.asarray(data)
    return np.full(samples, data) if one.ndim == 0 else np.tile(one, (samples, *[1] * one.ndim))
