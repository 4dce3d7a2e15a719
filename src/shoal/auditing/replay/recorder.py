"""A source that is also a witness: it writes down every meeting of data and noise, and can play the
outputs back.

Recording keeps what each noise was given and what came out.  Playing runs the same program on a
neighbour and hands it the recorded outputs, so that all it does after a release, it does with the
same numbers: whatever still differs came from the data by another way.

Threads that were started with a copy of the context (`asyncio.to_thread`, or
`contextvars.copy_context().run`) draw here as well, one after another: their noises are told apart
by the order in which they are asked for.
"""

from __future__ import annotations

import copy
import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.mechanisms.witness import NoiseWitness
from shoal.noise.source import Keystream, Words


@dataclass(frozen=True)
class Met:
    """A meeting that took place: what went in, what came out, and who asked for it."""

    meeting: NoiseWitness
    output: Any
    place: str


class Parted(Exception):  # noqa: N818 - what happened, not a mistake
    """The two runs do not ask for the same noise any more, so there is nothing left to play."""


class Recorder:
    """Draws from a seed, outside meetings and inside each of them from a stream of its own."""

    private = False

    def __init__(self, seed: int | str) -> None:
        self._seed = seed
        self._outside = self._inside = _stream(seed, "outside")
        self._within = False
        self._turn = threading.RLock()
        self.pools: dict[object, list[int]] = {}
        self.met: list[Met] = []
        self.drawn: list[tuple[str, int]] = []

    def words(self, kind: type[np.unsignedinteger[Any]], count: int) -> Words:
        """Random words; those drawn outside all meetings are written down."""
        with self._turn:
            if self._within:
                return self._inside.words(kind, count)
            self.drawn.append((kind.__name__, count))
            return self._outside.words(kind, count)

    def meet(self, meeting: NoiseWitness, draw: Callable[[], Any]) -> Any:
        """Release, and write it down; a meeting within another is a part of that."""
        with self._turn:
            return draw() if self._within else self._met(meeting, draw)

    def _met(self, meeting: NoiseWitness, draw: Callable[[], Any]) -> Any:
        output = self._released(draw)
        self.met.append(Met(meeting, copy.deepcopy(output), caller()))
        return output

    def _released(self, draw: Callable[[], Any]) -> Any:
        kept, self.pools = self.pools, {}
        self._inside, self._within = _stream(self._seed, len(self.met)), True
        try:
            return draw()
        finally:
            self._within, self.pools = False, kept


class Player(Recorder):
    """Plays the outputs of a recording, and compares what goes in."""

    def __init__(self, recording: Recorder) -> None:
        super().__init__(recording._seed)  # noqa: SLF001 - its own kind
        self._tape = recording.met
        self.parted: str | None = None

    def _met(self, meeting: NoiseWitness, draw: Callable[[], Any]) -> Any:
        if len(self.met) == len(self._tape):
            raise self._part(f"{named(meeting)} was asked for by one of the two only")
        before = self._tape[len(self.met)]
        if not _alike(before.meeting, meeting):
            raise self._part(f"{named(before.meeting)} on one side, {named(meeting)} on the other")
        output = copy.deepcopy(before.output)
        self._released(draw)  # an error in here is one of the run
        self.met.append(Met(meeting, output, caller()))
        return output

    def _part(self, how: str) -> Parted:
        self.parted = how
        return Parted(how)

    def both(self) -> Iterator[tuple[Met, Met]]:
        """The meetings of the recording, each with the one that was played."""
        return zip(self._tape, self.met, strict=False)


def named(meeting: NoiseWitness) -> str:
    """Who releases, in words."""
    by = meeting.by if isinstance(meeting.by, str) else repr(meeting.by)
    return by if len(by) <= 200 else f"{by[:200]}…"


def caller() -> str:
    """The nearest line of the program that is neither a mechanism nor this recorder."""
    frame = sys._getframe(1)  # noqa: SLF001 - the stack is what is asked for
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    file = frame.f_code.co_filename.replace("\\", "/").split("/src/")[-1]
    return f"{file}:{frame.f_lineno}"


def _is_ours(module: str) -> bool:
    return module.startswith(("shoal.mechanisms", "shoal.auditing.replay"))


def _alike(one: NoiseWitness, two: NoiseWitness) -> bool:
    """Whether two meetings are of the same noise; laws given by a real number are told apart by who
    releases.
    """
    return bool(
        type(one.by) is type(two.by)
        and one.by == two.by
        and type(one.claim) is type(two.claim)
        and [each for each in one.law if not callable(each)]
        == [each for each in two.law if not callable(each)]
    )


def _stream(seed: int | str, part: int | str) -> Keystream:
    key = hashlib.sha256(f"shoal replay {seed} {part}".encode()).digest()
    return Keystream(key, private=False)
