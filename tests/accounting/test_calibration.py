"""The parameter that a target leaves room for."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.accounting import calibrate, fits
from shoal.errors import CalibrationError, RangeError
from shoal.events import (
    Event,
    Gaussian,
    Laplace,
    NonPrivate,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    StatedApprox,
    StatedPure,
)
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated

CASES: dict[str, tuple[Callable[[Fraction], Event], Measure, dict[str, Any]]] = {
    "noise": (lambda x: Gaussian(x, 1), Approx(1, "1e-5"), {"safer": "larger"}),
    "pure noise": (lambda x: Laplace(x, 1), Pure("0.3"), {"safer": "larger"}),
    "repetitions": (
        lambda n: Repeated(StatedPure("0.1"), int(n)),
        Approx(3, "1e-6"),
        {"safer": "smaller", "whole": True},
    ),
    "rate": (
        lambda q: Repeated(PoissonSampled(Gaussian(1, 1), q), 500),
        Approx(1, "1e-6"),
        {"safer": "smaller", "start": "0.01", "at_most": 1, "bits": 12},
    ),
    "epsilon": (
        lambda e: [RandomizedResponse(2, epsilon=e)] * 10,  # type: ignore[dict-item,return-value]
        ZeroConcentrated(1),
        {"safer": "smaller"},
    ),
    "gaussian": (lambda x: Repeated(Gaussian(x, 1), 9), GaussianDP("0.5"), {"safer": "larger"}),
    "curve": (lambda x: Gaussian(x, 1), Renyi({2: "0.1", 8: "0.5"}), {"safer": "larger"}),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_what_is_found_fits_and_a_little_more_does_not(name: str) -> None:
    make, target, options = CASES[name]
    found = calibrate(make, target, **options)
    assert fits(make(found), target)
    step = Fraction(1, 2 ** (options.get("bits", 30) - 1))
    if options.get("whole"):
        further = found + 1
    else:
        further = found * (1 - step if options["safer"] == "larger" else 1 + step)
    assert not fits(make(further), target)


def test_known_parameters_are_found() -> None:
    def noise(target: Measure) -> Fraction:
        return calibrate(lambda x: Gaussian(x, 1), target, safer="larger")

    assert round(float(noise(Approx(1, "1e-5"))), 6) == 3.730632
    assert abs(noise(GaussianDP("0.25")) / 4 - 1) < Fraction(1, 2**29)
    pure = calibrate(lambda x: Laplace(x, 1), Pure("0.3"), safer="larger", bits=50)
    assert 0 <= pure - Fraction(10, 3) < Fraction(1, 2**45)
    count = calibrate(
        lambda n: Repeated(StatedPure("0.1"), int(n)), Pure(1), safer="smaller", whole=True
    )
    assert count == 10


@settings(derandomize=True, deadline=None, max_examples=15)
@given(
    epsilon=st.fractions("1/100", 20, max_denominator=100),
    start=st.fractions("1/1000", 1000, max_denominator=1000),
)
def test_where_the_search_starts_does_not_matter(epsilon: Fraction, start: Fraction) -> None:
    found = calibrate(lambda x: Laplace(x, 1), Pure(epsilon), safer="larger", start=start)
    assert 1 / epsilon <= found <= (1 + Fraction(1, 2**29)) / epsilon


def test_a_bound_that_still_fits_is_returned() -> None:
    found = calibrate(
        lambda q: PoissonSampled(Laplace(10, 1), q), Pure(1), safer="smaller", at_most=1
    )
    assert found == 1


def test_one_repetition_that_fits_alone_is_returned() -> None:
    found = calibrate(
        lambda n: Repeated(StatedPure("0.7"), int(n)),
        Pure(1),
        safer="smaller",
        whole=True,
        start=50,
    )
    assert found == 1


def test_what_cannot_fit_is_refused() -> None:
    with pytest.raises(CalibrationError, match="no value of the parameter was found"):
        calibrate(lambda x: Gaussian(x, 1), Pure(1), safer="larger")
    with pytest.raises(CalibrationError, match="no value of the parameter was found"):
        calibrate(lambda x: [Laplace(x, 1), NonPrivate()], Approx(1, "1e-6"), safer="larger")
    with pytest.raises(CalibrationError, match="every value"):
        calibrate(lambda x: StatedApprox(0, 0), Approx(1, "1e-6"), safer="larger")
    with pytest.raises(RangeError, match="start must be above 0"):
        calibrate(lambda x: Laplace(x, 1), Pure(1), safer="larger", start=0)


def test_events_without_a_price_do_not_fit() -> None:
    assert not fits(Gaussian(1000, 1), Pure(100))
    assert not fits(NonPrivate(), Approx(100, "0.5"))
    assert fits(NonPrivate(), Approx(0, 1))
    assert fits([], Pure(0))


def test_the_relation_counts() -> None:
    def noise(relation: str | None) -> Fraction:
        return calibrate(
            lambda x: Laplace(x, 1, relation="add_remove"),
            Pure(1),
            safer="larger",
            relation=relation,
        )

    assert round(float(noise("change") / noise(None)), 6) == 2
