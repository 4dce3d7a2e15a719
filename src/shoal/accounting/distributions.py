"""The loss distribution of a bill: each line by its own law where that is known, else by its pure price.

A line that is only known to be epsilon-DP is dominated by randomized response with that epsilon.  Masses that may
fail are taken out of delta before a way is asked, so a line's law is the one it has when it does not fail.
"""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.accounting.pricing import Bill, Line, line_price
from shoal.accounting.unit import PURE
from shoal.events import (
    Gaussian,
    Geometric,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    StatedApprox,
    StatedGaussian,
    StatedPure,
)
from shoal.exact import float_up
from shoal.measures.loss import (
    AtomicLoss,
    LaplaceLoss,
    LossDistribution,
    NormalLoss,
    SampledNormalLoss,
)

MOST_ATOMS = 4096
"""A lattice of more steps than this is taken as continuous, with the blur that costs."""


def losses_of(lines: Bill) -> LossDistribution | None:
    """All losses of a bill; None where a line has neither a law nor a pure price."""
    found = []
    for line, times in lines.items():
        one = loss_of_line(line)
        if one is None:
            return None
        found.append(one.times(times))
    return LossDistribution().compose(*found)


def loss_of_line(line: Line) -> LossDistribution | None:
    """The loss of one release."""
    match line.event:
        case Gaussian() as event:
            return _normal(line.size * event.sensitivity / event.sigma)
        case StatedGaussian() as event:
            return _normal(line.size * event.mu)
        case PoissonSampled(event=Gaussian() as inner) as event if line.size == 1:
            if 0 < event.rate < 1 and inner.sensitivity > 0:
                return _sampled_normal(event.rate, inner.sensitivity / inner.sigma)
        case Laplace(steps=int() as steps) as event if steps:
            return _laplace(line.size * event.sensitivity / event.scale, line.size * steps)
        case Geometric() as event if event.sensitivity:
            return _laplace(
                line.size * event.sensitivity / event.scale, line.size * event.sensitivity
            )
        case RandomizedResponse() as event if line.size == 1 and event.truth not in {0, 1}:
            return _response(event)
    epsilon = line_price(line, PURE)
    return None if epsilon is None else _pure(epsilon)


def has_law(line: Line) -> bool:
    """Whether the loss of a line is that of its own law, or of the promise it is, and not just one above it."""
    match line.event:
        case Gaussian() | StatedGaussian() | StatedPure() | StatedApprox():
            return True
        case PoissonSampled(event=Gaussian()) | RandomizedResponse():
            return line.size == 1
        case Laplace():
            return line.event.steps is not None
    return isinstance(line.event, Geometric)


def _normal(mu: Fraction) -> LossDistribution:
    return LossDistribution.of(NormalLoss(float_up(mu))) if mu else LossDistribution()


def _sampled_normal(rate: Fraction, mu: Fraction) -> LossDistribution:
    share, apart = float_up(rate), float_up(mu)
    return LossDistribution.of(
        SampledNormalLoss(share, apart, removed=True),
        SampledNormalLoss(share, apart, removed=False),
    )


def _laplace(epsilon: Fraction, steps: int) -> LossDistribution:
    """Noise on a lattice: with X the noise in steps, the loss is epsilon (1 - 2 X / steps), cut to ±epsilon."""
    whole = float_up(epsilon)
    if steps > MOST_ATOMS:
        return LossDistribution.of(LaplaceLoss(whole, blur=2 * whole / steps))
    fall = math.exp(-whole / steps)
    atoms = [(whole, 1 / (1 + fall))]
    atoms += [
        (whole * (1 - 2 * x / steps), (1 - fall) / (1 + fall) * fall**x) for x in range(1, steps)
    ]
    atoms.append((-whole, fall**steps / (1 + fall)))
    return LossDistribution.of(AtomicLoss(tuple(atoms), unit=2 * whole / steps))


def _response(event: RandomizedResponse) -> LossDistribution:
    """Only the two answers that are compared matter; any other has the same chance under both."""
    others = event.categories - 1
    if event.truth is not None:
        truth = float(event.truth)
    else:
        fall = math.exp(-float_up(event.epsilon or Fraction(0)))
        truth = 1 / (1 + others * fall)
    lie = (1 - truth) / others
    loss = abs(math.log(truth / lie))
    if loss == 0:
        return LossDistribution()
    atoms = [(loss, max(truth, lie)), (-loss, min(truth, lie))]
    if others > 1:
        atoms.append((0.0, 1 - truth - lie))
    unit = 2 * loss if others == 1 else loss
    return LossDistribution.of(AtomicLoss(tuple(atoms), unit=unit))


def _pure(epsilon: Fraction) -> LossDistribution:
    whole = float_up(epsilon)
    if whole == 0:
        return LossDistribution()
    truth = 1 / (1 + math.exp(-whole))
    lie = math.exp(-whole) / (1 + math.exp(-whole))
    return LossDistribution.of(AtomicLoss(((whole, truth), (-whole, lie)), unit=2 * whole))
