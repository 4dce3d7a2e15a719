"""What the respondent's page says about a report, from the very scripts that are served, run in
Node.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.server.asking import hosting

from shoal.local import Design, crosswise, forced, triangular
from shoal.local.design import times
from shoal.polls import Arm, Poll, PollProtocol, PollQuestion, by_device, by_own
from shoal.server.rendering import STATIC

FARE = PollQuestion("fare", "Have you ever travelled without a ticket?")


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The scripts in a folder that Node takes for modules."""
    for name in ("client.js", "report_meaning.js"):
        (tmp_path / name).write_bytes((STATIC / name).read_bytes())
    (tmp_path / "package.json").write_text('{"type": "module"}')
    return tmp_path


def ran(scripts: Path, *cases: list[Any]) -> list[Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    runner = Path(__file__).parent / "report_meaning.mjs"
    done = subprocess.run(
        [node, runner, scripts], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    found: list[Any] = json.loads(done.stdout)
    return found


def design_of(way: PollProtocol, question: PollQuestion = FARE) -> dict[str, Any]:
    poll = Poll("poll", title="A poll", questions=[question], arms=[Arm("only", way)])
    found: dict[str, Any] = poll.to_dict()["arms"][0]["designs"][0]
    return found


def told(
    scripts: Path, way: PollProtocol, report: int, question: PollQuestion = FARE
) -> dict[str, Any]:
    found: dict[str, Any] = ran(scripts, ["tells", design_of(way, question), str(report)])[0]
    return found


def test_a_report_that_proves_little_says_so_with_the_posterior(scripts: Path) -> None:
    found = told(scripts, by_device(odds=3), 1)
    assert found["title"] == "Why “yes” proves little. "
    assert found["words"].startswith(
        "Of 100 people who send “yes”, about 75 have that answer and about 25 do not"
    )
    assert "about 25 of the 100 do" in found["words"]
    assert (found["filled"], found["warn"]) == (75, False)


@pytest.mark.parametrize(("odds", "warns"), [(9, False), ("9.1", True), (100, True)])
def test_little_is_proved_up_to_ninety_of_a_hundred_and_no_further(
    scripts: Path, odds: str | int, *, warns: bool
) -> None:
    found = told(scripts, by_device(odds=odds), 0)
    assert found["warn"] == warns
    assert found["title"].startswith("This tells a lot" if warns else "Why “no” proves little")


def test_odds_below_one_are_never_rounded_to_certainty(scripts: Path) -> None:
    found = told(scripts, by_device(epsilon=10), 1)
    assert "all but about 1 in 22,0" in found["words"]
    assert "about 100 " not in found["words"]
    assert "about 0 " not in found["words"]
    assert "all but about 1 time in 22,0" in design_of(by_device(epsilon=10))["words"]


@pytest.mark.parametrize(
    "chance", ["1999/2001", "99999/100001", "1/100000000000", "4999999/5000000"]
)
def test_no_chance_is_put_into_words_as_all_or_none_of_so_many(chance: str) -> None:
    words = times(Fraction(chance)).replace(",", "").split()
    numbers = [int(each) for each in words if each.isdigit()]
    assert numbers[0] not in (0, numbers[-1])


def test_a_report_of_a_one_sided_design_that_excludes_an_answer_says_so(scripts: Path) -> None:
    one_sided = design_of(by_device(design=triangular("1/4")))
    found = ran(scripts, *(["tells", one_sided, str(report)] for report in range(2)))
    sure = [each for each in found if "for sure" in each["words"]]
    assert len(sure) == 1
    assert sure[0]["warn"]
    assert sure[0]["title"] == "This tells a lot about you. "


@pytest.mark.parametrize("design", [crosswise("1/4"), forced("2/3")])
def test_every_design_by_device_says_how_many_have_each_answer(
    scripts: Path, design: Design
) -> None:
    """A reply "same" is not an answer "same": only replies named as answers are spoken of as
    such.
    """
    asked = design_of(by_device(design=design))
    for place, report in enumerate(asked["reports"]):
        found = ran(scripts, ["tells", asked, str(place)])[0]["words"]
        alike = asked["reports"] == asked["matrix"]["answers"]
        assert ("have that answer" in found) == alike
        assert f"send “{report}”" in found
        assert ("“yes”: about" in found) != alike


def test_a_set_of_hundreds_is_counted_at_once_and_rounded_once(scripts: Path) -> None:
    many = PollQuestion("mode", "Which?", answers=[f"answer {number}" for number in range(600)])
    asked = design_of(by_device(odds=3), many)
    size = asked["subset"]["size"]
    report = str(int(asked["subset"]["kinds"]) - 1)
    found = ran(scripts, *[["tells", asked, report]] * 20)
    inside = Fraction(3 * size, 3 * size + 600 - size)
    assert {each["filled"] for each in found} == {round(100 * inside)}
    assert not found[0]["warn"]


def test_a_range_tells_both_ends(scripts: Path) -> None:
    hours = PollQuestion("hours", "How many?", range=(0, 40, 1))
    found = told(scripts, by_device(odds=3), 1, hours)
    assert "answer 0, about 25 send" in found["words"]
    assert "answer 40, about 75 do" in found["words"]
    assert "filled" not in found


RANGE = {"low": "-0.3", "high": "0.9", "step": "0.1"}
FINE = {"low": "1000000000000", "high": "1000000000000.000000009", "step": "0.000000001"}


@pytest.mark.parametrize(
    ("scale", "typed", "place"),
    [(RANGE, "-0.3", 0), (RANGE, "0", 3), (RANGE, "0.9", 12), (RANGE, "9e-1", 12), (RANGE, ".5", 8), (RANGE, "+0.10", 4),
     (RANGE, "0.95", None), (RANGE, "1", None), (RANGE, "-0.4", None), (RANGE, "", None), (RANGE, ".", None), (RANGE, "much", None),
     (FINE, "1000000000000.000000007", 7), (FINE, "1000000000000.0000000075", None)],
)  # fmt: skip
def test_a_typed_number_finds_its_step_exactly(
    scripts: Path, scale: dict[str, str], typed: str, place: int | None
) -> None:
    assert ran(scripts, ["stepsUpTo", scale, typed]) == [place]


def test_the_definition_in_a_page_is_read_back_as_it_was_written(scripts: Path) -> None:
    poll = Poll("poll", r"Is a < b, \u003c, \\u003c or \<?", odds=3)
    embedded = poll.to_json().replace("<", "\\u003c")
    assert ran(scripts, ["originalText", embedded]) == [poll.to_json()]


def test_every_hidden_question_says_its_odds_and_what_they_give_away(tmp_path: Path) -> None:
    one_sided = triangular("1/4")
    told = "Was your mother born in January, February or March?"
    polls = [
        Poll(name, title="A poll", questions=[FARE], arms=[Arm("only", way)])
        for name, way in (
            ("device", by_device(design=one_sided)),
            ("own", by_own(one_sided, instructions=told)),
        )
    ]
    with hosting(tmp_path, *polls) as asker:
        for poll in polls:
            page = asker.get(f"/p/{poll.name}").text
            assert "Careful: the report" in page
            assert "1 time out of 4" in page
