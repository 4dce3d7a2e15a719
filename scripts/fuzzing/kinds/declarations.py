"""Declarations and texts with odd words in them: refused before anything is charged, in our own words, or answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import shoal
from scripts.fuzzing.case import Case, Finding, Seen, ending

WORDS = (
    "\ud800", "a\udfff", "\x00", "a\x00b", "", " ", "\u202e", "\ufeff", "{*}", "{0}", "{", "}}", "%s", "'", '"', "\\", "\n", "--", "/*",
    "é" * 3000, "🤦🏼‍♂️", "NaN", "1e400", "١٢", "1_5", "０",
)  # fmt: skip


def _private(**options: Any) -> Any:
    import pyarrow as pa

    rows = pa.table({"s": ["a", "b"], "x": [1.0, 2.0]})
    options.setdefault("protects", shoal.Row())
    return shoal.private(rows, budget=shoal.Approx(9, "1e-3"), **options)


def _choices(word: str) -> tuple[Any, str]:
    return _private(
        columns={"s": shoal.Choices([word, "a"])}
    ), "SELECT s, COUNT(*) AS n FROM data GROUP BY s"


def _literal(word: str) -> tuple[Any, str]:
    return _private(), f"SELECT COUNT(*) AS n FROM data WHERE s = '{_quoted(word)}'"


def _list(word: str) -> tuple[Any, str]:
    return _private(), f"SELECT COUNT(*) AS n FROM data WHERE s IN ('a', '{_quoted(word)}')"


def _like(word: str) -> tuple[Any, str]:
    return _private(), f"SELECT COUNT(*) AS n FROM data WHERE s LIKE '%{_quoted(word)}'"


def _escape(word: str) -> tuple[Any, str]:
    return _private(), f"SELECT COUNT(*) AS n FROM data WHERE s LIKE 'a%' ESCAPE '{_quoted(word)}'"


def _alias(word: str) -> tuple[Any, str]:
    name = word.replace('"', '""')
    return _private(), f'SELECT COUNT(*) AS "{name}" FROM data'


def _key(word: str) -> tuple[Any, str]:
    return (
        _private(),
        f"SELECT CASE WHEN s = 'a' THEN '{_quoted(word)}' ELSE 'b' END AS k, COUNT(*) AS n FROM data GROUP BY k",
    )


def _table(word: str) -> tuple[Any, str]:
    name = word.replace('"', '""')
    return _private(name=word), f'SELECT COUNT(*) AS n FROM "{name}"'


def _range(word: str) -> tuple[Any, str]:
    return _private(columns={"x": shoal.Range(0, word)}), "SELECT SUM(x) AS n FROM data"


def _number(word: str) -> tuple[Any, str]:
    return _private(), f"SELECT COUNT(*) AS n FROM data WHERE x = CAST('{_quoted(word)}' AS DOUBLE)"


DOORS: Mapping[str, Callable[[str], tuple[Any, str]]] = {
    "Choices": _choices, "a literal": _literal, "a list": _list, "LIKE": _like, "ESCAPE": _escape, "an alias": _alias,
    "a key": _key, "the name of a table": _table, "Range": _range, "a number in text": _number,
}  # fmt: skip


def _quoted(word: str) -> str:
    return word.replace("'", "''")


@dataclass(frozen=True)
class Declared(Case):
    """An odd word at a door: an error is ours and free, or the question is answered."""

    door: str
    word: str

    def check(self) -> Seen:
        made = ending(lambda: DOORS[self.door](self.word))
        if not made.answered:
            return Seen.refused(made, "when declared")
        held, sql = made.result
        before = str(held.budget.spent)
        found = ending(
            lambda: held.sql(sql).release(
                epsilon=1, **({"delta": "1e-4"} if self.door == "a key" else {})
            )
        )
        seen = list(Seen.refused(found).findings) if not found.answered else []
        if not found.answered and str(held.budget.spent) != before:
            seen.append(
                Finding(
                    "charged", f"{found.outcome} after the budget was charged: {found.text[:80]}"
                )
            )
        return Seen(tuple(seen), found.outcome)

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.declarations import Declared\n"
            f"print(*Declared({self.door!r}, {self.word!r}).check().findings, sep='\\n')\n"
        )


EVERY = tuple(Declared(door, word) for word in WORDS for door in DOORS)


def make(number: int) -> Case:
    """Every word at every door, in an order of its own, over and over."""
    order = list(range(len(EVERY)))
    Random(f"declarations {number // len(EVERY)}").shuffle(order)
    return EVERY[order[number % len(EVERY)]]
