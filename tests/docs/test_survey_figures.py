"""The pictures and the table of docs/surveys.md show what the code computes today."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest
from scripts.figures import FOLDER, SURVEYS
from scripts.survey_figures import NUMBERS, PICTURES, TITLES, fair_table

PAGE = Path(__file__).parent.parent.parent / "docs" / "surveys.md"
NEEDS_DATA = pytest.mark.skipif(
    importlib.util.find_spec("statsmodels") is None,
    reason="statsmodels, which brings Fair's data, is not installed",
)
EACH = [pytest.param("survey-people"), pytest.param("survey-fair", marks=NEEDS_DATA)]


@pytest.mark.parametrize("name", EACH)
def test_the_numbers_in_a_picture_of_surveys_are_those_the_code_gives(name: str) -> None:
    kept = json.loads(SURVEYS.read_text(encoding="utf-8"))[name]
    fresh = NUMBERS[name]()
    assert list(fresh) == list(kept)
    for line, points in fresh.items():
        for point, before in zip(points, kept[line], strict=True):
            assert point == pytest.approx(before, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_surveys_is_there_and_has_its_title(name: str) -> None:
    drawn = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert TITLES[name] in re.sub(r"<[^>]+>", "", drawn)


@NEEDS_DATA
def test_the_table_of_real_answers_on_the_page_is_the_one_the_code_gives() -> None:
    assert fair_table() in PAGE.read_text(encoding="utf-8")
