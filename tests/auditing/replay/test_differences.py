"""What a replay says of results: alike, apart, or open; never by their text."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.auditing.replay import replay
from shoal.auditing.replay.differences import apart

ONE = shoal.Laplace.for_epsilon(1, sensitivity=1)
PAIR = [([1, 2], [1])]


class Plain:
    """No equality, and no text of its own."""

    def __init__(self, value: Any = None) -> None:
        self.value = value


class Hiding(Plain):
    """Says nothing of what it holds, not even when compared."""

    def __repr__(self) -> str:
        return "Hiding(...)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hiding)

    __hash__ = None  # type: ignore[assignment]


class Slotted:
    __slots__ = ("__own", "value")

    def __init__(self, value: Any) -> None:
        self.value = self.__own = value


class Never(Plain):
    """Is equal to nothing."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


class Weighed(float):
    """A number with something hanging on it."""

    note: Any = None


@dataclass
class Holding:
    array: Any


def weighed(note: Any) -> Weighed:
    made = Weighed(1)
    made.note = note
    return made


def frame(leak: int) -> list[int]:
    return [0] * 500 + [leak] + [0] * 500


MAKERS: dict[str, Callable[[Any], Any]] = {
    "dataclass": lambda leak: Holding(np.array(frame(leak))),
    "hidden by its text and equality": Hiding,
    "object": Plain,
    "slots": Slotted,
    "array of objects": lambda leak: np.array([Plain(leak), None]),
    "structured array": lambda leak: np.array([(1, leak)], dtype=[("a", int), ("b", float)]),
    "masked array": lambda leak: np.ma.array([1, 2], mask=[False, leak > 1]),
    "complex": lambda leak: np.array([complex(1, leak)]),
    "pandas frame": lambda leak: pd.DataFrame({"x": frame(leak)}),
    "pandas column": lambda leak: pd.Series(frame(leak)),
    "pandas index": lambda leak: pd.DataFrame({"x": [1]}, index=[leak]),
    "pandas labels": lambda leak: pd.DataFrame({leak: [1]}),
    "polars frame": lambda leak: pl.DataFrame({"x": frame(leak)}),
    "polars column": lambda leak: pl.Series("x", frame(leak)),
    "arrow table": lambda leak: pa.table({"x": frame(leak)}),
    "arrow array": lambda leak: pa.array(frame(leak)),
    "set": lambda leak: {"x", leak},
    "bytes that change": lambda leak: bytearray([leak]),
    "attribute of a number": weighed,
    "key of a mapping": lambda leak: {(leak, "a"): 1},
    "decimal": Decimal,
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_leak_is_found_wherever_a_result_holds_it(name: str) -> None:
    make = MAKERS[name]
    assert replay(lambda rows: make(sum(rows)), PAIR).verdict.refuted
    same = replay(lambda _: make(5), PAIR)
    assert not same.differences


@pytest.mark.parametrize(
    ("one", "two"),
    [(0.0, -0.0), ([True], [1]), ({1: "a"}, {True: "a"}), ({1.0}, {1}), (np.array([0.0]), np.array([-0.0]))],
    ids=str,
)  # fmt: skip
def test_what_python_calls_equal_and_a_reader_can_tell_apart_is_apart(one: Any, two: Any) -> None:
    found = apart(one, two)
    assert found is not None
    assert found.known


@pytest.mark.parametrize(
    "make",
    [lambda: float("nan"), lambda: {float("nan"): 1}, lambda: {1.0, float("nan")}, lambda: np.array([np.nan, 1]),
     lambda: np.array(["NaT"], dtype="datetime64[s]"), Plain, object, lambda: Plain(Plain(np.nan)), lambda: pa.array([float("nan")])],
)  # fmt: skip
def test_nan_and_objects_without_equality_are_alike_where_they_hold_the_same(
    make: Callable[[], Any],
) -> None:
    found = apart(make(), make())
    assert found is None


def test_a_result_that_holds_itself_ends() -> None:
    def ring(value: int) -> list[Any]:
        made: list[Any] = [value]
        made.append(made)
        return made

    assert apart(ring(1), ring(1)) is None
    found = apart(ring(1), ring(2))
    assert found is not None
    assert found.known


def nested(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


def numbers(rows: list[int]) -> Iterator[int]:
    yield from rows


@pytest.mark.parametrize(
    "run",
    [numbers, lambda rows: lambda: rows, Never, lambda _: Never(1), lambda _: nested(100_000)],
)
def test_what_cannot_be_compared_is_open_and_neither_refuted_nor_passed_over(
    run: Callable[[Any], Any],
) -> None:
    found = replay(run, [([1], [1])])
    assert [each.kind for each in found.differences] == ["open"]
    assert not found.verdict.refuted
    assert "open" in found.verdict.found
    assert dict(found.verdict.figures)["left open"] == 1


def test_a_sure_difference_beside_one_that_is_open_refutes() -> None:
    found = replay(lambda rows: [numbers(rows), sum(rows)], PAIR)
    assert [each.kind for each in found.differences] == ["result"]


# noise in threads


def in_a_thread(rows: list[int]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(ONE.release, len(rows)).result()


def in_a_thread_that_knows(rows: list[int]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, ONE.release, len(rows)).result()


def in_a_task(rows: list[int]) -> Any:
    async def asked() -> Any:
        return await asyncio.to_thread(ONE.release, sum(rows))

    return asyncio.run(asked())


def test_a_right_program_with_noise_in_a_thread_is_open_and_not_refuted() -> None:
    found = replay(in_a_thread, PAIR)
    assert not found.verdict.refuted
    assert [each.kind for each in found.differences] == ["open"]
    assert "another thread" in found.verdict.found


def test_noise_in_a_thread_with_a_copy_of_the_context_is_seen() -> None:
    found = replay(in_a_thread_that_knows, PAIR)
    assert not found.differences
    assert found.noises == 1
    assert found.worst == 1
    assert replay(in_a_task, PAIR).verdict.refuted


def test_threads_that_share_a_recorder_take_turns() -> None:
    """Each noise is drawn whole before the next, so every output is the one of its place."""

    def run(rows: list[int]) -> list[int]:
        with ThreadPoolExecutor(4) as pool:
            waiting = [
                pool.submit(contextvars.copy_context().run, ONE.release, len(rows))
                for _ in range(200)
            ]
            return sorted(each.result() for each in waiting)

    found = replay(run, PAIR)
    assert found.noises == 200
    assert not found.differences
