"""Contributions that were computed once, kept in the cluster for the next question.

A table of contributions is computed as a whole when it is made, and never again: it is a local
checkpoint on the executors' disks under a temporary view.  So all that is found of it is found of
the same rows, and no other table is taken for it.  An executor that is lost takes its part with it.
What reads the table then fails, all tables are dropped, and the next is made as a whole.

Lifetime: the four used last are kept; the others, and all at `close`, are dropped and their blocks
are freed.  They end with the session at the latest.  What was found of them, where that is few
lines, is kept by the driver, too.  So each SELECT is asked for few lines first.  If there are more,
it is asked again, of contributions that are there already, and what it finds is held by the
executors while it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any, NamedTuple

from shoal.engines.spark.connection import a_name, is_remote, told
from shoal.engines.spark.running import Progress, running
from shoal.plan import Term

_MOST_KEPT = 4
_FEW = 1 << 16
"""So many lines of one SELECT are few: they are kept on the driver."""

_MOST_LINES = 2 * _FEW
"""So many lines are kept there, of all SELECTs together."""

_LARGE = 1 << 20
"""What has more lines comes to the driver in parts that are made for it."""

_PART = 1 << 17
"""So many lines has such a part, about."""

Line = tuple[Any, ...]

Frame = tuple[str, tuple[str, ...]]
"""The SELECT of some rows, and what its columns are called, in their order."""

Key = tuple[Frame, tuple[Term, ...]]
"""What a table was made of: rows, and the terms that were added up."""


class HeldContributions(NamedTuple):
    """A table that is held: its name, the terms whose sums it has, and the frame that was
    computed.
    """

    name: str
    terms: tuple[Term, ...]
    frame: Any


class Contributions:
    """The tables of contributions of one session."""

    def __init__(self, session: Any, progress: Progress | None = None) -> None:
        self._session = session
        self._progress = progress
        self._tables: dict[Key, HeldContributions] = {}
        self._lines: dict[str, list[Line]] = {}
        self._long: set[str] = set()
        """Tables of which more than few lines are found."""
        self.closed = 0
        """How often every table was dropped: what was found of another count is of tables that are
        gone.
        """
        self._lock = RLock()
        self._users = 0

    def table(self, sql: str) -> str:
        """The name of the table that a SELECT makes."""
        return self._found(((sql, ()), ()), lambda: sql).name

    def cells(
        self, rows: Frame, terms: tuple[Term, ...], make: Callable[[tuple[Term, ...]], str]
    ) -> HeldContributions:
        """Cells of some rows that have the sums of these terms, perhaps of more."""
        with self._lock:
            for key in reversed(self._tables):  # of the one used last most was found already
                if key[0] == rows and set(terms) <= set(key[1]):
                    return self._found(key, str)
            return self._found((rows, terms), lambda: make(terms))

    def _found(self, key: Key, sql: Callable[[], str]) -> HeldContributions:
        with self._lock:
            kept = self._tables.pop(key, None) or self._made(sql(), key[1])
            self._tables[key] = kept
            return kept

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """While a question runs nothing is dropped: it may need more tables than are kept."""
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                while not self._users and len(self._tables) > _MOST_KEPT:
                    self._drop(self._tables.pop(next(iter(self._tables))))

    def _made(self, sql: str, terms: tuple[Term, ...]) -> HeldContributions:
        name = a_name("cells")
        # Not in memory: Spark cannot evict a block while a task reads it, so with two large ones
        # open and a small heap the sums that read them found no room (10^7 keys in 768 MB).  It
        # takes a sixth more processor time to make, and a second more for each 7 million lines read.
        from pyspark import StorageLevel  # noqa: PLC0415 - an extra

        with running(self._session, self._progress):
            frame = told(
                lambda: self._session.sql(sql).localCheckpoint(
                    eager=True, storageLevel=StorageLevel.DISK_ONLY
                )
            )
        told(lambda: frame.createOrReplaceTempView(name))
        return HeldContributions(name, terms, frame)

    def _drop(self, kept: HeldContributions) -> None:
        with self._lock:
            self._lines = {sql: held for sql, held in self._lines.items() if kept.name not in sql}
            self._long.discard(kept.name)
        with suppress(Exception):  # a session that has ended has dropped it
            self._session.catalog.dropTempView(kept.name)
        with suppress(Exception):
            if not is_remote(self._session):  # a server frees what its client forgets
                kept.frame._jdf.queryExecution().analyzed().rdd().unpersist(False)  # noqa: SLF001

    def few(self, sql: str, fetch: Callable[[str], Iterator[Line]]) -> list[Line] | None:
        """The lines of a SELECT made here, if they are few: those that are kept, or found now; None
        if there are more.
        """
        with self._lock:
            found = self._lines.get(sql)
            if found is not None or any(name in sql for name in self._long):
                return found
        found = list(fetch(f"SELECT * FROM ({sql}) LIMIT {_FEW + 1}"))
        if len(found) <= _FEW:
            return found
        with self._lock:
            self._long |= {kept.name for kept in self._tables.values() if kept.name in sql}
        return None

    def has(self, sql: str) -> bool:
        """Whether the lines of a SELECT are kept."""
        return sql in self._lines

    def keep(self, sql: str, lines: list[Line]) -> None:
        """Keep the lines of a SELECT for whoever asks it next; those used longest ago make room."""
        with self._lock:
            self._lines.pop(sql, None)
            self._lines[sql] = lines
            while sum(max(1, len(each)) for each in self._lines.values()) > _MOST_LINES:
                del self._lines[next(iter(self._lines))]

    @contextmanager
    def in_parts(self, sql: str) -> Iterator[str]:
        """A SELECT of the lines of another, which the cluster holds meanwhile: they come in parts
        that a small driver can take.

        Spark brings one part after the other, each as a whole, and would make as few of them as its
        executors like.
        """
        kept = self._made(sql, ())
        try:
            with running(self._session, self._progress):
                size = told(kept.frame.count)
            hint = f"/*+ REPARTITION({-(-size // _PART)}) */ " if size > _LARGE else ""
            yield f"SELECT {hint}* FROM {kept.name}"
        finally:
            self._drop(kept)

    def close(self, *, unless_after: int | None = None) -> None:
        """Drop every table, unless that was done after so many times already."""
        with self._lock:
            if unless_after is not None and self.closed != unless_after:
                return
            self.closed += 1
            self._lines.clear()
            self._long.clear()
            while self._tables:
                self._drop(self._tables.popitem()[1])
