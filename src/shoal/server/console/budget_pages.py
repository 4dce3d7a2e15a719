"""The budget of a dataset: what is left, who spent it, and what it means for one person."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from shoal.measures import budget_of
from shoal.query.payment import left_text
from shoal.server.console.visitor import PLACE, Visiting
from shoal.server.failures import Refused
from shoal.vault.accounts.spending import spending_of
from shoal.vault.people.rights import Right
from shoal.vault.report_pictures import spending_pictures

router = APIRouter(prefix="/budgets")


@router.get("/{name}")
def budget(name: str, visitor: Visiting) -> Response:
    """What is left of a budget and of allowances."""
    dataset = visitor.access.dataset(name)
    if dataset.public:
        raise Refused(404, "vault-1", "a public dataset has no budget.", "Ask it without one.")
    standing = visitor.access.budget(name)
    accounts = [
        (each.name, str(each.budget), str(each.spent), left_text(each.left), each.events)
        for each in (*standing.accounts, *standing.allowances)
    ]
    return visitor.page(
        "budget.html",
        dataset=dataset.stated,
        accounts=accounts,
        risk=standing.risk(),
        manages=visitor.may(Right.MANAGE, name),
        drawn=visitor.may(Right.LOG, name) and bool(standing.tightest.events),
    )


@router.get("/{name}/chart.svg")
def chart(name: str, visitor: Visiting) -> Response:
    """How the budget was spent over time."""
    visitor.access.needs(Right.LOG, name)
    account = visitor.access.budget(name).tightest
    releases = list(map(visitor.told, visitor.access.releases(None)))
    drawn = spending_pictures([spending_of(account, releases)]).get(account.name)
    if drawn is None:
        raise Refused(404, "vault-1", "nothing was spent yet.", "Come back later.")
    return Response(drawn, media_type="image/svg+xml")


@router.post("/{name}")
def set_budget(name: str, visitor: Visiting) -> Response:
    """Give a dataset another budget, never below what was spent; or an analyst another allowance."""
    given = budget_of(visitor.sent.text("budget", most=64))
    person = visitor.sent.choice("person")
    if person is None:
        visitor.access.set_budget(name, given)
    else:
        visitor.access.grant(person, name, given)
    return RedirectResponse(f"{PLACE}/budgets/{name}", status_code=303)
