"""The office as an application of its own under `/api/v1`, with its OpenAPI document."""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from shoal.errors import (
    BudgetExceeded,
    ChangedError,
    ChargeError,
    InFlightError,
    InputError,
    KeyReusedError,
    LedgerError,
    RightsError,
    ShoalError,
    TokenError,
    UnansweredError,
    VaultError,
)
from shoal.server.failures import UNEXPECTED, Refused, answered
from shoal.server.office import (
    dataset_routes,
    declaration_routes,
    owner_routes,
    public_routes,
    release_routes,
    request_routes,
)
from shoal.server.office.access_log import AccessLog
from shoal.server.office.authentication import session_cookie
from shoal.server.office.office_state import OfficeHost
from shoal.server.office.request_bodies import unreadable
from shoal.server.sign_in import device_routes

PREFIX = "/api/v1"
PARTS = (
    device_routes,
    dataset_routes,
    declaration_routes,
    release_routes,
    request_routes,
    public_routes,
    owner_routes,
)
"""Every part of the interface, each with its routes."""

_STATUSES: tuple[tuple[type[ShoalError], int], ...] = (
    (TokenError, 401),
    (RightsError, 403),
    (BudgetExceeded, 409),
    (InputError, 400),
    (KeyReusedError, 409),
    (InFlightError, 409),
    (ChargeError, 409),
    (ChangedError, 409),
    (UnansweredError, 503),
    (LedgerError, 503),
)
_PLACE = re.compile(r"line (\d+), column (\d+): ")


def office_app(office: OfficeHost) -> Any:
    """The office as an application to mount at `PREFIX`."""
    app = FastAPI(
        title="Shoal office",
        version="1",
        description="Ask a vault for private answers, within an allowance.",
        openapi_url="/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.office = office
    for each in PARTS:
        app.include_router(each.router)
    _add_failures(app)
    cookie = session_cookie(office.door)
    return AccessLog(app, door=office.door, cookie=cookie, limits=office.limits)


def status_for(error: ShoalError, request: Request) -> int:
    """The status of an error of the floors below."""
    if isinstance(error, VaultError):  # not there, or there already
        return 404 if request.method == "GET" else 409
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 409)


def _add_failures(app: FastAPI) -> None:
    """Translate every error at this one boundary, in one shape, with the id of the request."""

    @app.exception_handler(ShoalError)
    def known(request: Request, error: ShoalError) -> Response:
        told = {"code": error.code, "message": error.problem, "remedy": error.remedy}
        place = _PLACE.match(error.problem)
        if place is not None:
            told["position"] = {"line": int(place[1]), "column": int(place[2])}  # type: ignore[assignment]
        status = status_for(error, request)
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
        return _said(request, status, told, headers)

    @app.exception_handler(Refused)
    def refused(request: Request, error: Refused) -> Response:
        return _said(request, error.status, error.told, error.headers)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, _: RequestValidationError) -> Response:
        return _said(request, 400, unreadable().told, {})

    @app.exception_handler(Exception)
    def unexpected(request: Request, _: Exception) -> Response:
        return _said(request, 500, UNEXPECTED, {})  # its text may hold anything

    @app.exception_handler(HTTPException)
    def plain(request: Request, error: HTTPException) -> Response:
        words = {404: "there is nothing here.", 405: "this cannot be done here."}
        message = words.get(error.status_code, "this cannot be answered.")
        told = {"code": "http-1", "message": message, "remedy": "Check the address."}
        return _said(request, error.status_code, told, dict(error.headers or {}))


def _said(request: Request, status: int, told: dict[str, Any], headers: dict[str, str]) -> Response:
    request.state.told["outcome"] = told["code"]
    named = getattr(request.state, "request_id", None)
    made = answered(status, {**told, "request": named})
    made.headers.update(headers)
    return made
