"""The pictures of the documentation show what the code computes today."""

from __future__ import annotations

import json
import re

import pytest
from scripts import (
    answer_figure,
    attack_figures,
    explanation_figures,
    guide_figure,
    house_figure,
    survey_figures,
)
from scripts.figures import ANSWER, EXPLANATION, FIGURES, FOLDER, NUMBERS, numbers
from tests.query.tables import without_noise

from shoal import plots

TITLES = {
    "profile-laplace": "The privacy profile",
    "profile-sampled": "The privacy profile",
    "trade-off-gaussian": "What a tester can do",
    "renyi-sampled": "The Rényi curve",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_the_numbers_in_a_picture_are_those_the_code_gives(name: str) -> None:
    kept = json.loads(NUMBERS.read_text(encoding="utf-8"))[name]
    fresh = numbers(name)
    assert list(fresh) == list(kept)
    for line, points in fresh.items():
        assert len(points) == len(kept[line])
        for point, before in zip(points, kept[line], strict=True):
            assert point == pytest.approx(before, rel=2e-3, abs=1e-12)


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_is_there_and_has_its_title(name: str) -> None:
    drawn = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert TITLES[name] in re.sub(r"<[^>]+>", "", drawn)


def test_every_picture_in_the_folder_is_one_that_is_made() -> None:
    assert {path.stem for path in FOLDER.glob("*.svg")} == {
        *FIGURES,
        *survey_figures.PICTURES,
        *attack_figures.PICTURES,
        *explanation_figures.NUMBERS,
        answer_figure.NAME,
        guide_figure.NAME,
        house_figure.NAME,
    }
    assert set(FIGURES) == set(TITLES)


def test_the_picture_of_a_guide_is_there_and_has_its_title() -> None:
    drawn = (FOLDER / f"{guide_figure.NAME}.svg").read_text(encoding="utf-8")
    assert guide_figure.TITLE in re.sub(r"<[^>]+>", "", drawn)


def test_the_picture_of_an_answer_shows_what_the_question_is_answered_with() -> None:
    kept = json.loads(ANSWER.read_text(encoding="utf-8"))
    with without_noise():
        truth = answer_figure.visits().sql(answer_figure.SQL).release(epsilon="0.1")
    (panel,) = plots.AnswerData.of(truth, confidence="0.999999").panels
    assert (kept["axis"], kept["key"], kept["series"]) == (panel.axis, panel.key, panel.series)
    assert len(kept["marks"]) == len(panel.marks)
    for mark, true in zip(kept["marks"], panel.marks, strict=True):
        assert (mark["at"], mark["series"]) == (true.at, true.series)
        assert true.low is not None
        assert true.high is not None
        assert true.value - (true.high - true.value) <= mark["value"] <= true.high
    assert "<svg" in (FOLDER / f"{answer_figure.NAME}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", explanation_figures.NUMBERS)
def test_the_numbers_in_a_picture_that_explains_are_those_the_code_gives(name: str) -> None:
    kept = json.loads(EXPLANATION.read_text(encoding="utf-8"))[name]
    fresh = explanation_figures.NUMBERS[name]()
    assert list(fresh) == list(kept)
    for line, points in fresh.items():
        assert len(points) == len(kept[line])
        for point, before in zip(points, kept[line], strict=True):
            assert point == pytest.approx(before, rel=1e-6)
    drawn = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert explanation_figures.TITLES[name] in re.sub(r"<[^>]+>", "", drawn)


def test_no_answer_is_much_more_likely_with_a_person_than_without() -> None:
    # 200,000 draws: a share of half a percent is known within a tenth of itself
    ceiling = 1.1 * 2.718281828459045**0.5
    both = explanation_figures.two_worlds().values()
    for (_, first), (_, second) in zip(*both, strict=True):
        assert first <= ceiling * second
        assert second <= ceiling * first
