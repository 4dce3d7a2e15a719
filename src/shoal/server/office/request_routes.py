"""Requests beyond an allowance: analysts ask, stewards decide."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from shoal.query import Answer
from shoal.server.office.authentication import Entered
from shoal.server.office.release_routes import answered_in_time
from shoal.server.office.request_bodies import RequestBody, WordBody, body_of, described
from shoal.vault.people.requests import approval_key

router = APIRouter(prefix="/requests", tags=["requests"])
Word = Annotated[WordBody, Depends(body_of(WordBody))]


@router.post("", status_code=201, openapi_extra=described(RequestBody))
def ask(here: Entered, body: Annotated[RequestBody, Depends(body_of(RequestBody))]) -> Any:
    """Request a release beyond my allowance; nothing is spent."""
    made = here.access.ask_for(
        body.sql,
        purpose=body.purpose,
        intervals=body.intervals,
        weights=body.weights,
        **body.terms,
    )
    return made.to_dict()


@router.get("")
def requests(here: Entered) -> Any:
    """The requests that I made or decide about, oldest first."""
    return {"requests": [each.to_dict() for each in here.access.requests()]}


@router.get("/{number}")
def request_at(number: int, here: Entered) -> Any:
    """One request, with what was said to it."""
    return here.access.request(number).to_dict()


@router.post("/{number}/approve", openapi_extra=described(WordBody))
def approve(number: int, here: Entered, body: Word) -> Any:
    """Approve a request: whoever asked may release it, once."""
    return here.access.approve(number, body.word).to_dict()


@router.post("/{number}/deny", openapi_extra=described(WordBody))
def deny(number: int, here: Entered, body: Word) -> Any:
    """Deny a request."""
    return here.access.deny(number, body.word).to_dict()


@router.post("/{number}/comment", openapi_extra=described(WordBody))
def comment(number: int, here: Entered, body: Word) -> Any:
    """Say something about a request."""
    return here.access.comment(number, body.word).to_dict()


@router.post(
    "/{number}/release",
    status_code=201,
    responses={202: {"description": "It takes long; the answer is found at the Location."}},
)
async def release(number: int, request: Request, here: Entered) -> Response:
    """The answer to my request that was approved; asked again, the same answer."""

    def act() -> tuple[Answer, int]:
        before = here.access.vault.position
        return here.access.release_request(number), before

    return await answered_in_time(request, here, approval_key(number), act)
