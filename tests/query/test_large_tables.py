"""One person with a million rows, and a million keys: answered, with nobody beyond their share."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.query.tables import without_noise

import shoal

MANY, OTHERS = 1_000_000, 20_000


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    """Person 0 is in a million groups, once in each; all others are in the first ten, in one
    each.
    """
    who = np.concatenate([np.zeros(MANY, np.int64), np.arange(1, OTHERS + 1)])
    key = np.concatenate([np.arange(MANY), np.arange(OTHERS) % 10])
    return pa.table({"who": who, "key": key.astype(str), "x": np.full(len(who), 7.0)})


def held(rows: pa.Table) -> shoal.Private:
    return shoal.private(
        rows,
        protects=shoal.Person("who", groups=3, rows_per_group=2),
        columns={"x": shoal.Range(0, 5)},
        budget=shoal.Approx(100, "1e-6"),
    )


@pytest.mark.slow
def test_a_million_groups_of_one_person_are_never_told(rows: pa.Table) -> None:
    answer = (
        held(rows)
        .sql("SELECT key, COUNT(*) AS n, AVG(x) AS x FROM data GROUP BY key")
        .release(epsilon=20, delta="1e-7")
    )
    assert [row[0] for row in answer.rows] == [str(key) for key in range(10)]
    for _, count, mean in answer.rows:
        assert abs(int(count) - OTHERS / 10) < OTHERS / 100
        assert abs(float(mean) - 5) < 0.5


@pytest.mark.parametrize("select", ["COUNT(*)", "SUM(x)", "COUNT(DISTINCT who)"])
def test_a_million_rows_of_one_person_move_a_total_by_one_share(
    rows: pa.Table, select: str
) -> None:
    inputs = []
    for table in (rows, rows.slice(MANY)):
        with without_noise() as given:
            held(table).sql(f"SELECT {select} AS n FROM data").release(epsilon=1)
        inputs.append(given)
    for (mechanism, before), (_, after) in zip(*inputs, strict=True):
        far = abs(before[0] - after[0])
        assert 0 < far <= mechanism.sensitivity.value
