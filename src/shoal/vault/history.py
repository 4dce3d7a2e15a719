"""What happened in a vault: its log, single releases, and whether its journal is sound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shoal.errors import VaultError
from shoal.ledger import Head, Ledger, Verification
from shoal.vault.certificate_check import wrong_in_vault
from shoal.vault.releases import Release, last_releases, release_at
from shoal.vault.sources.fingerprint import Progress


class VaultHistory:
    """The part of a vault that looks back; a `Vault` is one of these."""

    _ledger: Ledger
    _analyst: str | None

    def log(self, limit: int | None = 50) -> list[Release]:
        """The last releases, oldest first; all of them with None.  An analyst sees their own."""
        return last_releases(self._ledger, limit, self._analyst)

    def show(self, number: int) -> Release:
        """One release, with its stored answer and certificate."""
        found = release_at(self._ledger, number)
        if self._analyst not in (None, found.asked_by):
            raise VaultError(
                f"release {number} is not one of {self._analyst!r}.", remedy="See vault.log()."
            )
        return found

    def release_number(self, certificate: Mapping[str, Any]) -> int:
        """The number of the release that a certificate of this vault is of; earlier certificates
        name only its place in the journal.
        """
        found: int = certificate.get("release") or self._ledger.charges_until(
            certificate["ledger"]["entry"]
        )
        return found

    @property
    def position(self) -> int:
        """How many entries the journal has; what is released later stands at a higher number."""
        return self._ledger.head.number

    def verify(
        self, *, known: Iterable[str | Head] = (), progress: Progress | None = None
    ) -> Verification:
        """Read the whole journal again and say what is wrong; what is found stops all asking until
        `accept`.

        ``known`` are heads that were noted elsewhere, as ``verdict.head`` prints them: the journal
        must still have those entries.
        """
        heads = [Head.read(str(each)) for each in known]
        return self._ledger.verify(known=heads, progress=progress)

    def wrong_with(self, certificate: Mapping[str, Any]) -> list[str]:
        """What is wrong with a certificate, by itself and beside this vault; nothing if it is one
        of its own.
        """
        return wrong_in_vault(certificate, self._ledger)
