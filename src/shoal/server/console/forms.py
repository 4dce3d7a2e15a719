"""What a form of a page sends: few short fields, each of them once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from fastapi import Request

from shoal.server.bodies import read_body
from shoal.server.failures import Refused

MOST_BYTES = 1 << 17
_MOST_FIELDS = 40


@dataclass(frozen=True)
class SentForm:
    """The fields of a form, as text."""

    fields: Mapping[str, str]

    def text(self, name: str, *, most: int = 4000) -> str:
        """A field without blanks around it; empty where it was left out or not filled in."""
        found = self.fields.get(name, "").strip()
        if len(found) > most:
            raise unreadable_form()
        return found

    def choice(self, name: str) -> str | None:
        """A short field, or None where nothing was filled in."""
        return self.text(name, most=100) or None


async def read_form(request: Request) -> SentForm:
    """The form in a body, read up to a limit."""
    body = await read_body(
        request, kind="application/x-www-form-urlencoded", most=MOST_BYTES, called="a form"
    )
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise unreadable_form() from None
    if len({name for name, _ in pairs}) != len(pairs):
        raise unreadable_form()
    return SentForm({name: value.replace("\r\n", "\n") for name, value in pairs})


def unreadable_form() -> Refused:
    """A form that no page of this server sends; nothing of it is quoted."""
    return Refused(
        400,
        "request-1",
        "the form is not one of this server's pages, or a field of it is too long.",
        "Load the page again, and send shorter texts.",
    )
