"""The exact verifier against closed forms, brute force and the accountant."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Hashable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated
from shoal.auditing.exact import (
    Bits,
    Exact,
    Law,
    judge,
    law_of,
    read_table,
    table_from_json,
    verify,
)
from shoal.errors import ConversionError, DataError, RangeError, ShapeError
from shoal.local.protocols.oracles import KaryResponse, Oracle, SubsetSelection

LN2 = math.log(2)


# programs that consume bits


def response(truth: int, bits: Bits) -> int:
    return truth if bits.bernoulli("3/4") else 1 - truth


def halves(truth: int, bits: Bits) -> int:
    """Tell the truth on heads, a fair coin on tails."""
    return truth if bits.coin() else int(bits.coin())


def geometric(odds: int, low: int, high: int) -> Any:
    """Two-sided geometric noise with P(x) in proportion to odds^-|x|, clamped."""

    def release(value: int, bits: Bits) -> int:
        size = 0
        if bits.bernoulli(Fraction(2, odds + 1)):
            size = 1
            while bits.bernoulli(Fraction(1, odds)):
                size += 1
        noisy = value - size if size and bits.coin() else value + size
        return min(high, max(low, noisy))

    return release


def flips(odds: int) -> Any:
    """Permute and flip for scores that count ln(odds) each."""

    def choose(scores: tuple[int, ...], bits: Bits) -> int:
        for place in bits.shuffled(range(len(scores))):
            if bits.bernoulli(Fraction(1, odds ** (max(scores) - scores[place]))):
                return place
        raise AssertionError

    return choose


def exponential(scores: tuple[int, ...], bits: Bits) -> int:
    return bits.choice([2**score for score in scores])


def moved(scores: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for step in itertools.product((-1, 0, 1), repeat=len(scores)):
        yield tuple(a + b for a, b in zip(scores, step, strict=True))


def test_a_randomized_response_has_the_ratio_of_its_odds() -> None:
    exact = verify({x: law_of(response, x) for x in (0, 1)})
    assert exact.ratio.exact == 3
    assert exact.variation.exact == Fraction(1, 2)
    assert exact.delta_at(2).exact == Fraction(1, 4)
    assert exact.delta_at(3).exact == 0
    low, high = exact.epsilon.low, exact.epsilon.high
    assert low is not None
    assert high is not None
    assert low < Fraction(math.log(3)) + Fraction(1, 10**15)
    assert 0 < high - low < Fraction(1, 10**15)


def test_two_coins_are_the_same_law_as_one_of_three_quarters() -> None:
    assert dict(law_of(halves, 1).low) == dict(law_of(response, 1).low)


def test_clamped_geometric_noise_loses_its_odds_and_the_rest_is_an_interval() -> None:
    release = geometric(2, 0, 3)
    exact = verify({x: law_of(release, x, depth=40) for x in range(4)}, [(0, 1), (1, 2), (2, 3)])
    assert 0 < exact.rest < Fraction(1, 2**30)
    ratio = exact.ratio.low
    assert ratio is not None
    assert Fraction(2) - Fraction(1, 2**20) < ratio <= 2
    assert exact.ratio.high is None
    assert judge(exact, Pure(Fraction(69, 100))).refuted
    open_claim = judge(exact, Pure(Fraction(70, 100)))
    assert (open_claim.refuted, open_claim.holds) == (False, None)
    assert judge(exact, Approx("0.7", "1e-6")).holds
    assert exact.renyi(2).high is None


@pytest.mark.parametrize("x", range(4))
def test_every_chance_of_a_law_left_open_lies_between_its_ends(x: int) -> None:
    coarse, fine = (law_of(geometric(2, 0, 3), x, depth=depth) for depth in (6, 40))
    for output in range(4):
        wide, narrow = coarse.chance(output), fine.chance(output)
        assert wide.low is not None
        assert narrow.low is not None
        assert wide.high is not None
        assert narrow.high is not None
        assert wide.low <= narrow.low <= narrow.high <= wide.high


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [exponential, flips(2)])
def test_choices_lose_at_most_twice_a_movement_and_permute_and_flip_no_more(mechanism: Any) -> None:
    """With scores that count ln 2 each, a movement of 1 costs at most 2 ln 2: a ratio of 4."""
    start = [s for s in itertools.product(range(3), repeat=3) if min(s) == 0]
    pairs = [(one, two) for one in start for two in moved(one) if one != two]
    laws = {scores: law_of(mechanism, scores) for pair in pairs for scores in pair}
    exact = verify(laws, pairs)
    assert exact.rest == 0
    ratio = exact.ratio.exact
    assert ratio is not None
    assert 3 < ratio <= 4


def test_permute_and_flip_is_the_exponential_race_in_closed_form() -> None:
    law = law_of(flips(2), (0, 1))
    # the best always wins its turn; the other needs to come first and show heads: 1/2 * 1/2
    assert law.low == {1: Fraction(3, 4), 0: Fraction(1, 4)}


def table_of(oracle: Oracle) -> Exact:
    reports = list(oracle.every_report())
    return verify(
        {
            value: Law({place: oracle.chance(value, each) for place, each in enumerate(reports)})
            for value in range(oracle.size)
        }
    )


@pytest.mark.parametrize(
    "oracle",
    [KaryResponse(4, Fraction(3)), SubsetSelection.for_epsilon(1, size=5)],
    ids=["k-ary", "subsets"],
)
def test_local_protocols_have_exactly_their_odds_and_their_variation(oracle: Oracle) -> None:
    exact = table_of(oracle)
    assert exact.ratio.exact == oracle.odds
    assert exact.variation.exact == oracle.variation


# against brute force, for any law


LAWS = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)


def as_law(weights: list[int]) -> Law:
    return Law({place: Fraction(weight, sum(weights)) for place, weight in enumerate(weights)})


@given(one=LAWS, two=LAWS, odds=st.fractions(1, 9))
def test_delta_is_the_most_that_any_event_shows(
    one: list[int], two: list[int], odds: Fraction
) -> None:
    exact = verify({1: as_law(one), 2: as_law(two)})
    p, q = (as_law(each).low for each in (one, two))
    events: list[tuple[Hashable, ...]] = [
        e for n in range(4) for e in itertools.combinations(range(3), n)
    ]
    brute = max(
        sum(a[o] for o in event) - odds * sum(b[o] for o in event)
        for event in events
        for a, b in ((p, q), (q, p))
    )
    assert exact.delta_at(odds).exact == brute


@given(one=LAWS, two=LAWS)
def test_the_ratio_is_the_most_of_any_output_and_infinite_where_one_excludes(
    one: list[int], two: list[int]
) -> None:
    exact = verify({1: as_law(one), 2: as_law(two)})
    p, q = (as_law(each).low for each in (one, two))
    excluded = any((a == 0) != (b == 0) for a, b in zip(p.values(), q.values(), strict=True))
    assert exact.ratio.infinite == excluded
    if not excluded:
        both = [(a, b) for a, b in zip(p.values(), q.values(), strict=True) if a]
        assert exact.ratio.exact == max(max(a / b, b / a) for a, b in both)


@given(one=LAWS, two=LAWS, order=st.fractions("1.1", 20))
def test_renyi_bounds_enclose_a_float_and_never_pass_epsilon(
    one: list[int], two: list[int], order: Fraction
) -> None:
    exact = verify({1: as_law(one), 2: as_law(two)})
    found = exact.renyi(order)
    if exact.ratio.infinite:
        assert found.high is None
        return
    p, q = (list(as_law(each).low.values()) for each in (one, two))
    a = float(order)

    def divergence(x: list[Fraction], y: list[Fraction]) -> float:
        total = sum(float(s) ** a * float(t) ** (1 - a) for s, t in zip(x, y, strict=True) if s)
        return math.log(total) / (a - 1)

    brute = max(divergence(p, q), divergence(q, p))
    assert found.low is not None
    assert found.high is not None
    assert float(found.low) - 1e-9 <= brute <= float(found.high) + 1e-9
    assert found.high - found.low < Fraction(1, 10**12)
    assert exact.epsilon.high is not None
    assert found.low <= exact.epsilon.high


# against the accountant


@pytest.mark.parametrize("epsilon", ["0", "0.3", "0.9", "1.0986"])
def test_the_accountant_never_says_less_than_the_truth_and_hardly_more(epsilon: str) -> None:
    exact = verify({x: law_of(response, x) for x in (0, 1)})
    told = shoal.account([shoal.RandomizedResponse.coins().event]).delta(epsilon=epsilon)
    low = exact.delta(epsilon).low
    assert low is not None
    assert low <= told.delta <= low + Fraction(1, 10**6)


def test_three_responses_composed_cost_what_the_accountant_says() -> None:
    def thrice(truth: int, bits: Bits) -> tuple[int, ...]:
        return tuple(response(truth, bits) for _ in range(3))

    exact = verify({x: law_of(thrice, x) for x in (0, 1)})
    assert exact.ratio.exact == 27
    event = shoal.RandomizedResponse.coins().event
    for epsilon in ("0.5", "1", "2", "3"):
        told = shoal.account([event] * 3).delta(epsilon=epsilon).delta
        low = exact.delta(epsilon).low
        assert low is not None
        assert low <= told <= low + Fraction(1, 10**4)


# verdicts


COINS = {"laws": {"yes": {"1": "3/4", "0": 0.25}, "no": {"1": "1/4", "0": "3/4"}}}
CLAIMS = [
    (Pure("1.0986"), True, False),
    (Pure("1.0987"), False, True),
    (Approx(0, "0.49"), True, False),
    (Approx(0, "0.5"), False, True),
    (Approx(1, "0.07"), True, False),
    (Approx(1, "0.0705"), False, True),
    (Renyi({2: "0.8"}), True, False),
    (Renyi({2: "0.9"}), False, True),
    (ZeroConcentrated("0.1"), True, False),
    (ZeroConcentrated("0.7"), False, True),
    (ZeroConcentrated("0.55"), False, None),
    (GaussianDP("0.5"), True, False),
    (GaussianDP(3), False, None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "refuted", "holds"), CLAIMS, ids=str)
def test_a_claim_is_refuted_proven_or_left_open(
    claim: Any, refuted: bool, holds: bool | None
) -> None:
    found = judge(table_from_json(COINS), claim)
    assert (found.refuted, found.holds) == (refuted, holds)
    assert found.confidence is None
    assert "NaN" not in json.dumps(found.to_dict())
    assert str(claim) in found.to_page().markdown()


def test_a_response_that_excludes_an_answer_is_infinite_and_named() -> None:
    exact = table_from_json({"laws": {"x": {"a": 1}, "y": {"a": "0.5", "b": "0.5"}}})
    assert str(exact.epsilon) == "infinite"
    assert exact.worst == (("y", "x"), "b")
    assert judge(exact, Pure(100)).refuted
    assert not judge(exact, Approx(0, "0.5")).refuted


def test_an_error_on_one_side_is_an_output() -> None:
    def fails(x: int, bits: Bits) -> int:
        return 1 // x if bits.coin() else 0

    exact = verify({x: law_of(fails, x) for x in (0, 1)})
    assert exact.ratio.infinite
    assert "ZeroDivisionError: integer division or modulo by zero" in law_of(fails, 0).low


def test_chances_between_two_numbers_give_answers_between_two_numbers() -> None:
    exact = table_from_json(
        {"laws": {"x": {"a": ["0.5", "0.6"], "b": ["0.4", "0.5"]}, "y": {"a": "1/2", "b": "1/2"}}}
    )
    assert exact.delta_at(1) == shoal.auditing.exact.Bounds(Fraction(0), Fraction(1, 10))
    assert exact.ratio.high == Fraction(5, 4)
    assert exact.ratio.low == 1


REFUSED: list[tuple[Any, type[Exception]]] = [
    ({"laws": {"x": {"a": "0.5"}, "y": {"a": 1}}}, RangeError),
    ({"laws": {"x": {"a": 1}}}, RangeError),
    ({"laws": {"x": {"a": 1}, "y": {"a": 1}}, "pairs": [["x", "z"]]}, RangeError),
    ({"laws": {"x": {"a": 1}, "y": {"a": 1}}, "pairs": "x"}, ShapeError),
    ({"laws": {"x": {"a": "-1", "b": 2}, "y": {"a": 1}}}, RangeError),
    ({"laws": {"x": {"a": ["0.6", "0.4"]}, "y": {"a": 1}}}, RangeError),
    ({"law": {}}, ShapeError),
    ([], ShapeError),
]


@pytest.mark.parametrize(("given", "error"), REFUSED, ids=str)
def test_a_table_that_is_none_is_refused(given: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        table_from_json(given)


def test_a_file_is_read_with_decimals_as_typed(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(
        '{"laws": {"x": {"a": 0.1, "b": 0.9}, "y": {"a": 0.2, "b": 0.8}}}'
    )
    assert read_table(tmp_path / "t.json").ratio.exact == 2
    (tmp_path / "u.json").write_text("{")
    with pytest.raises(ShapeError, match="could not be read"):
        read_table(tmp_path / "u.json")


def test_a_promise_that_is_no_privacy_is_not_judged() -> None:
    with pytest.raises(ConversionError, match="cannot check"):
        judge(table_from_json(COINS), shoal.measures.Measure)  # type: ignore[arg-type]


def test_paths_beyond_the_limit_are_the_rest() -> None:
    def many(_: int, bits: Bits) -> int:
        return bits.below(100)

    assert law_of(many, 0, paths=30).rest == Fraction(70, 100)


def is_nan_by_coin(x: Any, bits: Bits) -> Any:
    del x
    return (float("nan"), 1) if bits.coin() else Decimal("nan")


def test_all_nan_are_one_output() -> None:
    exact = verify({x: law_of(is_nan_by_coin, x) for x in (0, 1)})
    assert exact.ratio.exact == 1
    assert exact.outputs == 2
    assert judge(exact, Pure(0)).holds


@pytest.mark.parametrize(
    ("one", "two"),
    [(-0.0, 0.0), (True, 1), (1, 1.0), (True, 1.0), ((1, 0.0), (1, -0.0)), (Decimal("1.0"), Decimal(1)),
     (np.float32(1), np.float64(1)), (frozenset({1}), frozenset({True})), (Fraction(1), 1)],
    ids=str,
)  # fmt: skip
def test_outputs_that_python_calls_equal_and_people_can_tell_apart_are_two(
    one: Any, two: Any
) -> None:
    exact = verify({x: law_of(lambda x, _: (one, two)[x], x) for x in (0, 1)})
    assert exact.epsilon.infinite
    assert judge(exact, Pure(50)).refuted
    given = verify({"x": Law({one: 1}), "y": Law({two: 1})})
    assert given.epsilon.infinite
    assert given.laws["x"].chance(one).exact == 1
    assert given.laws["x"].chance(two).exact == 0


class Nameless:
    """Has no equality but that of place."""


@pytest.mark.parametrize("output", [[1], {"a": 1}, {1}, (1, [2])], ids=str)
def test_an_output_that_cannot_be_a_key_is_refused_in_words(output: Any) -> None:
    with pytest.raises(DataError, match="cannot be told apart"):
        law_of(lambda *_: output, 0)


def test_an_output_without_an_equality_of_its_own_is_refused_and_not_infinitely_revealing() -> None:
    with pytest.raises(DataError, match="Nameless"):
        law_of(lambda *_: Nameless(), 0)


STRAYING: dict[str, Callable[[Bits, int], Any]] = {
    "other ways": lambda bits, odd: bits.below(2 + odd),
    "other chances": lambda bits, odd: bits.bernoulli("1/3" if odd else "1/4"),
    "an early end": lambda bits, odd: odd or bits.coin(),
    "fewer ways": lambda bits, odd: bits.below(1 if odd else 3),
}


@pytest.mark.parametrize("name", STRAYING)
def test_a_mechanism_that_draws_elsewhere_is_told_so(name: str) -> None:
    """The same path cannot be gone again."""
    calls = itertools.count()
    with pytest.raises(DataError, match="drew otherwise"):
        law_of(lambda _, bits: STRAYING[name](bits, next(calls) % 2), 0)


@pytest.mark.parametrize(
    "text",
    [
        '{"laws": {"x": {"a": 1}, "x": {"b": 1}, "y": {"a": 1}}}',
        '{"laws": {"x": {"a": 1, "a": "1/2", "b": "1/2"}, "y": {"a": "1/2", "b": "1/2"}}}',
        '{"laws": {"x": {"b": 1}, "y": {"a": 1}}, "laws": {"x": {"a": 1}, "y": {"a": 1}}}',
    ],
)
def test_a_table_with_a_name_twice_is_refused_and_none_of_the_two_dropped(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "laws.json"
    path.write_text(text)
    with pytest.raises(ShapeError, match="twice"):
        read_table(path)
