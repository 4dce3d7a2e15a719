"""Chromium for the tests: where it is, how it is started, and what is said when it is not there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """Where Chromium is; without one the tests are skipped, or fail where a browser is demanded."""
    named = os.environ.get("SHOAL_CHROMIUM", "")
    found = next((path for name in (named, *NAMES) if name and (path := shutil.which(name))), None)
    if found is None:
        words = "no Chromium was found; install it, or say where it is in SHOAL_CHROMIUM"
        if os.environ.get("SHOAL_NEED_BROWSER"):
            pytest.fail(words)
        pytest.skip(words)
    return found


@contextmanager
def fresh(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A visitor that was never here: no cookie, nothing stored, nothing cached; patient with a busy
    machine.
    """
    with browser.new_context(**options) as context:
        context.set_default_timeout(120_000)
        yield context


@contextmanager
def started(folder: Path) -> Iterator[Browser]:
    """A browser that nothing was ever stored in."""
    path = chromium()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=path, headless=True, args=FLAGS, env={**os.environ, "HOME": str(folder)}
        )
        try:
            yield browser
        finally:
            browser.close()
