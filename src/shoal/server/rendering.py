"""Pages from templates, and the fingerprints of the files they load."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha384
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE = Path(__file__).parent
STATIC = HERE / "static"
FILES = {
    "style.css": "text/css; charset=utf-8",
    "client.js": "text/javascript; charset=utf-8",
    "report_meaning.js": "text/javascript; charset=utf-8",
    "respond.js": "text/javascript; charset=utf-8",
    "drawing.js": "text/javascript; charset=utf-8",
    "wizard.js": "text/javascript; charset=utf-8",
    "research.js": "text/javascript; charset=utf-8",
    "console.css": "text/css; charset=utf-8",
    "ask.js": "text/javascript; charset=utf-8",
    "sign_in.js": "text/javascript; charset=utf-8",
    "declaration.js": "text/javascript; charset=utf-8",
    "sql_editor.js": "text/javascript; charset=utf-8",
    "signed_in.js": "text/javascript; charset=utf-8",
}


@cache
def file_bytes(name: str) -> bytes:
    """A static file, as it is served until the server ends."""
    return (STATIC / name).read_bytes()


@cache
def integrity(name: str) -> str:
    """What a browser checks a file against before it runs it."""
    return "sha384-" + b64encode(sha384(file_bytes(name)).digest()).decode()


@cache
def _pages() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["integrity"] = integrity
    return made


def rendered(template: str, **values: Any) -> str:
    """The text of a page; every value in it is escaped."""
    return _pages().get_template(template).render(**{"inline": None, **values})


def page(template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page as an answer."""
    return HTMLResponse(rendered(template, **values), status_code=status)
