"""The part of a ledger that reads its journal: facts, charges and what became of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from shoal.ledger.entry import Entry
from shoal.ledger.schema import CHARGES, ENTRIES, UNLISTED
from shoal.ledger.store import entry_from

_PAGE = 1000


class JournalReader(ABC):
    """What a `Ledger` has for those who look entries up."""

    _counted: tuple[int, int]
    """An entry, and how many charges there are up to it."""

    @abstractmethod
    def _reading(self) -> Any:
        """A connection to read with, as `Ledger` has it."""

    def facts(self, *kinds: str, since: int = 0) -> list[Entry]:
        """Every fact of some kinds after an entry, in order; what was written is in their
        ``fact``.
        """
        some = (ENTRIES.c.kind.in_(kinds), UNLISTED, ENTRIES.c.number > since)
        chosen = _entries().where(*some).order_by(ENTRIES.c.number)
        with self._reading() as connection:
            return [entry_from(row) for row in connection.execute(chosen)]

    def filed(self, under: str, key: str) -> list[Entry]:
        """Every fact filed under a heading and a key, in order."""
        return self.keyed(f"fact {under}", key)

    def keyed(self, caller: str, key: str | None = None, *, holding: str = "") -> list[Entry]:
        """Every entry that a caller has under a key, or any, in order: charges, and answers given
        again; ``holding`` is a part of their texts.
        """
        under = ENTRIES.c.key.is_not(None) if key is None else ENTRIES.c.key == key
        said = ENTRIES.c.text.contains(holding, autoescape=True)
        here = (ENTRIES.c.caller == caller, under, said)
        with self._reading() as connection:
            rows = connection.execute(_entries().where(*here).order_by(ENTRIES.c.number))
            return [entry_from(row) for row in rows]

    def entry(self, number: int) -> Entry | None:
        """One entry by its number."""
        chosen = _entries().where(ENTRIES.c.number == number)
        with self._reading() as connection:
            row = connection.execute(chosen).one_or_none()
        return None if row is None else entry_from(row)

    def outcome(self, number: int) -> Entry | None:
        """The last entry about a charge: its answer, its failure, or how it was left; None while
        pending.
        """
        chosen = _entries().where(ENTRIES.c.of == number).order_by(ENTRIES.c.number.desc())
        with self._reading() as connection:
            row = connection.execute(chosen.limit(1)).one_or_none()
        return None if row is None else entry_from(row)

    def charged(self, same: str) -> list[Entry]:
        """Every charge for an equal question, by its digest."""
        chosen = _entries().where(ENTRIES.c.same == same, CHARGES)
        with self._reading() as connection:
            return [entry_from(row) for row in connection.execute(chosen)]

    def charges_until(self, number: int) -> int:
        """How many charges there are up to an entry, it included: the rank of a charge among
        them, which never changes.
        """
        # What was counted last is kept: who charges often counts only what is new.
        known, count = self._counted
        if number < known:
            known, count = 0, 0
        some = (CHARGES, ENTRIES.c.number > known, ENTRIES.c.number <= number)
        counted = sa.select(sa.func.count()).select_from(ENTRIES).where(*some)
        with self._reading() as connection:
            count += int(connection.execute(counted).scalar_one())
        self._counted = (number, count)
        return count

    def nth_charge(self, rank: int) -> Entry | None:
        """The charge of a rank, from 1; None if there are fewer."""
        if rank < 1:
            return None
        chosen = sa.select(ENTRIES.c.number).where(CHARGES).order_by(ENTRIES.c.number)
        with self._reading() as connection:
            number = connection.execute(chosen.limit(1).offset(rank - 1)).scalar_one_or_none()
        return None if number is None else self.entry(number)

    def entries(self, *, since: int = 0, limit: int | None = None) -> Iterator[Entry]:
        """The entries after number ``since``, in order, at most ``limit``."""
        left = limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            chosen = _entries().where(ENTRIES.c.number > since).order_by(ENTRIES.c.number)
            with self._reading() as connection:
                rows = connection.execute(chosen.limit(size)).all()
            for row in rows:
                yield entry_from(row)
            if len(rows) < size:
                return
            since = rows[-1].number
            left = None if left is None else left - len(rows)


def _entries() -> sa.Select[Any]:
    return sa.select(ENTRIES)
