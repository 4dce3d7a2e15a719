"""How many coins can be guessed right from what a private learner released, at most; `one_run.md`
has the theorem.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from flint import arb

from shoal.auditing.extra import audit_module
from shoal.errors import RangeError
from shoal.exact import Number, at_precision, ball, closed_unit, non_negative, open_unit, whole

MOST_EPSILON = 64.0
"""No larger epsilon is certified: a binary answer about so few coins cannot tell it from infinity.
"""
_PRECISION = 96
_HALVINGS = 50


def one_run_p_value(
    *, canaries: int, guesses: int, right: int, epsilon: Number, delta: Number = 0
) -> float:
    """How probable so many right guesses are at most, if the learner is (epsilon, delta)-private;
    rounded up.

    Guarantee: with independent fair coins, a learner that is (epsilon, delta)-private under adding
    or removing one canary, and exactly ``guesses`` guesses that are computed from what it released
    and nothing else, ``right`` or more of them are right with at most this probability; some such
    learner attains it.

    >>> f"{one_run_p_value(canaries=100, guesses=100, right=75, epsilon=0):.3g}"
    '2.82e-07'
    """
    m, r, v = _counts(canaries, guesses, right)
    eps, slack = non_negative(epsilon, "epsilon"), closed_unit(delta, "delta")
    return at_precision(_PRECISION, lambda: _p_value_up(m, r, v, eps, slack))


def one_run_epsilon(
    *, canaries: int, guesses: int, right: int, delta: Number = 0, confidence: Number = "0.95"
) -> float:
    """An epsilon that so many right guesses refute, and nearly the largest; 0 if they refute none.

    >>> f"{one_run_epsilon(canaries=1000, guesses=100, right=75, delta='1e-4'):.3f}"
    '0.695'
    """
    m, r, v = _counts(canaries, guesses, right)
    slack, alpha = closed_unit(delta, "delta"), 1 - open_unit(confidence, "confidence")
    low, high = 0.0, MOST_EPSILON
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _p_value_near(m, r, v, middle, float(slack)) <= float(alpha):
            low = middle
        else:
            high = middle
    for give in (1e-9, 1e-6, 1e-3):  # doubles proposed it, enclosures decide
        epsilon = low * (1 - give)
        if (
            at_precision(_PRECISION, partial(_p_value_up, m, r, v, Fraction(epsilon), slack))
            <= alpha
        ):
            return epsilon
    return 0.0


def _counts(canaries: int, guesses: int, right: int) -> tuple[int, int, int]:
    m, r = whole(canaries, "canaries", at_least=1), whole(guesses, "guesses", at_least=0)
    v = whole(right, "right", at_least=0)
    if not v <= r <= m:
        raise RangeError(
            f"right guesses, guesses and canaries must not decrease; got {v}, {r} and {m}.",
            remedy="Count right guesses among the guesses, and guess each canary at most once.",
        )
    return m, r, v


def _p_value_up(m: int, r: int, v: int, epsilon: Fraction, delta: Fraction) -> float:
    """The sum f + delta m (1 - f) f / (v b), with the binomial tail f and its first term b,
    enclosed.
    """
    if v == 0:
        return 1.0
    odds = ball(epsilon).exp()
    first = arb(math.comb(r, v)) * odds**v / (1 + odds) ** r
    term, inner = arb(1), arb(1)  # the tail in units of its first term
    for k in range(v, r):
        term = term * odds * (r - k) / (k + 1)
        inner += term
    tail = first * inner
    share = tail + ball(delta) * m * inner * (1 - tail) / v
    return min(1.0, math.nextafter(float(share.upper()), math.inf))


def _p_value_near(m: int, r: int, v: int, epsilon: float, delta: float) -> float:
    """The same in doubles, to find where to look."""
    binom = audit_module("scipy.stats").binom

    q = 1 / (1 + math.exp(-epsilon))
    tail, first = float(binom.sf(v - 1, r, q)), float(binom.pmf(v, r, q))
    if not delta or not v or not first:
        return 1.0 if delta and not v else tail
    return tail + delta * m * (1 - tail) * tail / (v * first)
