"""What went wrong, as a status and words; never the text of an engine, never what was sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from shoal.errors import InputError, LedgerError, ShoalError

UNEXPECTED = {
    "code": "internal-1",
    "message": "something unexpected happened.",
    "remedy": "Try again; if it stays, report it.",
}
_WORDS = {404: "there is nothing here.", 405: "this cannot be done here."}


class Refused(Exception):  # noqa: N818 - what happened, not a mistake
    """A request that is answered with a status and words of its own."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        remedy: str,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})
        self.told = {"code": code, "message": message, "remedy": remedy}


def answered(status: int, told: dict[str, Any]) -> Response:
    """The one wire shape of every error."""
    return JSONResponse({"error": told}, status_code=status)


def status_of(error: ShoalError) -> int:
    """The status of an error of the floors below: what was typed, or what is wrong with the
    vault.
    """
    if isinstance(error, InputError):
        return 400
    return 503 if isinstance(error, LedgerError) else 409


def add_failures(app: FastAPI) -> None:
    """Translate every error at this one boundary."""

    @app.exception_handler(Refused)
    def refused(_: Request, error: Refused) -> Response:
        return answered(error.status, error.told)

    @app.exception_handler(ShoalError)
    def known(_: Request, error: ShoalError) -> Response:
        told = {"code": error.code, "message": error.problem, "remedy": error.remedy}
        return answered(status_of(error), told)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, __: RequestValidationError) -> Response:
        return answered(400, malformed().told)

    @app.exception_handler(HTTPException)
    def plain(_: Request, error: HTTPException) -> Response:
        words = _WORDS.get(error.status_code, "this cannot be answered.")
        told = {"code": "http-1", "message": words, "remedy": "Check the address."}
        return answered(error.status_code, told)


def malformed() -> Refused:
    """A body or a field that cannot be read; it is not quoted."""
    return Refused(
        400,
        "request-1",
        "the request is not of the form it should have.",
        "See docs/polls.md for what is sent where.",
    )
