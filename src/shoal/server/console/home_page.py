"""The first page: my datasets, what is left of each, and what that buys."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from fastapi import APIRouter, Response

from shoal.query.payment import amount_of, left_text
from shoal.server.console.visitor import Visiting, Visitor
from shoal.vault import Dataset, Release
from shoal.vault.people.affordable import affordable
from shoal.vault.people.rights import Right

router = APIRouter()


@dataclass(frozen=True)
class DatasetCard:
    """A dataset in a few lines."""

    name: str
    columns: tuple[str, ...]
    public: bool
    left: str
    whole: str
    own: bool
    share: int
    more: str
    risk: str


@router.get("/")
def home(visitor: Visiting) -> Response:
    """My datasets and my allowances."""
    looks = visitor.may(Right.LOOK)
    mine = list(map(visitor.told, visitor.access.releases(50))) if visitor.may(Right.ASK) else []
    found = visitor.access.datasets().values() if looks else []
    cards = [_card(visitor, each, mine) for each in found]
    waiting = [
        each
        for each in (visitor.access.requests() if visitor.may(Right.DECIDE) else [])
        if each.state == "open"
    ]
    return visitor.page("home.html", cards=cards, waiting=len(waiting), last=mine[-5:][::-1])


def _card(visitor: Visitor, dataset: Dataset, mine: list[Release]) -> DatasetCard:
    columns = tuple(each["name"] for each in dataset.stated["columns"])
    if dataset.public:
        return DatasetCard(dataset.name, columns, True, "", "", False, 0, "", "")
    standing = visitor.access.budget(dataset.name)
    own = [each for each in standing.allowances if each.name.endswith(f"@{visitor.here.name}")]
    shown = own[0] if own else standing.tightest
    whole = amount_of(shown.budget)
    spent = amount_of(shown.spent) / whole if whole else Fraction(1)
    return DatasetCard(
        dataset.name,
        columns,
        False,
        left_text(shown.left),
        str(shown.budget),
        bool(own),
        min(100, int(100 * spent)),
        str(affordable(shown, mine) or "") if own else "",
        standing.risk()[-1],
    )
