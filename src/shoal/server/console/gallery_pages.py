"""Published releases, for everybody."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from shoal.server.console.answer_pages import picture_of
from shoal.server.console.answer_view import citation, view_of
from shoal.server.console.visitor import PLACE, public_page
from shoal.server.office.office_state import office_of
from shoal.server.office.public_routes import PUBLIC
from shoal.vault.people.gallery import Gallery

router = APIRouter(prefix="/public")


def _gallery(request: Request) -> Gallery:
    return office_of(request).vault.gallery_for(PUBLIC)


@router.get("")
def gallery(request: Request) -> Response:
    """Every published release."""
    found = _gallery(request)
    shown = [(found[each], found.title(each)) for each in list(found)]
    return public_page(request, "gallery.html", releases=shown)


@router.get("/{number}")
def published(number: int, request: Request) -> Response:
    """One published release."""
    found = _gallery(request)
    release, title = found[number], found.title(number)
    return public_page(
        request,
        "release.html",
        release=release,
        view=view_of(release),
        readable=True,
        cite=citation(release),
        manages=False,
        title=title,
        data=f"/api/v1/public/releases/{number}",
        chart=f"{PLACE}/public/{number}/chart.svg",
    )


@router.get("/{number}/chart.svg")
def chart(number: int, request: Request) -> Response:
    """Its picture."""
    return picture_of(_gallery(request)[number])
