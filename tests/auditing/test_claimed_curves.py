"""Claims as trade-off curves: which are taken, what they allow, and what refutes them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.auditing.claimed_curves import (
    ApproxClaim,
    GaussianClaim,
    PromiseCurve,
    TradeOffClaim,
    claims_of,
    most_allowed,
)
from shoal.auditing.lattice import Formula, lattice
from shoal.errors import ConversionError, RangeError, ShapeError
from shoal.interpret import Polygon, trade_off

SHARES = np.concatenate([[0, 1], np.geomspace(1e-8, 0.5, 60), 1 - np.geomspace(1e-8, 0.5, 60)])
LAW = Polygon([(0, 1), ("0.1", "0.5"), ("0.5", "0.1"), (1, 0)])
"""A curve that no epsilon, delta or mu has."""


def polygon_of(measure: shoal.Measure) -> Polygon:
    return trade_off(measure).polygon_down()


def missed(curve: Polygon, shares: Any) -> Any:
    return np.array([float(curve.type_two_down(Fraction(each))) for each in shares])


@pytest.mark.parametrize(
    ("measure", "curve", "parameter", "loss"),
    [
        (shoal.Pure(1), ApproxClaim(0.0), 1.0, 1e-11),
        (shoal.Approx(1, "0.1"), ApproxClaim(0.1), 1.0, 1e-11),
        (shoal.Approx(0, "0.1"), ApproxClaim(0.1), 0.0, 1e-11),
        (shoal.GaussianDP("0.1"), GaussianClaim(), 0.1, 1e-3),
        (shoal.GaussianDP(1), GaussianClaim(), 1.0, 2e-3),
        (shoal.GaussianDP(4), GaussianClaim(), 4.0, 1e-2),
    ],
    ids=str,
)
def test_the_curve_of_a_measure_allows_what_the_measure_allows_and_hardly_more(
    measure: shoal.Measure, curve: PromiseCurve, parameter: float, loss: float
) -> None:
    more = most_allowed(polygon_of(measure), SHARES) - curve.reach(SHARES, parameter)
    assert more.min() >= -1e-14
    assert more.max() <= loss


def test_a_curve_of_a_function_lies_on_or_below_it() -> None:
    def quarter(alpha: float) -> float:
        return 1 - math.sqrt(alpha * (2 - alpha))

    made = Polygon.below(quarter)
    below = np.array([quarter(each) for each in SHARES]) - missed(made, SHARES)
    assert below.min() >= 0
    assert below.max() < 2e-3


def test_the_swapped_datasets_are_in_the_claim() -> None:
    """The curve is steeper at one end than at the other; in the other order it allows less
    there.
    """
    lopsided = Polygon([(0, 1), ("0.1", "0.2"), (1, 0)])
    assert lopsided.type_two_down("0.1") == Fraction(1, 5)
    # 0.55 is the first error at which the second is 0.1
    assert most_allowed(lopsided, 0.1) == pytest.approx(1 - 0.55)
    p = most_allowed(lopsided, SHARES)
    assert np.allclose(most_allowed(lopsided, 1 - p)[2:], 1 - SHARES[2:], atol=1e-9)


def test_a_curve_that_ends_before_1_goes_on_along_the_axis() -> None:
    short = Polygon([(0, "0.9"), ("0.9", 0)])
    assert short == Polygon([(0, "0.9"), ("0.9", 0), (1, 0)])
    assert str(short) == "trade-off curve (0, 0.9) (0.9, 0)"
    assert short.type_two_down("0.95") == 0
    assert most_allowed(short, [0, 0.5, 0.9, 1]) == pytest.approx([0.1, 0.6, 1, 1])


def test_the_largest_of_two_curves_is_a_claim() -> None:
    both = trade_off(shoal.Pure(1), shoal.GaussianDP(1))
    allowed = most_allowed(both.polygon_down(), SHARES)
    each = [most_allowed(polygon_of(one), SHARES) for one in (shoal.Pure(1), shoal.GaussianDP(1))]
    more = allowed - np.minimum(*each)
    assert more.min() >= -1e-12
    assert more.max() <= 2e-3
    (claim,) = claims_of(both)
    assert claim.text.startswith("trade-off curve (0, ")


def test_the_old_name_of_a_claimed_curve_still_works() -> None:
    with pytest.warns(DeprecationWarning, match=r"shoal\.interpret\.Polygon"):
        old = shoal.auditing.TradeOff
    assert old(LAW.corners).corners == LAW.corners
    assert old.of(shoal.Approx(0, "0.1")) == polygon_of(shoal.Approx(0, "0.1"))
    (claim,) = claims_of(old(LAW.corners))
    assert claim.text == str(LAW)


@pytest.mark.parametrize("fall", [0.0, 0.01, 0.3])
def test_strength_and_reach_are_inverse(fall: float) -> None:
    curve = TradeOffClaim(LAW)
    inner = SHARES[(SHARES > 0.001) & (SHARES < 0.6)]
    p = curve.reach(inner, fall)
    free = p < 1 - 1e-9
    assert curve.strength(p, inner)[free] == pytest.approx(np.full(free.sum(), fall), abs=1e-9)
    assert (curve.strength(p * 0.9, inner) < fall).all()
    assert (np.diff(curve.reach(np.sort(SHARES), fall)) >= 0).all()


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([(0, 1)], "begin at type-I error 0"),
        ([("0.1", 1), (1, 0)], "begin at type-I error 0"),
        ([(0, 1), (1, "0.1")], "end at type-II error 0"),
        ([(0, 1), ("0.5", "0.2"), ("0.5", "0.1"), (1, 0)], "must rise"),
        ([(0, 1), ("0.5", "0.8"), (1, 0)], "convex"),
        ([(0, 2), (1, 0)], "type_two"),
    ],
)
def test_what_is_no_trade_off_curve_is_refused(points: Any, words: str) -> None:
    with pytest.raises(RangeError, match=words):
        Polygon(points)
    with pytest.raises(ShapeError, match="pairs"):
        Polygon([1, 2])  # type: ignore[list-item]


def test_functions_and_measures_without_a_curve_are_refused() -> None:
    with pytest.raises(RangeError, match="convex"):
        Polygon.below(lambda alpha: math.sqrt(1 - alpha))
    with pytest.raises(RangeError, match="between 0 and 1"):
        Polygon.below(lambda alpha: 2 - 2 * alpha)
    with pytest.raises(RangeError, match="nothing can refute"):
        claims_of(polygon_of(shoal.GaussianDP(40)))
    with pytest.raises(RangeError, match="nothing can refute"):
        claims_of(polygon_of(shoal.Approx(1, 1)))
    with pytest.raises(ConversionError, match="no trade-off curve"):
        polygon_of(shoal.ZeroConcentrated(1))


def test_a_curve_is_a_value() -> None:
    assert Polygon([(0, 1), (1, 0)]) == Polygon([(0, Fraction(1)), ("1", 0)])
    assert len({Polygon([(0, 1), (1, 0)]), Polygon([(0, 1), (1, 0)])}) == 1


def drawn(
    curve: Polygon, draw: np.random.Generator, size: int, *, worse: float = 0.0
) -> tuple[Any, Any]:
    """Outputs of the worst mechanism that a curve allows: pieces 0, 1, ... with the errors of its
    corners, and those a little beyond.
    """
    steps = np.array([(float(a), float(b)) for a, b in curve.corners])
    rare, likely = np.diff(steps[:, 0]), -np.diff(steps[:, 1])
    first = likely.copy()
    first[0], first[-1] = first[0] + worse, first[-1] - worse
    return (
        draw.choice(len(first), size, p=first / first.sum()),
        draw.choice(len(rare), size, p=rare / rare.sum()),
    )


def test_a_mechanism_on_the_curve_stands_and_one_below_it_is_refuted() -> None:
    draw = np.random.default_rng(3)
    stands = shoal.auditing.audit_samples(*drawn(LAW, draw, 20_000), claim=LAW)
    falls = shoal.auditing.audit_samples(*drawn(LAW, draw, 20_000, worse=0.06), claim=LAW)
    assert not stands.refuted
    assert stands.lower == 0
    assert falls.refuted
    assert 0.2 < falls.lower <= 0.3  # the first error 0.04 goes with 0.5, where the curve has 0.8
    assert falls.p_value is not None
    assert falls.p_value < 0.01
    assert "trade-off curve" in falls.found
    assert falls.to_page().html().count("<svg") == 2


def test_mechanisms_on_the_curve_are_hardly_ever_refuted() -> None:
    alarms = sum(
        shoal.auditing.audit_samples(
            *drawn(LAW, np.random.default_rng(seed), 1000), claim=LAW, confidence="0.95"
        ).refuted
        for seed in range(60)
    )
    assert alarms <= 8  # 5 % of 60, and three standard deviations


def test_the_curve_of_gaussian_noise_refutes_what_mu_refutes() -> None:
    draw = np.random.default_rng(4)

    def normal(sigma: float) -> Any:
        return lambda data, n: data + draw.normal(0, sigma, n)

    claim = polygon_of(shoal.GaussianDP(1))
    assert not shoal.audit(normal(1), 0, 1, claim=claim, samples=20_000, batch=True).refuted
    assert shoal.audit(normal(0.8), 0, 1, claim=claim, samples=20_000, batch=True).refuted


def test_low_bits_are_judged_against_a_curve_but_not_pairs_of_them() -> None:
    draw = np.random.default_rng(4)
    zeros, ones = draw.normal(0, 4, 2000), draw.normal(1, 4, 2000)
    claim = polygon_of(shoal.GaussianDP("0.25"))
    assert lattice(zeros, np.round(ones), claim).refuted
    with pytest.raises(RangeError, match="Box and Muller"):
        lattice(zeros, ones, claim, formula=Formula("box-muller", 4.0, (0.0, 1.0)))
