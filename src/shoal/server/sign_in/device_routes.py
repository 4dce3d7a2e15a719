"""Signing in a command: a code that somebody confirms in a browser, and then a token for a day."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from shoal.server.failures import Refused
from shoal.server.office.office_state import office_of
from shoal.server.office.request_bodies import OfficeBody, body_of, described
from shoal.server.sign_in.arriving import SignIn
from shoal.server.sign_in.openid_provider import NotYetError

router = APIRouter(tags=["signing in"])


class HandleBody(OfficeBody):
    """What `POST /sign-in/device` gave."""

    handle: str = Field(min_length=1, max_length=8000)


def organisation(request: Request) -> SignIn:
    """The sign-in of the organisation, if there is one and not too many use it."""
    office = office_of(request)
    if office.sign_in is None or not office.sign_in.by_organisation:
        raise Refused(
            404, "http-1", "this server has tokens alone.", "Ask the owner of the vault for one."
        )
    office.limits.take("organisation")
    return office.sign_in


@router.post("/sign-in/device")
def begin(request: Request) -> Any:
    """A code to confirm in a browser; free, and without a token."""
    return organisation(request).begin_device()


@router.post(
    "/sign-in/device/token",
    openapi_extra=described(HandleBody),
    responses={202: {"description": "Nobody has confirmed the code yet."}},
)
def fetch(request: Request, body: Annotated[HandleBody, Depends(body_of(HandleBody))]) -> Response:
    """The token of whoever confirmed the code; 202 until then."""
    try:
        person, token = organisation(request).token_of_device(body.handle)
    except NotYetError as waits:
        return JSONResponse({"state": "pending", "slower": waits.slower}, status_code=202)
    request.state.told["who"] = person
    return JSONResponse({"person": person, "token": token})
