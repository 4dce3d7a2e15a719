from __future__ import annotations

from pathlib import Path

import pytest

import shoal

GOLDEN = Path(__file__).parent / "public_names.txt"
UPDATE = (
    "If the change is meant, write the list anew and say so in CHANGELOG.md:\n"
    "    python -c \"import shoal; print(*sorted(shoal.__all__), sep='\\n')\""
    " > tests/public_names.txt"
)


def public_names() -> list[str]:
    return list(getattr(shoal, "__all__", []))


def test_the_public_names_are_those_that_were_agreed_on() -> None:
    agreed = GOLDEN.read_text().split()
    added = sorted(set(public_names()) - set(agreed))
    gone = sorted(set(agreed) - set(public_names()))
    assert (added, gone) == ([], []), f"added: {added}; gone: {gone}.\n{UPDATE}"


def test_the_agreed_list_is_sorted_and_has_one_name_a_line() -> None:
    lines = GOLDEN.read_text().splitlines()
    assert lines == sorted(set(lines)), UPDATE


def test_the_public_names_are_sorted_and_named_once() -> None:
    assert public_names() == sorted(set(public_names()))


@pytest.mark.parametrize("name", public_names())
def test_a_public_name_leads_somewhere(name: str) -> None:
    assert getattr(shoal, name) is not None


def test_completion_shows_every_public_name() -> None:
    assert set(public_names()) <= set(dir(shoal))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        getattr(shoal, "no_such_name")  # noqa: B009


def test_an_earlier_name_still_works_and_says_what_it_is_called_now() -> None:
    with pytest.warns(DeprecationWarning, match="shoal.Question is now called shoal.PollQuestion"):
        assert shoal.Question is shoal.PollQuestion
