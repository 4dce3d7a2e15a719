"""Where a ledger is kept: what SQLite and PostgreSQL have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Protocol

import sqlalchemy as sa

from shoal.errors import StorageError
from shoal.ledger import schema
from shoal.ledger.entry import Entry
from shoal.ledger.head import HeadFile
from shoal.ledger.schema import ABOUT, ACCOUNTS, COUNTERS, ENTRIES, MARKS


class Cursor(Protocol):
    """What is used of a cursor of either driver."""

    def execute(self, operation: Any, parameters: Any = ..., /) -> Any: ...

    def fetchall(self) -> list[Any]: ...


# One statement for a whole group commit: each statement costs a round trip to a server.
_AT_ONCE = 64
_SAVED = ("budget", "relation", "state", "events", "entry", "seal")
_ENTRY = [ENTRIES.c[name] for name in ("number", "previous", "kind", "time", "text", "hash")] + [
    ENTRIES.c[name] for name in ("caller", "key", "same", "of")
]
_CHARGES = ENTRIES.c.kind == sa.literal_column("'charge'")

_LAST = ENTRIES.alias("last")
_AT_MARK = (MARKS.c.tally == sa.bindparam("tally_"), MARKS.c.mark == sa.bindparam("mark_"))
_AT_CELL = (COUNTERS.c.tally == sa.bindparam("tally_"), COUNTERS.c.cell == sa.bindparam("cell_"))

STATEMENTS: dict[str, sa.sql.expression.Executable] = {
    "tail": sa.select(ENTRIES.c.number, ENTRIES.c.hash).where(
        # max() of the primary key is read off the end of its index, however long the journal is.
        ENTRIES.c.number == sa.select(sa.func.max(_LAST.c.number)).scalar_subquery()
    ),
    "entry": sa.select(*_ENTRY).where(ENTRIES.c.number == sa.bindparam("number")),
    "insert entry": ENTRIES.insert(),
    "account": sa.select(ACCOUNTS).where(ACCOUNTS.c.name == sa.bindparam("name")),
    "insert account": ACCOUNTS.insert(),
    "update account": ACCOUNTS.update()
    .where(ACCOUNTS.c.name == sa.bindparam("at"))
    .values({name: sa.bindparam(name) for name in _SAVED}),
    "delete accounts": ACCOUNTS.delete(),
    "by key": sa.select(*_ENTRY)
    .where(ENTRIES.c.caller == sa.bindparam("caller"), ENTRIES.c.key == sa.bindparam("key"))
    .order_by(ENTRIES.c.number.desc()),
    "by same": sa.select(*_ENTRY)
    .where(ENTRIES.c.same == sa.bindparam("same"), _CHARGES)
    .order_by(ENTRIES.c.number.desc()),
    "outcomes": sa.select(*_ENTRY)
    .where(ENTRIES.c.of == sa.bindparam("of"))
    .order_by(ENTRIES.c.number),
    "about": sa.select(ABOUT.c.value).where(ABOUT.c.name == sa.bindparam("name")),
    "forget": ABOUT.delete().where(ABOUT.c.name == sa.bindparam("name_")),
    "remember": ABOUT.insert(),
    "kinds by key": sa.select(ENTRIES.c.kind)
    .where(ENTRIES.c.caller == sa.bindparam("caller"), ENTRIES.c.key == sa.bindparam("key"))
    .order_by(ENTRIES.c.number.desc()),
    "mark": sa.select(MARKS.c.used).where(*_AT_MARK),
    "insert mark": MARKS.insert(),
    "use mark": MARKS.update().where(*_AT_MARK).values(used=sa.literal_column("1")),
    "counter": sa.select(COUNTERS.c["count"]).where(*_AT_CELL),
    "counters": sa.select(COUNTERS.c.cell, COUNTERS.c["count"])
    .where(COUNTERS.c.tally == sa.bindparam("tally_"))
    .order_by(COUNTERS.c.cell),
    "insert counter": COUNTERS.insert(),
    "raise counter": COUNTERS.update()
    .where(*_AT_CELL)
    .values(count=COUNTERS.c["count"] + sa.literal_column("1")),
}


class Store(ABC):
    """A database with the tables of a ledger: one connection that writes, and as many that read as
    are asked for.
    """

    begin_words: ClassVar[tuple[str, ...]]
    writer_options: ClassVar[Mapping[str, Any]] = {}
    word: str
    shares_head = True
    """Whether everyone who writes to this ledger sees the same head; else who finds it wrong tells
    the others in the ledger.
    """
    sensitive = False
    """Whether the open transaction wrote what must not be read off the log afterwards: which cell
    was counted with which mark.
    """

    def __init__(self, engine: sa.Engine, head: HeadFile | None) -> None:
        self.engine = engine
        self.head = head
        # Compiled once: SQLAlchemy would compile, or look up, each statement anew in every
        # transaction.
        self._sql = {name: _compiled(each, engine.dialect) for name, each in STATEMENTS.items()}
        self._writer: sa.Connection | None = None
        self._cursor: Cursor | None = None
        self._looking: tuple[sa.Connection, Cursor] | None = None
        self._look_lock = Lock()
        words, _, row = self._sql["insert entry"].partition(" VALUES ")
        self._inserts = [f"{words} VALUES {', '.join([row] * n)}" for n in range(_AT_ONCE + 1)]

    # the connection that writes

    def _connect(self) -> Cursor:
        self._writer = self.engine.connect().execution_options(**self.writer_options)
        driver = self._writer.connection.driver_connection
        assert driver is not None
        cursor: Cursor = driver.cursor()
        self._cursor = cursor
        return cursor

    def begin(self) -> None:
        cursor = self._cursor or self._connect()
        self.sensitive = False
        for words in self.begin_words:
            cursor.execute(words)

    def commit(self) -> None:
        assert self._cursor is not None
        self._cursor.execute("COMMIT")

    @abstractmethod
    def sweep(self) -> None:
        """After a sensitive commit: empty the log of the database, where it is ours to empty."""

    @abstractmethod
    def settle(self) -> None:
        """Write the counters and marks anew in their own order, where rows otherwise stay in the
        order in which they came.
        """

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """What a named statement finds, inside the transaction that writes."""
        cursor = self._cursor
        assert cursor is not None
        cursor.execute(self._sql[statement], values)
        return cursor.fetchall()

    def run(self, statement: str, *values: Any) -> None:
        """Do what a named statement says."""
        assert self._cursor is not None
        self._cursor.execute(self._sql[statement], values)

    def insert(self, entries: Sequence[Entry]) -> None:
        """Add entries to the journal, all in one statement."""
        assert self._cursor is not None
        for start in range(0, len(entries), _AT_ONCE):
            some = entries[start : start + _AT_ONCE]
            self._cursor.execute(self._inserts[len(some)], tuple(chain.from_iterable(some)))

    def let_go(self) -> None:
        """Drop the connection that writes, whatever state it is in; nothing uncommitted
        survives.
        """
        writer, self._writer, self._cursor = self._writer, None, None
        if writer is not None:
            # A connection in an unknown state must not go back to the pool for another to use.
            writer.invalidate()
            writer.close()

    # reading

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees one moment of the ledger."""
        with self.translated(), self.engine.connect() as connection:
            self.freeze(connection)
            yield connection

    def look(self) -> tuple[int, str]:
        """The number and the hash of the last entry, as they are now.

        Every request asks for them, so a connection is kept for it, outside of any transaction: what
        others committed is seen at once.  One that broke is dropped, and a new one tried.
        """
        ((number, chained),) = self.seen("tail")
        return number, chained

    def seen(self, statement: str, *values: Any) -> list[Any]:
        """What a named statement finds outside of any transaction, without waiting for whoever
        writes.
        """
        with self._look_lock, self.translated():
            try:
                return self._seen(statement, values)
            except self.driver_errors:
                self._look_away()
                return self._seen(statement, values)

    def _seen(self, statement: str, values: Sequence[Any]) -> list[Any]:
        if self._looking is None:
            made = self.engine.connect().execution_options(**self.writer_options)
            driver = made.connection.driver_connection
            assert driver is not None
            self._looking = made, driver.cursor()
        _, cursor = self._looking
        cursor.execute(self._sql[statement], values)
        return cursor.fetchall()

    def _look_away(self) -> None:
        held, self._looking = self._looking, None
        if held is not None:
            held[0].invalidate()
            held[0].close()

    @abstractmethod
    def freeze(self, connection: sa.Connection) -> None:
        """Make a reading connection see one moment only."""

    # opening and closing

    def wait(self) -> None:
        """Wait for the turn of this process to write, where the database does not keep turns
        itself.
        """
        if self.head is not None:
            self.head.lock()

    def leave(self) -> None:
        """End the turn of this process."""
        if self.head is not None:
            self.head.unlock()

    def prepare(self, begin: Callable[[sa.Connection], None]) -> None:
        """Make the tables, bring them to this version, or refuse; ``begin`` writes the first
        entry.
        """
        with self.translated(), self._turn(), self.engine.connect() as connection:
            self.begin_setup(connection)
            version = schema.version_of(connection)
            if version is None:
                self.refuse_strangers(connection)
                schema.set_up(connection)
                begin(connection)
            elif version > schema.VERSION or version < 1:
                raise self._other_version(version)
            elif version < schema.VERSION:
                schema.migrate(connection, version)
            self.guard(connection)
            connection.commit()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        self.wait()
        try:
            yield
        finally:
            self.leave()

    @abstractmethod
    def begin_setup(self, connection: sa.Connection) -> None:
        """Begin a transaction in which tables are made."""

    @abstractmethod
    def guard(self, connection: sa.Connection) -> None:
        """Have the database itself refuse to change the past."""

    @abstractmethod
    def refuse_strangers(self, connection: sa.Connection) -> None:
        """Refuse a database that belongs to something else."""

    def check_tables(self) -> None:
        """Before reading only: refuse what is no ledger of this version, since nothing may be made
        or changed.
        """
        with self.reading() as connection:
            version = schema.version_of(connection)
        if version is None:
            raise StorageError(
                f"there is no ledger in {self.word}.",
                remedy="Give the path or the address of a ledger.",
            )
        if version < schema.VERSION:
            raise StorageError(
                f"the ledger has tables of version {version}, which are brought to version {schema.VERSION} when it is opened "
                "for writing.",
                remedy="Let its owner open it once, with shoal verify for example.",
            )
        if version > schema.VERSION:
            raise self._other_version(version)

    def _other_version(self, version: int) -> StorageError:
        return StorageError(
            f"the ledger has tables of version {version}; this Shoal opens versions up to {schema.VERSION}.",
            remedy="Open it with a newer Shoal. Nothing was changed.",
        )

    def close(self) -> None:
        if self._writer is not None:
            writer, self._writer, self._cursor = self._writer, None, None
            writer.close()
        with self._look_lock:
            self._look_away()
        self.engine.dispose()
        if self.head is not None:
            self.head.close()

    def abandon(self) -> None:
        """In a forked child: forget what belongs to the parent, without touching it."""
        self._writer = self._cursor = self._looking = None
        self._look_lock = Lock()  # the parent may have held it
        # The connections are the parent's, which still uses them; closed here, they would end
        # there.
        self.engine.dispose(close=False)
        if self.head is not None:
            self.head = self.head.anew()

    @abstractmethod
    def damage(self) -> list[str]:
        """What the database itself finds wrong with its file."""

    # errors

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Errors of the database, as ours: what could not be done, and nothing of what is
        stored.
        """
        try:
            yield
        except Exception as error:
            ours = self.translation(error)
            if ours is error:
                raise
            raise ours from None

    def translation(self, error: BaseException) -> BaseException:
        """An error of the database or the system, as ours; any other as it is."""
        if isinstance(error, sa.exc.DBAPIError):
            return self.storage_error(error.orig or error)
        if isinstance(error, UnicodeError):  # whose message quotes what is stored
            return self.storage_error(OSError(0, "it holds text that is damaged"))
        if isinstance(error, (sa.exc.SQLAlchemyError, OSError, *self.driver_errors)):
            return self.storage_error(error)
        return error

    @property
    @abstractmethod
    def driver_errors(self) -> tuple[type[BaseException], ...]:
        """What the driver raises."""

    @abstractmethod
    def is_conflict(self, error: BaseException) -> bool:
        """Whether the transaction failed only because someone else wrote in between."""

    def storage_error(self, error: BaseException) -> StorageError:
        reason = getattr(error, "strerror", None) or str(error).strip().partition("\n")[0]
        return StorageError(
            f"the ledger in {self.word} could not be read or written: {reason}.",
            remedy="Nothing that was not confirmed may be answered. Mend the storage, then ask again.",
        )


def entry_from(row: Sequence[Any]) -> Entry:
    """An entry from a row of the journal."""
    return Entry(*row)


def _compiled(statement: Any, dialect: sa.Dialect) -> str:
    return str(statement.compile(dialect=dialect))


def head_path(path: Path) -> Path:
    """Where the head of a ledger in a file is kept: beside it."""
    return path.with_name(path.name + ".head")
