"""The way into a vault: a file, or an address of PostgreSQL; made on first use."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.engines.limits import NONE, EngineLimits
from shoal.errors import VaultError
from shoal.ledger import Ledger
from shoal.vault.sources.choosing import check_vault_name
from shoal.vault.sources.fingerprint import Progress
from shoal.vault.vault import Vault


def open(  # noqa: A001 - the word for it
    where: str | os.PathLike[str],
    *,
    create: bool = True,
    progress: Progress | None = None,
    head: str | os.PathLike[str] | None = None,
    read_only: bool = False,
    limits: EngineLimits = NONE,
) -> Vault:
    """The vault in a file such as ``office.shoal``, or at a ``postgresql://`` address; made on
    first use.

    ``create=False`` refuses a file that is not there.  ``progress`` is called with bytes read and
    all bytes while files are hashed.  With ``read_only`` it can be looked at and verified, with
    read access alone, and nothing can be asked.  ``limits`` is what the engine may take for a
    question.  ``head`` is where the head of the journal is kept: by default beside a file, and for
    PostgreSQL in a folder of the user.

    >>> import pyarrow as pa
    >>> from shoal.plan import Row
    >>> from pyarrow import parquet
    >>> parquet.write_table(pa.table({"age": [34, 71, 12]}), "people.parquet")
    >>> with open("office.shoal") as vault:
    ...     _ = vault.add("people", "people.parquet", protects=Row(), columns={"age": (0, 120)}, budget=1)
    ...     answer = vault.sql("SELECT COUNT(*) AS n FROM people").release(epsilon="0.1")
    ...     print(vault.budget("people").left)
    epsilon 0.9
    """
    text = str(where)
    check_vault_name(text)
    if not create and "://" not in text and not Path(text).is_file():
        raise VaultError(
            f"there is no vault {text!r}.",
            remedy=f"Make one: shoal init {text}, or shoal.open({text!r}).",
        )
    ledger = Ledger(where, head=head, read_only=read_only)
    return Vault(ledger, progress=progress, limits=limits)
