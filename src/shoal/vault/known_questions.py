"""Questions that were read once: the plan of a text, with what was worked out about it, for the one
who asked it.

Nobody meets what another worked out: how quickly a preview comes would tell that somebody asked the
same before.  A text that reads public rows is read again each time, since these may have changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from shoal.plan import After, Query, Table, Value, tables_of
from shoal.query.public_lookups import looked_up
from shoal.query.worked_out import WorkedOut
from shoal.sql import question
from shoal.sql.public_selects import PublicRows, ReadPublic

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
