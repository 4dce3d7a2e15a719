"""Tutorials are walked from start to end: each command is run, and prints what the page says."""

from __future__ import annotations

import doctest
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import good
from tests.docs.test_examples import FLAGS, ROOT, Block, blocks

WALKED = ("phone-poll.md",)


def walk(page: Path) -> list[str]:
    """What a page says that its commands do not print, block by block."""
    names: dict[str, Any] = {"__name__": "page"}
    printed, wrong = "", []
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "sh":
            printed = "".join(_run(line) for line in block.text.splitlines())
        elif block.language == "python":
            exec(compile("\n" * block.line + block.text, page.name, "exec"), names)
            printed = ""
        elif block.language == "text" and printed:
            wrong += _missed(block, printed)
            printed = ""
    return wrong


def _run(line: str) -> str:
    command, *words = shlex.split(line)
    assert command == "shoal", line
    return good(*words)


def _missed(block: Block, printed: str) -> list[str]:
    # a table ends where its last column does; blanks and dots are told apart no further
    if doctest.OutputChecker().check_output(block.text, printed, FLAGS):
        return []
    return [f"line {block.line}: the page says\n{block.text}\nand the command\n{printed}"]


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKED)
def test_a_tutorial_does_what_it_says_from_start_to_end(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_VAULT", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    wrong = walk(ROOT / "docs" / "tutorials" / name)
    assert not wrong, "\n".join(wrong)


def test_a_tutorial_that_lies_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    text = "```sh\nshoal init survey.shoal\n```\n\n```text\nMade {}.shoal. ...\n```\n"
    page.write_text(text.format("other"))
    assert "Made survey.shoal" in walk(page)[0]
