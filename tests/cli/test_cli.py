"""The commands of a vault: what they print, how they end, and that nothing is left half done."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import typer
from pyarrow import csv, parquet
from tests.vault.office import PLANTED, rows, write
from typer.testing import CliRunner

import shoal
from shoal.cli import analyst_commands, app
from shoal.cli.app import COMMANDS as LISTED
from shoal.cli.app import LazyCommand
from shoal.cli.console import LONG, Exit, code_of, reading, working
from shoal.errors import InternalError, ShoalError

PLAIN = {"NO_COLOR": "1", "COLUMNS": "80", "TERM": "dumb"}
PERSON = ("--person", "user_id", "--groups", "2", "--rows-per-group", "3")
COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_CITY = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"


def run(*arguments: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(arguments), env={**PLAIN, **(env or {})})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.stderr
    return done.exit_code, done.stdout, done.stderr


def good(*arguments: str) -> str:
    code, out, err = run(*arguments)
    assert code == 0, err
    return out


def data(*arguments: str) -> Any:
    return json.loads(good(*arguments, "--json"))


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples name, and a vault with visits and towns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_VAULT", raising=False)
    held = rows().append_column(
        "city", pa.array([("Aldam", "Brook", "Corve")[at % 3] for at in range(1200)])
    )
    write(tmp_path, table=held)
    csv.write_csv(pa.table({"age": list(range(90))}), "people.csv")
    csv.write_csv(pa.table({"city": ["Aldam", "Brook"], "region": ["north", "south"]}), "towns.csv")
    good("init", "office.shoal")
    good(
        "add", "visits", "visits.parquet", *PERSON,
        "--range", "spend=0:500", "--choices", "city=Aldam,Brook,Corve", "--budget", "3",
    )  # fmt: skip
    return tmp_path


def tamper(vault: str) -> None:
    """Change what a charge was for, as someone would who can write to the file."""
    connection = sqlite3.connect(vault)
    guards = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    for (name,) in connection.execute(guards).fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(
        "UPDATE shoal_entries SET text = replace(text, 'SELECT', 'select') WHERE kind = 'charge'"
    )
    connection.commit()
    connection.close()


# every example in the help runs

COMMANDS = {each.name: each.load() for each in LISTED if each.examples is not None}
SUGGESTIONS = analyst_commands.suggest.registered_commands
EXAMPLES = [
    line.strip()
    for command in (*COMMANDS.values(), *SUGGESTIONS)
    for line in str(command.epilog).splitlines()
    if line.strip().startswith("shoal ")
    and command.name not in {"account", "serve", "sign-in", "tour"}  # these have tests of their own
]


@pytest.mark.parametrize("late", LISTED, ids=lambda late: late.name)
def test_the_list_of_commands_has_the_first_sentence_of_each(late: LazyCommand) -> None:
    assert " ".join(late.load().help.split("\n\n")[0].split()) == late.says


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_an_example(name: str) -> None:
    assert f"shoal {name}" in str(COMMANDS[name].epilog)
    assert f"shoal {name}" in good(name, "--help")


def days_to_count(*, opened: bool) -> list[str]:
    """A vault with visits by day, in rho, and its option; with the stream of the examples unless
    it is opened by them.
    """
    vault = ["--vault", "days.shoal"]
    Path("days.csv").write_text("id,day\n1,2026-01-05\n2,2026-01-30\n")
    good("init", "days.shoal")
    good(
        "add", "visits", "days.csv", "--person", "id", "--type", "id=integer", "--type", "day=date",
        "--range", "day=2026-01-01:2026-12-31", "--budget", "rho=1", *vault,
    )  # fmt: skip
    if not opened:
        good("stream", "daily-visits", "--of", "visits", "--by", "day", "--rho", "0.5", *vault)
    return vault


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_help_does_something(example: str, office: Path) -> None:
    good("grant", "ana", "visits", "--budget", "2")
    good("ask", COUNT, "--epsilon", "0.01")
    number = data("log")[0]["release"]
    Path("certificate.json").write_text(good("show", str(number), "--certificate"))
    words = shlex.split(example)[1:]
    if words[0] in {"show", "report"} and words[1] != "--account":
        words[1] = str(number)
    if words[0] == "init":
        words[1] = "other.shoal"
    if words[0] == "reproduce":
        words.append("polls")  # tests/reproduce runs every experiment
    if words[0] in {"reproduce", "attack"}:
        words.append("--quick")
    if words[0] == "declare":
        Path("visits.toml").unlink()
        Path("visits.csv").write_text("patient,ward,days\n1,Surgery,3\n")
        Path("old.csv").write_text("1,Surgery,3\n2,Medicine,4\n")
    if words[0] == "publish":
        good(
            "add", "people", "people.csv", "--row", "--type", "age=integer", "--range", "age=0:99",
            "--required", "age", "--budget", "rho=1", "--new-people",
        )  # fmt: skip
        Path("tables.toml").write_text('dataset = "people"\n[[tables]]\nmarginals = ["age"]\n')
    if words[0] == "stream":
        words += days_to_count(opened="--of" in words)
    if words[0] == "accept":
        tamper("office.shoal")
        assert run("verify")[0] == Exit.UNSOUND
    if words[0] == "token":
        good("people", "add", "ana", "--role", "analyst", "--dataset", "visits")
        made = good("token", "ana").split("_")[1]
        words = [made if word == "665cd761f734" else word for word in words]
    if words[0] in {"grant", "budget"}:
        words = [re.sub(r",1e-7$", "", word) for word in words]
    if words[0] == "add":
        parquet.write_table(
            rows(50, first=5000).append_column("city", pa.array(["Aldam"] * 100)), "more.parquet"
        )
        words = ["more" if word == "visits" else word for word in words]
        words = ["more.parquet" if word == "visits.parquet" else word for word in words]
        if "visits.toml" in words:
            text = Path("visits.toml").read_text().replace('"visits', '"more')
            Path("visits.toml").write_text(text)
    good(*words)


# the default vault


def test_the_vault_is_the_one_named_the_one_in_the_environment_or_the_only_one_here(
    office: Path,
) -> None:
    assert data("list")[0]["name"] == "visits"
    good("init", "second.shoal")
    code, _, err = run("list")
    assert (code, "2 vaults here: office.shoal, second.shoal" in err) == (Exit.VAULT, True)
    assert data("list", "--vault", "second.shoal") == []
    code, out, _ = run("list", "--json", env={"SHOAL_VAULT": "office.shoal"})
    assert [each["name"] for each in json.loads(out)] == ["visits"]


def test_without_a_vault_a_command_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (["log"], ["ask", COUNT, "--epsilon", "1", "--vault", "gone.shoal"]):
        code, out, err = run(*arguments)
        assert (code, out) == (Exit.VAULT, "")
        assert "shoal init" in err
    assert list(tmp_path.iterdir()) == []


# asking


def test_an_answer_is_told_as_text_data_values_and_files(office: Path) -> None:
    text = good("ask", BY_CITY, "--epsilon", "0.5")
    assert "95% interval" in text
    assert "cost epsilon 0.5" in text
    assert "a suspicion of 50 %" in text
    told = data("ask", BY_CITY, "--epsilon", "0.5")
    assert (told["columns"], told["free"]) == (["city", "n"], True)
    for row in told["rows"]:
        assert f"{row[1]:,}" in text
    values = good("ask", BY_CITY, "--epsilon", "0.5", "--csv")
    assert values.splitlines()[0] == '"city","n","n_low","n_high"'
    for name in ("a.parquet", "a.csv", "a.json"):
        good("ask", BY_CITY, "--epsilon", "0.5", "--out", name)
    assert parquet.read_table("a.parquet").column("n").to_pylist() == [r[1] for r in told["rows"]]
    assert Path("a.csv").read_text() == values
    assert json.loads(Path("a.json").read_text())["rows"] == told["rows"]
    assert len(data("log")) == 1


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_spent(office: Path) -> None:
    for out in ("gone/a.parquet", "a.xlsx", "."):
        code, _, err = run("ask", COUNT, "--epsilon", "0.5", "--out", out)
        assert code == Exit.USAGE, err
    assert data("log") == []


def test_made_up_rows_are_asked_for_free_and_said_to_be_made_up(office: Path) -> None:
    code, out, err = run("ask", COUNT, "--epsilon", "0.5", "--dummy")
    assert code == 0
    assert "MADE-UP ROWS" in err
    assert "95% interval" in out
    assert data("ask", COUNT, "--epsilon", "0.5", "--dummy")["certificate"]["dummy"] is True
    assert data("log") == []


def test_made_up_rows_are_the_same_for_the_same_seed_and_hold_no_real_value(office: Path) -> None:
    first = good("dummy", "visits", "-n", "400", "--seed", "7")
    assert first == good("dummy", "visits", "-n", "400", "--seed", "7")
    assert first != good("dummy", "visits", "-n", "400", "--seed", "8")
    assert PLANTED not in first
    assert len(first.splitlines()) == 401


@pytest.mark.slow
def test_an_analyst_spends_an_allowance(office: Path) -> None:
    assert run("ask", COUNT, "--epsilon", "1", "--as", "ana")[0] == Exit.VAULT
    good("grant", "ana", "visits", "--budget", "1")
    good("ask", COUNT, "--epsilon", "1", "--as", "ana", "--key", "monday")
    assert data("ask", COUNT, "--epsilon", "1", "--as", "ana", "--key", "monday")["free"]
    assert run("ask", BY_CITY, "--epsilon", "0.5", "--as", "ana")[0] == Exit.BUDGET
    accounts = data("budget", "visits")[0]
    assert accounts["allowances"][0]["left"] == {"epsilon": "0"}
    assert accounts["accounts"][0]["left"] == {"epsilon": "2"}


# exit codes

ENDINGS: dict[str, tuple[list[str], Exit, str]] = {
    "no epsilon": (["ask", COUNT], Exit.USAGE, "epsilon is needed"),
    "a bad number": (["ask", COUNT, "--epsilon", "nan"], Exit.USAGE, "[number-1]"),
    "a bad option": (["ask", COUNT, "--epsilo", "1"], Exit.USAGE, "No such option"),
    "a bad range": (["add", "x", "people.csv", "--row", "--budget", "1", "--range", "age"], Exit.USAGE, "--range x=0:9"),
    "no unit": (["add", "x", "people.csv", "--budget", "1"], Exit.USAGE, "--row"),
    "two units": (["add", "x", "people.csv", "--row", "--public"], Exit.USAGE, "choose exactly one"),
    "no file": (["add", "x", "gone.csv", "--row", "--budget", "1"], Exit.USAGE, "nothing to read"),
    "a bad budget": (["add", "x", "people.csv", "--row", "--budget", "1,2,3"], Exit.USAGE, "delta"),
    "no SQL": (["ask", "SELECT", "--epsilon", "1"], Exit.REFUSED, "sql-"),
    "no table": (["ask", "SELECT COUNT(*) AS n FROM visit", "--epsilon", "1"], Exit.REFUSED, "[sql-3]"),
    "no facts": (["ask", "SELECT SUM(user_id) AS n FROM visits", "--epsilon", "1"], Exit.REFUSED, "[facts-1]"),
    "rows": (["ask", "SELECT * FROM visits", "--epsilon", "1"], Exit.REFUSED, "sql-"),
    "the budget": (["ask", COUNT, "--epsilon", "4"], Exit.BUDGET, "[budget-1]"),
    "a dataset": (["describe", "visit"], Exit.VAULT, "The datasets are: visits"),
    "a name taken": (["add", "visits", "people.csv", "--row", "--budget", "1"], Exit.VAULT, "already"),
    "a vault taken": (["init", "office.shoal"], Exit.VAULT, "nothing was changed"),
    "a release": (["show", "1"], Exit.VAULT, "no release 1"),
    "not a certificate": (["verify", "people.csv"], Exit.USAGE, "[certificate-1]"),
    "an ending": (["report", "1", "--out", "x.pdf"], Exit.VAULT, ".html nor .md"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", ENDINGS)
def test_a_command_that_is_refused_ends_with_its_code_and_changes_nothing(
    case: str, office: Path
) -> None:
    arguments, expected, words = ENDINGS[case]
    with shoal.open("office.shoal") as vault:
        before = vault.position
    files = sorted(path.name for path in office.iterdir())
    code, out, err = run(*arguments)
    assert (code, out) == (expected, ""), err
    assert words in err
    assert PLANTED not in err
    assert sorted(path.name for path in office.iterdir()) == files
    with shoal.open("office.shoal") as vault:
        assert vault.position == before


@pytest.mark.slow
def test_changed_data_end_with_a_code_of_their_own_until_they_are_declared(office: Path) -> None:
    held = parquet.read_table("visits.parquet").slice(2)
    parquet.write_table(held, "visits.parquet")
    code, _, err = run("ask", COUNT, "--epsilon", "0.5")
    assert code == Exit.CHANGED
    assert "shoal update visits --relation 'same people'" in err
    assert "version 2" in good("update", "visits", "--relation", "same people")
    good("ask", COUNT, "--epsilon", "0.5")


def test_a_key_that_stands_for_another_question_ends_with_a_code_of_its_own(office: Path) -> None:
    good("ask", COUNT, "--epsilon", "0.5", "--key", "monday")
    assert run("ask", BY_CITY, "--epsilon", "0.5", "--key", "monday")[0] == Exit.KEY


def test_every_kind_of_error_has_an_exit_code() -> None:
    kinds: list[type[ShoalError]] = [ShoalError, *ShoalError.__subclasses__()]
    assert all(code_of(kind("x", remedy="y")) != Exit.DONE for kind in kinds)
    assert code_of(InternalError("x", remedy="y")) == Exit.UNEXPECTED


def test_what_nobody_foresaw_is_told_without_its_text(
    office: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(PLANTED)

    monkeypatch.setattr(shoal.vault.Vault, "sql", broken)
    code, out, err = run("ask", COUNT, "--epsilon", "1")
    assert (code, out) == (Exit.UNEXPECTED, "")
    assert "RuntimeError" in err
    assert PLANTED not in err
    done = CliRunner().invoke(app, ["--debug", "ask", COUNT, "--epsilon", "1"], env=PLAIN)
    assert "Traceback" in done.stderr


# declarations


def test_add_writes_a_declaration_that_add_reads(office: Path) -> None:
    assert "[columns.spend]" in Path("visits.toml").read_text()
    good("init", "other.shoal")
    good("add", "--from", "visits.toml", "--vault", "other.shoal")
    assert data("list", "--vault", "other.shoal") == data("list", "--vault", "office.shoal")
    text = good("describe", "visits", "--toml", "--vault", "other.shoal")
    assert text == good("describe", "visits", "--toml", "--vault", "office.shoal")


def test_a_file_of_somebodys_own_is_not_written_over(office: Path) -> None:
    Path("people.toml").write_text("mine = true\n")
    arguments = ["add", "people", "people.csv", "--row", "--type", "age=integer", "--budget", "1"]
    code, _, err = run(*arguments)
    assert code == Exit.VAULT
    assert "--no-toml" in err
    assert [each["name"] for each in data("list")] == ["visits"]
    good(*arguments, "--no-toml")
    assert Path("people.toml").read_text() == "mine = true\n"


def test_one_group_and_one_row_of_a_person_count_where_nothing_is_said_as_in_python(
    office: Path,
) -> None:
    out = good("add", "again", "visits.parquet", "--person", "user_id", "--groups", "2")
    assert str(shoal.Person("user_id", groups=2)) in out
    good("declare", "visits.parquet", "--person", "user_id", "--name", "third")
    made = tomllib.loads(Path("third.toml").read_text())["protects"]
    unit = shoal.Person("user_id")
    assert (made["groups"], made["rows_per_group"]) == (unit.groups, unit.rows_per_group)


def test_the_same_content_under_another_name_says_that_it_shares_the_account(office: Path) -> None:
    Path("copy.parquet").write_bytes(Path("visits.parquet").read_bytes())
    out = good("add", "again", "copy.parquet", *PERSON, "--budget", "50")
    assert "charged to the account of visits (same people as visits); no budget was added" in out


@pytest.mark.slow
def test_choices_and_ranges_are_read_in_the_type_of_their_column(office: Path) -> None:
    table = pa.table(
        {
            "n": [1, 2],
            "yes": [True, False],
            "at": pa.array([0, 5], pa.timestamp("us")),
            "x": [0.5, 1.5],
        }
    )
    parquet.write_table(table, "kinds.parquet")
    good(
        "add", "kinds", "kinds.parquet", "--row", "--change", "--choices", "n=1,2", "--choices", "yes=true,false",
        "--range", "at=1970-01-01T00:00..1970-01-02T00:00", "--choices", "x=0.5,1.5", "--budget", "rho=0.5",
    )  # fmt: skip
    [kinds] = [each for each in data("list") if each["name"] == "kinds"]
    assert [each.get("choices") for each in kinds["columns"]] == [
        [1, 2],
        [True, False],
        None,
        [0.5, 1.5],
    ]
    assert kinds["protects"]["relation"] == "change"
    assert run("ask", "SELECT n, COUNT(*) AS c FROM kinds GROUP BY n", "--rho", "0.1")[0] == 0
    code, _, err = run(
        "add", "bad", "people.csv", "--row", "--type", "age=integer", "--choices", "age=old,young", "--budget", "1",
    )  # fmt: skip
    assert (code, "'old' is not a value of type integer" in err) == (Exit.USAGE, True)


# looking back


@pytest.mark.slow
def test_a_report_is_a_page_with_a_picture(office: Path) -> None:
    good("ask", BY_CITY, "--epsilon", "0.5")
    number = str(data("log")[0]["release"])
    good("report", number, "--out", "report.html", "--title", "Visits & cities")
    page = Path("report.html").read_text()
    assert "<svg" in page
    assert "Visits &amp; cities" in page
    good("report", number, "--out", "report.md")
    assert Path("report.md").read_text() == good("report", number)
    good("show", number, "--out", "certificate.html")
    assert "Certificate of release 1" in Path("certificate.html").read_text()


@pytest.mark.slow
def test_a_certificate_is_verified_by_itself_and_against_the_vault(office: Path) -> None:
    good("ask", BY_CITY, "--epsilon", "0.5")
    certificate = good("show", str(data("log")[0]["release"]), "--certificate")
    file = Path("certificate.json")
    file.write_text(certificate)
    assert "checked by itself" in good("verify", "certificate.json", "--by-itself")
    assert "against the vault office.shoal" in good("verify", "certificate.json")
    assert "against the vault" in good("verify", "certificate.json", "--vault", "office.shoal")
    good("init", "other.shoal")
    assert "checked by itself" in good("verify", "certificate.json")
    Path("office.shoal").rename("office.kept")
    code, out, _ = run("verify", "certificate.json")
    assert code == Exit.UNSOUND
    assert "against the vault other.shoal" in out
    Path("other.shoal").unlink()
    Path("office.kept").rename("office.shoal")
    assert data("verify", "certificate.json") == {"sound": True, "findings": []}
    file.write_text(certificate.replace('"epsilon": "1/2"', '"epsilon": "1/4"'))
    code, out, _ = run("verify", "certificate.json")
    assert code == Exit.UNSOUND
    assert "NOT sound" in out
    assert "something was changed" in out


def test_a_vault_that_was_tampered_with_stops_asking_until_the_curator_accepts(
    office: Path,
) -> None:
    good("ask", COUNT, "--epsilon", "0.5")
    assert good("verify").startswith("sound")
    tamper("office.shoal")
    code, out, _ = run("verify")
    assert code == Exit.UNSOUND
    assert "NOT sound" in out
    assert run("ask", BY_CITY, "--epsilon", "0.5")[0] == Exit.UNSOUND
    good("accept", "a test did it")
    good("ask", BY_CITY, "--epsilon", "0.5")


def test_a_budget_can_be_set_and_means_something(office: Path) -> None:
    out = good("budget", "visits", "--set", "4")
    assert "epsilon 4" in out
    assert "a suspicion of 50 % rises to at most 98.3 %" in " ".join(out.split())
    assert run("budget", "--set", "4")[0] == Exit.VAULT


@pytest.mark.slow
def test_bounds_are_suggested_as_a_command_that_runs(office: Path) -> None:
    out = good("suggest", "bounds", "visits", "spend", "--epsilon", "2.5")
    words = shlex.split(out.partition("State it: shoal ")[2])
    good(*words)
    assert f"spend={words[-1].partition('=')[2]}" == words[-1]


# terminals


def test_long_files_are_read_with_a_bar_or_a_word_and_short_ones_without(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with reading("Reading") as told:
        told(1, LONG - 1)
        assert capsys.readouterr().err == ""
        told(LONG // 2, LONG)
        told(LONG, LONG)
    assert "Reading" in capsys.readouterr().err
    with working("Asking"), reading("Reading") as told:
        told(LONG // 2, LONG)
    assert "Reading, 50%" in capsys.readouterr().err


def test_every_command_that_was_promised_is_there() -> None:
    command = typer.main.get_command(app)
    assert {"init", "add", "describe", "list", "preview", "ask", "explain", "plan", "budget", "grant", "log", "show",
            "report", "verify", "account", "mechanism", "dummy", "suggest", "tour"} <= set(command.commands)  # type: ignore[attr-defined]  # fmt: skip


@pytest.mark.parametrize("kind", ["laplace", "geometric", "gaussian", "discrete-gaussian"])
def test_a_mechanism_tells_its_cost_and_releases_a_number(kind: str) -> None:
    budget = "1" if kind in {"laplace", "geometric"} else "rho=0.5"
    told = json.loads(good("mechanism", kind, "--budget", budget, "--release", "1000", "--json"))
    assert abs(told["released"] - 1000) < 200
    assert told["error"] > 0
    assert run("mechanism", kind, "--budget", budget, "--release", "many")[0] == Exit.USAGE


@pytest.mark.slow
def test_the_tour_shows_everything_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("tour", "--rows", "1000")
    assert code == 0, err
    for words in ("$ shoal init", "$ shoal add", "$ shoal preview", "$ shoal ask", "Free: this is", "(exit code 4)",
                  "$ shoal log", "Wrote report.html", "sound: certificate.json", "entries, the last"):  # fmt: skip
        assert words in out
    assert "[budget-1]" in err
    assert list(tmp_path.iterdir()) == []
    good("tour", "--rows", "200", "--keep", "office")
    assert (tmp_path / "office" / "report.html").is_file()


# an error speaks the language in which it was asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", COUNT], "Give --epsilon 0.1."),
        (["ask", COUNT, "--epsilon", "9"], "Ask with --epsilon 3, which fits."),
        (["ask", COUNT, "--epsilon", "1", "--as", "ana"], "shoal grant ana visits --budget 1."),
        (
            ["ask", "SELECT town, COUNT(*) AS n FROM visits GROUP BY town", "--epsilon", "1"],
            "State --choices",
        ),
        (["plan", "SELECT AVG(spend) AS m FROM visits", "--error", "5"], "Give --rows,"),
        (["add", "people", "people.csv", "--row"], "Give --budget 3,1e-7, or --budget 1."),
        (["list", "--vault", "gone.shoal"], "Make one: shoal init gone.shoal."),
        (["show", "1"], "See which there are: shoal log."),
    ],
)
def test_a_remedy_is_told_as_it_would_be_typed(
    arguments: list[str], words: str, office: Path
) -> None:
    _, _, err = run(*arguments)
    assert words in err
    assert not re.search(r"shoal\.[A-Z]|shoal\.open|vault\.|\w=\w", err)


@pytest.mark.slow
def test_groups_are_suggested_as_a_command_that_runs(office: Path) -> None:
    out = good("suggest", "groups", "visits", "city", "--epsilon", "2")
    good(*shlex.split(out.partition("State it: shoal ")[2]))
    [visits] = data("list")
    assert (visits["protects"]["groups"], visits["protects"]["rows_per_group"]) == (2, 1)
    shown = good("show", str(data("log")[0]["release"]))
    assert re.search(r"groups +2\n", shown)
    told = data("show", str(data("log")[0]["release"]))["answer"]
    assert told.pop("certificate")["question"].startswith("suggest_groups(")
    assert [len(each) for each in told.pop("votes")] == [30, 30]
    assert told == {
        "groups": 2,
        "rows_per_group": 1,
    }
    assert run("report", str(data("log")[0]["release"]))[0] == Exit.VAULT


def test_an_account_that_is_shared_is_told_once(office: Path) -> None:
    Path("copy.parquet").write_bytes(Path("visits.parquet").read_bytes())
    good("add", "again", "copy.parquet", *PERSON)
    out = good("budget")
    assert out.count("If all is spent") == 1
    assert "again shares the account of visits." in out


def test_notes_on_extremes_are_seen_before_and_after(office: Path) -> None:
    sql = "SELECT MAX(spend) AS top FROM visits"
    assert "note: top is a high quantile" in " ".join(
        good("preview", sql, "--epsilon", "1").split()
    )
    assert "note: top is a high quantile" in " ".join(good("ask", sql, "--epsilon", "1").split())


def test_shares_of_persons_cannot_be_given_to_rows(office: Path) -> None:
    good("add", "people", "people.csv", "--row", "--type", "age=integer", "--budget", "1")
    assert run("update", "people", "--groups", "3")[0] == Exit.USAGE


@pytest.mark.slow
def test_the_types_of_a_csv_file_are_proposed_and_an_edited_proposal_stays(office: Path) -> None:
    arguments = ["add", "people", "people.csv", "--row", "--range", "age=0:120", "--budget", "1"]
    code, _, err = run(*arguments)
    assert (code, "shoal add people.toml" in " ".join(err.split())) == (Exit.USAGE, True)
    assert [each["name"] for each in data("list")] == ["visits"]
    edited = Path("people.toml").read_text().replace('type = "integer"', 'type = "real"')
    Path("people.toml").write_text(edited)
    # options that are typed later are not in the file, and that is said
    code, _, err = run("add", "people", "people.csv", "--row", "--budget", "2")
    assert (code, "what you typed now is not in it" in " ".join(err.split())) == (Exit.USAGE, True)
    assert Path("people.toml").read_text() == edited
    assert run(*arguments)[0] == Exit.USAGE
    assert Path("people.toml").read_text() == edited
    good("add", "--from", "people.toml")
    [people] = [each for each in data("list") if each["name"] == "people"]
    assert [each["type"] for each in people["columns"]] == ["real"]
    code, _, err = run("add", "more", "visits.parquet", *PERSON, "--type", "spend=real")
    assert (code, "not a CSV file" in " ".join(err.split())) == (Exit.USAGE, True)


def test_choices_in_quotes_keep_their_blanks(office: Path) -> None:
    Path("sexes.csv").write_text("sex\n Male\n Female\n")
    options = ["--row", "--type", "sex=text", "--budget", "1"]
    good("add", "sexes", "sexes.csv", *options, "--choices", 'sex=" Male", " Female",Other')
    [found] = [each for each in data("list") if each["name"] == "sexes"]
    assert [each["choices"] for each in found["columns"]] == [[" Male", " Female", "Other"]]
