"""What the commands of a vault refuse: sayings that contradict, releases that cannot be, and files
that hold rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer
from tests.cli.test_cli import COUNT, PERSON, data, good, office, run
from tests.vault.office import PLANTED, rows, write

from shoal.cli.app import app
from shoal.cli.console import Exit
from shoal.engines.duckdb import DuckDB
from shoal.vault import Vault

__all__ = ["office"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "option",
    [
        ["visits", "visits.parquet"], ["--row"], ["--person", "x"], ["--groups", "0"], ["--rows-per-group", "1"],
        ["--change"], ["--range", "spend=0:9"], ["--choices", "city=A"], ["--required", "city"],
        ["--keys", "city=1"], ["--budget", "9"], ["--table", "t"], ["--public"], ["--shares", "visits"],
    ],
)  # fmt: skip
def test_what_is_typed_beside_a_declaration_is_refused(option: list[str], office: Path) -> None:
    good("init", "other.shoal")
    code, _, err = run("add", *option, "--from", "visits.toml", "--vault", "other.shoal")
    assert (code != 0, "and --from too" in err) == (True, True)
    assert data("list", "--vault", "other.shoal") == []


def test_a_file_that_was_written_anew_is_added_only_with_a_word_on_its_people(office: Path) -> None:
    write(office, table=rows(601, first=9000))
    add = ["add", "again", "visits.parquet", *PERSON, "--budget", "1"]
    code, _, err = run(*add)
    assert (code, "--shares visits" in err, "--new-people" in err) == (Exit.VAULT, True, True)
    good(*add, "--new-people")
    write(office, table=rows(602))
    assert "account of visits, again" in good(
        "add", "shared", "visits.parquet", *PERSON, "--shares", "visits", "--shares", "again"
    )


@pytest.mark.parametrize("number", ["99999999999999999999999", "0"])
def test_a_release_that_cannot_be_is_refused_in_words(number: str, office: Path) -> None:
    for command in ("show", "report"):
        code, _, err = run(command, number)
        assert (code, f"there is no release {number}" in err) == (Exit.VAULT, True)


def test_an_error_nobody_foresaw_is_told_without_its_words_which_may_quote_a_row(
    office: Path,
) -> None:
    quoting = RuntimeError(f"cannot convert {PLANTED}")
    with patch.object(DuckDB, "totals", side_effect=quoting):
        _, out, err = run("ask", COUNT, "--epsilon", "0.1")
    assert "[answer-1]" in err  # after the charge, one text whatever happened
    assert not [word for word in (PLANTED, "RuntimeError") if word in out + err]
    with patch.object(Vault, "sql", side_effect=quoting):
        code, out, err = run("ask", COUNT, "--epsilon", "0.1")
    assert (code, "[internal-1]" in err, "RuntimeError" in err) == (Exit.UNEXPECTED, True, True)
    assert PLANTED not in out + err


@pytest.mark.slow
def test_no_file_that_holds_rows_is_written_over(office: Path) -> None:
    good(
        "add",
        "people",
        "people.csv",
        "--row",
        "--type",
        "age=integer",
        "--range",
        "age=0:120",
        "--budget",
        "1",
    )
    Path("linked.csv").hardlink_to("people.csv")
    before = Path("people.csv").read_bytes()
    ask = ["ask", "SELECT COUNT(*) AS n FROM people", "--epsilon", "0.1"]
    for words in (ask, ["dummy", "people"], ["dummy", "visits"]):
        for out in ("people.csv", "./people.csv", "linked.csv"):
            code, _, err = run(*words, "--out", out)
            assert (code, "where the rows of 'people' lie" in err) == (Exit.VAULT, True)
    assert Path("people.csv").read_bytes() == before
    assert data("log") == []


def test_no_page_is_written_over_a_file_that_holds_rows(office: Path) -> None:
    good("ask", COUNT, "--epsilon", "0.1")
    number = str(data("log")[0]["release"])
    Path("page.html").symlink_to("visits.parquet")
    before = Path("visits.parquet").read_bytes()
    for command in ("show", "report"):
        code, _, err = run(command, number, "--out", "page.html")
        assert (code, "where the rows of 'visits' lie" in err) == (Exit.VAULT, True)
    assert Path("visits.parquet").read_bytes() == before


def test_a_head_that_was_noted_is_held_against_the_vault(office: Path) -> None:
    noted = data("verify")["head"]
    assert noted in good("verify")
    assert data("verify", "--head", noted)["sound"]
    number, _, chained = noted.partition(":")
    code, out, _ = run("verify", "--head", f"{int(number) + 1}:{chained}")
    assert (code, "known from elsewhere" in out) == (Exit.UNSOUND, True)


@pytest.mark.slow
@pytest.mark.parametrize("head", ["", "5", "x:y", "\u0665:" + "0" * 64, "5:" + "g" * 64])
def test_what_is_no_head_is_refused_in_words(head: str, office: Path) -> None:
    code, _, err = run("verify", "--head", head)
    assert (code, "is not a head" in err) == (Exit.USAGE, True)


def test_every_command_that_writes_a_file_asks_before_it_writes_over_one() -> None:
    seen = {}

    def walk(command: Any, name: str) -> None:
        for word, each in getattr(command, "commands", {}).items():
            _, loaded, _ = command.resolve_command(typer.Context(command), [word])
            walk(loaded or each, f"{name} {word}".strip())
        options = {option for param in command.params for option in param.opts}
        if "--out" in options:
            seen[name] = "--force" in options

    walk(typer.main.get_command(app), "")
    assert {"ask", "dummy", "show", "report", "poll export", "audit suite"} <= set(seen)
    assert all(seen.values()), seen


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["ask", COUNT, "--epsilon", "0.1", "--out", "there.csv"],
        ["dummy", "visits", "--out", "there.csv"],
        ["audit", "suite", "laplace", "--quick", "--out", "there.html"],
        ["reproduce", "composing", "--quick", "--out", "there.md"],
        ["attack", "bayes", "--quick", "--out", "there.html"],
    ],
)
def test_a_file_that_is_there_is_not_written_over_unasked(words: list[str], office: Path) -> None:
    file = office / words[-1]
    file.write_text("mine")
    before = data("log")
    code, _, err = run(*words)
    assert (code, "--force" in err) == (Exit.USAGE, True)
    assert (file.read_text(), data("log")) == ("mine", before)
    if words[0] == "dummy":
        good(*words, "--force")
        assert file.read_text() != "mine"


def test_even_by_force_no_rows_are_written_over(office: Path) -> None:
    before = (office / "visits.parquet").read_bytes()
    code, _, err = run("ask", COUNT, "--epsilon", "0.1", "--out", "visits.parquet", "--force")
    assert (code, "where the rows of" in err) == (Exit.VAULT, True)
    assert (office / "visits.parquet").read_bytes() == before


def test_the_remedy_for_a_missing_range_names_the_dataset_and_works_as_it_is_typed(
    office: Path,
) -> None:
    write(office)
    good("add", "plain", "visits.parquet", *PERSON, "--budget", "1", "--new-people")
    question = ["ask", "SELECT SUM(spend) AS total FROM plain", "--epsilon", "0.1"]
    code, _, err = run(*question)
    remedy = err.rpartition("shoal update plain ")[2].strip().rstrip(".")
    assert (code, remedy) == (Exit.REFUSED, "--range spend=0:100")
    good("update", "plain", *remedy.split())
    good(*question)
    both = "SELECT SUM(spend) AS total FROM plain JOIN visits ON plain.user_id = visits.user_id"
    assert "shoal update plain" not in run("ask", both, "--epsilon", "0.1")[2]
