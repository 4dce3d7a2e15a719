"""Releases: the one act that spends, and a page for each answer."""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from shoal.errors import ShoalError
from shoal.query import Answer
from shoal.server.console.answer_view import citation, view_of
from shoal.server.console.ask_pages import ask_page
from shoal.server.console.forms import unreadable_form
from shoal.server.console.question_form import QuestionForm
from shoal.server.console.visitor import PLACE, Visiting, Visitor
from shoal.server.failures import Refused
from shoal.server.office.release_routes import answered_in_time, still_under_way
from shoal.vault import Release
from shoal.vault.people.rights import Right
from shoal.vault.report_pictures import answer_pictures

router = APIRouter()
_KEY = re.compile(r"[0-9a-f]{32}|approval [0-9]{1,16}")


@router.post("/releases")
async def release(visitor: Visiting) -> Response:
    """Release the answer to a question, paid from the person's allowance."""
    form, key = QuestionForm.of(visitor.sent), visitor.sent.text("key", most=40)
    if not _KEY.fullmatch(key):
        raise unreadable_form()

    def act() -> tuple[Answer, int]:
        asked, terms = form.asked(visitor.access)
        visitor.request.state.told["question"] = asked.digest
        before = visitor.access.vault.position
        return visitor.access.release(form.sql, key=key, **terms), before

    try:
        return await released(visitor, key, act)
    except ShoalError as error:
        return await run_in_threadpool(ask_page, visitor, form, error=error)


async def released(visitor: Visitor, key: str, act: Any) -> Response:
    """To the page of the answer, or to one that waits for it."""
    made = await answered_in_time(visitor.request, visitor.here, key, act)
    if made.status_code == 202:
        return RedirectResponse(f"{PLACE}/under-way/{key}", status_code=303)
    number = made.headers["location"].rpartition("/")[2]
    return RedirectResponse(f"{PLACE}/releases/{number}", status_code=303)


@router.get("/under-way/{key}")
def under_way(key: str, visitor: Visiting) -> Response:
    """A page that waits for an answer, and loads itself again."""
    busy = visitor.office.work.is_under_way(visitor.here.name, key)
    found = None if busy else visitor.access.release_by_key(key)
    if found is not None and visitor.told(found).state != "pending":
        return RedirectResponse(f"{PLACE}/releases/{found.number}", status_code=303)
    if not busy and found is None:
        raise Refused(404, "vault-1", "there is no release of yours here.", "See your releases.")
    return visitor.page("under_way.html")


@router.get("/releases")
def releases(visitor: Visiting) -> Response:
    """The last releases that the person may see, newest first."""
    found = list(map(visitor.told, reversed(visitor.access.releases(100))))
    return visitor.page("releases.html", releases=found)


@router.get("/releases/{number}")
def release_at(number: int, visitor: Visiting) -> Response:
    """One release: the table, the chart, the certificate and the downloads."""
    found = visitor.told(visitor.access.release_at(number, answer=False))
    readable = visitor.access.may_read(found)
    gallery = visitor.access.vault.gallery_for(visitor.here.name)
    return visitor.page(
        "release.html",
        release=found,
        view=view_of(found) if readable else None,
        readable=readable,
        cite=citation(found) if found.answer is not None else "",
        manages=visitor.may(Right.MANAGE) and readable,
        title=gallery.title(number) if number in list(gallery) else None,
        data=f"/api/v1/releases/{number}",
        chart=f"{PLACE}/releases/{number}/chart.svg",
    )


@router.get("/releases/{number}/chart.svg")
def chart(number: int, visitor: Visiting) -> Response:
    """The picture of an answer, with error bars."""
    return picture_of(visitor.told(visitor.access.release_at(number, answer=True)))


def picture_of(release: Release) -> Response:
    """The picture of a release as SVG."""
    drawn = answer_pictures([release]).get(release.number)
    if drawn is None:
        raise Refused(404, "vault-1", "there is nothing to draw.", "See the table.")
    return Response(drawn, media_type="image/svg+xml")


@router.post("/releases/{number}/publish")
def publish(number: int, visitor: Visiting) -> Response:
    """Let everybody see a release."""
    if visitor.office.work.holds(visitor.access.release_at(number, answer=False)):
        raise still_under_way(409, number)
    visitor.access.publish(number, visitor.sent.text("title", most=200))
    return RedirectResponse(f"{PLACE}/releases/{number}", status_code=303)


@router.post("/releases/{number}/withdraw")
def withdraw(number: int, visitor: Visiting) -> Response:
    """Let nobody new see it."""
    visitor.access.withdraw(number)
    return RedirectResponse(f"{PLACE}/releases/{number}", status_code=303)
