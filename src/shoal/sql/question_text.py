"""The text of a question: its syntax tree, by sqlglot, and errors that point at a word of it."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from shoal.errors import (
    ExpressionError,
    InternalError,
    RefusedError,
    RelationError,
    ShoalError,
    UnknownNameError,
    UnreadableError,
)
from shoal.loading import loading
from shoal.plan.types import is_broken

LONGEST = 100_000
WIDEST_LINE = 160
_CALLED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*\(\s*(?:DISTINCT\s+)?$", re.IGNORECASE)
_MISSING = re.compile(r"Required keyword: '(\w+)' missing for <class .*")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Text:
    """SQL text that can point at the part of it a node was read from.

    ``names`` are those that sub-queries in expressions may use, and ``read_public`` reads what
    they say of public tables, where somebody is there to read it.
    """

    def __init__(self, sql: str) -> None:
        if not isinstance(sql, str):
            raise UnreadableError(
                f"SQL is text; got {type(sql).__name__}.",
                remedy="Write one SELECT, or one expression, in quotes.",
            )
        self.sql = sql
        self.names: Any = {}
        self.read_public: Any = None
        self.subqueries: Any = None
        self._patterns: dict[str, int] = {}

    def with_pattern(self, pattern: str, steps: int) -> tuple[int, int]:
        """Take note of a regular expression and of the steps that its table took; how many there
        are in this text so far, and their steps together.
        """
        self._patterns[pattern] = steps
        return len(self._patterns), sum(self._patterns.values())

    def start_of(self, node: Any) -> int | None:
        """Where a node begins: at its own first character, or at that of its leftmost part."""
        starts = [part.meta["start"] for part in node.walk() if "start" in part.meta]
        return min(starts, default=None)

    def word_of(self, node: Any) -> str:
        """The name of a function as it was typed: at the place that the node has kept, or before
        the bracket in front of its first argument.
        """
        at = node.meta.get("start")
        if at is not None:
            found = _WORD.match(self.sql, at)
            return "" if found is None else found.group()
        first = self.start_of(node)
        called = None if first is None else _CALLED.search(self.sql[max(0, first - 200) : first])
        return "" if called is None else called.group(1)

    def pointing(self, at: int | None, problem: str) -> str:
        """A problem with its line and column, and the line itself with a caret under the place."""
        if at is None or not 0 <= at <= len(self.sql):
            return problem
        before = self.sql[:at]
        line, column = before.count("\n") + 1, at - (before.rfind("\n") + 1)
        whole = self.sql.split("\n")[line - 1]
        first = max(0, column - WIDEST_LINE // 2)
        shown = "".join(c if c.isprintable() else " " for c in whole[first : first + WIDEST_LINE])
        caret = " " * (column - first) + "^"
        return f"line {line}, column {column + 1}: {problem}\n    {shown}\n    {caret}"

    def refused(self, node: Any, problem: str, remedy: str) -> RefusedError:
        """SQL that has no private answer."""
        return RefusedError(self.pointing(self.start_of(node), problem), remedy=remedy)

    def unknown(self, node: Any, problem: str, remedy: str) -> UnknownNameError:
        """A name that is not there."""
        return UnknownNameError(self.pointing(self.start_of(node), problem), remedy=remedy)

    def unreadable(self, at: int | None, problem: str, remedy: str = "") -> UnreadableError:
        """Text that is not SQL."""
        usual = "Write one SELECT, or one expression, in DuckDB's SQL."
        return UnreadableError(self.pointing(at, problem), remedy=remedy or usual)

    @contextmanager
    def at(self, node: Any) -> Iterator[None]:
        """Let an error of the plan point at the node it came of."""
        try:
            yield
        except (ExpressionError, RelationError) as error:
            if "\n" in error.problem:
                raise
            problem = self.pointing(self.start_of(node), error.problem)
            raise type(error)(problem, remedy=error.remedy) from None

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Forget the names of a sub-query where it ends."""
        names = self.names
        try:
            yield
        finally:
            self.names = names

    def only(self, node: Any, *known: str) -> None:
        """Refuse a node that says more than the named parts."""
        for name, value in node.args.items():
            if name in known or not value or name in _HARMLESS:
                continue
            word = name.strip("_").replace("_", " ").upper()
            raise self.refused(
                value if hasattr(value, "walk") else node,
                f"{word} is not part of what can be asked here.",
                f"Leave {word} out.",
            )


_HARMLESS = {"big_int", "ignore_nulls", "safe", "typed", "coalesce", "date_part_boundary", "_type"}


@contextmanager
def nothing_else(text: Text) -> Iterator[None]:
    """Whatever a text holds, what comes of it is a plan or an error of ours."""
    try:
        yield
    except ShoalError:
        raise
    except RecursionError:
        problem: ShoalError = text.unreadable(None, "the text is nested too deeply.")
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        problem = InternalError(
            "a text was read into a tree that Shoal does not understand.",
            remedy="Please report the text; meanwhile, write it in another way.",
        )
    else:
        return
    raise problem from None


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
        problem = _MISSING.sub(r"a function lacks an argument, its \1", problem)
        raise text.unreadable(_place(text, found), f"{problem}.") from None
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, AssertionError):
        raise text.unreadable(None, "the text is not SQL.") from None
    if len(trees) != 1:
        raise text.unreadable(
            None,
            f"one statement is needed; the text holds {len(trees)}.",
            "Leave out what stands after the first semicolon, or ask several: batch([...])."
            * bool(trees),
        )
    _refuse_distinct_on(trees[0], text)
    return trees[0]


def holds(node: Any, *kinds: str) -> bool:
    """Whether a node of one of these kinds stands anywhere in a tree."""
    return any(type(part).__name__ in kinds for part in node.walk())


def _refuse_distinct_on(tree: Any, text: Text) -> None:
    """DISTINCT ON keeps one row of several, and need not say which."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    for found in tree.find_all(exp.Distinct):
        if found.args.get("on"):
            raise text.refused(
                found,
                "DISTINCT ON is not answered.",
                "Use QUALIFY ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...) = 1 in a sub-query.",
            )


def _place(text: Text, found: dict[str, Any]) -> int | None:
    """Where the parser stopped; it tells the line and the column after the word."""
    if not found.get("line"):
        return None
    lines = text.sql.split("\n")
    line = min(int(found["line"]), len(lines))
    end = sum(len(each) + 1 for each in lines[: line - 1]) + int(found.get("col") or 1)
    return max(0, min(end, len(text.sql)) - len(str(found.get("highlight") or " ")))


def nearest(name: str, known: Iterable[str], *, most: int = 12) -> str:
    """The names closest to one that is not there, in words."""
    names = list(known)
    lowered = {other.lower(): other for other in names}
    close = difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)
    if close:
        return "Did you mean " + " or ".join(lowered[each] for each in close) + "?"
    shown = ", ".join(names[:most]) + (", ..." if len(names) > most else "")
    return f"Known here: {shown}."
