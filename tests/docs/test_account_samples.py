"""What the documentation shows below a ``shoal account`` is what the program prints.

A sample may leave out whole paragraphs and break lines elsewhere; it may change nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from tests.docs.test_examples import PAGES, ROOT, blocks
from typer.testing import CliRunner

from shoal.cli import app

COMMAND = "shoal account "
PLAIN = {"NO_COLOR": "1", "COLUMNS": "200", "TERM": "dumb"}


@dataclass(frozen=True)
class Sample:
    """A command on a page and the block below it that shows what it prints."""

    command: str
    shown: str


def samples(markdown: str) -> Iterator[Sample]:
    """Each block of one ``shoal account`` that has a block of text right after it."""
    for first, second in pairwise(blocks(markdown)):
        if first.text.startswith(COMMAND) and second.language == "text":
            yield Sample(first.text.strip(), second.text)


def paragraphs(text: str) -> list[str]:
    """Paragraphs with single spaces; a page breaks its lines elsewhere than a terminal."""
    parts = (re.sub(r"\s+", " ", part).strip() for part in re.split(r"\n\s*\n", text))
    return [part for part in parts if part]


def printed(command: str) -> str:
    done = CliRunner().invoke(app, shlex.split(command)[1:], env=PLAIN)
    assert done.exit_code == 0, done.output
    return done.stdout


def differences(sample: Sample, said: str) -> list[str]:
    """The paragraphs of a sample that the program does not print, or not in this order."""
    left = iter(paragraphs(said))
    return [part for part in paragraphs(sample.shown) if part not in left]


def every_sample() -> list[tuple[Path, Sample]]:
    return [(page, sample) for page in PAGES for sample in samples(page.read_text())]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "sample"),
    every_sample(),
    ids=[f"{page.relative_to(ROOT)}-{sample.command}" for page, sample in every_sample()],
)
def test_a_sample_of_an_account_is_what_the_program_prints(page: Path, sample: Sample) -> None:
    assert differences(sample, printed(sample.command)) == [], f"{page.name} shows something else"


def test_the_pages_that_show_an_account_are_looked_at() -> None:
    shown = {str(page.relative_to(ROOT)) for page, _ in every_sample()}
    assert {"README.md", "docs/which-number.md"} <= shown


# the comparison itself

PAGE = """
```sh
shoal account "laplace scale=10"
```

```text
one   two
─────────
1       2

The end
is near.
```
"""
SAID = "A head.\n\none  two\n────────\n1      2\n\nThe end is near.\n\nA tail.\n"


def changed(old: str, new: str) -> list[str]:
    assert old in PAGE
    (sample,) = samples(PAGE.replace(old, new))
    return differences(sample, SAID.replace("────────", "─────────"))


def test_a_sample_may_leave_out_paragraphs_and_break_lines_elsewhere() -> None:
    assert changed("one   two", "one  two") == []
    assert changed("The end\nis near.\n", "") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1       2", "1       3"),
        ("is near.", "was near."),
        ("1       2\n", "1       2\n3       4\n"),
        ("The end", "A tail.\n\nThe end"),
    ],
    ids=["number", "word", "line", "order"],
)
def test_a_sample_that_lies_is_found(old: str, new: str) -> None:
    assert changed(old, new)
