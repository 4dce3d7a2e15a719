from __future__ import annotations

from tests.ledger.conftest import places, postgres

__all__ = ["places", "postgres"]
