"""Which epsilon: the proposed budget buys the wanted accuracy, and the questions it is for fit."""

from __future__ import annotations

import io
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.cli.test_cli import good, run
from tests.query.test_notebook_html import texts_in

import shoal
from shoal.cli.console import Exit
from shoal.errors import NumberError, RangeError
from shoal.exact import shown_up
from shoal.interpret import risk_of
from shoal.query.guide import JUDGEMENT, Guide

WANTED = [
    {"people": 5000, "within": 20, "questions": 10},
    {"people": 300, "within": "2.5", "questions": 1, "confidence": "0.99"},
    {"people": 10**6, "within": 1000, "questions": 500, "rows_per_person": 7},
    {"people": 5000, "within": 20, "questions": 200, "delta": "1e-6"},
]


def counted(found: Guide) -> shoal.query.Ask:
    """A count of people in a dataset that has the proposed budget."""
    held = shoal.private(
        pa.table({"who": [1, 2, 3]}),
        protects=shoal.Person("who", groups=1, rows_per_group=found.rows_per_person),
        budget=found.budget,
    )
    return held.sql("SELECT COUNT(*) AS n FROM data")


def spent_on_each(found: Guide) -> dict[str, Any]:
    if isinstance(found.each, shoal.Pure):
        return {"epsilon": found.each.epsilon}
    return {"rho": found.each.rho}


@pytest.mark.parametrize("wanted", WANTED, ids=str)
def test_a_question_at_the_proposed_price_errs_as_the_guide_says(wanted: Any) -> None:
    found = shoal.guide(**wanted)
    asked = spent_on_each(found)
    preview = counted(found).preview(confidence=found.confidence, **asked)
    assert preview["n"].error == found.error
    assert found.error <= Fraction(wanted["within"])


@pytest.mark.parametrize("wanted", WANTED, ids=str)
def test_a_price_that_is_lower_in_its_third_digit_errs_more_than_wanted(wanted: Any) -> None:
    found = shoal.guide(**wanted)
    ((word, size),) = spent_on_each(found).items()
    unit = Fraction(10) ** (math.floor(math.log10(size)) - 2)
    preview = counted(found).preview(confidence=found.confidence, **{word: size - unit})
    error = preview["n"].error
    assert error is not None
    assert error > Fraction(wanted["within"])


def test_as_many_questions_fit_the_budget_as_were_meant_and_no_more() -> None:
    found = shoal.guide(people=5000, within=20, questions=3)
    ask = counted(found)
    for _ in range(3):
        ask.release(**spent_on_each(found))
    with pytest.raises(shoal.errors.BudgetExceeded):
        ask.release(**spent_on_each(found))


def test_many_questions_with_a_delta_are_paid_in_rho_and_few_in_epsilon() -> None:
    many = shoal.guide(people=5000, within=20, questions=200, delta="1e-6")
    assert isinstance(many.budget, shoal.ZeroConcentrated)
    assert "epsilon 7.6 at delta 1e-6" in str(many)
    few = shoal.guide(people=5000, within=20, questions=1, delta="1e-6")
    assert isinstance(few.budget, shoal.Pure)


def test_the_other_way_is_told_where_it_promises_much_more() -> None:
    assert "epsilon 7.6 at delta 1e-6" in str(shoal.guide(people=5000, within=20, questions=200))
    assert "delta" not in str(shoal.guide(people=5000, within=20, questions=10))


def test_the_sentence_is_that_of_the_budget_and_says_that_the_choice_is_a_judgement() -> None:
    found = shoal.guide(people=5000, within=20, questions=10)
    assert found.sentence.lower() == risk_of(found.budget).lower()
    assert JUDGEMENT in found.lines
    assert "judgement, not a theorem" in JUDGEMENT


def test_a_notebook_shows_the_same_words_and_numbers() -> None:
    found = shoal.guide(people=5000, within=20, questions=10)
    shown = texts_in(found._repr_html_())
    for line in found.lines:
        assert line in shown
    for _, error in found.curve():
        assert f"within {shown_up(error, digits=3)} people" in shown


@pytest.mark.parametrize(
    "wrong",
    [
        {"people": 1},
        {"people": "many"},
        {"within": 0},
        {"within": 5000},
        {"within": "-3"},
        {"questions": 0},
        {"questions": "1.5"},
        {"confidence": 1},
        {"rows_per_person": 0},
        {"delta": 0},
        {"people": None},
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(wrong: Any) -> None:
    with pytest.raises((RangeError, NumberError)):
        shoal.guide(**{"people": 5000, "within": 20, "questions": 10, **wrong})


def test_a_person_at_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    asked: list[str] = []
    answers = ["5,000", "20", "10"]

    def answer(words: str) -> str:
        asked.append(words)
        return answers.pop(0)

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setattr("builtins.input", answer)
    assert shoal.guide().budget == shoal.guide(people=5000, within=20, questions=10).budget
    assert [words.endswith("? ") for words in asked] == [True, True, True]


def test_the_command_says_what_python_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    typed = ("guide", "--people", "5,000", "--within", "20", "--questions", "10")
    found = shoal.guide(people=5000, within=20, questions=10)
    assert json.loads(good(*typed, "--json")) == found.to_dict()
    assert " ".join(good(*typed).split()) == " ".join(str(found).split())
    code, _, err = run("guide", "--people", "5000")
    assert code == Exit.USAGE
    assert "--within 20" in err


def test_the_command_writes_a_page_with_the_words_and_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = ("guide", "--people", "5000", "--within", "20", "--questions", "10", "--out")
    good(*typed, "guide.html")
    page = Path("guide.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "judgement, not a theorem" in page
    assert run(*typed, "guide.html")[0] == Exit.USAGE  # it is there already
    assert run(*typed, "guide.txt")[0] == Exit.USAGE
    good(*typed, "guide.svg")
    assert Path("guide.svg").read_text(encoding="utf-8").startswith("<svg")
