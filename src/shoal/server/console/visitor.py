"""Whoever opens a page: a browser that signed in, with the key of its forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool

from shoal.errors import TokenError
from shoal.server.access_check import Door
from shoal.server.address import CONSOLE
from shoal.server.console.forms import SentForm, read_form
from shoal.server.console.page_rights import PAGES, MenuEntry, menu_for
from shoal.server.failures import Refused
from shoal.server.office.authentication import Authenticated, count_in, session_cookie
from shoal.server.office.office_state import OfficeHost, office_of
from shoal.server.rendering import page
from shoal.vault import Release
from shoal.vault.people.access import no_right
from shoal.vault.people.owner_access import OwnerAccess
from shoal.vault.people.people import no_token
from shoal.vault.people.rights import Right

PLACE = CONSOLE
"""Where the console is mounted."""


@dataclass(frozen=True)
class Visitor:
    """A person in a browser, what they sent, and what their forms send along."""

    request: Request
    here: Authenticated
    form_key: str
    sent: SentForm

    @property
    def access(self) -> OwnerAccess:
        """The vault, with the person's rights and no more."""
        return self.here.access

    @property
    def office(self) -> OfficeHost:
        """The office that they came to."""
        return office_of(self.request)

    def told(self, release: Release) -> Release:
        """A release as it may be seen now."""
        return self.office.work.told(release)

    @property
    def field(self) -> Markup:
        """The hidden field that every form carries."""
        return Markup('<input type="hidden" name="form" value="{}">').format(self.form_key)

    def may(self, right: Right, dataset: str | None = None) -> bool:
        """Whether to show something at all; the vault decides again when it is asked."""
        return self.access.member.may(right, dataset)

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page with the person's menu on it."""
        return page(
            f"console/{template}",
            status=status,
            visitor=self,
            menu=menu_for(self.access.member),
            place=PLACE,
            **values,
        )


def resumed(request: Request) -> Authenticated:
    """The person whose browser signed in; refused where there is no session that counts."""
    office = office_of(request)
    cookie = request.cookies.get(session_cookie(office.door))
    if cookie is None:
        raise no_token()
    access, session = office.vault.resume(cookie)
    request.state.cookie = office.vault.cookie_of(session)
    token = None if access.token is None else access.token.name
    request.state.told |= {"who": access.member.name, "token": token}
    return Authenticated(access, session)


def same_page(request: Request, door: Door) -> None:
    """Refuse forms that another site's page sends.

    Pages of this server say nothing about where a reader comes from, so browsers send their forms
    with the origin *null*.  Browsers say themselves that they come from the same origin, and no page
    can make them say so.
    """
    site = request.headers.getlist("sec-fetch-site")
    if site == ["same-origin"] and request.headers.get("origin", "null") == "null":
        return
    door.same_origin(request)


async def visiting(request: Request) -> Visitor:
    """Whoever opens a page or sends a form of one, if the table of pages lets them."""
    office, place = office_of(request), (request.method, request.scope["route"].path)
    here = await run_in_threadpool(resumed, request)
    assert here.session is not None
    count_in(request, here.name)
    office.limits.take(f"session of {here.name}")
    needed = PAGES.get(place)
    if place not in PAGES or needed is None:
        raise no_right(here.access.member, Right.MANAGE, None)  # closed to everybody
    sent = SentForm({})
    if request.method != "GET":
        same_page(request, office.door)
        sent = await read_form(request)
        if not office.vault.form_fits(here.session, sent.fields.get("form", "")):
            raise Refused(
                403,
                "form-1",
                "this form was not made by a page of this server.",
                "Load the page again, and send it once more.",
            )
    if needed and not any(map(here.access.member.may, needed)):
        raise no_right(here.access.member, needed[0], None)
    return Visitor(request, here, office.vault.form_key(here.session), sent)


Visiting = Annotated[Visitor, Depends(visiting)]
"""A page's argument: the person who opened it."""


def anybody(request: Request) -> Visitor | None:
    """Whoever opens a public page: a person if their browser signed in, or None."""
    try:
        here = resumed(request)
    except TokenError:
        return None
    assert here.session is not None
    key = office_of(request).vault.form_key(here.session)
    return Visitor(request, here, key, SentForm({}))


def public_page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """A page that needs no sign-in."""
    visitor = anybody(request)
    if visitor is not None:
        return visitor.page(template, status=status, **values)
    menu: list[MenuEntry] = menu_for(None)
    return page(
        f"console/{template}", status=status, visitor=None, menu=menu, place=PLACE, **values
    )
