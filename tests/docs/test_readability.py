"""No page is hard to read."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import readability

HARD = (
    "Notwithstanding considerable methodological heterogeneity, the aforementioned institutional "
    "characteristics systematically determine organisational accountability."
)


@pytest.mark.parametrize(
    "page", readability.pages(), ids=lambda page: str(page.relative_to(readability.ROOT))
)
def test_a_page_asks_for_no_more_than_eleven_years_of_school_and_the_readme_nine(
    page: Path,
) -> None:
    found = readability.grade(page.read_text(encoding="utf-8"))
    assert found <= readability.ceiling(page), f"{page.name} is at grade {found}"


def test_a_hard_page_is_found() -> None:
    assert readability.grade(HARD) > readability.CEILING
    assert readability.grade("The cat sat on the mat. It was warm.") < 2


def test_code_and_tables_are_not_read_and_each_item_of_a_list_is_a_sentence() -> None:
    page = "# A title\n\nSome *words* and `a.b(c)`.\n\n```sh\nshoal ask\n```\n\n| a | b |\n|---|---|\n\n* one\n* two\n"
    assert readability.prose(page) == "A title.\nSome words and code.\none.\ntwo."
