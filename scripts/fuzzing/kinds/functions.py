"""Functions of callers and rows of odd types: one row makes them fail, and nobody may see that."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import shoal
from scripts.fuzzing.case import Case, Finding, Seen, ending, endings_apart
from scripts.fuzzing.judging import apart, played, recorded
from scripts.fuzzing.oddities import ACTS, INTERRUPTED, ODD, POISON, OddKey, Stop, poisoned
from shoal.functions import (
    InverseSensitivity,
    KernelDensity,
    KernelRegression,
    PriestleyChao,
    RocCurve,
    SampleAndAggregate,
    SmoothLaplace,
    StableHistogram,
    StableMode,
    TriangleCount,
    privatize,
)
from shoal.local.protocols.bloom import BloomRappor
from shoal.local.protocols.statistical import StatisticalQueries
from shoal.noise.seam import seeded
from shoal.sensitivity import Relation

TEXTS = ("a lone surrogate", "text")
"""Those of them that are texts, for doors that take nothing else from the one person who sends."""


class _Free(Exception):  # noqa: N818 - a proof, not an error
    """A function ran, was interrupted, and nothing was counted."""


def _oracle(rows: list[Any], act: str) -> Any:
    people = np.array([1] * 400 + rows)
    oracle = StatisticalQueries(people, tolerance="0.9", queries=2, failure="0.5", epsilon=5)
    oracle.ask(lambda x: np.zeros(len(x)))
    try:
        answer = oracle.ask(lambda x: poisoned(x, act, np.zeros(len(x))))
    except KeyboardInterrupt:
        if oracle.asked == 1:
            raise _Free("an interrupted query is not counted") from None
        raise
    return type(answer).__name__, oracle.asked


def _number(rows: list[Any], act: str) -> Any:
    made = privatize(lambda data: poisoned(data, act, 0.5), sensitivity=1, epsilon=1)
    return made.release(rows)


def _gaussian_number(rows: list[Any], act: str) -> Any:
    made = privatize(
        lambda data: poisoned(data, act, [0.5, 1.0]),
        size=2,
        sensitivity=shoal.Sensitivity.read(1, norm="l2"),
        budget=shoal.ZeroConcentrated(1),
    )
    return made.release(rows)


def _choice(rows: list[Any], act: str) -> Any:
    made = privatize(
        lambda data: poisoned(data, act, {"a": 1, "b": 2}),
        candidates="ab",
        sensitivity=1,
        epsilon=1,
    )
    return made.release(rows)


def _listed_choice(rows: list[Any], act: str) -> Any:
    made = privatize(
        lambda data: poisoned(data, act, [1, 2]), candidates="ab", sensitivity=1, epsilon=1
    )
    return made.release(rows)


def _scored_choice(rows: list[Any], act: str) -> Any:
    made = privatize(
        lambda data: lambda each: poisoned(data, act, ord(each)),
        candidates="ab",
        sensitivity=1,
        epsilon=1,
    )
    return made.release(rows)


def _curve(rows: list[Any], act: str) -> Any:
    made = privatize(
        lambda data: lambda x: poisoned(data, act, 0 * x), degree=3, sensitivity=1, epsilon=1
    )
    return made.release(rows)


def _blocks(rows: Any, act: str) -> Any:
    middle = InverseSensitivity.median(epsilon=1, size=3, low=0, high=10, points=11)
    made = SampleAndAggregate(aggregator=middle, otherwise=5)
    return made.release(lambda block: poisoned(block, act, 4.0), rows)


CALLED: Mapping[str, Callable[[list[Any], str], Any]] = {
    "StatisticalQueries.ask": _oracle,
    "privatize of a number": _number,
    "privatize of two numbers": _gaussian_number,
    "privatize of a choice": _choice,
    "privatize of a listed choice": _listed_choice,
    "privatize of a scored choice": _scored_choice,
    "privatize of a function": _curve,
    "SampleAndAggregate": _blocks,
    "SampleAndAggregate of an array": lambda rows, act: _blocks(np.array(rows)[:, None], act),
}


def _bloom(rows: list[Any]) -> Any:
    made = BloomRappor.of(bits=16, hashes=2, cohorts=2, noise="1/2", one="3/4", zero="1/2")
    return made.report(rows, cohorts=made.draw_cohorts(len(rows)))


def _objects(rows: list[Any]) -> Any:
    """An array that holds rows of any type as they are."""
    made = np.empty(len(rows), dtype=object)
    made[:] = rows
    return made


def _roc(rows: list[Any]) -> Any:
    made = RocCurve.for_epsilon(1, relation="change", cells=4)
    return made.release(_objects(rows), np.array([True, False] * 9)[: len(rows)])


def _density(rows: list[Any]) -> Any:
    return KernelDensity.for_epsilon(1, relation="change", degree=2).release(_objects(rows)).event


def _regression(cls: Any) -> Callable[[list[Any]], Any]:
    made = cls.for_epsilon(1, relation="change", low=0, high=1, degree=2)
    return lambda rows: made.release(_objects(rows), np.full(len(rows), 0.5)).event


def _counted(rows: list[Any]) -> Any:
    """Counts of categories of which some cannot be looked up."""
    categories = ["tea", OddKey(), (1, "a"), 0.25]
    return list(shoal.Histogram.for_epsilon(1).release(rows, categories=categories).values())


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
    "Histogram of odd keys": (_counted, ["tea"] * 4),
    "BloomRappor": (_bloom, ["tea"] * 4),
    "RocCurve": (_roc, [0.5] * 4),
    "KernelDensity": (_density, [0.5] * 4),
    "KernelRegression": (_regression(KernelRegression), [0.5] * 4),
    "PriestleyChao": (_regression(PriestleyChao), [0.5] * 4),
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
class Interrupted(Case):
    """The operator stops a run while a caller's function looks at rows: the run ends, and what was
    looked at is paid for.
    """

    door: str

    def check(self) -> Seen:
        before = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started this process
        try:
            found = ending(lambda: _stopped(self._run, [POISON, 2, 3, 4]))
        finally:
            signal.signal(signal.SIGINT, before)
        if found.outcome == f"failed ({Stop.__name__})":
            return Seen((), "interrupted")
        said = f"{found.outcome} {found.text} where the operator stopped the run"
        return Seen((Finding("interrupt", said),), found.outcome)

    def _run(self, rows: list[Any]) -> Any:
        return CALLED[self.door](rows, INTERRUPTED)

    def written(self) -> str:
        return (
            f"from scripts.fuzzing.kinds.functions import Interrupted\n"
            f"print(*Interrupted({self.door!r}).check().findings, sep='\\n')\n"
        )


@dataclass(frozen=True)
class Given(Case):
    """Rows of which one is something odd, or all but one are."""

    door: str
    odd: str
    all_odd: bool = False

    def check(self) -> Seen:
        run, rows = GIVEN[self.door]
        made = ODD[self.odd]
        odd = [*rows[1:], made()]
        if self.all_odd:
            rows, odd = [made() for _ in rows], [*rows[:1], *(made() for _ in rows[1:])]
        seen = _compared(run, rows, odd)
        if self.door != "BloomRappor":
            return seen
        # it runs where the value is, and may refuse to send: in our words
        return Seen(tuple(f for f in seen.findings if f.rule == "bare error"), seen.outcome)

    def written(self) -> str:
        return (
            f"from scripts.fuzzing.kinds.functions import Given\n"
            f"# {self.door}, given {self.odd} as {'all but one' if self.all_odd else 'one'} of its rows\n"
            f"print(*Given({self.door!r}, {self.odd!r}, {self.all_odd}).check().findings, sep='\\n')\n"
        )


def _compared(
    run: Callable[[list[Any]], Any], rows: list[Any], other: list[Any], *, claims: bool = True
) -> Seen:
    """Outcome, text, and the type and shape of what is returned; what noises are given, where the
    claim is ours and not the caller's.
    """
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
        found.append(
            Finding("outcome", f"{sides[0].result} on one side, {sides[1].result} on the other")
        )
    return Seen(tuple(found), sides[0].outcome)


def _stopped(run: Callable[[list[Any]], Any], rows: list[Any]) -> Any:
    """A run whose result is written down; an interrupt that comes out of it is kept from ending the
    fuzzer.
    """
    try:
        result = run(rows)
    except KeyboardInterrupt as error:
        raise Stop("KeyboardInterrupt") from error
    for each in result if isinstance(result, dict) else (result,):
        str(each).encode()  # what is told can be printed and stored
    return result


def _form(result: Any) -> str:
    if isinstance(result, str | dict) or result is None:
        return "a category or nothing"
    return f"{type(result).__name__} {getattr(result, 'shape', '')} {getattr(result, 'dtype', '')}"


EVERY: tuple[Case, ...] = (
    *(Called(door, act, coming) for act in ACTS for door in CALLED for coming in (True, False)),
    *(
        Given(door, odd, all_odd)
        for odd in ODD
        for door in GIVEN
        for all_odd in (False, True)
        if door != "BloomRappor" or odd in TEXTS
    ),
    *(Interrupted(door) for door in CALLED),
)


def make(number: int) -> Case:
    """Every pair of a door and an act in an order of its own, over and over."""
    order = list(range(len(EVERY)))
    Random(f"functions {number // len(EVERY)}").shuffle(order)
    return EVERY[order[number % len(EVERY)]]
