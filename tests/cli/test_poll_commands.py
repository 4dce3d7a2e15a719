"""The commands of polls: what they print, how they end, and that the faces decide nothing."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest
from tests.cli.test_cli import data, good, run

import shoal
from shoal.cli import poll_commands, poll_publishing, poll_results
from shoal.cli.console import Exit
from shoal.polls import Poll, by_device, directly, read_export

COMMANDS = {str(command.name): command for command in poll_commands.poll.registered_commands}
QUESTION = "Have you ever travelled without a ticket?"
EXAMPLES = [
    line.strip()
    for text in (poll_commands.EXAMPLES, *(str(command.epilog) for command in COMMANDS.values()))
    for line in text.splitlines()
    if line.strip().startswith("shoal ")
]


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a vault in which polls are made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_VAULT", raising=False)
    good("init", "office.shoal")
    return tmp_path


def published(name: str, *words: str) -> str:
    """Write a poll and publish it; what publishing printed."""
    good("poll", "new", name, *words)
    return good("poll", "publish", f"{name}.toml", "--yes")


def drawn_code(example: str) -> None:
    """A QR code is drawn by a package of an extra."""
    if "--qr" in example:
        pytest.importorskip("segno")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_an_example(name: str) -> None:
    assert f"shoal poll {name}" in str(COMMANDS[name].epilog)
    assert f"shoal poll {name}" in good("poll", name, "--help")


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_help_does_something(example: str, office: Path) -> None:
    words = shlex.split(example)[1:]
    drawn_code(example)
    if words[1] != "new":
        published("commute", QUESTION, "--odds", "3:1")
        published("dice", QUESTION, "--design", "coins", "--once", "invitation")
        published("calls", QUESTION, "--design", "coins")
        Path("calls.csv").write_text("call,calls\n1,yes\n2,no\n")
    if words[1] == "reopen":
        good("poll", "close", "commute")
    assert good(*words)


@pytest.mark.slow
def test_a_poll_is_made_answered_looked_at_closed_and_exported(office: Path) -> None:
    published("commute", QUESTION, "--odds", "3:1", "--title", "Travel")
    for number in range(8):
        sent = data(
            "poll", "answer", "--count", "commute", f"commute={'yes' if number % 2 else 'no'}"
        )
        assert sent["arm"] == "randomised"
        assert sent["report"] in {"00", "01"}
        assert sent["sent"]["commute"] == ("no", "yes")[int(sent["report"][1])]
    found = data("poll", "results", "commute", "--what-if", "1,2")
    assert (found["people"], found["open"], len(found["what_if"])) == (8, True, 2)
    vault = shoal.open("office.shoal")
    assert found["questions"] == vault.poll("commute").results().to_dict()["questions"]
    assert "closed with 8 reports" in good("poll", "close", "commute")
    code, _, err = run("poll", "answer", "--count", "commute", "commute=yes")
    assert (code, "[poll-6]" in err) == (Exit.REFUSED, True)
    good("poll", "export", "commute", "--out", "out.json")
    assert read_export(Path("out.json").read_text()).people == 8
    assert read_export(good("poll", "export", "commute")).cells == vault.poll("commute").cells
    good("poll", "export", "commute", "--out", "out.csv")
    rows = list(csv.DictReader(io.StringIO(Path("out.csv").read_text())))
    assert sum(int(row["count"]) for row in rows) == 8
    good("poll", "reopen", "commute")
    listed = data("poll", "list")
    assert [(each["name"], each["open"], each["people"]) for each in listed] == [
        ("commute", True, 8)
    ]


def test_what_is_typed_is_the_poll_that_is_meant(office: Path) -> None:
    arms = (
        "--arm",
        "phone device epsilon=1 share=3",
        "--arm",
        "kary device odds=3:1 size=1",
        "--arm",
        "open direct",
    )
    text = good("poll", "new", "mode", "How?", "--answers", "foot, bus,car", *arms, "--toml")
    question = shoal.PollQuestion("mode", "How?", answers=("foot", "bus", "car"))
    meant = Poll(
        "mode",
        questions=[question],
        arms=[
            shoal.Arm("phone", by_device(epsilon=1), share=3),
            shoal.Arm("kary", by_device(odds=3, size=1)),
            shoal.Arm("open", directly()),
        ],
    )
    assert Poll.from_toml(text) == meant
    assert data("poll", "list") == []
    Path("mode.toml").write_text(text)
    told = good("poll", "publish", "mode.toml", "--yes", "--json")
    assert json.loads(told) == meant.to_dict()
    assert shoal.open("office.shoal").poll("mode").poll == meant
    assert Poll.from_toml(good("poll", "show", "mode", "--toml")) == meant
    Path("mode.json").write_text(meant.to_json())
    planned = data("poll", "plan", "--file", "mode.json", "--margin", "0.1")
    assert [each["arm"] for each in planned] == ["phone", "kary", "open"]


def test_a_range_and_its_bins_are_typed(office: Path) -> None:
    out = good("poll", "new", "hours", "How many?", "--range", "0:40:1", "--bins", "1,11", "--epsilon", "2")  # fmt: skip
    assert "answers are true" in out
    published("number", "How many?", "--range=-2:2:0.5", "--unit", "degrees", "--epsilon", "2")  # fmt: skip
    assert data("poll", "answer", "number", "number=-1.5")["sent"]["number"] in {"low", "high"}


def test_a_design_by_hand_says_what_to_do(office: Path) -> None:
    said = good(
        "poll", "new", "dice", QUESTION,
        "--design", "crosswise probability=1/4", "--instructions", "Born in spring?",
    )  # fmt: skip
    assert "Born in spring?" in said
    warned = good(
        "poll", "new", "sided", QUESTION, "--design", "triangular harmless='Born in spring?'"
    )
    assert "epsilon is infinite" in warned
    assert "excludes the answer" in warned
    arms = "--arm", "dice own crosswise probability=1/4 harmless='Born in June?'"
    assert "The harmless question: Born in June?" in good("poll", "new", "arms", QUESTION, *arms)


def test_an_invitation_is_counted_once(office: Path) -> None:
    published("dice", QUESTION, "--epsilon", "1", "--once", "invitation")
    (link,) = good("poll", "invite", "dice", "1", "--url", "https://x.example/").split()
    assert link.startswith("https://x.example/p/dice#")
    number = link.partition("#")[2]
    good("poll", "answer", "--count", "dice", "dice=yes", "--invitation", number)
    code, _, err = run("poll", "answer", "--count", "dice", "dice=yes", "--invitation", number)
    assert (code, "[poll-5]" in err) == (Exit.REFUSED, True)
    code, _, err = run("poll", "answer", "--count", "dice", "dice=yes")
    assert (code, "[poll-4]" in err) == (Exit.REFUSED, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["new"], Exit.USAGE, "Missing argument"),
        (["publish", "commute.toml"], Exit.USAGE, "nobody is here to be asked"),
        (["publish", "no.toml", "--yes"], Exit.USAGE, "No such file"),
        (["preview", "no.toml"], Exit.USAGE, "No such file"),
        (["link", "nowhere"], Exit.VAULT, "[poll-3]"),
        (["link", "commute", "--qr", "code.png"], Exit.USAGE, "written as .svg"),
        (["new", "commute", "Q?", "--odds", "3:1"], Exit.USAGE, "Add --force"),
        (["new", "a", "Q?", "--odds", "3:1", "--show-sent", "never"], Exit.USAGE, "after, before"),
        (["answer", "commute"], Exit.USAGE, "no answer was given"),
        (["answer", "commute", "--replies", "no.csv"], Exit.USAGE, "No such file"),
        (
            ["answer", "commute", "commute=yes", "--replies", "commute.toml"],
            Exit.USAGE,
            "says it all",
        ),
        (["answer", "commute", "--replies", "commute.toml"], Exit.USAGE, "device"),
        (["new", "a", "Q?"], Exit.USAGE, "Write --epsilon 1"),
        (["plan", "commute", "--margin", "5"], Exit.USAGE, "below 1"),
        (["new", "a", "Q?", "--epsilon", "1", "--arm", "x direct"], Exit.USAGE, "--arm"),
        (["new", "a", "Q?", "--epsilon", "1", "--design", "coins"], Exit.USAGE, "of its own"),
        (["new", "a", "Q?", "--design", "coins", "--arm", "x direct"], Exit.USAGE, "--arm"),
        (["new", "a", "Q?", "--arm", "direct"], Exit.USAGE, "cannot be read"),
        (
            ["new", "a", "Q?", "--arm", "x own coins instructions='Toss"],
            Exit.USAGE,
            "cannot be read",
        ),
        (["new", "a", "Q?", "--design", "crosswise"], Exit.USAGE, "needs a harmless question"),
        (["new", "a", "Q?", "--arm", "x direct share=two"], Exit.USAGE, "whole number"),
        (["new", "a", "Q?", "--epsilon", "1", "--instructions", "x"], Exit.USAGE, "by hand"),
        (["new", "a", "Q?", "--odds", "3:4"], Exit.USAGE, "at most 1 to 1"),
        (["plan"], Exit.USAGE, "one poll"),
        (["show", "nowhere"], Exit.VAULT, "[poll-3]"),
        (["answer", "commute", "commute=perhaps"], Exit.USAGE, "not one of its answers"),
        (["answer", "commute", "other=yes"], Exit.USAGE, "one answer to each question"),
        (["results", "commute", "--cross", "commute"], Exit.USAGE, "two questions"),
        (["export", "commute", "--out", "no/such/folder.json"], Exit.USAGE, "no such folder"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    words: list[str], code: Exit, part: str, office: Path
) -> None:
    published("commute", QUESTION, "--epsilon", "1")
    found, out, err = run("poll", *words)
    assert (found, out) == (code, "")
    assert part in " ".join(err.split())


@pytest.mark.slow
def test_results_show_arms_differences_and_tables(office: Path) -> None:
    poll = Poll(
        "two",
        title="Two",
        questions=[shoal.PollQuestion("fare", QUESTION), shoal.PollQuestion("age", "Old?")],
        arms=[
            shoal.Arm("one", by_device(odds=3)),
            shoal.Arm("two", by_device(odds=2)),
            shoal.Arm("open", directly()),
        ],
    )
    Path("two.toml").write_text(poll.to_toml())
    good("poll", "publish", "two.toml", "--yes")
    for _ in range(12):
        good("poll", "answer", "--count", "two", "fare=yes", "age=no")
    assert "too few yet (" in good("poll", "results", "two", "--cross", "fare,age")
    said = good("poll", "results", "two", "--cross", "fare,age", "--early")
    for part in ("one less two", "together", "no & yes", "at any time"):
        assert part in said
    table = good("poll", "results", "two", "--csv")
    assert {row["question"] for row in csv.DictReader(io.StringIO(table))} == {"fare", "age"}
    assert poll_results.RESULTS


def test_an_answer_is_counted_only_where_that_is_asked(office: Path) -> None:
    published("commute", QUESTION, "--epsilon", "1")
    assert not data("poll", "answer", "commute", "commute=yes")["counted"]
    assert data("poll", "list")[0]["people"] == 0
    assert data("poll", "answer", "commute", "commute=yes", "--count")["counted"]
    assert data("poll", "list")[0]["people"] == 1


def test_a_plan_for_a_range_reaches_a_twentieth_of_it_and_says_so(office: Path) -> None:
    published("hours", "How many?", "--range", "0:40:1", "--unit", "hours", "--epsilon", "2")
    assert "2 hours" in good("poll", "plan", "hours")


@pytest.mark.parametrize(
    ("epsilon", "warned"), [("1", False), ("2.9", False), ("3.1", True), ("10", True)]
)
def test_odds_that_hide_little_are_said_to(epsilon: str, warned: bool, office: Path) -> None:
    out = good("poll", "new", "loud", "Have you?", "--epsilon", epsilon)
    assert ("This hides little" in out) is warned


def test_a_new_poll_is_a_file_and_nothing_is_published(office: Path) -> None:
    out = good("poll", "new", "commute", QUESTION, "--odds", "9:1")
    assert "9 of 10 answers are true" in out
    assert "epsilon 2.2 (exactly ln(9)), at most 2.19723" in out
    assert data("poll", "list") == []
    assert Poll.from_toml(Path("commute.toml").read_text()) == Poll("commute", QUESTION, odds=9)


def test_publishing_is_asked_for_where_somebody_can_be_asked(
    office: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good("poll", "new", "commute", QUESTION, "--odds", "3:1")
    monkeypatch.setattr(poll_publishing, "_somebody_is_here", lambda: True)
    seen: list[str] = []
    for agreed in (False, True):

        def confirmed(words: str, *, err: bool, agreed: bool = agreed) -> bool:
            assert err
            seen.append(words)
            return agreed

        monkeypatch.setattr("typer.confirm", confirmed)
        code, _, err = run("poll", "publish", "commute.toml")
        assert (code == Exit.DONE) is agreed
        assert "3 of 4 answers are true." in err
        assert len(data("poll", "list")) == agreed
    assert len(seen) == 2
    assert all("never be changed" in words for words in seen)


def test_a_preview_is_the_text_of_the_page_or_the_page_itself(office: Path) -> None:
    good("poll", "new", "commute", QUESTION, "--odds", "3:1")
    assert good("poll", "preview", "commute.toml") == Poll("commute", QUESTION, odds=3).preview()
    good("poll", "preview", "commute.toml", "--out", "page.html")
    assert QUESTION in Path("page.html").read_text()
    assert data("poll", "list") == []


def test_the_link_of_a_poll_is_printed_and_an_invitation_has_none(office: Path) -> None:
    published("commute", QUESTION, "--odds", "3:1")
    published("dice", QUESTION, "--odds", "3:1", "--once", "invitation")
    link = good("poll", "link", "commute", "--url", "https://polls.example.org/")
    assert link == "https://polls.example.org/p/commute\n"
    code, _, err = run("poll", "link", "dice")
    assert (code, "shoal poll invite dice 100" in err) == (Exit.USAGE, True)


def test_replies_of_calls_are_entered_once(office: Path) -> None:
    published("calls", QUESTION, "--design", "coins")
    Path("calls.csv").write_text("call,calls\n1,yes\n2,no\n3,no\n")
    assert "none counted" in good("poll", "answer", "calls", "--replies", "calls.csv")
    assert data("poll", "list")[0]["people"] == 0
    for counted in (3, 0):
        said = data("poll", "answer", "calls", "--replies", "calls.csv", "--count")
        assert said == {"calls": 3, "counted": counted, "before": 3 - counted}
    assert shoal.open("office.shoal").poll("calls").cells == {"00": 2, "01": 1}


def test_what_the_counts_alone_tell_is_said_where_it_is_clearly_less(office: Path) -> None:
    published("calls", QUESTION, "--design", "coins")
    for people, said in ((20, False), (600, True)):
        lines = [f"{number},{('no', 'yes')[number % 2]}" for number in range(people)]
        Path("calls.csv").write_text("\n".join(["call,calls", *lines]))
        good("poll", "answer", "calls", "--replies", "calls.csv", "--count")
        out = good("poll", "results", "calls")
        assert ("sees only these counts" in out) is said
        assert ("too few yet" in out) is not said
