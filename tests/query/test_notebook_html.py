"""What is shown in a notebook: every text is escaped, nothing is read or spent, and numbers are
those of the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.query.notebook_html import Html, bar, block, preformatted, quiet, table, title
from shoal.query.payment import budget_bar

HOSTILE = "<img src=x onerror=alert(1)>\"'&"
SQL = 'SELECT "{0}", COUNT(*) AS "{0}n", AVG(spend) AS spend FROM "{1}" GROUP BY "{0}"'
TAGS = {"div", "span", "strong", "table", "thead", "tbody", "tr", "th", "td", "br", "pre"}
ATTRIBUTES = {"style", "colspan", "role", "aria-label"}


class Reader(HTMLParser):
    """The texts of some HTML, which has no tag or attribute but those that are shown above."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def texts_in(shown: str) -> str:
    reader = Reader()
    reader.feed(shown)
    reader.close()
    assert reader.open == []
    return "\n".join(reader.texts)


def people(column: str = "ward", name: str = "visits") -> shoal.query.Private:
    rows = pa.table(
        {
            "who": [at // 2 for at in range(40)],
            column: [("a", HOSTILE)[at % 2] for at in range(40)],
            "spend": [float(at) for at in range(40)],
        }
    )
    return shoal.private(
        rows,
        name=name,
        protects=shoal.Person("who", groups=2, rows_per_group=2),
        columns={column: shoal.Choices(["a", HOSTILE]), "spend": shoal.Range(0, 50)},
        budget=shoal.Pure(4),
    )


def office(folder: Path) -> shoal.Vault:
    rows = pa.table({"who": [1, 2, 3], HOSTILE: ["a", "b", "a"], "spend": [1.0, 2.0, 3.0]})
    parquet.write_table(rows, folder / "visits.parquet")
    parquet.write_table(pa.table({"place": ["a"]}), folder / "places.parquet")
    vault = shoal.open(folder / "office.shoal")
    vault.add(
        "visits",
        folder / "visits.parquet",
        protects=shoal.Person("who", groups=2, rows_per_group=2),
        columns={HOSTILE: shoal.Choices(["a", HOSTILE]), "spend": shoal.Range(0, 50)},
        budget=shoal.Pure(4),
    )
    vault.add("places", folder / "places.parquet", public=True)
    vault.grant("<b>ana", "visits", shoal.Pure(1))
    return vault


ASKED: dict[str, Callable[[shoal.query.Ask], Any]] = {
    "the question": lambda ask: ask,
    "the plan": lambda ask: ask.explain(),
    "the preview": lambda ask: ask.preview(epsilon=1),
    "the answer": lambda ask: ask.release(epsilon=1),
    "the budget plan": lambda ask: shoal.plan_budget([ask.within(9, column=f"{HOSTILE}n")]),
}
KEPT: dict[str, Callable[[shoal.Vault], Any]] = {
    "the vault": lambda vault: vault,
    "the vault of an analyst": lambda vault: vault.as_("<b>ana"),
    "a dataset": lambda vault: vault.dataset("visits"),
    "its standing": lambda vault: vault.budget("visits"),
    "a check of its declaration": lambda vault: vault.check("visits"),
    "who pays": lambda vault: vault.sql("SELECT COUNT(*) AS n FROM visits").budget,
}


@pytest.mark.parametrize("shown", ASKED)
def test_hostile_names_and_values_are_text_wherever_a_question_is_shown(shown: str) -> None:
    held = people(HOSTILE, HOSTILE)
    quoted = HOSTILE.replace('"', '""')
    thing = ASKED[shown](held.sql(SQL.format(quoted, quoted)))
    assert HOSTILE[:20] in texts_in(thing._repr_html_())


def test_hostile_names_and_choices_are_text_in_a_private_table() -> None:
    found = texts_in(people(HOSTILE, HOSTILE)._repr_html_())
    assert found.count(HOSTILE) == 3  # the table, the column, the choice


@pytest.mark.parametrize("shown", KEPT)
def test_hostile_names_are_text_wherever_a_vault_is_shown(shown: str, tmp_path: Path) -> None:
    with office(tmp_path) as vault:
        found = texts_in(KEPT[shown](vault)._repr_html_())
    assert "visits" in found


def test_what_is_shown_of_a_vault_reads_no_rows_and_writes_nothing(tmp_path: Path) -> None:
    with office(tmp_path) as vault:
        ask = vault.sql("SELECT COUNT(*) AS n FROM visits")
        answer, before = ask.release(epsilon=1), vault.position
        (tmp_path / "visits.parquet").unlink()
        (tmp_path / "places.parquet").unlink()
        shown: list[Any] = [vault, vault.as_("<b>ana"), vault.dataset("visits")]
        shown += [vault.budget("visits"), ask, ask.budget, ask.explain(), answer]
        for thing in (*shown, ask.preview(epsilon=1)):
            assert thing._repr_html_() == thing._repr_html_()
        assert vault.position == before
        assert vault.budget("visits").spent == shoal.Pure(1)


def test_what_is_shown_in_memory_spends_nothing() -> None:
    held = people()
    ask = held.sql("SELECT COUNT(*) AS n FROM visits")
    shown: list[Any] = [held, held.budget, ask, ask.explain(), ask.preview(epsilon=1)]
    assert all(thing._repr_html_() for thing in shown)
    assert held.budget.spent == shoal.Pure(0)


def test_a_preview_in_a_notebook_has_the_numbers_of_its_text() -> None:
    preview = people().sql("SELECT COUNT(*) AS n, AVG(spend) AS m FROM visits").preview(epsilon=1)
    found = texts_in(preview._repr_html_())
    for each in preview.columns:
        assert {each.name, each.within, each.noise} <= set(found.splitlines())
        assert str(each) == f"{each.name}: {each.within}; {each.noise}"
    assert f"costs {preview.price}" in found
    assert preview.notes[0] in found


def test_a_plan_is_still_text() -> None:
    ask = people().sql("SELECT COUNT(*) AS n FROM visits")
    assert isinstance(ask.explain(), str)
    assert ask.explain() == ask.question.explain()


def test_what_is_left_of_a_budget_is_told_by_both_budgets(tmp_path: Path) -> None:
    held = people()
    held.sql("SELECT COUNT(*) AS n FROM visits").release(epsilon="0.5")
    assert held.budget.left == shoal.Pure("3.5")
    with office(tmp_path) as vault:
        ask = vault.as_("<b>ana").sql("SELECT COUNT(*) AS n FROM visits")
        ask.release(epsilon="0.5")
        assert vault.budget("visits").left == shoal.Pure("3.5")
        assert ask.budget.left == shoal.Pure("0.5")  # the allowance has less than the dataset


@pytest.mark.parametrize(
    ("spent", "width"),
    [(0, 0), ("1e-9", 1), ("0.5", 25), ("1.9999", 99), (2, 100)],
)
def test_a_bar_is_filled_with_what_is_spent_and_shows_the_least_of_it(
    spent: Any, width: int
) -> None:
    left = shoal.Pure(2 - Fraction(spent))
    shown = budget_bar(shoal.Pure(2), shoal.Pure(spent), left)
    assert re.findall(r"width:(\d+)%", shown) == [str(width)]
    assert f"{shoal.Pure(spent)} spent of epsilon 2" in texts_in(shown)


def test_a_bar_of_an_approximate_budget_shows_its_epsilon_and_no_rho() -> None:
    held = shoal.private(
        pa.table({"x": [1, 2]}), protects=shoal.Row(), budget=shoal.Approx(1, "1e-6")
    )
    held.sql("SELECT COUNT(*) AS n FROM data").release(epsilon="0.5")
    budget: Any = held.budget
    found = texts_in(budget._repr_html_())
    assert "epsilon 0.5 spent of epsilon 1, delta 1e-6" in found
    assert "rho" not in found


def test_every_piece_escapes_what_is_not_html_already() -> None:
    for piece in (
        title(HOSTILE, HOSTILE),
        table([HOSTILE], [[HOSTILE]]),
        bar(Fraction(1, 2), HOSTILE),
        quiet([HOSTILE, HOSTILE]),
        preformatted(HOSTILE),
        Html(block(HOSTILE)),
    ):
        assert "<img" not in piece
        assert html.escape(HOSTILE) in piece
        assert block(piece).count(html.escape(HOSTILE)) == piece.count(html.escape(HOSTILE))


def test_text_has_the_colour_of_the_notebook_in_light_and_dark() -> None:
    held = people()
    answer = held.sql("SELECT COUNT(*) AS n FROM visits").release(epsilon=1)
    shown: list[Any] = [held, held.budget, answer]
    for thing in shown:
        styles = re.findall(r'style="([^"]*)"', thing._repr_html_())
        named = [each for style in styles for each in style.split(";") if each.startswith("color:")]
        assert set(named) <= {"color:inherit"}
