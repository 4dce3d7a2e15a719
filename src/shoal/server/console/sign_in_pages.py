"""Signing in with a token or a one-time link, and signing out."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from shoal.errors import TokenError
from shoal.server.console.forms import read_form
from shoal.server.console.visitor import PLACE, Visiting, public_page, same_page
from shoal.server.office.authentication import signed_in
from shoal.server.office.office_state import office_of

router = APIRouter()
ENDED = "Your session has ended. Sign in again."
WRONG = (
    "This token is not one of this vault, or no longer. Ask the owner of the vault for a new one."
)
_LONGEST = 200


def sign_in_page(request: Request, *, status: int = 200, problem: str = "") -> Response:
    """The form, with what was wrong the last time."""
    ways = office_of(request).sign_in
    return public_page(
        request,
        "sign_in.html",
        status=status,
        problem=problem,
        by_organisation=ways is not None and ways.by_organisation,
        by_proxy=ways is not None and ways.settings.forwarded is not None,
    )


@router.get("/sign-in")
def form(request: Request) -> Response:
    """The form to sign in; a one-time link opens it with the token filled in."""
    return sign_in_page(request)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Sign in: a cookie that scripts cannot read and other sites cannot use."""
    office = office_of(request)
    same_page(request, office.door)
    sent = await read_form(request)
    token = sent.text("token")
    try:
        cookie = await run_in_threadpool(signed_in, office, token[:_LONGEST])
    except TokenError as error:
        request.state.told["outcome"] = error.code
        return sign_in_page(request, status=401, problem=WRONG)
    access, _ = office.vault.resume(cookie)
    request.state.cookie = cookie
    request.state.told["who"] = access.member.name
    return RedirectResponse(f"{PLACE}/", status_code=303)


@router.post("/sign-out")
def sign_out(visitor: Visiting) -> Response:
    """Sign this browser out."""
    visitor.request.state.cookie = ""
    return RedirectResponse(f"{PLACE}/sign-in", status_code=303)


@router.post("/sign-out-everywhere")
def sign_out_everywhere(visitor: Visiting) -> Response:
    """End every browser session of the person."""
    visitor.access.sign_out()
    visitor.request.state.cookie = ""
    return RedirectResponse(f"{PLACE}/sign-in", status_code=303)
