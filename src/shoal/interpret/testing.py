"""What a tester can do who must say, from one release, whether a person's data were in it."""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import ConversionError
from shoal.exact import Number, ball, holdable_up, non_negative, upper
from shoal.interpret.profiles import Promise, profile
from shoal.interpret.trade_off_curves import trade_off
from shoal.measures.approx import Approx
from shoal.measures.from_pure import pure_delta_up
from shoal.measures.measure import Measure
from shoal.measures.one_parameter import Pure


def type_two_down(promise: Promise, *, type_one: Number) -> Fraction:
    """The least probability of a miss for a tester who may raise this many false alarms.

    Guarantee: no test with this type-I error has a smaller type-II error, rounded down.
    Needs: 0 <= type_one <= 1.
    Edges: type_one 0 gives 1 - δ for an approximate promise: with probability δ all may be told.
    Reference: `TradeOff`.

    >>> float(type_two_down(Pure(1), type_one=0.05))
    0.8640859085770477
    """
    return trade_off(promise).type_two_down(type_one)


def power_up(promise: Promise, *, type_one: Number) -> Fraction:
    """The largest probability of a hit for a tester who may raise this many false alarms.

    Guarantee: no test with this type-I error has a larger power, rounded up.  It is also the
        largest rate of true positives at this rate of false positives of any attack on membership.
    Needs: 0 <= type_one <= 1.
    Reference: `TradeOff`.

    >>> round(float(power_up(Pure(1), type_one=0.001)), 6)
    0.002718
    """
    return trade_off(promise).power_up(type_one)


def advantage_up(promise: Promise) -> Fraction:
    """How far hits can exceed false alarms, for any test: the total variation distance.

    Guarantee: power minus type-I error is at most this for every test; it is δ at ε = 0, rounded
        up.  A guess between two equally likely neighbours is right with probability (1 + this) / 2
        at most.
    Reference: Humphries et al. 2023, for attacks on membership; Dwork and Roth 2014, section 2.

    >>> round(float(advantage_up(Pure(1))), 6)
    0.462117
    """
    return profile(promise).delta_up(0)


def conditional_advantage_up(measure: Measure) -> Fraction:
    """The advantage of a tester who looks only at releases in a set of its choice.

    Guarantee: given that the release fell into A, a set possible under both neighbours, the two
        errors of every test add up to at least 1 - result, where result = tanh(ε/2), rounded up:
        the same as without the condition.  Proof: let r = p/q on A, in [e^-ε, e^ε], and m its mean
        under q given A.  The conditional laws have the ratio r/m, and their distance is the mean of
        (r/m - 1)_+, convex in r, so largest when r takes its two ends a < b, b with probability s
        under q: then m = a + s (b - a) and the distance is s (1 - s) (b - a) / m.  Its maximum over
        s is (sqrt c - 1) / (sqrt c + 1) with c = b/a, at s = 1 / (1 + sqrt c), and c <= e^2ε.
        Randomized response attains it with A everything.
    Needs: a pure promise (or an approximate one with delta 0).
    Edges: any other promise is refused: given an unlikely set, all may be told.
    Reference: the proof above is complete; see `textbook_conditional_advantage_up`.

    >>> round(float(conditional_advantage_up(Pure(0.1))), 6)
    0.049958
    """
    return pure_delta_up(pure_epsilon(measure, "after conditioning on the release"), at_epsilon=0)


def textbook_conditional_advantage_up(epsilon: Number) -> Fraction:
    """The textbook form of `conditional_advantage_up`, 1 - e^-2ε: true, and about four times
    larger.

    Guarantee: as there, for a pure promise, rounded up.  It bounds both conditional probabilities
        apart; for teaching and comparison.
    Needs: epsilon >= 0.
    Reference: Duchi, lecture notes on privacy, conditional hypothesis testing.

    >>> round(float(textbook_conditional_advantage_up(0.1)), 6)
    0.181269
    """
    number = non_negative(epsilon, "epsilon")
    if number == 0:
        return number
    return min(Fraction(1), holdable_up(upper(lambda: -ball(-2 * number).expm1())))


def pure_epsilon(measure: Measure, where: str) -> Fraction:
    """The epsilon of a pure promise, or a refusal that says where nothing else helps."""
    if isinstance(measure, Pure) or (isinstance(measure, Approx) and measure.delta == 0):
        return measure.epsilon
    raise ConversionError(
        f"{measure} promises nothing {where}: unlikely releases may tell all.",
        remedy="Ask of a pure promise, or allow a small probability of failure.",
    )
