"""The researcher's part: the key, the form, the figures, and the acts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.asking import Asker, hosting

from shoal.polls import Poll, read_export
from shoal.server.address import Address

FARE = Poll("fare", "Have you ever travelled without a ticket?", odds=3)
GUESTS = Poll("guests", "Have you ever travelled without a ticket?", odds=3, once="invitation")
DRAFT: dict[str, Any] = {
    "name": "secrets", "title": "Secrets", "intro": "", "once": "browser",
    "questions": [
        {"name": "fare", "text": "Ever without a ticket?", "plain": False, "answers": ["no", "yes"], "harmless": "Born in spring?"},
        {"name": "age", "text": "How old?", "plain": True, "answers": ["young", "old"]},
    ],
    "arms": [
        {"way": "device", "share": 3, "epsilon": "1"},
        {"way": "own", "share": 1, "design": "crosswise", "chance": "1/4"},
        {"way": "direct", "share": 1},
    ],
}  # fmt: skip
PAGES = ["/", "/polls", "/polls/new", "/polls/fare"]
FIGURES = ["/api/polls", "/api/polls/fare/results", "/api/polls/fare/posterior?question=fare", "/api/polls/fare/what-if?question=fare",
           "/api/polls/fare/crosstab?one=fare&two=fare", "/api/polls/fare/export.csv", "/api/polls/fare/export.json"]  # fmt: skip
ACTS = ["/api/polls", "/api/preview", "/api/polls/fare/close", "/api/polls/fare/reopen", "/api/polls/guests/invitations"]  # fmt: skip


@pytest.fixture
def asker(tmp_path: Path) -> Iterator[Asker]:
    with hosting(tmp_path, FARE, GUESTS) as made:
        yield made


def filled(asker: Asker, yes: int = 60, no: int = 40) -> Asker:
    handle = asker.vault.poll("fare")
    for number in range(yes + no):
        handle.add("01" if number < yes else "00", once=f"{number:032x}", mark=handle.poll.mark)
    return asker.unlock()


# the key


@pytest.mark.parametrize("path", PAGES + FIGURES)
def test_without_the_key_there_is_nothing_to_see(asker: Asker, path: str) -> None:
    answer = asker.get(path)
    assert answer.status_code == 401
    assert "ticket" not in answer.text


@pytest.mark.parametrize("path", ACTS)
def test_without_the_key_nothing_can_be_done(asker: Asker, path: str) -> None:
    assert asker.post(path, {"draft": DRAFT, "count": 1}).status_code == 401
    assert list(asker.vault.polls) == ["fare", "guests"]
    assert asker.vault.poll("guests").invited == 0


@pytest.mark.parametrize("path", ACTS)
@pytest.mark.parametrize(
    "header", [{"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "same-site"}]
)
def test_with_the_key_another_site_can_do_nothing(
    asker: Asker, path: str, header: dict[str, str]
) -> None:
    answer = asker.unlock().post(path, {"draft": DRAFT, "count": 1}, headers=header)
    assert answer.status_code == 403
    assert asker.vault.poll("fare").is_open
    assert asker.vault.poll("guests").invited == 0


@pytest.mark.parametrize(
    ("key", "status"),
    [("", 303), ("0" * 32, 303), ("é", 303), ("x" * 100, 400), ("x" * 10000, 414)],
)
def test_a_wrong_key_opens_nothing(asker: Asker, key: str, status: int) -> None:
    answer = asker.get("/", params={"key": key})
    assert (answer.status_code, "set-cookie" in answer.headers) == (status, False)
    assert asker.get("/").status_code == 401


def test_the_key_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(asker: Asker) -> None:
    answer = asker.get(f"/?key={asker.door.key}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Secure" not in cookie
    assert asker.get("/").status_code == 200


def test_the_cookie_does_not_hold_the_key_and_is_new_each_time(asker: Asker) -> None:
    """Browsers send a cookie to every port of a host, so what stands in it opens no other door, and
    not this one as a key.
    """
    values = []
    for _ in range(2):
        asker.unlock()
        values.append(asker.cookies[asker.door.cookie])
        assert asker.get("/").status_code == 200
    assert values[0] != values[1]
    assert not any(asker.door.key in each for each in values)
    other = Asker(asker.vault)
    for forged in (values[0], asker.door.key, "", "0" * 96, values[0][:32], "1" + values[0][1:]):
        other.cookies.set(other.door.cookie, forged, domain="127.0.0.1")
        assert other.get("/").status_code == 401
    assert asker.get("/", params={"key": values[0]}).headers.get("set-cookie") is None


def test_behind_tls_the_cookie_is_sent_by_tls_only(tmp_path: Path) -> None:
    address = Address.of("127.0.0.1", 8000, public="https://polls.example.org")
    with hosting(tmp_path, GUESTS, address=address) as asker:
        answer = asker.get(f"/?key={asker.door.key}")
        assert "Secure" in answer.headers["set-cookie"]
        assert answer.headers["set-cookie"].startswith("__Host-")
        assert "strict-transport-security" in answer.headers
        local = {"Origin": "http://127.0.0.1:8000"}
        assert asker.post("/api/polls/guests/close", {}, headers=local).status_code == 403
        links = asker.post("/api/polls/guests/invitations", {"count": 2}).json()["links"]
        assert all(link.startswith("https://polls.example.org/p/guests#") for link in links)


def test_every_start_has_a_key_of_its_own_and_it_is_not_printed_by_accident(asker: Asker) -> None:
    other = Asker(asker.vault)
    assert len(asker.door.key) == 32
    assert other.door.key != asker.door.key
    assert asker.door.key not in repr(asker.door)


# the form


def test_a_form_becomes_the_poll_it_describes(asker: Asker) -> None:
    answer = asker.unlock().post("/api/polls", {"draft": DRAFT})
    assert (answer.status_code, answer.json()) == (201, {"name": "secrets"})
    poll = asker.vault.poll("secrets").poll
    ways = [[design.way for design in arm.designs] for arm in poll.arms]
    assert ways == [["device", "direct"], ["own", "direct"], ["direct", "direct"]]
    assert [arm.share for arm in poll.arms] == [3, 1, 1]
    assert "Born in spring?" in poll.arms[1].designs[0].instructions
    assert asker.get("/p/secrets").status_code == 200


def test_a_form_with_two_hidden_questions_takes_a_harmless_one_for_each(asker: Asker) -> None:
    fine = {**QUESTION, "name": "fine", "harmless": "Born in June?"}
    answer = asker.unlock().post("/api/polls", {"draft": changed(questions=[QUESTION, fine])})
    assert answer.status_code == 201
    told = [each.instructions for each in asker.vault.poll("secrets").poll.arms[1].designs]
    assert ["Born in spring?" in told[0], "Born in June?" in told[1], "spring" in told[1]] == [
        True,
        True,
        False,
    ]


def test_sending_the_form_twice_makes_one_poll_and_another_form_of_the_name_is_refused(
    asker: Asker,
) -> None:
    asker.unlock().post("/api/polls", {"draft": DRAFT})
    assert asker.post("/api/polls", {"draft": DRAFT}).status_code == 201
    other = asker.post("/api/polls", {"draft": {**DRAFT, "title": "Other"}})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "poll-3")
    assert list(asker.vault.polls) == ["fare", "guests", "secrets"]


def changed(**other: Any) -> dict[str, Any]:
    return {**DRAFT, **other}


QUESTION = DRAFT["questions"][0]
WRONG: list[Any] = [
    None, [], "x", changed(name=""), changed(name="a b"), changed(name="../x"), changed(once="twice"), changed(questions=[]),
    changed(arms=[]), changed(questions="x"), changed(arms=[{"way": "magic", "share": 1}]), changed(arms=[{"way": "direct", "share": 0}]),
    changed(arms=[{"way": "direct", "share": True}]), changed(arms=[{"way": "direct", "share": 1.5}]), changed(title=5),
    changed(arms=[{"way": "device", "share": 1, "epsilon": "0"}]), changed(arms=[{"way": "device", "share": 1, "epsilon": "much"}]),
    changed(arms=[{"way": "own", "share": 1, "design": "crosswise", "chance": "1/2"}]),
    changed(questions=[{**QUESTION, "harmless": " "}]), changed(questions=[{**QUESTION, "harmless": 5}]),
    changed(questions=[QUESTION, {**QUESTION, "name": "fine"}]),
    changed(arms=[{"way": "own", "share": 1, "design": "nothing", "chance": "1/4"}]),
    changed(questions=[{**QUESTION, "answers": ["one"]}]), changed(questions=[{**QUESTION, "answers": [1, 2]}]),
    changed(questions=[{**QUESTION, "text": ""}]), changed(questions=[QUESTION, QUESTION]),
    changed(questions=[{"name": "h", "text": "?", "range": ["0", "x", "1"], "unit": ""}]),
    changed(questions=[{"name": "h", "text": "?", "range": ["0", "1e9", "1"], "unit": ""}]),
    changed(questions=[{"name": "h", "text": "?", "range": ["0", "10", "1"], "unit": ""}]),
]  # fmt: skip


@pytest.mark.parametrize("draft", WRONG)
@pytest.mark.parametrize("path", ["/api/polls", "/api/preview"])
def test_a_form_that_makes_no_poll_is_refused_in_words(asker: Asker, path: str, draft: Any) -> None:
    answer = asker.unlock().post(path, {"draft": draft, "guess": "10%", "margin": "5%"})
    assert answer.status_code == 400
    assert set(answer.json()["error"]) == {"code", "message", "remedy"}
    assert list(asker.vault.polls) == ["fare", "guests"]


def test_the_preview_says_what_it_costs_and_how_many_people_it_needs_and_keeps_nothing(
    asker: Asker,
) -> None:
    draft = changed(questions=[QUESTION], arms=[{"way": "device", "share": 1, "epsilon": "1.1"}])
    body = {"draft": draft, "guess": "10%", "margin": "3%"}
    found = asker.unlock().post("/api/preview", body).json()
    assert found["plan"][0]["people"] == pytest.approx(3586, rel=0.02)
    assert found["arms"][0]["questions"][0]["words"] == "Your true answer is sent 3 times out of 4."
    assert "75" in found["arms"][0]["promise"]
    assert list(asker.vault.polls) == ["fare", "guests"]


@pytest.mark.parametrize(
    "wrong", [{"guess": "x%"}, {"margin": "0%"}, {"guess": "101%"}, {"margin": 5}]
)
def test_a_plan_that_cannot_be_is_refused(asker: Asker, wrong: dict[str, Any]) -> None:
    body = {"draft": DRAFT, "guess": "10%", "margin": "5%", **wrong}
    assert asker.unlock().post("/api/preview", body).status_code == 400


# the figures


def test_the_figures_are_those_of_the_floor_below(asker: Asker) -> None:
    found = filled(asker).get("/api/polls/fare/results").json()
    rows = {row["answer"]: row for row in found["questions"][0]["estimates"][0]["rows"]}
    assert found["reports"] == 100
    assert rows["yes"]["value"] == pytest.approx(0.7)
    assert rows["yes"]["exact"][0] < 0.7 < rows["yes"]["exact"][1]
    always, exact = rows["yes"]["always"], rows["yes"]["exact"]
    assert always[0] <= exact[0]
    assert exact[1] <= always[1]


def test_a_higher_confidence_widens_and_a_strange_one_is_refused(asker: Asker) -> None:
    filled(asker)
    widths = []
    for confidence in ("0.9", "0.99"):
        found = asker.get("/api/polls/fare/results", params={"confidence": confidence}).json()
        low, high = found["questions"][0]["estimates"][0]["rows"][1]["exact"]
        widths.append(high - low)
    assert widths[0] < widths[1]
    assert asker.get("/api/polls/fare/results?confidence=much").status_code == 400


def test_a_poll_without_reports_has_figures_too(asker: Asker) -> None:
    asker.unlock()
    for path in FIGURES:
        assert asker.get(path).status_code == 200 or "crosstab" in path, path


def test_one_report_tells_what_the_odds_allow(asker: Asker) -> None:
    found = filled(asker).get("/api/polls/fare/posterior?question=fare&prior=even").json()
    rows = {row["label"]: row["chances"] for row in found["tables"][0]["rows"]}
    assert rows == {"before": [0.5, 0.5], "sends “no”": [0.75, 0.25], "sends “yes”": [0.25, 0.75]}


def test_a_larger_epsilon_needs_fewer_people(asker: Asker) -> None:
    rows = filled(asker).get("/api/polls/fare/what-if?question=fare").json()["rows"]
    people = [row["people"] for row in rows]
    assert people == sorted(people, reverse=True)
    assert people[0] > people[-1]


def test_another_epsilon_says_for_which_question_answer_and_way_it_is(asker: Asker) -> None:
    arms = [{"way": "direct", "share": 1}, {"way": "device", "share": 1, "epsilon": "2"}]
    asker.unlock().post("/api/polls", {"draft": {**DRAFT, "arms": arms}})
    found = asker.get("/api/polls/secrets/what-if?question=fare").json()
    assert found["rows"][found["present"]]["epsilon"] == "2"
    assert all(word in found["words"] for word in ("this question alone", "“yes”", "“randomised”"))


@pytest.mark.parametrize(("epsilon", "warns"), [("1", False), ("2.9", False), ("3.1", True)])
def test_the_wizard_warns_of_an_epsilon_that_hides_little(
    asker: Asker, epsilon: str, *, warns: bool
) -> None:
    arms = [{"way": "device", "share": 1, "epsilon": epsilon}]
    body = {"draft": {**DRAFT, "arms": arms}, "guess": "30%", "margin": "5%"}
    told = asker.unlock().post("/api/preview", body).json()["arms"][0]
    assert (told["warn"], "hides little" in told["promise"]) == (warns, warns)


def test_while_a_poll_is_open_every_comparison_has_an_interval_for_every_look(
    asker: Asker,
) -> None:
    asker.unlock().post("/api/polls", {"draft": DRAFT})
    handle = asker.vault.poll("secrets")
    for number in range(30):
        handle.add(
            f"{number % 3}{number % 2}{number % 2}", once=f"{number:032x}", mark=handle.poll.mark
        )
    for is_open in (True, False):
        if not is_open:
            handle.close()
        question = asker.get("/api/polls/secrets/results").json()["questions"][0]
        rows = [row for each in question["differences"] for row in each["rows"]]
        assert len(rows) == 3
        assert all((row["always"] is not None) == is_open for row in rows)
    assert all(row["exact"][0] < row["value"] < row["exact"][1] for row in rows)


@pytest.mark.parametrize(
    "path",
    ["posterior?question=none", "what-if?question=none", "crosstab?one=none&two=fare", "posterior"],
)
def test_a_question_that_is_not_there_is_refused(asker: Asker, path: str) -> None:
    assert asker.unlock().get(f"/api/polls/fare/{path}").status_code == 400


def test_two_questions_are_put_together(asker: Asker) -> None:
    asker.unlock().post("/api/polls", {"draft": DRAFT})
    handle = asker.vault.poll("secrets")
    for number in range(30):
        handle.add(
            f"{number % 3}{number % 2}{number // 15}", once=f"{number:032x}", mark=handle.poll.mark
        )
    found = asker.get("/api/polls/secrets/crosstab?one=fare&two=age").json()
    tables = {table["title"]: table for table in found["tables"]}
    assert list(tables) == ["randomised", "own", "direct", "together"]
    for name in ("randomised", "own", "direct"):
        table = tables[name]
        shares = [cell["value"] for row in table["rows"] for cell in row["cells"]]
        assert sum(shares) == pytest.approx(1)
    results = asker.get("/api/polls/secrets/results").json()
    fare = results["questions"][0]
    assert {each["way"] for each in fare["estimates"]} == {"device", "own", "direct", "together"}
    assert len(fare["differences"]) >= 2


def test_the_export_is_the_definition_with_its_odds_and_all_counters(asker: Asker) -> None:
    filled(asker)
    told = asker.get("/api/polls/fare/export.json")
    assert told.headers["content-disposition"] == 'attachment; filename="fare.json"'
    read = read_export(told.text)
    assert read.poll == FARE
    table = list(csv.DictReader(io.StringIO(asker.get("/api/polls/fare/export.csv").text)))
    assert sum(int(row["count"]) for row in table) == 100
    assert json.loads(told.text)


# the acts


def test_a_poll_is_closed_and_reopened(asker: Asker) -> None:
    asker.unlock()
    assert asker.post("/api/polls/fare/close", {}).json() == {"open": False}
    assert asker.post("/api/polls/fare/close", {}).status_code == 409
    assert not asker.vault.poll("fare").is_open
    assert asker.post("/api/polls/fare/reopen", {}).json() == {"open": True}


def test_invitations_are_links_of_which_each_counts_once(asker: Asker) -> None:
    links = asker.unlock().post("/api/polls/guests/invitations", {"count": 5}).json()["links"]
    tokens = {link.partition("#")[2] for link in links}
    assert len(tokens) == 5
    assert [asker.report(GUESTS, "01", token).status_code for token in sorted(tokens)] == [201] * 5


@pytest.mark.parametrize("count", [0, -1, "5", 1.5, None, True, 10**9])
def test_a_strange_number_of_invitations_is_refused(asker: Asker, count: Any) -> None:
    asker.unlock()
    assert asker.post("/api/polls/guests/invitations", {"count": count}).status_code == 400
    assert asker.vault.poll("guests").invited == 0


def test_a_poll_for_browsers_has_no_invitations(asker: Asker) -> None:
    answer = asker.unlock().post("/api/polls/fare/invitations", {"count": 1})
    assert answer.status_code == 409
