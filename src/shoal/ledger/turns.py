"""Taking turns: what several threads ask for at once is decided in one transaction and made durable in one commit.

Whoever finds nobody at work does the work, for itself and for all who came meanwhile; the others sleep until their
result is there.  Threads whose turns were done together tend to come back together: after a batch of eight the first to
come back waits for the other seven, no longer than about the time the batch took, and the last of them works for all.
A thread alone waits for nobody and pays for no hand-over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Any, Generic, TypeVar

_Result = TypeVar("_Result")

_WAITS = (0.0003, 0.005)
"""The fewest and the most seconds that the first waits for company, however long the last batch took."""


class Turn(Generic[_Result]):
    """One thing to be done, and later its result or the error it ended in."""

    __slots__ = ("act", "error", "leads", "result", "wake")

    def __init__(self, act: Callable[[Any], _Result]) -> None:
        self.act = act
        self.result: _Result | None = None
        self.error: BaseException | None = None
        self.leads = False
        self.wake = Lock()


class Turns:
    """A line of turns in front of one worker, who is always one of those in the line.

    Whenever someone is in the line, someone is at work, or the first in the line wakes by itself: nobody waits for ever.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Turn[Any]]], None],
        *,
        waits: tuple[float, float] = _WAITS,
    ) -> None:
        self._work = work
        self._lock = Lock()
        self._line: list[Turn[Any]] = []
        self._busy = False
        self._expected = 0
        self._waits = waits
        self._wait = waits[0]

    def take(self, act: Callable[[Any], _Result]) -> _Result:
        """Have something done, durably; returns or raises only then."""
        turn, is_first = Turn(act), False
        try:
            with self._lock:
                self._line.append(turn)
                if not self._busy and len(self._line) >= self._expected:
                    self._busy = turn.leads = True
                else:
                    turn.wake.acquire()
                    is_first = not self._busy and len(self._line) == 1
            if not turn.leads:
                self._sleep(turn, is_first=is_first)
            if turn.leads:
                self._lead()
        except BaseException:
            self._leave(turn)
            raise
        if turn.error is not None:
            raise turn.error
        return turn.result  # type: ignore[return-value]  # set when there is no error

    def _sleep(self, turn: Turn[Any], *, is_first: bool) -> None:
        """Wait for the result or the lead."""
        if is_first:
            if turn.wake.acquire(timeout=self._wait):
                return
            with self._lock:
                if not self._busy and turn in self._line:
                    self._busy = turn.leads = True
                    return
        turn.wake.acquire()

    def _leave(self, turn: Turn[Any]) -> None:
        """Who is interrupted leaves the line, or leads once more for the others; whose batch was taken is in no line."""
        following = None
        with self._lock:
            waits = turn in self._line
            if waits and not turn.leads:
                self._line.remove(turn)
                following = None if self._busy else self._appoint()
        if following is not None:
            following.wake.release()
        if waits and turn.leads:
            self._lead()

    def _lead(self) -> None:
        """Do everything in the line, and pass the lead to whoever came since."""
        began = monotonic()
        with self._lock:
            batch, self._line = self._line, []
        try:
            self._work(batch)
        finally:
            least, most = self._waits
            with self._lock:
                following = self._appoint()
                self._expected = len(batch) if following is None else 0
                self._wait = min(max(monotonic() - began, least), most)
            for turn in batch:
                if not turn.leads:
                    turn.wake.release()
            if following is not None:
                following.wake.release()

    def _appoint(self) -> Turn[Any] | None:
        """Let the first in the line lead, if there is one."""
        following = self._line[0] if self._line else None
        self._busy = following is not None
        if following is not None:
            following.leads = True
        return following
