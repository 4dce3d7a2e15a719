"""The sparse vector technique."""

from __future__ import annotations

from shoal.accounting.registry import KindOfEvent, register
from shoal.events import Composed, Event, Laplace, Repeated, SparseVector, StatedPure


def _parts(event: SparseVector) -> Event:
    """The comparisons, and the answers where numbers are released: the sum in which its epsilon was
    proved.

    Reference: Lyu, Su and Li 2017, Theorem 4.
    """
    compared: Event = StatedPure(
        event.epsilon_threshold + event.epsilon_queries, relation=event.relation
    )
    if event.epsilon_answers == 0:
        return compared
    scale = event.positives * event.sensitivity / event.epsilon_answers
    answer = Laplace(scale=scale, sensitivity=event.sensitivity, relation=event.relation)
    return Composed([compared, Repeated(answer, event.positives)])


register(SparseVector, KindOfEvent(unfold=_parts, unfolds_exactly=False))
