"""Text to a syntax tree, by sqlglot; whatever goes wrong there is told in our words."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterable
from typing import Any

from shoal.loading import loading
from shoal.plan.values import is_broken
from shoal.sql.question_text import LONGEST, Text


def tree_of(text: Text, *, dialect: str) -> Any:
    """The one statement or expression that a text holds, as a syntax tree."""
    with loading():
        import sqlglot  # noqa: PLC0415 - heavy
        from sqlglot.errors import SqlglotError  # noqa: PLC0415

        sqlglot.Dialect.get(dialect)

    if len(text.sql) > LONGEST:
        raise text.unreadable(None, f"the text is longer than {LONGEST} characters.")
    if "\0" in text.sql:
        raise text.unreadable(text.sql.index("\0"), "the text holds the character NUL.")
    half = next((at for at, letter in enumerate(text.sql) if is_broken(letter)), None)
    if half is not None:
        raise text.unreadable(half, "the text holds half of a surrogate pair.")
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        trees = [tree for tree in sqlglot.parse(text.sql, dialect=dialect) if tree is not None]
    except SqlglotError as error:
        found = (getattr(error, "errors", None) or [{}])[0]
        problem = str(found.get("description") or "the text is not SQL").rstrip(".")
        raise text.unreadable(_place(text, found), f"{problem}.") from None
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, AssertionError):
        raise text.unreadable(None, "the text is not SQL.") from None
    if len(trees) != 1:
        raise text.unreadable(None, f"one statement is needed; the text holds {len(trees)}.")
    return trees[0]


def _place(text: Text, found: dict[str, Any]) -> int | None:
    """Where the parser stopped; it tells the line and the column after the word."""
    if not found.get("line"):
        return None
    lines = text.sql.split("\n")
    line = min(int(found["line"]), len(lines))
    end = sum(len(each) + 1 for each in lines[: line - 1]) + int(found.get("col") or 1)
    return max(0, min(end, len(text.sql)) - len(str(found.get("highlight") or " ")))


def nearest(name: str, known: Iterable[str]) -> str:
    """The names closest to one that is not there, in words."""
    names = list(known)
    lowered = {other.lower(): other for other in names}
    close = difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)
    if close:
        return "Did you mean " + " or ".join(lowered[each] for each in close) + "?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"Known here: {shown}."
