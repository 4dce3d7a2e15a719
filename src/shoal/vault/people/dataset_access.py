"""What owners of an office may do with datasets: read declarations, register files, declare new
versions, and see what a declaration cuts off.

All of it but reading the declaration is the work of a curator, who has the rows.  So the operator of
the server must name a folder first, and it concerns the files below that folder and no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.engines.csv_file import READING, CsvFile
from shoal.errors import SourceError, VaultError
from shoal.measures import Measure
from shoal.vault.dataset import Dataset
from shoal.vault.declaration import Declaration, from_text, to_toml
from shoal.vault.declaration_check import DeclarationCheck
from shoal.vault.declaration_review import DeclarationReview
from shoal.vault.people.owner_access import OwnerAccess
from shoal.vault.people.rights import Right
from shoal.vault.proposal import proposal, settled, undeclared
from shoal.vault.registry import Writing, check_name
from shoal.vault.sources.data_folder import DataFolder
from shoal.vault.sources.lineage import NEW_PEOPLE

_CALLED = "the declaration"


@dataclass(frozen=True)
class StoredDeclaration:
    """A declaration as it counts now; ``entry`` is its place in the journal."""

    name: str
    text: str
    entry: int
    is_editable: bool


@dataclass(frozen=True)
class DatasetAccess:
    """The datasets of a vault for one owner; ``folder`` holds the files that may be read for them,
    None for no files at all.

    The owner of one dataset changes what is stated of it.  Where its rows lie, and new datasets,
    take an owner of the whole vault: another file may hold people who are not the owner's.
    """

    access: OwnerAccess
    folder: DataFolder | None

    def declaration(self, name: str) -> StoredDeclaration:
        """The declaration of a dataset; a path outside the folder is not told."""
        dataset = self._managed(name)
        whole = self.access.vault.stated_budget(dataset)
        if self.folder is not None and self.folder.holds(dataset.location):
            text = to_toml(dataset, whole, beside=self.folder.root)
            return StoredDeclaration(name, text, dataset.entry, is_editable=True)
        text = to_toml(dataset, whole, place={"path": dataset.location.label})
        return StoredDeclaration(name, text, dataset.entry, is_editable=False)

    def files(self) -> list[str]:
        """The files that may be registered."""
        self.access.needs_everywhere(Right.MANAGE)
        return self._folder.files()

    def proposed(self, path: str, name: str | None = None) -> str:
        """A declaration of a file to fill in; the types of a CSV file are those that fit its
        cells.
        """
        self.access.needs_everywhere(Right.MANAGE)
        place = self._folder.found(path)
        called = name or re.sub(r"\W+", "_", place.name.split(".")[0]).strip("_").lower() or "data"
        check_name(called)
        made = undeclared(place, called)
        return settled(proposal(made, None, self._folder.root / f"{made.name}.toml"))

    def review_new(self, text: str, *, relation: str | None = None) -> DeclarationReview:
        """What registering a dataset would write; nothing is written."""
        self.access.needs_everywhere(Right.MANAGE)
        said = self._read(text)
        return self.access.vault.review_new(said, relation=relation, beside=self._folder.root)

    def register(
        self, text: str, *, relation: str | None = None, content: str | None = None
    ) -> Dataset:
        """Register a dataset; with ``content``, that of a review, if its rows are still those."""
        self.access.needs_everywhere(Right.MANAGE)
        writing = Writing(by=self.access.member.name, content=content)
        made = self.access.vault.register(self._read(text), relation=relation, writing=writing)
        return made.as_told

    def review(
        self,
        name: str,
        text: str,
        *,
        relation: str | None = None,
        budget: Measure | None = None,
        follows: int | None = None,
    ) -> DeclarationReview:
        """What another declaration of a dataset would change; nothing is written."""
        said, root = self._changed(name, text, relation), self._folder.root
        return self.access.vault.review_change(
            said,
            relation=relation,
            budget=budget,
            beside=root,
            follows=follows,
            sees=self._sees,
        )

    def change(
        self,
        name: str,
        text: str,
        *,
        follows: int,
        relation: str | None = None,
        budget: Measure | None = None,
        content: str | None = None,
    ) -> Dataset:
        """Declare a dataset anew, if its declaration is still the one of the entry ``follows``, and
        its rows are still those that were reviewed, whose ``content`` the review says.
        """
        by = self.access.member.name
        writing = Writing(by=by, follows=follows, content=content, sees=self._sees)
        made = self.access.vault.redeclare(
            self._changed(name, text, relation), relation=relation, budget=budget, writing=writing
        )
        return made.as_told

    def check(self, name: str) -> DeclarationCheck:
        """What the declaration cuts off: exact numbers, for the owner alone; nothing is written."""
        self._editable(name)
        return self.access.vault.check(name)

    @property
    def _sees(self) -> Callable[[str], bool] | None:
        """The datasets that the person manages; None for all."""
        member = self.access.member
        if member.may_everywhere(Right.MANAGE):
            return None
        return lambda name: member.may(Right.MANAGE, name)

    @property
    def _folder(self) -> DataFolder:
        if self.folder is None:
            raise SourceError(
                "this office reads no files for its owners.",
                remedy="Start it with shoal serve --data FOLDER, or use shoal add and shoal update at the vault.",
            )
        return self.folder

    def _managed(self, name: str) -> Dataset:
        """A dataset that the person may see and manages, as its curator knows it."""
        self.access.dataset(name)
        self.access.needs(Right.MANAGE, name)
        return self.access.vault.dataset(name)

    def _editable(self, name: str) -> Dataset:
        dataset = self._managed(name)
        if not self._folder.holds(dataset.location):
            raise SourceError(
                f"the rows of {name!r} are not below the data folder of this office.",
                remedy="Use shoal update and shoal check at the vault itself.",
            )
        return dataset

    def _changed(self, name: str, text: str, relation: str | None) -> Declaration:
        dataset, said = self._editable(name), self._read(text)
        if said.name != name:
            raise VaultError(
                f"the declaration is of {said.name[:60]!r}, and not of {name!r}.",
                remedy=f'Write name = "{name}"; a dataset keeps its name.',
            )
        path = said.source.path if isinstance(said.source, CsvFile) else said.source
        if (path, said.table) != (dataset.location.path, dataset.location.table):
            self.access.needs_everywhere(Right.MANAGE)
        if relation == NEW_PEOPLE:  # they get a new budget, whatever the others have spent
            self.access.needs_all_who_share(name, dataset.accounts)
        return said

    def _read(self, text: str) -> Declaration:
        """A declaration whose file is below the folder, with the path that was checked."""
        folder = self._folder
        said = from_text(text, folder.root / _CALLED, homes=False)
        if isinstance(said.source, Path):
            return replace(said, source=folder.found(said.source))
        if isinstance(said.source, CsvFile):
            file, place = said.source, folder.found(said.source.path)
            reading = {each: getattr(file, each) for each in READING}
            return replace(said, source=CsvFile(place, file.types, **reading))
        raise SourceError(
            "an office registers files of its data folder, and nothing that Spark reads.",
            remedy="Use shoal add at the vault itself.",
        )
