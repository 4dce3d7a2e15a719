"""Who sends a request: a token in a header, or the cookie of a browser that signed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from shoal.errors import TokenError
from shoal.server.access_check import Door
from shoal.server.failures import Refused
from shoal.server.office.office_state import OfficeHost, office_of
from shoal.server.office.route_rights import ROUTES
from shoal.vault.people.access import no_right
from shoal.vault.people.owner_access import OwnerAccess
from shoal.vault.people.people import no_token
from shoal.vault.people.rights import Right
from shoal.vault.people.sessions import BrowserSession

FORM_HEADER = "X-Shoal-Form"
"""Where a page sends the key of its forms; other sites cannot know it."""
_CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_LONGEST = 200


@dataclass(frozen=True)
class Authenticated:
    """A person at the vault, and the browser session they came by; None for a token."""

    access: OwnerAccess
    session: BrowserSession | None = None

    @property
    def name(self) -> str:
        """The person's name."""
        return self.access.member.name


def authenticated(request: Request) -> Authenticated:
    """Whoever sends a request; refused where there is no token or session that counts.

    A header counts before a cookie.  What a browser's session changes must come from a page of this
    origin and carry the key of its forms.
    """
    office = office_of(request)
    headers = request.headers.getlist("authorization")
    if headers:
        return Authenticated(office.vault.enter(_bearer(headers)))
    cookie = request.cookies.get(session_cookie(office.door))
    if cookie is None:
        raise no_token()
    access, session = office.vault.resume(cookie)
    if request.method in _CHANGING:
        office.door.same_origin(request)
        if not office.vault.form_fits(session, request.headers.get(FORM_HEADER, "")):
            raise Refused(
                403,
                "form-1",
                "this form was not made by a page of this server.",
                "Load the page again, and send it once more.",
            )
    request.state.cookie = office.vault.cookie_of(session)
    return Authenticated(access, session)


def _bearer(headers: list[str]) -> str:
    """The token of the one header that there must be."""
    scheme, _, token = headers[0].partition(" ")
    if len(headers) != 1 or scheme.lower() != "bearer" or not 0 < len(token) <= _LONGEST:
        raise no_token()
    return token


def session_cookie(door: Door) -> str:
    """The name of the cookie; browsers share cookies between the ports of a host."""
    return f"{'__Host-' if door.address.secure else ''}shoal-session-{door.address.port}"


def count_in(request: Request, person: str) -> None:
    """Count a request as one of a person's that are worked on; `AccessLog` counts it out."""
    office_of(request).limits.enter(person)
    request.state.inside = person


def signed_in(office: OfficeHost, token: str) -> str:
    """The cookie for a token.  Wrong tokens share one limit; right ones are never kept out by it."""
    try:
        return office.vault.sign_in(token)
    except TokenError:
        office.limits.take("sign-in")
        raise


def entered(request: Request) -> Authenticated:
    """Whoever sends a request, if the table of routes lets them in and they do not ask too much at
    a time.
    """
    route = request.scope["route"]
    place = (request.method, route.path)
    needed = ROUTES.get(place)
    found = authenticated(request)
    told = request.state.told
    told["who"] = found.name
    told["token"] = None if found.access.token is None else found.access.token.name
    count_in(request, found.name)
    office_of(request).limits.take(told["token"] or f"session of {found.name}")
    if place not in ROUTES or needed is None:
        raise no_right(found.access.member, Right.MANAGE, None)  # closed to everybody
    if needed and not any(map(found.access.member.may, needed)):
        raise no_right(found.access.member, needed[0], None)
    return found


Entered = Annotated[Authenticated, Depends(entered)]
"""A route's argument: the person who came in."""
