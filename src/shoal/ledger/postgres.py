"""A ledger on PostgreSQL, for several servers: serialisable transactions, done again when they
collide.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import sqlalchemy as sa

from shoal.errors import ExtraError, StorageError
from shoal.ledger.head import HeadFile
from shoal.ledger.lock_notice import SECONDS, tell_wait
from shoal.ledger.machine_head import MachineHead
from shoal.ledger.schema import (
    ACCOUNTS,
    ENTRIES,
    POSTGRES_GUARDED,
    POSTGRES_GUARDS,
    POSTGRES_REFUSAL,
)
from shoal.ledger.store import Store

_BEGIN = "BEGIN ISOLATION LEVEL SERIALIZABLE"
_LOCK = f"LOCK TABLE {ACCOUNTS.name} IN EXCLUSIVE MODE"
_HOLDER = """SELECT a.pid, a.usename FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.relation = 'shoal_accounts'::regclass AND l.granted AND l.mode = 'ExclusiveLock' LIMIT 1"""
_OWNS = "SELECT pg_has_role(relowner, 'MEMBER') FROM pg_class WHERE oid = 'shoal_entries'::regclass"
_COLLISIONS = {"40001", "40P01", "23505"}
"""SQLSTATEs: serialisation failure, deadlock, a number that someone else has taken."""


class PostgresStore(Store):
    """Tables in the default schema of one database.

    Who writes locks the accounts first, so that writers wait in line instead of colliding; the
    serialisable level is there for whoever does not.  It is not the journal that is locked: that
    needs the right to change it, which nobody need have.  Commits wait for the disk of the server,
    whatever its default is.
    """

    begin_words = (
        f"{_BEGIN}; SET LOCAL lock_timeout = '{SECONDS}s'; {_LOCK}; SET LOCAL lock_timeout = 0",
    )
    shares_head = False
    writer_options = {"isolation_level": "AUTOCOMMIT"}  # noqa: RUF012 - never changed

    def __init__(self, address: str, head: Path | None = None) -> None:
        self._driver = _driver()
        url = _url(address)
        self.word = f"database {url.database!r}"
        engine = sa.create_engine(url, paramstyle="format", pool_pre_ping=True)
        sa.event.listen(engine, "connect", _set_up)
        self.head: HeadFile
        super().__init__(engine, MachineHead(_known_as(url)) if head is None else HeadFile(head))

    def prepare(self, begin: Callable[[sa.Connection], None]) -> None:
        """As for every store; and the head of this machine is kept under the first entry, too."""
        super().prepare(begin)
        self._follow()

    def check_tables(self) -> None:
        super().check_tables()
        self._follow()

    def _follow(self) -> None:
        first = sa.select(ENTRIES.c.hash).where(ENTRIES.c.number == 1)
        with self.reading() as connection:
            origin = connection.execute(first).scalar()
        if origin is not None and isinstance(self.head, MachineHead):
            self.head.follow(origin)

    def begin(self) -> None:
        """As for every store; who waits long is told for whom."""
        cursor = self._cursor or self._connect()
        try:
            super().begin()
        except self._driver.errors.LockNotAvailable:
            cursor.execute("ROLLBACK")
            tell_wait(self.word, self._holder())
            cursor.execute(f"{_BEGIN}; {_LOCK}")

    def _holder(self) -> str:
        """Who holds the lock that is waited for, as far as the server tells."""
        try:
            with self.engine.connect() as connection:
                row = connection.exec_driver_sql(_HOLDER).first()
        except sa.exc.SQLAlchemyError:
            row = None
        return "another writer" if row is None else f"the connection {row[0]} of {row[1]!r}"

    @property
    def driver_errors(self) -> tuple[type[BaseException], ...]:
        error: type[BaseException] = self._driver.Error
        return (error,)

    def is_conflict(self, error: BaseException) -> bool:
        return getattr(error, "sqlstate", None) in _COLLISIONS

    def sweep(self) -> None:
        """The log is the server's."""

    def settle(self) -> None:
        """Where rows stand, and how long old ones are kept, is the server's matter."""

    def begin_setup(self, connection: sa.Connection) -> None:
        if connection.exec_driver_sql("SHOW fsync").scalar() != "on":
            raise StorageError(
                "this PostgreSQL server runs with fsync off: what it confirms may be lost.",
                remedy="Turn fsync on in the configuration of the server.",
            )
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7305804385368399)")

    def freeze(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def damage(self) -> list[str]:
        return []

    def guard(self, connection: sa.Connection) -> None:
        """Renew the trigger that refuses to change the past, if somebody removed or changed it."""
        standing = connection.exec_driver_sql(POSTGRES_GUARDED, (POSTGRES_REFUSAL,)).scalar()
        if standing == 1:
            return
        if not connection.exec_driver_sql(_OWNS).scalar():
            raise StorageError(
                "the journal of this ledger may be changed: its trigger is missing, and this user cannot make it.",
                remedy="Let the owner of the tables open the ledger once, with shoal verify for example.",
            )
        for words in POSTGRES_GUARDS:
            connection.exec_driver_sql(words)

    def refuse_strangers(self, connection: sa.Connection) -> None:
        """Other tables may stand beside ours."""


def _url(address: str) -> sa.URL:
    try:
        return sa.make_url(address).set(drivername="postgresql+psycopg")
    except (sa.exc.ArgumentError, ValueError):  # whose message quotes the address, password and all
        raise StorageError(
            "the address of the PostgreSQL database cannot be read.",
            remedy="Give an address such as postgresql://user@host:5432/database.",
        ) from None


def _known_as(url: sa.URL) -> str:
    """An address without its password."""
    return url.set(password=None).render_as_string(hide_password=False)


def _driver() -> ModuleType:
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError:
        raise ExtraError(
            "a ledger on PostgreSQL needs the package psycopg, which is not installed.",
            remedy='Install the extra: pip install "shoal[postgres]".',
        ) from None
    return psycopg


def _set_up(connection: Any, _record: object) -> None:
    """On every new connection: a commit is a commit on disk."""
    was = connection.autocommit
    connection.autocommit = True
    connection.execute("SET synchronous_commit TO on")
    connection.autocommit = was
