"""Small private tables, and releases whose noise is 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast
from unittest.mock import patch

import pyarrow as pa

from shoal.measures import Measure, Pure
from shoal.mechanisms.additive import Additive
from shoal.mechanisms.witness import NoiseWitness
from shoal.noise.source import _override
from shoal.plan import Choices, Person, Range, Unit
from shoal.query import Private, private
from shoal.sensitivity.claims import Moves

SCHEMA = pa.schema(
    {"who": pa.int64(), "town": pa.string(), "kind": pa.string(), "age": pa.int64(), "spend": pa.float64()}
)  # fmt: skip
FACTS: dict[str, Range | Choices] = {
    "kind": Choices(["a", "b", "c"]),
    "age": Range(0, 120),
    "spend": Range(0, 500),
}
TOWNS = pa.table(
    {"town": ["Aldam", "Brook", "Corve"], "region": ["north", "south", "north"], "size": [3, 9, 4]}
)


def rows(people: int, *, each: int = 1) -> list[dict[str, Any]]:
    """Everyone with so many rows, all in one town and of one kind; nothing is missing."""
    return [
        {
            "who": who,
            "town": ["Aldam", "Brook", "Corve"][who % 3],
            "kind": "ab"[who % 2],
            "age": (7 * who + at) % 100,
            "spend": float((37 * who + 11 * at) % 450),
        }
        for who in range(people)
        for at in range(each)
    ]


def made(
    data: list[dict[str, Any]],
    *,
    protects: Unit | None = None,
    budget: Measure | None = None,
    towns: bool = True,
    **options: Any,
) -> Private:
    """With the public table of towns, for which an engine is opened once more."""
    return private(
        pa.Table.from_pylist(data, schema=SCHEMA),
        protects=protects or Person("who", groups=2, rows_per_group=3),
        columns=options.pop("columns", FACTS),
        budget=budget or Pure(100),
        public={"towns": TOWNS} if towns else {},
        **options,
    )


Given = list[tuple[Additive, list[int]]]
"""Who was given what."""


class _Silent:
    """A witness that lets additive mechanisms release the value itself."""

    def __init__(self) -> None:
        self.given: Given = []

    def meet(self, meeting: NoiseWitness, draw: Callable[[], Any]) -> Any:
        if not isinstance(meeting.by, Additive) or not isinstance(meeting.claim, Moves):
            return draw()
        self.given.append((meeting.by, [int(each) for each in meeting.given]))
        return meeting.given


@contextmanager
def without_noise() -> Iterator[Given]:
    """Inside, additive mechanisms release the value itself; who was given what is listed.

    The witness is put in place behind the seam's back, so that questions are charged as they are
    outside tests.
    """
    silent = _Silent()
    token = _override.set(cast("Any", silent))
    unseen = ContextVar[Any]("nothing_in_place", default=None)
    try:
        with patch("shoal.noise.source._override", unseen):
            yield silent.given
    finally:
        _override.reset(token)
