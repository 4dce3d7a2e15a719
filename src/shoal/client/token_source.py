"""Where a token comes from: the caller, SHOAL_TOKEN, or a file; never an address or an argument of
a command, which others can see.
"""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import TokenError

VARIABLE, FILE_VARIABLE = "SHOAL_TOKEN", "SHOAL_TOKEN_FILE"


def token_from(given: str | Path | None = None) -> str:
    """The token that was given, or that of the environment; a `Path` is a file that holds one."""
    if isinstance(given, Path):
        return _read(given)
    found = given or os.environ.get(VARIABLE)
    file = os.environ.get(FILE_VARIABLE)
    text = found or (_read(Path(file)) if file else "")
    if not text.strip():
        raise TokenError(
            "an office lets in people with a token, and there is none.",
            remedy=f"Set {VARIABLE} to the token that the owner gave you, or {FILE_VARIABLE} to a file with it.",
        )
    return text.strip()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise TokenError(
            f"the token cannot be read from {path.name!r}.",
            remedy="Give a file that holds the token and nothing else.",
        ) from None
