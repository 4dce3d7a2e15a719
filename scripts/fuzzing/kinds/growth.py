"""Questions in which one row's text can grow: what they take in memory and time must not be one
person's to decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import shoal
from scripts.fuzzing.case import Case, Finding, Seen, endings_apart
from scripts.fuzzing.limits import taken
from shoal.noise.seam import seeded

WORD = "HIV"
PLANNED = ("ExpressionError", "UnknownNameError", "UnreadableError", "UnsupportedError")
"""Refusals of a text, whatever the rows are."""


@dataclass(frozen=True)
class Growth(Case):
    """An expression over ``s`` around which a form stands ``depth`` times; one row has the secret
    word, or none has.
    """

    form: str
    depth: int
    shown: str
    face: str

    @property
    def sql(self) -> str:
        if self.form in STEPS:
            return self._stepped
        made = f"CASE WHEN s = '{WORD}' THEN 'a' ELSE '' END"
        for _ in range(self.depth):
            made = self.form.replace("?", made)
        return self.shown.replace("?", made)

    @property
    def _stepped(self) -> str:
        """Sub-queries or table expressions, each of which uses the one before it more than once."""
        first = f"SELECT CASE WHEN s = '{WORD}' THEN 'a' ELSE '' END AS s FROM data"
        if self.form == "columns":
            made = first
            for _ in range(self.depth):
                made = f"SELECT s || s AS s FROM ({made}) AS q"
            return f"SELECT COUNT(*) AS n FROM ({made}) AS q WHERE s LIKE '%b%'"
        steps = [f"t0 AS ({first})"]
        steps += [
            f"t{at + 1} AS (SELECT * FROM t{at} UNION ALL SELECT * FROM t{at})"
            for at in range(self.depth)
        ]
        return f"WITH {', '.join(steps)} SELECT COUNT(*) AS n FROM t{self.depth}"

    def check(self) -> Seen:
        one = taken(ask, self.sql, self.face, "flu")
        if one.time == "long":
            return Seen(
                (
                    Finding(
                        "time",
                        f"{one.seconds:.1f} s for a question on two rows, {one.ending.outcome}",
                    ),
                ),
                one.ending.outcome,
            )
        if any(word in one.ending.outcome for word in PLANNED):  # before rows are read
            return Seen((), one.ending.outcome)
        two = taken(ask, self.sql, self.face, WORD)
        found = endings_apart(one.ending, two.ending)
        if (one.size, two.size) == ("small", "large"):
            found.append(
                Finding(
                    "memory", f"{one.bytes >> 20} MB on one side, {two.bytes >> 20} MB on the other"
                )
            )
        if (one.time, two.time) == ("short", "long"):
            found.append(
                Finding(
                    "time", f"{one.seconds:.1f} s on one side, {two.seconds:.1f} s on the other"
                )
            )
        return Seen(tuple(found), one.ending.outcome)

    def smaller(self) -> Iterator[Case]:
        if self.depth > 1:
            yield replace(self, depth=self.depth - 1)

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.growth import ask\n"
            f"# {self.depth} times {self.form[:60]}\n"
            f"ask({self.sql!r}, {self.face!r}, 'flu')\n"
            f"ask({self.sql!r}, {self.face!r}, {WORD!r})  # one row has the word: compare time and memory\n"
        )


def ask(sql: str, face: str, word: str) -> Any:
    """The question on two rows, one of which has a word."""
    import pyarrow as pa

    rows = pa.table({"s": ["flu", word]})
    held = shoal.private(rows, protects=shoal.Row(), budget=shoal.Approx(9, "1e-3"), name="data")
    if face == "sql":
        engine: Any = held._source.engine
        engine._most_rows = 0
    delta = "1e-4" if "GROUP BY" in sql else None
    with seeded(1):
        return held.sql(sql).rehearse(epsilon=1, delta=delta).columns


STEPS = ("columns", "tables")
FORMS = (
    f"REPLACE(?, 'a', '{'a' * 100}')",
    f"REPLACE(?, '', '{'a' * 100}')",
    "columns",
    "tables",
    "(? || ?)",
    "CONCAT(?, ?, ?, ?)",
    "REPLACE(?, 'a', ? || 'aaaaaaaaaa')",
    f"COALESCE(REPLACE(?, 'a', '{'a' * 60}'), '')",
    "LPAD(?, 100000000, 'a')",
    "RPAD(?, LENGTH(?) * 1000, 'a')",
    "REPEAT(?, 1000)",
    f"UPPER(LOWER(REPLACE(?, 'a', '{'a' * 100}')))",
    f"TRIM(REPLACE(?, 'a', ' a{' ' * 80}a'))",
)
SHOWN = (
    "SELECT SUM(GREATEST(0, LEAST(1, LENGTH(?)))) AS n FROM data",
    "SELECT COUNT(*) AS n FROM data WHERE ? LIKE '%b%'",
    "SELECT ? AS k, COUNT(*) AS n FROM data GROUP BY k",
    "SELECT COUNT(DISTINCT ?) AS n FROM data",
)


def make(number: int) -> Case:
    """A form and how often it is nested: a few times where each multiplies by many, often where it
    doubles.
    """
    rng = Random(f"growth {number}")
    form = FORMS[number % len(FORMS)]
    if form in STEPS:
        return Growth(form, rng.choice((14, 18, 24)), SHOWN[1], rng.choice(("sorting", "sql")))
    depth = rng.choice({1: (4, 5, 5, 6), 2: (6, 8, 9)}.get(form.count("?"), (3, 4)))
    return Growth(form, depth, rng.choice(SHOWN), rng.choice(("sorting", "sql")))
