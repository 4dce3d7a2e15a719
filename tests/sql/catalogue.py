"""Tables to ask questions of."""

from __future__ import annotations

from shoal.plan import (
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
    column,
)

VISITS = Table(
    "visits",
    (
        column("user_id", INTEGER),
        column("city", TEXT),
        column("kind", TEXT, Choices(["a", "b"])),
        column("age", INTEGER, Range(0, 120)),
        column("spend", REAL, Range(0, 500)),
        column("day", DATE, Range("2026-01-01", "2026-12-31")),
        column("at", TIMESTAMP),
    ),
    protects=Person("user_id", groups=5, rows_per_group=3),
)
PEOPLE = Table(
    "people",
    (column("user_id", INTEGER), column("sex", TEXT)),
    protects=Person("user_id"),
    keys={("user_id",): 1},
)
TOWNS = Table("towns", (column("city", TEXT), column("region", TEXT)), keys={("city",): 1})
PRICES = Table("prices", (column("city", TEXT), column("price", REAL)))
ROWS = Table(
    "rows",
    (column("x", INTEGER), column("Y", REAL), column('he said "hi"; --', TEXT)),
    protects=Row(),
)
PAIRS = Table(
    "pairs", (column("a", INTEGER), column("b", TEXT)), protects=Person(["a", "b"], nulls="one")
)
TABLES = {table.name: table for table in (VISITS, PEOPLE, TOWNS, PRICES, ROWS, PAIRS)}
