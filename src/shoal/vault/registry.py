"""The datasets of a vault, as facts in its journal: every version that was ever declared, and which
one counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock

from shoal.errors import KeyReusedError, ShoalError, SourceError, VaultError
from shoal.ledger import Ledger
from shoal.measures import Measure
from shoal.plan import Unit
from shoal.vault.dataset import Dataset, StatedColumn
from shoal.vault.plain_values import budget_to
from shoal.vault.sources.data_source import DataSource
from shoal.vault.sources.fingerprint import Fingerprint, Progress
from shoal.vault.sources.lineage import (
    NEW_PEOPLE,
    SAME_ROWS,
    Paying,
    accounts_of_place,
    after,
    check_known,
    check_place,
    check_public_place,
    check_read_alike,
    of_content,
    read_relation,
    with_content,
)
from shoal.vault.sources.people_sample import check_people, with_samples
from shoal.vault.sources.source_choice import source_moved, source_of
from shoal.vault.stated_columns import Said, private_columns, public_columns

_KIND = "dataset"
_TRIES = 9
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")

_Opens = dict[str, tuple[Measure, str]]
_Declared = tuple[Dataset, _Opens]
"""A declaration, and the accounts that come with it: their budgets and relations by name."""


@dataclass(frozen=True)
class Writing:
    """How a declaration is written down: by whom, for the journal; only tried, and not written;
    after which entry, and for which content, if it is meant for these alone.

    ``sees`` says which datasets somebody may know of who does not manage all: what concerns others
    is refused, in words that do not depend on them.
    """

    by: str | None = None
    only_tried: bool = False
    follows: int | None = None
    content: str | None = None
    sees: Callable[[str], bool] | None = None

    def check(self, before: Dataset) -> None:
        """Refuse what was written for another declaration than the one that counts."""
        if self.follows not in (None, before.entry):
            raise VaultError(
                f"the declaration of {before.name!r} was changed since you read it.",
                remedy="Read it again, and repeat your change.",
            )

    def check_content(self, made: Dataset) -> None:
        """Refuse other rows than those that were reviewed."""
        if self.content not in (None, made.digest):
            raise VaultError(
                f"the file of {made.name!r} was written since you reviewed it.",
                remedy="Review it again.",
            )


PLAINLY = Writing()


class _ReadSoFar:
    """How far the journal was read, and the declarations in it so far."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.datasets: list[Dataset] = []
        self.current: dict[str, Dataset] = {}
        self.lock = Lock()


@dataclass(frozen=True)
class Registry:
    """Datasets over a ledger."""

    ledger: Ledger
    secret: bytes
    progress: Progress | None = None
    only: frozenset[str] | None = None
    """The datasets that are shown and asked; None for all."""

    _seen: _ReadSoFar = field(default_factory=_ReadSoFar, repr=False, compare=False)

    @property
    def history(self) -> list[Dataset]:
        """Every declaration there was, in order; what was read once is not read again."""
        with self._seen.lock:
            return list(self._read_on().datasets)

    def _read_on(self) -> _ReadSoFar:
        """Read what others declared since; for whoever holds the lock."""
        seen, head = self._seen, self.ledger.head.number
        if seen.number != head:
            if seen.number is None:
                entries = self.ledger.facts(_KIND)
            else:
                news = self.ledger.entries(since=seen.number, limit=max(0, head - seen.number))
                entries = [each for each in news if each.kind == _KIND]
            known = {each.entry for each in seen.datasets}
            seen.datasets += [
                Dataset.from_dict(each.fact, each.number)
                for each in entries
                if each.number not in known
            ]
            seen.current = {each.name: each for each in seen.datasets}
            seen.number = head
        return seen

    @property
    def current(self) -> dict[str, Dataset]:
        """The last declaration of each dataset that is shown."""
        shown = self.only
        with self._seen.lock:
            found = self._read_on().current
        return {name: each for name, each in found.items() if shown is None or name in shown}

    def one(self, name: str) -> Dataset:
        """A dataset by name."""
        known = self.current
        if name not in known:
            raise VaultError(
                f"there is no dataset {str(name)[:60]!r}.",
                remedy=f"The datasets are: {', '.join(known)}."
                if known
                else "Add one: shoal add NAME PATH.",
            )
        return known[name]

    def add(
        self,
        name: str,
        source: object,
        *,
        table: str | None,
        protects: Unit | None,
        said: Said,
        budget: Measure | None,
        shares: Sequence[str] = (),
        relation: str | None = None,
        writing: Writing = PLAINLY,
    ) -> Dataset:
        """Declare a dataset for the first time."""

        def act(history: Sequence[Dataset]) -> _Declared:
            self._check_new(name, history)
            location = source_of(source, table, name=name).looked_at(self.secret)
            columns, found = self._read(name, location, said.of(source), protects)
            paying, declared = self._paying(found, protects, shares, history)
            if protects is None:
                check_public_place(location, history, self.secret)
            elif with_content(found.digest, history) is None:
                is_copy = self._copies(found)
                check_place(location, relation, shares, history, self.secret, is_copy=is_copy)
            opens = {}
            if protects is not None and not paying.accounts:
                paying, declared = Paying.opened(name), relation or "first"
                opens = _opens(name, budget, protects)
            made = Dataset(
                name,
                1,
                location,
                protects,
                columns,
                paying.accounts,
                "",
                declared=declared,
                ids=paying.ids,
            )
            check_read_alike(made, found.digest, history)
            made = self._with(made, found)
            if relation is None:
                check_people(made, history)
            return made, opens

        return self._in_turn(act, writing)

    def _with(self, made: Dataset, found: Fingerprint) -> Dataset:
        """A declaration with what was found of its content; people are sampled when the content is
        new.
        """
        known = with_content(found.digest, self.history)
        same = known is not None and known.protects == made.protects
        whole = _with(made, found)
        if same and known is not None:
            return replace(whole, sample=known.sample, row_sample=known.row_sample)
        return with_samples(whole, self.secret)

    def _copies(self, found: Fingerprint) -> Callable[[Dataset], bool]:
        """Whether a dataset is a table of a file with the same bytes."""
        return lambda each: found.is_of_table(each.location.table, each.digest, self.secret)

    def _paying(
        self,
        found: Fingerprint,
        protects: Unit | None,
        shares: Sequence[str],
        history: Sequence[Dataset],
    ) -> tuple[Paying, str]:
        """The accounts of the same content, and of those who are said to be the same people; none
        if nobody is.
        """
        known = with_content(found.digest, history)
        related = [*([known] if known else []), *map(self.one, shares)]
        for each in related:
            check_known(each, protects)
        if protects is None:
            return Paying.of(()), "public"
        paying = of_content(found.digest, history).joined(Paying.of(related))
        names = dict.fromkeys(each.name for each in related)
        return paying, f"same people as {' and '.join(names)}"

    def update(
        self,
        name: str,
        *,
        relation: str | None,
        path: object,
        table: str | None = None,
        said: Said,
        budget: Measure | None,
        protects: Unit | None,
        is_whole: bool = False,
        writing: Writing = PLAINLY,
    ) -> Dataset:
        """Declare a dataset anew: other content, another place, other facts.

        ``is_whole`` says that what was stated of the columns before, and is not stated now, holds
        no longer.
        """

        def act(history: Sequence[Dataset]) -> _Declared:
            before = self.one(name)
            writing.check(before)
            is_moved = path is not None or table is not None
            moved = source_moved(before.location, path, table, name=name)
            location = moved.looked_at(self.secret)
            merged = (said if is_whole else _merged(before, said, location)).of(path)
            columns, found = self._read(name, location, merged, protects)
            if before.public:
                check_public_place(location, history, self.secret)
            said_so, version = _version_after(before, found, relation, history)
            paying, opens = after(name, said_so, history, version), {}
            if found.digest != before.digest:
                known = with_content(found.digest, history)
                if known is not None:
                    check_known(known, before.protects)
                    alone = known.name == name or said_so == NEW_PEOPLE
                    there = of_content(found.digest, history)
                    paying = there if alone else paying.joined(there)
                    said_so = f"content of {known.name} version {known.version}"
                elif said_so == NEW_PEOPLE and before.protects is not None:
                    opens = _opens(paying.accounts[0], budget, before.protects)
                elif is_moved and before.protects is not None:
                    met = accounts_of_place(name, location, before.protects, history, self.secret)
                    paying = paying.joined(Paying(met, ()))  # nobody said that ids are theirs
            if before.public:
                paying = Paying.of(())
            made = replace(
                before,
                protects=protects,
                version=version,
                location=location,
                columns=columns,
                accounts=paying.accounts,
                ids=paying.ids,
                declared=said_so,
            )
            check_read_alike(made, found.digest, history)
            made = self._with(made, found)
            if found.digest != before.digest and said_so != NEW_PEOPLE:
                check_people(made, history, is_update=True)
            return made, opens

        return self._in_turn(act, writing)

    def _read(
        self, name: str, location: DataSource, said: Said, protects: Unit | None
    ) -> tuple[tuple[StatedColumn, ...], Fingerprint]:
        """The columns and the fingerprint of the same files: both are read through one handle."""
        with location.open() as held:
            before = held.dates() if location.is_local else ()
            columns = self._columns(name, held, said, protects)
            found = held.identity(self.secret, self.progress)
            if location.is_local and not before == held.dates() == location.dates():
                raise SourceError(
                    f"the files at {location} were written or moved while they were read.",
                    remedy="Wait until they are whole, and try again.",
                )
        return columns, found

    def _columns(
        self, name: str, location: DataSource, said: Said, protects: Unit | None
    ) -> tuple[StatedColumn, ...]:
        if protects is None:
            return public_columns(name, location, said)
        return private_columns(name, location, said, protects)[0]

    def _in_turn(self, act: Callable[[Sequence[Dataset]], _Declared], writing: Writing) -> Dataset:
        """Decide from all declarations so far and record it as the next one; decide anew if another
        was faster.

        An account is opened by the same commit as the declaration it is for, so that who was slower
        leaves none behind.
        """
        for _ in range(_TRIES):
            history = self.history
            made, opens = _decided(act, history, writing.sees)
            writing.check_content(made)
            if writing.only_tried:
                return made
            last = history[-1].entry if history else 0
            fact = made.to_dict() if writing.by is None else {**made.to_dict(), "by": writing.by}
            with suppress(KeyReusedError):
                entry = self.ledger.record(_KIND, fact, key=f"after {last}", opens=opens)
                made.location.keep()
                return replace(made, entry=entry.number)
        raise VaultError(
            "others declared datasets at the same time, each time.", remedy="Try again."
        )

    def check_first(self, made: Dataset, budget: Measure | None) -> None:
        """Refuse what could not be added under its name, with its budget, before anything is
        proposed.
        """
        self._check_new(made.name, self.history)
        if made.protects is not None and not made.shares:
            _opens(made.name, budget, made.protects)

    def _check_new(self, name: str, history: Sequence[Dataset]) -> None:
        check_name(name)
        if name.lower() in {each.name.lower() for each in history}:
            raise VaultError(
                f"there is a dataset {name!r} already.",
                remedy="Choose another name, or declare new data with update.",
            )


def check_name(name: object) -> None:
    """Refuse what cannot be the name of a dataset."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise VaultError(
            f"{str(name)[:60]!r} cannot be the name of a dataset.",
            remedy="Give a word of letters, digits and _, such as visits.",
        )


def _decided(
    act: Callable[[Sequence[Dataset]], _Declared],
    history: Sequence[Dataset],
    sees: Callable[[str], bool] | None,
) -> _Declared:
    """What an act decides from all declarations.  Whoever sees only some of them is told what it
    decides from those, and otherwise nothing but that others are concerned.
    """
    if sees is None:
        return act(history)
    told, _ = act([each for each in history if sees(each.name)])
    try:
        made, opens = act(history)
    except ShoalError:
        raise _concerns_others(told) from None
    if any(getattr(made, each) != getattr(told, each) for each in _DECIDED):
        raise _concerns_others(told)
    return made, opens


_DECIDED = ("version", "accounts", "ids", "declared")


def _concerns_others(made: Dataset) -> VaultError:
    return VaultError(
        f"the new rows of {made.name!r} concern another dataset of this vault.",
        remedy="Ask an owner of the whole vault to declare them.",
    )


def _opens(name: str, budget: Measure | None, protects: Unit) -> _Opens:
    """The account that new people need."""
    if budget is None:
        raise VaultError(
            "new people need a budget.",
            remedy="Give budget=shoal.Approx(3, '1e-7'), or shoal.Pure(1).",
        )
    budget_to(budget)
    return {name: (budget, str(protects.relation))}


def _with(made: Dataset, found: Fingerprint) -> Dataset:
    location = made.location.with_key(found.digest)
    return replace(made, location=location, digest=found.digest, dates=found.dates, size=found.size)


def _merged(before: Dataset, said: Said, location: DataSource) -> Said:
    """What was stated of the columns before, and what is stated now."""
    facts = {c.name: c.fact for c in before.columns if c.fact is not None}
    required = (c.name for c in before.columns if c.required)
    keys = {c.name: c.rows for c in before.columns if c.rows is not None and c.span is None}
    return Said(
        {**facts, **said.facts},
        tuple(dict.fromkeys([*required, *said.required])),
        {**keys, **said.keys},
        {**_types(before, location), **said.types},
    )


def _types(before: Dataset, location: DataSource) -> dict[str, str]:
    """The types that were declared of a CSV file, which says none itself."""
    csv = location.form == "csv" or str(location.path).lower().removesuffix(".gz").endswith(".csv")
    return {each.name: str(each.type) for each in before.columns} if csv else {}


def _version_after(
    before: Dataset, found: Fingerprint, relation: str | None, history: Sequence[Dataset]
) -> tuple[str, int]:
    """How new content stands to that before, and its version; answers are kept only where the rows
    can be the same.

    Content that is known, and not as this version, has other rows, whatever is said.
    """
    if found.digest == before.digest:
        return SAME_ROWS, before.version
    said = read_relation("same people" if before.public and relation is None else relation)
    known = {(each.name, each.version) for each in history if each.digest == found.digest}
    kept = said == SAME_ROWS and (not known or (before.name, before.version) in known)
    return said, before.version if kept else before.version + 1
