"""Random questions on random rows in memory, through the reference and both ways of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from scripts.fuzzing.case import Case, Ending, Finding, Seen, ending
from scripts.fuzzing.grammar import ALIKE, LOOSE, STACKED, ZEROS, Grammar
from scripts.fuzzing.judging import Recorded, apart, played, recorded
from scripts.fuzzing.world import Rows, World, arrow_text, facts_text, unit_text
from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.reference import Reference
from shoal.errors import ShoalError
from shoal.measures import Approx
from shoal.plan import Person
from shoal.query.ask import Ask
from shoal.query.payment import Budget, QuestionSource
from shoal.query.pricing import Priced
from shoal.sensitivity import Relation
from shoal.sql import question

FACES = ("reference",) * 26 + ("sorting", "sql") * 2 + ("collated", "collated sql")
"""The faces of one question in turn, each with a neighbour of its own."""
SPEND: Mapping[str, Any] = {"epsilon": 20, "delta": "0.0004"}
MOST_TRIES = 12


@dataclass(frozen=True)
class Plan:
    """A question with its price, which is public: it is made once for all neighbours."""

    world: World
    sql: str
    law: str
    made: Priced | None
    refusal: Ending | None

    @classmethod
    def of(cls, world: World, sql: str, law: str) -> Plan:
        """The plan, or the error that it ends in."""
        found = ending(lambda: _priced(world, sql, law))
        if not found.answered:
            return cls(world, sql, law, None, found)
        return cls(world, sql, law, found.result, None)

    def run(self, face: str, rows: Rows) -> Any:
        """The groups and numbers of an answer, of an engine made for these rows."""
        return self.run_on(engine_of(face, self.world, rows))

    def run_on(self, engine: Any) -> Any:
        """The same of an engine that is there."""
        assert self.made is not None
        held = QuestionSource(engine, {"data": self.world.table}, _budget(self.world.unit.relation))
        ask = Ask(held, self.made.question, self.sql)
        # `rehearse` but for its price, which is the same for all
        drawn = ask._drawn(self.made)
        return drawn.groups, [[str(value) for value in row.values()] for row in drawn.noisy]


@dataclass(frozen=True)
class Question(Case):
    """A question on two neighbours, through one face."""

    plan: Plan
    face: str
    other: Rows

    def check(self) -> Seen:
        plan = self.plan
        if plan.refusal is not None:
            return Seen.refused(plan.refusal, "while planning")
        first = _first(_Same(plan), self.face)
        second = played(first, lambda: plan.run(self.face, self.other))
        found = apart(first, second, plan.world.unit.relation) or _signed(first)
        if self.face != "reference" and not found:
            found = self._engines_apart(first, second)
        return Seen(tuple(found), first.ending.outcome)

    def _engines_apart(self, first: Recorded, second: Recorded) -> list[Finding]:
        """The same integers and keys from the reference, on both sides, with the same outputs of
        noise.
        """
        truth = played(first, lambda: self.plan.run("reference", self.plan.world.rows))
        truly = played(first, lambda: self.plan.run("reference", self.other))
        for one, two in ((first, truth), (second, truly)):
            mine, theirs = (_given(each) for each in (one, two))
            if (
                not one.ending.answered
            ):  # a declaration that this engine does not take, whatever the rows
                return []
            if mine != theirs or one.ending.seen != two.ending.seen:
                return [
                    Finding(
                        "engines",
                        f"{self.face} and the reference differ: {mine[:200]} and {theirs[:200]}",
                    )
                ]
        return []

    def smaller(self) -> Iterator[Case]:
        for world, other in self.plan.world.fewer(self.other):
            yield Question(replace(self.plan, world=world), self.face, other)
        for sql in shorter(self.plan.sql):
            plan = Plan.of(self.plan.world, sql, self.plan.law)
            if plan.refusal is None:
                yield Question(plan, self.face, self.other)

    def written(self) -> str:
        world = self.plan.world
        engine = {
            "sql": "; DuckDB's own SQL: patch MOST_ROWS with 0",
            "reference": "; on shoal.engines.reference",
        }
        return f"""\
# face: {self.face}{engine.get(self.face, "")}
import datetime, pyarrow as pa, shoal
from decimal import Decimal
from shoal.auditing.replay import replay
nan, inf = float("nan"), float("inf")
schema = {arrow_text(world.kinds)}
def run(rows):
    held = shoal.private(pa.Table.from_pylist(rows, schema=schema), protects={unit_text(world.unit)},
                         columns={facts_text(world.facts)}, required={list(world.required)!r}, budget=shoal.Approx(100, "1e-3"))
    return held.sql({self.plan.sql!r}).rehearse(epsilon=20, delta="0.0004", noise={self.plan.law!r})
one = {world.rows!r}
two = {self.other!r}
print(*replay(run, [(one, two)]).differences, sep="\\n")
"""


@dataclass(frozen=True, eq=False)
class _Same:
    """A plan told apart by identity, so that what was recorded of it can be kept."""

    plan: Plan

    def __hash__(self) -> int:
        return id(self.plan)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.plan is self.plan


@lru_cache(maxsize=8)
def _first(same: _Same, face: str) -> Recorded:
    plan = same.plan
    return recorded(lambda: plan.run(face, plan.world.rows))


def make(number: int) -> Case:
    """The case with this number: as many in a row share a question as there are faces."""
    group, at = divmod(number, len(FACES))
    plan = plan_of(group)
    rng = Random(f"neighbour {number}")
    return Question(plan, FACES[at], plan.world.neighbour(rng))


@lru_cache(maxsize=4)
def plan_of(group: int) -> Plan:
    """A world and the first question that is not refused, of a few; three of five are about what is
    equal.
    """
    rng = Random(f"question {group}")
    turn, at = divmod(group, 5)
    if at >= 2:
        return _about_equals(rng, 3 * turn + at - 2)
    world = World.made(rng)
    law = rng.choice(("laplace", "gaussian"))
    plan = None
    for _ in range(MOST_TRIES):
        person = world.unit.columns if isinstance(world.unit, Person) else ()
        sql = Grammar(rng, world.kinds, tuple(world.facts), person).question()
        plan = Plan.of(world, sql, law)
        if plan.refusal is None or plan.refusal.outcome.startswith("failed"):
            break
    assert plan is not None
    return plan


def _about_equals(rng: Random, number: int) -> Plan:
    key, rows, where = EQUALS[number % len(EQUALS)]
    condition = f" WHERE {where}" if where else ""
    sql = f"SELECT {key} AS k0, COUNT(*) AS a0 FROM {rows}{condition} GROUP BY k0"
    for hole, name in (("{r}", "x"), ("{s}", "y"), ("{b}", "(x > 0)")):
        sql = sql.replace(hole, name)
    return Plan.of(World.of_equals(rng), sql, rng.choice(("laplace", "gaussian")))


EQUALS: tuple[tuple[str, str, str], ...] = (
    *((key, "data", "") for key in ("k", *ZEROS, *LOOSE)),
    *(("v", STACKED.format(*pair), "") for pair in ALIKE),
    *(("{b}", "data", condition) for condition in LOOSE if condition.startswith("({s}")),
    ("{b}", "data", "(k IN ('a', 'É'))"),
)
"""A key, the rows, and a condition: groups, constants and rows that a loose comparison would take
for the same.
"""


def engine_of(face: str, world: World, rows: Rows) -> Any:
    """An engine over rows: the reference, or DuckDB by sorting or by its own SQL."""
    if face == "reference":
        return Reference({"data": rows}, {"data": world.columns})
    options: dict[str, Any] = {"most_rows": 0} if "sql" in face else {}
    if "parquet" in face:
        return DuckDB({"data": _parquet_file(world.arrow(rows))}, **options)
    cursor = _database(face).cursor()
    cursor.register("rows_of_arrow", world.arrow(rows))
    cursor.execute("CREATE OR REPLACE TABLE data AS SELECT * FROM rows_of_arrow")
    return DuckDB({"data": DuckTable(cursor, "data")}, **options)


def _parquet_file(rows: Any) -> Path:
    """A file with these rows.  It is written anew for every engine, and read while it is used."""
    import pyarrow.parquet as pq

    path = Path(_folder().name) / "data.parquet"
    path.unlink(missing_ok=True)  # an engine that has the old file open keeps it
    pq.write_table(rows, path)
    return path


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="shoal-fuzzing-")


def _database(face: str) -> Any:
    """One database for all cases, as opening one takes longer than a question does; another that
    compares texts loosely.
    """
    return _opened("NOCASE" if "collated" in face else "")


@cache
def _opened(collation: str) -> Any:
    import duckdb

    database = duckdb.connect(":memory:", config={"threads": "1"})
    if collation:
        database.execute(f"SET GLOBAL default_collation = '{collation}'")
    return database


def shorter(sql: str) -> Iterator[str]:
    """A question with a part left out: its WHERE, a call around an argument, one of what it
    shows.
    """
    if " WHERE " in sql:
        before, _, after = sql.partition(" WHERE ")
        yield before + (
            f" GROUP BY{after.partition(' GROUP BY')[2]}" if " GROUP BY" in after else ""
        )
    for at in range(1, 4):
        start = sql.find(f" AS a{at}")
        cut = sql.rfind(", ", 0, start)
        if start > 0 and f"AS a{at - 1}" in sql[: cut + 1]:
            yield sql[:cut] + sql[start + len(f" AS a{at}") :]


def _priced(world: World, sql: str, law: str) -> Priced:
    held = QuestionSource(
        Reference({"data": []}, {"data": world.columns}),
        {"data": world.table},
        _budget(world.unit.relation),
    )
    ask = Ask(held, question(sql, held.tables), sql)
    try:
        request = ask._request(SPEND["epsilon"], SPEND["delta"], None)
    except ShoalError:
        request = ask._request(SPEND["epsilon"], None, None)
    return ask._priced(request, law)


@cache
def _budget(relation: Relation) -> Budget:
    return Budget(Approx(100, "1e-3"), relation=str(relation))


def _signed(run: Recorded) -> list[Finding]:
    """A group called -0.0: equal keys have one name, and that of zero has no sign."""
    groups = run.ending.result[0] if run.ending.result is not None else ()
    signed = [group for group in groups for name in group if name == 0 and str(name) == "-0.0"]
    return [Finding("key names", f"a group is called {signed[0]}")] if signed else []


def _given(run: Recorded) -> str:
    """The inputs of all noises, spelled out in an order of their own."""
    spelled = []
    for met in run.recorder.met:
        given = met.meeting.given
        items = (
            sorted((repr(k), int(v)) for k, v in given.items())
            if isinstance(given, Mapping)
            else [str(v) for v in given]
        )
        spelled.append(str(items))
    return "; ".join(spelled)
