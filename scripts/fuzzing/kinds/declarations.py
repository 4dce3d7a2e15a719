"""Declarations and texts with odd words in them: refused before anything is charged, in our own
words, or answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import shoal
from scripts.fuzzing.case import Case, Finding, Seen, ending

WORDS = (
    "\ud800",
    "a\udfff",
    "\x00",
    "a\x00b",
    "",
    " ",
    "\u202e",
    "\ufeff",
    "{*}",
    "{0}",
    "{",
    "}}",
    "%s",
    "'",
    '"',
    "\\",
    "\n",
    "--",
    "/*",
    "é" * 3000,
    "🤦🏼‍♂️",
    "NaN",
    "1e400",
    "١٢",
    "1_5",
    "０",
)


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


def _statistic(name: str) -> Callable[[str], tuple[Any, str]]:
    """A statistic of a column between two ends."""

    def door(ends: str) -> tuple[Any, str]:
        low, high = ends.split(" to ")
        return (
            _private(columns={"x": shoal.Range(low, high)}),
            f"SELECT {name}(x) AS n, COUNT(*) AS m FROM data",
        )

    return door


def _bare(said: str) -> tuple[Any, str]:
    """Something that states neither a range nor choices."""
    return _private(columns={"x": BARE[said]}), "SELECT SUM(x) AS n FROM data"


def _number(word: str) -> tuple[Any, str]:
    return _private(), f"SELECT COUNT(*) AS n FROM data WHERE x = CAST('{_quoted(word)}' AS DOUBLE)"


ENDS = (
    "0 to 1e160",
    "0 to 1e308",
    "-1e308 to 1e308",
    "-1e154 to 1e154",
    "0 to 1e-160",
    "0 to 5e-324",
    "-1e-310 to 1e-310",
    "100000000000000000 to 100000000000000008",
)
"""Ranges whose sums, squares or widths are no numbers a computer can hold."""
STATISTICS = {
    f"{name} between ends": _statistic(name) for name in ("SUM", "AVG", "VARIANCE", "MEDIAN")
}
BARE: Mapping[str, Any] = {
    "a list": [1, 2],
    "text": "0 to 9",
    "a number": 9,
    "a set": {1},
    "a mapping": {"low": 0},
}
DOORS: Mapping[str, Callable[[str], tuple[Any, str]]] = {
    "Choices": _choices,
    "a literal": _literal,
    "a list": _list,
    "LIKE": _like,
    "ESCAPE": _escape,
    "an alias": _alias,
    "a key": _key,
    "the name of a table": _table,
    "Range": _range,
    "a number in text": _number,
}
EVERY_DOOR: Mapping[str, Callable[[str], tuple[Any, str]]] = {
    **DOORS,
    **STATISTICS,
    "what is no fact": _bare,
}


def _quoted(word: str) -> str:
    return word.replace("'", "''")


@dataclass(frozen=True)
class Declared(Case):
    """An odd word at a door: an error is ours and free, or the question is answered."""

    door: str
    word: str

    def check(self) -> Seen:
        made = ending(lambda: EVERY_DOOR[self.door](self.word))
        if not made.answered:
            return Seen.refused(made, "when declared")
        if self.word in BARE and self.door == "what is no fact":
            return Seen(
                (
                    Finding(
                        "ignored",
                        f"{self.word} was declared of a column, and nobody said that it is no fact",
                    ),
                )
            )
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
NUMBERS = (
    *(Declared(door, ends) for ends in ENDS for door in STATISTICS),
    *(Declared("what is no fact", said) for said in BARE),
)


def make(number: int) -> Case:
    """Every word at every door, and ranges in every third case, each in an order of its own, over
    and over.
    """
    turn, rest = divmod(number, 3)
    some, at = (NUMBERS, turn) if rest == 0 else (EVERY, 2 * turn + rest - 1)
    order = list(range(len(some)))
    Random(f"declarations {at // len(some)}").shuffle(order)
    return some[order[at % len(some)]]
