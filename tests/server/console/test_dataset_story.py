"""An owner keeps the data of an office in a real browser: registers a file, changes a declaration
after a review, declares a new version, and looks at what the declaration cuts off.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.accessible import look
from tests.server.console.test_console_story import SCRIPT, signed_in, to
from tests.server.office.running import office_in_thread
from tests.vault.office import office, rows, write

import shoal
from shoal.plan import Choices, Range
from shoal.server.address import sign_in_link
from shoal.vault import Vault

pytestmark = pytest.mark.slow


class Keeping:
    """What the owner does, page by page, and what axe found on them."""

    def __init__(self, page: Page, vault: Vault, folder: Path) -> None:
        self.page, self.vault, self.folder = page, vault, folder
        self.found: list[str] = []

    def look(self, name: str) -> None:
        self.found += look(self.page, f"console-{name}", self.folder)
        self.page.set_viewport_size({"width": 1280, "height": 900})

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()
        self.page.wait_for_load_state()

    def registers(self) -> None:
        page = self.page
        to(page, "Data")
        self.look("data")
        page.get_by_role("link", name="Register a dataset").click()
        page.get_by_label("File").select_option("stays.csv")
        self.look("register-file")
        self.press("Write a declaration")
        text = page.get_by_label("Text")
        assert 'name = "stays"' in text.input_value()
        page.get_by_label("Groups that a person counts in").fill("2")
        page.get_by_label("Rows in each group").fill("3")
        page.get_by_label("Privacy budget").fill("2,1e-7")
        page.get_by_label("Column", exact=True).select_option("spend")
        page.get_by_label("Known is").select_option("range")
        page.get_by_label("Lowest value").fill("0")
        page.get_by_label("Highest value").fill("500")
        self.press("Write it into the text")
        assert 'range = ["0", "500"]' in text.input_value()
        assert "delta" in text.input_value()
        page.get_by_label("Column", exact=True).select_option("kind")
        expect(page.get_by_label("Lowest value")).to_have_value("")  # that of the other column
        page.get_by_label("Known is").select_option("choices")
        page.get_by_label("All values").fill(f"work\nleisure\n{SCRIPT}")
        self.press("Write it into the text")
        self.look("register")
        self.press("Review it")
        expect(page.get_by_text("A new budget is opened")).to_be_visible()
        expect(page.get_by_text(SCRIPT)).to_be_visible()
        self.look("register-review")
        assert "stays" not in self.vault.datasets
        self.press("Save")
        expect(page.get_by_role("heading", name="Declaration of stays")).to_be_visible()
        made = {each.name: each.fact for each in self.vault.dataset("stays").columns}
        assert made["spend"] == Range(0, 500)
        assert made["kind"] == Choices(["work", "leisure", SCRIPT])

    def changes(self) -> None:
        page = self.page
        to(page, "Data")
        page.get_by_role("link", name="Declaration of visits").click()
        self.look("dataset")
        text = page.get_by_label("Text")
        text.fill(text.input_value().replace('range = ["0", "500"]', "range = [0"))
        self.press("Review the change")
        expect(page.get_by_role("alert")).to_contain_text("is not TOML")
        assert "range = [0" in text.input_value()  # what was typed is still there
        self.look("dataset-refused")
        text.fill(text.input_value().replace("range = [0", 'range = ["0", "400"]'))
        self.press("Review the change")
        expect(page.get_by_text("from 0 to 400; before, real, from 0 to 500")).to_be_visible()
        expect(page.locator("ins")).to_have_text('+range = ["0", "400"]')
        expect(page.locator("del")).to_have_text('−range = ["0", "500"]')
        self.look("dataset-review")
        before = self.vault.dataset("visits").entry
        self.press("Save")
        expect(page.get_by_role("heading", name="Declaration of visits")).to_be_visible()
        after = self.vault.dataset("visits")
        assert after.entry > before
        assert {each.name: each.fact for each in after.columns}["spend"] == Range(0, 400)

    def declares_a_version(self) -> None:
        page = self.page
        page.get_by_label("New people: nobody is in both").check()
        page.get_by_label("File", exact=True).select_option("later/visits.parquet")
        self.press("Review the new version")
        expect(page.get_by_role("alert")).to_contain_text("New people need a budget")
        expect(page.get_by_label("File", exact=True)).to_have_value("later/visits.parquet")
        expect(page.get_by_label("New people: nobody is in both")).to_be_checked()
        page.get_by_label("Budget, for new people only").fill("3")
        self.press("Review the new version")
        expect(page.get_by_text("Version 2 of the data: new people.")).to_be_visible()
        expect(page.get_by_text("The rows are read from another 'visits.parquet'.")).to_be_visible()
        self.look("dataset-version")
        self.press("Save")
        expect(page.get_by_text("Version 2 (new people)")).to_be_visible()
        assert self.vault.budget("visits").whole == shoal.Pure(3)

    def checks(self) -> None:
        self.press("Show the exact numbers")
        expect(self.page.get_by_role("alert")).to_contain_text("Not private")
        expect(self.page.get_by_text("visits: 100 rows")).to_be_visible()
        self.look("dataset-check")


def test_an_owner_keeps_the_data_in_the_browser(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "later").mkdir(parents=True)
    write(data, "stays.csv", rows(60, first=70_000))
    write(data / "later", table=rows(50, first=90_000))
    with office(data, shoal.Pure(2), place=str(tmp_path / "office.shoal")) as vault:
        vault.people.add("olga", role="owner")
        with office_in_thread(vault, data=data) as origin:
            link = sign_in_link(origin, vault.people.token("olga", once=True, days=1))
            with signed_in(browser, link) as page:
                keeping = Keeping(page, vault, tmp_path)
                keeping.registers()
                keeping.changes()
                keeping.declares_a_version()
                keeping.checks()
        assert vault.verify().is_sound
    assert keeping.found == []
