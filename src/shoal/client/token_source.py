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
    found = _read(given) if isinstance(given, Path) else given or os.environ.get(VARIABLE)
    file = None if isinstance(given, Path) else os.environ.get(FILE_VARIABLE)
    text = found or (_read(Path(file)) if file else "")
    if not text.strip():
        raise TokenError(
            "an office lets in people with a token, and there is none.",
            remedy=f"Set {VARIABLE} to the token that the owner gave you, or {FILE_VARIABLE} to a file with it.",
        )
    return _one_word(text.strip())


def _one_word(text: str) -> str:
    """A text that a header can hold; one that it cannot would be quoted in the error of the
    connection.
    """
    if not (text.isascii() and text.isprintable() and " " not in text):
        raise TokenError(
            "what was given as a token is more than one word, or no token at all.",
            remedy=f"Give the token that the owner gave you and nothing else, in {VARIABLE} or a file.",
        )
    return text


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise TokenError(
            f"the token cannot be read from {path.name!r}.",
            remedy="Give a file that holds the token and nothing else.",
        ) from None
