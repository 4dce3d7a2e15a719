"""Reading TOML that somebody else wrote, in a time that its length bounds.

Readers of TOML take time in the square of the number of parts of a dotted key, and of the number of
keys below one name: a text of 60 kB could keep a processor busy for a minute.  So both are counted
first, which takes one pass over the text.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 16
"""A key has at most so many parts: ``columns.age.range`` has three."""
MOST_KEYS = 4000
"""A text has at most so many keys; a declaration has about three for each column."""

_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_DOTTED = re.compile(r"[\w-]+(?:[ \t]*\.[ \t]*[\w-]+)*")


def plain_toml(text: str) -> dict[str, Any]:
    """What a text says; ValueError where it is not TOML, or larger than anybody writes."""
    check_plain(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def check_plain(text: str) -> None:
    """Refuse a text that would take long to read, with a ValueError."""
    bare = _QUOTED.sub("q", text)
    if any(found.count(".") >= MOST_PARTS for found in _DOTTED.findall(bare)):
        raise ValueError(f"a key has more than {MOST_PARTS} parts")
    if bare.count("=") > MOST_KEYS:
        raise ValueError(f"it has more than {MOST_KEYS} keys")
