from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from shoal.errors import RangeError, ShapeError
from shoal.interpret import Pair


def test_laws_by_name_are_aligned_and_what_is_not_named_is_impossible() -> None:
    pair = Pair({"a": 0.5, "b": 0.5}, {"b": 0.25, "c": 0.75})
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert pair.p == (half, half, Fraction(0))
    assert pair.q == (Fraction(0), quarter, 3 * quarter)


def test_a_pair_prints_as_what_makes_it_again() -> None:
    pair = Pair(["1/3", "2/3"], [0.5, 0.5])
    assert eval(repr(pair)) == pair


def test_decimals_mean_what_was_typed() -> None:
    assert Pair([0.1, 0.2, 0.7], [0.3, 0.3, 0.4]).p[0] == Fraction(1, 10)


@pytest.mark.parametrize("law", [[0.5, 0.4], ["1/3", "1/3"], [1, 1]])
def test_probabilities_must_add_up_to_exactly_one(law: Any) -> None:
    with pytest.raises(RangeError, match="exactly 1"):
        Pair(law, [0.5, 0.5])


@pytest.mark.parametrize(("p", "q"), [([1], [0.5, 0.5]), ("10", [1, 0]), ({"a": 1}, [1]), (1, 1)])
def test_what_are_not_two_laws_is_refused(p: Any, q: Any) -> None:
    with pytest.raises(ShapeError):
        Pair(p, q)


def test_a_negative_probability_is_refused() -> None:
    with pytest.raises(RangeError):
        Pair([1.5, -0.5], [0.5, 0.5])


@pytest.mark.parametrize("channel", [[[1]], [[1], [0.5, 0.5]], []])
def test_a_channel_must_have_a_row_for_each_outcome(channel: Any) -> None:
    with pytest.raises(ShapeError):
        Pair([0.5, 0.5], [1, 0]).through(channel)


def test_a_channel_whose_row_is_no_law_is_refused() -> None:
    with pytest.raises(RangeError):
        Pair([0.5, 0.5], [1, 0]).through([[0.5, 0.4], [1, 0]])
