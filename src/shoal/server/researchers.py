"""The researcher's pages; what stands in them is fetched by their scripts."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from shoal.polls import PublishedPoll
from shoal.server.drafting import OWN_DESIGNS
from shoal.server.failures import Refused
from shoal.server.host import host_of
from shoal.server.rendering import page
from shoal.server.respondent_text import LOST, NO_KEY, promise

router = APIRouter(prefix="/polls")


def listed(request: Request) -> Response:
    """Every poll of the vault, the newest first."""
    host = host_of(request)
    if not host.door.knows(request):
        return _no_key()
    found = [summary(host.poll(name)) for name in reversed(list(host.vault.polls))]
    return page("polls.html", polls=found)


@router.get("")
def polls(request: Request) -> Response:
    """The same, under its other address."""
    return listed(request)


@router.get("/new")
def new(request: Request) -> Response:
    """The design wizard."""
    if not host_of(request).door.knows(request):
        return _no_key()
    return page("new.html", designs=OWN_DESIGNS)


@router.get("/{name}")
def one(name: str, request: Request) -> Response:
    """The page of one poll."""
    host = host_of(request)
    if not host.door.knows(request):
        return _no_key()
    try:
        handle = host.poll(name)
    except Refused:
        return page("state.html", status=404, state=LOST)
    return page("poll.html", poll=summary(handle), mark=handle.poll.mark)


def summary(handle: PublishedPoll) -> dict[str, object]:
    """A poll in one line of the list."""
    poll = handle.poll
    return {
        "name": poll.name,
        "title": poll.title,
        "once": poll.once,
        "open": handle.is_open,
        "reports": handle.people,
        "promise": promise(poll),
    }


def _no_key() -> Response:
    return page("state.html", status=401, state=NO_KEY)
