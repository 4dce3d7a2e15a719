"""Engines that fail after the charge: two rows make an engine fail in two ways, and nobody may tell
these ways apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb

import shoal
from scripts.fuzzing.case import Case, Ending, Finding, Seen, ending, endings_apart
from shoal.engines.duckdb import DuckDB
from shoal.errors import InternalError, SourceError

CELL = "HIV-17"
"""Stands in a private cell, and in the words of every failure: no message may quote it."""
FAILURES: Mapping[str, Callable[[], BaseException]] = {
    "no memory": lambda: MemoryError(CELL),
    "no memory of the engine": lambda: duckdb.OutOfMemoryException(CELL),
    "a cell that cannot be cast": lambda: duckdb.ConversionException(CELL),
    "too deep": lambda: RecursionError(CELL),
    "an overflow": lambda: OverflowError(CELL),
    "no answer in time": lambda: TimeoutError(CELL),
    "no disk": lambda: OSError(28, CELL),
    "half a letter": lambda: UnicodeDecodeError("utf-8", b"HIV-17", 0, 1, CELL),
    "no such name": lambda: KeyError(CELL),
    "the source": lambda: SourceError(f"cannot read {CELL}.", remedy=CELL),
    "a fault of ours": lambda: InternalError(f"{CELL}.", remedy=CELL),
    "what no except holds": lambda: type("Panic", (BaseException,), {})(CELL),
}
READS = ("totals", "parts", "shares", "weights")
"""How an engine is asked about rows, once a question is paid for."""
DOORS: Mapping[str, Callable[[Any], Any]] = {
    "a count": lambda held: held.sql("SELECT COUNT(*) AS n FROM data").release(epsilon=1),
    "private keys": lambda held: held.sql("SELECT s, COUNT(*) AS n FROM data GROUP BY s").release(
        epsilon=1, delta="1e-4"
    ),
    "a median": lambda held: held.sql("SELECT MEDIAN(x) AS n FROM data").release(epsilon=1),
    "suggested shares": lambda held: held.suggest_groups("s", epsilon=1),
    "suggested bounds": lambda held: held.suggest_bounds("y", epsilon=1),
}


@dataclass(frozen=True)
class Failure(Case):
    """A question after whose charge the engine fails in one way on one side, and in another way on
    the other.
    """

    door: str
    one: str
    two: str

    def check(self) -> Seen:
        sides = [self._run(each) for each in (self.one, self.two)]
        found = endings_apart(*(side for side, _ in sides))
        if sides[0][1] != sides[1][1]:
            found.append(
                Finding("charged", f"{sides[0][1]} on one side, {sides[1][1]} on the other")
            )
        if any(CELL in side.text for side, _ in sides):
            found.append(Finding("quoted", f"{self.door} quotes what an engine said"))
        return Seen(tuple(found), sides[0][0].outcome)

    def _run(self, failure: str) -> tuple[Ending, str]:
        import pyarrow as pa

        rows = pa.table({"who": [1, 2, 3], "s": ["a", "b", CELL], "x": [1, 2, 3], "y": [1, 2, 3]})
        held = shoal.private(
            rows,
            protects=shoal.Person("who"),
            columns={"x": shoal.Range(0, 5)},
            budget=shoal.Approx(9, "1e-3"),
        )
        with _failing(FAILURES[failure]):
            found = ending(lambda: DOORS[self.door](held))
        return found, str(held.budget.spent)

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.failures import Failure\n"
            f"print(*Failure({self.door!r}, {self.one!r}, {self.two!r}).check().findings, sep='\\n')\n"
        )


@contextmanager
def _failing(failure: Callable[[], BaseException]) -> Iterator[None]:
    with ExitStack() as stack:
        for name in READS:
            stack.enter_context(patch.object(DuckDB, name, side_effect=failure()))
        yield


def make(number: int) -> Case:
    """Every door and every failure in turn, beside another failure."""
    rng = Random(f"failures {number}")
    door = tuple(DOORS)[number % len(DOORS)]
    one = tuple(FAILURES)[number % len(FAILURES)]
    return Failure(door, one, rng.choice([each for each in FAILURES if each != one]))
