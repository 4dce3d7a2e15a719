"""One durable transaction and one commit for all that several threads ask of a ledger at once.

Whoever finds nobody at work does the work, for itself and for all who came meanwhile; the others
sleep until their result is there.  Threads whose turns were done together tend to come back
together: after a batch of eight the first to come back waits for the other seven, no longer than
about the time the batch took, and the last of them works for all.  A thread alone waits for nobody
and pays for no hand-over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, Generic, TypeVar

from shoal.errors import ShoalError, StorageError
from shoal.ledger.store import Store
from shoal.ledger.transaction import Transaction

_Result = TypeVar("_Result")

_WAITS = (0.0003, 0.005)
"""The fewest and the most seconds that the first waits for company, however long the last batch
took.
"""


class CommitTurn(Generic[_Result]):
    """One thing to be done, and later its result or the error it ended in.

    The one who leads has the batch it took, whether that was worked off, and who leads after it.
    """

    __slots__ = ("act", "batch", "error", "following", "leads", "result", "wake", "worked")

    def __init__(self, act: Callable[[Any], _Result]) -> None:
        self.act = act
        self.result: _Result | None = None
        self.error: BaseException | None = None
        self.wake = Lock()
        self.wake.acquire()
        self.leads = self.worked = False
        self.batch: list[CommitTurn[Any]] = []
        self.following: CommitTurn[Any] | None = None


class GroupCommit:
    """A line of turns in front of one worker, who is always one of those in the line.

    Whenever someone is in the line, someone leads, or the first in the line wakes by itself: nobody
    waits for ever.  Who is interrupted, wherever that is, leaves the line or passes the lead on;
    only a second interrupt while it does so can be in the way.
    """

    def __init__(
        self,
        work: Callable[[Sequence[CommitTurn[Any]]], None],
        *,
        waits: tuple[float, float] = _WAITS,
    ) -> None:
        self._work = work
        self._lock = Lock()
        self._line: list[CommitTurn[Any]] = []
        self._leader: CommitTurn[Any] | None = None
        self._expected = 0
        self._waits = waits
        self._wait = waits[0]

    def take(self, act: Callable[[Any], _Result]) -> _Result:
        """Have something done, durably; returns or raises only then."""
        turn, is_first = CommitTurn(act), False
        try:
            with self._lock:
                self._line.append(turn)
                if self._leader is None and len(self._line) >= self._expected:
                    self._appoint(turn)
                else:
                    is_first = self._leader is None and len(self._line) == 1
            if not turn.leads:
                self._sleep(turn, is_first=is_first)
            if turn.leads:
                self._lead(turn)
        except BaseException:
            self._leave(turn)
            raise
        if turn.error is not None:
            raise turn.error
        return turn.result  # type: ignore[return-value]  # set when there is no error

    def _sleep(self, turn: CommitTurn[Any], *, is_first: bool) -> None:
        """Wait for the result or the lead."""
        if is_first:
            if turn.wake.acquire(timeout=self._wait):
                return
            with self._lock:
                if self._leader is None and turn in self._line:
                    self._appoint(turn)
                    return
        turn.wake.acquire()

    def _lead(self, turn: CommitTurn[Any]) -> None:
        """Do everything in the line, and pass the lead to whoever came since."""
        began = monotonic()
        with self._lock:
            # Taken under the lock and worked off without it, so that others can join the next
            # batch meanwhile.
            turn.batch, self._line = self._line, []
        self._work(turn.batch)
        turn.worked = True
        least, most = self._waits
        # Waiting for company longer than a batch takes cannot pay: one's own commit would be done
        # by then.
        self._wait = min(max(monotonic() - began, least), most)
        self._pass_on(turn)

    def _pass_on(self, turn: CommitTurn[Any]) -> None:
        """Let the first in the line lead, and wake it and everyone of the batch; done again after
        an interrupt, it does what is left.
        """
        with self._lock:
            if self._leader is turn:
                self._line = [each for each in self._line if each is not turn]
                turn.following = self._line[0] if self._line else None
                self._expected = 0 if self._line else len(turn.batch)
                self._appoint(turn.following)
        if not turn.worked:
            for each in turn.batch:
                each.error = each.error or _not_done()
        for each in turn.batch:
            if each is not turn:
                _wake(each)
        if turn.following is not None:
            _wake(turn.following)

    def _leave(self, turn: CommitTurn[Any]) -> None:
        """Who is interrupted leaves the line, or passes the lead on; whoever is in the batch of
        another is in no line.
        """
        following = None
        with self._lock:
            led = turn.batch or self._leader is turn
            if not led and turn in self._line:
                self._line.remove(turn)
                if self._leader is None and self._line:
                    following = self._line[0]
                    self._appoint(following)
        if following is not None:
            _wake(following)
        if led:
            self._pass_on(turn)

    def _appoint(self, turn: CommitTurn[Any] | None) -> None:
        """Let someone lead, or nobody; who leads knows it before it can be woken."""
        if turn is not None:
            turn.leads = True
        self._leader = turn


def _wake(turn: CommitTurn[Any]) -> None:
    """Wake whoever sleeps; who was woken already is not disturbed."""
    if turn.wake.locked():
        turn.wake.release()


def _not_done() -> StorageError:
    """What those are told who were in a batch that was interrupted before its work said how it
    ended.
    """
    return StorageError(
        "the commit of several requests together was interrupted.",
        remedy="Nothing that was not confirmed may be answered. Ask again, with the same key.",
    )


_TRIES = 50


@dataclass(frozen=True)
class BatchCommit:
    """A store, and the transaction in which everything is written to it.

    Guarantee: when `work` has returned, each turn has its result, which is on disk, or an error.
    """

    store: Store
    transaction: Transaction

    def work(self, batch: Sequence[CommitTurn[Any]]) -> None:
        """One transaction for all these turns, done again when someone else wrote in between."""
        try:
            for _ in range(_TRIES):
                if self._commit(batch):
                    return
            raise TimeoutError(0, "others wrote in between too often")  # noqa: TRY301
        except BaseException as error:  # noqa: BLE001 - it is handed to every thread that waits
            self._give_up()
            ours = self.store.translation(error)
            for turn in batch:
                turn.result, turn.error = None, ours if turn.leads else _for_others(ours)

    def _commit(self, batch: Sequence[CommitTurn[Any]]) -> bool:
        store, transaction = self.store, self.transaction
        store.wait()
        try:
            store.begin()
            _done("begun")
            transaction.open()
            for turn in batch:
                _decide(turn, transaction)
            _done("decided")
            changed = transaction.close()
            _done("written")
            store.commit()
            _done("committed")
            if changed or transaction.lags:
                transaction.mark()
            _done("marked")
            if store.sensitive:
                store.sweep()
        except store.driver_errors as error:
            if not store.is_conflict(error):
                raise
            self._give_up()
            return False
        finally:
            store.leave()
        return True

    def _give_up(self) -> None:
        """After an error nothing that is remembered is trusted, and the connection is dropped."""
        self.transaction.forget()
        self.store.let_go()


def _decide(turn: CommitTurn[Any], transaction: Transaction) -> None:
    turn.result = turn.error = None
    try:
        turn.result = turn.act(transaction)
    except ShoalError as refusal:  # an act refuses before it changes anything
        turn.error = refusal


def _for_others(error: BaseException) -> BaseException:
    """What the threads are told whose requests were in the same batch."""
    if isinstance(error, ShoalError):
        return type(error)(error.problem, remedy=error.remedy)
    return StorageError(
        f"the commit of several requests together ended in {type(error).__name__}.",
        remedy="Nothing that was not confirmed may be answered. Ask again, with the same key.",
    )


# the steps of a commit, by name, so that tests can fail or die after each of them

STEPS = ("begun", "decided", "written", "committed", "marked")
"""A transaction is open; every request of the batch is decided; its rows are written; they are
durable; the head says so.
"""

watch_steps: Callable[[str], None] | None = None
"""Called after each step when it is set.  Only tests set it."""


def _done(step: str) -> None:
    """Say that a step is done."""
    if watch_steps is not None:
        watch_steps(step)
