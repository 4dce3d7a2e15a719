"""The log, and the check of the journal, for auditors and owners."""

from __future__ import annotations

from fastapi import APIRouter, Response

from shoal.server.console.visitor import Visiting, Visitor
from shoal.vault.people.rights import Right

router = APIRouter()
_MOST = 200


@router.get("/log")
def log(visitor: Visiting) -> Response:
    """Who released what, when and for how much, newest first."""
    return _page(visitor, None)


@router.post("/verify")
def verify(visitor: Visiting) -> Response:
    """Read the whole journal again, and say what is wrong."""
    return _page(visitor, visitor.access.verify())


def _page(visitor: Visitor, found: object) -> Response:
    found_releases = visitor.access.releases(_MOST) if visitor.may(Right.LOG) else []
    shown = list(map(visitor.told, reversed(found_releases)))
    return visitor.page(
        "log.html", releases=shown, verified=found, verifies=visitor.may(Right.VERIFY)
    )
