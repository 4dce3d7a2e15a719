from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.server.office.running import office_in_thread
from tests.vault.office import BY_KIND, COUNT, office
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.client import RemoteVault
from shoal.client.office_connection import Connection
from shoal.client.token_source import token_from
from shoal.errors import (
    BudgetExceeded,
    KeyReusedError,
    OfficeError,
    RightsError,
    SchemaError,
    TokenError,
    UnknownNameError,
    VaultError,
)
from shoal.query import Answer
from shoal.query.stored_answer import stored
from shoal.vault import Vault

JOINED = "SELECT region, COUNT(*) AS n FROM visits JOIN towns USING (town) GROUP BY region"


@dataclass(frozen=True)
class Both:
    """A vault, and the same through its office."""

    vault: Vault
    far: RemoteVault
    address: str
    token: str


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    with office(tmp_path_factory.mktemp("far"), shoal.Approx(5, "1e-6"), towns=True) as vault:
        vault.people.add("ana", role="analyst", dataset="visits", allowance="4,1e-6")
        token = vault.people.token("ana")
        with office_in_thread(vault) as address:
            yield Both(vault, shoal.connect(address, token=token), address, token)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "more"),
    [
        (BY_KIND, {"epsilon": "0.3"}),
        (JOINED, {"epsilon": "0.1"}),
        (
            "SELECT town, COUNT(*) AS n FROM visits GROUP BY town",
            {"epsilon": "0.2", "delta": "1e-8"},
        ),
        ("SELECT MEDIAN(spend) AS m, COUNT(*) AS n FROM visits", {"epsilon": "0.2"}),
        (COUNT, {"epsilon": "0.1", "show_clipped": True}),
    ],
)
def test_an_answer_from_afar_is_the_answer_of_the_vault(
    both: Both, sql: str, more: dict[str, object]
) -> None:
    far = both.far.sql(sql).release(**more)  # type: ignore[arg-type]
    near = both.vault.as_("ana").sql(sql).release(**more)  # type: ignore[arg-type]
    assert type(far) is Answer
    assert stored(far) == stored(near)
    assert str(far) == str(near)
    expected = both.vault.as_("ana").sql(sql).preview(**more)  # type: ignore[arg-type]
    assert both.far.sql(sql).preview(**more) == expected  # type: ignore[arg-type]


def test_a_built_question_goes_to_the_office_as_sql(both: Both) -> None:
    made = both.far.table("visits").where("spend > 3").where("kind = 'work' OR spend < 100")
    asked = made.group_by("kind").agg(n="COUNT(*)", m="AVG(spend)")
    near = both.vault.table("visits").where("spend > 3 AND (kind = 'work' OR spend < 100)")
    same = near.group_by("kind").agg(n="COUNT(*)", m="AVG(spend)")
    assert asked.digest == same.digest
    assert asked.release(epsilon="0.1").columns == ("kind", "n", "m")
    joined = both.far.table("visits").join("towns", using="town").group_by("region")
    assert joined.agg(n="COUNT(*)").digest == both.vault.sql(JOINED).digest


def test_budgets_logs_and_datasets_are_those_of_the_vault(both: Both) -> None:
    ana = both.vault.as_("ana")
    both.far.sql(COUNT).release(epsilon="0.05", key="monday")
    assert [each.to_dict() for each in both.far.log()] == [each.to_dict() for each in ana.log()]
    last = both.far.log()[-1].number
    assert both.far.show(last).answer == ana.show(last).answer
    assert both.far.show(last).certificate == ana.show(last).certificate
    assert both.far.budget("visits").to_dict() == ana.budget("visits").to_dict()
    assert both.far.dataset("visits").table == ana.dataset("visits").table
    assert both.far.me["person"] == "ana"


def test_errors_of_the_office_are_the_errors_that_they_are_there(both: Both) -> None:
    with pytest.raises(BudgetExceeded, match="fits"):
        both.far.sql(COUNT).release(epsilon=50)
    with pytest.raises(UnknownNameError):
        both.far.sql("SELECT COUNT(*) AS n FROM vists")
    both.far.sql(COUNT).release(epsilon="0.01", key="k")
    with pytest.raises(KeyReusedError):
        both.far.sql(COUNT).release(epsilon="0.02", key="k")
    with pytest.raises(RightsError):
        both.far.verify()
    with pytest.raises(VaultError):
        both.far.show(10_000)
    with pytest.raises(TokenError):
        shoal.connect(both.address, token="shoal_0_0").datasets  # noqa: B018 - looking is the act


@pytest.mark.parametrize(
    "address",
    [
        "http://office.example.org",
        "http://10.0.0.5:8000",
        "ftp://127.0.0.1",
        "127.0.0.1:8000",
        "http://127.0.0.1:8000/?token=x",
        "https://me:secret@office.example.org",
        "https://office.example.org/path",
    ],
)
def test_a_token_is_never_sent_in_the_clear_or_in_an_address(address: str) -> None:
    with pytest.raises(SchemaError):
        Connection.to(address, "x")


def test_an_office_that_is_not_there_is_told_as_that() -> None:
    with pytest.raises(OfficeError):
        Connection.to("http://127.0.0.1:9", "x").send("POST", "/preview", {})


def test_a_token_comes_from_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHOAL_TOKEN", raising=False)
    monkeypatch.delenv("SHOAL_TOKEN_FILE", raising=False)
    with pytest.raises(TokenError, match="SHOAL_TOKEN"):
        token_from()
    file = tmp_path / "token"
    file.write_text("from-file\n")
    assert token_from(file) == "from-file"
    monkeypatch.setenv("SHOAL_TOKEN_FILE", str(file))
    assert token_from() == "from-file"
    monkeypatch.setenv("SHOAL_TOKEN", "from-variable")
    assert token_from() == "from-variable"
    assert "given" not in repr(shoal.connect("https://office.example.org", token="given"))


@pytest.mark.parametrize(
    "text",
    ["shoal_a_SECRET\nanother line", "shoal_a_SECRET\rX: 1", "shoal_a_SECRET\u2019", " ", "a b"],
)
def test_a_file_that_is_no_token_is_refused_and_not_quoted(tmp_path: Path, text: str) -> None:
    """As a header it would be quoted whole in the error of the connection."""
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(TokenError) as refused:
        _ = shoal.connect("http://127.0.0.1:9", token=file).me
    told = "".join(traceback.format_exception(refused.value))
    assert "SECRET" not in told


@pytest.mark.slow
def test_the_command_asks_an_office_as_it_asks_a_vault(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_TOKEN", both.token)
    run = CliRunner().invoke
    told = run(app, ["ask", COUNT, "--epsilon", "0.07", "--csv", "--vault", both.address])
    assert told.exit_code == 0, told.output
    assert str(both.vault.log()[-1].answer["rows"][0][0]) in told.stdout  # type: ignore[index]
    for command in (
        ["list"],
        ["describe", "visits"],
        ["budget"],
        ["log"],
        ["show", "1"],
        ["explain", COUNT],
        ["preview", COUNT, "--epsilon", "1"],
        ["dummy", "visits", "-n", "2"],
    ):
        found = run(app, [*command, "--vault", both.address])
        assert found.exit_code == 0, (command, found.output)
    for command in (["verify"], ["people", "add", "x", "--role", "owner"]):
        assert run(app, [*command, "--vault", both.address]).exit_code == 8
