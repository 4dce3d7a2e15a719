"""The pictures of the documentation show what the code computes today."""

from __future__ import annotations

import json
import re

import pytest
from scripts.figures import FIGURES, FOLDER, NUMBERS, numbers

TITLES = {
    "profile-laplace": "The privacy profile",
    "profile-sampled": "The privacy profile",
    "trade-off-gaussian": "What a tester can do",
    "renyi-sampled": "The Rényi curve",
}


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
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(FIGURES) == set(TITLES)
