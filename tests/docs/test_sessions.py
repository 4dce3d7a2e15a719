"""The tutorials can be followed: what they show is what their commands and cells print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripts import tutorials

PAGES = tutorials.pages()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_shows_what_its_commands_print(page: Path, tmp_path: Path) -> None:
    assert tutorials.run(page, tmp_path) == page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_shows_only_pictures_that_are_kept(page: Path) -> None:
    for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / name).is_file(), name


# the runner itself

SESSION = """
```python title="hello.py"
print("hello")
```

```console
$ python hello.py
hello
$ shoal account "laplace scale=10" --brief > account.txt
$ head -n 1 account.txt
{first}
$ shoal ask "SELECT" --epsilon 1    # refused
{refusal}
```

```pycon
>>> 20 + 1
21
>>> 1 / 0
Traceback (most recent call last):
    ...
ZeroDivisionError: division by zero
```
"""


def written(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_a_session_is_run_from_first_to_last_and_a_lie_is_put_right(tmp_path: Path) -> None:
    true = tutorials.run(written(tmp_path, SESSION), tmp_path)
    assert "{first}" not in true
    assert "{refusal}" not in true
    assert tutorials.run(written(tmp_path, true), tmp_path) == true
    for fact, lie in (("hello\n$", "goodbye\n$"), ("21", "22"), ("by zero", "by nothing")):
        assert fact in true
        assert tutorials.run(written(tmp_path, true.replace(fact, lie)), tmp_path) == true


@pytest.mark.parametrize(
    "changed",
    [("    # refused", ""), ("hello.py\nhello", "hello.py    # refused\nhello")],
    ids=["a command fails", "a command is not refused"],
)
def test_a_command_that_ends_otherwise_than_the_page_says_is_found(
    changed: tuple[str, str], tmp_path: Path
) -> None:
    assert changed[0] in SESSION
    with pytest.raises(SystemExit, match="This should be"):
        tutorials.run(written(tmp_path, SESSION.replace(*changed)), tmp_path)


def test_a_cell_that_raises_what_the_page_does_not_show_is_found(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        tutorials.run(written(tmp_path, "```pycon\n>>> 1 / 0\n```\n"), tmp_path)


def test_dates_and_hashes_stay_as_they_are_on_the_page(tmp_path: Path) -> None:
    before = "2025-01-01 00:00:00 UTC fedcba9876543210"
    code = "print('2026-11-17 19:16:09 UTC 0123456789abcdef')"
    page = written(tmp_path, f"```pycon\n>>> {code}\n{before}\n```\n")
    assert tutorials.run(page, tmp_path) == page.read_text(encoding="utf-8")
