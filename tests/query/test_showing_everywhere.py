"""One presentation of an answer: text, terminal, HTML, report and data show the same numbers, and
intervals outward.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tests.exact.test_shown_numbers import HOSTILE
from tests.query.tables import made, rows

import shoal
from shoal.cli.printed_tables import show_answer
from shoal.page import Page
from shoal.plan import DATE, INTEGER, REAL, TIMESTAMP, Type, decimal
from shoal.query.estimates import Interval, ends_in
from shoal.query.shown_answer import as_html, as_text, sheet_of
from shoal.query.stored_answer import Kept, plain, stored
from shoal.vault.certificate_page import answer_grid

REALS = st.floats(-1e12, 1e12) | st.sampled_from(
    [sign * each for each in HOSTILE for sign in (1, -1)]
)
DAYS = st.integers(-700_000, 2_900_000)
KINDS: dict[Type, st.SearchStrategy[Any]] = {
    INTEGER: REALS.filter(lambda number: abs(number) < 1e30),
    REAL: REALS,
    decimal(2): REALS.filter(lambda number: abs(number) < 1e30),
    DATE: DAYS | st.floats(-700_000, 2_900_000),
    TIMESTAMP: DAYS.map(lambda day: day * 86_400 * 10**6),
}
MOMENT = r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?"
NUMBER = r"-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?"
PAIR = rf"(?P<low>{MOMENT}|{NUMBER})(?:, | to )(?P<high>{MOMENT}|{NUMBER})"


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def of_html(text: str) -> str:
    reader = _Words()
    reader.feed(text[text.index("<table") :])
    return "\n".join(reader.found)


def on_terminal(kept: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=400)
    show_answer(console, Kept(kept))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


RENDERINGS: dict[str, Callable[[dict[str, Any]], str]] = {
    "text": lambda kept: as_text(sheet_of(Kept(kept))),
    "html": lambda kept: of_html(as_html(sheet_of(Kept(kept)))),
    "terminal": on_terminal,
    "report as Markdown": lambda kept: Page("t", [answer_grid(Kept(kept))]).markdown(),
    "report as HTML": lambda kept: of_html(Page("t", [answer_grid(Kept(kept))]).html()),
}


def answered(kind: Type, value: Any, ends: Interval) -> dict[str, Any]:
    """An answer as it is stored: one number of a type, with its interval."""
    return {
        "columns": ["x"],
        "types": [str(kind)],
        "rows": [[plain(value)]],
        "keys": [],
        "bins": {},
        "request": "epsilon 1",
        "notes": [],
        "confidence": "19/20",
        "intervals": {"x": [[plain(end) for end in ends_in(kind, ends)]]},
    }


def place(text: str, kind: Type) -> Fraction:
    """Where a shown end is, on the number line of its type."""
    if kind == DATE:
        return Fraction(dt.date.fromisoformat(text).toordinal() - dt.date(1970, 1, 1).toordinal())
    if kind == TIMESTAMP:
        since = dt.datetime.fromisoformat(text) - dt.datetime(1970, 1, 1)
        return Fraction(since // dt.timedelta(microseconds=1))
    return Fraction(text.replace(",", ""))


@pytest.mark.slow
@pytest.mark.parametrize("name", RENDERINGS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(data=st.data())
def test_every_shown_interval_holds_the_exact_one(name: str, kind: Type, data: Any) -> None:
    low, high = sorted((float(data.draw(KINDS[kind])), float(data.draw(KINDS[kind]))))
    value = {
        INTEGER: 7,
        REAL: 0.5,
        DATE: dt.date(2026, 1, 1),
        TIMESTAMP: dt.datetime(2026, 1, 1),
    }.get(kind, Decimal("1.50"))
    kept = json.loads(json.dumps(answered(kind, value, Interval(low, high))))
    found = re.search(PAIR, RENDERINGS[name](kept).split("x\n", 1)[-1])
    assert found is not None
    assert place(found["low"], kind) <= Fraction(low)
    assert place(found["high"], kind) >= Fraction(high)


@pytest.mark.slow
@pytest.mark.parametrize("protects", [shoal.Row(), shoal.Person("who", groups=2, rows_per_group=3)])
def test_printing_pandas_and_what_is_stored_show_the_same_ends(protects: Any) -> None:
    held = made(rows(3000, each=3), protects=protects, budget=shoal.Pure(10**4))
    for _ in range(20):
        answer = held.sql("SELECT COUNT(*) AS n FROM data").release(epsilon="0.37")
        frame, kept = answer.to_pandas(), stored(answer)
        ends = frame["n_low"][0], frame["n_high"][0]
        assert (
            [*ends]
            == kept["intervals"]["n"][0]
            == [answer.interval("n")[0].lo, answer.interval("n")[0].hi]
        )
        for text in (str(answer), on_terminal(kept)):
            found = re.search(PAIR, text.split("n", 1)[1])
            assert found is not None
            assert (
                float(found["low"].replace(",", "")),
                float(found["high"].replace(",", "")),
            ) == ends


def test_ends_of_decimals_and_dates_have_the_type_of_their_number() -> None:
    table = pa.table(
        {
            "cost": pa.array([Decimal("1.25"), Decimal("2.50")] * 400, pa.decimal128(8, 2)),
        }
    )
    held = shoal.private(
        table,
        protects=shoal.Row(),
        columns={"cost": shoal.Range(0, 5)},
        budget=shoal.Pure(100),
    )
    answer = held.sql("SELECT SUM(cost) AS c FROM data").release(epsilon=1)
    arrow = answer.to_arrow()
    row = arrow.to_pylist()[0]
    assert isinstance(row["c_low"], Decimal)
    assert row["c_low"] <= row["c"] <= row["c_high"]
    kept = Kept(answered(DATE, dt.date(2026, 1, 1), Interval(20454.5, 20460.5)))
    assert kept.ends("x") == [(dt.date(2026, 1, 1), dt.date(2026, 1, 8))]
    assert kept.interval("x") == [Interval(20454, 20461)]


def test_a_confidence_is_never_rounded_up_to_certainty() -> None:
    held = made(rows(40))
    answer = held.sql("SELECT COUNT(*) AS n FROM data", intervals="0.9999999").release(epsilon=1)
    for text in (str(answer), on_terminal(stored(answer))):
        assert "99.9999%" in text
        assert "100%" not in text
