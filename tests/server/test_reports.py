"""Pages of reports and certificates are held to what every page is, and print."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.server.accessible import look
from tests.vault.office import BY_KIND, COUNT, FACTS, office

import shoal
from shoal.page import Page
from shoal.vault.certificate_page import certificate_page


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """A report of two releases with a near-empty group, the account, and a certificate."""
    columns = {**FACTS, "kind": shoal.Choices(["work", "leisure", "rare"])}
    vault = office(tmp_path_factory.mktemp("office"), shoal.Pure(2), columns=columns)
    vault.grant("ana", "visits", shoal.Pure(1))
    vault.sql(BY_KIND).release(epsilon="0.5")
    vault.as_("ana").sql(COUNT).release(epsilon="0.25")
    words: dict[str, Any] = {
        "headings": ["By kind", "All"],
        "notes": ["Half of them.", "All of them."],
    }
    return {
        "report": vault.report(1, 2, title="Visits in 2026", **words),
        "account": vault.account_report("visits"),
        "certificate": certificate_page(vault.show(1).certificate),
    }


@pytest.mark.parametrize("name", ["report", "account", "certificate"])
def test_a_page_has_no_violation_fits_a_phone_and_prints(
    name: str, pages: dict[str, Page], browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / f"{name}.html"
    file.write_text(pages[name].html(), encoding="utf-8")
    shown = browser.new_page()
    shown.goto(file.as_uri())
    assert look(shown, name, tmp_path) == []
    shown.emulate_media(media="print", color_scheme="dark")
    paper = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    shown.emulate_media(media="screen", color_scheme="light")
    printed = shown.pdf(format="A4")
    shown.close()
    assert printed.startswith(b"%PDF")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 12
