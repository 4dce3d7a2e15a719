"""Documentation is executed, not trusted.

Each page is one dialogue: its ``>>>`` blocks and its plain ``python`` blocks run in order, in one
namespace, in a folder of their own.  Each docstring is one by itself.
"""

from __future__ import annotations

import doctest
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scripts import tutorials

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src"
PAGES = sorted(path for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")] if path.exists())
SESSIONS = tutorials.pages()
"""Pages that tests/docs/test_sessions.py runs, with the commands on them."""
MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if path.name != "__main__.py"
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+) *(?P<language>[\w+-]*)")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int

    @property
    def is_dialogue(self) -> bool:
        return re.search(r"^ *>>> ", self.text, re.MULTILINE) is not None


def blocks(markdown: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order, with the line each one's text begins on, from 0."""
    opening: re.Match[str] | None = None
    start, lines = 0, list[str]()
    for number, line in enumerate(markdown.splitlines()):
        if opening is None:
            opening = _FENCE.match(line)
            start, lines = number + 1, []
        elif line.strip() == opening["fence"]:
            yield Block(opening["language"], "\n".join(lines) + "\n", start)
            opening = None
        else:
            lines.append(line.removeprefix(opening["indent"]))
    assert opening is None, "a fence is never closed"


def run_dialogue(text: str, name: str, line: int, names: dict[str, Any]) -> str:
    """Run a ``>>>`` block in ``names``; the report of what went wrong, or nothing."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, line)
    test.globs = names
    return report(test)


def report(test: doctest.DocTest) -> str:
    output: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=output.append, clear_globs=False)
    return "".join(output)


def run_page(markdown: str, name: str) -> str:
    """Run a page as one dialogue; the report of what went wrong, or nothing."""
    names: dict[str, Any] = {"__name__": "page"}
    wrong = ""
    for block in blocks(markdown):
        if block.is_dialogue:
            wrong += run_dialogue(block.text, name, block.line, names)
        elif block.language == "python":
            exec(compile("\n" * block.line + block.text, name, "exec"), names)
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page not in SESSIONS],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_example_on_the_page_does_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = run_page(page.read_text(), str(page.relative_to(ROOT)))
    assert not wrong, wrong


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_no_example_on_the_page_stands_outside_a_block(page: Path) -> None:
    text = page.read_text()
    inside = sum(block.text.count(">>> ") for block in blocks(text))
    assert len(re.findall(r"^ *>>> ", text, re.MULTILINE)) <= inside


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_every_example_in_a_docstring_does_what_it_says(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = importlib.import_module(module)
    wrong = "".join(report(test) for test in doctest.DocTestFinder().find(loaded, module))
    assert not wrong, wrong


# the runner itself

GOOD_PAGE = """
```python
x = 20
```

```pycon
>>> y = x + 1
>>> y
21
```

1. Indented:

   ```
   >>> x + y
   41
   ```

```sh
exit 1
```
"""


def test_a_page_is_one_dialogue() -> None:
    assert run_page(GOOD_PAGE, "page") == ""


def test_an_example_that_lies_is_found() -> None:
    assert "Expected:" in run_page(GOOD_PAGE.replace("41", "42"), "page")


def test_an_example_that_raises_is_found() -> None:
    with pytest.raises(ZeroDivisionError):
        run_page(GOOD_PAGE.replace("x = 20", "x = 1 / 0"), "page")
    assert "ZeroDivisionError" in run_page(GOOD_PAGE.replace("x + 1", "x / 0"), "page")
