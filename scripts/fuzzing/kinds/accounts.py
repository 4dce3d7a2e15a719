"""A vault with two datasets: of two accounts, whose persons leave one of them, or of one account,
whose persons leave both.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import shoal
from scripts.fuzzing.case import Case, Seen, ending, endings_apart
from scripts.fuzzing.judging import apart, played, recorded
from shoal.errors import ShoalError
from shoal.plan import Person
from shoal.sensitivity import Relation

QUESTIONS = (
    "SELECT WIDTH_BUCKET(i, 0, 100, 100) AS b, COUNT(*) AS n FROM (SELECT id, i FROM a UNION ALL SELECT id, i FROM b) AS u GROUP BY b",
    "SELECT WIDTH_BUCKET(a.i, 0, 100, 100) AS b, COUNT(*) AS n FROM b LEFT JOIN a USING (id) GROUP BY b",
    "SELECT WIDTH_BUCKET(b.i, 0, 100, 100) AS b, COUNT(*) AS n FROM b LEFT JOIN a USING (id) GROUP BY b",
    "SELECT WIDTH_BUCKET(a.i, 0, 100, 100) AS b, COUNT(*) AS n FROM b JOIN a USING (id) GROUP BY b",
    "SELECT COUNT(*) AS n FROM b LEFT JOIN a USING (id) WHERE a.i IS NULL",
    "SELECT COUNT(DISTINCT id) AS n FROM (SELECT id FROM a UNION ALL SELECT id FROM b) AS u",
    "SELECT WIDTH_BUCKET(i, 0, 100, 100) AS b, COUNT(*) AS n FROM a GROUP BY b",
)
SIZES: tuple[tuple[str, int, int], ...] = (
    ("b", 1, 100),
    ("a", 100, 1),
    ("a", 1, 1),
    ("a", 1, 100),
    ("b", 0, 100),
    ("b", 100, 100),
)
"""Which dataset person 7 leaves, and how many rows of theirs are in a and in b."""
UNIT = Person("id", groups=1, rows_per_group=1)


@dataclass(frozen=True)
class Accounts(Case):
    """Who has how many rows in each dataset, one row a group; person 7 leaves."""

    sql: str
    shared: bool
    leaves: str
    rows_in_a: int
    rows_in_b: int

    def check(self) -> Seen:
        with tempfile.TemporaryDirectory(prefix="shoal-fuzz-") as folder:
            vaults = [
                ending(lambda way=way: self._vault(Path(folder), gone=way))  # type: ignore[misc]
                for way in (False, True)
            ]
            found = endings_apart(*vaults, at="when registered")
            if found or not vaults[0].answered:
                return Seen(tuple(found), vaults[0].outcome)
            one, two = (each.result for each in vaults)
            first = recorded(lambda: one.sql(self.sql).rehearse(epsilon=1))
            second = played(first, lambda: two.sql(self.sql).rehearse(epsilon=1))
            found = apart(first, second, Relation.ADD_REMOVE)
            return Seen(tuple(found), first.ending.outcome)

    def _vault(self, folder: Path, *, gone: bool) -> Any:
        place = folder / ("without" if gone else "with")
        place.mkdir()
        vault = shoal.open(place / "office.shoal")
        for name, rows in (("a", self.rows_in_a), ("b", self.rows_in_b)):
            leaves = gone and (self.shared or self.leaves == name)
            path = _write(place / f"{name}.parquet", name, 0 if leaves else rows)
            options: dict[str, Any] = (
                {"shares": "a"} if self.shared and name == "b" else {"budget": shoal.Pure(99)}
            )
            try:
                vault.add(name, path, protects=UNIT, keys={"id": 3}, **options)
            except ShoalError:  # asked whether people of the other dataset may stand here
                vault.add(
                    name, path, protects=UNIT, keys={"id": 3}, relation="new people", **options
                )
        return vault

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.accounts import Accounts\n"
            f"# person 7 leaves {'both datasets of one account' if self.shared else f'dataset {self.leaves} of two accounts'}\n"
            f"print(*Accounts({self.sql!r}, {self.shared}, {self.leaves!r}, {self.rows_in_a}, {self.rows_in_b}).check().findings, sep='\\n')\n"
        )


def _write(path: Path, name: str, rows: int) -> Path:
    """Others with a row each in a group far off, and person 7 in as many groups as rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    base = 1000 if name == "a" else 2000
    people = [*range(base, base + 4), *[7] * rows]
    buckets = [0, 1, 2, 3, *((at + (0 if name == "a" else 50)) % 100 for at in range(rows))]
    pq.write_table(pa.table({"id": people, "i": buckets}), path)
    return path


def make(number: int) -> Case:
    """A question, and how person 7's rows lie in both datasets."""
    rng = Random(f"accounts {number}")
    leaves, *sizes = SIZES[(number + number // len(QUESTIONS)) % len(SIZES)]
    shared = number >= len(QUESTIONS) and rng.random() < 0.4
    return Accounts(QUESTIONS[number % len(QUESTIONS)], shared, leaves, *sizes)
