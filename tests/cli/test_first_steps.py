"""A newcomer's first steps: files as they come, errors that name what is wrong, and what to type
instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import COUNT, good, office, run

import shoal
from shoal.cli import options
from shoal.cli.command_spelling import as_typed
from shoal.errors import SchemaError, SourceError, StorageError, VaultError
from shoal.vault import open as open_vault

__all__ = ["office"]

ROWS = "1,34,Aldam\n2,71,Brook\n"
ROW = ("--row", "--budget", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an empty vault, and a file without a header."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_VAULT", raising=False)
    (tmp_path / "plain.csv").write_text(ROWS)
    good("init", "office.shoal")
    return tmp_path


def refused(*words: str) -> str:
    code, _, err = run(*words)
    assert code != 0
    assert "Traceback" not in err
    return err.replace("\n    ", " ")


# files


def test_a_file_without_a_header_gets_a_proposal_with_numbered_columns(folder: Path) -> None:
    assert "p.toml proposes them" in refused("add", "p", "plain.csv", *ROW, "--no-header")
    text = (folder / "p.toml").read_text()
    assert "header = false" in text
    assert [f"[columns.column_{at}]" in text for at in (1, 2, 3, 4)] == [True] * 3 + [False]
    (folder / "p.toml").write_text(text.replace("column_2", "age"))
    good("add", "--from", "p.toml")
    assert [each.name for each in open_vault("office.shoal").dataset("p").columns][1] == "age"


def test_a_declaration_is_called_a_proposal_only_until_it_is_registered(folder: Path) -> None:
    refused("add", "p", "plain.csv", *ROW, "--no-header")
    proposed = (folder / "p.toml").read_text()
    assert "NOT REGISTERED" in proposed
    (folder / "p.toml").write_text(f"{proposed}# a note of my own\n")
    good("add", "--from", "p.toml")
    registered = (folder / "p.toml").read_text()
    assert "NOT REGISTERED" not in registered
    assert registered.endswith("# a note of my own\n")


def test_a_type_that_is_corrected_does_not_change_what_else_was_declared(folder: Path) -> None:
    (folder / "plain.csv").write_text(ROWS.replace(",", ";"))
    typed = [f"--type={each}" for each in ("id=integer", "age=integer", "city=text")]
    good("add", "p", "plain.csv", *ROW, "--no-header", "--delimiter", ";", *typed)
    good("update", "p", "--type", "age=real")
    made = open_vault("office.shoal").dataset("p")
    assert [f"{each.name} {each.type}" for each in made.columns] == [
        "id integer",
        "age real",
        "city text",
    ]
    assert (made.location.to_dict()["header"], made.location.to_dict()["delimiter"]) == (False, ";")
    assert "which is not there" in refused("update", "p", "--type", "aged=real")


def test_a_declared_column_that_the_file_lacks_is_named(folder: Path) -> None:
    Path("h.csv").write_text("id,age\n1,2\n")
    words = refused("add", "h", "h.csv", *ROW, "--type", "id=integer", "--type", "agee=integer")
    assert "'agee' is missing" in words
    assert "'id'" not in words


def test_an_empty_file_is_said_to_be_empty(folder: Path) -> None:
    Path("e.csv").touch()
    for more in ([], ["--type", "a=integer"], ["--no-header"], ["--no-toml"]):
        assert "e.csv is empty" in refused("add", "e", "e.csv", *ROW, *more)


def test_a_curator_is_told_in_which_line_a_file_breaks_and_not_what_it_holds(folder: Path) -> None:
    Path("r.csv").write_text("a,b\n1,2\nCSV Error on Line: 77\n4,5\n")
    types = ["--type", "a=integer", "--type", "b=integer"]
    for more in ([], types, ["--no-toml"], [*types, "--no-toml"]):
        words = refused("add", "r", "r.csv", *ROW, *more)
        assert "at line 3." in words
        assert "77" not in words


def test_an_answer_never_tells_a_line(folder: Path) -> None:
    with pytest.raises(SourceError) as broken:
        Path("r.csv").write_text("a\n1\n2,3\n")
        shoal.private(
            shoal.CsvFile("r.csv", {"a": "integer"}), protects=shoal.Row(), budget=shoal.Pure(1)
        )
    assert "line 3" not in str(broken.value)


# declarations


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protects", "said"),
    [
        ('units = "row"', "Write unit."),
        ('unit = "rwo"', 'Write unit = "row" or unit = "person".'),
        ('unit = "person"\ncolumn = ["id"]', "Write columns."),
        ('unit = "person"\ncolumns = ["id"]\nrows_per_groups = 3', "Write rows_per_group."),
        ('unit = "person"\ngroups = 3', 'Write columns = ["user_id"].'),
        ('unit = "row"\nrelations = "change"', "Write relation."),
    ],
)
def test_a_mistyped_word_of_protects_is_named_with_the_nearest(
    protects: str, said: str, folder: Path
) -> None:
    Path("z.toml").write_text(f'name = "z"\npath = "plain.csv"\n[protects]\n{protects}\n')
    words = refused("add", "--from", "z.toml")
    assert "[protects] of z.toml" in words
    assert said in words


def test_a_declaration_without_protects_says_so(folder: Path) -> None:
    Path("z.toml").write_text('name = "z"\npath = "plain.csv"\n')
    assert "does not say who is protected" in refused("add", "--from", "z.toml")


def test_describe_shows_what_was_stated(office: Path) -> None:
    shown = good("describe", "visits")
    assert "one of Aldam, Brook, Corve" in shown
    assert "0 to 500" in shown


# words of the command line

PYTHON = ("shoal.", "vault.", "='", "=shoal", "Range(", "Choices(", "types=", "header=", "relation=")  # fmt: skip


REMEDIES = [
    (("ask", "SELECT SUM(user_id) AS s FROM visits", "--epsilon", "1"), "--range user_id=0:100"),
    (("ask", COUNT, "--epsilon", "1", "--noise", "gaussian"), "--noise laplace"),
    (("add", "t", "people.csv", "--row", "--no-toml", "--budget", "1"), "--type age=integer"),
    (("add", "t", "people.csv", "--row", "--budget", "1", "--type", "b=real"), "--no-header"),
    (("add", "t", "people.csv", "--row", "--type", "age=integer"), "--budget 3,1e-7"),
    (("update", "visits", "--choices", "age=1"), "The columns are"),
    (("suggest", "bounds", "visits", "city", "--epsilon", "1"), "--range of dates, or --choices"),
    (
        ("add", "t", "visits.parquet", "--row", "--budget", "1", "--required", "spend"),
        "--range or --choices",
    ),
]


@pytest.mark.slow
def test_a_remedy_is_in_the_words_of_the_command(office: Path) -> None:
    for words, typed in REMEDIES:
        told = refused(*words)
        assert typed in told
        assert not [each for each in PYTHON if each in told], told


def test_new_people_are_said_with_the_option_that_add_has(office: Path) -> None:
    from tests.vault.office import rows, write  # noqa: PLC0415 - one use

    write(office, table=rows(601, first=9000))
    told = refused("add", "again", "visits.parquet", "--row", "--budget", "1")
    assert "give --new-people." in told
    assert "--relation" not in told
    assert (
        as_typed("give shares='visits' (--shares visits), which") == "give --shares visits, which"
    )


# read access alone


READING = [
    ["budget"], ["preview", COUNT, "--epsilon", "0.1"], ["explain", COUNT], ["plan", COUNT, "--error", "50"],
    ["dummy", "visits", "-n", "2"], ["poll", "list"], ["poll", "show", "commute"], ["poll", "results", "commute"],
    ["poll", "export", "commute"],
]  # fmt: skip


@pytest.mark.slow
def test_what_only_reads_needs_read_access_alone(
    office: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good("poll", "new", "commute", "Have you?", "--epsilon", "1")
    good("poll", "publish", "commute.toml", "--yes")

    def only_for_reading(*given: Any, **said: Any) -> Any:
        if not said.get("read_only"):
            raise StorageError("the ledger cannot be opened.", remedy="Ask for the right to write.")
        return open_vault(*given, **said)

    monkeypatch.setattr(options, "open_vault", only_for_reading)
    for command in READING:
        assert good(*command)
    assert "cannot be opened" in refused("ask", COUNT, "--epsilon", "0.1")
    assert "cannot be opened" in refused("budget", "visits", "--set", "4")


# from Python


@pytest.mark.parametrize("name", ["x.csv", "x.CSV.gz", "x.parquet", "x.tsv"])
def test_a_data_file_is_not_opened_as_a_vault(name: str, folder: Path) -> None:
    with pytest.raises(VaultError, match=r"shoal\.private"):
        shoal.open(name)
    assert not Path(name).exists()
    assert "shoal add NAME FILE" in refused("init", name)


@pytest.mark.parametrize("columns", [{"age"}, ["age"], "age", 3])
def test_columns_that_state_nothing_are_refused_in_words(columns: Any, folder: Path) -> None:
    file = shoal.CsvFile(
        "plain.csv", {"id": "integer", "age": "integer", "city": "text"}, header=False
    )
    row: dict[str, Any] = {"protects": shoal.Row(), "budget": shoal.Pure(1), "columns": columns}
    vault = shoal.open("office.shoal")
    for act in (
        lambda: shoal.private(file, **row),
        lambda: vault.add("t", file, **row),
        lambda: vault.update("t", columns=columns),
    ):
        with pytest.raises(SchemaError, match="it must say what is known of each column"):
            act()
