"""People and tokens: the owner gives roles, allowances, tokens and one-time links."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from shoal.measures import budget_of
from shoal.server.address import sign_in_link
from shoal.server.console.forms import unreadable_form
from shoal.server.console.visitor import PLACE, Visiting, Visitor
from shoal.vault.people.rights import GIVEN, RIGHTS, Right

router = APIRouter()
_LINK_DAYS = 1


@router.get("/people")
def people(visitor: Visiting) -> Response:
    """Everybody, with their roles."""
    return visitor.page(
        "people.html",
        people=visitor.access.people(),
        roles=GIVEN,
        rights={role: ", ".join(sorted(rights)) for role, rights in RIGHTS.items()},
        datasets=[name for name, each in visitor.access.datasets().items() if not each.public],
    )


@router.post("/people")
def add(visitor: Visiting) -> Response:
    """Give somebody a role, and an analyst an allowance."""
    sent = visitor.sent
    allowance = sent.choice("allowance")
    visitor.access.add_person(
        sent.text("person", most=100),
        role=sent.text("role", most=100),
        dataset=sent.choice("dataset"),
        allowance=None if allowance is None else budget_of(allowance),
    )
    return RedirectResponse(f"{PLACE}/people", status_code=303)


@router.post("/people/{person}/remove")
def remove(person: str, visitor: Visiting) -> Response:
    """Take one role away, or all."""
    sent = visitor.sent
    visitor.access.remove_person(person, role=sent.choice("role"), dataset=sent.choice("dataset"))
    return RedirectResponse(f"{PLACE}/people", status_code=303)


@router.get("/tokens")
def tokens(visitor: Visiting) -> Response:
    """My tokens, or, for an owner, everybody's; never their secrets."""
    return _tokens(visitor)


@router.post("/tokens")
def make(visitor: Visiting) -> Response:
    """A new token or one-time link, which is shown on this page and never again."""
    sent = visitor.sent
    person, days = sent.text("person", most=100), sent.text("days", most=5) or "90"
    if not days.isdecimal():
        raise unreadable_form()
    once = sent.text("kind", most=10) == "link"
    made = visitor.access.make_token(
        person,
        days=_LINK_DAYS if once else int(days),
        datasets=(),
        read_only=sent.text("read_only", most=8) == "yes",
        once=once,
    )
    origin = visitor.office.door.address.origin
    return _tokens(visitor, person=person, secret=sign_in_link(origin, made) if once else made)


@router.post("/tokens/{token}/revoke")
def revoke(token: str, visitor: Visiting) -> Response:
    """End a token; it is refused from the next request on."""
    visitor.access.revoke(token)
    return RedirectResponse(f"{PLACE}/tokens", status_code=303)


def _tokens(visitor: Visitor, *, person: str = "", secret: str = "") -> Response:
    now = datetime.now(UTC)
    found = [each for each in visitor.access.tokens() if each.may_be_in_use(now)]
    manages = visitor.access.member.may_everywhere(Right.MANAGE)
    return visitor.page(
        "tokens.html",
        tokens=found,
        manages=manages,
        people=[each.name for each in visitor.access.people()] if manages else [],
        person=person,
        secret=secret,
    )
