"""What happened in a vault: its log, single releases, reports, and whether its journal is sound."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from shoal.errors import VaultError
from shoal.ledger import Head, Ledger, Verification
from shoal.page import Page
from shoal.vault.account_report import AccountFacts, account_page, account_record
from shoal.vault.accounts.budgets import Standing
from shoal.vault.accounts.payer import CURATOR
from shoal.vault.accounts.spending import spending_of
from shoal.vault.board_report import report_page
from shoal.vault.certificate_check import wrong_in_vault
from shoal.vault.dataset import Dataset
from shoal.vault.releases import Release, last_releases, release_at, release_with_key
from shoal.vault.report_pictures import answer_pictures, spending_pictures
from shoal.vault.sources.fingerprint import Progress


class VaultHistory(ABC):
    """The part of a vault that looks back; a `Vault` is one of these."""

    _ledger: Ledger
    _analyst: str | None

    @abstractmethod
    def dataset(self, name: str) -> Dataset:
        """One dataset, as `Vault` has it."""

    @abstractmethod
    def budget(self, name: str) -> Standing:
        """What may be spent on it, as `Vault` has it."""

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

    def with_key(self, key: str) -> Release | None:
        """The release that a key of one's own stands for; None if there is none."""
        return release_with_key(self._ledger, self._analyst or CURATOR, key)

    def was_given(self, release: Release, name: str) -> bool:
        """Whether somebody asked the question of a release again, and was given its answer."""
        charge = release.entry.number
        found = self._ledger.keyed(name, holding=f'"charge":{charge},')
        return any(each.kind == "repeated" and each.body["charge"] == charge for each in found)

    def release_number(self, certificate: Mapping[str, Any]) -> int:
        """The number of the release that a certificate of this vault is of; earlier certificates
        name only its place in the journal.
        """
        found: int = certificate.get("release") or self._ledger.charges_until(
            certificate["ledger"]["entry"]
        )
        return found

    def charged_to(self, certificate: Mapping[str, Any]) -> tuple[str, str]:
        """Whose request the release of a certificate was charged to, and under which key."""
        entry = self._ledger.entry(certificate["ledger"]["entry"])
        if entry is None:
            raise VaultError(
                "this certificate is not one of this vault.", remedy="See vault.log()."
            )
        return entry.body["caller"], entry.body["key"] or ""

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

    # reports

    def report(
        self,
        *numbers: int,
        title: str | None = None,
        headings: Sequence[str] = (),
        notes: Sequence[str] = (),
        pictures: bool = True,
    ) -> Page:
        """A page for publication: ``page.html()`` or ``page.markdown()``.

        ``headings`` and ``notes`` are your words for each release, in the order of the numbers.
        Pictures are drawn by the extra `plots`; ``pictures=False`` leaves them out.
        """
        found = [self.show(number) for number in numbers]
        drawn = answer_pictures(found) if pictures else {}
        return report_page(found, title=title, headings=headings, notes=notes, pictures=drawn)

    def account_report(self, name: str, *, title: str | None = None, pictures: bool = True) -> Page:
        """A page on the whole account of a dataset: who spent what and when, what it means for a
        person, a checklist by NIST SP 800-226, and the fields of the Deployments Registry.

        The journal is verified for it.
        """
        facts = self._account_facts(name)
        drawn = spending_pictures(facts.spending) if pictures else {}
        return account_page(facts, title=title, pictures=drawn)

    def registry(self, name: str) -> dict[str, Any]:
        """The account of a dataset as a record of the Deployments Registry; what only the curator
        knows is empty.
        """
        found = account_record(self._account_facts(name))
        if found is None:
            raise VaultError(
                f"nothing was released about {name!r} yet, so there is nothing to register.",
                remedy="Ask a question first, and try again.",
            )
        return found

    def _account_facts(self, name: str) -> AccountFacts:
        if self._analyst is not None:
            raise VaultError(
                "the account of a dataset tells what others asked; it is for the curator.",
                remedy="Open the vault without as_.",
            )
        dataset, standing = self.dataset(name), self.budget(name)
        paying = {each.name for each in standing.accounts}
        releases = [each for each in self.log(None) if paying & set(each.accounts)]
        return AccountFacts(
            dataset,
            standing,
            releases,
            [spending_of(each, releases) for each in standing.accounts],
            self.verify(),
            datetime.now(UTC).isoformat(),
            self._ledger.place,
        )
