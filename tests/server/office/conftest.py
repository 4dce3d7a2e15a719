"""Vaults in a file and on a server."""

from tests.ledger.conftest import place, places, postgres

__all__ = ["place", "places", "postgres"]
