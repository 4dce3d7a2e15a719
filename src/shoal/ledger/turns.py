"""Taking turns: what several threads ask for at once is decided in one transaction and made durable in one commit.

Whoever finds nobody at work does the work, for itself and for all who came meanwhile; the others sleep until their
result is there.  A thread alone pays for no hand-over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Generic, TypeVar

_Result = TypeVar("_Result")


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
    """A line of turns in front of one worker, who is always one of those in the line."""

    def __init__(self, work: Callable[[Sequence[Turn[Any]]], None]) -> None:
        self._work = work
        self._lock = Lock()
        self._line: list[Turn[Any]] = []
        self._busy = False

    def take(self, act: Callable[[Any], _Result]) -> _Result:
        """Have something done, durably; returns or raises only then."""
        turn = Turn(act)
        with self._lock:
            self._line.append(turn)
            if self._busy:
                turn.wake.acquire()
            else:
                self._busy = turn.leads = True
        if not turn.leads:
            self._sleep(turn)
        if turn.leads:
            self._lead()
        if turn.error is not None:
            raise turn.error
        return turn.result  # type: ignore[return-value]  # set when there is no error

    def _sleep(self, turn: Turn[Any]) -> None:
        """Wait for the result or the lead; who is interrupted leaves the line, or leads once more for the others."""
        try:
            turn.wake.acquire()
        except BaseException:
            with self._lock:
                if turn in self._line and not turn.leads:
                    self._line.remove(turn)
            if turn.leads:
                self._lead()
            raise

    def _lead(self) -> None:
        """Do everything in the line, and pass the lead to whoever came since."""
        with self._lock:
            batch, self._line = self._line, []
        try:
            self._work(batch)
        finally:
            with self._lock:
                following = self._line[0] if self._line else None
                self._busy = following is not None
                if following is not None:
                    following.leads = True
            for turn in batch:
                if not turn.leads:
                    turn.wake.release()
            if following is not None:
                following.wake.release()
