"""Prices of releases in which a candidate was chosen.

`TopK`, `SparseVector` and `NoisyMax` with Gumbel noise are not priced here: `shoal.accounting.unfold`
writes them as the releases they consist of.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.accounting.bounded_range import bounded_range_divergence_up
from shoal.accounting.registry import prices
from shoal.accounting.unit import Unit
from shoal.events import Exponential, NoisyMax, PermuteAndFlip
from shoal.measures import Pure, Renyi, ZeroConcentrated, pure_rho_up


@prices(Exponential, PermuteAndFlip, NoisyMax, by=Pure)
def choice_epsilon(event: Exponential | PermuteAndFlip | NoisyMax, unit: Unit) -> Fraction:  # noqa: ARG001
    """Epsilon, which is part of the law of each; nothing where there is only one candidate to choose.

    Reference: McSherry and Talwar 2007; McKenna and Sheldon 2020; Ding and others 2021.
    """
    return event.epsilon if event.candidates > 1 else Fraction(0)


@prices(Exponential, by=ZeroConcentrated)
def exponential_rho(event: Exponential, unit: Unit) -> Fraction:
    """Epsilon² / 8, exactly: all losses between two neighbours lie within a range of length epsilon.

    Reference: Cesar and Rogers 2021, Lemma 3.2; Dong, Durfee and Rogers 2020 for the bounded range.
    """
    epsilon = choice_epsilon(event, unit)
    return min(epsilon**2 / 8, pure_rho_up(epsilon))


@prices(Exponential, by=Renyi)
def exponential_divergence(event: Exponential, unit: Unit) -> Fraction:
    """`bounded_range_divergence_up`: the exact curve of the worst choice of this range."""
    return bounded_range_divergence_up(choice_epsilon(event, unit), order=unit.at_order)
