"""Cells that break things: ends of types, equal values that are written differently, text that
looks like something else.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from random import Random
from typing import Any

INTEGERS = (0, 1, -1, 2, 3, 7, 50, 100, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63))
REALS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.5,
    0.1,
    -0.2,
    1e-320,
    -5e-324,
    2.0**52 + 0.5,
    2.0**63,
    1e300,
    -1e308,
    float("nan"),
    float("inf"),
    float("-inf"),
    7.0,
    50.0,
)
TEXTS = (
    "",
    " ",
    "a",
    "A",
    "a ",
    "ab",
    "aB",
    "é",
    "e\u0301",
    "É",
    "ß",
    "ss",
    "İ",
    "日本",
    "%",
    "a_c",
    "\\",
    "'",
    '"',
    "{0}",
    "{*}",
    "NULL",
    "12",
    "012",
    "1e3",
    "nan",
    "true",
    "2020-02-29",
    "🤦🏼‍♂️",
    "\n",
    "\u00a0x",
    "HIV",
    "ab" * 20,
)
LONG = tuple("p" * size + end for size in (4095, 4096, 5000) for end in ("", "a", "b"))
"""Texts that are longer than what is read of one, and differ where it ends or beyond."""
DAYS = (
    dt.date(1, 1, 1),
    dt.date(9999, 12, 31),
    dt.date(1970, 1, 1),
    dt.date(1969, 12, 31),
    dt.date(2000, 2, 29),
    dt.date(2020, 6, 15),
    dt.date(2020, 6, 16),
)
MOMENTS = (
    *(dt.datetime.combine(day, dt.time()) for day in DAYS),
    dt.datetime(2020, 6, 15, 23, 59, 59, 999999),  # noqa: DTZ001 - moments in the data have no zone
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001
)
MONEYS = tuple(Decimal(n) for n in ("0.00", "0.01", "-0.01", "1.50", "2.50", "9999999999999999.99"))

POOLS: Mapping[str, tuple[Any, ...]] = {
    "integer": INTEGERS,
    "real": REALS,
    "text": TEXTS,
    "boolean": (True, False),
    "date": DAYS,
    "timestamp": MOMENTS,
    "decimal": MONEYS,
}


def few(rng: Random, kind: str, count: int = 4) -> list[Any]:
    """A handful of values of a type, so that rows have some in common; equal ones in two spellings
    are likely.
    """
    pool = POOLS[kind]
    chosen = [rng.choice(pool) for _ in range(count)]
    if kind == "text" and rng.random() < 0.1:
        chosen += rng.sample(LONG, 3)
    if kind == "real" and rng.random() < 0.5:
        chosen += [0.0, -0.0]
    return [*chosen, None]
