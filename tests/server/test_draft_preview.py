"""Drafts before they are published, and the link that is shared afterwards."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.polls.samples import polls
from tests.server.asking import hosting
from tests.server.browser import fresh
from tests.server.test_researchers import DRAFT, FARE, GUESTS

from shoal.errors import ExtraError, PollError
from shoal.server import qr_code
from shoal.server.qr_code import qr_svg, qr_text, respondent_link
from shoal.server.respondent_page import preview_file
from shoal.server.server_state import MOST_DRAFTS

LINK = "https://polls.example.org/p/commute-2026"
BODY: dict[str, Any] = {"draft": DRAFT, "guess": "10%", "margin": "5%"}


def test_a_draft_can_be_looked_at_by_the_researcher_and_nothing_is_published(
    tmp_path: Path,
) -> None:
    with hosting(tmp_path) as asker:
        found = asker.unlock().post("/api/preview", BODY).json()
        page = asker.get(found["page"])
        assert page.status_code == 200
        assert "nothing is sent, counted or kept" in page.text
        assert found["mark"] in page.text
        assert list(asker.vault.polls) == []
        asker.cookies.clear()
        assert asker.get(found["page"]).status_code == 401


def test_a_draft_that_nobody_looked_at_lately_is_forgotten(tmp_path: Path) -> None:
    with hosting(tmp_path) as asker:
        asker.unlock()
        pages = [
            asker.post("/api/preview", {**BODY, "draft": {**DRAFT, "title": f"T {n}"}}).json()["page"]
            for n in range(MOST_DRAFTS + 1)
        ]  # fmt: skip
        assert [asker.get(pages[place]).status_code for place in (0, 1, -1)] == [404, 200, 200]


def test_what_was_looked_at_is_published_and_nothing_else(tmp_path: Path) -> None:
    with hosting(tmp_path) as asker:
        mark = asker.unlock().post("/api/preview", BODY).json()["mark"]
        changed = {"draft": {**DRAFT, "title": "Another"}, "mark": mark}
        refused = asker.post("/api/polls", changed)
        assert (refused.status_code, list(asker.vault.polls)) == (400, [])
        assert asker.post("/api/polls", {"draft": DRAFT, "mark": mark}).status_code == 201
        assert asker.vault.poll("secrets").poll.mark == mark


def test_a_form_asks_for_odds_that_can_be_said_and_for_when_they_are_seen(tmp_path: Path) -> None:
    arms = [{"way": "device", "share": 1, "odds": "9"}]
    draft = {**DRAFT, "arms": arms, "show_sent": "before"}
    with hosting(tmp_path) as asker:
        told = asker.unlock().post("/api/preview", {**BODY, "draft": draft}).json()["arms"][0]
        assert told["questions"][0]["few"] == "9 of 10 answers are true."
        assert "epsilon 2.2 (exactly ln(9))" in told["promise"]
        assert asker.post("/api/polls", {"draft": draft}).status_code == 201
        poll = asker.vault.poll("secrets").poll
        assert (poll.arms[0].hidden_ratio, poll.show_sent) == (Fraction(9), "before")
        page = asker.get("/polls/secrets").text
        assert "could choose their answer by it" in page


def test_the_page_of_a_poll_has_its_link_unless_everyone_has_another_one(tmp_path: Path) -> None:
    with hosting(tmp_path, FARE, GUESTS) as asker:
        asker.unlock()
        assert "http://127.0.0.1:8000/p/fare" in asker.get("/polls/fare").text
        assert "Share the link" not in asker.get("/polls/guests").text
        assert asker.get("/api/polls/guests/link.svg").status_code == 400


def test_a_poll_by_invitation_has_no_link_for_everybody() -> None:
    assert respondent_link("https://x.example/", FARE) == "https://x.example/p/fare"
    with pytest.raises(PollError, match="answered by invitation"):
        respondent_link("https://x.example", GUESTS)


def test_without_the_package_a_code_is_refused_and_the_page_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "segno", None)
    monkeypatch.setattr(qr_code, "find_spec", lambda _: None)
    with pytest.raises(ExtraError, match="segno"):
        qr_svg(LINK)
    with hosting(tmp_path, FARE) as asker:
        assert "link.svg" not in asker.unlock().get("/polls/fare").text


def test_a_code_has_its_quiet_zone_and_the_three_finders_the_standard_asks_for() -> None:
    """Each finder is a dark ring of 7 around a dark square of 3; the margin is 4 light modules."""
    pytest.importorskip("segno")
    lines = qr_text(LINK).splitlines()
    both = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}
    rows = [[both[each][half] for each in line] for line in lines for half in (0, 1)]
    size = len(rows[0]) - 8
    assert not any(map(any, rows[:4]))
    assert not any(any(row[:4]) or any(row[-4:]) for row in rows)
    finder = [[1] * 7, *[[1, 0, 0, 0, 0, 0, 1] if n in (0, 4) else [1, 0, 1, 1, 1, 0, 1] for n in range(5)], [1] * 7]  # fmt: skip
    for top, left in ((4, 4), (4, size - 3), (size - 3, 4)):
        assert [row[left : left + 7] for row in rows[top : top + 7]] == finder
    svg = qr_svg(LINK)
    assert svg.startswith("<?xml")
    assert f"<title>{LINK}</title>" in svg


@pytest.mark.parametrize("name", ["simplest", "everything", "designs"])
def test_a_preview_as_a_file_works_without_a_server_and_sends_nothing(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    poll = polls()[name]
    file = tmp_path / "page.html"
    file.write_text(preview_file(poll), encoding="utf-8")
    assert not re.findall(r'(?:src|href)="/', file.read_text())
    with fresh(browser) as context:
        asked = list[str]()
        for place, arm in enumerate(poll.arms):
            page = context.new_page()  # a page that is open already loads itself again
            page.on("request", lambda request: asked.append(request.url))
            page.goto(f"{file.as_uri()}#group-{place}")
            page.get_by_role("button", name="Send").wait_for()
            assert page.locator(".question").count() == len(arm.designs)
            for choices in page.locator(".choices").all():
                choices.get_by_role("radio").first.check()
            for number in page.get_by_role("spinbutton").all():
                number.fill("1")
            page.get_by_role("button", name="Send").click()
            page.get_by_role("heading", name="Thank you").wait_for()
            assert page.locator("#receipt .sent .value").count() == len(arm.designs)
            assert page.evaluate("localStorage.length") == 0
        assert all(each.startswith(("file:", "data:")) for each in asked)
