"""The link to a poll, and the same as a QR code for posters, slides and letters."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any

from shoal.errors import ExtraError, PollError
from shoal.polls import Poll

_BORDER = 4
"""The white margin that the standard asks for, in modules."""


def respondent_link(origin: str, poll: Poll) -> str:
    """The one link that everybody can be given; by invitation everyone has another one.

    >>> respondent_link("https://polls.example.org/", Poll("commute", "Have you ever ...?", odds=3))
    'https://polls.example.org/p/commute'
    """
    if poll.once == "invitation":
        raise PollError(
            f"the poll {poll.name!r} is answered by invitation: one link for everybody opens nothing.",
            remedy=f"Make one link for each person: shoal poll invite {poll.name} 100 --url {origin}.",
        )
    return f"{origin.rstrip('/')}/p/{poll.name}"


def can_draw() -> bool:
    """Whether the package that draws codes is there."""
    return find_spec("segno") is not None


def qr_svg(link: str) -> str:
    """A QR code as a picture that can be printed in any size: black on white, in dark pages too."""
    out = io.BytesIO()
    _code(link).save(
        out, kind="svg", scale=8, border=_BORDER, dark="#000", light="#fff", title=link, unit=None
    )
    return out.getvalue().decode()


def qr_text(link: str) -> str:
    """A QR code in letters, for a terminal: two rows of modules to each line."""
    rows = [[*row] for row in _code(link).matrix_iter(border=_BORDER)]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    # dark modules are left empty and light ones filled, as most terminals are dark
    shapes = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}
    lines = (
        "".join(shapes[min(top, 1), min(low, 1)] for top, low in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )
    return "\n".join(lines)


def _code(link: str) -> Any:
    try:
        import segno  # noqa: PLC0415 - an extra, loaded where a code is drawn
    except ImportError:
        raise ExtraError(
            "a QR code needs the package segno, which is not installed.",
            remedy='Install the extra "server": pip install "shoal[server]".',
        ) from None
    return segno.make_qr(link, error="m")
