"""The application: its routes, its headers and its errors, over one vault."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse

from shoal.server import api, researchers, respondents
from shoal.server.access_check import Door
from shoal.server.address_fields import Short
from shoal.server.console.console_app import console_app
from shoal.server.console.visitor import PLACE
from shoal.server.early_refusals import Gate
from shoal.server.failures import add_failures
from shoal.server.headers import Envelope
from shoal.server.office.office_app import PREFIX, office_app
from shoal.server.office.office_state import OfficeHost
from shoal.server.rendering import FILES, file_bytes, page
from shoal.server.respondent_text import LOST
from shoal.server.server_state import Host
from shoal.vault import Vault


def application(vault: Vault, door: Door, office: OfficeHost | None = None) -> FastAPI:
    """The server of a vault: its office for people with tokens; of its polls, public pages for
    respondents, and the rest for whoever has the key.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.host = Host(vault, door)
    add_failures(app)

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in FILES:
            return page("state.html", status=404, state=LOST)
        return Response(
            file_bytes(name), media_type=FILES[name], headers={"Cache-Control": "no-cache"}
        )

    @app.get("/")
    def front(request: Request, key: Short | None = None) -> Response:
        if key is None:
            return researchers.listed(request)
        answer = RedirectResponse("/", status_code=303)
        if door.fits(key):
            door.let_in(answer)
        return answer

    host = office or OfficeHost(vault, door)
    app.mount(PREFIX, office_app(host))
    app.mount(PLACE, console_app(host))
    app.include_router(respondents.router)
    app.include_router(researchers.router)
    app.include_router(api.router)
    app.add_middleware(Gate, hosts=door.address.hosts)
    app.add_middleware(Envelope, secure=door.address.secure)
    return app
