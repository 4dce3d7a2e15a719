"""Releases: the one act that spends, and everything that was released."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from shoal.errors import InFlightError
from shoal.query import Answer
from shoal.query.stored_answer import Kept, stored
from shoal.server.failures import Refused
from shoal.server.office.authentication import Authenticated, Entered
from shoal.server.office.dataset_routes import file_of
from shoal.server.office.office_state import office_of
from shoal.server.office.request_bodies import PricedBody, body_of, described
from shoal.vault import Release

router = APIRouter(tags=["releases"])

KEY_HEADER = "Idempotency-Key"
Key = Annotated[
    str,
    Header(
        alias=KEY_HEADER,
        min_length=1,
        max_length=100,
        pattern=r"^[A-Za-z0-9 ._:+=-]+$",
        description="A name of your own for this act: it is charged and answered once.",
    ),
]
Number = int
Form = Literal["csv", "parquet", "json"]
Limit = Annotated[int, Query(ge=1, le=10_000)]


@router.post(
    "/releases",
    status_code=201,
    openapi_extra=described(PricedBody),
    responses={202: {"description": "It takes long; the answer is found at the Location."}},
)
async def release(
    request: Request,
    here: Entered,
    key: Key,
    body: Annotated[PricedBody, Depends(body_of(PricedBody))],
) -> Response:
    """The private answer, paid from my allowance; charged before a row is read.

    The same key again gives the same answer, and costs nothing.
    """

    def act() -> tuple[Answer, int]:
        before = here.access.vault.position
        found = here.access.release(
            body.sql,
            key=key,
            weights=body.weights,
            intervals=body.intervals,
            note=lambda asked: request.state.told.update(question=asked.digest),
            **body.terms,
        )
        return found, before

    return await answered_in_time(request, here, key, act)


async def answered_in_time(request: Request, here: Authenticated, key: str, act: Any) -> Response:
    """The answer of an act, or where it will be found."""
    if len(request.headers.getlist(KEY_HEADER)) > 1:
        raise Refused(400, "request-1", "there is more than one key.", "Send one.")
    work = office_of(request).work
    try:
        found = await work.done(
            here.name,
            key,
            act,
            read_rows=lambda made: not _is_free(*made),
            charged_to=lambda made: here.access.vault.charged_to(made[0].certificate),
        )
    except InFlightError:
        found = None
    if found is None:
        request.state.told["outcome"] = "under way"
        return later(key)
    answer, before = found
    number = here.access.vault.release_number(answer.certificate)
    request.state.told |= {"price": answer.price, "release": number}
    told = {"release": number, "free": _is_free(answer, before), **stored(answer)}
    return JSONResponse(told, status_code=201, headers={"Location": f"/api/v1/releases/{number}"})


def _is_free(answer: Answer, before: int) -> bool:
    """Whether an answer was given before; then nothing was charged, and no row was read."""
    entry: int = answer.certificate["ledger"]["entry"]
    return entry <= before


def later(key: str) -> Response:
    """Where the answer to a request that takes long is found."""
    place = f"/api/v1/releases/by-key/{quote(key, safe='')}"
    told = {"state": "pending", "location": place}
    return JSONResponse(told, status_code=202, headers={"Location": place, "Retry-After": "1"})


@router.get("/releases")
def releases(request: Request, here: Entered, limit: Limit = 50) -> Any:
    """The last releases that I may see, oldest first, without their answers."""
    told = office_of(request).work.told
    return {"releases": [told(each).to_dict() for each in here.access.releases(limit)]}


@router.get("/log")
def log(request: Request, here: Entered, limit: Limit = 50) -> Any:
    """Who released what, when and for how much, oldest first."""
    told = office_of(request).work.told
    return {"log": [_logged(told(each)) for each in here.access.releases(limit)]}


@router.get(
    "/releases/by-key/{key}",
    responses={202: {"description": "It is still under way."}},
)
def by_key(key: str, request: Request, here: Entered) -> Response:
    """My release under a key: for those who lost the connection."""
    if office_of(request).work.is_under_way(here.name, key):
        return later(key)
    found = here.access.release_by_key(key)
    if found is None:
        raise Refused(
            404, "vault-1", "there is no release of yours under this key.", "Ask with it."
        )
    if office_of(request).work.told(found).state == "pending":
        return later(key)
    return JSONResponse(whole(found))


@router.get("/releases/{number}")
def release_at(number: Number, request: Request, here: Entered) -> Any:
    """One release with its answer."""
    return whole(_told(request, here, number))


@router.get("/releases/{number}/certificate")
def certificate(number: Number, request: Request, here: Entered) -> Any:
    """The certificate of a release."""
    return _told(request, here, number, answer=False).certificate


@router.get("/releases/{number}/report.html")
def report(number: Number, request: Request, here: Entered) -> Response:
    """A page on a release, to download."""
    if _told(request, here, number).state == "pending":
        raise still_under_way(404, number)
    page = here.access.vault.report(number, pictures=False).html()
    named = {"Content-Disposition": f'attachment; filename="release-{number}.html"'}
    return Response(page, media_type="text/html; charset=utf-8", headers=named)


@router.get("/releases/{number}/data.{form}")
def data(number: Number, form: Form, request: Request, here: Entered) -> Response:
    """The released table with its intervals."""
    return table_of(_told(request, here, number), form)


@router.post("/verify")
def verify(here: Entered) -> Any:
    """Read the whole journal again, and say what is wrong."""
    found = here.access.verify()
    return {
        "sound": found.is_sound,
        "entries": found.head.number,
        "head": str(found.head),
        "findings": list(found.findings),
        "accepted": list(found.accepted),
    }


def _told(request: Request, here: Authenticated, number: int, *, answer: bool = True) -> Release:
    """A release as it may be seen now."""
    return office_of(request).work.told(here.access.release_at(number, answer=answer))


def still_under_way(status: int, number: int) -> Refused:
    """What is said of a release that is not answered yet."""
    return Refused(status, "vault-1", f"release {number} is still under way.", "Ask again later.")


def whole(release: Release) -> dict[str, Any]:
    """A release as it is told, with its answer if there is one."""
    return {**release.to_dict(), "answer": release.answer}


def _logged(release: Release) -> dict[str, Any]:
    body = release.entry.body
    return {**release.to_dict(), "event": body["event"], "hash": release.entry.hash}


def table_of(release: Release, form: str) -> Response:
    """The table of a release as a file."""
    kept = release.answer
    if kept is None or "columns" not in kept:
        raise Refused(404, "vault-1", f"release {release.number} has no table.", "See its state.")
    if form == "json":
        names = ("columns", "types", "rows", "intervals", "confidence", "notes")
        text = json.dumps({name: kept[name] for name in names})
        named = {"Content-Disposition": f'attachment; filename="release-{release.number}.json"'}
        return Response(text, media_type="application/json", headers=named)
    return file_of(Kept(kept).to_rows(), form, f"release-{release.number}")
