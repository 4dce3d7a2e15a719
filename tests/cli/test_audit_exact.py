"""``shoal audit exact``: what is printed, written and returned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli.audit_group import audit

COINS = {"laws": {"yes": {"1": "3/4", "0": "1/4"}, "no": {"1": "1/4", "0": "3/4"}}}


@pytest.fixture
def coins(tmp_path: Path) -> str:
    path = tmp_path / "coins.json"
    path.write_text(json.dumps(COINS))
    return str(path)


@pytest.mark.parametrize(
    ("claim", "code", "word"),
    [
        (["--epsilon", "1"], 5, "refuted: epsilon 1 (exact)"),
        (["--epsilon", "1.1"], 0, "proven for these pairs: epsilon 1.1"),
        (["--epsilon", "1", "--delta", "0.1"], 0, "proven"),
        (["--rho", "0.1"], 5, "refuted"),
        (["--mu", "3"], 0, "not refuted"),
        (["--epsilon", "1", "--rho", "1"], 2, ""),
        ([], 2, ""),
    ],
)
def test_the_exit_code_and_the_words_tell_the_verdict(
    coins: str, claim: list[str], code: int, word: str
) -> None:
    found = CliRunner().invoke(audit, ["exact", coins, *claim])
    assert found.exit_code == code
    assert word in found.output


def test_the_verdict_comes_as_data_and_as_a_page(coins: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    found = CliRunner().invoke(
        audit, ["exact", coins, "--epsilon", "1", "--json", "--out", str(page)]
    )
    told = json.loads(found.output)
    assert (told["refuted"], told["holds"], told["confidence"]) == (True, False, None)
    assert told["figures"]["largest ratio of chances"] == "3"
    assert told["figures"]["delta at epsilon 0, at most"] == 0.5
    assert "largest ratio of chances" in page.read_text()


def test_a_table_that_is_none_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text("[]")
    found = CliRunner().invoke(audit, ["exact", str(tmp_path / "t.json"), "--epsilon", "1"])
    assert found.exit_code == 2
    missing = CliRunner().invoke(audit, ["exact", str(tmp_path / "no.json"), "--epsilon", "1"])
    assert missing.exit_code == 2
