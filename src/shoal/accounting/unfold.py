"""Events that are nothing but other events, written out."""

from __future__ import annotations

from dataclasses import replace

from shoal.events import (
    Composed,
    Event,
    Exponential,
    Geometric,
    Group,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    PoissonSampled,
    Repeated,
    SampledWithoutReplacement,
    SparseVector,
    StatedPure,
    TopK,
    TruncatedGeometric,
)


def unfold(event: Event) -> Event:
    """The event itself, or one that costs at least as much in every measure and has rules.

    Guarantee: each line below is an equality of laws, a function of the release on the right, or (sparse
        vector) the sum in which its epsilon was proved.
    Edges: a sample of a sample is one sample, at the product of the rates: each row passes two independent coins, or
        each set of rows of the smaller size is equally likely.  Several releases from one sample, of which each
        takes a sample of its own, are left as they are: they share the outer coins.
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
    if isinstance(event, PoissonSampled | SampledWithoutReplacement):
        return _one_sample(event)
    return event


def _one_sample(event: PoissonSampled | SampledWithoutReplacement) -> Event:
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


def _sparse_vector(event: SparseVector) -> Event:
    compared: Event = StatedPure(
        event.epsilon_threshold + event.epsilon_queries, relation=event.relation
    )
    if event.epsilon_answers == 0:
        return compared
    scale = event.positives * event.sensitivity / event.epsilon_answers
    answer = Laplace(scale=scale, sensitivity=event.sensitivity, relation=event.relation)
    return Composed([compared, Repeated(answer, event.positives)])
