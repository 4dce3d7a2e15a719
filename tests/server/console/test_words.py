"""SQL in the page *Ask* is coloured and completed, by the keyboard too."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.server.accessible import look
from tests.server.browser import fresh
from tests.server.office.desk import desk_with_everybody
from tests.server.office.running import office_in_thread

from shoal.server.address import sign_in_link
from shoal.vault import Vault
from shoal.vault.words_to_type import ONE_COLUMN, TWO_COLUMNS, words_for

expect.set_options(timeout=120_000)


def test_every_aggregate_that_is_offered_is_answered(tmp_path: Path) -> None:
    with desk_with_everybody(tmp_path).vault as vault:
        for name in ONE_COLUMN:
            vault.sql(f"SELECT {name}(spend) AS x FROM visits").preview(epsilon="0.1")
        for name in TWO_COLUMNS:
            vault.sql(f"SELECT {name}(spend, spend) AS x FROM visits").preview(epsilon="0.1")


def test_words_are_those_of_what_somebody_may_look_at(tmp_path: Path) -> None:
    def told(vault: Vault, role: str) -> dict[str, list[str]]:
        token = vault.people.token(role)
        return vault.enter(token).words()

    with desk_with_everybody(tmp_path).vault as vault:
        found = told(vault, "analyst")
        assert found["tables"] == ["towns", "visits"]
        assert {"kind", "spend", "user_id", "region"} <= set(found["columns"])
        assert found == words_for(vault.datasets.values())
        vault.people.add("ana", role="steward", dataset="visits")
        assert told(vault, "ana")["tables"] == ["towns", "visits"]


@pytest.mark.slow
def test_words_are_completed_by_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    said: list[str] = []
    desk = desk_with_everybody(tmp_path)
    with desk.vault as vault, office_in_thread(vault) as origin, fresh(browser) as context:
        page = context.new_page()
        page.on("pageerror", lambda each: said.append(str(each)))
        page.goto(sign_in_link(origin, vault.people.token("analyst", days=1, once=True)))
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Welcome").wait_for()
        page.goto(f"{origin}/office/ask")
        field = page.get_by_label("Question in SQL")
        field.press_sequentially("SELECT COUNT(*) AS n FROM vis")
        offered = page.get_by_label("Words that fit")
        option = page.get_by_role("option", name="visits dataset")
        expect(option).to_be_visible()
        expect(page.locator("#preview")).to_contain_text("'vis'")  # no preview is on the way
        assert look(page, "ask-words", tmp_path) == []
        field.press("ArrowDown")
        expect(option).to_have_attribute("aria-selected", "true")
        assert field.get_attribute("aria-activedescendant") == option.get_attribute("id")
        field.press("Enter")
        expect(field).to_have_value("SELECT COUNT(*) AS n FROM visits")
        expect(offered).to_be_hidden()
        expect(page.locator("#preview")).to_contain_text("epsilon")  # the preview follows
        field.press_sequentially(" WHERE sp")
        page.get_by_role("option", name="spend column").click()
        expect(field).to_have_value("SELECT COUNT(*) AS n FROM visits WHERE spend")
        field.press_sequentially(" > 3 -- <b>note</b>\nAND ki")
        field.press("Escape")
        expect(offered).to_be_hidden()
        colours = page.locator("pre.colours")
        assert colours.text_content() == field.input_value() + "\n"
        assert colours.locator(".sql-comment").text_content() == "-- <b>note</b>"
        assert "SELECT" in colours.locator(".sql-keyword").all_text_contents()
        field.press("n")
        field.press("Tab")  # nobody is held in the field
        expect(field).not_to_be_focused()
        assert said == []
