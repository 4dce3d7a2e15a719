"""Signing in a browser through the organisation: to its provider and back, or by a proxy's word."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from shoal.errors import OfficeError, RightsError, ShoalError, TokenError
from shoal.server.console.sign_in_pages import sign_in_page
from shoal.server.console.visitor import PLACE, public_page, same_page
from shoal.server.office.office_state import OfficeHost, office_of
from shoal.server.sign_in.arriving import AWAY
from shoal.server.sign_in.device_routes import organisation

router = APIRouter()
_BACK = f"{PLACE}/sign-in/back"
_LONGEST = 4000


@router.get("/sign-in/organisation")
def go(request: Request) -> Response:
    """To the provider; what the browser keeps meanwhile is in a cookie of its own."""
    office = office_of(request)
    try:
        away = organisation(request).begin(_back(office))
    except OfficeError as error:
        return _wrong(request, error)
    made = RedirectResponse(away.place, status_code=303)
    made.set_cookie(
        _cookie(office),
        away.kept,
        max_age=AWAY,
        path="/",
        httponly=True,
        samesite="lax",  # it must come back from another site
        secure=office.door.address.secure,
    )
    return made


@router.get("/sign-in/back")
def back(request: Request) -> Response:
    """Back from the provider, with a code or without."""
    office, asked = office_of(request), request.query_params
    kept = request.cookies.get(_cookie(office), "")
    told = {name: asked.getlist(name) for name in ("code", "state", "iss")}
    whole = all(len(each) <= 1 and len("".join(each)) <= _LONGEST for each in told.values())
    try:
        sign_in = organisation(request)
        if not whole or not told["code"] or not told["state"]:
            raise TokenError("your organisation sent no code.", remedy="Sign in again.")  # noqa: TRY301
        cookie = sign_in.back(
            kept,
            state=told["state"][0],
            code=told["code"][0],
            issuer=told["iss"][0] if told["iss"] else None,
            back=_back(office),
        )
    except (TokenError, RightsError, OfficeError) as error:
        made = _wrong(request, error)
    else:
        made = _welcome(request, office, cookie)
    made.delete_cookie(_cookie(office), path="/", secure=office.door.address.secure, httponly=True)
    return made


@router.post("/sign-in/forwarded")
def forwarded(request: Request) -> Response:
    """Sign in whoever the proxy in front names; its word counts here and nowhere else."""
    office = office_of(request)
    same_page(request, office.door)
    office.limits.take("organisation")
    sign_in = office.sign_in
    try:
        if sign_in is None:
            raise TokenError("no proxy vouches for people here.", remedy="Use a token.")  # noqa: TRY301
        cookie = sign_in.forwarded(request)
    except (TokenError, RightsError) as error:
        return _wrong(request, error)
    return _welcome(request, office, cookie)


def _welcome(request: Request, office: OfficeHost, cookie: str) -> Response:
    """A page between: browsers do not send a new cookie on the way back from another site."""
    access, _ = office.vault.resume(cookie)
    request.state.cookie = cookie
    request.state.told["who"] = access.member.name
    return public_page(request, "signed_in.html", name=access.member.name)


def _wrong(request: Request, error: ShoalError) -> Response:
    request.state.told["outcome"] = error.code
    status = {TokenError: 401, RightsError: 403}.get(type(error), 503)
    return sign_in_page(request, status=status, problem=f"{error.problem} {error.remedy}")


def _back(office: OfficeHost) -> str:
    return f"{office.door.address.origin}{_BACK}"


def _cookie(office: OfficeHost) -> str:
    address = office.door.address
    return f"{'__Host-' if address.secure else ''}shoal-away-{address.port}"
