"""Many outputs of whatever is audited: a mechanism of Shoal, a function, or a program."""

from __future__ import annotations

import numbers
from collections.abc import Callable
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

Progress = Callable[[int, int], None]
"""Called now and then with how many samples are drawn, and how many there will be."""

_AT_ONCE = (Laplace, Geometric, Gaussian, DiscreteGaussian, Staircase, TruncatedGeometric, RandomizedResponse)  # fmt: skip
"""Mechanisms that add noise to each whole number of an array by itself, whatever its length."""
_STEP = 1 << 16


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


def sample(
    subject: Any, data: Any, samples: int, *, batch: bool, progress: Progress | None, failing: Failing
) -> Outputs:  # fmt: skip
    """So many independent outputs on one dataset; a call that fails gives no answer, which is an output, too."""
    if batch:
        return _batches(subject, data, samples, progress)
    if claim_of(subject) is not None:
        at_once = _at_once(subject, data, samples)
        if at_once is not None:
            failing.calls += samples
            if progress is not None:
                progress(samples, samples)
            return at_once
        subject = subject.release if hasattr(subject, "release") else subject
    if not callable(subject):
        raise RangeError(
            f"a mechanism of Shoal or a function of a dataset can be audited; got {type(subject).__name__}.",
            remedy="Give a mechanism, or a function that takes a dataset and returns one output.",
        )
    return _one_by_one(subject, data, samples, progress, failing)


def _one_by_one(
    act: Callable[[Any], Any], data: Any, samples: int, progress: Progress | None, failing: Failing
) -> Outputs:
    found: list[Any] = []
    for at in range(samples):
        failing.calls += 1
        try:
            found.append(act(data))
        except Exception as error:  # noqa: BLE001 - how it fails is part of what it says
            failing.note(error)
            found.append(None)
        if progress is not None and at % 4096 == 0:
            progress(at, samples)
    if progress is not None:
        progress(samples, samples)
    return read_outputs(found)


def _batches(
    act: Callable[[Any, int], Any], data: Any, samples: int, progress: Progress | None
) -> Outputs:
    """A function of a dataset and a number, which returns so many outputs."""
    if not callable(act):
        raise RangeError("batch=True needs a function of a dataset and a number.", remedy="Give lambda data, n: an array of n outputs.")  # fmt: skip
    parts, done = [], 0
    while done < samples:
        wanted = min(_STEP, samples - done)
        part = read_outputs(act(data, wanted))
        if len(part) != wanted:
            raise ShapeError(
                f"{wanted} outputs were asked for; {len(part)} came.",
                remedy="Return as many outputs as the second argument says.",
            )
        parts.append(part)
        done += wanted
        if progress is not None:
            progress(done, samples)
    return joined(parts)


def _at_once(subject: Any, data: Any, samples: int) -> Outputs | None:
    """All outputs in one call, where that is the same as many calls: integers, and reports of persons."""
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
