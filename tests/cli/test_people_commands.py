from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tests.vault.office import office
from typer.testing import CliRunner

from shoal.cli.app import app
from shoal.cli.people_commands import GALLERY, PEOPLE, REQUESTS

EXAMPLES = [
    line.strip()
    for each in (PEOPLE, REQUESTS, GALLERY)
    for line in each.splitlines()
    if line.strip().startswith("shoal ")
]


@pytest.mark.slow
def test_the_examples_of_the_help_are_a_session_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    office(tmp_path).close()
    monkeypatch.chdir(tmp_path)
    told = {}
    for example in EXAMPLES:
        words = example.replace("remove ana", "remove olga").replace("--epsilon 2", "--epsilon 0.9")
        words = words.replace("gallery add 3", "gallery add 1").replace("remove 3", "remove 1")
        found = CliRunner().invoke(
            app, shlex.split(words.replace("--allowance 1", "--allowance 0.5"))[1:]
        )
        assert found.exit_code == 0, (example, found.output)
        told[example] = found.output
    assert "olga" in told["shoal people"]
    assert "epsilon 0.9" in told["shoal requests"] or "No requests" in told["shoal requests"]
    run = CliRunner().invoke
    listed = json.loads(run(app, ["people", "--json"]).stdout)
    assert [each["person"] for each in listed["people"]] == ["ana"]
    assert run(app, ["people", "add", "bo", "--role", "king"]).exit_code == 8
    assert run(app, ["token", "nobody"]).exit_code == 8
    assert "decide" in run(app, ["people", "--roles"]).stdout


def test_what_others_wrote_does_not_steer_a_terminal(tmp_path: Path) -> None:
    """An escape could clear the screen of whoever looks, or show other words than were written."""
    steers = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
    with office(tmp_path) as vault:
        vault.sql(f"SELECT COUNT(*) AS n FROM visits -- {steers}").release(epsilon="0.1")
        vault.gallery.add(1, title=f"Title{steers}")
    for words in (["gallery"], ["show", "1"], ["log"]):
        found = CliRunner().invoke(app, [*words, "--vault", str(tmp_path / "office.shoal")])
        assert found.exit_code == 0, found.output
        assert not set(found.output) & set(steers) - set("]0;owned[2J31m"), words
    assert (
        "Title\\x1b]0;owned"
        in CliRunner().invoke(app, ["gallery", "--vault", str(tmp_path / "office.shoal")]).output
    )
