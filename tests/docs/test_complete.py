"""What must be documented is documented, and what is documented exists."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import errors
from shoal.errors import ShoalError

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(path for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")] if path.exists())
ERRORS_PAGE = ROOT / "docs" / "errors.md"
PARTS_OF_AN_ERROR = ["What happened", "Why it is refused", "Example", "Do instead"]
PARTS_OF_A_MECHANISM = ["Guarantee:", "Needs:", "Edges:", "Reference:"]

KINDS = [
    kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, ShoalError)
]


def error_sections() -> dict[str, str]:
    """Code -> text of its section."""
    _, *sections = re.split(r"^## ", ERRORS_PAGE.read_text(), flags=re.MULTILINE)
    return {section.partition("\n")[0].strip("` "): section for section in sections}


def mechanisms() -> dict[str, type[Any]]:
    """Every class among the public names of the mechanisms that can release."""
    package = importlib.import_module("shoal.mechanisms")
    named = {name: getattr(package, name) for name in getattr(package, "__all__", [])}
    return {
        name: thing
        for name, thing in named.items()
        if inspect.isclass(thing) and hasattr(thing, "release")
    }


# errors


def test_every_code_has_a_section_and_every_section_a_code() -> None:
    assert sorted(error_sections()) == sorted(kind.code for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_section_of_a_code_names_its_class(kind: type[ShoalError]) -> None:
    assert f"`{kind.__name__}`" in error_sections()[kind.code]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.__subclasses__()])
def test_the_section_of_an_error_has_all_its_parts_in_order(kind: type[ShoalError]) -> None:
    section = error_sections()[kind.code]
    assert re.findall(r"^\*\*(.+?)\.\*\*", section, re.MULTILINE) == PARTS_OF_AN_ERROR


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_has_a_docstring_of_its_own(kind: type[ShoalError]) -> None:
    assert (vars(kind).get("__doc__") or "").strip()


# public names


@pytest.mark.parametrize("name", getattr(shoal, "__all__", []))
def test_a_public_name_has_a_docstring_of_its_own(name: str) -> None:
    thing = getattr(shoal, name)
    if inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing):
        written = vars(thing).get("__doc__") if inspect.isclass(thing) else inspect.getdoc(thing)
        assert (written or "").strip()
        assert not (written or "").startswith(f"{name}("), "this is the text dataclasses make up"


# mechanisms


@pytest.mark.parametrize("name", mechanisms())
@pytest.mark.parametrize("part", PARTS_OF_A_MECHANISM)
def test_a_mechanism_states(part: str, name: str) -> None:
    written = inspect.getdoc(mechanisms()[name]) or ""
    assert re.search(rf"^\s*{part}", written, re.MULTILINE), f"{name} lacks the line '{part}'"


@pytest.mark.parametrize("name", mechanisms())
def test_a_mechanism_has_its_proof_beside_it(name: str) -> None:
    written = inspect.getdoc(mechanisms()[name]) or ""
    found = re.search(r"Proof: (\w+\.md)", written)
    assert found, f"{name} does not say 'Proof: <file>.md'"
    note = Path(inspect.getfile(mechanisms()[name])).parent / found[1]
    assert note.is_file(), f"{note.name} does not exist"
    assert note.read_text().strip()


# links


def prose(markdown: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "``", without_blocks(markdown))


def without_blocks(markdown: str) -> str:
    return re.sub(r"(?ms)^( *)(```+|~~~+).*?^\1\2 *$", "", markdown)


def links(markdown: str) -> list[str]:
    """The relative links of a page."""
    every = re.findall(r"\]\(\s*<?([^)\s>]+)", prose(markdown))
    every += re.findall(r"^\[[^\]]+\]: +(\S+)", prose(markdown), re.MULTILINE)
    every += re.findall(r"(?:src|href)=\"([^\"]+)\"", prose(markdown))
    return [link for link in every if not re.match(r"[a-z][a-z+.-]*:", link)]


def anchors(markdown: str) -> set[str]:
    """The places on a page that a link can lead to."""
    headings = re.findall(r"^#+ +(.+?) *$", without_blocks(markdown), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(link: str, page: Path) -> bool:
    """Whether a relative link on a page leads nowhere."""
    name, _, anchor = link.partition("#")
    target = (page.parent / name) if name else page
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target.read_text())


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_relative_link_on_a_page_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page.read_text()) if broken(link, page)] == []


def test_a_planted_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A Heading, with `code`\n[a](gone.md) [b](page.md) [c](#a-heading-with-code) [d](#gone)\n"
        "[e](https://example.org) `[f](gone-too.md)`\n\n```\n[g](gone-as-well.md)\n```\n"
    )
    found = links(page.read_text())
    assert found == ["gone.md", "page.md", "#a-heading-with-code", "#gone"]
    assert [link for link in found if broken(link, page)] == ["gone.md", "#gone"]


# how to contribute


def test_every_file_that_contributors_are_sent_to_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = re.findall(r"`((?:src|tests|scripts|docs)/[\w/]+(?:\.\w+|/))`", text)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []
