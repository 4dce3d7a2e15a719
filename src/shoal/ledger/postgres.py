"""A ledger on PostgreSQL, for several servers: serialisable transactions, done again when they collide."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import sqlalchemy as sa

from shoal.errors import ExtraError, StorageError
from shoal.ledger.head import HeadFile
from shoal.ledger.store import Store
from shoal.ledger.tables import ENTRIES

_COLLISIONS = {"40001", "40P01", "23505"}
"""SQLSTATEs: serialisation failure, deadlock, a number that someone else has taken."""


class PostgresStore(Store):
    """Tables in the default schema of one database.

    Who writes locks the journal first, so that writers wait in line instead of colliding; the serialisable level is there for
    whoever does not.  Commits wait for the disk of the server, whatever its default is.
    """

    begin_words = (
        "BEGIN ISOLATION LEVEL SERIALIZABLE",
        f"LOCK TABLE {ENTRIES.name} IN EXCLUSIVE MODE",
    )
    writer_options = {"isolation_level": "AUTOCOMMIT"}  # noqa: RUF012 - never changed

    def __init__(self, address: str, head: Path | None = None) -> None:
        self._driver = _driver()
        url = _url(address)
        self.word = f"database {url.database!r}"
        engine = sa.create_engine(url, paramstyle="format", pool_pre_ping=True)
        sa.event.listen(engine, "connect", _set_up)
        super().__init__(engine, None if head is None else HeadFile(head))

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
        """Who may change the past is a matter of the rights that the server grants."""

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
