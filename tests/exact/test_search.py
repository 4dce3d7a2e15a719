"""The search for a turning point."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InternalError
from shoal.exact import approximately, ball, turning_point


@pytest.mark.slow
@given(
    st.fractions(Fraction(1, 10**12), 10**12).filter(bool),
    st.fractions(Fraction(1, 10**12), 10**12).filter(bool),
    st.integers(1, 80),
)
def test_the_turning_point_is_bracketed_from_any_start(
    turn: Fraction, start: Fraction, bits: int
) -> None:
    low, high = turning_point(lambda x: x < turn, start=start, bits=bits)
    assert low < turn <= high <= low * (1 + Fraction(1, 2**bits))


@pytest.mark.parametrize("turn", [Fraction(10) ** 4000, Fraction(1, 10**4000)])
def test_a_turning_point_far_from_the_start_is_found_in_few_questions(turn: Fraction) -> None:
    asked = []

    def holds(x: Fraction) -> bool:
        asked.append(x)
        return x < turn

    low, high = turning_point(holds, start=Fraction(1))
    assert low < turn <= high
    assert len(asked) < 110


@pytest.mark.parametrize("answer", [True, False])
def test_a_statement_that_never_turns_is_an_error_and_not_a_loop(answer: bool) -> None:
    with pytest.raises(InternalError, match="no place"):
        turning_point(lambda _: answer, start=Fraction(1))


def test_an_approximation_is_a_rational_even_where_the_first_enclosure_is_too_wide() -> None:
    assert float(approximately(lambda: arb(2).sqrt()) ** 2) == pytest.approx(2, rel=1e-15)
    tiny = Fraction(1, 2**300)
    assert float(approximately(lambda: ball(1 + tiny).log()) / tiny) == pytest.approx(1)
