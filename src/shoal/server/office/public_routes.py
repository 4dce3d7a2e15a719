"""What needs no token: published releases, and signing in."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from shoal.server.office.authentication import Entered, signed_in
from shoal.server.office.office_state import office_of
from shoal.server.office.release_routes import Form, table_of, whole
from shoal.server.office.request_bodies import TokenBody, body_of, described
from shoal.vault.people.gallery import Gallery

router = APIRouter(tags=["public"])
PUBLIC = "public"


def _gallery(request: Request) -> Gallery:
    return office_of(request).vault.gallery_for(PUBLIC)


@router.get("/public/releases")
def published(request: Request) -> Any:
    """Every published release, without its answer."""
    found = _gallery(request)
    return {
        "releases": [{**found[each].to_dict(), "title": found.title(each)} for each in list(found)]
    }


@router.get("/public/releases/{number}")
def published_at(number: int, request: Request) -> Any:
    """One published release."""
    found = _gallery(request)
    return {**whole(found[number]), "title": found.title(number)}


@router.get("/public/releases/{number}/certificate")
def published_certificate(number: int, request: Request) -> Any:
    """Its certificate."""
    return _gallery(request)[number].certificate


@router.get("/public/releases/{number}/data.{form}")
def published_data(number: int, form: Form, request: Request) -> Response:
    """Its table."""
    return table_of(_gallery(request)[number], form)


@router.post("/session", openapi_extra=described(TokenBody))
def sign_in(request: Request, body: Annotated[TokenBody, Depends(body_of(TokenBody))]) -> Any:
    """Sign a browser in with a token, also one that is good for a single sign-in.

    The answer sets a cookie that scripts cannot read, and tells the key of the session's forms.
    """
    office = office_of(request)
    office.door.same_origin(request)
    cookie = signed_in(office, body.token)
    access, session = office.vault.resume(cookie)
    request.state.cookie = cookie
    request.state.told["who"] = access.member.name
    return {"person": access.member.name, "form": office.vault.form_key(session)}


@router.delete("/session")
def sign_out(request: Request, here: Entered) -> Any:
    """Sign this browser out."""
    request.state.cookie = ""
    return {"signed_out": here.name}


@router.delete("/sessions")
def sign_out_everywhere(request: Request, here: Entered) -> Any:
    """End every browser session of mine."""
    here.access.sign_out()
    request.state.cookie = ""
    return {"signed_out": here.name}
