"""Laplace noise on an integer that is never larger than a bound.

Write k for the shift between two neighbours, B for the bound, b for the scale and r = e^(-1/b): P
has the weight r^|x| on [-B, B], Q the weight r^|x - k| on [k - B, k + B].  The law is log-concave,
so the longest shift stands for all shorter ones (loss/loss.md).  The k smallest answers of P are
out of Q's reach, and their probability δ is what may fail, the same for both.  On the answers from
k - B to B the loss is (|x - k| - |x|) / b: k/b up to 0, (k - 2x)/b up to k, -k/b beyond; x to k - x
exchanges both laws.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from flint import arb

from shoal.accounting.quantities import FAILING, Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from
from shoal.events import TruncatedLaplace
from shoal.exact import ball, holdable_up, upper
from shoal.loss import AtomicLoss
from shoal.measures import Approx, Pure, Renyi, pure_divergence_up

MOST_ATOMS = 4096
"""A longer shift is priced by its epsilon alone."""

LARGEST = 500
"""Losses beyond this are not listed: their exponentials leave the range of floats."""

_BITS = 192
"""So many bits of δ are kept: what is left of a delta after it should not depend on its rounding.
"""


def truncated_laplace_epsilon(event: TruncatedLaplace, unit: Unit) -> Fraction:  # noqa: ARG001
    """The largest loss among answers that both can give: at 0, or at the first such answer if that
    is above 0.
    """
    return max(
        Fraction(0), min(event.sensitivity, 2 * event.bound - event.sensitivity) / event.scale
    )


def truncated_laplace_failing(event: TruncatedLaplace, unit: Unit) -> Fraction | None:  # noqa: ARG001
    """The probability of an answer that the neighbour cannot give, rounded up; None where that is
    all of them.

    Reference: Geng, Ding, Guo and Kumar 2020, Theorem 1, for the continuous law.
    """
    scale, shift, bound = event.scale, event.sensitivity, event.bound
    if shift == 0:
        return Fraction(0)
    if shift > 2 * bound:
        return None

    def chance() -> arb:
        whole = 1 + 2 * _block(scale, 1, bound)
        if shift <= bound:
            out_of_reach = _block(scale, bound - shift + 1, bound)
            return out_of_reach / whole
        return 1 - _block(scale, shift - bound, bound) / whole

    found = holdable_up(upper(chance, bits=_BITS))
    return None if found >= 1 else found


def _block(scale: Fraction, first: int, last: int) -> arb:
    """r^first + ... + r^last."""
    if last < first:
        return arb(0)
    count = last - first + 1
    return ball(-first / scale).exp() * ball(-count / scale).expm1() / ball(-1 / scale).expm1()


def truncated_laplace_divergence(event: TruncatedLaplace, unit: Unit) -> Fraction:
    """The divergence of the two laws on the answers that both can give, rounded up; at most
    epsilon.
    """
    epsilon, t = truncated_laplace_epsilon(event, unit), unit.at_order - 1
    if epsilon == 0 or event.sensitivity > MOST_ATOMS:
        return pure_divergence_up(epsilon, order=unit.at_order) if epsilon else epsilon

    def value() -> arb:
        terms = [(weight, ball(t * (loss - epsilon)).exp()) for loss, weight in _weights(event)]
        whole = sum((weight for weight, _ in terms), arb(0))
        raised = sum((weight * gain for weight, gain in terms), arb(0))
        return ball(epsilon) + (raised / whole).log() / ball(t)

    return min(epsilon, holdable_up(upper(value)))


def _weights(event: TruncatedLaplace) -> list[tuple[Fraction, arb]]:
    """The losses of answers that both can give, falling, each with its weight under P, at the
    precision in force.
    """
    scale, shift, bound = event.scale, event.sensitivity, event.bound
    found = []
    for x in _places(event):
        weight = ball(-x / scale).exp()
        if x == 0:
            weight = _block(scale, 0, bound - shift)
        elif x == shift:
            weight = _block(scale, shift, bound)
        found.append(((shift - 2 * x) / scale, weight))
    return found


def truncated_laplace_loss(event: TruncatedLaplace, size: int) -> ReleaseLoss | None:
    """The loss of the longest shift, given that the answer is one that both can give."""
    moved = _for_group(event, size)
    epsilon = truncated_laplace_epsilon(moved, FAILING)
    if epsilon == 0:
        return None if moved.sensitivity > 2 * moved.bound else loss_from()
    if moved.sensitivity > MOST_ATOMS or epsilon > LARGEST:
        return None
    weights = [_float_weight(moved, x) for x in _places(moved)]
    whole = math.fsum(weights)
    losses = [float((moved.sensitivity - 2 * x) / moved.scale) for x in _places(moved)]
    atoms = tuple((loss, weight / whole) for loss, weight in zip(losses, weights, strict=True))
    return loss_from(AtomicLoss(atoms, unit=float(2 / moved.scale)))


def _places(event: TruncatedLaplace) -> range:
    """The answers between both centres that both can give."""
    return range(max(0, event.sensitivity - event.bound), min(event.sensitivity, event.bound) + 1)


def _float_weight(event: TruncatedLaplace, x: int) -> float:
    """As `_weights`; each is right within a few units of its last place times its exponent."""
    weight = math.exp(-float(x / event.scale))
    if 0 < x < event.sensitivity:
        return weight
    count = event.bound - event.sensitivity + 1
    return weight * math.expm1(-float(count / event.scale)) / math.expm1(-float(1 / event.scale))


def _for_group(event: TruncatedLaplace, size: int) -> TruncatedLaplace:
    return replace(event, sensitivity=event.sensitivity * size)


register(
    TruncatedLaplace,
    KindOfEvent(
        prices={
            Pure: truncated_laplace_epsilon,
            Approx: truncated_laplace_failing,
            Renyi: truncated_laplace_divergence,
        },
        loss=truncated_laplace_loss,
        for_group=_for_group,
        is_symmetric=lambda _event, _alone: True,
    ),
)
