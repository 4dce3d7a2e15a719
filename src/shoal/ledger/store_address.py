"""From a path or an address to the store behind it."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import StorageError
from shoal.ledger.read_only_store import ReadOnlyStore
from shoal.ledger.sqlite import SqliteStore
from shoal.ledger.store import Store

_ADDRESSES = ("postgresql://", "postgres://")


def store_for(
    where: str | os.PathLike[str], head: Path | None, *, read_only: bool = False
) -> Store:
    """The store at a path, or under a postgresql:// address."""
    if not isinstance(where, str) or "://" not in where:
        return (ReadOnlyStore if read_only else SqliteStore)(Path(where), head)
    if not where.startswith(_ADDRESSES):
        raise StorageError(
            f"a ledger is not kept under addresses such as {where.partition('://')[0][:20]}://.",
            remedy="Give the path of a file, or an address that begins with postgresql://.",
        )
    from shoal.ledger.postgres import PostgresStore  # noqa: PLC0415 - its driver is an extra

    return PostgresStore(where, head)
