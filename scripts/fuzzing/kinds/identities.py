"""Tables whose ids mean the same people, or do not: whoever leaves all tables that one account pays
for moves no more than claimed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from scripts.fuzzing.case import Case, Finding, Seen, ending
from scripts.fuzzing.judging import Recorded, apart, played, recorded
from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.measures import Pure
from shoal.plan import INTEGER, IdSpace, Person, Table, column
from shoal.query.ask import Ask
from shoal.query.payment import Budget, QuestionSource
from shoal.sensitivity import Relation
from shoal.sql import question

UNIT = Person("id", groups=1, rows_per_group=1)
COLUMNS = (column("id", INTEGER), column("i", INTEGER))
FACES = ("reference",) * 6 + ("sorting", "sql")
SPACES = (
    ("A", "A"),
    ("A", "A"),
    ("B", "B"),
    ("B", "B"),
    ("AB", "AB"),
    ("A", "AB"),
)
"""Whose ids a table has, and which accounts pay for it."""
BY_GROUP = "SELECT WIDTH_BUCKET(i, 0, 20, 20) AS g, COUNT(*) AS n FROM {} GROUP BY g"
STACKED = "SELECT id, i FROM {} UNION ALL SELECT id, i FROM {}"
ROWS = (
    f"({STACKED.format('a', 'b')}) AS u",
    f"({STACKED.format('a', 'b')} UNION ALL SELECT id, i FROM c) AS u",
    f"({STACKED.format('c', 'a')} UNION ALL SELECT id, i FROM a) AS u",
    "(SELECT b.id AS id, a.i AS i FROM b LEFT JOIN a USING (id)) AS u",
    "(SELECT b.id AS id, b.i AS i FROM b JOIN a USING (id)) AS u",
    "(SELECT b.id AS id, b.i AS i FROM b LEFT JOIN a USING (id) UNION ALL SELECT id, i FROM c) AS u",
)
MOST = 20
"""So many rows, each in a group of its own, show where two persons are bounded as one."""
_READ = re.compile(r"(?:FROM|JOIN) ([abc])\b")
Data = Mapping[str, list[dict[str, int]]]


@dataclass(frozen=True)
class Leaving(Case):
    """Someone leaves everything that ``account`` pays for, with all tables of the question that
    share those ids; their id is 7, and 8 where ids are others.
    """

    sql: str
    spaces: tuple[tuple[str, str], ...]
    sizes: tuple[tuple[int, int], ...]
    account: str
    face: str

    def check(self) -> Seen:
        found = ending(
            lambda: self._ask(Reference(self._rows(gone=False), dict.fromkeys("abc", COLUMNS)))
        )
        if not found.answered:
            return Seen.refused(found, "while planning")
        first = recorded(lambda: self._run(self.face, gone=False))
        second = played(first, lambda: self._run(self.face, gone=True))
        differences = apart(first, second, Relation.ADD_REMOVE)
        if self.face != "reference" and not differences:
            truth = played(first, lambda: self._run("reference", gone=False))
            differences = _engines_apart(first, truth)
        return Seen(tuple(differences), first.ending.outcome)

    @property
    def _tables(self) -> dict[str, Table]:
        return {
            name: Table(
                name,
                COLUMNS,
                protects=UNIT,
                keys={("id",): 3},
                ids=IdSpace(frozenset(shared), frozenset(paid)),
            )
            for name, (shared, paid) in zip("abc", self.spaces, strict=True)
        }

    def _rows(self, *, gone: bool) -> Data:
        """Others, and those called 7 and 8, with as many rows as are said; one of these names is
        that of who leaves.
        """
        leaving = self._leaving if gone else {}
        made = {}
        for at, name in enumerate("abc"):
            leaves = leaving.get(at)
            rows = [{"id": 1000 * (at + 1) + n, "i": n} for n in range(3)]
            for person, size in zip((7, 8), self.sizes[at], strict=True):
                rows += [
                    {"id": person, "i": (n + 30 * at) % MOST}
                    for n in range(size)
                    if person != leaves
                ]
            made[name] = rows
        return made

    @property
    def _leaving(self) -> dict[int, int]:
        """In which tables who leaves stands, and under which id: one id in tables that share
        theirs, another one elsewhere.
        """
        groups: list[set[int]] = []
        for at in sorted({"abc".index(name) for name in _READ.findall(self.sql)}):
            shared = set(self.spaces[at][0])
            joined = [g for g in groups if any(shared & set(self.spaces[other][0]) for other in g)]
            groups = [g for g in groups if g not in joined] + [{at}.union(*joined)]
        paid = [g for g in groups if any(self.account in self.spaces[at][1] for at in g)]
        return {at: name for name, g in zip((7, 8), paid, strict=False) for at in g}

    def _ask(self, engine: Any) -> Ask:
        held = QuestionSource(engine, self._tables, Budget(Pure(9), relation="add_remove"))
        return Ask(held, question(self.sql, held.tables), self.sql)

    def _run(self, face: str, *, gone: bool) -> Any:
        return self._ask(_engine(face, self._rows(gone=gone))).rehearse(epsilon=1).rows

    def written(self) -> str:
        given = (self.sql, self.spaces, self.sizes, self.account, self.face)
        return (
            "from scripts.fuzzing.kinds.identities import Leaving\n"
            "# for each of the tables a, b, c: whose ids it has and which accounts pay; rows of the persons 7 and 8\n"
            f"print(*Leaving(*{given!r}).check().findings, sep='\\n')\n"
        )


def _engine(face: str, data: Data) -> Any:
    if face == "reference":
        return Reference(data, dict.fromkeys("abc", COLUMNS))
    import pyarrow as pa

    schema = pa.schema({"id": pa.int64(), "i": pa.int64()})
    options: dict[str, Any] = {"most_rows": 0} if face == "sql" else {}
    made = {name: pa.Table.from_pylist(rows, schema=schema) for name, rows in data.items()}
    return DuckDB(made, threads=1, **options)


def _engines_apart(one: Recorded, two: Recorded) -> list[Finding]:
    mine, theirs = ([str(met.meeting.given) for met in each.recorder.met] for each in (one, two))
    return [Finding("engines", "an engine and the reference differ")] if mine != theirs else []


def make(number: int) -> Case:
    """Rows of up to three tables, what is declared of their ids, and how many rows of the persons 7
    and 8 each has.
    """
    rng = Random(f"identities {number}")
    return Leaving(
        BY_GROUP.format(ROWS[number % len(ROWS)]),
        tuple(rng.choice(SPACES) for _ in "abc"),
        tuple((rng.choice((0, 1, 1, MOST, MOST)), rng.choice((0, 1, MOST))) for _ in "abc"),
        rng.choice("AB"),
        rng.choice(FACES),
    )
