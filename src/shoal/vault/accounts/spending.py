"""How an account was spent: after each release, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.accounting import filter_for
from shoal.events import Event
from shoal.ledger import AccountState
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.vault.releases import Release

_MOST_POINTS = 200
"""What was spent is worked out after at most so many releases: more points than a picture has."""


@dataclass(frozen=True)
class SpendingPoint:
    """What an account had spent in all after one release."""

    release: int
    time: str
    by: str
    spent: Measure


@dataclass(frozen=True)
class AskerTotal:
    """What the releases of one asker cost together."""

    by: str
    releases: int
    spent: Measure


@dataclass(frozen=True)
class AccountSpending:
    """An account as its charges tell it: the last point is what the account says was spent."""

    account: AccountState
    points: tuple[SpendingPoint, ...]
    askers: tuple[AskerTotal, ...]


def spending_of(account: AccountState, releases: Sequence[Release]) -> AccountSpending:
    """Charge the releases of an account once more, one after the other, without touching it.

    Edges: charges that were given back are left out.  Where the curator accepted a damaged journal,
    its charges need not be those of the account; what no longer fits is left out.
    """
    kept = [
        each for each in releases if account.name in each.accounts and each.state != "given back"
    ]
    every = -(-len(kept) // _MOST_POINTS) or 1
    whole = filter_for(account.budget, relation=account.relation)
    by = {each.asked_by: filter_for(account.budget, relation=account.relation) for each in kept}
    points = []
    for at, each in enumerate(kept, 1):
        event = Event.from_dict(each.entry.body["event"])
        if not whole.would_fit(event):
            break
        whole.spend(event)
        by[each.asked_by].spend(event)
        if at % every == 0 or at == len(kept):
            points.append(SpendingPoint(each.number, each.time, each.asked_by, whole.spent))
    counts = {who: sum(each.asked_by == who for each in kept) for who in by}
    askers = [AskerTotal(who, counts[who], one.spent) for who, one in by.items()]
    return AccountSpending(account, tuple(points), tuple(askers))


def amount_of(measure: Measure) -> float:
    """The number of a measure that a picture shows: its epsilon or its rho."""
    if isinstance(measure, ZeroConcentrated):
        return float(measure.rho)
    assert isinstance(measure, Pure | Approx)
    return float(measure.epsilon)
