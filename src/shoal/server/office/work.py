"""Releases under way: in threads of their own, with their time padded to public classes.

How long the rows of a release take may tell of them.  So the answer of a release that read rows is
held back until the next of a few public moments after it began: 0.05, 0.1, 0.2 seconds and so on,
each twice the one before.  Refusals, and answers that are given again, read no row and are not held
back by themselves.  But nobody is told an answer before the request that was charged for it: until
then its release is pending on every page, and the same question under another key waits for it.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, TypeVar

from shoal.errors import ChangedError, InFlightError, UnansweredError
from shoal.server.office.request_limits import busy
from shoal.vault import Release

_Result = TypeVar("_Result")

FIRST_CLASS = 0.05
"""The shortest time that a release takes, in seconds."""
PATIENCE = 20.0
"""So long a request waits for its answer; then it is told where to find it."""
MOST_AT_ONCE = 8
"""Releases that are worked on at a time, in this process."""
MOST_EACH = 4
"""Of these, so many of one person."""


def padded(seconds: float) -> float:
    """The public moment at which something that took so long may be seen.

    >>> [padded(each) for each in (0.001, 0.05, 0.051, 0.3, 1)]
    [0.05, 0.05, 0.1, 0.4, 1.6]
    """
    if seconds <= FIRST_CLASS:
        return FIRST_CLASS
    return float(FIRST_CLASS * 2.0 ** math.ceil(math.log2(seconds / FIRST_CLASS) - 1e-12))


@dataclass(eq=False)
class Act:
    """A request that is worked on; ``over`` is set when what it was charged for may be seen."""

    over: asyncio.Event = field(default_factory=asyncio.Event)


class ReleaseWork:
    """The threads that release, and whose requests they work on."""

    def __init__(
        self, *, pad: bool = True, patience: float = PATIENCE, most_each: int = MOST_EACH
    ) -> None:
        self.pad, self.patience, self.most_each = pad, patience, most_each
        self._pool = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="release")
        self._under_way: dict[tuple[str, str], list[Act]] = {}
        self._working: set[Future[Any]] = set()

    def is_under_way(self, person: str, key: str) -> bool:
        """Whether this process works on a request, or still holds its answer back."""
        return (person, key) in self._under_way

    def holds(self, release: Release) -> bool:
        """Whether this process still works on a release, or holds its answer back."""
        charge = release.entry.body
        return self.is_under_way(charge["caller"], charge["key"])

    def told(self, release: Release) -> Release:
        """A release as it may be seen now: pending while its answer is held back."""
        return replace(release, state="pending", outcome=None) if self.holds(release) else release

    async def done(
        self,
        person: str,
        key: str,
        act: Callable[[], _Result],
        *,
        read_rows: Callable[[_Result], bool],
        charged_to: Callable[[_Result], tuple[str, str]],
    ) -> _Result | None:
        """What an act gives, in the time class that is public; None if it takes longer than anybody
        waits.  It goes on then, and its answer is found by its key.  ``charged_to`` is the person
        and the key that an answer was charged to, now or before.
        """
        if (
            sum(len(acts) for (who, _), acts in self._under_way.items() if who == person)
            >= self.most_each
        ):
            raise busy(f"{person!r} has {self.most_each} releases under way.", 1)
        task = asyncio.ensure_future(self._run(person, key, act, read_rows, charged_to))
        try:
            return await asyncio.wait_for(asyncio.shield(task), self.patience)
        except TimeoutError:
            if task.done():  # it is the act that failed so
                raise
            task.add_done_callback(_seen)
            return None

    async def _run(
        self,
        person: str,
        key: str,
        act: Callable[[], _Result],
        read_rows: Callable[[_Result], bool],
        charged_to: Callable[[_Result], tuple[str, str]],
    ) -> _Result:
        began = monotonic()
        with self._counted(person, key) as mine:
            try:
                found = await self._worked(mine, act)
            except (UnansweredError, ChangedError):
                await self._wait(began)
                raise
            if read_rows(found):
                await self._wait(began)
            mine.over.set()  # before it waits for others, so that no two wait for each other
            if self._others(mine):
                await _all_over(self._under_way.get(charged_to(found), []))
            return found

    async def _worked(self, mine: Act, act: Callable[[], _Result]) -> _Result:
        """What an act gives; one that meets the same question under way is tried again after it."""
        try:
            return await self._in_thread(act)
        except InFlightError:
            others = self._others(mine)
            if not others:  # another process answers it
                raise
            mine.over.set()
            await _all_over(others)
            mine.over.clear()
        return await self._in_thread(act)

    async def _in_thread(self, act: Callable[[], _Result]) -> _Result:
        made = self._pool.submit(act)
        self._working.add(made)
        made.add_done_callback(self._working.discard)
        return await asyncio.wrap_future(made)

    def finish(self, is_hurried: Callable[[], bool]) -> bool:
        """Wait for the releases that a thread works on, so that what was charged is answered; those
        that none has begun are dropped, uncharged.  False if somebody cannot wait for it.
        """
        self._pool.shutdown(wait=False, cancel_futures=True)
        while left := list(self._working):
            if is_hurried():
                return False
            wait(left, timeout=0.1)
        return True

    def _others(self, mine: Act) -> list[Act]:
        """What else is under way, and not to be seen yet."""
        acts = (each for some in self._under_way.values() for each in some)
        return [each for each in acts if each is not mine and not each.over.is_set()]

    async def _wait(self, began: float) -> None:
        if self.pad:
            taken = monotonic() - began
            await asyncio.sleep(padded(taken) - taken)

    @contextmanager
    def _counted(self, person: str, key: str) -> Iterator[Act]:
        made = Act()
        self._under_way.setdefault((person, key), []).append(made)
        try:
            yield made
        finally:
            made.over.set()
            self._under_way[person, key].remove(made)
            if not self._under_way[person, key]:
                del self._under_way[person, key]


async def _all_over(acts: list[Act]) -> None:
    for each in list(acts):
        await each.over.wait()


def _seen(task: asyncio.Task[object]) -> None:
    """Nobody waits any more: what became of it is in the journal."""
    if not task.cancelled():
        task.exception()
