"""The part of a vault that keeps streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from shoal.errors import VaultError
from shoal.ledger import Ledger
from shoal.vault.accounts.payer import CURATOR
from shoal.vault.daily_counts import DailyCounts
from shoal.vault.kept_stream import STREAM, AskedStream, Stream, StreamPlace


class VaultStreams(ABC):
    """What a `Vault` has for counts that are released day by day."""

    _ledger: Ledger
    _analyst: str | None

    @property
    @abstractmethod
    def _registry(self) -> Any:
        """What is declared, as `Vault` has it."""

    @property
    @abstractmethod
    def _tables(self) -> Any:
        """What can be asked of, as `Vault` has it."""

    @property
    def _stream_place(self) -> StreamPlace:
        def versions(dataset: str) -> list[Any]:
            return [each for each in self._registry.history if each.name == dataset]

        def counts(dataset: str, by: str, share: int | None) -> DailyCounts:
            return DailyCounts(self._tables, dataset, by, share)

        return StreamPlace(self._ledger, self._analyst or CURATOR, versions, counts)

    def daily(self, name: str, dataset: str, by: str) -> AskedStream:
        """A stream of daily counts of a dataset, by a column of days; nothing is read or spent yet.

        The days are those that are declared: ``columns={"day": shoal.Range(first, last)}``.  See
        docs/streams.md.
        """
        return AskedStream(self._stream_place, name, DailyCounts(self._tables, dataset, by))

    def stream(self, name: str) -> Stream:
        """A stream that is open, to go on with."""
        found = self._stream_place.known(name)
        if found is None:
            raise VaultError(
                f"there is no open stream {name[:40]!r}.",
                remedy="Open it: vault.daily(name, dataset, by).open(rho=...). "
                "vault.streams lists those there are.",
            )
        return found

    @property
    def streams(self) -> list[str]:
        """The names of one's open streams."""
        asker = f"{self._analyst or CURATOR}@"
        found = self._ledger.facts(STREAM)
        return [each.fact["name"] for each in found if each.body["key"].startswith(asker)]
