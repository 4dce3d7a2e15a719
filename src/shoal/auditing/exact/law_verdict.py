"""A claimed measure against the exact laws: refuted, proven, or left open by what was not
followed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from shoal.auditing.exact.law import Bounds
from shoal.auditing.exact.worst_case_losses import Exact
from shoal.auditing.verdict import Verdict
from shoal.auditing.verdict_pictures import Drawing, curve_against_claim
from shoal.errors import ConversionError
from shoal.exact import ball, float_down, float_up, is_below
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated
from shoal.page import Part, Words

ORDERS = tuple(map(Fraction, ("1.1", "1.5", "2", "3", "4", "8", "16", "32", "64")))
MOST = Fraction(8)
"""No picture goes much further than this epsilon."""
DRAWN = tuple(map(Fraction, ("1.1", "1.5", "2", "3", "4", "5", "6", "7", "8")))
RENYI = ("order", "Rényi epsilon")
EPSILONS = tuple(map(Fraction, ("0", "0.1", "0.25", "0.5", "1", "1.5", "2", "3", "4", "6")))


@dataclass(frozen=True, kw_only=True)
class ExactVerdict(Verdict):
    """The verdict of the verifier; ``holds`` is True where the claim is proven for the pairs given,
    and None where it is open.
    """

    holds: bool | None

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        if self.refuted:
            return "refuted"
        return "proven for these pairs" if self.holds else "not refuted"

    def parts(self) -> list[Part]:
        """What the page shows below its title; what it says last fits a proof."""
        *told, _ = super().parts()
        return [*told, Words(_LAST[self.holds])]


_LAST = {
    False: "No chance is involved: with these chances, the claim is false.",
    True: "No chance is involved: with these chances, the claim holds for the pairs listed. It says nothing about other pairs.",
    None: "The claim is neither refuted nor proven here: the bounds that were worked out leave it open.",
}


def judge(exact: Exact, claim: Measure) -> ExactVerdict:
    """Whether the laws keep a claim, for all pairs given.

    Guarantee: no chance is involved: a refuted claim is false, and one that is proven holds for
        these pairs.
    Edges: zero-concentrated and Gaussian promises are checked at some orders and epsilons, and a
        Gaussian one is not proven here; what was not followed to its end can leave any claim open.

    >>> from shoal import Pure
    >>> from shoal.auditing.exact import Law, verify
    >>> coins = verify({"yes": Law({1: "3/4", 0: "1/4"}), "no": Law({1: "1/4", 0: "3/4"})})
    >>> print(judge(coins, Pure("1.1")))
    proven for these pairs: epsilon 1.1 (exact)
        The worst epsilon of 1 pair is 1.09861 to 1.09862.
    """
    refuted, holds = _compared(exact, claim)
    count = len(exact.pairs)
    found = f"The worst epsilon of {count} pair{'s' * (count > 1)} is {exact.epsilon}"
    if isinstance(claim, Approx):
        found += f", and delta at epsilon {float(claim.epsilon):g} is {exact.delta(claim.epsilon)}"
    return ExactVerdict(
        test="exact",
        claim=str(claim),
        refuted=refuted,
        confidence=None,
        p_value=None,
        found=f"{found}.",
        figures=_figures(exact),
        holds=False if refuted else (True if holds else None),
        drawings=(_drawing(exact, claim),),
    )


def _drawing(exact: Exact, claim: Measure) -> Drawing:
    """The Rényi curve for a claim about that, else the delta profile."""
    if isinstance(claim, Renyi):
        orders = [order for order, _ in claim.curve]
        return curve_against_claim(
            partial(_renyi_of, exact), partial(_claimed_at, claim), orders, RENYI
        )
    if isinstance(claim, ZeroConcentrated):
        return curve_against_claim(
            partial(_renyi_of, exact), partial(_claimed_at, claim), DRAWN, RENYI
        )
    widest = _widest(exact, claim)
    places = [step * widest / 24 for step in range(25)]
    return curve_against_claim(
        partial(_delta_of, exact), partial(_claimed_delta, claim), places, ("epsilon", "delta")
    )


def _renyi_of(exact: Exact, order: Fraction) -> float:
    return _high(exact.renyi(order))


def _claimed_at(claim: Renyi | ZeroConcentrated, order: Fraction) -> float:
    return float_up(
        claim.rho * order if isinstance(claim, ZeroConcentrated) else dict(claim.curve)[order]
    )


def _delta_of(exact: Exact, epsilon: Fraction) -> float:
    return _high(exact.delta(epsilon))


def _claimed_delta(claim: Measure, epsilon: Fraction) -> float:
    return float_up(claim.to_delta(epsilon=epsilon).delta)


def _widest(exact: Exact, claim: Measure) -> Fraction:
    """How far the axis of epsilon goes: past what was found and what is claimed."""
    found = exact.epsilon.high
    seen = [Fraction(1), MOST if found is None else found]
    if isinstance(claim, Pure | Approx):
        seen.append(claim.epsilon)
    return min(max(seen), MOST) * Fraction(5, 4)


def _compared(exact: Exact, claim: Measure) -> tuple[bool, bool]:
    """Whether the claim is certainly false, and whether it is certainly true."""
    if isinstance(claim, Pure):
        return _pure(exact.ratio, claim.epsilon)
    if isinstance(claim, Approx):
        return _within([(exact.delta(claim.epsilon), claim.delta)])
    if isinstance(claim, Renyi):
        return _within((exact.renyi(order), epsilon) for order, epsilon in claim.curve)
    if isinstance(claim, ZeroConcentrated):
        refuted, _ = _within((exact.renyi(order), claim.rho * order) for order in ORDERS)
        high = exact.epsilon.high
        return refuted, not refuted and high is not None and high**2 <= 2 * claim.rho
    if isinstance(claim, GaussianDP):
        refuted, _ = _within((exact.delta(e), claim.to_delta(epsilon=e).delta) for e in EPSILONS)
        return refuted, False
    raise ConversionError(
        f"{type(claim).__name__} is a promise that the verifier cannot check.",
        remedy="Claim a Pure, Approx, Renyi, ZeroConcentrated or GaussianDP measure.",
    )


def _pure(ratio: Bounds, epsilon: Fraction) -> tuple[bool, bool]:
    def above(number: Fraction | None) -> bool:
        if number is None:
            return True
        if epsilon == 0 or number == 1:
            return number > 1
        return is_below(lambda: ball(epsilon), lambda: ball(number).log())

    return above(ratio.low), not above(ratio.high)


def _within(found: Iterable[tuple[Bounds, Fraction]]) -> tuple[bool, bool]:
    listed = list(found)
    refuted = any(each.low is None or each.low > allowed for each, allowed in listed)
    return refuted, all(each.high is not None and each.high <= allowed for each, allowed in listed)


def _figures(exact: Exact) -> tuple[tuple[str, float | int | str], ...]:
    ratio = exact.ratio
    shown = "infinite" if ratio.infinite else str(ratio.exact or ratio)
    figures: list[tuple[str, float | int | str]] = [
        ("pairs", len(exact.pairs)),
        ("outputs", exact.outputs),
        ("largest ratio of chances", shown),
        ("epsilon, at least", _low(exact.epsilon)),
        ("epsilon, at most", _high(exact.epsilon)),
        ("total variation, at most", _high(exact.variation)),
        ("mass not followed, at most", float_up(exact.rest)),
    ]
    worst = exact.worst
    if worst is not None:
        (one, two), output = worst
        figures.append(("worst pair", f"{one!s} and {two!s}"))
        figures.append(("worst output", str(output)))
    figures.extend(
        (f"delta at epsilon {float(epsilon):g}, at most", _high(exact.delta(epsilon)))
        for epsilon in EPSILONS
    )
    figures.extend(
        (f"Rényi epsilon at order {float(order):g}, at most", _high(exact.renyi(order)))
        for order in ORDERS
    )
    return tuple(figures)


def _low(bounds: Bounds) -> float:
    return float("inf") if bounds.low is None else float_down(bounds.low)


def _high(bounds: Bounds) -> float:
    return float("inf") if bounds.high is None else float_up(bounds.high)
