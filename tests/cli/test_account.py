"""``shoal account``: what it prints, as text and as data, and how it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.cli.account_view import AccountView
from shoal.events import Composed, Event, Gaussian, Repeated, StatedPure

WORKLOAD = (
    "gaussian sigma=0.8 | sampled q=0.01 | x 10000 + laplace scale=10 | x 50 "
    "+ rr p=0.55 | x 50 + pure epsilon=0.1 | x 500"
)
PLAIN = {"NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"}


def run(*arguments: str, given: str | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(arguments), input=given, env=PLAIN)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def data(*arguments: str, given: str | None = None) -> dict[str, Any]:
    code, out, err = run("account", *arguments, "--json", given=given)
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


REFERENCE = {
    "gaussian sigma=30 | x 1000": 5.1890366,
    "gaussian sigma=0.8 | sampled q=0.01 | x 1000": 3.706185,
    "laplace scale=10 | x 100": 4.6926674,
    "pure epsilon=0.1 | x 500": 12.51787996,
    "laplace scale=10 | x 50 + gaussian sigma=20 | x 50 + rr p=0.55 | x 50": 8.253723,
}


@pytest.mark.parametrize(("text", "value"), REFERENCE.items(), ids=list(REFERENCE))
def test_reference_figures_lie_in_the_bracket_that_is_printed_as_data(
    text: str, value: float
) -> None:
    found = data(text, "--delta", "1e-6")
    assert found["lower"] <= value + 1e-6
    assert value - 1e-6 <= found["epsilon"] <= value + 1e-4
    assert found["events"] == text


def test_data_hold_every_measure_tightest_first() -> None:
    found = data("gaussian sigma=30 | x 1000")
    assert found["delta"] == 1e-6
    assert found["measures"][0]["epsilon"] == found["epsilon"]
    assert found["measures"][0]["measure"] == found["measure"]
    epsilons = [each["epsilon"] for each in found["measures"]]
    assert epsilons == sorted(epsilons)
    assert {each["measure"] for each in found["measures"]} >= {"Renyi", "GaussianDP"}
    assert (found["releases"], found["relation"], found["asked"]) == (1000, None, "epsilon")


def test_a_number_that_was_found_is_rounded_to_the_safe_side() -> None:
    found = data("pure epsilon=1/3", "--delta", "0")
    assert Fraction(found["epsilon"]) > Fraction(1, 3) > Fraction(found["lower"])


@pytest.mark.slow
def test_releases_for_different_neighbours_are_each_priced_for_their_own() -> None:
    found = data(WORKLOAD, "--delta", "1e-6")
    assert found["relation"] == "own"
    assert found["measure"] == "LossDistribution"
    assert found["lower"] <= found["epsilon"] <= found["lower"] + 1e-6
    changed = data(WORKLOAD, "--relation", "change")
    # a row that changes is one that goes and one that comes, which are rarely in one sample
    # together
    assert found["epsilon"] < changed["epsilon"] < 2 * found["epsilon"]


def test_delta_at_an_epsilon() -> None:
    found = data("gaussian sigma=1", "--epsilon", "1")
    assert (found["asked"], found["epsilon"]) == ("delta", 1.0)
    assert found["lower"] <= 0.12693673750664395 <= found["delta"] < 0.12693674
    assert all(each["epsilon"] == 1.0 for each in found["measures"])


def test_text_shows_the_measures_the_bracket_and_what_it_means() -> None:
    code, out, err = run("account", "gaussian sigma=30 | x 1000")
    assert (code, err) == (0, "")
    assert "gaussian sigma=30 | x 1000\n" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["Gaussian", "5.18904", "tightest"] in lines
    assert ["zero-concentrated", "5.54276"] in lines or ["zero-concentrated", "5.54277"] in lines
    assert "The truth lies between 5.18903663 and 5.18903665" in out
    assert "recognises the person at most 27.8 % of the time" in " ".join(out.split())


def test_brief_text_leaves_out_what_it_means() -> None:
    _, out, _ = run("account", "gaussian sigma=30 | x 1000", "--brief")
    assert "tightest" in out
    assert "tester" not in out


def test_where_a_law_is_not_known_no_lower_end_is_claimed() -> None:
    text = "exponential epsilon=0.1 candidates=4 | x 50"
    assert data(text)["lower"] is None
    assert "not known" in run("account", text, "--brief")[1]


def test_output_that_is_not_for_a_terminal_has_no_colours() -> None:
    _, out, err = run("account", "gdp mu=1")
    assert "\x1b" not in out + err


# what is read

EVENTS: list[Event] = [Repeated(Gaussian(30, 1), 10), StatedPure("0.1")]


def test_a_file_of_one_event_in_json_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_text(Composed(EVENTS).to_json())
    assert data(str(path))["events"] == "gaussian sigma=30 | x 10 + pure epsilon=0.1"


def test_a_list_of_events_in_json_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_text(json.dumps([event.to_dict() for event in EVENTS], indent=2))
    assert data(str(path))["events"] == "gaussian sigma=30 | x 10 + pure epsilon=0.1"
    path.write_text(f"[{EVENTS[1].to_json()}]")
    assert data(str(path))["events"] == "pure epsilon=0.1"


def test_a_file_of_compact_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text("# the plan\ngaussian sigma=30 | x 10\n+ pure epsilon=0.1\n")
    assert data(str(path))["releases"] == 11


@pytest.mark.parametrize(
    "given", ["pure epsilon=0.1 | x 3\n", Repeated(StatedPure(1), 3).to_json()]
)
def test_standard_input_is_read(given: str) -> None:
    assert data("-", given=given)["releases"] == 3


def test_events_without_compact_text_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_text(Repeated(Composed([StatedPure(1)]), 4).to_json())
    found = data(str(path))
    assert (found["events"], found["releases"]) == (None, 4)


# refusals

REFUSALS: dict[str, tuple[list[str], str]] = {
    "a misspelt word": (["gausian sigma=1"], "[event-2] 'gausian' is not a kind"),
    "carets": (["gausian sigma=1"], "    ^^^^^^^\n"),
    "no file": (["events.json"], "[event-1] there is no file 'events.json'."),
    "bad JSON": (['{"kind": 3}'], "[event-1]"),
    "a list of nothing readable": (["[1]"], "[event-1]"),
    "a delta": (["gdp mu=1", "--delta", "2"], "[number-2] delta must be from 0 to 1"),
    "both": (["gdp mu=1", "--delta", "0.1", "--epsilon", "1"], "exactly one of"),
    "nothing promised": (["non_private"], "[price-1]"),
    "an ending": (["gdp mu=1", "--plot", "x.pdf"], "[number-2]"),
    "a folder": (["gdp mu=1", "--plot", "/no/such/folder/x.png"], "no such folder"),
}


@pytest.mark.parametrize(("arguments", "words"), REFUSALS.values(), ids=list(REFUSALS))
def test_a_refusal_goes_to_standard_error_with_exit_code_2(
    arguments: list[str], words: str
) -> None:
    code, out, err = run("account", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_bytes(b"\xff\xfe\x00")
    code, _, err = run("account", str(path))
    assert code == 2
    assert "not text in UTF-8" in err


@pytest.mark.slow
def test_the_mixed_workload_has_a_price_for_rows_that_change() -> None:
    assert data(WORKLOAD, "--relation", "change")["releases"] == 10_600


# the command itself


def test_version_and_help() -> None:
    assert run("--version")[1].startswith("shoal 0.")
    code, out, _ = run("--help")
    assert code == 0
    assert 'shoal account "gaussian sigma=30 | x 1000"' in out
    code, out, _ = run("account", "--help")
    assert code == 0
    assert "--delta" in out
    assert "cat events.json | shoal account - --epsilon 2 --json" in out


def test_a_word_that_is_no_command_is_refused() -> None:
    assert run("acount", "gdp mu=1")[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("curve", ["profile", "trade-off", "renyi", "all"])
def test_a_picture_is_drawn_where_asked(curve: str, tmp_path: Path) -> None:
    path = tmp_path / "picture.json"
    code, out, err = run(
        "account", "laplace scale=3 | x 5", "--brief", "--plot", str(path), "--curve", curve
    )
    assert (code, err) == (0, "")
    assert "Drawn" in out
    assert "vega-lite" in json.loads(path.read_text())["$schema"]


# as a process of its own


@pytest.mark.slow
def test_the_command_runs_as_a_process() -> None:
    command = [sys.executable, "-W", "error", "-m", "shoal", "account", "-", "--json"]
    done = subprocess.run(
        command, input="gdp mu=1 | x 4", capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["releases"] == 4
    assert done.stderr == ""


@pytest.mark.slow
def test_the_installed_script_refuses_without_a_traceback() -> None:
    script = Path(sys.executable).parent / "shoal"
    done = subprocess.run([script, "account", "gdp"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("[event-2] 'gdp' lacks mu.")


def test_an_interrupt_ends_it_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(AccountView, "of", interrupted)
    code, out, err = run("account", "gdp mu=1")
    assert code not in {0, 2}
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_shell_completes_the_options() -> None:
    script = Path(sys.executable).parent / "shoal"
    asked = {
        "_SHOAL_COMPLETE": "complete_bash",
        "COMP_WORDS": "shoal account --re",
        "COMP_CWORD": "2",
    }
    done = subprocess.run(
        [script], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["--relation"]
