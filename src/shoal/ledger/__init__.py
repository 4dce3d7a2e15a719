"""The durable, append-only, crash-safe account: an exact journal, chained by hashes, and the
budgets that are charged in it.
"""

from shoal.ledger.book import AccountState
from shoal.ledger.charge import Charge, Replay
from shoal.ledger.entry import Entry
from shoal.ledger.head import Head
from shoal.ledger.ledger import Ledger
from shoal.ledger.tally import Tally
from shoal.ledger.verification import Verification

__all__ = ["AccountState", "Charge", "Entry", "Head", "Ledger", "Replay", "Tally", "Verification"]
