"""The console as an application of its own under `/office`: its pages, and its errors as pages."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from shoal.errors import ShoalError, TokenError
from shoal.server.console import (
    answer_pages,
    ask_pages,
    budget_pages,
    dataset_pages,
    gallery_pages,
    home_page,
    log_pages,
    organisation_pages,
    people_pages,
    registering_pages,
    request_pages,
    sign_in_pages,
)
from shoal.server.console.forms import unreadable_form
from shoal.server.console.sign_in_pages import ENDED, sign_in_page
from shoal.server.console.visitor import PLACE, public_page
from shoal.server.failures import UNEXPECTED, Refused
from shoal.server.office.access_log import AccessLog
from shoal.server.office.authentication import session_cookie
from shoal.server.office.office_app import status_for
from shoal.server.office.office_state import OfficeHost, office_of

PARTS = (
    sign_in_pages,
    organisation_pages,
    home_page,
    ask_pages,
    answer_pages,
    request_pages,
    budget_pages,
    dataset_pages,
    registering_pages,
    people_pages,
    log_pages,
    gallery_pages,
)
"""Every part of the console, each with its pages."""


def console_app(office: OfficeHost) -> Any:
    """The console as an application to mount at `PLACE`."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.office = office
    for each in PARTS:
        app.include_router(each.router)
    _add_failures(app)
    cookie = session_cookie(office.door)
    return AccessLog(app, door=office.door, cookie=cookie, limits=office.limits)


def _add_failures(app: FastAPI) -> None:
    """Translate every error at this one boundary, as a page."""

    @app.exception_handler(TokenError)
    def nobody(request: Request, error: TokenError) -> Response:
        request.state.told["outcome"] = error.code
        if session_cookie(office_of(request).door) in request.cookies:  # one that is over
            request.state.cookie = ""
        if request.method == "GET":
            return RedirectResponse(f"{PLACE}/sign-in", status_code=303)
        return sign_in_page(request, status=401, problem=ENDED)

    @app.exception_handler(ShoalError)
    def known(request: Request, error: ShoalError) -> Response:
        told = {"code": error.code, "message": error.problem, "remedy": error.remedy}
        return _said(request, status_for(error, request), told)

    @app.exception_handler(Refused)
    def refused(request: Request, error: Refused) -> Response:
        made = _said(request, error.status, error.told)
        made.headers.update(error.headers)
        return made

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, _: RequestValidationError) -> Response:
        return _said(request, 400, unreadable_form().told)

    @app.exception_handler(Exception)
    def unexpected(request: Request, _: Exception) -> Response:
        return _said(request, 500, UNEXPECTED)  # its text may hold anything

    @app.exception_handler(HTTPException)
    def plain(request: Request, error: HTTPException) -> Response:
        words = {404: "there is nothing here.", 405: "this cannot be done here."}
        message = words.get(error.status_code, "this cannot be answered.")
        told = {"code": "http-1", "message": message, "remedy": "Check the address."}
        return _said(request, error.status_code, told)


def _said(request: Request, status: int, told: dict[str, Any]) -> Response:
    request.state.told["outcome"] = told["code"]
    named = getattr(request.state, "request_id", None)
    return public_page(request, "problem.html", status=status, told=told, named=named)
