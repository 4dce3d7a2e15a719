"""What every page is held to: no violation that axe finds, in light and dark, on a phone and a
desktop; and its picture.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
SCHEMES = ("light", "dark")


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text()


def violations(page: Page) -> list[str]:
    """Each rule that the page breaks now, and where."""
    page.evaluate(_axe())
    found: dict[str, Any] = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => ({violations}))"
    )
    return [
        f"{each['id']} at {[node['target'] for node in each['nodes']]}"
        for each in found["violations"]
    ]


def look(page: Page, name: str, folder: Path) -> list[str]:
    """Violations of a page in every size and scheme; pictures go to a folder, or where
    SHOAL_PICTURES says.
    """
    place = Path(os.environ.get("SHOAL_PICTURES", folder))
    found = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            found += [f"{name}, {size}, {scheme}: {each}" for each in violations(page)]
            found += [f"{name}, {size}: wider than the screen" for _ in [0] if is_wide(page)]
            page.screenshot(path=place / f"{name}-{size}-{scheme}.png", full_page=True)
    return found


def is_wide(page: Page) -> bool:
    """Whether the page as a whole scrolls sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
