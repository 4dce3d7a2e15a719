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
