"""Answers as people see them: aligned, with the digits that mean something, intervals outward, all
of it escaped.
"""

from __future__ import annotations

import html
import re
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.query.tables import made, rows

import shoal
from shoal.plan import INTEGER, REAL, decimal
from shoal.query.estimates import Interval, ends_in
from shoal.query.shown_answer import (
    MOST_ROWS,
    OUTSIDE,
    Sheet,
    as_html,
    as_text,
    shown_key,
    shown_number,
)

SHEET = Sheet(
    [
        shown_key("kind", ["work", None]),
        shown_number("n", INTEGER, [53499, -7], [(53404, 53594), (0, 70)]),
        shown_number("m", REAL, [80.7166, 5.0], [(79.5859, 81.8395), (None, None)]),
        shown_key("q", [1.5, 2.25]),
    ],
    "95%",
    "2 rows, 95% intervals; epsilon 1",
    ("q <is> a quantile",),
)


def test_a_table_in_letters_has_its_numbers_to_the_right() -> None:
    assert as_text(SHEET).splitlines() == [
        "kind       n                        m                     q",
        "work  53,499  [53,404, 53,594]  80.72  [79.58, 81.84]   1.5",
        "NULL      -7  [0, 70]           5.000  [anything]      2.25",
        "(2 rows, 95% intervals; epsilon 1)",
        "note: q <is> a quantile",
    ]


@pytest.mark.slow
def test_a_number_outside_its_interval_is_explained_below_the_table() -> None:
    held = made(rows(1), budget=shoal.Pure(10**6))
    empty = held.sql("SELECT COUNT(*) AS n FROM data WHERE age > 1000")
    answers = [empty.release(epsilon="0.01") for _ in range(200)]
    below = [answer for answer in answers if answer.rows[0][0] < 0]  # type: ignore[operator]
    assert 0 < len(below) < len(answers)
    for answer in answers:
        outside = not answer.interval("n")[0].lo <= answer.rows[0][0] <= answer.interval("n")[0].hi  # type: ignore[operator]
        assert (OUTSIDE in str(answer)) is outside
        assert (OUTSIDE in answer._repr_html_()) is outside


def test_a_table_in_html_has_the_same_cells_and_is_well_formed() -> None:
    class Cells(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []
            self.found: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag != "br":
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

        def handle_data(self, data: str) -> None:
            self.found.append(data)

    reader = Cells()
    reader.feed(as_html(SHEET))
    assert reader.open == []
    *cells, caption, note = reader.found
    assert caption == SHEET.caption
    assert note == SHEET.notes[0]
    words = [word for line in as_text(SHEET).splitlines()[:3] for word in re.split(r"  +", line)]
    assert cells == words


@given(
    value=st.integers(-(2**60), 2**60) | st.floats(-1e9, 1e9) | st.decimals(-999, 999, places=2),
    reach=st.floats(0, 1e6) | st.just(0.0),
)
def test_shown_ends_enclose_the_interval(value: float | Decimal, reach: float) -> None:
    ends = Interval(float(value) - reach, float(value) + reach)
    kind = {int: INTEGER, float: REAL}.get(type(value), decimal(2))
    shown = shown_number("x", kind, [value], [ends_in(kind, ends)])
    assert shown.ends is not None
    low, high = (Fraction(end.replace(",", "")) for end in shown.ends[0].bracket[1:-1].split(", "))
    slack = 1e-15 * abs(float(value)) + 1e-12
    assert low <= Fraction(ends.lo)
    assert high >= Fraction(ends.hi)
    assert high - low <= 1.02 * (ends.hi - ends.lo) + 2.1 + slack
    said = float(shown.values[0].replace(",", ""))
    assert abs(said - float(value)) <= max(0.006 * reach, 1e-6 * abs(float(value)), 1e-6)


def test_hostile_names_values_and_notes_are_text() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    sheet = Sheet([shown_key(hostile, [hostile])], "95%", hostile, (hostile,))
    assert hostile not in as_html(sheet)
    assert as_html(sheet).count(html.escape(hostile)) == 4


def test_an_answer_shows_its_cost_and_at_most_so_many_rows() -> None:
    answer = (
        made(rows(40)).sql("SELECT age, COUNT(*) AS n FROM data GROUP BY age").release(epsilon=1)
    )
    lines = [line for line in str(answer).splitlines() if not line.startswith("note: ")]
    assert len(lines) == MOST_ROWS + 2
    assert lines[-1] == "(the first 60 of 122 rows, 95% intervals; epsilon 1)"
    assert "the first 60 of 122 rows" in answer._repr_html_()
    one = made(rows(40)).sql("SELECT COUNT(*) AS n FROM data", intervals="0.995").release(epsilon=1)
    assert str(one).splitlines()[2] == "(1 row, 99.5% intervals; epsilon 1)"


@pytest.mark.parametrize(
    "sql", ["SELECT kind, COUNT(*) AS n FROM data GROUP BY kind HAVING n > 10000"]
)
def test_an_answer_without_rows_is_shown(sql: str) -> None:
    answer: shoal.Answer = made(rows(4)).sql(sql).release(epsilon=1)
    assert str(answer).splitlines()[0].split() == ["kind", "n"]
    assert "0 rows" in answer._repr_html_()
