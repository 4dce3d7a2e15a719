"""Pictures of answers: they show the released numbers with their intervals, on the axis their keys
ask for.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal import plots
from shoal.errors import RangeError, UnknownNameError
from shoal.exact import is_unclear

TABLE = pa.table(
    {
        "kind": ["a", "b", None, "a"] * 30,
        "flag": [True, False] * 60,
        "age": [n % 80 for n in range(120)],
        "spend": [n % 97 / 7 for n in range(120)],
        "day": [dt.date(2026, 1, 1 + n % 20) for n in range(120)],
        "at": [dt.datetime(2026, 1, 1, n % 24) for n in range(120)],
    }
)
HELD = shoal.private(
    TABLE,
    name="t",
    protects=shoal.Row(),
    columns={
        "kind": shoal.Choices(["a", "b"]),
        "age": shoal.Range(0, 79),
        "spend": shoal.Range(0, 20),
        "day": shoal.Range("2026-01-01", "2026-01-20"),
    },
    budget=shoal.Pure(10**6),
)
AXES = {
    "SELECT COUNT(*) AS n, AVG(spend) AS m FROM t": "nothing",
    "SELECT kind, COUNT(*) AS n FROM t GROUP BY kind": "names",
    "SELECT flag, COUNT(*) AS n FROM t GROUP BY flag": "steps",
    "SELECT age // 40 AS half, COUNT(*) AS n FROM t GROUP BY half": "steps",
    "SELECT age, COUNT(*) AS n FROM t GROUP BY age": "numbers",
    "SELECT BIN(age, 10) AS age, COUNT(*) AS n FROM t GROUP BY 1": "bins",
    "SELECT WIDTH_BUCKET(spend, 0, 15, 5) AS w, kind, COUNT(*) AS n FROM t GROUP BY 1, 2": "bins",
    "SELECT day, COUNT(*) AS n FROM t GROUP BY day": "moments",
    "SELECT kind, flag, day, SUM(spend) AS s FROM t GROUP BY ALL": "moments",
    "SELECT kind, flag, MEDIAN(age) AS m FROM t GROUP BY ALL": "names",
}


def asked(sql: str) -> shoal.Answer:
    return HELD.sql(sql).release(epsilon=1)


@pytest.mark.parametrize("sql", AXES)
def test_the_keys_choose_the_axis_and_every_number_is_shown(sql: str) -> None:
    answer = asked(sql)
    for panel in plots.AnswerData.of(answer).panels:
        assert panel.axis == AXES[sql]
        assert len(panel.marks) + panel.left_out == len(answer)
        shown = sorted(mark.value for mark in panel.marks)
        at = answer.columns.index(panel.column)
        released = sorted(float(row[at]) for row in answer.rows)  # type: ignore[arg-type]
        assert not panel.left_out or len(shown) < len(released)
        assert set(shown) <= set(released)


@pytest.mark.parametrize("sql", [sql for sql, axis in AXES.items() if axis in ("bins", "steps")])
def test_bars_stand_on_0_or_on_the_lowest_that_is_drawn(sql: str) -> None:
    answer = HELD.sql(sql).release(epsilon="0.2")
    (panel,) = plots.AnswerData.of(answer).panels
    lowest = min([0.0, *(min(mark.value, mark.low or 0) for mark in panel.marks)])
    assert f"'domain': [{lowest}, " in str(answer.plot().to_dict())


@pytest.mark.parametrize("sql", AXES)
def test_a_picture_is_drawn_and_written(sql: str, tmp_path: Path) -> None:
    picture = asked(sql).plot()
    assert "epsilon 1" in str(picture.to_dict())
    assert "<svg" in picture.save(tmp_path / "a.svg").read_text()
    assert picture.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_marks_carry_the_intervals_at_the_confidence_asked_for() -> None:
    answer = asked("SELECT kind, COUNT(*) AS n FROM t GROUP BY kind")
    for level in (None, "0.5"):
        (panel,) = plots.AnswerData.of(answer, confidence=level).panels
        ends = [(each.lo, each.hi) for each in answer.interval("n", level)]
        assert [(mark.low, mark.high) for mark in panel.marks] == ends
    assert "50% intervals" in str(answer.plot("n", confidence="0.5").to_dict())


def test_bins_reach_from_where_they_start_to_where_the_next_one_does() -> None:
    (panel,) = plots.AnswerData.of(
        asked("SELECT BIN(age, 10, 5) AS b, COUNT(*) AS n FROM t WHERE age >= 5 GROUP BY 1")
    ).panels
    assert [(mark.at, mark.upto) for mark in panel.marks] == [(b, b + 10) for b in range(5, 80, 10)]
    answer = asked("SELECT WIDTH_BUCKET(spend, 1, 16, 5) AS w, COUNT(*) AS n FROM t GROUP BY 1")
    assert answer.bins("w") == [(-2.0 + 3 * b, 1.0 + 3 * b) for b in range(7)] + [None]
    assert answer.bins("n") is None


def test_series_that_share_a_bin_stand_side_by_side() -> None:
    sql = "SELECT BIN(age, 20) AS b, kind, COUNT(*) AS n FROM t GROUP BY 1, 2"
    (panel,) = plots.AnswerData.of(asked(sql)).panels
    places = sorted((mark.at, mark.upto) for mark in panel.marks)
    assert panel.series == "kind"
    assert {mark.series for mark in panel.marks} == {"a", "b", "NULL"}
    for (_, end), (start, _) in itertools.pairwise(places):
        assert isinstance(end, float)
        assert isinstance(start, float)
        assert end <= start or math.isclose(end, start)


def test_one_column_is_drawn_if_it_is_named_and_all_numbers_if_none_is() -> None:
    answer = asked("SELECT kind, COUNT(*) AS n, AVG(spend) AS m FROM t GROUP BY kind")
    assert [panel.column for panel in plots.AnswerData.of(answer).panels] == ["n", "m"]
    assert [panel.column for panel in plots.AnswerData.of(answer, column="m").panels] == ["m"]
    for wrong in ("kind", "nobody"):
        with pytest.raises(UnknownNameError, match="Columns to draw: n, m"):
            answer.plot(wrong)


def held_in(chart: Any, layer: Any) -> list[Any]:
    """The rows of a layer; a chart keeps them apart and names them."""
    data = layer["data"]
    found: list[Any] = data.get("values", chart.get("datasets", {}).get(data.get("name"), []))
    return found


BARS = [
    sql for sql, axis in AXES.items() if axis in ("names", "steps", "bins") and "MED" not in sql
]


@pytest.mark.parametrize("sql", BARS)
def test_a_number_whose_interval_is_wider_than_itself_gets_no_bar(sql: str) -> None:
    answer = HELD.sql(sql).release(epsilon="0.12")
    (panel,) = plots.AnswerData.of(answer).panels
    wide = {m for m in panel.marks if is_unclear(m.value, (m.low, m.high))}
    assert wide >= {
        m for m in panel.marks if m.high is not None and m.high - (m.low or 0) > abs(m.value)
    }
    assert set(panel.faint) == wide
    assert set(panel.clear) | wide == set(panel.marks)
    chart = answer.plot().to_dict()
    bars, *others = chart["layer"]
    assert bars["mark"]["type"] == "bar"
    assert [row["value"] for row in held_in(chart, bars)] == [m.value for m in panel.clear]
    told = [each for each in others if each["mark"]["type"] == "point"]
    assert [len(held_in(chart, each)) for each in told] == ([len(wide)] if wide else [])
    assert ("without a bar" in str(answer.plot().to_dict())) == bool(wide)


def test_some_of_these_answers_have_numbers_with_and_without_a_bar() -> None:
    answer = HELD.sql("SELECT kind, COUNT(*) AS n FROM t GROUP BY kind").release(epsilon="0.12")
    marks = plots.AnswerData.of(answer).panels[0]
    assert marks.clear
    few = HELD.sql("SELECT kind, COUNT(*) AS n FROM t WHERE age < 2 GROUP BY kind")
    assert plots.AnswerData.of(few.release(epsilon="0.12")).panels[0].faint


def test_an_answer_without_a_number_has_no_picture() -> None:
    answer = asked("SELECT kind, COUNT(*) AS n FROM t GROUP BY kind HAVING n > 10000")
    with pytest.raises(RangeError, match="no number to draw"):
        answer.plot()


def test_hostile_names_are_text_in_a_page(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script>"
    held = shoal.private(
        TABLE,
        protects=shoal.Row(),
        columns={"kind": shoal.Choices([hostile])},
        budget=shoal.Pure(9),
    )
    picture: Any = (
        held.sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind").release(epsilon=1).plot()
    )
    assert "<script>alert(1)" not in picture.save(tmp_path / "a.html").read_text()
