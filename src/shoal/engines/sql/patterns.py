"""Patterns of LIKE as regular expressions that no text makes slow.

An engine may try every place of a text for each sign %: a text of n letters then takes n^k steps
for k of them.  A pattern is matched as well by finding each part at its first place after the one
before it, which takes no more than pattern times text.
"""

from __future__ import annotations

from shoal.plan.functions.logic import Part

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


def is_searched(parts: list[list[Part]]) -> bool:
    """Whether two or more parts have to be looked for."""
    return sum(bool(part) for part in parts[1:]) > 1


def without_return(parts: list[list[Part]]) -> str:
    """A pattern for an engine whose regular expressions return to earlier places unless they are
    forbidden to.
    """
    first, *others = map(_written, parts)
    middle = "".join(f"(?>.*?{part})" for part in others[:-1] if part)
    return f"(?s)\\A{first}{middle}.*{others[-1]}\\z"


def linear(parts: list[list[Part]]) -> str:
    """A pattern for an engine whose regular expressions take linear time whatever they say."""
    return "(?s)" + ".*".join(map(_written, parts))


def _written(part: list[Part]) -> str:
    return "".join(
        "." if letter is None else letter if letter in _PLAIN else f"\\x{{{ord(letter):x}}}"
        for letter in part
    )
