"""Events that are nothing but other events, written out."""

from __future__ import annotations

from shoal.events import (
    Composed,
    Event,
    Exponential,
    Geometric,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    Repeated,
    SparseVector,
    StatedPure,
    TopK,
    TruncatedGeometric,
)


def unfold(event: Event) -> Event:
    """The event itself, or one that costs at least as much in every measure and has rules.

    Guarantee: each line below is an equality of laws, a function of the release on the right, or (sparse
        vector) the sum in which its epsilon was proved.
    Reference: Durfee and Rogers 2019 for `TopK`; Ding and others 2021 for `NoisyMax`; Lyu, Su and Li
        2017, Theorem 4, for `SparseVector`.
    """
    if isinstance(event, TopK):
        one = Exponential(
            epsilon=event.epsilon / event.k,
            sensitivity=event.sensitivity,
            candidates=event.candidates,
            monotone=event.monotone,
            relation=event.relation,
        )
        return Repeated(one, event.k)
    if isinstance(event, NoisyMax) and event.noise != "laplace":
        kind = Exponential if event.noise == "gumbel" else PermuteAndFlip
        return kind(
            epsilon=event.epsilon,
            sensitivity=event.sensitivity,
            candidates=event.candidates,
            monotone=event.monotone,
            relation=event.relation,
        )
    if isinstance(event, SparseVector):
        return _sparse_vector(event)
    if isinstance(event, TruncatedGeometric):
        moved = event.sensitivity if event.low < event.high else 0
        return Geometric(scale=event.scale, sensitivity=moved, relation=event.relation)
    return event


def _sparse_vector(event: SparseVector) -> Event:
    compared: Event = StatedPure(
        event.epsilon_threshold + event.epsilon_queries, relation=event.relation
    )
    if event.epsilon_answers == 0:
        return compared
    scale = event.positives * event.sensitivity / event.epsilon_answers
    answer = Laplace(scale=scale, sensitivity=event.sensitivity, relation=event.relation)
    return Composed([compared, Repeated(answer, event.positives)])
