"""What the pages of audits show: one picture for every kind of test, drawn from what was seen."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.auditing import Verdict, verdict_pictures
from shoal.auditing.exact import Law, judge, verify
from shoal.auditing.guess_bound import one_run_p_value
from shoal.auditing.histogram_data import HistogramData, seen_in
from shoal.auditing.lattice import lattice
from shoal.auditing.one_run import one_run
from shoal.auditing.outputs import read_outputs
from shoal.auditing.repeats import repeats
from shoal.auditing.timing import Timed, timing
from shoal.auditing.verdict_pictures import low_bits
from shoal.errors import ExtraError
from shoal.page import PagePicture, Words

FINE, COARSE = np.arange(1.0, 201.0) * 2.0**-40, np.arange(1.0, 201.0) * 2.0**-20
COINS = np.arange(64) % 2
LAWS = verify({"x": Law({"a": "3/4", "b": "1/4"}), "y": Law({"a": "1/4", "b": "3/4"})})
APART = verify({"x": Law({"a": 1}), "y": Law({"b": 1})})


def timed(apart: float) -> Timed:
    answers = np.tile([[-9.0, 9.0], [9.0, -9.0], [0.0, 0.0]], (40, 1))
    return Timed(5e3 + apart * np.array([0, 1]) + np.abs(answers), answers)


def constant(value: float) -> float:
    return value


KINDS: dict[str, tuple[Callable[[], Verdict], str]] = {
    "lattice": (lambda: lattice(FINE, COARSE, epsilon=1), "lowest bit that is set"),
    "lattice of zeros": (lambda: lattice(np.zeros(200), np.zeros(200), epsilon=1), "on d0"),
    "timing": (lambda: timing(timed(9e3)), "share of runs that had ended"),
    "repeats": (lambda: repeats(constant, 0.0, 1.0), "second answer less first"),
    "one run": (lambda: one_run(COINS, COINS, epsilon=1), "share of right guesses"),
    "one run without a claim": (lambda: one_run(COINS, -COINS), "share of right guesses"),
    "one run of few": (
        lambda: one_run([1, 0], [1, 0], guesses=2, epsilon=1),
        "share of right guesses",
    ),
    "pure": (lambda: judge(LAWS, shoal.Pure(2)), "delta"),
    "approx": (lambda: judge(LAWS, shoal.Approx(1, "0.1")), "delta"),
    "normal": (lambda: judge(APART, shoal.GaussianDP(1)), "delta"),
    "concentrated": (lambda: judge(LAWS, shoal.ZeroConcentrated("0.3")), "Rényi epsilon"),
    "rényi": (lambda: judge(APART, shoal.Renyi({2: 1})), "Rényi epsilon"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_the_page_of_every_kind_of_test_has_a_picture_with_a_caption(name: str) -> None:
    make, shown = KINDS[name]
    drawn = [part for part in make().to_page().parts if isinstance(part, PagePicture)]
    assert len(drawn) == 1
    assert drawn[0].svg.startswith("<svg")
    assert shown in drawn[0].svg
    assert drawn[0].caption.endswith(".")


@pytest.mark.slow
def test_a_verdict_with_a_picture_can_be_sent_and_is_told_as_data_without_it() -> None:
    for make, _ in KINDS.values():
        verdict = make()
        assert pickle.loads(pickle.dumps(verdict)).to_dict() == verdict.to_dict()
        assert "drawings" not in verdict.to_dict()


def test_answers_that_are_no_numbers_have_no_differences_to_draw() -> None:
    found = repeats(lambda _: "yes", 0, 1)
    assert not any(isinstance(part, PagePicture) for part in found.to_page().parts)


def test_a_page_without_the_extra_says_that_pictures_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*_: Any, **__: Any) -> str:
        raise ExtraError("pictures need packages.", remedy="Install them.")

    monkeypatch.setattr(verdict_pictures, "two_histograms", missing)
    last = lattice(FINE, COARSE, epsilon=1).to_page().parts[-1]
    assert last == Words("The pictures are left out. Install them.")


# what is drawn


def test_lowest_bits_are_drawn_as_shares_of_all_answers() -> None:
    cells = np.array([-2, -2, -1, -(1 << 40)], dtype=np.int64), np.array([3], dtype=np.int64)
    assert low_bits(*cells).given == (((-3, 0.5, 0.0), (-2, 0.25, 0.0), (2, 0.0, 1.0)),)
    (shares,) = lattice(FINE, COARSE, epsilon=1).drawings[0].given
    assert {power for power, one, _ in shares if one} == set(range(-40, -32))
    assert {power for power, _, two in shares if two} == set(range(-20, -12))


def test_time_is_drawn_for_the_question_that_it_says_most_about() -> None:
    name, kinds, (one, two) = timing(timed(9e3)).drawings[0].given
    assert (name, kinds) == ("slower dataset", ("on d1", "on d0"))
    assert min(x for x, _ in one) > max(x for x, _ in two)


@pytest.mark.slow
def test_noise_that_comes_again_is_drawn_as_one_level() -> None:
    where, points = repeats(constant, 0.0, 1.0, epsilon=1).drawings[0].given
    assert where
    assert len({y for _, y in points}) == 1


def test_right_guesses_are_drawn_against_the_fewest_that_refute() -> None:
    """Between what refutes and what does not lies one guess."""
    drawing = one_run(COINS, COINS, epsilon=1).drawings[0]
    tried, canaries, epsilon, delta, risk = drawing.given
    needed = {r: verdict_pictures._refuting(canaries, r, epsilon, delta, risk) for r, _ in tried}
    assert None not in list(needed.values())[:-1]
    for guesses, right in needed.items():
        most = guesses if right is None else right - 1
        bounds = [one_run_p_value(canaries=canaries, guesses=guesses, right=each, epsilon=epsilon, delta=delta) for each in (most, most + 1) if each <= guesses]  # fmt: skip
        assert bounds[0] > risk
        assert all(each <= risk for each in bounds[1:])


def test_the_profile_is_drawn_with_its_own_values_and_those_of_the_claim() -> None:
    found, claimed, places, _ = judge(LAWS, shoal.Approx(1, "0.1")).drawings[0].given
    assert places[0] == 0
    assert places[-1] > 1
    assert found(places[0]) == 0.5
    assert claimed(places[-1]) == pytest.approx(0.1)


# how a page ends


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "last"),
    [
        (shoal.Pure(2), "holds for the pairs"),
        (shoal.Pure("0.5"), "is false"),
        (shoal.GaussianDP(9), "neither refuted nor proven"),
    ],
)
def test_the_page_of_the_verifier_ends_as_its_verdict_does(claim: shoal.Measure, last: str) -> None:
    written = judge(LAWS, claim).to_page().markdown()
    assert last in written
    assert "A claim that is not refuted is not proven" not in written


# histograms of outputs


class Above:
    """The event of outputs of at least a number."""

    text = "at least"

    def __init__(self, least: float) -> None:
        self._least = least

    def happens(self, outputs: Any) -> Any:
        return outputs.numbers >= self._least


def seen(one: Any, other: Any, least: float) -> HistogramData:
    event: Any = Above(least)
    return seen_in(read_outputs(one), read_outputs(other), event)


def test_tails_do_not_pile_up_in_the_last_bar() -> None:
    body = np.linspace(-1, 1, 5000)
    far = np.concatenate([body, np.full(9, 1e6), np.full(9, -1e6)])
    found = seen(far, body, 0.0)
    assert found.places[-1][1] < 100
    assert found.first[-1] < 2 * found.first[-2]
    assert 18 / 5018 <= 1 - sum(found.first) < 0.01


def test_a_long_tail_does_not_hide_the_event() -> None:
    body = np.linspace(-1, 1, 5000)
    tail = np.concatenate([body, np.linspace(50, 60, 40)])
    assert seen(tail, body, 50.0).places[-1][1] > 54
    assert seen(tail, body, 0.5).places[-1][1] < 10


def test_a_bar_that_the_event_covers_in_part_is_dark_in_that_part_on_each_dataset() -> None:
    one, other = np.repeat([0.0, 1.0], 500), np.repeat([0.0, 1.0], [300, 700])
    truths = np.array([True, False] * 500)

    class Odd(Above):
        def happens(self, outputs: Any) -> Any:
            return truths if outputs.numbers.sum() == 500 else ~truths & (outputs.numbers > 0)

    event: Any = Odd(0)
    found = seen_in(read_outputs(one), read_outputs(other), event)
    assert found.inside == ((0.5, 0.0), (0.5, 0.5))


@pytest.mark.slow
def test_what_no_bar_holds_is_said_in_the_title_of_a_histogram() -> None:
    found = shoal.audit(lambda data: data * 1e9, 0, 1, claim=shoal.Pure(1), samples=1000)
    drawn = [part.svg for part in found.to_page().parts if isinstance(part, PagePicture)]
    assert len(drawn) == 2
    assert not re.search(r"lie elsewhere", drawn[1])
    rare = shoal.audit(lambda data, n: np.concatenate([np.linspace(data, 1, n - 1), [1e9]]), 0, 0.5, claim=shoal.Pure(1), samples=5000, batch=True)  # fmt: skip
    drawn = [part.svg for part in rare.to_page().parts if isinstance(part, PagePicture)]
    assert re.search(r"lie elsewhere", drawn[1])
