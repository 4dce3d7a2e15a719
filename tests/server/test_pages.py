"""The respondent's page in every state, with a keyboard, without a network and without scripts; all
of it held by axe.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.polls.samples import VECTORS
from tests.server.accessible import look
from tests.server.browser import fresh
from tests.server.conftest import Running

from shoal.local import crosswise
from shoal.polls import Arm, Poll, PollQuestion, by_device, by_own, directly

FARE = PollQuestion("fare", "Have you ever travelled without a ticket?")
MODE = PollQuestion(
    "mode",
    "How do you come to work?",
    answers=("on foot", "bicycle", "bus", "train", "car", "not at all"),
)
HOURS = PollQuestion(
    "hours", "How many hours a week are you on the way?", range=(0, 40, "0.5"), unit="hours"
)
AGE = PollQuestion("age", "How old are you?", answers=("under 30", "30 to 59", "60 or more"))
INTRO = "We ask commuters in Aldam, once a year."


def one_way(name: str, way: Any, *questions: PollQuestion, **more: Any) -> Poll:
    return Poll(
        name,
        title=f"Commuting: {name}",
        intro=INTRO,
        questions=questions,
        **more,
        arms=[Arm("only", way)],
    )


POLLS = {
    poll.name: poll
    for poll in (
        one_way("device", by_device(odds=3), FARE),
        one_way("foretold", by_device(odds=3), FARE, show_sent="before"),
        one_way("hushed", by_device(odds=3), FARE),
        one_way("retried", by_device(odds=3), FARE),
        one_way("locked", by_device(odds=3), FARE),
        one_way("reloaded", by_device(odds=3), FARE),
        one_way("forgetful", by_device(odds=3), FARE),
        one_way("loud", by_device(epsilon=10), FARE),
        one_way("late", by_device(odds=3), FARE),
        one_way("skipped", by_device(odds=3), FARE, once="invitation"),
        one_way("typed", by_device(odds=3), FARE, HOURS),
        one_way("closing", by_device(odds=3), FARE),
        one_way("invited", by_device(odds=3), FARE, once="invitation"),
        one_way("own", by_own(crosswise("1/4"), instructions="Was your mother born in January, February or March? Say only whether both answers are the same."), FARE),
        one_way("direct", directly(), FARE, AGE),
        Poll("seen", title="Commuting", intro=INTRO, questions=[FARE, MODE, HOURS, AGE], show_sent="before",
             arms=[Arm("all", {"fare": by_device(odds=3), "mode": by_device(odds=2, size=2), "hours": by_device(odds=3), "age": directly()})]),
        Poll("whole", title="Commuting", intro=INTRO, questions=[FARE, MODE, HOURS, AGE],
             arms=[Arm("all", {"fare": by_device(odds=3), "mode": by_device(odds=2, size=2), "hours": by_device(odds=3), "age": directly()})]),
        Poll("arms", title="Arms", questions=[FARE],
             arms=[Arm("a", by_device(odds=3)), Arm("b", by_own(crosswise("1/4"), harmless="Born in spring?")), Arm("c", directly())]),
    )
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _published(running: Running) -> None:
    for poll in POLLS.values():
        running.vault.publish(poll)


@contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    with fresh(browser, **options) as context:
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        yield page
        assert problems == []


def cells(running: Running, name: str) -> dict[str, int]:
    return running.vault.poll(name).cells


def heading(page: Page, words: str) -> None:
    page.get_by_role("heading", name=words).wait_for()


def ready(page: Page) -> Page:
    """The page once it has checked itself and takes answers, which is some time after it was
    loaded.
    """
    page.get_by_role("button", name="Send").wait_for()
    return page


def test_a_browser_answers_once_and_says_so_afterwards(browser: Browser, running: Running) -> None:
    with opened(browser, f"{running.origin}/p/device") as page:
        page.get_by_label("yes").check()
        page.get_by_role("button", name="Send").click()
        heading(page, "Thank you")
        assert page.evaluate("document.activeElement.textContent") == "Thank you"
        assert page.locator("input").count() == 0
        kept = page.evaluate("JSON.stringify(Object.values(localStorage))")
        assert json.loads(json.loads(kept)[0]) == {"sent": True}
        page.reload()
        heading(page, "You have answered already")
    assert sum(cells(running, "device").values()) == 1


def test_chance_is_drawn_once_whatever_is_chosen_and_however_often_the_page_is_loaded(
    browser: Browser, running: Running
) -> None:
    seen = set()
    with opened(browser, f"{running.origin}/p/seen") as page:
        for turn in range(6):
            if turn % 3 == 2:
                page.reload()
            for answer in ("no", "yes"):
                page.get_by_label(answer, exact=True).check()
            for answer in ("on foot", "car", "bus"):
                page.get_by_label(answer, exact=True).check()
            page.get_by_role("spinbutton").fill("7.5")
            seen.add(tuple(page.locator(".sent .value").all_text_contents()))
    assert len(seen) == 1


def test_what_is_sent_is_shown_after_sending_and_not_before(
    browser: Browser, running: Running
) -> None:
    """Whoever saw it before could choose the answer by it; neither answer may change the words."""
    with opened(browser, f"{running.origin}/p/hushed") as page:
        for answer in ("no", "yes", "no"):
            page.get_by_label(answer, exact=True).check()
            assert page.locator(".sent .value").text_content() == "chance decides"
            assert page.get_by_text(f"Of 100 people who answer “{answer}”, about 75 send “{answer}”").is_visible()  # fmt: skip
            assert page.locator("figcaption span").count() == 2
            assert page.get_by_text("proves little").count() == 0
        bodies: list[str | None] = []
        page.on("request", lambda asked: bodies.append(asked.post_data))
        page.get_by_role("button", name="Send").click()
        heading(page, "Thank you")
        kept, sent = (page.locator(f"#receipt .{kind} .value").text_content() for kind in ("kept", "sent"))  # fmt: skip
        assert kept == "no"
        assert json.loads(bodies[0] or "")["report"] == ("00" if sent == "no" else "01")
        assert page.get_by_text(f"Why “{sent}” proves little.").is_visible()
        assert json.loads(page.evaluate("Object.values(localStorage)[0]")) == {"sent": True}


def test_a_poll_whose_design_says_so_shows_before_sending_what_will_be_sent(
    browser: Browser, running: Running
) -> None:
    with opened(browser, f"{running.origin}/p/foretold") as page:
        page.get_by_label("yes").check()
        foretold = page.locator(".sent .value").text_content()
        assert foretold in {"no", "yes"}
        page.get_by_role("button", name="Send").click()
        heading(page, "Thank you")
        assert page.locator("#receipt .sent .value").text_content() == foretold
    assert cells(running, "foretold") == {"00" if foretold == "no" else "01": 1}


def test_a_report_that_is_sent_after_the_page_was_loaded_again_is_shown_without_the_answer(
    browser: Browser, running: Running
) -> None:
    with opened(browser, f"{running.origin}/p/reloaded") as page:
        page.route("**/reports", lambda route: route.abort())
        page.get_by_label("yes").check()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("Nothing is lost").wait_for()
        page.unroute("**/reports")
        page.reload()
        page.get_by_role("button", name="Try again").click()
        heading(page, "Thank you")
        assert page.locator("#receipt .sent .value").text_content() in {"no", "yes"}
        assert page.locator("#receipt .kept").count() == 0


def test_without_a_network_nothing_is_lost_and_trying_again_sends_it(
    browser: Browser, running: Running
) -> None:
    with opened(browser, f"{running.origin}/p/retried") as page:
        page.context.set_offline(True)
        page.get_by_label("no", exact=True).check()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("Nothing is lost").wait_for()
        assert page.locator(".sent .value").text_content() == "chance decides"
        assert cells(running, "retried") == {}
        page.context.set_offline(False)
        page.get_by_role("button", name="Try again").click()
        heading(page, "Thank you")
        shown = page.locator("#receipt .sent .value").text_content()
    assert cells(running, "retried") == {"00" if shown == "no" else "01": 1}


def test_a_report_whose_answer_was_lost_is_not_counted_twice(
    browser: Browser, running: Running
) -> None:
    """The server counts, the connection breaks before it can say so, and the respondent tries
    again.
    """
    before = cells(running, "arms")
    with opened(browser, f"{running.origin}/p/arms") as page:
        page.locator("input[type=radio]").first.check()

        def broken(route: Any) -> None:
            route.fetch()
            route.abort()

        page.route("**/reports", broken)
        page.get_by_role("button", name="Send").click()
        page.get_by_text("Nothing is lost").wait_for()
        page.unroute("**/reports")
        page.get_by_role("button", name="Try again").click()
        heading(page, "You have answered already")
    assert sum(cells(running, "arms").values()) == sum(before.values()) + 1


def test_after_a_first_try_the_answers_are_locked_and_the_same_report_is_sent(
    browser: Browser, running: Running
) -> None:
    """Two reports from one draw would tell more than one; so the first stays, through changes and
    reloads.
    """
    bodies: list[str | None] = []
    with opened(browser, f"{running.origin}/p/locked") as page:
        page.on(
            "request",
            lambda asked: bodies.append(asked.post_data) if asked.method == "POST" else None,
        )
        page.route("**/reports", lambda route: route.abort())
        page.get_by_label("yes").check()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("your answers cannot be changed any more").wait_for()
        assert page.locator("input:enabled").count() == 0
        page.get_by_role("button", name="Try again").click()
        page.reload()
        page.get_by_text("You have pressed “Send” before").wait_for()
        assert page.get_by_label("yes").is_hidden()
        kept = page.evaluate("JSON.parse(Object.values(localStorage)[0])")
        assert set(kept) == {
            "once",
            "arm",
            "report",
        }  # with what was drawn it would tell the answer
        page.unroute("**/reports")
        page.get_by_role("button", name="Try again").click()
        heading(page, "Thank you")
    assert len(bodies) >= 2
    assert len(set(bodies)) == 1
    assert sum(cells(running, "locked").values()) == 1


def test_a_second_window_sends_what_the_first_one_tried(browser: Browser, running: Running) -> None:
    with opened(browser, f"{running.origin}/p/direct") as page:
        second = page.context.new_page()
        second.goto(page.url)
        bodies: list[str | None] = []

        def lost(route: Any) -> None:
            bodies.append(route.request.post_data)
            route.abort()

        for window, answer in ((page, "yes"), (second, "no")):
            window.route("**/reports", lost)
            window.get_by_label(answer, exact=True).check()
            window.get_by_label("60 or more").check()
            window.get_by_role("button", name="Send").click()
            if window is second:
                window.get_by_text("You have pressed “Send” before").wait_for()
                assert window.get_by_text("will be sent as it is").first.is_hidden()
                window.get_by_role("button", name="Try again").click()
            window.get_by_text("Nothing is lost").wait_for()
    assert len(bodies) == 2
    assert len(set(bodies)) == 1


@pytest.mark.parametrize("broken", ["throw new Error('full')", ""])
def test_a_browser_that_keeps_nothing_is_told_to_answer_once(
    browser: Browser, running: Running, broken: str
) -> None:
    words = "This browser keeps nothing."
    with opened(browser, f"{running.origin}/p/forgetful") as page:
        page.get_by_role("button", name="Send").wait_for()
        assert page.get_by_text(words).is_hidden()
    with fresh(browser) as context:
        context.add_init_script(f"Storage.prototype.setItem = function () {{ {broken} }}")
        page = context.new_page()
        page.goto(f"{running.origin}/p/forgetful")
        page.get_by_text(words).wait_for()
        page.get_by_label("yes").check()
        page.get_by_role("button", name="Send").click()
        heading(page, "Thank you")


def test_a_report_that_tells_a_lot_says_so(browser: Browser, running: Running) -> None:
    with opened(browser, f"{running.origin}/p/loud") as page:
        page.get_by_label("yes").check()
        assert page.get_by_text("all but about 1 time in 22,0").is_visible()
        assert page.get_by_text("all but about 1 of 22,0").first.is_visible()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("This tells a lot about you.").wait_for()
        assert page.get_by_text("proves little").count() == 0


def test_the_link_to_the_content_leaves_the_invitation_as_it_is(
    browser: Browser, running: Running
) -> None:
    one, two = running.vault.poll("skipped").invite(2)
    with opened(browser, f"{running.origin}/p/skipped#{one}") as page:
        page.get_by_label("yes").check()
        page.locator(".skip").focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        assert page.url.endswith(f"#{one}")
        page.evaluate("location.hash = 'how'")
        assert page.get_by_label("yes").is_checked()
        page.get_by_role("button", name="Send").click()
        heading(page, "Thank you")
        stored = page.evaluate("JSON.stringify(Object.entries(localStorage))")
        assert one not in stored
        page.evaluate(f"location.hash = '{two}'")
        page.get_by_role("button", name="Send").wait_for()
        assert two not in page.evaluate("JSON.stringify(Object.entries(localStorage))")
    assert sum(cells(running, "skipped").values()) == 1


def test_a_page_whose_definition_does_not_fit_its_mark_does_not_start(
    browser: Browser, running: Running
) -> None:
    with opened(browser, f"{running.origin}/p/device") as page:
        page.get_by_text("How this works").click()
        assert page.get_by_text("and it fits").is_visible()
    with fresh(browser) as context:
        page = context.new_page()
        address = f"{running.origin}/p/device"
        page.route(
            address,
            lambda route: route.fulfill(
                response=(told := route.fetch()),
                body=told.text().replace('"same":"3"', '"same":"30"'),
            ),
        )
        page.goto(address)
        heading(page, "This page is not as it was written")
        assert page.get_by_role("button", name="Send").count() == 0
        assert page.evaluate("localStorage.length") == 0


@pytest.mark.parametrize("status", [403, 404, 409, 410, 500, 502])
def test_a_server_that_refuses_for_reasons_of_its_own_is_not_blamed_on_the_respondent(
    browser: Browser, running: Running, status: int
) -> None:
    with opened(browser, f"{running.origin}/p/whole") as page:
        page.route("**/reports", lambda route: route.fulfill(status=status, body="<p>proxy"))
        for choices in page.locator(".choices").all():
            choices.get_by_role("radio").first.check()
        page.get_by_role("spinbutton").fill("1")
        page.get_by_role("button", name="Send").click()
        page.get_by_text("could not take your answer just now").wait_for()


def test_a_poll_that_closes_while_one_answers_says_so(browser: Browser, running: Running) -> None:
    handle = running.vault.poll("closing")
    with opened(browser, f"{running.origin}/p/closing") as page:
        page.get_by_label("yes").check()
        handle.close()
        page.get_by_role("button", name="Send").click()
        heading(page, "This poll is closed")
        page.reload()
        heading(page, "This poll is closed")
    assert cells(running, "closing") == {}


def test_a_report_that_came_too_late_is_said_to_have_come_and_no_other_is_ever_sent(
    browser: Browser, running: Running
) -> None:
    handle = running.vault.poll("late")
    with opened(browser, f"{running.origin}/p/late") as page:
        page.get_by_label("yes").check()
        handle.close()
        page.get_by_role("button", name="Send").click()
        page.get_by_text("reached the server and was not counted").first.wait_for()
        shown = page.locator("#receipt .sent .value").text_content()
        handle.reopen()
        page.reload()
        page.get_by_role("button", name="Try again").click()
        heading(page, "Thank you")
    assert cells(running, "late") == {"00" if shown == "no" else "01": 1}


def test_an_invitation_counts_once_and_anything_else_is_a_bad_link(
    browser: Browser, running: Running
) -> None:
    token = running.vault.poll("invited").invite(1)[0]
    asked: list[str] = []
    for ending in ("", "#", "#1234", f"#{token.upper()}" if token.upper() != token else "#x"):
        with opened(browser, f"{running.origin}/p/invited{ending}") as page:
            heading(page, "This link does not work")
    for number, words in (
        (("f" * 32), "This link does not work"),
        (token, "Thank you"),
        (token, "You have answered already"),
    ):
        with opened(browser, f"{running.origin}/p/invited#{number}") as page:
            page.on("request", lambda request: asked.append(request.url))
            page.get_by_label("yes").check()
            page.get_by_role("button", name="Send").click()
            heading(page, words)
    assert sum(cells(running, "invited").values()) == 1
    assert not any(token in address for address in asked)


def test_the_page_is_answered_with_the_keyboard_alone(browser: Browser, running: Running) -> None:
    with opened(browser, f"{running.origin}/p/typed") as page:
        press = ready(page).keyboard.press
        press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        press("Tab")
        press("Space")
        press("ArrowDown")
        assert page.locator(".kept .value").all_text_contents() == ["yes"]
        press("Tab")
        page.keyboard.type("12.5")
        assert page.locator(".kept .value").all_text_contents() == ["yes", "12.5"]
        press("Enter")
        heading(page, "Thank you")
    assert sum(cells(running, "typed").values()) == 1


def test_what_is_missing_or_out_of_range_is_said_where_it_is(
    browser: Browser, running: Running
) -> None:
    with opened(browser, f"{running.origin}/p/typed") as page:
        page.get_by_role("button", name="Send").click()
        assert page.get_by_text("Please choose an answer.").is_visible()
        assert page.evaluate("document.activeElement.type") == "radio"
        page.get_by_label("no", exact=True).check()
        for wrong in ("41", "-1", "0.3", ""):
            page.get_by_role("spinbutton").fill(wrong)
            page.get_by_role("button", name="Send").click()
            assert page.get_by_text("Please enter a number in this range.").is_visible()
            assert page.locator(".sent .value").count() == 1  # of the other question
    assert sum(cells(running, "typed").values()) <= 1


def test_dice_of_ones_own_ask_for_the_reply_and_never_for_the_answer(
    browser: Browser, running: Running
) -> None:
    with opened(browser, f"{running.origin}/p/own") as page:
        assert ready(page).locator(".choice").all_text_contents() == ["different", "same"]
        assert page.get_by_text("Was your mother born in January").is_visible()
        page.get_by_label("same").check()
        assert page.locator(".kept .value").text_content() == "only you know it"


def test_a_direct_question_says_loudly_that_it_is_sent(browser: Browser, running: Running) -> None:
    with opened(browser, f"{running.origin}/p/direct") as page:
        assert ready(page).get_by_text("This answer is not randomised.").count() == 2
        page.get_by_label("60 or more").check()
        assert page.get_by_text("“60 or more” will be sent as it is.").is_visible()


def test_without_scripts_the_page_says_why_it_needs_them(
    browser: Browser, running: Running
) -> None:
    with opened(browser, f"{running.origin}/p/device", java_script_enabled=False) as page:
        page.get_by_text("This page needs JavaScript.").wait_for()
        assert not page.get_by_role("button", name="Send").is_visible()


@pytest.mark.parametrize("file", ["client.js", "respond.js"])
def test_a_script_that_was_changed_on_the_way_does_not_run(
    browser: Browser, running: Running, file: str
) -> None:
    with fresh(browser) as context:
        page = context.new_page()
        page.route(
            f"**/static/{file}",
            lambda route: route.fulfill(
                response=(told := route.fetch()), body=told.text() + "\n// changed"
            ),
        )
        page.goto(f"{running.origin}/p/device")
        page.get_by_text("your browser has refused to run them").wait_for()
        assert not page.get_by_role("button", name="Send").is_visible()


def test_the_arm_is_drawn_with_the_shares(browser: Browser, running: Running) -> None:
    """Three arms of equal shares: of 60 fresh browsers none is left out, but by a chance below
    10^-9.
    """
    with opened(browser, f"{running.origin}/p/arms") as page:
        found = page.evaluate(
            """async () => {
                const { draw } = await import("/static/client.js");
                const poll = JSON.parse(document.getElementById("definition").textContent);
                return Array.from({ length: 60 }, () => draw(poll).arm);
            }"""
        )
    assert set(found) == {0, 1, 2}


def test_the_browser_makes_the_same_reports_as_python_bit_for_bit(
    browser: Browser, running: Running
) -> None:
    with opened(browser, f"{running.origin}/p/device") as page:
        wrong = page.evaluate(
            """async (vectors) => {
                const { draw, reportText } = await import("/static/client.js");
                let wrong = 0;
                for (const { poll, cases } of vectors) for (const { bytes, answers, arm, report } of cases) {
                    const held = Uint8Array.from(bytes.match(/../g) ?? [], (two) => parseInt(two, 16));
                    let at = 0;
                    const drawn = draw(poll, (count) => held.subarray(at, (at += count)));
                    wrong += poll.arms[drawn.arm].name !== arm || reportText(poll, drawn, answers) !== report || at !== held.length;
                }
                return wrong;
            }""",
            json.loads(VECTORS.read_text()),
        )
    assert wrong == 0


def test_every_state_of_the_page_is_accessible(
    browser: Browser, running: Running, tmp_path: Path
) -> None:
    found = []
    with opened(browser, f"{running.origin}/p/whole") as page:
        found += look(ready(page), "respondent-first", tmp_path)
        page.get_by_label("yes").check()
        page.get_by_label("bus").check()
        page.get_by_role("spinbutton").fill("7.5")
        page.get_by_label("30 to 59").check()
        page.get_by_text("How this works").click()
        found += look(page, "respondent-ready", tmp_path)
        page.get_by_role("button", name="Send").click()
        heading(page, "Thank you")
        found += look(page, "respondent-thanks", tmp_path)
    with opened(browser, f"{running.origin}/p/foretold") as page:
        page.get_by_label("yes").check()
        found += look(page, "respondent-before", tmp_path)
    for path, name in (("/p/own", "own"), ("/p/direct", "direct")):
        with opened(browser, running.origin + path) as page:
            for radio in ready(page).locator(".choices").all():
                radio.get_by_role("radio").last.check()
            page.context.set_offline(True)
            page.get_by_role("button", name="Send").click()
            page.get_by_text("Nothing is lost").wait_for()
            found += look(page, f"respondent-{name}", tmp_path)
    for path, name, words in (
        ("/p/none", "none", "There is no poll here"),
        ("/p/invited", "link", "This link does not work"),
        ("/", "key", "This part is for the researcher"),
    ):
        with opened(browser, running.origin + path) as page:
            heading(page, words)
            found += look(page, f"respondent-{name}", tmp_path)
    assert found == []
