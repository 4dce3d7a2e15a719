"""One study from end to end: designed in the form, answered by many people in the real page, read
on the researcher's page.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, Route
from scipy.stats import binom
from tests.server.accessible import look
from tests.server.browser import fresh
from tests.server.conftest import Running

from shoal.polls import Poll

SECRETS = (
    "Have you ever travelled without a ticket?",
    "Have you ever kept a book of the library?",
    "Have you ever called in sick to sleep?",
    "Have you ever read a diary that was not yours?",
)
TRUE_IN_TEN = (3, 5, 1, 8)
"""Of ten people in a row, so many have the answer yes to each of these; further questions ask the
same of other years.
"""

CERTAIN = 1e-6
CHOOSE = """(truth) => {
    document.querySelectorAll(".question").forEach((each, at) => each.querySelectorAll("label.choice")[truth[at]].click());
    return [".kept .value", ".sent .value"].map((kind) => [...document.querySelectorAll(kind)].map((each) => each.textContent));
}"""
"""Choose these answers, and say what the page then shows as kept and as what will be sent."""
RECEIPT = """() => [".kept .value", ".sent .value"].map((kind) =>
    [...document.querySelectorAll(`#receipt ${kind}`)].map((each) => each.textContent))"""
"""What the page shows afterwards."""


@dataclass
class Person:
    """What one respondent meant, what the page showed, and all that left the browser."""

    truth: tuple[int, ...]
    shown: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    @property
    def posts(self) -> list[Request]:
        return [each for each in self.requests if each.method == "POST"]

    @property
    def report(self) -> str:
        return str(json.loads(self.posts[0].post_data or "")["report"])


@dataclass(frozen=True)
class Size:
    """How many people answer how many questions; the chance of a true answer is the same for every
    size.
    """

    people: int
    questions: int

    @property
    def texts(self) -> list[str]:
        years = range(-(-self.questions // len(SECRETS)))
        asked = [f"{text} ({2000 + year})" for year in years for text in SECRETS]
        return asked[: self.questions]

    @property
    def epsilon(self) -> Fraction:
        return Fraction(self.questions, 2)


@dataclass(frozen=True)
class Study:
    """What came of it; the page of results is open."""

    size: Size
    running: Running
    poll: Poll
    people: list[Person]
    researcher: Page


def truth_of(person: int, questions: int) -> tuple[int, ...]:
    return tuple(
        int((person * 7 + 3 * place) % 10 < TRUE_IN_TEN[place % len(TRUE_IN_TEN)])
        for place in range(questions)
    )


def designed(page: Page, running: Running, size: Size) -> str:
    """Make the poll in the researcher's form; its name."""
    page.goto(running.door.link)
    page.get_by_role("link", name="New poll").click()
    page.get_by_label("Title").fill(f"Secrets of {size.people}")
    page.get_by_label("Introduction").fill("A study of what everybody does and nobody says.")
    for place, text in enumerate(size.texts):
        if place:
            page.get_by_role("button", name="Add a question").click()
        box = page.get_by_role("group", name=f"Question {place + 1}", exact=True)
        box.get_by_label("Question", exact=True).fill(text)
    page.get_by_label("How many answers are true").select_option("epsilon")
    page.get_by_label("Epsilon, what a report may cost").fill(str(size.epsilon))
    page.get_by_text("Your true answer is sent").first.wait_for()
    page.get_by_role("button", name="Publish the poll").click()
    page.get_by_role("button", name="Publish it").click()
    name = f"secrets-of-{size.people}"
    page.wait_for_url(f"**/polls/{name}")
    return name


@contextmanager
def visiting(browser: Browser, person: Person) -> Iterator[Page]:
    """A browser that was never here; everything it asks for is stopped and written down before it
    leaves.
    """
    phone = {"width": 390, "height": 844}
    with fresh(browser, viewport=phone, reduced_motion="reduce") as context:

        def passed(route: Route) -> None:
            person.requests.append(route.request)
            route.continue_()

        context.route("**/*", passed)
        yield context.new_page()


def answer(browser: Browser, address: str, person: Person) -> None:
    with visiting(browser, person) as page:
        page.goto(address)
        page.get_by_role("button", name="Send").wait_for()  # the page has checked itself
        meant = [("no", "yes")[yes] for yes in person.truth]
        kept, before = page.evaluate(CHOOSE, list(person.truth))
        assert (kept, set(before)) == (meant, {"chance decides"})
        assert not person.posts  # nothing leaves before "Send"
        page.get_by_role("button", name="Send").click()
        page.get_by_role("heading", name="Thank you").wait_for()
        kept, person.shown = page.evaluate(RECEIPT)
        assert kept == meant


@contextmanager
def answered(browser: Browser, running: Running, size: Size) -> Iterator[Study]:
    """The study, made and answered by everyone."""
    with fresh(browser) as context:
        page = context.new_page()
        name = designed(page, running, size)
        people = [Person(truth_of(number, size.questions)) for number in range(size.people)]
        for person in people:
            answer(browser, f"{running.origin}/p/{name}", person)
        yield Study(size, running, running.vault.poll(name).poll, people, page)


def only_the_files_of_the_page_and_one_post_leave_the_browser(study: Study) -> None:
    files = ("style.css", "client.js", "report_meaning.js", "respond.js")
    own = [f"/p/{study.poll.name}", *(f"/static/{name}" for name in files)]
    expected = Counter(
        [("GET", study.running.origin + path) for path in own]
        + [("POST", f"{study.running.origin}/p/{study.poll.name}/reports")]
    )
    for person in study.people:
        assert Counter((each.method, each.url) for each in person.requests) == expected


def every_post_has_the_same_length_and_holds_the_report_and_a_number_and_nothing_else(
    study: Study,
) -> None:
    bodies = [person.posts[0].post_data or "" for person in study.people]
    assert len({len(body) for body in bodies}) == 1
    for body in bodies:
        said = json.loads(body)
        assert set(said) == {"mark", "report", "once"}
        assert said["mark"] == study.poll.mark
        study.poll.read(said["report"])
    assert len({json.loads(body)["once"] for body in bodies}) == study.size.people
    names = {tuple(sorted(person.posts[0].headers)) for person in study.people}
    assert len(names) == 1
    assert not {"cookie", "referer"} & set(next(iter(names)))


def what_was_shown_is_what_was_sent(study: Study) -> None:
    for person in study.people:
        _, told = study.poll.read(person.report)
        assert person.shown == [("no", "yes")[report] for report in told]


def true_reports(study: Study) -> tuple[int, int, Fraction]:
    """How many reports are the true answer, of how many, and with which chance each should be."""
    designs = study.poll.arms[0].designs
    chances = {design.law.chance(0, 0) for design in designs}
    chances |= {design.law.chance(1, 1) for design in designs}
    (chance,) = chances
    pairs = [
        pair
        for person in study.people
        for pair in zip(person.truth, study.poll.read(person.report)[1], strict=True)
    ]
    return sum(meant == told for meant, told in pairs), len(pairs), chance


def accepted(chance: float, trials: int) -> tuple[int, int]:
    """The counts that the exact two-sided test does not reject."""
    return int(binom.ppf(CERTAIN / 2, trials, chance)), int(binom.isf(CERTAIN / 2, trials, chance))


def reports_have_the_stated_law_given_the_true_answers(study: Study) -> None:
    true, trials, chance = true_reports(study)
    low, high = accepted(float(chance), trials)
    assert low <= true <= high


def a_law_that_lies_thirty_percent_more_or_less_would_be_rejected(study: Study) -> None:
    _, trials, chance = true_reports(study)
    low, high = accepted(float(chance), trials)
    for off in (0.7, 1.3):
        other = 1 - off * (1 - float(chance))
        missed = binom.cdf(high, trials, other) - binom.cdf(low - 1, trials, other)
        assert missed < 0.1


def the_server_counted_exactly_the_reports_that_were_sent(study: Study) -> None:
    sent = Counter(person.report for person in study.people)
    assert study.running.vault.poll(study.poll.name).cells == dict(sorted(sent.items()))


def the_researchers_page_covers_the_truth(study: Study) -> None:
    page = study.researcher
    page.get_by_text("Too few answers yet.").first.wait_for()
    page.get_by_label("Show estimates from too few answers, too").check()
    page.get_by_label("Confidence").select_option("0.999")
    page.get_by_text("99.9 % intervals").first.wait_for(state="attached")
    page.get_by_text(f"{study.size.people}", exact=True).first.wait_for()
    shown = page.evaluate(
        """() => [...document.querySelectorAll("#questions table")].map((table) =>
            [...table.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)))"""
    )
    assert len(shown) == study.size.questions
    for place, rows in enumerate(shown):
        truth = 100 * sum(person.truth[place] for person in study.people) / study.size.people
        _, estimate, _, always = next(row for row in rows if row[0] == "yes")
        assert estimate == f"{100 * float(unbiased(study, place)):.1f} %"
        if place < len(SECRETS):  # each interval may miss once in a thousand runs: few are enough
            low, high = (float(end.removesuffix(" %")) for end in always.split(" to "))
            assert low <= truth <= high


def unbiased(study: Study, place: int) -> Fraction:
    """The estimate that undoes the odds, from what was sent."""
    law: Any = study.poll.arms[0].designs[place].law
    told = [study.poll.read(person.report)[1][place] for person in study.people]
    return sum((law.worth(report, 1) for report in told), Fraction(0)) / len(told)


def the_pages_are_accessible(study: Study, folder: Path) -> None:
    page = study.researcher
    page.get_by_label("Confidence").select_option("0.95")
    page.get_by_text("Estimates with 95 % intervals").first.wait_for(state="attached")
    found = look(page, "poll", folder)
    page.goto(page.url.rpartition("/polls/")[0] + "/")
    found += look(page, "list", folder)
    page.goto(page.url + "polls/new")
    page.get_by_text("Your true answer is sent").first.wait_for()
    found += look(page, "wizard", folder)
    assert found == []


# Each size gives 800 answers, which is what the test of the law needs; opening a new browser for
# each person is what takes long.
@pytest.mark.parametrize(
    "size", [Size(20, questions=40), pytest.param(Size(200, questions=4), marks=pytest.mark.audit)]
)
def test_a_study_that_many_people_answer_holds_from_end_to_end(
    browser: Browser, running: Running, tmp_path: Path, size: Size
) -> None:
    with answered(browser, running, size) as study:
        only_the_files_of_the_page_and_one_post_leave_the_browser(study)
        every_post_has_the_same_length_and_holds_the_report_and_a_number_and_nothing_else(study)
        what_was_shown_is_what_was_sent(study)
        reports_have_the_stated_law_given_the_true_answers(study)
        a_law_that_lies_thirty_percent_more_or_less_would_be_rejected(study)
        the_server_counted_exactly_the_reports_that_were_sent(study)
        the_researchers_page_covers_the_truth(study)
        the_pages_are_accessible(study, tmp_path)
