"""One durable transaction for all that several threads ask of a ledger at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import ShoalError, StorageError
from shoal.ledger import fault_points
from shoal.ledger.group_commit import CommitTurn
from shoal.ledger.store import Store
from shoal.ledger.transaction import Transaction

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
            fault_points.done("begun")
            transaction.open()
            for turn in batch:
                _decide(turn, transaction)
            fault_points.done("decided")
            changed = transaction.close()
            fault_points.done("written")
            store.commit()
            fault_points.done("committed")
            if changed or transaction.lags:
                transaction.mark()
            fault_points.done("marked")
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
