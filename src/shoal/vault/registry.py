"""The datasets of a vault, as facts in its journal: every version that was ever declared, and which one counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from shoal.errors import VaultError
from shoal.ledger import Ledger
from shoal.measures import Measure
from shoal.plan import Unit
from shoal.vault.dataset import Dataset, Stated
from shoal.vault.declaring import Said, private_columns, public_columns
from shoal.vault.fingerprint import Fingerprint, Progress, fingerprint_of
from shoal.vault.lineage import (
    NEW_PEOPLE,
    SAME_ROWS,
    accounts_after,
    check_known,
    read_relation,
    with_content,
)
from shoal.vault.location import Location, location_of
from shoal.vault.wording import budget_to

_KIND = "dataset"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")


class _Seen:
    """How far the journal was read, and the declarations in it so far."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.datasets: list[Dataset] = []
        self.lock = Lock()


@dataclass(frozen=True)
class Registry:
    """Datasets over a ledger."""

    ledger: Ledger
    secret: bytes
    progress: Progress | None = None

    _seen: _Seen = field(default_factory=_Seen, repr=False, compare=False)

    @property
    def history(self) -> list[Dataset]:
        """Every declaration there was, in order; what was read once is not read again."""
        seen, head = self._seen, self.ledger.head.number
        with seen.lock:
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
            seen.number = head
            return list(seen.datasets)

    @property
    def current(self) -> dict[str, Dataset]:
        """The last declaration of each dataset."""
        return {each.name: each for each in self.history}

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
        shares: str | None,
    ) -> Dataset:
        """Declare a dataset for the first time."""
        history = self.history
        self._check_new(name, history)
        location = location_of(source, table)
        columns = self._columns(name, location, said, protects)
        found = fingerprint_of(location, self.secret, self.progress)
        known = with_content(found.digest, history) or (self.one(shares) if shares else None)
        if known is not None:
            check_known(known, protects)
        if protects is None:
            accounts: tuple[str, ...] = ()
            declared = "public"
        elif known is not None:
            accounts = known.accounts
            declared = f"same people as {known.name}"
        else:
            accounts, declared = (name,), "first"
            self._open_account(name, budget, protects)
        return self._record(
            Dataset(name, 1, location, protects, columns, accounts, "", declared=declared), found
        )

    def update(
        self,
        name: str,
        *,
        relation: str | None,
        path: object,
        said: Said,
        budget: Measure | None,
        protects: Unit | None,
    ) -> Dataset:
        """Declare a dataset anew: other content, another place, other facts."""
        before, history = self.one(name), self.history
        location = before.location if path is None else location_of(path, before.location.table)
        found = fingerprint_of(location, self.secret, self.progress)
        merged = Said(
            {**{c.name: c.fact for c in before.columns if c.fact is not None}, **said.facts},
            tuple(dict.fromkeys([*(c.name for c in before.columns if c.required), *said.required])),
            {
                **{c.name: c.rows for c in before.columns if c.rows is not None and c.span is None},
                **said.keys,
            },
        )
        columns = self._columns(name, location, merged, protects)
        if found.digest == before.digest:
            relation, version = SAME_ROWS, before.version
        else:
            relation = read_relation(
                "same people" if before.public and relation is None else relation
            )
            version = before.version if relation == SAME_ROWS else before.version + 1
        accounts = accounts_after(name, relation, history, version)
        known = with_content(found.digest, history)
        if known is not None and found.digest != before.digest:
            check_known(known, before.protects)
            accounts, relation = known.accounts, f"content of {known.name} version {known.version}"
        elif relation == NEW_PEOPLE and before.protects is not None:
            self._open_account(accounts[0], budget, before.protects)
        made = replace(
            before, protects=protects, version=version, location=location, columns=columns,
            accounts=() if before.public else accounts, declared=relation,
        )  # fmt: skip
        return self._record(made, found)

    def _columns(
        self, name: str, location: Location, said: Said, protects: Unit | None
    ) -> tuple[Stated, ...]:
        if protects is None:
            return public_columns(name, location)
        return private_columns(name, location, said, protects)[0]

    def _record(self, made: Dataset, found: Fingerprint) -> Dataset:
        whole = replace(made, digest=found.digest, dates=found.dates, size=found.size)
        entry = self.ledger.record(_KIND, whole.to_dict())
        return replace(whole, entry=entry.number)

    def _open_account(self, name: str, budget: Measure | None, protects: Unit) -> None:
        if budget is None:
            raise VaultError(
                "new people need a budget.",
                remedy="Give budget=shoal.Approx(3, '1e-7'), or shoal.Pure(1).",
            )
        budget_to(budget)
        left_over = {each.name: each for each in self.ledger.accounts()}.get(name)
        if left_over is not None and left_over.budget != budget:  # a declaration that was cut short
            self.ledger.change_budget(name, budget)
        else:
            self.ledger.open_account(name, budget, relation=str(protects.relation))

    def _check_new(self, name: str, history: Sequence[Dataset]) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise VaultError(
                f"{str(name)[:60]!r} cannot be the name of a dataset.",
                remedy="Give a word of letters, digits and _, such as visits.",
            )
        if name.lower() in {each.name.lower() for each in history}:
            raise VaultError(
                f"there is a dataset {name!r} already.",
                remedy="Choose another name, or declare new data with update.",
            )
