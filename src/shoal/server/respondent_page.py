"""The respondent's page of a poll: as it is served, and as a preview before it is published."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from fastapi.responses import HTMLResponse

from shoal.polls import Poll
from shoal.polls.protocol import BEFORE, DEVICE
from shoal.server.rendering import file_bytes, page, rendered
from shoal.server.respondent_text import STATES, ready


def respondents_page(poll: Poll, *, preview: bool = False) -> HTMLResponse:
    """The page that randomises; a preview keeps, sends and counts nothing."""
    return page("respond.html", **_values(poll), preview=preview, inline=None)


def preview_file(poll: Poll) -> str:
    """The preview as one file that needs no server: to be opened, or sent to whoever must agree."""
    return rendered("respond.html", **_values(poll), preview=True, inline=_inlined())


def _values(poll: Poll) -> dict[str, Any]:
    return {
        "language": poll.language,
        "poll": ready(poll),
        "states": STATES,
        "mark": poll.mark,
        "before": poll.show_sent == BEFORE,
        "device": any(each.way == DEVICE for arm in poll.arms for each in arm.designs),
        "definition": poll.to_json().replace("<", "\\u003c"),
    }


def _inlined() -> dict[str, str]:
    """The style and the scripts of the page; a file has no address that modules could be relative
    to, so they are named in a map.
    """
    modules = {name: _module(f"{name}.js") for name in ("client", "report_meaning", "respond")}
    imports = {
        name: f"data:text/javascript;base64,{b64encode(modules[name].encode()).decode()}"
        for name in ("client", "report_meaning")
    }
    return {
        "style": file_bytes("style.css").decode(),
        "imports": json.dumps({"imports": imports}),
        "script": modules["respond"],
    }


def _module(name: str) -> str:
    text = file_bytes(name).decode()
    for other in ("client", "report_meaning"):
        text = text.replace(f'"./{other}.js"', f'"{other}"')
    return text
