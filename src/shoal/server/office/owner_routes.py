"""The owner's acts: people, tokens, allowances, publication."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from shoal.measures import budget_of
from shoal.server.office.authentication import Entered
from shoal.server.office.office_state import office_of
from shoal.server.office.release_routes import still_under_way
from shoal.server.office.request_bodies import (
    BudgetBody,
    NewTokenBody,
    PersonBody,
    PublishBody,
    body_of,
    described,
)

router = APIRouter(tags=["owner"])
Word = Annotated[str, Query(max_length=100)]


@router.get("/people")
def people(here: Entered) -> Any:
    """Everybody, with their roles."""
    return {"people": [each.to_dict() for each in here.access.people()]}


@router.post("/people", status_code=201, openapi_extra=described(PersonBody))
def add_person(here: Entered, body: Annotated[PersonBody, Depends(body_of(PersonBody))]) -> Any:
    """Give somebody a role, and an analyst an allowance."""
    given = None if body.allowance is None else budget_of(body.allowance)
    return here.access.add_person(
        body.person, role=body.role, dataset=body.dataset, allowance=given
    ).to_dict()


@router.delete("/people/{person}")
def remove_person(
    person: str, here: Entered, role: Word | None = None, dataset: Word | None = None
) -> Any:
    """Take roles away; whoever has none left is gone, and their tokens are revoked."""
    here.access.remove_person(person, role=role, dataset=dataset)
    return {"removed": person}


@router.get("/tokens")
def tokens(here: Entered) -> Any:
    """My tokens, or, for an owner, everybody's; never their secrets."""
    return {"tokens": [each.to_dict() for each in here.access.tokens()]}


@router.post("/tokens", status_code=201, openapi_extra=described(NewTokenBody))
def make_token(here: Entered, body: Annotated[NewTokenBody, Depends(body_of(NewTokenBody))]) -> Any:
    """A new token; its secret is told here, once."""
    made = here.access.make_token(
        body.person,
        days=body.days,
        datasets=tuple(body.datasets),
        read_only=body.read_only,
        once=body.once,
    )
    return {"secret": made}


@router.delete("/tokens/{token}")
def revoke(token: str, here: Entered) -> Any:
    """End a token; it is refused from the next request on."""
    return here.access.revoke(token).to_dict()


@router.put("/grants/{person}/{name}", openapi_extra=described(BudgetBody))
def grant(
    person: str, name: str, here: Entered, body: Annotated[BudgetBody, Depends(body_of(BudgetBody))]
) -> Any:
    """Set the allowance of an analyst."""
    return here.access.grant(person, name, budget_of(body.budget)).to_dict()


@router.post("/public/releases", status_code=201, openapi_extra=described(PublishBody))
def publish(
    request: Request, here: Entered, body: Annotated[PublishBody, Depends(body_of(PublishBody))]
) -> Any:
    """Let everybody see a release."""
    if office_of(request).work.holds(here.access.release_at(body.release, answer=False)):
        raise still_under_way(409, body.release)
    return here.access.publish(body.release, body.title).to_dict()


@router.delete("/public/releases/{number}")
def withdraw(number: int, here: Entered) -> Any:
    """Let nobody new see it."""
    here.access.withdraw(number)
    return {"withdrawn": number}
