"""The public part: a poll's page, its definition, and the one place where reports are taken."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from shoal.errors import (
    AnsweredError,
    ClosedError,
    InvitationError,
    ReportError,
    ShoalError,
)
from shoal.polls import PublishedPoll
from shoal.server.bodies import read_json, text_of
from shoal.server.failures import Refused, malformed
from shoal.server.rendering import page
from shoal.server.respondent_page import respondents_page
from shoal.server.respondent_text import CLOSED, NO_POLL
from shoal.server.server_state import host_of

router = APIRouter(prefix="/p")

_FIELDS = {"mark", "report", "once"}
_ROOM = 1000
"""Bytes of a report's body beside the report itself."""


@router.get("/{name}")
def shown(name: str, request: Request) -> Response:
    """The page that randomises; a closed poll says that it is closed."""
    try:
        handle = host_of(request).poll(name)
    except Refused:
        return page("state.html", status=404, state=NO_POLL)
    poll = handle.poll
    if not handle.is_open:
        return page("state.html", language=poll.language, state=CLOSED)
    return respondents_page(poll)


@router.get("/{name}/definition.json")
def definition(name: str, request: Request) -> Response:
    """The definition, as the very text whose SHA-256 is the poll's mark."""
    poll = host_of(request).poll(name).poll
    return Response(poll.to_json(), media_type="application/json")


@router.post("/{name}/reports")
async def taken(name: str, request: Request) -> Response:
    """One report, counted once."""
    host = host_of(request)
    host.door.same_origin(request)
    handle = await run_in_threadpool(host.poll, name)
    body = await read_json(request, most=sum(handle.poll.widths) + _ROOM)
    if set(body) != _FIELDS:
        raise malformed()
    mark, report, once = (text_of(body, field, most=10**6) for field in ("mark", "report", "once"))
    if mark != handle.poll.mark:
        raise Refused(
            400,
            "poll-2",
            "the report was made for another definition.",
            "Load the page again.",
        )
    await run_in_threadpool(_count, handle, report, once, mark)
    return JSONResponse({"counted": True}, status_code=201)


_STATUSES: tuple[tuple[type[ShoalError], int], ...] = (
    (ReportError, 400),
    (InvitationError, 403),
    (AnsweredError, 409),
    (ClosedError, 410),
)


def _count(handle: PublishedPoll, report: str, once: str, mark: str) -> None:
    """Count a report; what is wrong with the vault is for the researcher to know, not for
    respondents.
    """
    try:
        handle.add(report, once=once, mark=mark)
    except ShoalError as error:
        status = next((status for kind, status in _STATUSES if isinstance(error, kind)), None)
        if status is None:
            raise Refused(
                503, error.code, "the poll cannot take reports now.", "Try again later."
            ) from None
        raise Refused(status, error.code, error.problem, error.remedy) from None
