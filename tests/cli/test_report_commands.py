"""Reports and records on the command line: the curator's words, whole accounts, the registry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_cli import COUNT, data, good, office, run
from tests.vault.registry_schema import wrong_fields

from shoal.cli.console import Exit

__all__ = ["office"]
BY_CITY = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"


@pytest.mark.usefixtures("office")
def test_the_numbers_of_the_log_are_those_that_show_and_report_take() -> None:
    assert data("ask", BY_CITY, "--epsilon", "0.5")["release"] == 1
    assert "Release 2; cost epsilon 0.25." in good("ask", COUNT, "--epsilon", "0.25")
    assert "the answer of release 1, given again" in good("ask", BY_CITY, "--epsilon", "0.5")
    assert [each["release"] for each in data("log")] == [1, 2]
    shown = data("show", "2")
    assert (shown["release"], shown["answer"]["release"]) == (2, 2)
    assert shown["answer"]["certificate"]["ledger"]["entry"] == shown["entry"] > 2
    assert "Release 2: n" in good("report", "2")


@pytest.mark.usefixtures("office")
def test_a_report_has_the_words_of_the_curator_in_the_order_of_the_releases() -> None:
    good("ask", BY_CITY, "--epsilon", "0.5")
    good("ask", COUNT, "--epsilon", "0.25")
    words = ["--title", "The year", "--heading", "Everyone", "--heading", "By city"]
    text = good("report", "2", "1", *words, "--note", "All of them.", "--note", "Most in Aldam.")
    places = [
        text.index(each)
        for each in ("# The year", "## Everyone", "All of them.", "## By city", "Most in Aldam.")
    ]
    assert places == sorted(places)


@pytest.mark.usefixtures("office")
def test_the_report_of_an_account_is_a_page_with_a_picture() -> None:
    good("ask", BY_CITY, "--epsilon", "0.5")
    good("report", "--account", "visits", "--out", "account.html")
    page = Path("account.html").read_text()
    assert "<svg" in page
    assert "Checklist by NIST SP 800-226" in page
    assert "Privacy account of visits" in good("report", "--account", "visits")
    code, _, err = run("report", "--account", "visits", "--out", "account.html")
    assert (code, "account.html" in err) == (Exit.USAGE, True)
    good("report", "--account", "visits", "--out", "account.html", "--force")


@pytest.mark.usefixtures("office")
def test_records_of_the_registry_are_json_and_say_what_is_missing_apart() -> None:
    good("ask", BY_CITY, "--epsilon", "0.5")
    for words in (("show", "1", "--registry"), ("report", "--account", "visits", "--registry")):
        code, out, err = run(*words)
        assert code == 0
        assert list(wrong_fields(json.loads(out))) == []
        assert "For you to fill in (7 fields): deployment.basic.name" in " ".join(err.split())


@pytest.mark.usefixtures("office")
@pytest.mark.parametrize("words", [[], ["1", "--account", "visits"], ["1", "--registry"]])
def test_a_report_is_of_releases_or_of_one_account(words: list[str]) -> None:
    code, _, err = run("report", *words)
    assert code == Exit.USAGE
    assert "shoal report --account visits --out account.html" in err
