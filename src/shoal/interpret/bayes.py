"""How far a release can move a belief.

With odds π(x) : π(x') between two neighbours before the release, the odds after it are those times
the likelihood ratio e^L, L the privacy loss.  A pure promise bounds L always; any other promise
bounds it but for a small probability over the noise, through its profile: for every ε and every l >
ε,

    P(L > l) <= δ(ε) / (1 - e^(ε - l)),   because   δ(ε) >= E[(1 - e^(ε - L))_+].

The converse of that, "L exceeds ε with probability at most δ", is false for (ε, δ)-DP.
"""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.errors import ConversionError
from shoal.exact import Number, ball, closed_unit, holdable_up, lower, open_unit, short, upper
from shoal.interpret.profiles import Promise, profile
from shoal.interpret.promising_point import promising
from shoal.measures.measure import Measure
from shoal.measures.renyi import Renyi

_WIDE = 0.7
"""Beyond the epsilon at half of what is allowed, plus ln 2, no epsilon can do better."""

_BEYOND = 40000
"""A belief divided by e^40000 is 0 for every prior that can be given."""


def loss_up(promise: Promise, *, except_with: Number = 0) -> Fraction:
    """How large the privacy loss can be, but for some probability over the noise.

    Guarantee: when the release is drawn under the one neighbour, the log of the likelihood ratio in
        its favour exceeds the result with probability at most ``except_with``, either way round.
        The result is ε - ln(1 - δ(ε) / except_with) at an ε of the profile that a search picks, or
        epsilon at delta 0, whichever is smaller; rounded up.
    Needs: 0 <= except_with <= 1; above 0 unless the promise has an epsilon at delta 0.
    Edges: an approximate promise needs except_with > δ, not >= δ: losses just above ε are cheap.
    Reference: the bound at the head of this file; Dwork and Roth 2014, section 3.5 for its
        converse.

    >>> from shoal.measures import Approx, Pure
    >>> loss_up(Pure(1)), round(float(loss_up(Approx(1, "1e-6"), except_with="1e-5")), 6)
    (Fraction(1, 1), 1.105361)
    """
    whole, allowed = profile(promise), closed_unit(except_with, "except_with")
    found = list[Fraction]()
    try:
        found.append(whole.epsilon_up(0))
    except ConversionError:
        if allowed == 0:
            raise
    if allowed == 0:
        return found[0]
    if allowed == 1:
        return Fraction(0)

    def cost(epsilon: Fraction) -> float:
        part = float(whole.delta_up(epsilon) / allowed)
        return float(epsilon) - math.log1p(-part) if part < 1 else math.inf

    low, high = _reach(promise, allowed), _reach(promise, allowed / 2)
    found += [low + Fraction(1, 2**20), *whole.marks]
    found.append(promising(cost, float(low), max(float(low), float(high)) + _WIDE))
    tried = [_loss_at(epsilon, whole.delta_up(epsilon), allowed) for epsilon in found]
    bounds = [bound for bound in tried if bound is not None]
    if not bounds:
        raise ConversionError(
            f"no loss is promised but for probability {short(allowed)}: delta is not below it.",
            remedy="Allow a larger probability of failure, well above delta.",
        )
    return min(bounds)


def posterior_interval(
    promise: Promise, prior: Number, *, except_with: Number = 0
) -> tuple[Fraction, Fraction]:
    """Where a belief can lie after the release.

    Guarantee: someone who believed with probability ``prior`` that a person's data are as they are
        rather than otherwise believes after the release, by Bayes' rule, with a probability between
        the two returned: p / (p + (1 - p) e^l) and p e^l / (p e^l + 1 - p), rounded outward,
        where l is `loss_up`.  This holds for every release of a pure promise, and
        else but for probability ``except_with`` over the noise, half of it on each side.
    Needs: 0 < prior < 1; neighbours that differ in this person's data only; what is believed about
        others is independent of it, or known.
    Edges: the odds are multiplied by at most e^l, so a prior of 0 or 1 never moves; the bound is on
        posterior odds over prior odds, not on posterior odds alone.
    Reference: Kasiviswanathan and Smith 2014; Dwork and Roth 2014, section 2.3.

    >>> from shoal.measures import Pure
    >>> low, high = posterior_interval(Pure(1), 0.5)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2689, 0.7311)
    """
    belief, allowed = open_unit(prior, "prior"), closed_unit(except_with, "except_with")
    loss = loss_up(promise, except_with=allowed / 2)
    return _after_down(belief, loss), _after_up(belief, loss)


def posterior_up(promise: Promise, prior: Number, *, except_with: Number = 0) -> Fraction:
    """How high a belief can rise after the release.

    Guarantee: as `posterior_interval`, its upper side alone, so with the whole of ``except_with``.

    >>> from shoal.measures import Pure
    >>> round(float(posterior_up(Pure(1), 0.01)), 4)
    0.0267
    """
    belief = open_unit(prior, "prior")
    return _after_up(belief, loss_up(promise, except_with=except_with))


def guess_up(promise: Promise, prior: Number) -> Fraction:
    """How often the best guess is right, of someone who knows the prior and sees the release.

    Guarantee: no rule guesses rightly, whether the person's data are as believed, with a larger
        probability, over the prior and the noise.  For p <= 1/2 it is 1 - p + p δ(ln((1 - p) / p)),
        else the same with p and 1 - p exchanged, rounded up.  Proof: with S the releases at which
        the rule says yes, it is p P(S) + (1 - p) (1 - Q(S)) = 1 - p + p (P(S) - ((1 - p) / p)
        Q(S)).
    Needs: 0 <= prior <= 1.
    Edges: never below max(p, 1 - p), which needs no release at all.
    Reference: the proof above is complete.

    >>> from shoal.measures import Pure
    >>> round(float(guess_up(Pure(1), 0.5)), 4), float(guess_up(Pure(1), 0.1))
    (0.7311, 0.9)
    """
    belief = closed_unit(prior, "prior")
    rare = min(belief, 1 - belief)
    if rare == 0:
        return Fraction(1)
    odds = (1 - rare) / rare
    epsilon = Fraction(0) if odds == 1 else lower(lambda: ball(odds).log())
    return 1 - rare + rare * profile(promise).delta_up(epsilon)


def mean_log_factor_up(measure: Measure) -> Fraction:
    """By how much the log of the odds moves on average towards the truth.

    Guarantee: the mean of the privacy loss under the true neighbour, the Kullback-Leibler
        divergence, is at most this: a Rényi divergence of any order above 1 bounds it.  Single
        releases may move more: only the mean is bounded.
    Needs: a measure that bounds a Rényi divergence.
    Edges: an approximate promise bounds no mean, and is refused by its own conversion.
    Reference: van Erven and Harremoës 2014, Theorem 3; Mironov 2017, section 4.

    >>> mean_log_factor_up(Renyi({2: 1, 4: 3}))
    Fraction(1, 1)
    """
    if isinstance(measure, Renyi):
        return measure.curve[0][1]
    return measure.to_zero_concentrated().rho


def factor_moment_up(measure: Measure, *, order: Number) -> Fraction:
    """The mean of a power of the factor by which the odds move towards the truth.

    Guarantee: E[(posterior odds / prior odds)^(α-1)] under the true neighbour is at most
        e^((α-1) D), D the bound on the divergence of order α, rounded up.
    Needs: order > 1, at most the last order of a Rényi curve.
    Reference: Mironov 2017, section 4.

    >>> factor_moment_up(Renyi({2: 0}), order=2)
    Fraction(1, 1)
    """
    [(at, divergence)] = measure.to_renyi([order]).curve
    exponent = (at - 1) * divergence
    return Fraction(1) if exponent == 0 else upper(lambda: ball(exponent).exp())


def _reach(promise: Promise, delta: Fraction) -> Fraction:
    """The epsilon at this delta; where there is none, the largest at which the profile bends."""
    whole = profile(promise)
    try:
        return whole.epsilon_up(delta)
    except ConversionError:
        return max(whole.marks, default=Fraction(0))


def _loss_at(epsilon: Fraction, delta: Fraction, allowed: Fraction) -> Fraction | None:
    """ε - ln(1 - δ / allowed), rounded up; None where δ is not below what is allowed."""
    if delta == 0:
        return epsilon
    if delta >= allowed:
        return None
    return holdable_up(upper(lambda: ball(epsilon) - (-ball(delta / allowed)).log1p()))


def _after_up(prior: Fraction, loss: Fraction) -> Fraction:
    """1 / (1 + e^-l (1 - p) / p), rounded up."""
    odds = (1 - prior) / prior
    if loss == 0:
        return prior
    return min(Fraction(1), upper(lambda: 1 / (1 + ball(odds) * ball(-loss).exp())))


def _after_down(prior: Fraction, loss: Fraction) -> Fraction:
    """1 / (1 + e^l (1 - p) / p), rounded down; 0 for losses beyond every number."""
    odds = (1 - prior) / prior
    if loss == 0:
        return prior
    if loss > _BEYOND:
        return Fraction(0)
    return max(Fraction(0), lower(lambda: 1 / (1 + ball(odds) * ball(loss).exp())))
