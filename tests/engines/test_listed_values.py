"""Lists of values in the types of columns: read for the data's owner, never adopted."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.engines.duckdb import DuckTable
from shoal.errors import RangeError, SourceError

WARDS = ["east", "Geriatrics, long stay", "west"]


def frame() -> pd.DataFrame:
    kind = pd.CategoricalDtype(WARDS)
    return pd.DataFrame({"ward": pd.Series(["west", "east"], dtype=kind), "age": [40, 50]})


def listed(source: object) -> dict[str, list[object]]:
    return {name: list(each.values) for name, each in shoal.listed_choices(source).items()}


def test_categories_dictionaries_and_enums_are_listed_in_their_order() -> None:
    assert listed(frame()) == {"ward": WARDS}
    assert listed(pa.Table.from_pandas(frame())) == {"ward": WARDS}
    enum = pl.DataFrame({"ward": pl.Series(["west"], dtype=pl.Enum(WARDS)), "age": [3]})
    assert listed(enum) == {"ward": WARDS}
    numbers = pd.DataFrame({"grade": pd.Categorical([1, 2], categories=[1, 2, 3])})
    assert listed(numbers) == {"grade": [1, 2, 3]}


def test_dictionaries_of_several_chunks_are_one_list() -> None:
    parts = [pa.array(each).dictionary_encode() for each in (["b"], ["a", "b"])]
    chunked = pa.table({"ward": pa.chunked_array(parts), "age": [1, 2, 3]})
    assert listed(chunked) == {"ward": ["b", "a"]}


@pytest.mark.parametrize("lent", [True, False])
def test_enums_of_a_database_are_listed_without_reading_a_row(tmp_path: Path, lent: bool) -> None:
    path = tmp_path / "town.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute("CREATE TYPE ward AS ENUM ('east', 'Geriatrics, long stay', 'west')")
    connection.execute('CREATE TABLE "my people" (ward ward, age INTEGER)')
    if lent:
        assert listed(DuckTable(connection, "my people")) == {"ward": WARDS}
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
    connection.close()
    assert listed(DuckTable(path, "my people")) == {"ward": WARDS}
    with pytest.raises(SourceError, match="no table 'peoples'"):
        shoal.listed_choices(DuckTable(path, "peoples"))
    with pytest.raises(SourceError, match="cannot be opened"):
        shoal.listed_choices(DuckTable(tmp_path / "no.duckdb", "people"))


def test_what_lists_no_values_is_empty_or_refused() -> None:
    assert listed(pd.DataFrame({"ward": ["east"]})) == {}
    assert listed(pl.DataFrame({"ward": pl.Series(["a"], dtype=pl.Categorical)})) == {}
    with pytest.raises(SourceError, match="no types that list values"):
        shoal.listed_choices([{"ward": "east"}])


def test_a_list_becomes_public_only_if_the_owner_states_it() -> None:
    """``astype("category")`` lists what the rows hold, so nothing is taken from a type alone."""
    kept = shoal.private(frame(), name="people", protects=shoal.Row(), budget=shoal.Pure(1))
    assert kept.tables["people"].column("ward").choices is None
    with pytest.raises(RangeError, match=r"listed_choices\(frame\)"):
        kept.value_counts("ward", epsilon=1)
    assert "Geriatrics" not in repr(kept)
    stated = shoal.private(
        frame(),
        name="people",
        protects=shoal.Row(),
        columns={**shoal.listed_choices(frame()), "age": (0, 120)},
        budget=shoal.Pure(1),
    )
    answer = stated.value_counts("ward", epsilon=1)
    assert isinstance(answer, shoal.Answer)
    assert {*answer["ward"]} == {*WARDS, None}
