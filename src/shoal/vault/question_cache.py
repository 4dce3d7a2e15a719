"""What a vault keeps for the next question: the plan of a text, with what was worked out about it, for
the one who asked it; and payers, one for each asker, over engines that all share.

Nobody meets what another worked out: how quickly a preview comes would tell that somebody asked the
same before.  A text that reads public rows is read again each time, since these may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from shoal.ledger import Ledger
from shoal.plan import After, Query, Table, Value, tables_of
from shoal.plan.question import looked_up
from shoal.query.worked_out import WorkedOut
from shoal.sql import question
from shoal.sql.public_selects import PublicRows, ReadPublic
from shoal.vault.accounts.payer import AccountPayer
from shoal.vault.dataset import Dataset
from shoal.vault.sources.checked_engine import CheckedEngine

MOST_QUESTIONS = 256
"""How many are kept; the one that was not used for the longest time goes first."""


@dataclass(frozen=True)
class KnownQuestion:
    """A plan, the tables that it was made for, and what was worked out about it."""

    plan: Query
    tables: Mapping[str, Table]
    worked_out: WorkedOut = field(default_factory=WorkedOut, compare=False, repr=False)


class KnownQuestions:
    """Questions by who asked, of which declarations, in which words; threads share it."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, KnownQuestion] = {}
        self._lock = Lock()

    def get(self, key: Hashable) -> KnownQuestion | None:
        """What is known under a key; None if nothing is."""
        with self._lock:
            found = self._kept.pop(key, None)
            if found is not None:
                self._kept[key] = found  # the last used stands last
            return found

    def read(
        self, key: Hashable, text: str, tables: Mapping[str, Table], read_public: ReadPublic
    ) -> KnownQuestion:
        """Make a plan of a text, and keep it if it follows from declarations alone."""
        reads = list[Sequence[str]]()

        def noted(rows: PublicRows, names: Sequence[str], after: After) -> list[tuple[Value, ...]]:
            reads.append(names)
            return read_public(rows, names, after)

        made = KnownQuestion(question(text, tables, read_public=noted), tables)
        named = {*tables_of(made.plan.relation), *looked_up(made.plan)}
        if not reads and all(tables[name].protects is not None for name in named):
            self._keep(key, made)
        return made

    def _keep(self, key: Hashable, made: KnownQuestion) -> None:
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > MOST_QUESTIONS:
                del self._kept[next(iter(self._kept))]


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
