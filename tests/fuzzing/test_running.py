"""The fuzzer itself: seeds make cases, faults are found, failing cases become small, and all of it
is told.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from scripts.fuzzing import __main__ as command
from scripts.fuzzing.case import Case, Finding, Seen, ending, endings_apart
from scripts.fuzzing.every import KINDS, ROUND, case_of, seed_of
from scripts.fuzzing.kinds.commands import without_modes
from scripts.fuzzing.kinds.questions import FACES, make
from scripts.fuzzing.report import printed
from scripts.fuzzing.running import Run, run, smallest

from shoal.engines.duckdb import sorting
from shoal.engines.reference import totals as reference
from shoal.errors import RangeError
from shoal.plan import WHOLE, Bounded


@dataclass(frozen=True)
class Sum(Case):
    """Fails while its numbers add up to more than 9."""

    numbers: tuple[int, ...]

    def check(self) -> Seen:
        return Seen((Finding("sum", str(sum(self.numbers))),) if sum(self.numbers) > 9 else ())

    def smaller(self) -> Iterator[Case]:
        for at in range(len(self.numbers)):
            yield Sum(self.numbers[:at] + self.numbers[at + 1 :])

    def written(self) -> str:
        return f"sum({self.numbers})"


def test_a_seed_names_a_case_and_a_case_its_seed() -> None:
    assert {case_of(seed)[0].name for seed in range(ROUND)} == set(KINDS)
    for seed in (0, 799, 800, 1000, ROUND - 1, ROUND, 123_456_789):
        assert seed_of(*case_of(seed)) == seed


@pytest.mark.parametrize("name", KINDS)
def test_a_seed_makes_the_same_case_again(name: str) -> None:
    kind = KINDS[name]
    assert [kind.make(n).written() for n in (0, 3)] == [kind.make(n).written() for n in (0, 3)]


def test_a_failing_case_loses_all_that_it_can_do_without() -> None:
    assert smallest(Sum((1, 7, 0, 2, 5)), Finding("sum", "")) == Sum((7, 5))


@dataclass(frozen=True)
class Made:
    """A kind whose cases are all one."""

    case: Case
    name: str = "questions"

    def make(self, number: int) -> Case:
        del number
        return self.case


def faulty(case: Case) -> Run:
    with patch("scripts.fuzzing.running.case_of", lambda seed: (Made(case), seed)):
        return run(range(5))


def test_what_is_found_is_counted_and_shown_with_the_line_that_makes_it_again() -> None:
    done = faulty(Sum((1, 7, 2)))
    assert (done.cases, done.findings, len(done.found)) == (5, 5, 3)
    text = printed(done, 1.0)
    assert "questions, sum: 10" in text
    assert "make fuzz SEED=2" in text
    assert "sum((1, 7, 2))" in text


def test_the_command_ends_with_5_where_something_is_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with patch("scripts.fuzzing.running.case_of", lambda seed: (Made(Sum((99,))), seed)):
        assert command.main(["--cases", "2", "--json"]) == 5
    told = json.loads(capsys.readouterr().out)
    assert (told["cases"], told["findings"], told["found"][0]["python"]) == (2, 2, "sum((99,))")
    with patch("scripts.fuzzing.running.case_of", lambda seed: (Made(Sum(())), seed)):
        assert command.main(["--seed", "7"]) == 0
    assert "questions" in capsys.readouterr().out


def test_bare_errors_and_other_words_are_findings_and_equal_refusals_are_none() -> None:
    def refused(words: str) -> Any:
        raise RangeError(words, remedy="Do another thing.")

    one, two = (ending(lambda words=words: refused(words)) for words in ("a", "b"))  # type: ignore[misc]
    bare, fine = ending(lambda: 1 // 0), ending(lambda: 1)
    assert endings_apart(one, one) == endings_apart(fine, fine) == []
    assert [each.rule for each in endings_apart(one, two)] == ["error text"]
    assert [each.rule for each in endings_apart(fine, two)] == ["outcome"]
    assert [each.rule for each in endings_apart(bare, bare)] == ["bare error"]


BROKEN: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "shares of groups in the reference": (reference, "factor_for_groups", lambda *_: WHOLE),
    "shares of rows in the reference": (reference, "factor_for_rows", lambda *_: WHOLE),
    "groups when sorting": (
        sorting,
        "_factors",
        lambda sizes, _, first: np.full(len(sizes), WHOLE),
    ),
}


def is_found(*wanted: str, cases: int) -> bool:
    """Whether one of so many cases breaks one of these rules."""
    return any(
        each.rule in wanted for number in range(cases) for each in make(number).check().findings
    )


@pytest.mark.slow
@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_rule_of_bounding_is_found_within_the_share(fault: str) -> None:
    place, name, broken = BROKEN[fault]
    with patch.object(place, name, broken):
        assert is_found("moved", "engines", cases=KINDS["questions"].share)


@pytest.mark.slow
def test_half_the_sensitivity_is_found_within_the_share() -> None:
    from scripts.fuzzing.kinds import questions  # noqa: PLC0415 - its plans are kept, and are made anew here

    real = Bounded.sensitivity
    questions.plan_of.cache_clear()
    try:
        with patch.object(Bounded, "sensitivity", lambda *given: real(*given).scaled_by("1/2")):
            assert is_found("moved", cases=160)
    finally:
        questions.plan_of.cache_clear()


@pytest.mark.slow
def test_most_questions_are_answered_at_every_face() -> None:
    seen = {face: [0, 0] for face in FACES}
    for number in range(192):
        case = make(number)
        outcome = case.check().outcome
        seen[FACES[number % len(FACES)]][0] += outcome == "answered"
        seen[FACES[number % len(FACES)]][1] += 1
    for answered, cases in seen.values():
        assert answered > 0.6 * cases


def test_a_mode_is_left_open_and_keys_and_other_columns_are_not() -> None:
    text = "SELECT k AS k0, SUM(x) AS a0, MODE(CAST(x AS DATE)) AS a1 FROM data GROUP BY k0"
    answer = {"columns": ["k0", "a0", "a1"], "rows": [["a", 3, "2020-01-01"], ["b", None, None]]}
    assert without_modes(answer, text)["rows"] == [["a", 3, "a mode"], ["b", None, "a mode"]]
    assert without_modes(answer, text.replace("MODE", "MAX")) == answer
