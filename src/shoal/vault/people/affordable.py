"""How many questions like an earlier one an allowance still pays for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from shoal.ledger import AccountState
from shoal.measures import Pure, ZeroConcentrated
from shoal.query.payment import amount_of
from shoal.vault.releases import Release


@dataclass(frozen=True)
class Affordable:
    """So many more releases like one that was made."""

    count: int
    like: Release

    def __str__(self) -> str:
        more = "question" if self.count == 1 else "questions"
        return f"Enough for {self.count:,} more {more} like the last one ({self.like.request})."


def affordable(account: AccountState, releases: Iterable[Release]) -> Affordable | None:
    """How many more releases like the newest that an account paid for; ``releases`` are oldest
    first.  None where there is none, and where costs do not simply add up.
    """
    if not isinstance(account.budget, Pure | ZeroConcentrated):
        return None
    word = "epsilon" if isinstance(account.budget, Pure) else "rho"
    for each in reversed(list(releases)):
        if account.name not in each.accounts or each.answer is None:
            continue
        cost = Fraction(each.certificate["cost"].get(word, "0"))
        if cost > 0:
            return Affordable(int(amount_of(account.left) // cost), each)
    return None
