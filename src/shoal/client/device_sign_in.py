"""Signing in without a token: a code that somebody confirms in a browser of their organisation."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import urlsplit

from shoal.client.office_connection import Connection
from shoal.errors import OfficeError, SchemaError


def sign_in(
    address: str, *, out: str | Path | None = None, say: Callable[[str], None] = print
) -> Path:
    """Sign in at an office through your organisation: the file that holds a token for a day.

    ``say`` is told what to do: to open a page, and to compare or type a code.  Only you can read
    the file; ``shoal.connect(address, token=path)`` reads it.
    """
    office = Connection.to(address, "")
    begun = office.post("/sign-in/device", {})
    place = begun["whole_place"] or begun["place"]
    say(f"Open {place} in a browser, and confirm the code {begun['code']}.")
    end, pause = monotonic() + begun["seconds"], begun["pause"]
    while monotonic() < end:
        status, found = office.send("POST", "/sign-in/device/token", {"handle": begun["handle"]})
        if status == 200:
            return _written(out or _usual(address), found["token"])
        pause += 5 * bool(found["slower"])
        sleep(pause)
    raise OfficeError("nobody confirmed the code in time.", remedy="Sign in once more.")


def _usual(address: str) -> Path:
    """Where the token of an office is kept: in the folder of the user's state."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    parts = urlsplit(address)
    return state / "shoal" / "tokens" / f"{parts.hostname}-{parts.port or parts.scheme}"


def _written(out: str | Path, token: str) -> Path:
    """Write a token to a file that only its owner can read."""
    path = Path(out)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileNotFoundError):
            path.unlink()  # an older one may be open to others
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(f"{token}\n")
    except OSError as error:
        raise SchemaError(
            f"the token cannot be kept in {path.name!r}: {error.strerror}.",
            remedy="Name another file with --out, in a folder that you can write.",
        ) from None
    return path
