"""Datasets of a vault that are moved, or read anew in another order or under other names: a person
stays one person.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import shoal
from scripts.fuzzing.case import Case, Ending, Seen, ending, endings_apart
from scripts.fuzzing.judging import apart, played, recorded
from shoal.plan import Person
from shoal.sensitivity import Relation

UNIT = Person("id", groups=1, rows_per_group=1)
MANY = 30
"""So many rows, each in a group of its own, show where somebody counts as several people."""
BY_GROUP = "SELECT WIDTH_BUCKET({0}, 0, 30, 30) AS b, COUNT(*) AS n FROM {1} GROUP BY b"
STACKED = "(SELECT id, i FROM a UNION ALL SELECT id, i FROM b) AS u"
JOINED = "(SELECT a.id AS id, b.i AS i FROM a LEFT JOIN b USING (id)) AS u"
OTHER_ORDER = {"i": "integer", "id": "integer"}
Rows = list[tuple[int, int]]


def _people(first: int, person: int, rows: int) -> Rows:
    """Others with a row each, and a person with so many."""
    return [(first + n, n) for n in range(4)] + [(person, n) for n in range(rows)]


def _vault(place: Path) -> Any:
    return shoal.open(place / "office.shoal")


def _parquet(path: Path, rows: Rows) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": [who for who, _ in rows], "i": [i for _, i in rows]}), path)
    return path


def _csv(path: Path, rows: Rows, types: Mapping[str, str], *, turned: bool = False) -> Any:
    path.write_text("".join(f"{i},{who}\n" if turned else f"{who},{i}\n" for who, i in rows))
    return shoal.CsvFile(path, dict(types), header=False)


def _moved(place: Path, rows: int) -> Any:
    """Somebody is 7 in one dataset and 8 in another, which is moved to where the first one lay;
    then both pay together.
    """
    vault = _vault(place)
    for name, person, first in (("a", 7, 1000), ("b", 8, 2000)):
        path = _parquet(place / f"{name}.parquet", _people(first, person, rows))
        vault.add(
            name, path, protects=UNIT, keys={"id": 3}, budget=shoal.Pure(99), relation="new people"
        )
    there = _parquet(place / "a.parquet", _people(3000, 8, rows))
    vault.update("b", relation="same people", path=there)
    vault.update(
        "a", relation="same people", path=_parquet(place / "c.parquet", _people(1000, 7, rows))
    )
    return vault


def _first_version(place: Path, rows: int) -> Any:
    vault = _vault(place)
    types = {"id": "integer", "i": "integer"}
    source = _csv(place / "a.csv", _people(1000, 7, rows), types)
    vault.add("a", source, protects=UNIT, budget=shoal.Pure(99))
    return vault


def _turned(place: Path, rows: int) -> Any:
    """A file without a header is written anew with its columns in another order, which is
    declared.
    """
    vault = _first_version(place, rows)
    source = _csv(place / "a.csv", _people(1000, 7, rows), OTHER_ORDER, turned=True)
    vault.update("a", relation="same people", path=source)
    return vault


def _named_anew(types: Mapping[str, str]) -> Callable[[Path, int], Any]:
    """The same file under another name, in which other cells are called the person."""

    def made(place: Path, rows: int) -> Any:
        vault = _first_version(place, rows)
        source = shoal.CsvFile(place / "a.csv", dict(types), header=False)
        vault.add("b", source, protects=UNIT, budget=shoal.Pure(99))
        return vault

    return made


WAYS: Mapping[str, tuple[Callable[[Path, int], Any], str]] = {
    "moved, and stacked": (_moved, BY_GROUP.format("i", STACKED)),
    "another order": (_turned, BY_GROUP.format("i", "a")),
    "other names": (_named_anew({"i": "integer", "id": "integer"}), BY_GROUP.format("id", "b")),
    "moved, and joined": (_moved, BY_GROUP.format("i", JOINED)),
    "other types": (_named_anew({"id": "boolean", "i": "integer"}), BY_GROUP.format("i", "b")),
}


@dataclass(frozen=True)
class Version(Case):
    """Somebody with some rows, who is in all versions or in none, and what was done to the
    dataset.
    """

    way: str
    rows: int

    def check(self) -> Seen:
        _, sql = WAYS[self.way]
        with tempfile.TemporaryDirectory(prefix="shoal-fuzz-") as folder:
            sides = [
                self._side(Path(folder) / name, rows)
                for name, rows in (("one", self.rows), ("two", 0))
            ]
            found = endings_apart(*sides, at="when registered")
            if found or not sides[0].answered:
                return Seen(tuple(found), sides[0].outcome)
            first = recorded(lambda: sides[0].result.sql(sql).rehearse(epsilon=1))
            second = played(first, lambda: sides[1].result.sql(sql).rehearse(epsilon=1))
            return Seen(tuple(apart(first, second, Relation.ADD_REMOVE)), first.ending.outcome)

    def _side(self, place: Path, rows: int) -> Ending:
        place.mkdir()
        found = ending(lambda: WAYS[self.way][0](place, rows))
        return replace(found, text=found.text.replace(str(place), ""))

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.versions import Version\n"
            f"print(*Version({self.way!r}, {self.rows}).check().findings, sep='\\n')\n"
        )


def make(number: int) -> Case:
    """Every way in turn, with one row or many."""
    rng = Random(f"versions {number}")
    return Version(
        tuple(WAYS)[number % len(WAYS)], MANY if number < len(WAYS) else rng.choice((1, 2, MANY))
    )
