"""The key of a vault's hashes: a random fact in its journal, recorded once, that never leaves it."""

from __future__ import annotations

from contextlib import suppress

from shoal.errors import KeyReusedError, VaultError
from shoal.ledger import Ledger
from shoal.noise import one_below

_KIND = "vault"


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
