"""Words and figures about a promise."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from tests.interpret.laws import RESPONSE
from tests.measures.samples import EACH

from shoal.errors import RangeError
from shoal.interpret import advantage_up, explain, guess_up, posterior_interval, power_up
from shoal.interpret.explanation import digits_down, digits_up, factor_up, one_in, percent_up
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated

NUMBER = r"([\d.]+) %"


@pytest.mark.parametrize("one", [*EACH, Approx(3, 1), Pure(0), Pure("1e6")], ids=repr)
def test_every_measure_is_explained_in_five_sentences(one: Measure) -> None:
    told = explain(one)
    assert len(told.sentences) == 5
    assert str(one) in told.sentences[0]
    assert str(told) == "\n".join(told.sentences)


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_every_figure_errs_on_the_side_that_promises_less(one: Measure) -> None:
    figures = dict(explain(one).figures)
    low, high = posterior_interval(one, 0.5, except_with=Fraction(str(figures["failing"])))
    assert Fraction(figures["power"]) >= power_up(one, type_one=0.05)
    assert Fraction(figures["advantage"]) >= advantage_up(one)
    assert Fraction(figures["right_guesses"]) >= guess_up(one, 0.5)
    assert Fraction(figures["posterior_low"]) <= low
    assert Fraction(figures["posterior_high"]) >= high


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_the_words_never_promise_more_than_the_figures(one: Measure) -> None:
    told = explain(one)
    figures = dict(told.figures)
    _, tester, belief, guess, bet = told.sentences
    assert float(re.findall(NUMBER, tester)[1]) / 100 >= figures["power"] - 1e-15
    _, high, low = (float(x) / 100 for x in re.findall(NUMBER, belief))
    assert high >= figures["posterior_high"] - 1e-15
    assert low <= figures["posterior_low"] + 1e-15
    assert float(re.findall(NUMBER, guess)[0]) / 100 >= figures["right_guesses"] - 1e-15
    assert float(re.findall(NUMBER, bet)[0]) / 100 >= figures["advantage"] - 1e-15


def test_an_explanation_travels_as_plain_data() -> None:
    sent = json.loads(json.dumps(explain(GaussianDP(1)).to_dict()))
    assert set(sent) == {"subject", "sentences", "figures"}
    assert sent["figures"]["delta"] == 1e-6


def test_delta_is_never_hidden() -> None:
    assert "1 in 1,000,000" in explain(Approx(1, 1e-6)).sentences[0]
    assert "everything may be told" in explain(Approx(1, 1e-6)).sentences[0]
    assert "but for 1 in 100,000 releases" in explain(Approx(1, 1e-6)).sentences[2]
    assert "delta 1e-9" in explain(GaussianDP(1), delta=1e-9).sentences[0]
    assert "delta 1e-6" in explain(ZeroConcentrated(1)).sentences[0]
    assert "nothing is promised" in explain(Approx(1, 1)).sentences[0]
    assert "not bounded" in explain(Approx(1, 0.2)).sentences[2]


def test_a_pure_promise_is_told_without_exceptions() -> None:
    told = str(explain(Pure(1)))
    assert "whatever is released" in told
    assert "but for" not in told
    assert "exactly as likely" in str(explain(Pure(0)))


def test_another_prior_is_spoken_of() -> None:
    told = explain(Pure(1), prior=0.01)
    assert "A suspicion of 1 % rises to at most 2.68 %" in told.sentences[2]
    with pytest.raises(RangeError):
        explain(Pure(1), prior=1)


def test_two_laws_are_explained_like_a_promise() -> None:
    assert "at most 75 % of the time" in str(explain(RESPONSE))


def test_figures_are_rounded_to_their_side() -> None:
    third = Fraction(1, 3)
    assert (digits_down(third), digits_up(third)) == ("0.333", "0.334")
    assert percent_up(Fraction(999_999, 10**6)) == "100 %"
    assert one_in(Fraction(3, 10)) == "1 in 3"
    assert one_in(Fraction(9, 10)) == "probability 0.9"
    assert one_in(Fraction(1, 10**300)) == "probability 1e-300"
    assert factor_up(Fraction(10**7)) == "e^10000000"
    assert factor_up(Fraction(0)) == "1"
