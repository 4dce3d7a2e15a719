"""What pages are held to is noticed where it is broken: in one scheme, in one size, or in both."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.server.accessible import look
from tests.server.browser import fresh

PAGE = """<!doctype html><html lang="en"><head><title>T</title><style>
body {{ background: white; color: black }}
@media (prefers-color-scheme: dark) {{ body {{ background: black; color: white }} }}
{style}
</style></head><body><main><h1>Title</h1><p class="words">Words</p>{body}</main></body></html>"""
DARK, PHONE = "prefers-color-scheme: dark", "max-width: 600px"


def seen(browser: Browser, folder: Path, body: str = "", where: str = "", style: str = "") -> str:
    """What is found on a page with something more in it."""
    css = f"@media ({where}) {{ {style} }}" if where else style
    with fresh(browser) as context:
        page = context.new_page()
        page.set_content(PAGE.format(style=css, body=body))
        return "\n".join(look(page, "page", folder))


def test_nothing_is_found_on_a_page_that_is_well_and_no_picture_is_taken(
    browser: Browser, tmp_path: Path
) -> None:
    assert seen(browser, tmp_path) == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("where", "style", "found"),
    [
        ("", ".words { color: #888; background: #999 }", ["phone, light", "desktop, dark"]),
        (DARK, ".words { color: #222 }", ["phone, dark: color-contrast", "desktop, dark: color-c"]),
        (PHONE, ".words { width: 900px }", ["phone, light: wider", "phone, dark: wider"]),
        (DARK, ".words { display: none }", ["phone, dark: other words", "desktop, dark: other"]),
    ],
    ids=["everywhere", "colours-in-dark", "wide-on-a-phone", "other-words-in-dark"],
)
def test_what_is_broken_in_one_scheme_or_size_is_found(
    where: str, style: str, found: list[str], browser: Browser, tmp_path: Path
) -> None:
    told = seen(browser, tmp_path, where=where, style=style)
    assert [words for words in found if words not in told] == []
    assert (", light:" in told) == (where != DARK)
    assert ("desktop" in told) == (where != PHONE)
    assert len(list(tmp_path.glob("page-*.png"))) == len(told.split("\n"))


def test_a_field_without_a_label_is_found(browser: Browser, tmp_path: Path) -> None:
    assert "label at" in seen(browser, tmp_path, body="<input>")
