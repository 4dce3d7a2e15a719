"""The loss distribution of a bill: each line by its own law where that is known, else by its pure price.

A line that is only known to be epsilon-DP is dominated by randomized response with that epsilon.  Masses that may
fail are taken out of delta before a way is asked, so a line's law is the one it has when it does not fail.  All
laws here stand for both directions at once: exchanging P and Q gives the same losses; sampling then tells them apart.
"""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.accounting.pricing import Bill, Line, bill, line_price, total_of
from shoal.accounting.unit import FAILING, PURE, SQUARED_MU
from shoal.events import (
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    Geometric,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    StatedApprox,
    StatedGaussian,
    StatedPure,
)
from shoal.exact import float_up, root_up
from shoal.measures.loss import (
    AtomicLoss,
    BoundedRangeLoss,
    DiscreteNormalLoss,
    LaplaceLoss,
    LossDistribution,
    LossPair,
    LossSource,
    NormalLoss,
    SampledLoss,
    SampledNormalLoss,
    sampled_atoms,
)
from shoal.sensitivity import Relation

MOST_ATOMS = 4096
"""A lattice of more steps than this is taken as continuous, with the blur that costs."""

LARGEST_ATOM = 600
"""Losses beyond this are not sampled point by point: their exponentials leave the range of floats."""

Law = tuple[LossSource, ...]
"""The losses of one release, independent of each other; none where nothing depends on the data."""


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
    if isinstance(line.event, PoissonSampled) and line.size == 1:
        sampled = _from_a_sample(line.event)
        if sampled is not None:
            return sampled
    law = _law(line)
    if law is None:
        return None
    return LossDistribution().compose(*map(LossDistribution.of, law))


def has_law(line: Line) -> bool:
    """Whether the loss of a line is that of its own law, or of the promise it is, and not just one above it."""
    if isinstance(line.event, PoissonSampled):
        return line.size == 1 and _sample_has_law(line.event)
    if isinstance(line.event, Exponential):  # choices of bounded range, of which this is one
        return False
    return _own_law(line.event, line.size) is not None


def _sample_has_law(event: PoissonSampled) -> bool:
    """One release that cannot fail and whose own law is one loss, or Gaussian noise, of which many are one."""
    inside = bill(event.event, str(Relation.ADD_REMOVE))
    if all(isinstance(line.event, Gaussian | StatedGaussian) for line in inside):
        return True
    if total_of(inside, FAILING) != 0 or not all(map(has_law, inside)):
        return False
    if event.rate == 1:
        return True
    [line, *more] = inside
    law = _own_law(line.event, line.size)
    return not more and inside[line] == 1 and law is not None and len(law) == 1


def _law(line: Line) -> Law | None:
    """The losses of a release by its own law, else by its pure price; None where it has neither."""
    known = _own_law(line.event, line.size)
    if known is not None:
        return known
    epsilon = line_price(line, PURE)
    return None if epsilon is None else _pure(epsilon)


def _own_law(event: Event, size: int) -> Law | None:
    """The losses of a release that are known from the kind of its noise."""
    match event:
        case Gaussian():
            return _normal(size * event.sensitivity / event.sigma)
        case StatedGaussian():
            return _normal(size * event.mu)
        case DiscreteGaussian():
            return _discrete_normal(event, size)
        case StatedPure() | StatedApprox() if size == 1:
            # for groups the promise is weaker than randomized response: the steps between must be kept, too
            return _pure(event.epsilon)
        case Laplace(steps=0) | Geometric(sensitivity=0):
            return ()
        case Laplace(steps=int() as steps):
            return _laplace(size * event.sensitivity / event.scale, size * steps)
        case Geometric():
            return _laplace(size * event.sensitivity / event.scale, size * event.sensitivity)
        case RandomizedResponse() if size == 1 and event.truth not in {0, 1}:
            return _response(event)
        case Exponential() if event.candidates > 1:
            return (BoundedRangeLoss(float_up(size * event.epsilon)),)
    return None


def _normal(mu: Fraction) -> Law:
    return (NormalLoss(float_up(mu)),) if mu else ()


def _discrete_normal(event: DiscreteGaussian, size: int) -> Law | None:
    """The worst move of the integers, where one is worse than all others.

    Guarantee: a move further is worse than a shorter one in the same coordinate, at every delta, because the law is
        log-concave; differences are whole numbers.  One number moves by at most the root of the bound.
        Several, with a bound below 4, can each move by at most 1, and at most as many as the bound says.
    Edges: None for several numbers and a bound of 4 or more, or for groups of them: which of (2, 0, 0, 0) and
        (1, 1, 1, 1) is worse depends on delta.
    """
    square, most = float(event.sigma_squared), math.floor(event.sensitivity_squared)
    if event.size == 1:
        shift = size * math.isqrt(most)
        return (DiscreteNormalLoss(shift, square),) if shift else ()
    if size > 1 or most >= 4:
        return None if most else ()
    return (DiscreteNormalLoss(1, square),) * min(event.size, most)


def _from_a_sample(event: PoissonSampled) -> LossDistribution | None:
    """The loss of a release from a Poisson sample, where nothing inside may fail.

    Guarantee: the pair (1 - q) Q + q P and Q dominates if (P, Q) does; so the law inside is sampled point by
        point.  Several releases inside share one sample: they are taken together by their epsilon, else mu.
    Reference: Zhu, Dong and Wang 2022, Theorem 11.
    """
    inside = bill(event.event, str(Relation.ADD_REMOVE))
    rate = float_up(event.rate)
    if total_of(inside, FAILING) != 0 or not 0 < rate < 1:
        return losses_of(inside) if event.rate == 1 else None
    source = _one_source(inside)
    if source is None or (isinstance(source, AtomicLoss) and source.largest > LARGEST_ATOM):
        return None
    ways = [_sampled(source, rate, removed=removed) for removed in (True, False)]
    return LossDistribution.of(*ways)


def _one_source(inside: Bill) -> LossSource | None:
    """One loss that stands for all that is released from one sample."""
    if sum(inside.values()) == 1:
        law = _law(next(iter(inside)))
        if law is not None and len(law) == 1:
            return law[0]
    epsilon, square = total_of(inside, PURE), total_of(inside, SQUARED_MU)
    if epsilon is not None:
        law = _pure(epsilon)
    else:
        law = () if square is None else _normal(root_up(square))
    return law[0] if law else None


def _sampled(source: LossSource, rate: float, *, removed: bool) -> LossSource:
    if isinstance(source, NormalLoss):
        return SampledNormalLoss(rate, source.mu, removed)
    if isinstance(source, AtomicLoss):
        return sampled_atoms(source, rate, removed=removed)
    assert isinstance(source, LaplaceLoss | DiscreteNormalLoss | BoundedRangeLoss)
    pair: LossPair = source
    return SampledLoss(pair, rate, removed)


def _laplace(epsilon: Fraction, steps: int) -> Law:
    """Noise on a lattice: with X the noise in steps, the loss is epsilon (1 - 2 X / steps), cut to ±epsilon."""
    whole = float_up(epsilon)
    if steps > MOST_ATOMS:
        return (LaplaceLoss(whole, blur=2 * whole / steps),)
    fall = math.exp(-whole / steps)
    atoms = [(whole, 1 / (1 + fall))]
    atoms += [
        (whole * (1 - 2 * x / steps), (1 - fall) / (1 + fall) * fall**x) for x in range(1, steps)
    ]
    atoms.append((-whole, fall**steps / (1 + fall)))
    return (AtomicLoss(tuple(atoms), unit=2 * whole / steps),)


def _response(event: RandomizedResponse) -> Law:
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
        return ()
    atoms = [(loss, max(truth, lie)), (-loss, min(truth, lie))]
    if others > 1:
        atoms.append((0.0, 1 - truth - lie))
    unit = 2 * loss if others == 1 else loss
    return (AtomicLoss(tuple(atoms), unit=unit),)


def _pure(epsilon: Fraction) -> Law:
    whole = float_up(epsilon)
    if whole == 0:
        return ()
    truth = 1 / (1 + math.exp(-whole))
    lie = math.exp(-whole) / (1 + math.exp(-whole))
    return (AtomicLoss(((whole, truth), (-whole, lie)), unit=2 * whole),)
