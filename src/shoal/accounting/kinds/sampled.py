"""Releases from a secret sample.

Sampling never raises a price: what is released is an average, over the rest of the sample, of pairs
of laws each of which keeps the price of the release inside (or of a pair of equal laws), and each
unit here grows at most to the largest of the averaged ones.  Each rule takes the least of that and
of what its theorems give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from shoal.accounting.bill_loss import bill_loss, line_loss
from shoal.accounting.group_in_sample import changes_in_sample, group_in_sample
from shoal.accounting.pricing import Bill, BillLine, bill, line_price, total, total_of
from shoal.accounting.quantities import FAILING, PURE, SQUARED_MU, Unit, told
from shoal.accounting.registry import KindOfEvent, Rule, kind_of, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from, normal_loss, pure_loss
from shoal.accounting.sampling import (
    fixed_size_divergence_up,
    sampled_divergence_up,
    sampled_epsilon_up,
    sampled_gaussian_divergence_up,
    sampled_pure_divergence_up,
    sampled_symmetric_divergence_up,
)
from shoal.events import (
    Composed,
    DiscreteGaussian,
    Event,
    Gaussian,
    Geometric,
    Group,
    Laplace,
    PoissonSampled,
    Repeated,
    SampledWithoutReplacement,
)
from shoal.exact import float_up, root_up
from shoal.loss import (
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
    SkellamLoss,
    fixed_size_loss,
    sampled_atoms,
)
from shoal.measures import (
    Approx,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
    pure_divergence_up,
    pure_mu_up,
    pure_rho_up,
)
from shoal.sensitivity import Relation

LARGEST_ATOM = 600
"""Losses beyond this are not sampled point by point: their exponentials leave the range of floats.
"""

_CAN_BE_SAMPLED = (
    NormalLoss,
    AtomicLoss,
    LaplaceLoss,
    DiscreteNormalLoss,
    SkellamLoss,
    BoundedRangeLoss,
)

_NOISE = (Gaussian, DiscreteGaussian, Laplace, Geometric)
"""Noise on a function of the sample, which may be any function of its sensitivity."""

Sampled = PoissonSampled | SampledWithoutReplacement


def _rate(event: Sampled) -> Fraction:
    if isinstance(event, PoissonSampled):
        return event.rate
    return Fraction(event.sample, event.population)


def _inside(event: Sampled, unit: Unit) -> Fraction | None:
    """What the release inside costs, for neighbours of the sample."""
    poisson = isinstance(event, PoissonSampled)
    return total(event.event, str(Relation.ADD_REMOVE if poisson else Relation.CHANGE), unit)


def sampled_failing(event: Sampled, unit: Unit) -> Fraction | None:
    """The rate times the delta inside: only a row in the sample can be told.

    Reference: Balle, Barthe and Gaboardi 2018, Theorems 8 and 9.
    """
    mass = _rate(event) * told(_inside(event, unit))
    return None if mass == 1 else mass


def sampled_epsilon(event: Sampled, unit: Unit) -> Fraction | None:
    """`sampled_epsilon_up` of the epsilon inside."""
    inside, rate = _inside(event, unit), _rate(event)
    if (
        rate == 0 or _inside(event, unit.at(Approx)) is None
    ):  # what is not told is not in the sample
        return Fraction(0)
    return None if inside is None else sampled_epsilon_up(inside, rate=rate)


def sampled_rho(event: Sampled, unit: Unit) -> Fraction | None:
    """The less of rho inside and of what the sampled epsilon implies."""
    epsilon = sampled_epsilon(event, unit.at(Pure))
    return _least(_inside(event, unit), None if epsilon is None else pure_rho_up(epsilon))


def sampled_square(event: Sampled, unit: Unit) -> Fraction | None:
    """The less of mu² inside and of what the sampled epsilon implies."""
    epsilon = sampled_epsilon(event, unit.at(Pure))
    return _least(_inside(event, unit), None if epsilon is None else pure_mu_up(epsilon) ** 2)


def sampled_divergence(event: Sampled, unit: Unit) -> Fraction | None:
    """The least of the divergence inside, of what the sampled epsilon implies, and of the theorems.

    Edges: the theorems are about releases without a failing mass; with one, only the first two are
    used.
    """
    order, epsilon = unit.at_order, sampled_epsilon(event, unit.at(Pure))
    plain = None if epsilon is None else pure_divergence_up(epsilon, order=order)
    known = [_inside(event, unit), plain]
    if _rate(event) not in (0, 1) and _inside(event, unit.at(Approx)) == 0:
        poisson = isinstance(event, PoissonSampled)
        known.append(_poisson(event, unit) if poisson else _fixed_size(event, unit))
    return _least(*known)


def _poisson(event: Sampled, unit: Unit) -> Fraction | None:
    order, rate = unit.at_order, _rate(event)
    inside = bill(event.event, str(Relation.ADD_REMOVE))
    epsilon = _inside(event, unit.at(Pure))
    known: list[Fraction | None] = []
    if epsilon is not None:
        known.append(sampled_pure_divergence_up(epsilon, rate=rate, order=order))
    if _are_normal(inside):
        square = _inside(event, unit.at(GaussianDP)) or Fraction(0)
        known.append(sampled_gaussian_divergence_up(square, rate=rate, order=order))
    elif any(kind_of(line.event).is_symmetric for line in inside) and _is_symmetric(inside, unit):
        symmetric = _curve(inside, unit)
        known.append(sampled_symmetric_divergence_up(symmetric, rate=rate, order=order))
    elif epsilon is None:
        known.append(
            sampled_divergence_up(
                lambda at: _inside(event, unit.at(Renyi, Fraction(at))), rate=rate, order=order
            )
        )
    return _least(*known)


def _are_normal(inside: Bill) -> bool:
    return all(kind_of(line.event).has_normal_loss for line in inside)


def _is_symmetric(inside: Bill, unit: Unit) -> bool:
    """Whether all releases from one sample have symmetric pairs that dominate them, together too.

    Those of noise are two laws a shift apart; randomized response stands for whatever has an
    epsilon.
    """
    alone = sum(inside.values()) == 1
    stated = [(line.event, kind_of(line.event).is_symmetric) for line in inside]
    if any(symmetric is not None and not symmetric(event, alone) for event, symmetric in stated):
        return False
    return _curve(inside, unit)(2) is not None


def _curve(inside: Bill, unit: Unit) -> Callable[[int], Fraction | None]:
    """The divergence at each whole order of the symmetric pair that dominates all releases of a
    bill together.
    """

    def at(order: int) -> Fraction | None:
        whole = Fraction(0)
        for line, times in inside.items():
            cost = _symmetric_price(line, unit.at(Renyi, Fraction(order)))
            if cost is None:
                return None
            whole += times * cost
        return whole

    return at


def _symmetric_price(line: BillLine, unit: Unit) -> Fraction | None:
    if kind_of(line.event).is_symmetric is not None:
        return line_price(line, unit)
    epsilon = line_price(line, unit.at(Pure))
    return None if epsilon is None else pure_divergence_up(epsilon, order=unit.at_order)


def _fixed_size(event: Sampled, unit: Unit) -> Fraction | None:
    return fixed_size_divergence_up(
        lambda at: _inside(event, unit.at(Renyi, Fraction(at))),
        epsilon=_inside(event, unit.at(Pure)),
        rate=_rate(event),
        order=unit.at_order,
    )


def _least(*prices: Fraction | None) -> Fraction | None:
    return min((price for price in prices if price is not None), default=None)


def poisson_loss(event: PoissonSampled, size: int) -> ReleaseLoss | None:
    """The loss of a release from a Poisson sample, where nothing inside may fail.

    Guarantee: the pair (1 - q) Q + q P and Q dominates if (P, Q) does; so the law inside is sampled
        point by point.  Several releases inside share one sample: they are taken together by their
        epsilon, else mu.
    Edges: attained where the one loss inside is, and for normal losses, of which many are one.  For
        groups only the loss of normal ones is known (`group_in_sample`).
    Reference: Zhu, Dong and Wang 2022, Theorem 11.
    """
    inside = bill(event.event, str(Relation.ADD_REMOVE))
    rate = float_up(event.rate)
    if event.rate == 0:
        return loss_from()
    if size > 1:
        return _of_rows(event, group_in_sample, size)
    fails = total_of(inside, FAILING) != 0
    if event.rate == 1:
        whole = bill_loss(inside)
        return whole and replace(whole, attained=whole.attained and not fails)
    if fails or rate == 1:
        return None
    whole = loss_as_one(inside)
    source = None if whole is None else whole.only_source
    if whole is None or source is None:
        return None
    if isinstance(source, AtomicLoss) and source.largest > LARGEST_ATOM:
        return None
    ways = [_sampled(source, rate, removed=removed) for removed in (True, False)]
    return ReleaseLoss(LossDistribution.of(*ways), attained=whole.attained)


def poisson_loss_of_changes(event: PoissonSampled, rows: int) -> ReleaseLoss | None:
    """The loss of a release from a Poisson sample in which so many rows change, where it is normal
    inside.
    """
    return loss_from() if event.rate == 0 else _of_rows(event, changes_in_sample, rows)


def _of_rows(
    event: PoissonSampled,
    seen: Callable[[ReleaseLoss, Fraction, int], ReleaseLoss | None],
    rows: int,
) -> ReleaseLoss | None:
    inside = bill(event.event, str(Relation.ADD_REMOVE))
    whole = loss_as_one(inside) if total_of(inside, FAILING) == 0 else None
    return whole and seen(whole, event.rate, rows)


def fixed_size_sample_loss(event: SampledWithoutReplacement, size: int) -> ReleaseLoss | None:
    """The loss of a release from a sample of fixed size, where nothing inside may fail.

    Guarantee: `FixedSizeLoss` dominates if the loss inside does for rows that change; several
        releases inside share one sample and are taken together, as in `poisson_loss`.
    Edges: one release with noise on a number attains it: let all rows but the changed one be alike,
        and its new value like theirs.  Several do not, unless the sample is everybody.  None for
        groups.
    Reference: Balle, Barthe and Gaboardi 2018, Theorem 9; Zhu, Dong and Wang 2022, for subsets.
    """
    inside, rate = bill(event.event, str(Relation.CHANGE)), _rate(event)
    if size > 1:
        return None
    if rate == 0:
        return loss_from()
    fails = total_of(inside, FAILING) != 0
    if rate == 1:
        whole = bill_loss(inside)
        return whole and replace(whole, attained=whole.attained and not fails)
    found = None if fails or float_up(rate) == 1 else loss_as_one(inside)
    source = None if found is None else found.only_source
    if not isinstance(source, _CAN_BE_SAMPLED) or isinstance(source, SkellamLoss):
        return None  # the mass that Skellam noise has at loss 0 is not known apart from the rest
    if isinstance(source, AtomicLoss) and source.largest > LARGEST_ATOM:
        return None
    whole = loss_from(fixed_size_loss(source, float_up(rate)), attained=False)
    alone = sum(inside.values()) == 1 and isinstance(next(iter(inside)).event, _NOISE)
    return replace(whole, attained_alone=alone and found is not None and found.attained)


def loss_as_one(inside: Bill) -> ReleaseLoss | None:
    """One loss that stands for all that is released from one sample."""
    if sum(inside.values()) == 1:
        found = line_loss(next(iter(inside)))
        source = None if found is None else found.only_source
        if isinstance(source, _CAN_BE_SAMPLED) and not getattr(source, "infinite", 0.0):
            return found
    epsilon, square = total_of(inside, PURE), total_of(inside, SQUARED_MU)
    if epsilon is not None:
        return pure_loss(epsilon, attained=False)
    if square is None:
        return None
    known = bill_loss(inside) if _are_normal(inside) else None
    attained = known is not None and known.attained
    return ReleaseLoss(normal_loss(root_up(square)).distribution, attained=attained)


def _sampled(source: LossSource, rate: float, *, removed: bool) -> LossSource:
    if isinstance(source, NormalLoss):
        return SampledNormalLoss(rate, source.mu, removed)
    if isinstance(source, AtomicLoss):
        return sampled_atoms(source, rate, removed=removed)
    assert isinstance(source, LaplaceLoss | DiscreteNormalLoss | SkellamLoss | BoundedRangeLoss)
    pair: LossPair = source
    return SampledLoss(pair, rate, removed)


def _one_sample(event: Sampled) -> Sampled:
    """A sample of a sample is one sample, at the product of the rates.

    Each row passes two independent coins, or each set of rows of the smaller size is equally
    likely.  Several releases from one sample, of which each takes a sample of its own, are left as
    they are: they share the outer coins.
    """
    inside = _alone(event.event)
    if isinstance(event, PoissonSampled) and isinstance(inside, PoissonSampled):
        return _one_sample(replace(event, event=inside.event, rate=event.rate * inside.rate))
    if (
        isinstance(event, SampledWithoutReplacement)
        and isinstance(inside, SampledWithoutReplacement)
        and inside.population == event.sample
    ):
        return _one_sample(replace(event, event=inside.event, sample=inside.sample))
    return event


def _alone(event: Event) -> Event:
    """The one event that a list of one, one repetition, or a group of one holds."""
    match event:
        case Composed(events=(one,)) | Repeated(event=one, count=1) | Group(event=one, size=1):
            return _alone(one)
    return event


_PRICES: dict[type[Measure], Rule] = {
    Pure: sampled_epsilon,
    Approx: sampled_failing,
    ZeroConcentrated: sampled_rho,
    GaussianDP: sampled_square,
    Renyi: sampled_divergence,
}

register(
    PoissonSampled,
    KindOfEvent(
        prices=_PRICES,
        loss=poisson_loss,
        loss_of_changes=poisson_loss_of_changes,
        unfold=_one_sample,
        relation=str(Relation.ADD_REMOVE),
    ),
)
register(
    SampledWithoutReplacement,
    KindOfEvent(
        prices=_PRICES,
        loss=fixed_size_sample_loss,
        unfold=_one_sample,
        relation=str(Relation.CHANGE),
    ),
)
