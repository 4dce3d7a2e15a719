"""Published releases: the answers that anybody may see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import SchemaError, VaultError
from shoal.ledger import Ledger
from shoal.vault.people.office_facts import GALLERY, OfficeFacts
from shoal.vault.releases import Release, release_at

if TYPE_CHECKING:
    from shoal.vault.vault import Vault

_LONGEST_TITLE = 200


@dataclass(frozen=True)
class Gallery:
    """Releases that were published, by number, with their titles; made by ``vault.gallery``.

    Publishing costs nothing: an answer that was released is private already, whoever reads it.
    """

    vault: Vault
    ledger: Ledger
    facts: OfficeFacts
    by: str

    def __iter__(self) -> Iterator[int]:
        return iter(self.facts.state.gallery)

    def __len__(self) -> int:
        return len(self.facts.state.gallery)

    def title(self, number: int) -> str:
        """The title of a published release."""
        return self.facts.state.gallery[self._known(number)]

    def __getitem__(self, number: int) -> Release:
        return release_at(self.ledger, self._known(number))

    def add(self, number: int, *, title: str = "") -> Release:
        """Publish a release that was answered."""
        found = release_at(self.ledger, number)
        if found.answer is None:
            raise VaultError(
                f"release {number} is {found.state}; there is no answer to publish.",
                remedy="Choose an answered release: shoal log.",
            )
        if not isinstance(title, str) or len(title) > _LONGEST_TITLE:
            raise SchemaError(
                f"a title has at most {_LONGEST_TITLE} characters.", remedy="Give a shorter one."
            )
        self._record("add", number, title)
        return found

    def remove(self, number: int) -> None:
        """Publish a release no longer; whoever has seen it has seen it."""
        self._record("remove", self._known(number), "")

    def _known(self, number: int) -> int:
        if number not in self.facts.state.gallery:
            raise VaultError(
                f"release {number} is not published.", remedy="See which are: shoal gallery."
            )
        return number

    def _record(self, act: str, number: int, title: str) -> None:
        said = {"act": act, "release": number, "title": title, "by": self.by}
        self.ledger.record(GALLERY, said)
