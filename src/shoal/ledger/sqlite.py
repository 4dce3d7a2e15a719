"""A ledger in one SQLite file: write-ahead log, every commit on disk before it counts; and the same
file where it is only read.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from shoal.errors import StorageError
from shoal.ledger.answering_locks import locks_path
from shoal.ledger.head import HeadFile
from shoal.ledger.lock_notice import SECONDS, tell_wait
from shoal.ledger.schema import COUNTERS, MARKS, SQLITE_CHARGES_INDEX, SQLITE_GUARDS
from shoal.ledger.store import Store, head_path

_WAIT_MILLISECONDS = 60_000
_LOG_PAGES = 4000
"""The write-ahead log is folded into the file when it has so many pages: 16 MB."""
_SWEEP_MILLISECONDS = 100
"""How long a report waits for readers, so that the log can be emptied behind it; else the next
report empties it.
"""


class SqliteStore(Store):
    """One file, mode 0600; one process writes at a time, and the others wait in line for the
    head.
    """

    begin_words = ("BEGIN IMMEDIATE",)

    def __init__(self, path: Path, head: Path | None = None) -> None:
        self.path = path
        self.word = repr(path.name)
        super().__init__(self._engine(path), HeadFile(head or head_path(path)))

    def _engine(self, path: Path) -> sa.Engine:
        _create(path)
        check_mode(path)
        engine = sa.create_engine(
            sa.URL.create("sqlite", database=str(path)),
            connect_args={"check_same_thread": False, "timeout": _WAIT_MILLISECONDS / 1000},
        )
        sa.event.listen(engine, "connect", _set_up)
        return engine

    @property
    def driver_errors(self) -> tuple[type[BaseException], ...]:
        return (sqlite3.Error,)

    def is_conflict(self, error: BaseException) -> bool:
        return isinstance(error, sqlite3.IntegrityError)

    def begin(self) -> None:
        """As for every store; who waits long for another program is told so."""
        cursor = self._cursor or self._connect()
        cursor.execute(f"PRAGMA busy_timeout={1000 * SECONDS}")
        try:
            super().begin()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            tell_wait(self.word, "another program, such as sqlite3,")
            cursor.execute(f"PRAGMA busy_timeout={_WAIT_MILLISECONDS}")
            super().begin()
        cursor.execute(f"PRAGMA busy_timeout={_WAIT_MILLISECONDS}")

    def prepare(self, begin: Callable[[sa.Connection], None]) -> None:
        """As for every store; and what a process that was killed left in the log is folded in."""
        super().prepare(begin)
        log = self.path.with_name(self.path.name + "-wal")
        if log.exists() and log.stat().st_size:
            with self.translated(), self._turn(), self.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA busy_timeout=0")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()
                connection.exec_driver_sql(f"PRAGMA busy_timeout={_WAIT_MILLISECONDS}")

    def sweep(self) -> None:
        """Fold the log into the file and cut it to nothing: its frames would tell what each commit
        changed.

        The commit is durable already; where a reader is in the way, or the disk refuses, the next
        sweep does it.
        """
        assert self._cursor is not None
        with suppress(sqlite3.OperationalError):
            self._cursor.execute(f"PRAGMA busy_timeout={_SWEEP_MILLISECONDS}")
            self._cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._cursor.fetchall()
        self._cursor.execute(f"PRAGMA busy_timeout={_WAIT_MILLISECONDS}")

    def settle(self) -> None:
        """Rows of a page stand in the file in the order in which they were written: write all of
        them in the order of their keys.

        What is removed is overwritten with zeros, since connections delete securely.
        """
        assert self._cursor is not None
        self.sensitive = True
        for table in (COUNTERS, MARKS):
            keys = ", ".join(column.name for column in table.primary_key)
            self._cursor.execute(f"SELECT * FROM {table.name} ORDER BY {keys}")  # noqa: S608 - names of ours
            rows = self._cursor.fetchall()
            self._cursor.execute(f"DELETE FROM {table.name}")  # noqa: S608 - as above
            for row in rows:
                self._cursor.execute(f"INSERT INTO {table.name} VALUES (?, ?, ?)", row)  # noqa: S608 - as above

    def begin_setup(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def freeze(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    def damage(self) -> list[str]:
        with self.reading() as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check(10)").scalars().all()
        return [] if found == ["ok"] else [str(each) for each in found]

    def guard(self, connection: sa.Connection) -> None:
        for words in (SQLITE_CHARGES_INDEX, *SQLITE_GUARDS):
            connection.exec_driver_sql(words)

    def refuse_strangers(self, connection: sa.Connection) -> None:
        if sa.inspect(connection).get_table_names():
            raise StorageError(
                f"{self.word} is a SQLite file with tables of something else.",
                remedy="Give the path of a ledger, or of a file that does not exist yet.",
            )


def _create(path: Path) -> None:
    """Make an empty file that only its owner can read."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        raise StorageError(
            f"a ledger cannot be made in {path.name!r}: {error.strerror}.",
            remedy="Give a path in a directory that exists and can be written.",
        ) from None
    # The marks of an earlier ledger of this name would say that callers of the new one are gone.
    with suppress(OSError):
        locks_path(path).unlink()


def check_mode(path: Path) -> None:
    """Refuse a ledger that everybody on this machine may write to: hashes have no secret, so a
    whole new history would pass.
    """
    if sys.platform == "win32":
        return
    for each in (path, head_path(path)):
        if each.exists() and each.stat().st_mode & stat.S_IWOTH:
            raise _of_everybody(each, "it says")
    folder = path.absolute().parent
    mode = folder.stat().st_mode if folder.exists() else 0
    # Who may write to a folder may replace both files, unless its sticky bit is set.
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise _of_everybody(folder, f"{path.name!r} in it says")


def _of_everybody(place: Path, what: str) -> StorageError:
    return StorageError(
        f"{place.name!r} can be written by everybody on this machine, so nobody can trust what {what} was spent.",
        remedy=f"Take that right away: chmod o-w {shlex.quote(str(place))}",
    )


def _set_up(connection: Any, _record: object) -> None:
    """On every new connection: durable, patient, and transactions only where we begin them."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_WAIT_MILLISECONDS}")
    (mode,) = cursor.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal":
        cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA fullfsync=ON")
    cursor.execute("PRAGMA secure_delete=ON")
    cursor.execute(f"PRAGMA wal_autocheckpoint={_LOG_PAGES}")
    cursor.close()


_Stamp = tuple[int, int, int, int]


class ReadOnlyStore(SqliteStore):
    """One file that is read: nothing is written to it or beside it, so read access is enough, on a
    full disk too.

    SQLite reads a file with a write-ahead log only through a second small file, which it makes if
    it is not there.  Where the log is empty, the file is read as it is (``immutable``), and each
    reading checks at its end that nobody wrote meanwhile: whoever writes changes the log first, and
    the file when the log is folded in.  Where the log is not empty, the second file is there too,
    unless the machine stopped; then the owner has to open the ledger once.
    """

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
        sa.event.listen(engine, "connect", _set_up_reading)
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


def _set_up_reading(connection: Any, _record: object) -> None:
    """On every new connection: nothing is written, nor kept in files meanwhile."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA query_only=ON")
    cursor.execute("PRAGMA temp_store=MEMORY")
    cursor.close()
