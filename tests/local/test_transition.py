from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from fractions import Fraction
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts
from tests.local.matrices import MATRICES, VECTORS, bytes_for, vector

import shoal
from shoal import events
from shoal.errors import CalibrationError, DataError, PriceError, RangeError, ShapeError
from shoal.local import EvenOdds, TableOdds, TransitionMatrix, odds_down
from shoal.noise.seam import seeded

NAMES = pytest.mark.parametrize("name", MATRICES)
SMALL = ["coins", "mirrored", "forced", "one-sided", "three", "more-reports", "skewed"]
NOTE = Path(shoal.local.__file__).parent / "transition.md"


def law_by_every_number(matrix: TransitionMatrix, answer: int) -> list[Fraction]:
    """The law of a report, by trying every number that can be drawn."""
    found = [0] * matrix.odds.reports
    for drawn in range(matrix.odds.total):
        found[matrix.odds.place(answer, drawn)] += 1
    return [Fraction(each, matrix.odds.total) for each in found]


@pytest.mark.parametrize("name", [*SMALL, "uniform-of-two-bytes"])
def test_every_number_below_the_total_leads_to_a_report_with_exactly_its_chance(name: str) -> None:
    matrix = MATRICES[name]
    for answer in (0, matrix.odds.answers - 1):
        stated = [matrix.chance(answer, report) for report in range(matrix.odds.reports)]
        assert law_by_every_number(matrix, answer) == stated


@NAMES
def test_whole_vectors_are_placed_like_single_numbers(name: str) -> None:
    odds = MATRICES[name].odds
    edges = {0, odds.total - 1, odds.total // 2, odds.total // 3}
    for answer in range(min(odds.answers, 12)):
        reached = 0
        for weight in odds.row(answer)[:12]:
            reached += weight
            edges |= {max(0, reached - 1), min(reached, odds.total - 1)}
    pairs = list(product(range(min(odds.answers, 12)), sorted(edges)))
    kind = np.int64 if odds.total < 1 << 62 else object
    answers = np.array([answer for answer, _ in pairs])
    drawn = np.array([number for _, number in pairs], dtype=kind)
    assert odds.places(answers, drawn).tolist() == [odds.place(*pair) for pair in pairs]


@pytest.mark.parametrize("name", SMALL)
def test_epsilon_is_the_largest_log_ratio_over_all_pairs_of_answers(name: str) -> None:
    matrix = MATRICES[name]
    laws = [law_by_every_number(matrix, answer) for answer in range(matrix.odds.answers)]
    pairs = [(p, q) for one in laws for other in laws for p, q in zip(one, other, strict=True)]
    if any(p > 0 and q == 0 for p, q in pairs):
        assert matrix.ratio is None
        assert matrix.epsilon == math.inf
    else:
        ratio = max(p / q for p, q in pairs)
        assert matrix.ratio == ratio
        assert 0 <= float(matrix.epsilon) - math.log(ratio) <= 1e-12


def test_a_one_sided_matrix_says_so_and_has_no_price() -> None:
    matrix = MATRICES["one-sided"]
    assert matrix.note == "the report 'no' excludes the answer 'yes'."
    with pytest.raises(PriceError, match="'no' excludes the answer 'yes'"):
        _ = matrix.cost
    assert isinstance(matrix.event, events.NonPrivate)


def test_a_two_sided_matrix_has_no_note_and_an_event_of_its_price() -> None:
    assert MATRICES["forced"].note == ""
    event = MATRICES["forced"].event
    assert isinstance(event, events.StatedPure)
    assert event.epsilon == MATRICES["forced"].epsilon
    assert event.relation == "change"
    three = MATRICES["three"].event
    assert isinstance(three, events.RandomizedResponse)
    assert (three.categories, three.truth) == (3, Fraction(1, 2))


@pytest.mark.parametrize("name", SMALL)
def test_the_estimator_undoes_the_matrix_exactly(name: str) -> None:
    matrix = MATRICES[name]
    rows = range(matrix.odds.answers)
    for one, other in product(rows, rows):
        mean = sum(
            matrix.chance(one, report) * matrix.estimator[report][other]
            for report in range(matrix.odds.reports)
        )
        assert mean == (one == other)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_the_short_form_of_even_odds_equals_the_long_one(size: int) -> None:
    short = TransitionMatrix.of_odds(EvenOdds(size, same=5, other=2))
    long = TransitionMatrix.of_odds(TableOdds(tuple(short.odds.row(i) for i in range(size))))
    shares = [Fraction(2 * (i + 1), size * (size + 1)) for i in range(size)]
    counts = [3 + 5 * i for i in range(size)]
    assert short.estimator == long.estimator
    assert short.ratio == long.ratio
    assert short.reported(shares) == long.reported(shares)
    for fixed in (False, True):
        assert short.variances(shares, reports=9, fixed=fixed) == long.variances(
            shares, reports=9, fixed=fixed
        )
    one, two = short.estimate_from_counts(counts), long.estimate_from_counts(counts)
    assert one.frequencies == two.frequencies
    assert one.variances == two.variances
    assert short.then(short).odds.row(1) == long.then(long).odds.row(1)


@pytest.mark.parametrize("name", ["coins", "forced", "three", "more-reports"])
@pytest.mark.parametrize("fixed", [False, True])
def test_the_stated_variance_is_that_of_every_possible_pair_of_reports(
    name: str, *, fixed: bool
) -> None:
    """Two people, every outcome enumerated: mean and variance of the estimate, in fractions."""
    matrix = MATRICES[name]
    size = matrix.odds.answers
    shares = [Fraction(1, 2), Fraction(1, 2), *[Fraction(0)] * (size - 2)]
    one = {y: chance for y, chance in enumerate(matrix.reported(shares)) if chance}
    laws = [one, one]
    if fixed:
        laws = [{y: matrix.chance(x, y) for y in range(matrix.odds.reports)} for x in (0, 1)]
    mean, square = [Fraction(0)] * size, [Fraction(0)] * size
    for (a, p), (b, q) in product(laws[0].items(), laws[1].items()):
        counts = [0] * matrix.odds.reports
        counts[a] += 1
        counts[b] += 1
        for x, share in enumerate(matrix.estimate_from_counts(counts).frequencies):
            mean[x] += p * q * share
            square[x] += p * q * share**2
    assert mean == shares
    stated = matrix.variances(shares, reports=2, fixed=fixed)
    assert list(stated) == [two - one**2 for one, two in zip(mean, square, strict=True)]


def test_the_estimated_variance_is_unbiased() -> None:
    matrix, shares = MATRICES["more-reports"], ["1/2", "1/4", "1/4"]
    told = matrix.reported(shares)
    mean = [Fraction(0)] * 3
    for a, b in product(range(4), range(4)):
        counts = [(y == a) + (y == b) for y in range(4)]
        for x, variance in enumerate(matrix.estimate_from_counts(counts).variances):
            mean[x] += told[a] * told[b] * variance
    assert tuple(mean) == matrix.variances(shares, reports=2)


def test_the_variance_of_k_ary_response_is_the_formula_of_the_literature() -> None:
    matrix = TransitionMatrix.for_epsilon(1, size=10)
    odds = matrix.odds
    assert isinstance(odds, EvenOdds)
    e = Fraction(odds.same, odds.other)
    rare = matrix.variances([1, *[0] * 9], reports=1)[5]
    assert rare == (e + 8) / (e - 1) ** 2
    assert float(rare) == pytest.approx(3.63, abs=0.005)


@pytest.mark.slow
@NAMES
def test_draws_of_many_follow_the_matrix_and_no_other(name: str) -> None:
    matrix = MATRICES[name]
    last = matrix.odds.answers - 1
    with seeded(f"transition {name}"):
        told = matrix.release(np.full(200_000, last))
    chances = np.array([float(matrix.chance(last, y)) for y in range(matrix.odds.reports)])
    counts = np.bincount(told, minlength=matrix.odds.reports)
    likely = chances * len(told) >= 5
    assert counts[~likely].sum() <= 40
    if likely.sum() > 1:
        assert fit_counts(counts[likely], chances[likely] / chances[likely].sum()) > ACCEPTED
        moved = chances[likely] / chances[likely].sum()
        moved[0], moved[-1] = moved[0] * 0.9, moved[-1] + 0.1 * moved[0]
        assert fit_counts(counts[likely], moved) < (1e-9 if len(moved) < 50 else 1)


def test_a_seeded_report_is_not_private_and_says_so() -> None:
    with seeded(1):
        assert not MATRICES["coins"].event.private
    assert MATRICES["coins"].event.private


@pytest.mark.parametrize(
    ("value", "kind"), [(1, int), ([0, 1], list), (np.array([[0, 1]]), np.ndarray), (True, int)]
)
def test_reports_come_in_the_kind_the_answers_had(value: Any, kind: type[Any]) -> None:
    told = MATRICES["coins"].release(value)
    assert isinstance(told, kind)
    assert np.shape(told) == np.shape(value)


@pytest.mark.parametrize("bad", [2, -1, [0, 5]])
def test_an_answer_outside_the_matrix_is_refused_and_not_quoted(bad: Any) -> None:
    with pytest.raises(DataError) as caught:
        MATRICES["coins"].release(bad)
    assert "5" not in str(caught.value)


@pytest.mark.parametrize("bad", ["yes", 0.5, [[0], [0, 1]], None])
def test_an_answer_of_another_kind_is_refused(bad: Any) -> None:
    with pytest.raises(ShapeError):
        MATRICES["coins"].release(bad)


@given(st.fractions(min_value="1/50", max_value=30, max_denominator=50), st.integers(1, 400))
def test_odds_for_an_epsilon_are_the_largest_below_it(epsilon: Fraction, largest: int) -> None:
    found = odds_down(epsilon, largest=largest)
    target = Fraction(math.exp(epsilon))
    slack = target * Fraction(1, 10**12)
    best = max(Fraction(math.floor((target - slack) * q), q) for q in range(1, largest + 1))
    assert found.denominator <= largest
    assert best <= found <= target + slack


def test_a_matrix_for_an_epsilon_costs_at_most_that_and_hardly_less() -> None:
    for epsilon in ("0.01", "0.5", "1", "3", "10"):
        found = TransitionMatrix.for_epsilon(epsilon, size=4).epsilon
        assert 0 <= float(Fraction(epsilon) - Fraction(found)) < 1e-6


def test_two_rounds_with_the_exact_odds_are_one_response_of_the_wanted_cost() -> None:
    """LOCAL: the fresh round after a memoised one with odds a has (b (a + k - 2) - (k - 1)) / (a -
    b).
    """
    a, b, k = Fraction(7), Fraction(3), 10
    fresh = (b * (a + k - 2) - (k - 1)) / (a - b)
    first = TransitionMatrix.of_odds(EvenOdds(k, 7, 1))
    second = TransitionMatrix.of_odds(EvenOdds(k, fresh.numerator, fresh.denominator))
    assert first.then(second).ratio == b


def test_a_posterior_is_bayes_rule() -> None:
    matrix, prior = MATRICES["skewed"], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    told = matrix.reported(prior)
    for report in range(3):
        found = matrix.posterior(report, prior)
        assert sum(found) == 1
        for answer in range(3):
            joint = prior[answer] * matrix.chance(answer, report)
            assert found[answer] == joint / told[report]


def test_the_likelihood_is_highest_at_the_estimate_and_impossible_reports_have_none() -> None:
    matrix, counts = MATRICES["three"], [40, 32, 28]
    best = matrix.estimate_from_counts(counts).frequencies
    top = matrix.log_likelihood(counts, best)
    elsewhere: list[list[int | str]] = [[0, 1, 0], ["1/3", "1/3", "1/3"], ["1/2", "1/2", 0]]
    for away in elsewhere:
        assert matrix.log_likelihood(counts, away) < top
    assert MATRICES["one-sided"].log_likelihood([1, 3], [0, 1]) == -math.inf


@NAMES
def test_a_matrix_is_read_back_from_its_text_as_it_was(name: str) -> None:
    matrix = MATRICES[name]
    again = TransitionMatrix.from_json(matrix.to_json())
    assert again == matrix
    assert again.to_json() == matrix.to_json()


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2}, {"total": "5"}, {"bits": 3}, {"same": 3}, {"same": "three"}, {"form": "x"},
        {"answers": ["a", "b", "c"]}, {"reports": ["a", "a"]}, {"rows": [["1", "3"], ["2", "1"]]},
        {"more": 1}, {"reports": 5}, {"answers": [1, 2]}, {"reports": [["a"], "b"]}, {"rows": 7},
        {"same": "9" * 5000},
    ],
)  # fmt: skip
def test_a_text_whose_parts_disagree_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises((RangeError, ShapeError)):
        TransitionMatrix.from_json(json.dumps({**MATRICES["coins"].to_dict(), **change}))


@pytest.mark.parametrize("text", ["", "[]", "{}", "null"])
def test_a_text_that_is_no_matrix_is_refused(text: str) -> None:
    with pytest.raises(RangeError):
        TransitionMatrix.from_json(text)


@pytest.mark.parametrize(
    ("chances", "kind"),
    [
        ([["1/2", "1/3"], ["1/2", "1/2"]], RangeError),
        ([["1/2", "1/4"], ["1/2", "1/4"]], RangeError),
        ([["1/2", "1/2"]], ShapeError),
        ([["1/2", "1/2"], [1]], ShapeError),
        ([["-1/2", "3/2"], ["1/2", "1/2"]], RangeError),
        ([[1, 0], [1, 0]], RangeError),
    ],
)
def test_chances_that_are_none_are_refused(chances: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        TransitionMatrix(chances)


def test_odds_that_do_not_tell_answers_apart_estimate_nothing() -> None:
    same = TransitionMatrix([["1/2", "1/2"], ["1/2", "1/2"]])
    flat = TransitionMatrix.of_odds(EvenOdds(3, 1, 1))
    narrow = TransitionMatrix([["1/2", "1/2"], ["1/3", "2/3"], ["1/4", "3/4"]])
    for matrix in (same, flat, narrow):
        with pytest.raises(CalibrationError):
            _ = matrix.estimate_from_counts([1] * matrix.odds.reports).frequencies


# clients in other languages


def test_the_shared_vectors_are_those_the_code_makes() -> None:
    kept = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert kept == [vector(name) for name in MATRICES]


@NAMES
def test_how_many_bytes_are_taken_does_not_depend_on_the_answer(name: str) -> None:
    matrix, taken = MATRICES[name], set()
    for answer in range(min(3, matrix.odds.answers)):
        stream = BytesIO(bytes_for(name))
        for _ in range(20):
            matrix.report(answer, take=stream.read)
        taken.add(stream.tell())
    assert len(taken) == 1


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_script_of_the_note_agrees_with_the_shared_vectors_bit_for_bit() -> None:
    found = re.search(r"```javascript\n(.*?)```", NOTE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    check = """
    const vectors = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const {name, matrix, answers, bytes, reports} of vectors) {
      const stream = Buffer.from(bytes, "hex");
      let at = 0;
      const take = (size) => stream.subarray(at, (at += size));
      const told = answers.map((answer) => report(matrix, answer, take));
      if (String(told) !== String(reports) || at !== stream.length) throw new Error(name);
    }
    console.log(vectors.length);
    """
    done = subprocess.run(
        ["node", "-e", found[1] + check],
        input=VECTORS.read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (str(len(MATRICES)), "")
