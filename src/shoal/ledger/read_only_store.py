"""A ledger in a file that is only read: nothing is written to it or beside it, so read access is
enough, on a full disk too.

SQLite reads a file with a write-ahead log only through a second small file, which it makes if it is
not there.  Where the log is empty, the file is read as it is (``immutable``), and each reading
checks at its end that nobody wrote meanwhile: whoever writes changes the log first, and the file
when the log is folded in.  Where the log is not empty, the second file is there too, unless the
machine stopped; then the owner has to open the ledger once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from shoal.errors import StorageError
from shoal.ledger.sqlite import SqliteStore, check_mode

_Stamp = tuple[int, int, int, int]


class ReadOnlyStore(SqliteStore):
    """One file that is read and never written."""

    def _engine(self, path: Path) -> sa.Engine:
        check_mode(path)
        self._immutable = _log_size(path) == 0
        words = "immutable=1" if self._immutable else "mode=ro"
        quoted = str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        engine = sa.create_engine(
            f"sqlite:///file:{quoted}?{words}&uri=true",
            connect_args={"check_same_thread": False},
            poolclass=sa.pool.NullPool,
        )
        sa.event.listen(engine, "connect", _set_up)
        return engine

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        if not self._immutable:
            with super().reading() as connection:
                yield connection
            return
        before = self._stamp()
        with super().reading() as connection:
            yield connection
        if self._stamp() != before or before[-1]:
            raise StorageError(
                f"{self.word} was written while it was read, so what was read may be wrong.",
                remedy="Run it again.",
            )

    def look(self) -> tuple[int, str]:
        with self.reading() as connection:
            number, chained = connection.exec_driver_sql(self._sql["tail"]).one()
        return number, chained

    def _stamp(self) -> _Stamp:
        """What changes when somebody writes: the file, or its log."""
        with self.translated():
            found = self.path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns, _log_size(self.path)


def _log_size(path: Path) -> int:
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0


def _set_up(connection: Any, _record: object) -> None:
    """On every new connection: nothing is written, nor kept in files meanwhile."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA query_only=ON")
    cursor.execute("PRAGMA temp_store=MEMORY")
    cursor.close()
