"""The command line with ``--json``, on vaults over files of two neighbours: exit code, words, and
the form of what is printed.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import shoal
from scripts.fuzzing.case import Case, Ending, Finding, Seen, ending, endings_apart
from scripts.fuzzing.grammar import Grammar
from scripts.fuzzing.kinds.questions import Plan
from scripts.fuzzing.world import Rows, World, arrow_text, facts_text, unit_text

PLAIN = {"NO_COLOR": "1", "COLUMNS": "200", "TERM": "dumb"}
ASKED = 4
"""So many questions are asked of each pair of vaults."""


@dataclass(frozen=True)
class Commands(Case):
    """Questions with known keys, asked of a vault on either side."""

    world: World
    other: Rows
    texts: tuple[str, ...]

    def check(self) -> Seen:
        with tempfile.TemporaryDirectory(prefix="shoal-fuzz-") as folder:
            sides = [
                ending(lambda at=at, rows=rows: _vault(Path(folder) / at, self.world, rows))  # type: ignore[misc]
                for at, rows in (("one", self.world.rows), ("two", self.other))
            ]
            found = endings_apart(*sides, at="when registered")
            if found or not sides[0].answered:
                return Seen(tuple(found), sides[0].outcome)
            for text in self.texts:
                mine, theirs = (_asked(side.result, text) for side in sides)
                found += [
                    Finding(f.rule, f"{f.said} ({text})") for f in endings_apart(mine, theirs)
                ]
                if mine.seen == theirs.seen and mine.result != theirs.result:
                    found.append(Finding("form", f"{_first(mine.result, theirs.result)} ({text})"))
            return Seen(tuple(found[:3]), "answered")

    def written(self) -> str:
        return f"""\
import datetime
from decimal import Decimal
# two vaults over Parquet files with these rows ({arrow_text(self.world.kinds)}),
# protects={unit_text(self.world.unit)}, columns={facts_text(self.world.facts)}
one = {self.world.rows!r}
two = {self.other!r}
# shoal ask --json --epsilon 1, each of {list(self.texts)!r}
"""


def _vault(place: Path, world: World, rows: Rows) -> Path:
    import pyarrow.parquet as pq

    place.mkdir()
    pq.write_table(world.arrow(rows), place / "data.parquet")
    vault = shoal.open(place / "office.shoal")
    vault.add(
        "data",
        place / "data.parquet",
        protects=world.unit,
        columns=dict(world.facts),
        required=world.required,
        budget=shoal.Approx(100, "1e-3"),
    )
    return place / "office.shoal"


def _asked(vault: Path, text: str) -> Ending:
    from typer.testing import CliRunner

    from shoal.cli import app

    done = CliRunner().invoke(
        app, ["ask", text, "--vault", str(vault), "--epsilon", "1", "--json"], env=PLAIN
    )
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return Ending(f"failed ({type(done.exception).__name__})", str(done.exception)[:100])
    words = done.stderr.replace(str(vault.parent), "")
    if done.exit_code:
        return Ending(f"exit code {done.exit_code}", words)
    return Ending("answered", words, _form(without_modes(json.loads(done.stdout), text)))


def without_modes(answer: dict[str, Any], text: str) -> dict[str, Any]:
    """The answer with values that noise chose left open: a mode may be a text, a date or a truth
    value, and the two sides draw different noise.
    """
    chosen = {answer["columns"].index(name) for name in _MODE.findall(text)}
    opened = [
        ["a mode" if at in chosen else cell for at, cell in enumerate(row)]
        for row in answer["rows"]
    ]
    return {**answer, "rows": opened}


def _form(value: Any, *, noisy: bool = False) -> Any:
    """What is printed, with every number that noise, time or a hash is in left open."""
    if isinstance(value, dict):
        return {
            key: _form(each, noisy=noisy or key in NOISY)
            for key, each in sorted(value.items())
            if key not in OPEN
        }
    if isinstance(value, list):
        return [_form(each, noisy=noisy) for each in value]
    if isinstance(value, float | int) and not isinstance(value, bool):
        return "a number"
    return "a number" if noisy and (value is None or _DECIMAL.fullmatch(str(value))) else value


_MODE = re.compile(r"\bMODE\(.*?\) AS (a\d+)")
_DECIMAL = re.compile(r"-?\d+(\.\d+)?")


NOISY = ("rows", "intervals")
"""Where a quotient of noisy numbers may be none."""
OPEN = ("hash", "ledger", "datasets", "at", "digest", "versions", "time", "text", "path", "notes")
"""What names a vault, an hour or a file, and notes on noisy numbers."""


def _first(one: Any, two: Any, at: str = "the answer") -> str:
    """Where two forms differ first."""
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return next(_first(one[k], two[k], f"{at}[{k!r}]") for k in one if one[k] != two[k])
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return next(
            _first(a, b, f"{at}[{n}]")
            for n, (a, b) in enumerate(zip(one, two, strict=True))
            if a != b
        )
    return f"{at} is {str(one)[:400]} on one side, {str(two)[:400]} on the other"


def make(number: int) -> Case:
    """A world, a neighbour, and questions that are planned and select no keys."""
    world, texts = _world(number)
    return Commands(world, world.neighbour(Random(f"command {number}")), texts)


@lru_cache(maxsize=2)
def _world(number: int) -> tuple[World, tuple[str, ...]]:
    rng = Random(f"commands {number}")
    while True:
        world = World.made(rng)
        texts = _texts(rng, world)
        if len(texts) == ASKED:
            return world, tuple(texts)


def _texts(rng: Random, world: World) -> Sequence[str]:
    found = []
    for _ in range(40):
        text = Grammar(rng, world.kinds, tuple(world.facts)).question()
        plan = Plan.of(world, text, "laplace")
        if plan.made is not None and plan.made.selection is None:
            found.append(text)
        if len(found) == ASKED:
            break
    return found
