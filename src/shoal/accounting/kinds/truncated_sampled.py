"""Releases from a Poisson sample that is cut to a largest batch; the proof stands in
`shoal.accounting.truncated_sampling`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from shoal.accounting.bill_loss import bill_loss
from shoal.accounting.pricing import bill, total
from shoal.accounting.quantities import Unit, told
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss
from shoal.accounting.truncated_sampling import binomial_tail_up
from shoal.events import PoissonSampled, TruncatedPoissonSampled
from shoal.measures import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated
from shoal.sensitivity import Relation

_ADD_REMOVE = str(Relation.ADD_REMOVE)


def _uncut(event: TruncatedPoissonSampled) -> PoissonSampled:
    return PoissonSampled(event.event, event.rate)


@lru_cache(maxsize=1 << 8)
def _is_cut_up(event: TruncatedPoissonSampled) -> Fraction:
    """The chance that the others fill the batch, rounded up."""
    return binomial_tail_up(event.population - 1, event.rate, event.batch)


def cut_price(event: TruncatedPoissonSampled, unit: Unit) -> Fraction | None:
    """That of the Poisson sample, which is all there is where the others do not fill the batch."""
    return total(_uncut(event), _ADD_REMOVE, unit)


def cut_failing(event: TruncatedPoissonSampled, unit: Unit) -> Fraction | None:
    """The chance that the others fill the batch, or that what is inside fails."""
    cut, inside = _is_cut_up(event), told(total(_uncut(event), _ADD_REMOVE, unit))
    mass = cut + (1 - cut) * inside
    return None if mass >= 1 else mass


def cut_loss(event: TruncatedPoissonSampled, size: int) -> ReleaseLoss | None:
    """That of the Poisson sample; how rows are left out is not stated, so nothing is known from
    below.

    Edges: None for groups, who may fill a batch together.
    """
    found = bill_loss(bill(_uncut(event), _ADD_REMOVE)) if size == 1 else None
    return found and replace(found, attained=False)


# for groups the theorem in general serves: each step between neighbours fails anew
register(
    TruncatedPoissonSampled,
    KindOfEvent(
        prices={
            Pure: cut_price,
            Approx: cut_failing,
            ZeroConcentrated: cut_price,
            GaussianDP: cut_price,
            Renyi: cut_price,
        },
        loss=cut_loss,
        relation=_ADD_REMOVE,
    ),
)
