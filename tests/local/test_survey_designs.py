from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom
from tests.local.designs import CASES, Case

from shoal.errors import PriceError, RangeError
from shoal.local import (
    Design,
    TwoSamples,
    crosswise,
    forced,
    kary,
    kuk,
    triangular,
    unrelated,
    warner,
)
from shoal.noise.seam import seeded

EVERY = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


@EVERY
def test_a_design_has_the_odds_of_the_literature(case: Case) -> None:
    assert (case.design.floor, case.design.lean) == (case.floor, case.lean)


@EVERY
def test_a_design_costs_what_the_literature_says(case: Case) -> None:
    assert float(case.design.epsilon) == pytest.approx(case.epsilon, rel=1e-9)
    if math.isinf(case.epsilon):
        assert "excludes the answer" in case.design.note
        with pytest.raises(PriceError):
            _ = case.design.cost
    else:
        assert case.design.note == ""


@EVERY
def test_no_pair_of_answers_makes_a_reply_likelier_than_the_cost_allows(case: Case) -> None:
    matrix = case.design.matrix
    ratios = [
        matrix.chance(a, y) / matrix.chance(b, y)
        for a, b, y in product((0, 1), (0, 1), (0, 1))
        if matrix.chance(b, y)
    ]
    blocked = any(not matrix.chance(b, y) for b, y in product((0, 1), (0, 1)))
    assert matrix.ratio == (None if blocked else max(ratios))


@EVERY
@pytest.mark.parametrize("share", ["0", "1/50", "1/10", "1/2"])
def test_the_variance_is_the_binomial_one_over_the_squared_lean(case: Case, share: str) -> None:
    prevalence = Fraction(share)
    told = case.floor + case.lean * prevalence
    stated = case.design.matrix.variances([1 - prevalence, prevalence], reports=7)
    assert stated[1] == stated[0] == told * (1 - told) / (7 * case.lean**2)


@EVERY
def test_estimates_of_simulated_surveys_have_the_stated_mean_and_variance(case: Case) -> None:
    """4000 surveys of 100 people with a share of 3/10: five standard errors hold, and would not for
    another law.
    """
    people, surveys = 100, 4000
    design = case.design
    with seeded(f"survey {design.name} {float(case.lean):.3f}"):
        truth = kary(["no", "yes"], truth="7/10").release(np.zeros(people * surveys, dtype=int))
        told = design.release(truth).reshape(surveys, people).sum(axis=1)
    found = (told / people - float(design.floor)) / float(design.lean)
    variance = float(design.matrix.variances(["7/10", "3/10"], reports=people)[1])
    assert abs(found.mean() - 0.3) < 5 * math.sqrt(variance / surveys)
    spread = math.sqrt(2 / surveys)  # the relative standard error of a variance
    assert abs(found.var() / variance - 1) < 5 * spread
    assert 5 * spread < 0.2  # a variance a fifth off would be noticed


@pytest.mark.parametrize(
    ("design", "words"),
    [
        (warner("3/4"), "your true answer is sent 3 times out of 4"),
        (forced("2/3"), "your true answer is sent 5 times out of 6"),
        (
            kary(["a", "b", "c"], truth="1/2"),
            "your true answer is sent 1 time out of 2, and each of the 2 others 1 time out of 4",
        ),
        (
            triangular("1/4"),
            "if your true answer is 'no', 'both no' is sent 3 times out of 4 and 'at least one yes' is sent 1 time out of 4; if your true answer is 'yes', 'at least one yes' is always sent",
        ),
    ],
)
def test_a_design_says_its_odds_in_words(design: Design, words: str) -> None:
    assert design.words == words
    assert str(design) == f"{design.name}: {words}"


def test_several_draws_cost_as_many_times_as_much() -> None:
    one, three = kuk("7/10", "1/5"), kuk("7/10", "1/5", draws=3)
    assert float(three.epsilon) == pytest.approx(3 * float(one.epsilon))
    assert three.matrix.chance(1, 2) == Fraction(binom_chance(2, 3, "7/10"))


def binom_chance(count: int, draws: int, chance: str) -> Fraction:
    p = Fraction(chance)
    return math.comb(draws, count) * p**count * (1 - p) ** (draws - count)


def test_several_draws_estimate_better_than_one() -> None:
    one, two = kuk("7/10", "1/5"), kuk("7/10", "1/5", draws=2)
    shares = ["9/10", "1/10"]
    assert two.matrix.variances(shares, reports=1)[1] < one.matrix.variances(shares, reports=1)[1]


@pytest.mark.parametrize("bad", ["0", "1", "1/2", "3/2"])
def test_a_chance_at_which_warner_tells_nothing_or_everything_is_refused(bad: str) -> None:
    with pytest.raises(RangeError):
        warner(bad)
    with pytest.raises(RangeError):
        crosswise(bad)


def test_designs_refuse_chances_that_do_not_fit_each_other() -> None:
    with pytest.raises(RangeError):
        forced("2/3", yes="1/2")
    with pytest.raises(RangeError):
        kuk("1/3", "1/3")
    with pytest.raises(RangeError):
        kary(["a", "b"], truth="1/2", epsilon=1)
    with pytest.raises(RangeError):
        TwoSamples("1/3", "1/3")
    with pytest.raises(RangeError, match="does not have two answers"):
        _ = kary(["a", "b", "c"], truth="1/2").lean


def test_an_unrelated_question_is_a_forced_response_by_other_means() -> None:
    assert unrelated("3/4", prevalence="2/3").matrix == forced("3/4", yes="1/6").matrix


# two samples


def test_two_samples_undo_both_questions_exactly() -> None:
    design, share, harmless = TwoSamples("3/4", "1/5"), Fraction(1, 8), Fraction(2, 5)
    first, second = design.for_prevalence(harmless)
    told = [each.floor + each.lean * share for each in (first, second)]
    counts = [(8000 - int(8000 * each), int(8000 * each)) for each in told]
    assert [Fraction(yes, 8000) for _, yes in counts] == told
    found = design.estimate_from_counts(*counts)
    assert (found.value, found.harmless) == (share, harmless)


def test_the_variance_of_two_samples_is_that_of_every_outcome() -> None:
    design, share, harmless = TwoSamples("3/4", "1/5"), Fraction(1, 8), Fraction(2, 5)
    told = [float(d.floor + d.lean * share) for d in design.for_prevalence(harmless)]
    mean = square = estimated = 0.0
    for a, b in product(range(7), range(10)):
        chance = binom.pmf(a, 6, told[0]) * binom.pmf(b, 9, told[1])
        found = design.estimate_from_counts([6 - a, a], [9 - b, b])
        mean += chance * float(found.value)
        square += chance * float(found.value) ** 2
        estimated += chance * float(found.variance)
    stated = float(design.variance(share, harmless=harmless, first=6, second=9))
    assert mean == pytest.approx(float(share))
    assert square - mean**2 == pytest.approx(stated)
    assert estimated == pytest.approx(stated)


def test_two_samples_cost_nothing_finite_where_nobody_says_yes_to_the_harmless_question() -> None:
    first, second = TwoSamples().for_prevalence(0)
    assert math.inf in (first.epsilon, second.epsilon)
    assert math.inf not in {d.epsilon for d in TwoSamples().for_prevalence("1/2")}
