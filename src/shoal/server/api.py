"""The researcher's acts and figures as JSON, for whoever has the key."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from shoal.errors import PollError
from shoal.server import draft_preview, results_view
from shoal.server.address_fields import Name, Short
from shoal.server.bodies import read_json
from shoal.server.failures import malformed
from shoal.server.poll_draft import percent_of, poll_of
from shoal.server.qr_code import qr_svg, respondent_link
from shoal.server.researchers import summary
from shoal.server.server_state import host_of

_LONGEST = 1 << 18


def _researcher(request: Request) -> None:
    host_of(request).door.researcher(request)


router = APIRouter(prefix="/api", dependencies=[Depends(_researcher)])


@router.get("/polls")
def every(request: Request) -> Any:
    """Every poll of the vault, in the order in which they were published."""
    host = host_of(request)
    return {"polls": [summary(host.poll(name)) for name in host.vault.polls]}


@router.post("/polls")
async def create(request: Request) -> Response:
    """Publish the poll that a form describes; with the ``mark`` that was previewed, that one and no
    other.
    """
    body = await read_json(request, most=_LONGEST)

    def published() -> str:
        poll = poll_of(body.get("draft"))
        if body.get("mark", poll.mark) != poll.mark:
            raise PollError(
                "the draft was changed after you looked at it.",
                remedy="Look at the page again, then publish.",
            )
        return host_of(request).vault.publish(poll).name

    return JSONResponse({"name": await run_in_threadpool(published)}, status_code=201)


@router.post("/preview")
async def preview(request: Request) -> Any:
    """What a form would mean, and how many people it needs; nothing is kept."""
    body = await read_json(request, most=_LONGEST)

    def looked() -> dict[str, Any]:
        guess, margin = percent_of(body, "guess"), percent_of(body, "margin")
        poll = poll_of(body.get("draft"))
        found = draft_preview.preview(poll, guess=guess, margin=margin)
        mark = host_of(request).keep_draft(poll)
        return {**found, "mark": mark, "page": f"/polls/drafts/{mark}"}

    return await run_in_threadpool(looked)


@router.get("/polls/{name}/link.svg")
def link_code(name: str, request: Request) -> Response:
    """The link to the respondent's page as a QR code."""
    host = host_of(request)
    link = respondent_link(host.door.address.origin, host.poll(name).poll)
    return Response(qr_svg(link), media_type="image/svg+xml")


@router.get("/polls/{name}/results")
def results(name: str, request: Request, confidence: Short = "0.95") -> Any:
    """Estimates with their intervals, arms compared, and what was promised."""
    return results_view.results(host_of(request).poll(name), confidence)


@router.get("/polls/{name}/posterior")
def posterior(name: str, request: Request, question: Name, prior: Short = "estimate") -> Any:
    """What one report tells about its sender."""
    return results_view.posterior(host_of(request).poll(name), question, even=prior == "even")


@router.get("/polls/{name}/what-if")
def what_if(name: str, request: Request, question: Name, confidence: Short = "0.95") -> Any:
    """The margin, and how many people it needs, at other epsilons."""
    return results_view.what_if(host_of(request).poll(name), question, confidence)


@router.get("/polls/{name}/crosstab")
def crosstab(name: str, request: Request, one: Name, two: Name, confidence: Short = "0.95") -> Any:
    """Two questions together."""
    return results_view.crosstab(host_of(request).poll(name), one, two, confidence)


@router.get("/polls/{name}/export.csv")
def export_csv(name: str, request: Request) -> Response:
    """All counters as a table."""
    return _file(host_of(request).poll(name).to_csv(), "text/csv; charset=utf-8", f"{name}.csv")


@router.get("/polls/{name}/export.json")
def export_json(name: str, request: Request) -> Response:
    """The definition with its exact odds, and all counters."""
    return _file(host_of(request).poll(name).to_json(), "application/json", f"{name}.json")


def _file(text: str, kind: str, name: str) -> Response:
    named = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=kind, headers=named)


@router.post("/polls/{name}/close")
async def close(name: str, request: Request) -> Any:
    """Count no more reports."""
    await read_json(request, most=_LONGEST)
    await run_in_threadpool(lambda: host_of(request).poll(name).close())
    return {"open": False}


@router.post("/polls/{name}/reopen")
async def reopen(name: str, request: Request) -> Any:
    """Count reports again."""
    await read_json(request, most=_LONGEST)
    await run_in_threadpool(lambda: host_of(request).poll(name).reopen())
    return {"open": True}


@router.post("/polls/{name}/invitations")
async def invite(name: str, request: Request) -> Any:
    """New links, each good for one report; they are told once and kept nowhere."""
    body, host = await read_json(request, most=_LONGEST), host_of(request)
    people = body.get("count")
    if not isinstance(people, int) or isinstance(people, bool):
        raise malformed()
    tokens = await run_in_threadpool(lambda: host.poll(name).invite(people))
    place = f"{host.door.address.origin}/p/{name}"
    return {"links": [f"{place}#{token}" for token in tokens]}
