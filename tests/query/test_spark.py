"""Private questions over a frame of Spark: the law of the answers, charges, keys in parts, and a
question that fails.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.engines.spark_session import needs_java, session

import shoal
from shoal.errors import UnansweredError

pytestmark = needs_java

DATA = pa.table(
    {
        "user": [at % 50 for at in range(2000)],
        "city": [["Graz", "Linz", "Wien"][at % 3] for at in range(2000)],
        "spend": [float(at % 40) for at in range(2000)],
    }
)
SAID: dict[str, Any] = {
    "protects": shoal.Person("user", groups=3, rows_per_group=20),
    "columns": {"spend": shoal.Range(0, 50)},
    "budget": shoal.Approx(100000, "1e-3"),
}
QUESTION = """SELECT city, COUNT(*) AS n, COUNT(DISTINCT user) AS users, AVG(spend) AS spend,
    MEDIAN(spend) AS middle FROM data GROUP BY city"""


def test_a_frame_of_spark_and_an_arrow_table_have_the_same_answer_but_for_the_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shoal.engines.spark.engine.BATCH", 2)
    found = []
    for source in (session().createDataFrame(DATA), DATA):
        ask = shoal.private(source, **SAID).sql(QUESTION)
        found.append(ask.release(epsilon=20000, delta="1e-4").to_arrow().to_pylist())
    for one, other in zip(*found, strict=True):
        assert one["city"] == other["city"]
        for name in ("n", "users", "spend"):
            assert abs(one[name] - other[name]) < 0.5, name
        assert abs(one["middle"] - other["middle"]) < 1.5, "any point between 19 and 20 is a median"


def test_a_question_that_fails_in_the_cluster_is_charged_once_and_says_nothing_of_the_rows() -> (
    None
):
    frame = session().sql(
        "SELECT id % 5 AS user, IF(id = 77, RAISE_ERROR('secret'), 'a') AS city FROM RANGE(100)"
    )
    held = shoal.private(frame, protects=shoal.Person("user"), budget=shoal.Pure(3))
    with pytest.raises(UnansweredError) as caught:
        held.sql("SELECT COUNT(*) AS n FROM data WHERE city <> 'b'").release(epsilon=1)
    assert "secret" not in str(caught.value)
    assert held.budget.spent == shoal.Pure(1)
