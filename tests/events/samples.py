"""One event of each kind as the golden file holds it, and strategies that draw any event of a
kind.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from shoal.events import (
    Composed,
    CorrelatedGaussian,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    GaussianNoisyMax,
    Geometric,
    Group,
    Laplace,
    MixtureOfGaussians,
    NoisyMax,
    NonPrivate,
    Parallel,
    PermuteAndFlip,
    PoissonSampled,
    RandomizedResponse,
    RandomlyAllocated,
    RepeatAndSelect,
    Repeated,
    SampledWithoutReplacement,
    SampledWithReplacement,
    Shuffled,
    Skellam,
    SometimesAnswered,
    SparseVector,
    Staircase,
    StatedApprox,
    StatedGaussian,
    StatedProfile,
    StatedPure,
    StatedRandom,
    StatedRenyi,
    StatedZeroConcentrated,
    TopK,
    TreeAggregation,
    TruncatedGeometric,
    TruncatedLaplace,
    TruncatedPoissonSampled,
)

SAMPLES: dict[str, Event] = {
    "laplace": Laplace(Fraction(10, 3), "1/2", size=4, steps=512, relation="add_remove"),
    "geometric": Geometric("2.5", 3, size=2, relation="change"),
    "truncated_geometric": TruncatedGeometric(10, 1, low=-5, high=1000),
    "truncated_laplace": TruncatedLaplace("7/2", 2, bound=60),
    "gaussian": Gaussian("3.7305", 1, size=100),
    "mixture_of_gaussians": MixtureOfGaussians("0.8", [0, 1, "5/2"], ["0.98", "0.015", "0.005"]),
    "correlated_gaussian": CorrelatedGaussian(
        "0.9", 1, ["1", "1/2", "-3/8"], steps=2000, participations=4, separation=500
    ),
    "tree_aggregation": TreeAggregation(
        "8.83", 1, steps=1600, participations=2, separation=7, relation="add_remove"
    ),
    "discrete_gaussian": DiscreteGaussian("13.9", 2, size=10, relation="change"),
    "skellam": Skellam("12.5", 6, size=4, sensitivity_squared=9),
    "staircase": Staircase(1, 2, "0.3775"),
    "randomized_response": RandomizedResponse(4, "3/4", relation="change"),
    "exponential": Exponential("0.1", 1, candidates=4, monotone=True),
    "permute_and_flip": PermuteAndFlip("1e-3", "1/7", candidates=12, monotone=False),
    "noisy_max": NoisyMax("laplace", "0.5", 1, candidates=3, monotone=False, private=False),
    "gaussian_noisy_max": GaussianNoisyMax(40, candidates=10, relation="change"),
    "top_k": TopK(2, 1, 1, candidates=5, monotone=True),
    "sparse_vector": SparseVector("0.1", "0.2", 0, 1, positives=3, monotone=False),
    "non_private": NonPrivate(),
    "stated_pure": StatedPure("0.1"),
    "stated_approx": StatedApprox("0.5", "1e-6"),
    "stated_zero_concentrated": StatedZeroConcentrated("0.02", relation="change"),
    "stated_gaussian": StatedGaussian("1/3"),
    "stated_renyi": StatedRenyi([2, "5/2", 8], ["0.1", "0.12", "0.4"]),
    "stated_profile": StatedProfile([0, "1/2", 2], ["0.1", "1e-3", "1e-6"], relation="add_remove"),
    "stated_random": StatedRandom("0.5", "1e-6", "1/20", relation="change"),
    "composed": Composed([Laplace(10, 1), Repeated(StatedPure("0.1"), 500)]),
    "repeated": Repeated(PoissonSampled(Gaussian("0.8", 1), "0.01"), 10_000),
    "parallel": Parallel([Laplace(10, 1, relation="change"), Geometric(5, 1)]),
    "group": Group(Gaussian(3, 1), 4),
    "poisson_sampled": PoissonSampled(Gaussian("0.8", 1), "1/100", relation="add_remove"),
    "truncated_poisson_sampled": TruncatedPoissonSampled(
        Gaussian("0.8", 1), "1/100", batch=120, population=10_000
    ),
    "randomly_allocated": RandomlyAllocated(Gaussian("0.8", 1), 100, relation="add_remove"),
    "sampled_without_replacement": SampledWithoutReplacement(StatedPure(1), 10, 1000),
    "sometimes_answered": SometimesAnswered(RandomizedResponse(3, epsilon=1), "0.3"),
    "sampled_with_replacement": SampledWithReplacement(StatedPure(1), 10, 1000),
    "repeat_and_select": RepeatAndSelect(Gaussian(3, 1), "negative_binomial", eta=1, gamma="0.01"),
    "shuffled": Shuffled(RandomizedResponse(2, epsilon=1), 10_000, relation="change"),
}

ONLY_ADD_REMOVE = {
    "mixture_of_gaussians",
    "poisson_sampled",
    "randomly_allocated",
    "truncated_poisson_sampled",
}
"""Kinds that refuse the relation "change"."""

wholes = st.integers(1, 10**30)
counts = st.one_of(st.just(0), wholes)
positives = st.builds(Fraction, wholes, wholes)
non_negatives = st.builds(Fraction, counts, wholes)
shares = st.builds(lambda a, b: Fraction(min(a, b), max(a, b)), wholes, wholes)

_common: dict[str, Any] = {
    "private": st.booleans(),
    "relation": st.sampled_from([None, "add_remove", "change"]),
}
_chosen: dict[str, Any] = {
    "epsilon": positives,
    "sensitivity": positives,
    "candidates": wholes,
    "monotone": st.booleans(),
    **_common,
}


@st.composite
def _laplaces(draw: st.DrawFn) -> Laplace:
    sensitivity = draw(non_negatives)
    steps = draw(st.one_of(st.none(), wholes)) if sensitivity else draw(st.sampled_from([None, 0]))
    return Laplace(
        scale=draw(positives),
        sensitivity=sensitivity,
        size=draw(wholes),
        steps=steps,
        private=draw(st.booleans()),
        relation=draw(_common["relation"]),
    )


def _ranged(low: int, width: int, **rest: Any) -> TruncatedGeometric:
    return TruncatedGeometric(low=low, high=low + width, **rest)


def _mixture(chances: list[int], shift: Fraction, **rest: Any) -> MixtureOfGaussians:
    weights = [Fraction(chance, sum(chances)) for chance in chances]
    return MixtureOfGaussians(
        shifts=[k * shift for k in range(len(chances))], weights=weights, **rest
    )


def _correlated(coefficients: list[Fraction], more: int, **rest: Any) -> CorrelatedGaussian:
    return CorrelatedGaussian(coefficients=coefficients, steps=len(coefficients) + more, **rest)


def _top(k: int, more: int, **rest: Any) -> TopK:
    return TopK(k=k, **{**rest, "candidates": k + more})


_reports = st.builds(
    RandomizedResponse,
    categories=st.integers(2, 10**30),
    private=st.booleans(),
    relation=st.sampled_from([None, "change"]),
    truth=shares,
) | st.builds(RandomizedResponse, categories=st.integers(2, 10**30), epsilon=non_negatives)

STRATEGIES: dict[str, st.SearchStrategy[Event]] = {
    "laplace": _laplaces(),
    "geometric": st.builds(Geometric, scale=positives, sensitivity=counts, size=wholes, **_common),
    "truncated_geometric": st.builds(
        _ranged, low=st.integers(), width=counts, scale=positives, sensitivity=counts, **_common
    ),
    "truncated_laplace": st.builds(
        TruncatedLaplace, scale=positives, sensitivity=counts, bound=counts, **_common
    ),
    "gaussian": st.builds(
        Gaussian, sigma=positives, sensitivity=non_negatives, size=wholes, **_common
    ),
    "correlated_gaussian": st.builds(
        _correlated,
        coefficients=st.lists(st.fractions(max_denominator=10**9), min_size=1, max_size=5),
        more=counts,
        sigma=positives,
        sensitivity=non_negatives,
        participations=wholes,
        separation=wholes,
        **_common,
    ),
    "tree_aggregation": st.builds(
        TreeAggregation,
        sigma=positives,
        sensitivity=non_negatives,
        steps=wholes,
        participations=wholes,
        separation=wholes,
        **_common,
    ),
    "discrete_gaussian": st.builds(
        DiscreteGaussian,
        sigma_squared=positives,
        sensitivity_squared=non_negatives,
        size=wholes,
        **_common,
    ),
    "mixture_of_gaussians": st.builds(
        _mixture,
        chances=st.lists(wholes, min_size=1, max_size=5),
        shift=non_negatives,
        sigma=positives,
        private=st.booleans(),
        relation=st.sampled_from([None, "add_remove"]),
    ),
    "skellam": st.builds(
        Skellam,
        variance=positives,
        sensitivity=counts,
        sensitivity_squared=st.none() | non_negatives,
        size=wholes,
        **_common,
    ),
    "staircase": st.builds(
        Staircase, epsilon=positives, sensitivity=positives, gamma=shares, **_common
    ),
    "randomized_response": _reports,
    "exponential": st.builds(Exponential, **_chosen),
    "permute_and_flip": st.builds(PermuteAndFlip, **_chosen),
    "noisy_max": st.builds(
        NoisyMax, noise=st.sampled_from(["laplace", "exponential", "gumbel"]), **_chosen
    ),
    "gaussian_noisy_max": st.builds(
        GaussianNoisyMax,
        sigma=positives,
        candidates=wholes,
        private=st.booleans(),
        relation=st.sampled_from([None, "change"]),
    ),
    "top_k": st.builds(_top, k=wholes, more=counts, **_chosen),
    "sparse_vector": st.builds(
        SparseVector,
        epsilon_threshold=positives,
        epsilon_queries=positives,
        epsilon_answers=non_negatives,
        sensitivity=positives,
        positives=wholes,
        monotone=st.booleans(),
        **_common,
    ),
}

_leaf = st.sampled_from(sorted(STRATEGIES)).flatmap(lambda kind: STRATEGIES[kind])
_free = st.builds(StatedPure, epsilon=non_negatives, private=st.booleans()) | st.builds(
    Gaussian, sigma=positives, sensitivity=non_negatives
)
_inner = st.recursive(
    _leaf,
    lambda inside: (
        st.builds(Composed, events=st.lists(inside, max_size=3))
        | st.builds(Repeated, event=inside, count=wholes)
        | st.builds(Group, event=inside, size=wholes)
    ),
    max_leaves=4,
)


def _sampled(event: Event, a: int, b: int, **rest: Any) -> SampledWithoutReplacement:
    return SampledWithoutReplacement(event, min(a, b), max(a, b), **rest)


STRATEGIES |= {
    "non_private": st.builds(NonPrivate, **_common),
    "stated_pure": st.builds(StatedPure, epsilon=non_negatives, **_common),
    "stated_approx": st.builds(StatedApprox, epsilon=non_negatives, delta=shares, **_common),
    "stated_zero_concentrated": st.builds(StatedZeroConcentrated, rho=non_negatives, **_common),
    "stated_gaussian": st.builds(StatedGaussian, mu=non_negatives, **_common),
    "stated_renyi": st.builds(
        lambda points, **rest: StatedRenyi(
            sorted(points), [points[one] for one in sorted(points)], **rest
        ),
        points=st.dictionaries(
            positives.map(lambda x: 1 + x), non_negatives, min_size=1, max_size=4
        ),
        **_common,
    ),
    "stated_profile": st.builds(
        lambda points, **rest: StatedProfile(
            sorted(points), [points[one] for one in sorted(points)], **rest
        ),
        points=st.dictionaries(non_negatives, shares, min_size=1, max_size=4),
        **_common,
    ),
    "stated_random": st.builds(
        StatedRandom, epsilon=non_negatives, delta=shares, gamma=shares, **_common
    ),
    "composed": st.builds(Composed, events=st.lists(_inner, max_size=4), private=st.booleans())
    | st.builds(Composed, events=st.lists(_free), **_common),
    "repeated": st.builds(Repeated, event=_inner, count=wholes, private=st.booleans()),
    "parallel": st.builds(Parallel, events=st.lists(_free, max_size=4), **_common),
    "group": st.builds(Group, event=_inner, size=wholes, private=st.booleans()),
    "poisson_sampled": st.builds(
        PoissonSampled,
        event=_free,
        rate=shares,
        private=st.booleans(),
        relation=st.sampled_from([None, "add_remove"]),
    ),
    "truncated_poisson_sampled": st.builds(
        TruncatedPoissonSampled,
        event=_free,
        rate=shares,
        batch=wholes,
        population=wholes,
        private=st.booleans(),
        relation=st.sampled_from([None, "add_remove"]),
    ),
    "randomly_allocated": st.builds(
        RandomlyAllocated,
        event=_free,
        steps=wholes,
        private=st.booleans(),
        relation=st.sampled_from([None, "add_remove"]),
    ),
    "sampled_without_replacement": st.builds(
        _sampled,
        event=_free,
        a=wholes,
        b=wholes,
        private=st.booleans(),
        relation=st.sampled_from([None, "change"]),
    ),
    "sometimes_answered": st.builds(
        SometimesAnswered, event=_reports, rate=shares, private=st.booleans()
    ),
    "sampled_with_replacement": st.builds(
        SampledWithReplacement,
        event=_free,
        sample=wholes,
        population=wholes,
        private=st.booleans(),
        relation=st.sampled_from([None, "change"]),
    ),
    "repeat_and_select": st.builds(
        RepeatAndSelect,
        event=_free,
        runs=st.just("negative_binomial"),
        eta=non_negatives,
        gamma=st.builds(lambda a, b: Fraction(a, a + b), wholes, wholes),
        **_common,
    )
    | st.builds(RepeatAndSelect, event=_inner, runs=st.just("poisson"), mean=positives),
    "shuffled": st.builds(Shuffled, event=_reports, people=wholes, private=st.booleans()),
}
