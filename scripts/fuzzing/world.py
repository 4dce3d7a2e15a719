"""A world: a schema with what is declared of it, whom it protects, rows, and how neighbours are
made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Any

from scripts.fuzzing.values import few
from shoal.plan import (
    BOOLEAN,
    DATE,
    INTEGER,
    REAL,
    TEXT,
    TIMESTAMP,
    Choices,
    Person,
    Range,
    Row,
    Table,
    Type,
    Unit,
    column,
    decimal,
)
from shoal.sensitivity import Relation

Rows = list[dict[str, Any]]

TYPES: Mapping[str, Type] = {
    "integer": INTEGER,
    "real": REAL,
    "text": TEXT,
    "boolean": BOOLEAN,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "decimal": decimal(2),
}
FACTS: Mapping[str, tuple[Range | Choices, ...]] = {
    "integer": (Range(0, 120), Range(-5, 5), Range(-(2**62), 2**62)),
    "real": (Range(0, 500), Range("-0.1", "0.3"), Range(-1, 1)),
    "text": (
        Choices(["a", "A", "é"]),
        Choices(["", " ", "a"]),
        Choices(["a", "A", "a ", "é", "É", "12"]),
    ),
    "date": (Range("2020-01-01", "2020-12-31"),),
    "decimal": (Range(0, 100), Range("-0.01", "0.01")),
}
NAMES = ("who", "k", "x", "y", "z")


@dataclass(frozen=True)
class World:
    """A table called ``data``: columns with types and facts, a unit, and rows."""

    kinds: Mapping[str, str]
    facts: Mapping[str, Range | Choices]
    required: tuple[str, ...]
    unit: Unit
    rows: Rows
    cells: Mapping[str, list[Any]]

    @classmethod
    def made(cls, rng: Random, *, most: int = 10) -> World:
        """Columns of random types; some have facts; rows share a handful of hostile values."""
        kinds = {"who": rng.choice(("integer", "integer", "text", "date"))}
        for name in NAMES[1 : rng.randint(3, len(NAMES))]:
            kinds[name] = rng.choice(
                (
                    "integer",
                    "real",
                    "real",
                    "text",
                    "text",
                    "boolean",
                    "date",
                    "timestamp",
                    "decimal",
                )
            )
        facts = {
            n: rng.choice(FACTS[k])
            for n, k in kinds.items()
            if n != "who" and k in FACTS and rng.random() < 0.5
        }
        required = tuple(name for name in facts if rng.random() < 0.2)
        cells = {name: few(rng, kind) for name, kind in kinds.items()}
        cells["who"] = few(rng, kinds["who"], 5)
        rows = [_row(rng, cells) for _ in range(rng.randint(0, most))]
        if rng.random() < 0.3 and rows:
            rows += rows[:2] * rng.randint(1, 5)
        return cls(
            kinds,
            facts,
            required,
            unit_of(rng, [n for n, k in kinds.items() if n != "who" and k != "real"]),
            rows,
            cells,
        )

    @classmethod
    def of_equals(cls, rng: Random) -> World:
        """Columns of values that are equal or look so: zeros of both signs, upper and lower case,
        long ids with one beginning.
        """
        kinds = {"who": "text", "k": "text", "x": "real", "y": "text"}
        cells: dict[str, list[Any]] = {
            "who": ["p" * 5000 + letter for letter in "abcdef"],
            "k": ["a", "A", "é", "É", None],
            "x": [0.0, -0.0, -0.2, 0.3, -1.0, None],
            "y": ["a", "A", "a ", "é", "e\u0301", "É", "aA", "p" * 5000, None],
        }
        texts = cells["y"]  # each of them at least once
        rows = [{**_row(rng, cells), "y": texts[at % len(texts)]} for at in range(12)]
        unit = Row() if rng.random() < 0.5 else Person("who", groups=2, rows_per_group=2)
        return cls(kinds, {"k": Choices(["a", "A", "é", "É"])}, (), unit, rows, cells)

    @property
    def table(self) -> Table:
        return Table("data", self.columns, protects=self.unit)

    @property
    def columns(self) -> tuple[Any, ...]:
        return tuple(
            column(name, TYPES[kind], self.facts.get(name), nullable=name not in self.required)
            for name, kind in self.kinds.items()
        )

    def arrow(self, rows: Rows) -> Any:
        import pyarrow as pa

        return pa.Table.from_pylist(rows, schema=arrow_schema(self.kinds))

    def neighbour(self, rng: Random) -> Rows:
        """The rows with one unit less, more, or changed, as the unit's relation has it."""
        keys = self.unit.columns if isinstance(self.unit, Person) else None
        if keys is None:
            return self._other_row(rng)
        owners = list({key: None for row in self.rows if self._counts(key := owner(row, keys))})
        leaving = rng.choice(owners) if owners and rng.random() < 0.8 else ("nobody",)
        rest = [row for row in self.rows if owner(row, keys) != leaving]
        if self.unit.relation is Relation.CHANGE:
            return self._mixed(rng, rest, self._rows_of(rng, keys, rest))
        if rng.random() < 0.6 and leaving != ("nobody",):
            return rest
        coming = self._rows_of(rng, keys, self.rows)
        return self._mixed(rng, self.rows, coming)

    def _counts(self, key: tuple[Any, ...]) -> bool:
        """Whether a key is somebody: one with a part missing is dropped, or a person like
        others.
        """
        return None not in key or (isinstance(self.unit, Person) and self.unit.nulls == "one")

    def _other_row(self, rng: Random) -> Rows:
        at = rng.randrange(len(self.rows)) if self.rows else 0
        rest = self.rows[:at] + self.rows[at + 1 :]
        if self.unit.relation is Relation.CHANGE:
            return [*rest[:at], _row(rng, self.cells), *rest[at:]] if self.rows else []
        return rest if rng.random() < 0.5 and self.rows else [_row(rng, self.cells), *self.rows]

    def _rows_of(self, rng: Random, keys: Sequence[str], others: Rows) -> Rows:
        """Rows of somebody who is not there yet."""
        taken = {owner(row, keys) for row in others}
        free = next(
            (
                one
                for _ in range(20)
                if (key := owner(one := _row(rng, self.cells), keys)) not in taken
                and self._counts(key)
            ),
            None,
        )
        if free is None:
            return []
        theirs = {name: free[name] for name in keys}
        return [{**_row(rng, self.cells), **theirs} for _ in range(rng.choice((1, 1, 2, 5)))]

    @staticmethod
    def _mixed(rng: Random, rows: Rows, coming: Rows) -> Rows:
        """New rows before the others or after them: who comes first must not show."""
        return [*coming, *rows] if rng.random() < 0.5 else [*rows, *coming]

    def fewer(self, other: Rows) -> Iterator[tuple[World, Rows]]:
        """Smaller worlds and their neighbours: rows that both have left out, several at a time
        first.
        """
        common = [row for row in self.rows if any(row is each or same(row, each) for each in other)]
        for size in (len(common) // 2, len(common) // 4, 1):
            for start in range(0, len(common), max(1, size)):
                gone = common[start : start + max(1, size)]
                yield replace(self, rows=without(self.rows, gone)), without(other, gone)


def unit_of(rng: Random, names: Sequence[str]) -> Unit:
    """Each row, or each person by one column or two."""
    relation = rng.choice(("add_remove", "add_remove", "change"))
    if rng.random() < 0.3:
        return Row(relation=Relation.read(relation, "relation"))
    by = ["who"] if rng.random() < 0.8 or not names else ["who", rng.choice(names)]
    return Person(
        by,
        groups=rng.choice((1, 1, 2, 3)),
        rows_per_group=rng.choice((1, 2, 3)),
        nulls=rng.choice(("drop", "drop", "one")),
        relation=relation,
    )


def owner(row: Mapping[str, Any], keys: Sequence[str]) -> tuple[Any, ...]:
    """Whose row it is, by value: one zero, no NaN or infinity."""
    return tuple(_by_value(row[key]) for key in keys)


def same(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    return all(repr(one[name]) == repr(two[name]) for name in one)


def without(rows: Rows, gone: Rows) -> Rows:
    """The rows but for these, each left out once."""
    left, out = list(rows), list(gone)
    for row in out:
        at = next((at for at, each in enumerate(left) if same(each, row)), None)
        if at is not None:
            del left[at]
    return left


def arrow_schema(kinds: Mapping[str, str]) -> Any:
    import pyarrow as pa

    types = {
        "integer": pa.int64(),
        "real": pa.float64(),
        "text": pa.string(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
        "decimal": pa.decimal128(18, 2),
    }
    return pa.schema({name: types[kind] for name, kind in kinds.items()})


def arrow_text(kinds: Mapping[str, str]) -> str:
    """A schema of Arrow, in Python."""
    words = {
        "integer": "pa.int64()",
        "real": "pa.float64()",
        "text": "pa.string()",
        "boolean": "pa.bool_()",
        "date": "pa.date32()",
        "timestamp": 'pa.timestamp("us")',
        "decimal": "pa.decimal128(18, 2)",
    }
    return "pa.schema({" + ", ".join(f'"{n}": {words[k]}' for n, k in kinds.items()) + "})"


def unit_text(unit: Unit) -> str:
    """A unit, in Python."""
    if not isinstance(unit, Person):
        return f'shoal.Row(relation="{unit.relation}")'
    return (
        f"shoal.Person({list(unit.columns)!r}, groups={unit.groups}, rows_per_group={unit.rows_per_group}, "
        f'nulls="{unit.nulls}", relation="{unit.relation}")'
    )


def facts_text(facts: Mapping[str, Range | Choices]) -> str:
    return (
        "{" + ", ".join(f'"{name}": shoal.{_fact_text(fact)}' for name, fact in facts.items()) + "}"
    )


def _fact_text(fact: Range | Choices) -> str:
    if isinstance(fact, Choices):
        return f"Choices({list(fact.values)!r})"
    return f'Range("{fact.lo}", "{fact.hi}")'


def _row(rng: Random, cells: Mapping[str, list[Any]]) -> dict[str, Any]:
    return {name: rng.choice(pool) for name, pool in cells.items()}


def _by_value(value: Any) -> Any:
    if isinstance(value, float):
        return None if value - value != 0 else value + 0.0
    return value.normalize() if isinstance(value, Decimal) else value
