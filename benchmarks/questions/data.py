"""The table that questions are asked of: made once from a seed, kept as Parquet in a folder that
git ignores.

A person has 1 to 200 rows, few of them many: on average 10. Seven rows of ten are in their own
city. The little public table says in which region a city lies.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CACHE = Path(__file__).parents[1] / ".data"
ROWS_PER_PERSON = 10
MOST_ROWS = 200
CITIES = [f"city {n:03d}" for n in range(200)]
CATEGORIES = [f"category {n:02d}" for n in range(20)]
REGIONS = [f"region {n}" for n in range(10)]
DAYS = 365
FIRST_DAY = dt.date(2025, 1, 1)
ALL_SPEND, ALL_AGES = (0, 500), (0, 100)
SEED = 20260801

Vector = NDArray[Any]


def visits(rows: int) -> Path:
    """The private table with so many rows, made if it is not there yet."""
    path = CACHE / f"visits_{rows}.parquet"
    if not path.exists():
        print(f"questions: making a table of {rows:,} rows", flush=True)
        _write(_columns(rows), path)
    return path


def regions() -> Path:
    """The public table: city, region."""
    path = CACHE / "regions.parquet"
    if not path.exists():
        _write({"city": CITIES, "region": [region_of(city) for city in CITIES]}, path)
    return path


def region_of(city: str) -> str:
    return REGIONS[CITIES.index(city) * 7 % len(REGIONS)]


def _write(columns: dict[str, Any], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(exist_ok=True)
    fresh = path.with_suffix(".part")
    pq.write_table(pa.table(columns), fresh, row_group_size=10**6)
    fresh.rename(path)


def _columns(rows: int) -> dict[str, Any]:
    import pyarrow as pa

    random = np.random.default_rng(SEED)
    persons = rows // ROWS_PER_PERSON
    person = np.repeat(np.arange(persons), _rows_each(random, persons, rows))
    random.shuffle(person)
    home = _skewed(random, len(CITIES), persons)
    away = _skewed(random, len(CITIES), rows)
    city = np.where(random.random(rows) < 0.7, home[person], away)
    spend = np.clip(np.round(random.gamma(2.0, 40.0, rows), 2), *ALL_SPEND)
    age = np.clip(np.round(random.normal(42, 20, persons)), *ALL_AGES).astype(np.int64)
    day = np.datetime64(FIRST_DAY) + random.integers(0, DAYS, rows)
    return {
        "user_id": person.astype(np.int64),
        "city": _text(CITIES, city),
        "category": _text(CATEGORIES, _skewed(random, len(CATEGORIES), rows)),
        "day": pa.array(day),
        "spend": spend,
        "age": age[person],
    }


def _rows_each(random: np.random.Generator, persons: int, rows: int) -> Vector:
    """How many rows each person has: Zipf-like, with exactly the wanted sum."""
    sizes = np.arange(1, MOST_ROWS + 1)
    weights = sizes**-1.53  # the mean is close to 10
    found = random.choice(sizes, size=persons, p=weights / weights.sum())
    while (gap := rows - int(found.sum())) != 0:
        step = 1 if gap > 0 else -1
        movable = np.flatnonzero((found + step >= 1) & (found + step <= MOST_ROWS))
        found[random.choice(movable, size=min(abs(gap), len(movable)), replace=False)] += step
    return found


def _skewed(random: np.random.Generator, kinds: int, size: int) -> Vector:
    weights = 1 / (np.arange(kinds) + 5)
    return random.choice(kinds, size=size, p=weights / weights.sum())


def _text(words: list[str], index: Vector) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(index, pa.int32()), words).cast(pa.string())
