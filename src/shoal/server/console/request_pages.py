"""Requests: analysts ask for more than their allowance, stewards approve or deny."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from shoal.errors import ShoalError
from shoal.query import Answer
from shoal.server.console.answer_pages import released
from shoal.server.console.ask_pages import ask_page
from shoal.server.console.forms import unreadable_form
from shoal.server.console.question_form import QuestionForm
from shoal.server.console.visitor import PLACE, Visiting
from shoal.vault.people.approval_request import ApprovalRequest
from shoal.vault.people.requests import approval_key
from shoal.vault.people.rights import Right
from shoal.vault.releases import Release

MOST_BEFORE = 20
"""So many earlier releases of an asker are listed beside a request."""

router = APIRouter(prefix="/requests")


@router.post("")
def ask(visitor: Visiting) -> Response:
    """Request a release; nothing is spent."""
    form = QuestionForm.of(visitor.sent)
    try:
        _, terms = form.asked(visitor.access)
        made = visitor.access.ask_for(form.sql, purpose=visitor.sent.text("purpose"), **terms)
    except ShoalError as error:
        return ask_page(visitor, form, error=error)
    return RedirectResponse(f"{PLACE}/requests#request-{made.number}", status_code=303)


@router.get("")
def requests(visitor: Visiting) -> Response:
    """Those that wait for a decision first, then the newest."""
    found = sorted(visitor.access.requests(), key=lambda each: (each.state != "open", -each.number))
    done = {
        each.number: made.number
        for each in found
        if each.by == visitor.here.name
        and each.state == "approved"
        and visitor.may(Right.ASK)
        and (made := visitor.access.release_by_key(approval_key(each.number))) is not None
    }
    decides = {
        each.number
        for each in found
        if each.by != visitor.here.name
        and all(visitor.may(Right.DECIDE, name) for name in each.datasets)
    }
    return visitor.page(
        "requests.html",
        requests=found,
        done=done,
        decides=decides,
        before=_before(visitor, [each for each in found if each.state == "open"]),
    )


def _before(visitor: Visiting, waiting: list[ApprovalRequest]) -> dict[int, list[Release]]:
    """What the asker of each request released of the same data before, the newest first, as far as
    the visitor may see it.
    """
    known = visitor.access.releases(None)[::-1] if waiting else []
    found = {
        request.number: [
            each
            for each in known
            if each.asked_by == request.by and set(each.datasets) & set(request.datasets)
        ][:MOST_BEFORE]
        for request in waiting
    }
    return {number: made for number, made in found.items() if made}


@router.post("/{number}/decide")
def decide(number: int, visitor: Visiting) -> Response:
    """Approve or deny a request."""
    word = visitor.sent.text("word")
    match visitor.sent.text("do", most=20):
        case "approve":
            visitor.access.approve(number, word)
        case "deny":
            visitor.access.deny(number, word)
        case _:
            raise unreadable_form()
    return RedirectResponse(f"{PLACE}/requests#request-{number}", status_code=303)


@router.post("/{number}/comment")
def comment(number: int, visitor: Visiting) -> Response:
    """Say something about a request."""
    visitor.access.comment(number, visitor.sent.text("word"))
    return RedirectResponse(f"{PLACE}/requests#request-{number}", status_code=303)


@router.post("/{number}/release")
async def release(number: int, visitor: Visiting) -> Response:
    """Release what was approved; asked again, the same answer."""

    def act() -> tuple[Answer, int]:
        before = visitor.access.vault.position
        return visitor.access.release_request(number), before

    return await released(visitor, approval_key(number), act)
