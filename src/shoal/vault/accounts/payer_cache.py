"""Payers of questions, kept for the next question: one for each asker, over engines that all share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from shoal.ledger import Ledger
from shoal.vault.accounts.payer import AccountPayer
from shoal.vault.dataset import Dataset
from shoal.vault.sources.checked_engine import CheckedEngine

MOST_ENGINES = 8
"""How many sets of datasets are kept open."""

_Datasets = tuple[tuple[str, int], ...]
"""Datasets by name, each with the entry of its declaration."""
_Asker = tuple[str | None, int | None]
"""An analyst, and the approved request that pays for them, if any."""


class PayerCache:
    """Engines by the datasets that they read, and payers by asker over each; threads share it."""

    def __init__(self) -> None:
        self._kept: dict[_Datasets, tuple[CheckedEngine, dict[_Asker, AccountPayer]]] = {}
        self._lock = Lock()

    def payer(
        self,
        ledger: Ledger,
        datasets: Sequence[Dataset],
        asker: _Asker,
        engine: Callable[[], CheckedEngine],
    ) -> AccountPayer:
        """The payer of an asker for some datasets; ``engine`` makes the engine if there is none."""
        key = tuple((each.name, each.entry) for each in datasets)
        with self._lock:
            held = self._kept.pop(key, None) or (engine(), {})
            self._kept[key] = held  # the last used stands last
            while len(self._kept) > MOST_ENGINES:
                del self._kept[next(iter(self._kept))]  # its engine ends when nobody uses it
            if asker not in held[1]:
                held[1][asker] = AccountPayer(ledger, datasets, held[0], *asker)
            return held[1][asker]

    def close(self) -> None:
        """Let go of every engine."""
        with self._lock:
            while self._kept:
                self._kept.popitem()[1][0].close()
