"""Kinds of event in which noise is correlated over the steps of a stream, as in DP-FTRL.

Both mean the same neighbours.  One person contributes to at most ``participations`` steps, any two
of which are at least ``separation`` apart (steps 3 and 10 are 7 apart); whatever was released
before, the contribution to one step moves what is added up there by at most ``sensitivity`` in L2.
What a step adds up, and who takes part in it, may depend on what was released before it.
"""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import RangeError
from shoal.events.event import Event
from shoal.events.parameter import Count, Exact, Exacts, count, exact, exacts
from shoal.exact import non_negative, positive, rational


@dataclass(frozen=True)
class CorrelatedGaussian(Event, kind="correlated_gaussian"):
    """Gaussian noise on a stream through a lower-triangular Toeplitz strategy matrix (matrix
    factorisation).

    Meaning: step t adds up a vector x_t, for t = 0, ..., ``steps`` - 1; the release is y_t = c_0
        x_t + c_1 x_(t-1) + ...  + c_t x_0 + ``sigma`` Z_t after each step, with Z_t independent and
        standard normal, or a fixed public function of all of them so far, such as prefix sums with
        correlated noise.
    Fields: ``coefficients`` are c_0, c_1, ..., any rational numbers; those not listed are 0.
        ``sensitivity``, ``participations`` and ``separation`` say what one person can contribute,
        as this module defines.
    Edges: the coefficient 1 alone is independent noise in each step.  Sampling within the steps is
        not part of it.
    Reference: Li, Miklau, Hay, McGregor and Rastogi 2015; Denisov, McMahan, Rush, Smith and
        Thakurta 2022; Choquette-Choo and others 2023; Kalinin and Lampert 2024.
    """

    sigma: Exact = exact(positive)
    sensitivity: Exact = exact(non_negative)
    coefficients: Exacts = exacts(rational)
    steps: Count = count(at_least=1)
    participations: Count = count(at_least=1, default=1)
    separation: Count = count(at_least=1, default=1)

    def __post_init__(self) -> None:
        if len(self.coefficients) > self.steps:
            raise RangeError(
                f"coefficients must not be more than steps; got {len(self.coefficients)} for {self.steps}.",
                remedy="Give as many coefficients as there are steps, or fewer.",
            )


@dataclass(frozen=True)
class TreeAggregation(Event, kind="tree_aggregation"):
    """Gaussian noise on the nodes of a binary tree over the steps of a stream.

    Meaning: step t adds up a vector x_t, for t = 0, ..., ``steps`` - 1; for each interval of steps
        [j 2^l, (j + 1) 2^l) that ends by the last step the sum of its vectors plus independent
        normal noise of standard deviation ``sigma`` in each entry is released when its last step is
        over, or a fixed public function of all of them so far, such as prefix sums.
    Fields: ``sensitivity``, ``participations`` and ``separation`` say what one person can
        contribute, as this module defines.
    Edges: a tree that is filled up with empty steps has those among its ``steps``.  A tree that is
        begun anew for each pass through the data is `Repeated`, with ``participations`` for one
        pass.
    Reference: Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011; Kairouz and others
        2021 (DP-FTRL).  The estimates of Honaker 2015 are functions of the nodes.
    """

    sigma: Exact = exact(positive)
    sensitivity: Exact = exact(non_negative)
    steps: Count = count(at_least=1)
    participations: Count = count(at_least=1, default=1)
    separation: Count = count(at_least=1, default=1)
