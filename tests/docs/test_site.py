"""The site holds every page, and each of its links leads somewhere on it."""

from __future__ import annotations

import importlib.util
import inspect
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from scripts.site import build, checks, command_reference, python_reference
from scripts.site.gather import PROJECT, ROOT, gathered, links, proofs, title_of
from tests.server.accessible import OF_COLOURS, SCHEMES, SIZES, is_wide, violations, words_on
from tests.server.browser import fresh, started

import shoal
from shoal.cli.app import COMMANDS

WRITTEN = sorted(str(path.relative_to(ROOT / "docs")) for path in ROOT.glob("docs/**/*.md"))
MADE = ("reference/commands/", "reference/python/", "proofs/")
NEEDS_GENERATOR = pytest.mark.skipif(
    importlib.util.find_spec("zensical") is None, reason="zensical, of the extra docs, is missing"
)


def listed() -> list[str]:
    told = tomllib.loads(build.NAVIGATION.read_text(encoding="utf-8"))
    return [page for section in told["section"] for page in section["pages"]]


def test_every_page_of_the_documentation_has_one_place_in_the_navigation() -> None:
    assert sorted(listed()) == sorted([*WRITTEN, *PROJECT.values(), *MADE])


@pytest.mark.parametrize("name", WRITTEN)
def test_a_page_has_a_title(name: str) -> None:
    assert title_of((ROOT / "docs" / name).read_text(encoding="utf-8"))


def test_every_proof_is_on_the_site() -> None:
    pages = gathered()
    assert set(proofs()) <= set(pages.text)
    assert len(proofs()) > 40
    assert pages.text["proofs/mechanisms/additive.md"].startswith("#")


def test_links_lead_on_the_site_to_what_they_lead_to_in_the_repository() -> None:
    pages = gathered()
    place = pages.place
    assert "(../proofs/plan/stability.md)" not in pages.text["questions.md"]
    assert "(proofs/plan/stability.md)" in pages.text["questions.md"]
    assert "(vault.md)" in pages.text["index.md"]
    assert "(source/src/shoal/ledger/ledger.py.md)" in pages.text["vault.md"]
    for at, text in pages.text.items():
        for target in links(text):
            there = (Path("/") / at).parent / target.partition("#")[0]
            assert str(there.resolve())[1:] in {*place.values(), *pages.text}, (at, target)


def test_what_a_comment_hides_on_a_page_is_not_on_the_site() -> None:
    assert "<!--" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "<!--" not in gathered().text["index.md"]


def test_a_reader_of_the_site_sees_titles_and_no_marks_of_the_tests() -> None:
    written, shown = (ROOT / "README.md").read_text(encoding="utf-8"), gathered().text
    assert "[docs/vault.md](docs/vault.md)" in written
    assert "# doctest: +SKIP" in written
    assert "[The vault](vault.md)" in shown["index.md"]
    assert "# doctest" not in shown["index.md"]
    assert [at for at, text in shown.items() if "\n<BLANKLINE>\n" in text] == []


def test_docstrings_are_shown_as_they_were_meant() -> None:
    written = """Guarantee: 0 < rate <= 1 and a_b * c, see *Claim 2*.
    Edges: refused, for it belongs to another
    measure.

    ::

        a tree
    """
    assert python_reference.markdown_of(inspect.cleandoc(written)) == (
        "**Guarantee:** 0 &lt; rate &lt;= 1 and a\\_b \\* c, see *Claim 2*.\n\n"
        "**Edges:** refused, for it belongs to another measure.\n\n```text\na tree\n```"
    )


def test_the_reference_describes_every_public_name() -> None:
    made = python_reference.pages()
    first = made["reference/python/index.md"]
    for name in shoal.__all__:
        assert f"`shoal.{name}`" in first
    assert "**Guarantee:** (sensitivity / scale)-DP" in made["reference/python/mechanisms.md"]
    assert '>>> mechanism = Laplace.for_epsilon("0.5"' in made["reference/python/mechanisms.md"]


def test_the_reference_describes_every_command_in_the_words_of_its_help() -> None:
    made = command_reference.pages()
    for command in COMMANDS:
        page = made[f"reference/commands/{command.name}.md"]
        assert page.startswith(f"# shoal {command.name}\n")
        first = inspect.cleandoc(command.load().help).partition("\n\n")[0]
        assert " ".join(first.split()) in " ".join(page.split())
    assert "## shoal poll new" in made["reference/commands/poll.md"]
    assert "`--epsilon EPSILON`" in made["reference/commands/ask.md"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    assert build.build(folder / "site", stage=folder / "stage") == ""
    return folder / "site"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with started(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.mark.slow
@NEEDS_GENERATOR
def test_the_site_is_built_without_a_warning_and_every_link_on_it_leads_somewhere(
    built: Path,
) -> None:
    assert checks.problems(built) == []
    for name in (*WRITTEN, "index.md", "proofs/index.md", "reference/python/vault.md"):
        assert (built / name).with_suffix(".html").is_file()
    assert (built / "search.json").stat().st_size > 100_000


@pytest.mark.slow
@NEEDS_GENERATOR
def test_a_word_is_found_on_a_site_that_is_opened_from_disk_without_a_network(
    built: Path, browser: Browser
) -> None:
    with fresh(browser, offline=True) as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((built / "index.html").as_uri())
        page.locator("[data-md-component=search] button").click()
        page.keyboard.type("allowance", delay=100)
        page.get_by_text("Hand out allowances").first.wait_for()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


KINDS = (
    "index.html",  # the README: code, tables, a picture
    "tutorials/hospital.html",  # what programs print
    "surveys.html",  # tables wider than a phone
    "stable.html",  # formulas in tables
    "reference/commands/ask.html",  # made from help
    "proofs/plan/stability.html",  # a proof
    "404.html",  # what a server shows for an address that is none
)
"""A page of each kind: what axe finds on one, it finds on the others of its kind."""


@pytest.mark.slow
@NEEDS_GENERATOR
def test_the_pages_of_the_site_are_accessible_in_both_schemes_on_a_phone_and_a_desktop(
    built: Path, browser: Browser
) -> None:
    found: list[str] = []
    shown: dict[str, str] = {}
    for scheme in SCHEMES:
        # a visitor of each scheme: the site remembers the first one that it saw
        with fresh(browser, color_scheme=scheme, reduced_motion="reduce") as context:
            page = context.new_page()
            for name in KINDS:
                page.goto((built / name).as_uri())
                page.locator("nav.md-code__nav[aria-label], .md-content, main").first.wait_for()
                for size, (width, height) in SIZES.items():
                    page.set_viewport_size({"width": width, "height": height})
                    place, words = f"{name}, {size}", words_on(page)
                    told = violations(page, OF_COLOURS if place in shown else ())
                    told += ["wider than the screen"] if is_wide(page) else []
                    told += ["other words"] if shown.setdefault(place, words) != words else []
                    found += [f"{place}, {scheme}: {each}" for each in told]
    assert found == []


# the checks themselves


def site(folder: Path, body: str) -> Path:
    (folder / "other.html").write_text('<h1 id="here">Here</h1>')
    (folder / "page.html").write_text(f"<p>{body}</p>")
    return folder


@pytest.mark.parametrize(
    "body",
    [
        '<a href="other.html#here">x</a>',
        '<a href="https://example.org">x</a>',
        '<img src="data:image/png;base64,AA==">',
    ],
)
def test_what_leads_somewhere_is_no_problem(body: str, tmp_path: Path) -> None:
    assert checks.problems(site(tmp_path, body)) == []


@pytest.mark.parametrize(
    "body",
    [
        '<a href="gone.html">x</a>',
        '<a href="other.html#gone">x</a>',
        '<a href="#gone">x</a>',
        '<img src="gone.svg">',
        '<script src="https://example.org/x.js"></script>',
        '<link rel="stylesheet" href="//example.org/font.css">',
    ],
)
def test_what_leads_nowhere_or_comes_from_outside_is_found(body: str, tmp_path: Path) -> None:
    assert len(checks.problems(site(tmp_path, body))) == 1
