"""The researcher's pages in a real browser: designing, watching, inviting, closing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.server.accessible import look
from tests.server.browser import fresh
from tests.server.conftest import Running

from shoal.local import crosswise
from shoal.polls import Arm, Poll, PollQuestion, by_device, by_own, directly, once_number

FARE = PollQuestion("fare", "Have you ever travelled without a ticket?")
HOURS = PollQuestion("hours", "How many hours a week?", range=(0, 40, 1), unit="hours")
AGE = PollQuestion("age", "How old are you?", answers=("under 30", "30 to 59", "60 or more"))
GUESTS = Poll(
    "guests", title="Guests", questions=[FARE, HOURS, AGE], once="invitation",
    arms=[
        Arm("device", {"fare": by_device(odds=3), "hours": by_device(odds=3), "age": directly()}, share=2),
        Arm("own", {"fare": by_own(crosswise("1/4"), harmless="Born in spring?"), "hours": directly(), "age": directly()}),
        Arm("direct", directly()),
    ],
)  # fmt: skip
OPEN = Poll("open", FARE.text, odds=3)
EMPTY = Poll("empty", FARE.text, odds=3)


@pytest.fixture(scope="module", autouse=True)
def _filled(running: Running) -> None:
    running.vault.publish(OPEN)
    running.vault.publish(EMPTY)
    live = running.vault.publish(GUESTS)
    for number, token in enumerate(live.invite(60)):
        truth = {
            "fare": ("no", "yes")[number % 2],
            "hours": str(number % 20),
            "age": AGE.answers[number % 3],
        }
        live.add(GUESTS.client().rehearse(truth), once=token, mark=live.poll.mark)


@contextmanager
def opened(browser: Browser, running: Running, path: str) -> Iterator[Page]:
    with fresh(browser, reduced_motion="reduce", accept_downloads=True) as context:
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(running.door.link)
        page.goto(running.origin + path)
        yield page
        assert problems == []


def holding(held: list[Route]) -> Callable[[Route], None]:
    """Keep requests on their way until the test lets them go."""

    def hold(route: Route) -> None:
        held.append(route)

    return hold


def a_moment(page: Page) -> None:
    """So long that whatever came late would be seen; nothing has to happen in it."""
    page.evaluate("() => new Promise((done) => setTimeout(done, 300))")


def report(running: Running, name: str = "open") -> None:
    live = running.vault.poll(name)
    live.add("01", once=once_number(), mark=live.poll.mark)


def test_a_new_report_appears_without_loading_the_page_again(
    browser: Browser, running: Running
) -> None:
    with opened(browser, running, "/polls/empty") as page:
        page.get_by_text("No reports yet").wait_for()
        report(running, "empty")
        page.get_by_text("Too few answers yet.").wait_for()
        assert page.get_by_text("1 of 119.").is_visible()
        assert page.locator("#questions svg").count() == 0
        assert page.locator("#figures dd").first.text_content() == "1"
        page.get_by_label("Show estimates from too few answers, too").check()
        page.locator("#questions svg").wait_for()


def test_estimates_are_drawn_when_there_are_enough_answers_and_not_before(
    browser: Browser, running: Running
) -> None:
    live = running.vault.publish(Poll("filling", FARE.text, odds=3))
    for _ in range(118):
        report(running, "filling")
    with opened(browser, running, "/polls/filling") as page:
        page.get_by_text("118 of 119.").wait_for()
        assert page.locator("#questions svg").count() == 0
        page.get_by_text("There are too few answers yet: all answers").wait_for()
        report(running, "filling")
        page.locator("#questions svg").wait_for()
        assert page.get_by_text("Too few answers yet.").count() == 0
        assert page.get_by_label("Show estimates from too few").is_hidden()
    assert live.people == 119


def test_the_link_to_share_is_shown_copied_and_said_to_work_here_only(
    browser: Browser, running: Running
) -> None:
    with opened(browser, running, "/polls/open") as page:
        link = f"{running.origin}/p/open"
        assert page.get_by_role("link", name=link).get_attribute("href") == link
        page.get_by_role("button", name="Copy the link").click()
        page.locator("#copied:not(:empty)").wait_for()
        assert page.get_by_text("works only on this computer").is_visible()
    with opened(browser, running, "/polls/guests") as page:
        assert page.get_by_role("heading", name="Share the link").count() == 0


def test_a_draft_is_looked_at_and_publishing_needs_a_second_word(
    browser: Browser, running: Running
) -> None:
    with opened(browser, running, "/polls/new") as page:
        page.get_by_label("Title").fill("Looked at")
        page.get_by_label("How many answers are true").select_option("9")
        page.get_by_text("9 of 10 answers are true.").wait_for()
        with page.context.expect_page() as opening:
            page.get_by_role("link", name="Preview the page").click()
        draft = opening.value
        draft.get_by_text("nothing is sent, counted or kept").wait_for()
        draft.get_by_label("yes").check()
        sent: list[str] = []
        draft.on("request", lambda asked: sent.append(asked.url))
        draft.get_by_role("button", name="Send").click()
        heading = draft.get_by_role("heading", name="Thank you")
        heading.wait_for()
        assert (sent, draft.evaluate("localStorage.length")) == ([], 0)
        draft.close()
        page.get_by_role("button", name="Publish the poll").click()
        page.get_by_role("heading", name="Publish this poll?").wait_for()
        page.get_by_role("button", name="Not yet").click()
        assert "looked-at" not in running.vault.polls
        page.get_by_role("button", name="Publish the poll").click()
        page.get_by_role("button", name="Publish it").click()
        page.wait_for_url("**/polls/looked-at")
    made = running.vault.poll("looked-at").poll
    assert (made.arms[0].ratio, made.show_sent) == (Fraction(9), "after")


def test_closing_and_reopening_need_a_second_word(browser: Browser, running: Running) -> None:
    live = running.vault.poll("open")
    with opened(browser, running, "/polls/open") as page:
        page.get_by_role("button", name="Close the poll").click()
        page.get_by_role("button", name="Cancel").click()
        assert live.is_open
        page.get_by_role("button", name="Close the poll").click()
        page.get_by_role("button", name="Close it").click()
        page.get_by_role("button", name="Reopen the poll").wait_for()
        assert not live.is_open
        page.get_by_role("button", name="Reopen the poll").click()
        page.keyboard.press("Escape")
        assert not live.is_open
        page.get_by_role("button", name="Reopen the poll").click()
        page.get_by_role("button", name="Reopen it").click()
        page.get_by_role("button", name="Close the poll").wait_for()
    assert live.is_open


def test_the_button_knows_what_it_does_before_the_first_results(
    browser: Browser, running: Running
) -> None:
    held: list[Route] = []
    with fresh(browser, reduced_motion="reduce") as context:
        page = context.new_page()
        page.route("**/results?*", holding(held))
        page.goto(running.door.link)
        with page.expect_request("**/results?*"):
            page.goto(running.origin + "/polls/open")
        page.get_by_role("button", name="Close the poll").click()
        page.get_by_role("heading", name="Close this poll?").wait_for()
        page.get_by_role("button", name="Cancel").click()
        assert running.vault.poll("open").is_open
        held[0].continue_()


def test_results_that_come_late_do_not_replace_newer_ones(
    browser: Browser, running: Running
) -> None:
    held: list[Route] = []
    report(running)
    with opened(browser, running, "/polls/open") as page:
        page.get_by_label("Show estimates from too few").check()
        page.route("**/results?confidence=0.9", holding(held))
        with page.expect_request("**/results?confidence=0.9"):
            page.get_by_label("Confidence").select_option("0.9")
        page.get_by_label("Confidence").select_option("0.999")
        newer = page.get_by_text("Estimates with 99.9 % intervals")
        newer.wait_for(state="attached")
        with page.expect_response("**/results?confidence=0.9"):
            held[0].continue_()
        a_moment(page)
        assert newer.count() == 1


def test_of_two_choices_the_later_is_shown_whichever_answer_comes_first(
    browser: Browser, running: Running
) -> None:
    held: list[Route] = []
    with opened(browser, running, "/polls/guests") as page:
        page.locator("#one caption").first.wait_for()
        meant = page.locator("#one").text_content()
        believed = page.get_by_label("Believed before")
        page.route("**/posterior?*prior=even", holding(held))
        with page.expect_request("**/posterior?*prior=even"):
            believed.select_option("even")
        with page.expect_response("**/posterior?*prior=estimate"):
            believed.select_option("estimate")
        a_moment(page)
        with page.expect_response("**/posterior?*prior=even"):
            held[0].continue_()
        a_moment(page)
        assert page.locator("#one").text_content() == meant


def test_a_table_that_comes_late_does_not_replace_the_word_that_there_is_none(
    browser: Browser, running: Running
) -> None:
    held: list[Route] = []
    with opened(browser, running, "/polls/guests") as page:
        page.locator("#crosstab caption").first.wait_for()
        columns = page.get_by_label("Columns")
        page.route("**/crosstab?*", holding(held))
        with page.expect_request("**/crosstab?*"):
            columns.select_option("age")
        columns.select_option("fare")
        page.get_by_text("Choose two different questions.").wait_for()
        with page.expect_response("**/crosstab?*"):
            held[0].continue_()
        a_moment(page)
        assert page.get_by_text("Choose two different questions.").is_visible()


def test_what_went_wrong_stays_on_the_page_while_results_come_in(
    browser: Browser, running: Running
) -> None:
    with opened(browser, running, "/polls/guests") as page:
        page.locator("#crosstab caption").first.wait_for()
        page.get_by_label("How many", exact=True).fill("0")
        page.get_by_role("button", name="Make invitations").click()
        expect(page.locator("#trouble")).to_be_in_viewport(timeout=120_000)
        with page.expect_response("**/results?*"):
            page.get_by_label("Confidence").select_option("0.99")
        with page.expect_response("**/results?*"):
            pass  # the first have been drawn when the next are asked for
        a_moment(page)
        assert page.locator("#trouble").is_visible()


@pytest.mark.parametrize("path", ["posterior?*", "invitations"])
def test_a_server_that_answers_again_is_not_said_to_be_silent(
    browser: Browser, running: Running, path: str
) -> None:
    silent = "The server does not answer"
    with opened(browser, running, "/polls/guests") as page:
        page.locator("#one caption").first.wait_for()
        # results come every few seconds, and the first that arrive take the words away again
        held_back = [path, "results?*"] if path == "invitations" else [path]
        for each in held_back:
            page.route(f"**/{each}", lambda route: route.abort())
        if path == "invitations":
            page.get_by_role("button", name="Make invitations").click()
        else:
            page.get_by_label("Believed before").select_option("even")
        page.get_by_text(silent).wait_for()
        for each in held_back:
            page.unroute(f"**/{each}")
        page.get_by_text(silent).wait_for(state="hidden")


def test_a_double_click_makes_invitations_once(browser: Browser, running: Running) -> None:
    live = running.vault.poll("guests")
    before = live.invited
    with opened(browser, running, "/polls/guests") as page:
        page.get_by_label("How many", exact=True).fill("3")
        page.get_by_role("button", name="Make invitations").dblclick()
        page.get_by_role("link", name="Download 3 links").wait_for()
        a_moment(page)
        assert live.invited == before + 3


def test_invitations_are_downloaded_and_each_opens_the_page(
    browser: Browser, running: Running, tmp_path: Path
) -> None:
    with opened(browser, running, "/polls/guests") as page:
        page.get_by_label("How many", exact=True).fill("3")
        page.get_by_role("button", name="Make invitations").click()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="Download 3 links").click()
        waiting.value.save_as(tmp_path / "links.csv")
        head, *links = (tmp_path / "links.csv").read_text().split()
        assert (head, len(set(links))) == ("link", 3)
        page.goto(links[0])
        page.locator(".question").first.wait_for()


def test_a_larger_epsilon_gives_a_smaller_margin_on_the_slider(
    browser: Browser, running: Running
) -> None:
    with opened(browser, running, "/polls/guests") as page:
        slide = page.locator("#if-slide")
        page.locator("#if dd").first.wait_for()

        def margin_at(key: str) -> float:
            slide.press(key)
            words = page.locator("#if dd").first.text_content() or ""
            return float(words.removeprefix("± ").removesuffix(" %"))

        assert margin_at("Home") > margin_at("End")


def test_the_ways_of_asking_are_compared_and_two_questions_crossed(
    browser: Browser, running: Running
) -> None:
    with opened(browser, running, "/polls/guests") as page:
        page.get_by_label("Show estimates from too few").check()
        page.get_by_role("heading", name="device less own").first.wait_for()
        titles = page.locator("#differences h3").all_text_contents()
        assert [title.rpartition("? ")[2] for title in titles[:3]] == [
            "device less own",
            "device less direct",
            "own less direct",
        ]
        assert (
            page.locator("#differences p", has_text="however often you look").count()
            == page.locator("#differences h3").count()
        )
        page.get_by_text("Epsilons are for this question alone.").wait_for()
        page.locator("#crosstab caption").first.wait_for()
        assert page.locator("#crosstab caption").all_text_contents()[:3] == [
            "device",
            "own",
            "direct",
        ]
        page.get_by_label("Columns").select_option("fare")
        page.get_by_text("Choose two different questions.").wait_for()


def test_the_exports_are_the_files_they_say(browser: Browser, running: Running) -> None:
    with opened(browser, running, "/polls/guests") as page:
        names = []
        for words in ("Reports, CSV", "Results and odds, JSON"):
            with page.expect_download() as waiting:
                page.get_by_role("link", name=words).click()
            names.append(waiting.value.suggested_filename)
        assert names == ["guests.csv", "guests.json"]


def test_the_wizard_says_what_is_wrong_and_publishes_what_is_right(
    browser: Browser, running: Running
) -> None:
    with opened(browser, running, "/polls/new") as page:
        page.get_by_label("Title").fill("Three ways")
        assert page.get_by_label("Name in links").input_value() == "three-ways"
        page.get_by_label("How many answers are true").select_option("epsilon")
        page.get_by_label("Epsilon, what a report may cost").fill("much")
        page.get_by_role("alert").get_by_text("epsilon").wait_for()
        page.get_by_label("Epsilon, what a report may cost").fill("1.1")
        page.get_by_label("Respondents randomise by themselves").check()
        page.get_by_label("Asked directly").check()
        page.get_by_text("own: 1 of 3 respondents").wait_for()
        assert not page.get_by_role("alert").is_visible()
        page.get_by_role("button", name="Publish the poll").click()
        page.get_by_role("button", name="Publish it").click()
        page.wait_for_url("**/polls/three-ways")
    made = running.vault.poll("three-ways").poll
    assert [(arm.name, arm.share) for arm in made.arms] == [
        ("randomised", 1),
        ("own", 1),
        ("direct", 1),
    ]
    assert "mother born" in made.arms[1].designs[0].instructions


def test_the_wizard_asks_for_a_harmless_question_for_each_that_is_hidden_by_hand(
    browser: Browser, running: Running
) -> None:
    with opened(browser, running, "/polls/new") as page:
        page.get_by_label("Title").fill("By hand")
        assert not page.get_by_label("Harmless question").is_visible()
        page.get_by_label("Respondents randomise by themselves").check()
        page.get_by_role("button", name="Add a question").click()
        second = page.get_by_role("group", name="Question 2")
        second.get_by_label("Question", exact=True).fill("Have you ever lied to a conductor?")
        page.get_by_role("alert").get_by_text("needs a harmless question").wait_for()
        second.get_by_label("Harmless question").fill("Is your house number even?")
        page.get_by_role("alert").wait_for(state="hidden")
        page.get_by_role("button", name="Publish the poll").click()
        page.get_by_role("button", name="Publish it").click()
        page.wait_for_url("**/polls/by-hand")
    told = [each.instructions for each in running.vault.poll("by-hand").poll.arms[1].designs]
    assert ["mother born" in told[0], "house number" in told[1]] == [True, True]


def test_a_refusal_to_publish_stays_until_something_is_typed(
    browser: Browser, running: Running
) -> None:
    """A preview that is on its way while the poll is refused does not take the words away."""
    held: list[Route] = []
    with opened(browser, running, "/polls/new") as page:
        page.get_by_text("Your true answer is sent").first.wait_for()
        with page.expect_response("**/api/preview"):
            page.get_by_label("Name in links").fill("open")
        page.get_by_role("button", name="Publish the poll").click()
        page.get_by_role("heading", name="Publish this poll?").wait_for()
        page.route("**/api/preview", holding(held))
        with page.expect_request("**/api/preview"):  # a preview that nothing typed has asked for
            page.evaluate("document.getElementById('wizard').dispatchEvent(new Event('input'))")
        page.get_by_role("button", name="Publish it").click()
        refusal = page.get_by_role("alert").get_by_text("open")
        refusal.wait_for()
        with page.expect_response("**/api/preview"):
            held[0].continue_()
        a_moment(page)
        assert refusal.is_visible()
        page.unroute("**/api/preview")
        page.get_by_label("Name in links").fill("other")
        page.get_by_role("alert").wait_for(state="hidden")


def test_the_plan_follows_what_is_typed(browser: Browser, running: Running) -> None:
    with opened(browser, running, "/polls/new") as page:
        page.get_by_label("Margin").fill("3")
        page.get_by_text("3,586 people").wait_for()
        page.get_by_label("Margin").fill("6")
        page.get_by_text("897 people").wait_for()


def test_the_pages_of_a_study_with_arms_are_accessible(
    browser: Browser, running: Running, tmp_path: Path
) -> None:
    found = []
    with opened(browser, running, "/polls/guests") as page:
        page.locator("#crosstab table").first.wait_for()
        found += look(page, "few", tmp_path)
        page.get_by_label("Show estimates from too few").check()
        for each in page.locator("#questions summary").all():
            each.click()
        found += look(page, "arms", tmp_path)
        page.get_by_role("button", name="Close the poll").click()
        found += look(page, "sure", tmp_path)
    with opened(browser, running, "/polls/new") as page:
        page.get_by_label("Respondents randomise by themselves").check()
        page.get_by_label("Asked directly").check()
        page.get_by_role("button", name="Add a question").click()
        page.get_by_role("group", name="Question 2").get_by_label("Kind").select_option("range")
        page.get_by_role("alert").wait_for()
        found += look(page, "wizard-arms", tmp_path)
    with opened(browser, running, "/polls/new") as page:
        page.get_by_text("3 of 4 answers are true.").wait_for()
        page.get_by_role("button", name="Publish the poll").click()
        found += look(page, "publish", tmp_path)
    with opened(browser, running, "/polls/open") as page:
        page.get_by_text("The design, exactly").click()
        found += look(page, "share", tmp_path)
    assert found == []
