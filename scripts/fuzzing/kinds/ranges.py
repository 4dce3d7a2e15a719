"""Public ranges with hostile ends: what is claimed for them against how far one value moves the
input of the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from scripts.fuzzing.case import Case, Finding, Seen
from scripts.fuzzing.judging import apart, played, recorded
from shoal.functions import (
    InverseSensitivity,
    KernelDensity,
    KernelRegression,
    PriestleyChao,
    RocCurve,
    SmoothLaplace,
    TrimmedMean,
)
from shoal.local.protocols.numeric import Hybrid, NoisyNumber, OneBit, Piecewise, UnitVector
from shoal.noise.seam import seeded
from shoal.sensitivity import Relation

ENDS = (
    "-1e308",
    "1e308",
    "-1",
    "0",
    "1",
    "5e-324",
    "-5e-324",
    "1e-310",
    "100000000000000000",
    "100000000000000008",
    "9007199254740992",
    "9007199254740993",
    "0.1",
    "0.10000000000000001",
    "1/3",
    "1e400",
    "-1e400",
    "1.7976931348623157e308",
)

WIDTHS = (
    ("-1e308", "1e308"),
    ("100000000000000000", "100000000000000008"),
    ("9007199254740992", "9007199254740993"),
    ("0", "5e-324"),
    ("0", "1e-310"),
    ("-5e-324", "5e-324"),
    ("0.1", "0.10000000000000001"),
    ("-1.7e308", "1e300"),
)
"""Ends whose width is no positive finite float, or barely one."""


def _floats(ends: tuple[str, str]) -> tuple[float, float]:
    low, high = (_nearest(Fraction(end)) for end in ends)
    return low, high


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


Door = Callable[[tuple[str, str], list[float]], Any]


def _curve(cls: Any) -> Door:
    def run(ends: tuple[str, str], values: list[float]) -> Any:
        made = cls.for_epsilon(1, relation="change", low=ends[0], high=ends[1], degree=3)
        x = np.array(
            [math.frexp(value)[1] % 3 / 2 for value in values]
        )  # another place where y differs
        return made.release(x, np.array(values)).event

    return run


class _Outside(Exception):  # noqa: N818 - a proof, not an error
    """A report that no value within the range ever gives."""


def _reports(cls: Any) -> Door:
    def run(ends: tuple[str, str], values: list[float]) -> Any:
        made = cls.for_epsilon(1, low=ends[0], high=ends[1])
        with seeded(1):
            told = made.report(values)
        if not all(0 <= report < made.reports for report in told):
            raise _Outside(f"one of {len(told)} reports is none of the {made.reports} there are")
        return made.report(values)

    return run


def _box(ends: tuple[str, str], values: list[float]) -> Any:
    made = KernelDensity.for_epsilon(1, relation="change", degree=3, domain=[_floats(ends)])
    return made.release(np.array(values)).event


DOORS: Mapping[str, Door] = {
    "OneBit": _reports(OneBit),
    "Piecewise": _reports(Piecewise),
    "Hybrid": _reports(Hybrid),
    "NoisyNumber": lambda e, v: NoisyNumber.laplace(1, low=e[0], high=e[1]).report(v).shape,
    "KernelRegression": _curve(KernelRegression),
    "PriestleyChao": _curve(PriestleyChao),
    "KernelDensity": _box,
    "RocCurve": lambda e, v: (
        RocCurve.for_epsilon(1, relation="change", cells=4, low=_floats(e)[0], high=_floats(e)[1])
        .release(np.array(v), np.array([True, False] * 9)[: len(v)])
        .event
    ),
    "InverseSensitivity": lambda e, v: InverseSensitivity.median(
        epsilon=1, size=len(v), low=e[0], high=e[1], points=5
    ).release(v),
    "SmoothLaplace": lambda e, v: SmoothLaplace(epsilon=1, delta="1e-3").release(
        TrimmedMean.median(size=len(v), low=e[0], high=e[1]), v
    ),
}


@dataclass(frozen=True)
class Range(Case):
    """A mechanism with public ends, on values of which one changes."""

    door: str
    ends: tuple[str, str]
    values: tuple[float, ...]
    other: tuple[float, ...]

    def check(self) -> Seen:
        run = DOORS[self.door]
        with np.errstate(all="ignore"):
            first = recorded(lambda: run(self.ends, list(self.values)))
            second = played(first, lambda: run(self.ends, list(self.other)))
            found = apart(first, second, Relation.CHANGE)
        return Seen(tuple(found), first.ending.outcome)

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.ranges import Range\n"
            f"# {self.door} between {self.ends[0]} and {self.ends[1]}\n"
            f"print(*Range({self.door!r}, {self.ends!r}, {self.values!r}, {self.other!r}).check().findings, sep='\\n')\n"
        )


_GRID = 1 << 24


@dataclass(frozen=True)
class Direction(Case):
    """A vector that is scaled to length 1: the price is one for vectors of that length, and of no
    other.
    """

    vector: tuple[float, ...]

    def check(self) -> Seen:
        made = UnitVector.for_epsilon(4, dimensions=len(self.vector))
        with np.errstate(all="ignore"):
            run = recorded(lambda: made.report([list(self.vector)]).shape)
        found = []
        for met in run.recorder.met:
            squared = sum(int(each) ** 2 for each in met.meeting.given.reshape(-1))
            room = 2 * _GRID * (len(self.vector) + 1)
            if abs(squared - _GRID**2) > room:
                found.append(
                    Finding(
                        "moved", f"the input has length {(squared**0.5) / _GRID:.9g}, claimed 1"
                    )
                )
        if run.ending.outcome.startswith("failed"):
            found.append(Finding("bare error", run.ending.outcome))
        return Seen(tuple(found), run.ending.outcome)

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.ranges import Direction\n"
            f"print(*Direction({self.vector!r}).check().findings, sep='\\n')\n"
        )


def make(number: int) -> Case:
    """A mechanism, two ends in their order, and values at them, between them and beyond."""
    rng = Random(f"ranges {number}")
    if rng.random() < 0.15:
        scale = rng.choice((1.0, 1e-160, 1e-162, 1e-170, 1e-300, 5e-324, 1e160, 1e308))
        return Direction(
            tuple(scale * rng.choice((0, 1, -1, 0.3, 3)) for _ in range(rng.randint(2, 4)))
        )
    low, high = _ends(rng)
    ends = [end for end in _floats((low, high)) if end - end == 0]
    pool = [*ends, *ends, 0.0, 1.0, -1.0, 1e17 + 16, 1e308, -1e308]
    rest = rng.choice(pool), rng.choice(pool)
    one, two = (-1e308, 1e308) if rng.random() < 0.5 else (rng.choice(pool), rng.choice(pool))
    return Range(rng.choice(tuple(DOORS)), (low, high), (*rest, one), (*rest, two))


def _ends(rng: Random) -> tuple[str, str]:
    """Two ends in their order: of no width as floats, so far from 0 that few floats lie between
    them, or any.
    """
    chance = rng.random()
    if chance < 0.3:
        return rng.choice(WIDTHS)
    if chance < 0.6:
        low = rng.choice((1 << 54, 10**17, -(10**17))) + rng.randint(0, 1000)
        return str(low), str(low + rng.randint(1, 200))
    low_end, high_end = sorted(rng.sample(ENDS, 2), key=Fraction)
    return low_end, high_end
