"""From a path or an address to the store behind it."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.ledger.sqlite import SqliteStore
from shoal.ledger.store import Store


def store_for(where: str | os.PathLike[str], head: Path | None) -> Store:
    """The store at a path, or under a postgresql:// address."""
    return SqliteStore(Path(where), head)
