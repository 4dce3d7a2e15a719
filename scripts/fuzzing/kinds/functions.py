"""Functions of callers and rows of odd types: one row makes them fail, and nobody may see that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, cast

import numpy as np

import shoal
from scripts.fuzzing.case import Case, Finding, Seen, ending, endings_apart
from scripts.fuzzing.judging import apart, played, recorded
from shoal.functions import (
    InverseSensitivity,
    RocCurve,
    SampleAndAggregate,
    SmoothLaplace,
    StableHistogram,
    StableMode,
    TriangleCount,
    privatize,
)
from shoal.local.bloom import BloomRappor
from shoal.local.statistical import StatisticalQueries
from shoal.noise.seam import seeded
from shoal.sensitivity import Relation

POISON = -77
"""The row at which a caller's function does something else."""


class Stop(BaseException):
    """What no ``except Exception`` holds."""


def _raises(error: BaseException) -> Callable[[], Any]:
    def act() -> Any:
        raise error

    return act


ACTS: Mapping[str, Callable[[], Any]] = {
    "raises ValueError": _raises(ValueError("patient 17 has HIV")),
    "raises ZeroDivisionError": lambda: 1 // 0,
    "raises a BaseException": _raises(Stop("patient 17")),
    "raises KeyboardInterrupt": _raises(KeyboardInterrupt("patient 17")),
    "raises SystemExit": _raises(SystemExit("patient 17")),
    "gives NaN": lambda: float("nan"),
    "gives infinity": lambda: float("inf"),
    "gives None": lambda: None,
    "gives text": lambda: "HIV",
    "gives a huge integer": lambda: 10**400,
    "gives a whole number": lambda: 3,
    "gives two numbers": lambda: [1.0, 2.0],
    "gives nothing": list,
    "gives an array of no shape": lambda: np.float64(0.5),
    "gives a complex number": lambda: 1 + 2j,
    "gives truth": lambda: True,
    "gives a mapping": lambda: {"a": 1},
    "gives a function": lambda: lambda _: float("nan"),
}


class _Odd:
    """A value that answers nothing about itself."""

    def __repr__(self) -> str:
        raise ValueError("HIV")

    def __hash__(self) -> int:
        raise ValueError("HIV")

    def __eq__(self, other: object) -> bool:
        raise ValueError("HIV")


class _OddText(str):
    """A text that cannot be looked up."""

    __slots__ = ()

    def __hash__(self) -> int:
        raise ValueError("HIV")

    def __eq__(self, other: object) -> bool:
        raise ValueError("HIV")


def _deep(depth: int) -> Any:
    value: Any = ()
    for _ in range(depth):
        value = (value,)
    return value


ODD: Mapping[str, Callable[[], Any]] = {
    "a huge integer": lambda: 10**5000,
    "a deep tuple": lambda: _deep(5000),
    "a lone surrogate": lambda: "\ud800",
    "None": lambda: None,
    "NaN": lambda: float("nan"),
    "an object of its own": _Odd,
    "a text of its own": lambda: _OddText("tea"),
    "a list": lambda: [1],
    "text": lambda: "HIV",
    "three numbers": lambda: (0, 1, 2),
    "a huge pair": lambda: (10**400, 1),
    "infinities": lambda: (float("inf"), 1),
}


TEXTS = ("a lone surrogate", "text")
"""Those of them that are texts, for doors that take nothing else from the one person who sends."""


def _poisoned(rows: Any, act: str, plain: Any) -> Any:
    """What a caller's function gives: something plain, but where the poison is."""
    found = POISON in list(rows)
    return ACTS[act]() if found else plain


def _oracle(rows: list[Any], act: str) -> Any:
    people = np.array([1] * 400 + rows)
    oracle = StatisticalQueries(people, tolerance="0.9", queries=2, failure="0.5", epsilon=5)
    oracle.ask(lambda x: np.zeros(len(x)))
    answer = oracle.ask(lambda x: _poisoned(x, act, np.zeros(len(x))))
    return type(answer).__name__, oracle.asked


def _number(rows: list[Any], act: str) -> Any:
    made = privatize(lambda data: _poisoned(data, act, 0.5), sensitivity=1, epsilon=1)
    return made.release(rows)


def _gaussian_number(rows: list[Any], act: str) -> Any:
    made = privatize(lambda data: _poisoned(data, act, [0.5, 1.0]), size=2, sensitivity=shoal.Sensitivity.read(1, norm="l2"), budget=shoal.ZeroConcentrated(1))  # fmt: skip
    return made.release(rows)


def _choice(rows: list[Any], act: str) -> Any:
    made = privatize(lambda data: _poisoned(data, act, {"a": 1, "b": 2}), candidates="ab", sensitivity=1, epsilon=1)  # fmt: skip
    return made.release(rows)


def _listed_choice(rows: list[Any], act: str) -> Any:
    made = privatize(lambda data: _poisoned(data, act, [1, 2]), candidates="ab", sensitivity=1, epsilon=1)  # fmt: skip
    return made.release(rows)


def _scored_choice(rows: list[Any], act: str) -> Any:
    made = privatize(lambda data: lambda each: _poisoned(data, act, ord(each)), candidates="ab", sensitivity=1, epsilon=1)  # fmt: skip
    return made.release(rows)


def _curve(rows: list[Any], act: str) -> Any:
    made = privatize(lambda data: lambda x: _poisoned(data, act, 0 * x), degree=3, sensitivity=1, epsilon=1)  # fmt: skip
    return made.release(rows)


def _blocks(rows: list[Any], act: str) -> Any:
    middle = InverseSensitivity.median(epsilon=1, size=3, low=0, high=10, points=11)
    made = SampleAndAggregate(aggregator=middle, otherwise=5)
    return made.release(lambda block: _poisoned(block, act, 4.0), rows)


CALLED: Mapping[str, Callable[[list[Any], str], Any]] = {
    "StatisticalQueries.ask": _oracle,
    "privatize of a number": _number,
    "privatize of two numbers": _gaussian_number,
    "privatize of a choice": _choice,
    "privatize of a listed choice": _listed_choice,
    "privatize of a scored choice": _scored_choice,
    "privatize of a function": _curve,
    "SampleAndAggregate": _blocks,
}


def _bloom(rows: list[Any]) -> Any:
    made = BloomRappor.of(bits=16, hashes=2, cohorts=2, noise="1/2", one="3/4", zero="1/2")
    return made.report(rows, cohorts=made.draw_cohorts(len(rows)))


def _roc(rows: list[Any]) -> Any:
    return RocCurve.for_epsilon(1, relation="change", cells=4).release(
        cast("Any", rows), np.array([True, False] * 9)[: len(rows)])  # fmt: skip


GIVEN: Mapping[str, tuple[Callable[[list[Any]], Any], list[Any]]] = {
    "StableMode": (lambda rows: StableMode(epsilon=1, delta="0.1").release(rows), ["tea"] * 9),
    "StableHistogram": (
        lambda rows: StableHistogram(epsilon=1, delta="0.1").release(rows),
        [1] * 9,
    ),
    "Histogram": (
        lambda rows: shoal.Histogram.for_epsilon(1).release(rows, categories=["tea", "rum"]),
        ["tea"] * 4,
    ),
    "BloomRappor": (_bloom, ["tea"] * 4),
    "RocCurve": (_roc, [0.5] * 4),
    "TriangleCount": (
        lambda rows: SmoothLaplace(epsilon=1, delta="1e-3").release(TriangleCount(nodes=4), rows),
        [(0, 1), (1, 2)],
    ),
    "InverseSensitivity": (
        lambda rows: InverseSensitivity.median(epsilon=1, size=3, low=0, high=1, points=5).release(
            rows
        ),
        [0.5] * 3,
    ),
}


@dataclass(frozen=True)
class Called(Case):
    """A caller's function that does something else on one row."""

    door: str
    act: str
    coming: bool

    def check(self) -> Seen:
        rows = [1, 2, 3, 4]
        other = [*rows, POISON] if self.coming else [POISON, *rows[1:]]
        ours = not self.door.startswith("privatize")
        return _compared(lambda each: CALLED[self.door](each, self.act), rows, other, claims=ours)

    def written(self) -> str:
        return (
            f"from scripts.fuzzing.kinds.functions import Called\n"
            f"# {self.door}, called with a function that {self.act} where one row is {POISON}\n"
            f"print(*Called({self.door!r}, {self.act!r}, {self.coming}).check().findings, sep='\\n')\n"
        )


@dataclass(frozen=True)
class Given(Case):
    """Rows of which one is something odd."""

    door: str
    odd: str

    def check(self) -> Seen:
        run, rows = GIVEN[self.door]
        seen = _compared(run, rows, [*rows[1:], ODD[self.odd]()])
        if self.door != "BloomRappor":
            return seen
        # it runs where the value is, and may refuse to send: in our words
        return Seen(tuple(f for f in seen.findings if f.rule == "bare error"), seen.outcome)

    def written(self) -> str:
        return (
            f"from scripts.fuzzing.kinds.functions import Given\n"
            f"# {self.door}, given {self.odd} as one of its rows\n"
            f"print(*Given({self.door!r}, {self.odd!r}).check().findings, sep='\\n')\n"
        )


def _compared(
    run: Callable[[list[Any]], Any], rows: list[Any], other: list[Any], *, claims: bool = True
) -> Seen:
    """Outcome, text, and the type and shape of what is returned; what noises are given, where the claim is ours and not the caller's."""
    sides = []
    for each in (rows, other):
        with seeded(1):
            sides.append(ending(lambda each=each: _stopped(run, each)))  # type: ignore[misc]
    found = endings_apart(*sides)
    if not found and claims and len(rows) == len(other):
        first = recorded(lambda: run(rows))
        found = apart(first, played(first, lambda: run(other)), Relation.CHANGE)
    if not found:
        shapes = [_form(side.result) for side in sides]
        if shapes[0] != shapes[1]:
            found.append(Finding("type", f"{shapes[0]} on one side, {shapes[1]} on the other"))
    if not found and isinstance(sides[0].result, tuple) and sides[0].result != sides[1].result:
        found.append(Finding("outcome", f"{sides[0].result} on one side, {sides[1].result} on the other"))  # fmt: skip
    return Seen(tuple(found), sides[0].outcome)


def _stopped(run: Callable[[list[Any]], Any], rows: list[Any]) -> Any:
    """A run in which nobody pressed a key: an interrupt that comes out is the function's."""
    try:
        return run(rows)
    except KeyboardInterrupt as error:
        raise Stop("KeyboardInterrupt") from error


def _form(result: Any) -> str:
    if isinstance(result, str | dict) or result is None:
        return "a category or nothing"
    return f"{type(result).__name__} {getattr(result, 'shape', '')} {getattr(result, 'dtype', '')}"


EVERY: tuple[Case, ...] = (
    *(Called(door, act, coming) for act in ACTS for door in CALLED for coming in (True, False)),
    *(Given(door, odd) for odd in ODD for door in GIVEN if door != "BloomRappor" or odd in TEXTS),
)


def make(number: int) -> Case:
    """Every pair of a door and an act in an order of its own, over and over."""
    order = list(range(len(EVERY)))
    Random(f"functions {number // len(EVERY)}").shuffle(order)
    return EVERY[order[number % len(EVERY)]]
