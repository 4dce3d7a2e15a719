"""The attacks: each works without Shoal, stays below its ceiling with Shoal, and leaves a page that
can be repeated.
"""

from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction
from functools import cache

import pytest

from shoal.auditing.attacks import (
    ATTACKS,
    EPSILON,
    Attack,
    AttackOutcome,
    Effort,
    Result,
    Score,
    coin_up,
    report,
    run,
)
from shoal.measures import GaussianDP, Pure
from shoal.page import PagePicture, PageTable

QUICK = Effort(quick=True)
every_attack = pytest.mark.parametrize("attack", ATTACKS.values(), ids=list(ATTACKS))


@cache
def outcome(name: str) -> AttackOutcome:
    (found,) = run([ATTACKS[name]], effort=QUICK)
    return found


@pytest.mark.slow
@every_attack
def test_an_attack_succeeds_without_shoal(attack: Attack) -> None:
    assert outcome(attack.name).result.works


@pytest.mark.slow
@every_attack
def test_an_attack_stays_below_the_ceiling_with_shoal(attack: Attack) -> None:
    assert outcome(attack.name).result.held


@every_attack
def test_the_ceiling_lies_where_the_promise_puts_it(attack: Attack) -> None:
    ceiling = outcome(attack.name).result.ceiling
    if attack.name == "shame":
        assert ceiling == pytest.approx(1e-6, rel=1e-3)
    else:
        assert ceiling == pytest.approx(1 / (1 + math.exp(-float(EPSILON))), rel=1e-12)


@every_attack
def test_an_attack_has_a_picture_a_table_and_words(attack: Attack) -> None:
    parts = outcome(attack.name).parts()
    pictures = [part for part in parts if isinstance(part, PagePicture)]
    assert pictures
    assert all(part.svg.startswith("<svg") and part.caption for part in pictures)
    for grid in (part for part in parts if isinstance(part, PageTable)):
        assert all(len(row) == len(grid.head) for row in grid.rows)
    assert attack.source in outcome(attack.name).page.markdown()


@pytest.mark.slow
@every_attack
def test_the_same_seed_gives_the_same_page(attack: Attack) -> None:
    (again,) = run([attack], effort=QUICK)
    assert again.page.html() == outcome(attack.name).page.html()


@every_attack
def test_an_outcome_is_plain_data(attack: Attack) -> None:
    found = json.loads(json.dumps(outcome(attack.name).to_dict()))
    assert found["name"] == attack.name
    assert found["without"]["rate"] > 0.95
    assert found["works"] is found["held"] is True


@pytest.mark.slow
def test_another_seed_gives_another_page() -> None:
    (other,) = run([ATTACKS["bayes"]], effort=QUICK, seed=7)
    assert other.page.html() != outcome("bayes").page.html()


def test_one_page_holds_all_attacks_and_their_figures() -> None:
    chosen = [outcome("bayes"), outcome("differencing")]
    text = report(chosen).markdown()
    assert "| bayes | 50.0 % | 100.0 % |" in text
    assert text.count("the attack with Shoal, epsilon 0.1") == 2
    assert report(chosen[:1]).title == ATTACKS["bayes"].title


def rows(name: str) -> list[list[str]]:
    """The rows of the tables below the summary."""
    grids = [part for part in outcome(name).result.parts if isinstance(part, PageTable)]
    return [list(map(str, row)) for grid in grids for row in grid.rows]


def test_both_kinds_of_noise_in_doubles_are_seen_through() -> None:
    assert [row[0] for row in rows("floats")] == ["Laplace", "Gaussian"]
    assert all(float(row[1].removesuffix(" %")) > 95 for row in rows("floats"))


def test_both_ways_to_decode_find_all_bits_behind_a_budget_that_is_no_promise() -> None:
    assert rows("reconstruction")[-1][2:4] == ["100.0 %", "100.0 %"]


# what is held, and what would not be


def test_a_result_that_is_above_the_ceiling_is_not_held() -> None:
    found = outcome("bayes").result
    assert not dataclasses.replace(found, shoal=found.without).held
    assert not dataclasses.replace(found, without=found.shoal).works


@pytest.mark.parametrize(("right", "held"), [(565, True), (640, False)])
def test_chance_explains_four_standard_errors_and_no_more(right: int, held: bool) -> None:
    score = Score.of([1] * right + [0] * (1000 - right))
    result = Result(0.5, score, score, 0.525, ())
    assert result.held is held


def test_a_score_is_the_mean_of_its_runs_and_knows_its_error() -> None:
    score = Score.of([0.5, 0.7, 0.6, 0.6])
    assert score.rate == pytest.approx(0.6)
    assert score.error == pytest.approx(math.sqrt((0.01 + 0.01) / 3 / 4))
    assert Score.of([1]).error == 0


# the ceiling


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "5"])
def test_a_fair_coin_is_told_at_most_as_often_as_randomized_response_tells_it(epsilon: str) -> None:
    truthful = 1 / (1 + math.exp(-float(epsilon)))
    assert truthful <= coin_up(Pure(epsilon)) * (1 + 1e-15)
    assert coin_up(Pure(epsilon)) == pytest.approx(truthful, rel=1e-14)


def test_after_gaussian_noise_a_coin_is_told_as_often_as_the_nearer_mean_is_right() -> None:
    assert coin_up(GaussianDP(1)) == pytest.approx(0.6914624612740131, rel=1e-12)


def test_no_promise_is_no_ceiling_and_a_perfect_one_is_a_blind_guess() -> None:
    assert coin_up(Pure(0)) == 0.5
    assert coin_up(Pure(Fraction(100))) == pytest.approx(1)
