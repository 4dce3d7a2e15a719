"""What every page is held to: no violation that axe finds, in light and dark, on a phone and a
desktop.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import ndiff
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
SCHEMES = ("light", "dark")
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe that look at colours.  All others see the same page in both schemes, as long as
both show the same words, which `look` and the test of the site compare.
"""
PICTURES = "SHOAL_PICTURES"


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text()


def violations(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """Each rule that the page breaks now, and where; of all rules, or of some."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(_axe())
    found: dict[str, Any] = page.evaluate(
        "options => axe.run(document, options).then(({violations}) => ({violations}))",
        {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})},
    )
    return [
        f"{each['id']} at {[node['target'] for node in each['nodes']]}"
        for each in found["violations"]
    ]


def look(page: Page, name: str, folder: Path) -> list[str]:
    """Violations of a page in every size and scheme.  A picture of where there are some goes to a
    folder; with SHOAL_PICTURES, pictures of all go to the one that it names.
    """
    wanted = os.environ.get(PICTURES)
    found = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        shown: list[str] = []
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            told = violations(page, OF_COLOURS if shown else ())
            told += ["wider than the screen"] if is_wide(page) else []
            shown.append(words_on(page))
            if shown[0] != shown[-1]:
                told.append(f"other words than in light: {changed_lines(*shown)}")
            found += [f"{name}, {size}, {scheme}: {each}" for each in told]
            if told or wanted:
                place = Path(wanted or folder) / f"{name}-{size}-{scheme}.png"
                page.screenshot(path=place, full_page=True)
    return found


def words_on(page: Page) -> str:
    """What a reader can see, as text."""
    return str(page.evaluate("document.body.innerText"))


def changed_lines(one: str, other: str) -> list[str]:
    """The lines that stand in only one of two texts."""
    return [each for each in ndiff(one.splitlines(), other.splitlines()) if each[0] in "+-"]


def is_wide(page: Page) -> bool:
    """Whether the page as a whole scrolls sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
