"""A hospital's office in a real browser: the owner invites people, an analyst asks and requests, a
steward approves, an auditor verifies, and the public reads what was published.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.server.accessible import look
from tests.server.browser import fresh
from tests.server.conftest import Running
from tests.vault.office import FACTS, UNIT, write

import shoal
from shoal.server.address import sign_in_link

pytestmark = pytest.mark.slow
expect.set_options(timeout=120_000)  # patient with a busy machine
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
"""What somebody may type into every field; it must be shown as it is."""


@contextmanager
def signed_in(browser: Browser, link: str) -> Iterator[Page]:
    """A browser whose person opened a one-time link; whatever its pages complain about is a fault."""
    said: list[str] = []
    with fresh(browser) as context:
        page = context.new_page()
        page.on("dialog", lambda each: said.append(f"dialog: {each.message}"))
        page.on("pageerror", lambda each: said.append(f"error: {each}"))
        page.on(
            "console",
            lambda each: said.append(each.text) if "Content Security" in each.text else None,
        )
        page.goto(link)
        assert "#" not in page.url
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
        yield page
        assert said == []


def to(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
    page.wait_for_load_state()


def invited(page: Page, name: str, role: str, dataset: str = "", allowance: str = "") -> str:
    """Give somebody a role, and make a one-time link for them."""
    to(page, "People")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Role", exact=True).select_option(role)
    page.get_by_label("Dataset").select_option(dataset)
    page.get_by_label("Allowance").fill(allowance)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text(f"{role} of {dataset or 'everything'}").first).to_be_visible()
    to(page, "Tokens")
    page.get_by_label("For", exact=True).select_option(name)
    page.get_by_label("Kind").select_option("link")
    page.get_by_role("button", name="Make").click()
    return page.get_by_label("Shown now").input_value()


@dataclass
class Hospital:
    """The story so far: a running office, and what axe found on its pages."""

    browser: Browser
    running: Running
    folder: Path
    found: list[str] = field(default_factory=list)

    def look(self, page: Page, name: str) -> None:
        self.found += look(page, f"console-{name}", self.folder)

    def link(self, name: str) -> str:
        token = self.running.vault.people.token(name, once=True, days=1)
        return sign_in_link(self.running.origin, token)

    def at(self, path: str) -> str:
        return f"{self.running.origin}/office/{path}"

    def the_owner_invites(self) -> dict[str, str]:
        with signed_in(self.browser, self.link("olga")) as page:
            links = {
                "ana": invited(page, "ana", "analyst", "visits", "1"),
                "ben": invited(page, "ben", "analyst", "stays", "0.5"),
                "stu": invited(page, "stu", "steward", "visits"),
                "aud": invited(page, "aud", "auditor"),
            }
            self.look(page, "tokens")
            to(page, "People")
            self.look(page, "people")
        return links

    def the_analyst_previews(self, page: Page) -> None:
        to(page, "Ask")
        page.get_by_label("What", exact=True).select_option("avg")
        page.get_by_label("of column").select_option("spend")
        page.get_by_label("For each").select_option("kind")
        page.get_by_role("button", name="Write the SQL").click()
        preview = page.locator("#preview")
        expect(preview).to_contain_text("It costs epsilon 0.1")
        slider = page.get_by_label("Epsilon to spend, in steps")
        expect(slider).to_be_visible()  # the page's script shows it; hidden, it takes no keys
        slider.focus()
        page.keyboard.press("ArrowRight")  # the slider, by the keyboard
        page.keyboard.press("ArrowRight")
        expect(preview).to_contain_text("It costs epsilon 0.5")
        expect(page.get_by_label("Epsilon to spend", exact=True)).to_have_value("0.5")
        page.get_by_role("button", name="Try on made-up rows").click()
        expect(page.get_by_text("These numbers are about nobody")).to_be_visible()
        self.look(page, "ask")
        page.get_by_label("Question in SQL").fill("SELECT COUNT(*) AS n, SUM(spendd) FROM visits")
        expect(preview).to_contain_text("Did you mean spend?")
        expect(preview.locator("pre")).to_contain_text("^")

    def the_analyst_asks(self, page: Page) -> None:
        question = "SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind"
        page.get_by_label("Question in SQL").fill(question)
        page.get_by_role("button", name="Release…").click()
        expect(page.get_by_text("What is spent cannot be taken back.")).to_be_visible()
        self.look(page, "confirm")
        page.get_by_role("button", name="Release for epsilon 0.5").click()
        page.wait_for_url("**/office/releases/1")
        drawn = page.locator("img.picture")
        assert drawn.evaluate("each => each.decode().then(() => each.naturalWidth > 0)")
        self.look(page, "release")
        to(page, "Home")
        expect(page.get_by_text("Enough for 1 more question like the last one")).to_be_visible()
        self.look(page, "home")

    def the_analyst_requests(self, page: Page) -> None:
        page.goto(self.at("ask?again=1"))
        page.get_by_label("Epsilon to spend", exact=True).fill("0.6")
        page.get_by_role("button", name="Release…").click()  # beyond what is left
        expect(page.get_by_text("This is more than you have left.")).to_be_visible()
        expect(page.get_by_role("button", name="Release for")).to_have_count(0)
        page.get_by_label("What is the answer for?").fill(SCRIPT)
        self.look(page, "refused")
        page.get_by_role("button", name="Request approval").click()
        expect(page.get_by_text(SCRIPT)).to_be_visible()

    def another_analyst_sees_nothing(self, page: Page) -> None:
        for path in ("releases/1", "budgets/visits", "releases/1/chart.svg"):
            answer = page.goto(self.at(path))
            assert answer is not None
            assert answer.status == 404, path

    def the_steward_approves(self, page: Page) -> None:
        page.get_by_role("link", name="1 request waits").click()
        expect(page.get_by_text("For one person, by itself: a suspicion of 50 %")).to_be_visible()
        self.look(page, "requests")
        page.get_by_text("What ana asked before (1)").click()
        expect(page.get_by_role("link", name="Release 1")).to_be_visible()
        page.get_by_label("A word to ana").fill(SCRIPT)
        page.get_by_role("button", name="Approve request 1").click()
        expect(page.get_by_text("approved", exact=True)).to_be_visible()

    def the_analyst_releases(self, page: Page) -> None:
        to(page, "Requests")
        expect(page.get_by_text(SCRIPT)).to_have_count(2)
        page.get_by_role("button", name="Release for epsilon 0.6").click()
        page.wait_for_url("**/office/releases/2")

    def the_auditor_verifies(self, page: Page) -> None:
        to(page, "Log")
        page.get_by_role("button", name="Verify now").click()
        expect(page.get_by_text("The journal is sound")).to_be_visible()
        self.look(page, "log")
        page.get_by_role("link", name="Release 2").click()
        expect(page.get_by_text("and not the answer")).to_be_visible()
        assert page.locator("table").count() == 0

    def the_owner_publishes(self, page: Page) -> None:
        page.goto(self.at("budgets/visits"))
        self.look(page, "budget")
        page.goto(self.at("releases/2"))
        page.get_by_label("Title").fill(f"Visits in 2026 {SCRIPT}")
        page.get_by_role("button", name="Publish").click()
        expect(page.get_by_role("button", name="Publish it no longer")).to_be_visible()
        page.locator("summary", has_text="olga").click()
        page.get_by_role("button", name="Sign out everywhere").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()

    def everybody_reads(self) -> None:
        with fresh(self.browser) as context:
            page = context.new_page()
            page.goto(self.at(""))  # nobody
            self.look(page, "sign-in")
            page.get_by_role("link", name="published releases").click()
            expect(page.get_by_role("link", name="Visits in 2026")).to_be_visible()
            self.look(page, "gallery")
            page.get_by_role("link", name="Visits in 2026").click()
            expect(page.get_by_text("How to cite")).to_be_visible()
            expect(page.get_by_text("asked by")).to_have_count(0)
            self.look(page, "published")


def test_a_hospital_works_in_the_browser(
    browser: Browser, running: Running, tmp_path: Path
) -> None:
    vault, place = running.vault, write(running.folder)
    vault.add("visits", place, protects=UNIT, columns=FACTS, budget=shoal.Pure(4))
    vault.add("stays", place, protects=UNIT, columns=FACTS, budget=shoal.Pure(1))
    vault.people.add("olga", role="owner")
    story = Hospital(browser, running, tmp_path)
    links = story.the_owner_invites()
    with signed_in(browser, links["ana"]) as page:
        story.the_analyst_previews(page)
        story.the_analyst_asks(page)
        story.the_analyst_requests(page)
    with signed_in(browser, links["ben"]) as page:
        story.another_analyst_sees_nothing(page)
    with signed_in(browser, links["stu"]) as page:
        story.the_steward_approves(page)
    with signed_in(browser, story.link("ana")) as page:
        story.the_analyst_releases(page)
    with signed_in(browser, links["aud"]) as page:
        story.the_auditor_verifies(page)
    with signed_in(browser, story.link("olga")) as page:
        story.the_owner_publishes(page)
    story.everybody_reads()
    assert vault.verify().is_sound
    assert story.found == []
