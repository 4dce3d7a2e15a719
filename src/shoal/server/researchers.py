"""The researcher's pages; what stands in them is fetched by their scripts."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from shoal.polls import Poll, PublishedPoll
from shoal.polls.protocol import DEVICE
from shoal.polls.sayable_odds import epsilon_in_few_digits, in_few_words
from shoal.polls.written_poll import epsilon_text
from shoal.server.failures import Refused
from shoal.server.poll_draft import ODDS, OWN_DESIGNS
from shoal.server.qr_code import can_draw, respondent_link
from shoal.server.rendering import page
from shoal.server.respondent_page import respondents_page
from shoal.server.respondent_text import LOST, NO_DRAFT, NO_KEY, promise, sentence
from shoal.server.server_state import host_of

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
    return page("new.html", designs=OWN_DESIGNS, odds=ODDS)


@router.get("/drafts/{mark}")
def drafted(mark: str, request: Request) -> Response:
    """The respondent's page of a draft, before anything is published."""
    host = host_of(request)
    if not host.door.knows(request):
        return _no_key()
    found = host.draft(mark)
    if found is None:
        return page("state.html", status=404, state=NO_DRAFT)
    return respondents_page(found, preview=True)


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
    origin, poll = host.door.address.origin, handle.poll
    return page(
        "poll.html",
        poll=summary(handle),
        mark=poll.mark,
        link=None if poll.once == "invitation" else respondent_link(origin, poll),
        code=can_draw(),
        here_only=not host.door.address.secure,
        asked=_asked(poll),
        show_sent=poll.show_sent,
        device=any(each.way == DEVICE for arm in poll.arms for each in arm.designs),
    )


def _asked(poll: Poll) -> list[dict[str, str]]:
    """How each group is asked: the odds in words, and the exact epsilon for who wants it."""
    return [
        {
            "name": arm.name if len(poll.arms) > 1 else "",
            "words": sentence("; ".join(dict.fromkeys(map(in_few_words, arm.designs)))),
            "epsilon": (
                ""
                if len(arm.direct) == len(arm.designs)
                else f"{epsilon_in_few_digits(arm)}, at most {epsilon_text(arm.hidden_epsilon)}"
            ),
        }
        for arm in poll.arms
    ]


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
