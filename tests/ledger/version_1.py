"""A ledger as version 1 of the tables had it, made without any code of the ledger: what is here
never changes.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

TABLES = """
CREATE TABLE shoal_about (name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name));
CREATE TABLE shoal_entries (
    number INTEGER NOT NULL, previous TEXT NOT NULL, kind TEXT NOT NULL, time TEXT NOT NULL, text TEXT NOT NULL,
    hash TEXT NOT NULL, caller TEXT, "key" TEXT, same TEXT, "of" INTEGER, PRIMARY KEY (number));
CREATE TABLE shoal_accounts (
    name TEXT NOT NULL, budget TEXT NOT NULL, relation TEXT NOT NULL, state TEXT NOT NULL, events INTEGER NOT NULL,
    entry INTEGER NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (name));
CREATE INDEX shoal_by_key ON shoal_entries (caller, "key") WHERE "key" IS NOT NULL;
CREATE INDEX shoal_by_same ON shoal_entries (same) WHERE same IS NOT NULL;
CREATE INDEX shoal_by_charge ON shoal_entries ("of") WHERE "of" IS NOT NULL;
CREATE INDEX shoal_by_kind ON shoal_entries (kind, number)
    WHERE kind NOT IN ('charge', 'answered', 'failed', 'left', 'resumed');
INSERT INTO shoal_about VALUES ('version', '1');
"""
TIME = "2026-01-01T00:00:00.000000+00:00"
TENTH = {
    "epsilon": "1/10",
    "kind": "stated_pure",
    "private": True,
    "relation": None,
    "shoal_event": 1,
}


def written(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def charge(key: str) -> dict[str, Any]:
    return {
        "accounts": ["visits"],
        "body": {},
        "caller": "ana",
        "event": TENTH,
        "key": key,
        "same": None,
    }


ENTRIES: list[tuple[str, dict[str, Any], tuple[Any, ...]]] = [
    ("begun", {"shoal_ledger": 1}, (None, None, None, None)),
    (
        "account",
        {
            "account": "visits",
            "budget": {"epsilon": "1", "measure": "pure"},
            "relation": "add_remove",
            "state": {"relation": "add_remove", "sums": ["0"]},
        },
        (None, None, None, None),
    ),
    (
        "dataset",
        {"fact": {"name": "visits"}, "key": "visits"},
        ("fact dataset", "visits", None, None),
    ),
    ("charge", charge("a"), ("ana", "a", None, None)),
    ("answered", {"answer": 42, "attempt": 0, "charge": 4}, (None, None, None, 4)),
    ("charge", charge("b"), ("ana", "b", None, None)),
    ("failed", {"attempt": 0, "charge": 6, "reason": "no file"}, (None, None, None, 6)),
    ("charge", charge("c"), ("ana", "c", None, None)),
]


def build(path: Path) -> None:
    """Write the file and the head beside it."""
    previous = "0" * 64
    connection = sqlite3.connect(path)
    connection.executescript(TABLES)
    for number, (kind, body, filed) in enumerate(ENTRIES, 1):
        text = written(body)
        chained = sha(f"shoal-entry 1\n{number}\n{previous}\n{kind}\n{TIME}\n{text}")
        connection.execute(
            "INSERT INTO shoal_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, previous, kind, TIME, text, chained, *filed),
        )
        previous = chained
    budget, state = '{"epsilon":"1","measure":"pure"}', '{"relation":"add_remove","sums":["1/5"]}'
    account = ("visits", budget, "add_remove", state, 2, len(ENTRIES))
    seal = sha("\n".join([previous, *map(str, account)]))
    connection.execute("INSERT INTO shoal_accounts VALUES (?, ?, ?, ?, ?, ?, ?)", (*account, seal))
    connection.commit()
    connection.close()
    mark = f"shoal-head-1 {len(ENTRIES)} {previous}"
    slot = f"{mark} {sha(mark)[:16]}\n".ljust(512).encode()
    path.with_name(path.name + ".head").write_bytes(slot + slot)
