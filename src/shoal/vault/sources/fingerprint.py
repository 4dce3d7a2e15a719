"""What tells one content from another: sizes and SHA-256 of the files, keyed by a secret of the
vault.

A plain hash of a table would let anyone who knows all rows but one find out the last, so it is
never shown: what is kept and written is a keyed hash, and the key is a random fact in the journal
that never leaves the vault.  Names of files do not count.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from shoal.errors import KeyReusedError, VaultError
from shoal.ledger import Ledger
from shoal.noise import one_below

Progress = Callable[[int, int], None]
"""Called with how many bytes have been read, and how many there are."""

Dates = tuple[tuple[int, ...], ...]
"""Of every file its size, when it was written, when anything about it was changed, and its place on
the disk.
"""

_KIND = "vault"
"""The kind of fact that the key is."""


@dataclass(frozen=True)
class Fingerprint:
    """A keyed hash of the content, and sizes and dates of the files, from which it is seen that
    nothing was written.

    ``dates`` is empty where they prove nothing: the files were written just before they were read.
    ``files`` is what was found of the files alone, by which a copy of a database is known whichever
    of its tables is meant; it is never kept.
    """

    digest: str
    size: int
    dates: Dates
    files: str = field(repr=False)

    def is_of_table(self, table: str | None, digest: str, secret: bytes) -> bool:
        """Whether a digest is that of a table in a file with these very bytes."""
        return table is not None and hmac.compare_digest(digest, keyed(self.files, table, secret))


def keyed(files: str, table: str | None, secret: bytes) -> str:
    """The hash of what was found of files, or of a table in one, that the vault keeps."""
    said = "\n".join([files, f"table {table}" if table else ""])
    return hmac.new(secret, said.encode(), hashlib.sha256).hexdigest()


def make_secret(ledger: Ledger) -> None:
    """Record a key, unless there is one or nothing may be written."""
    if not ledger.read_only and not ledger.facts(_KIND):
        with suppress(KeyReusedError):
            ledger.record(_KIND, {"secret": f"{one_below(1 << 256):064x}"}, key=_KIND)


def secret_of(ledger: Ledger) -> bytes:
    """The key."""
    facts = ledger.facts(_KIND)
    if not facts:
        raise VaultError(
            "this ledger is no vault yet.", remedy="Let its owner open it once: shoal list."
        )
    return bytes.fromhex(facts[0].fact["secret"])
