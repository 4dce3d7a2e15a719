"""Long questions over texts: whatever is planned stays within the public limits on length, parts,
steps and work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from scripts.fuzzing.bounds import beyond
from scripts.fuzzing.case import Case, Finding, Seen, ending
from scripts.fuzzing.limits import TooLong, at_most
from shoal.plan import TEXT, Row, Table, column
from shoal.sql import question

SECONDS = 2.0
"""More processor time than this is too much to plan a question."""
TABLE = Table("data", (column("s", TEXT), column("w", TEXT)), protects=Row())
ROWS: tuple[Mapping[str, Any], ...] = tuple(
    {"s": text, "w": text} for text in ("", "a", "HIV", "a" * 4096, "ab" * 2048, "p" * 5000, None)
)
"""Rows with the texts that grow, and with the longest ones there are."""
COLUMNS = (
    f"REPLACE(s, 'a', '{'a' * 60}')",
    "s || s",
    "s || 'a'",
    "CONCAT(s, w, s)",
    "LEFT(s || s, 7)",
    "NULLIF(s, s)",
    "CASE WHEN s = 'a' THEN s ELSE s || 'b' END",
    "CASE WHEN s = 'HIV' THEN 'a' ELSE '' END",
    "COALESCE(s, w)",
    "UPPER(s)",
)
CONDITIONS = (
    "CONTAINS(s, s)",
    "CONTAINS(s || w, w)",
    "s IN ('a', 'b')",
    "s = 'HIV'",
    "STARTS_WITH(s, w)",
    "s LIKE '%a%b%'",
    "LENGTH(s) > 5",
)


@dataclass(frozen=True)
class Sized(Case):
    """Steps on top of one another, each of which computes a column anew, leaves rows out, or stacks
    the rows on themselves.
    """

    steps: tuple[str, ...]

    @property
    def sql(self) -> str:
        made = ["t0 AS (SELECT s, w FROM data)"]
        made += [
            f"t{at} AS ({step.replace('?', f't{at - 1}')})"
            for at, step in enumerate(self.steps, start=1)
        ]
        return f"WITH {', '.join(made)} SELECT COUNT(*) AS n, COUNT(s) AS m FROM t{len(self.steps)}"

    def check(self) -> Seen:
        with at_most(SECONDS):
            found = ending(lambda: question(self.sql, {"data": TABLE}))
        if found.outcome == f"failed ({TooLong.__name__})":
            return Seen(
                (Finding("time", f"more than {SECONDS:g} s to plan a question"),), found.outcome
            )
        if not found.answered:
            return Seen.refused(found, "while planning")
        return Seen(tuple(beyond(found.result, ROWS)))

    def smaller(self) -> Iterator[Case]:
        for at in range(len(self.steps)):
            yield Sized(self.steps[:at] + self.steps[at + 1 :])

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.sizes import Sized\n"
            f"# {self.sql[:300]}\n"
            f"print(*Sized({self.steps!r}).check().findings, sep='\\n')\n"
        )


STEPS = (
    *(f"SELECT {each} AS s, w FROM ?" for each in COLUMNS),
    *(f"SELECT * FROM ? WHERE {each}" for each in CONDITIONS),
    "SELECT * FROM ? UNION ALL SELECT * FROM ?",
)


def make(number: int) -> Case:
    """A few steps of any kind; every third case has one step many times."""
    rng = Random(f"sizes {number}")
    again, rest = divmod(number, 3)
    if rest == 0:
        return Sized((STEPS[again % len(STEPS)],) * rng.choice((3, 18, 30)))
    return Sized(tuple(rng.choice(STEPS) for _ in range(rng.randint(1, 6))))
