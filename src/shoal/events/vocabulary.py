"""The words of compact text: how each kind of event and each of its fields is written.

A word has a form: the kind it stands for, what may be left out, and the fields that have a shorter
name in text.  Everything else, such as what a field accepts, is what the kind itself says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import Any

from shoal.events.additive import (
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    MixtureOfGaussians,
    Skellam,
    Staircase,
    TruncatedGeometric,
    TruncatedLaplace,
)
from shoal.events.correlated import CorrelatedGaussian, TreeAggregation
from shoal.events.event import Event
from shoal.events.interactive import SparseVector
from shoal.events.nested import (
    Group,
    PoissonSampled,
    RandomlyAllocated,
    Repeated,
    SampledWithoutReplacement,
    SampledWithReplacement,
    Shuffled,
    TruncatedPoissonSampled,
)
from shoal.events.response import RandomizedResponse, SometimesAnswered
from shoal.events.selection import Exponential, GaussianNoisyMax, NoisyMax, PermuteAndFlip, TopK
from shoal.events.stated import (
    NonPrivate,
    StatedApprox,
    StatedGaussian,
    StatedProfile,
    StatedPure,
    StatedRandom,
    StatedRenyi,
    StatedZeroConcentrated,
)
from shoal.events.tuning import RepeatAndSelect

FINE = 2**40
"""How many lattice steps the sensitivity of Laplace noise spans where the text does not say."""

NOTHING, PARALLEL = "nothing", "parallel"
"""The word for no release at all, and the one for releases from disjoint parts."""

WORDS = ("noise", "relation", "runs")
"""The fields whose value is a word; those of `FLAGS` say yes or no, those of `LISTS` are lists, all
others are numbers.
"""

FLAGS = ("monotone", "private")

LISTS = ("coefficients", "deltas", "epsilons", "orders", "shifts", "weights")
"""The fields whose value is a list of numbers, written in parentheses: shifts=(0, 1)."""

_INSIDE = ("event", "events")
_COMMON = ("private", "relation")


@dataclass(frozen=True)
class Form:
    """How one kind of event is written.

    ``short`` gives the names that differ from those of the fields, ``squared`` the names whose
    value is squared to give a field, ``defaults`` what a field is when left out, and ``bare`` the
    one field that is written without its name.
    """

    word: str
    kind: type[Event]
    short: Mapping[str, str] = field(default_factory=dict)
    squared: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    bare: str | None = None

    @property
    def names(self) -> dict[str, str]:
        """Every name that may stand before '=', and the field it gives."""
        written = {of: name for name, of in self.short.items()}
        own = sorted(fields(self.kind), key=lambda one: one.name in _COMMON)
        plain = {
            written.get(one.name, one.name): one.name
            for one in own
            if one.name not in {*_INSIDE, self.bare}
        }
        return {**self.squared, **plain}

    @property
    def standard(self) -> dict[str, Any]:
        """What each field is when it is left out; a field that is not here must be given."""
        own = {one.name: one.default for one in fields(self.kind) if one.default is not MISSING}
        return {**own, **self.defaults}

    def spoken(self, sentence: str) -> str:
        """A sentence about fields, with the names they have in text."""
        for name, of in self.short.items():
            sentence = re.sub(rf"\b{of}\b", name, sentence)
        return sentence

    def missing(self, given: Mapping[str, object]) -> list[str]:
        """The names, as written, of fields that were neither given nor may be left out."""
        known = {*given, *self.standard}
        names = {of: name for name, of in reversed(self.names.items())}
        return [name for of, name in reversed(names.items()) if of not in known]


_ONE = {"sensitivity": 1}
_CHOICE = {"sensitivity": 1, "monotone": False}

_kinds = (
    Form("gaussian", Gaussian, defaults=_ONE),
    Form("correlated_gaussian", CorrelatedGaussian, defaults=_ONE),
    Form("tree_aggregation", TreeAggregation, defaults=_ONE),
    Form("laplace", Laplace, defaults={**_ONE, "steps": FINE}),
    Form("geometric", Geometric, defaults=_ONE),
    Form("truncated_geometric", TruncatedGeometric, defaults=_ONE),
    Form("truncated_laplace", TruncatedLaplace, defaults=_ONE),
    Form(
        "discrete_gaussian",
        DiscreteGaussian,
        squared={"sigma": "sigma_squared", "sensitivity": "sensitivity_squared"},
        defaults={"sensitivity_squared": 1},
    ),
    Form("mixture_of_gaussians", MixtureOfGaussians),
    Form("skellam", Skellam, defaults=_ONE),
    Form("staircase", Staircase, defaults=_ONE),
    Form("rr", RandomizedResponse, short={"p": "truth"}, defaults={"categories": 2}),
    Form("exponential", Exponential, defaults=_CHOICE),
    Form("permute_and_flip", PermuteAndFlip, defaults=_CHOICE),
    Form("noisy_max", NoisyMax, defaults=_CHOICE),
    Form("gaussian_noisy_max", GaussianNoisyMax),
    Form("top_k", TopK, defaults=_CHOICE),
    Form("sparse_vector", SparseVector, defaults={**_CHOICE, "epsilon_answers": 0}),
    Form("pure", StatedPure),
    Form("approx", StatedApprox),
    Form("zcdp", StatedZeroConcentrated),
    Form("gdp", StatedGaussian),
    Form("renyi", StatedRenyi),
    Form("profile", StatedProfile),
    Form("random", StatedRandom),
    Form("non_private", NonPrivate),
)
_modifiers = (
    Form("x", Repeated, bare="count"),
    Form("group", Group, bare="size"),
    Form("sampled", PoissonSampled, short={"q": "rate"}),
    Form("allocated", RandomlyAllocated),
    Form(
        "sampled_up_to",
        TruncatedPoissonSampled,
        short={"q": "rate", "of": "population"},
    ),
    Form(
        "sampled_without_replacement",
        SampledWithoutReplacement,
        short={"size": "sample", "of": "population"},
    ),
    Form(
        "sampled_with_replacement",
        SampledWithReplacement,
        short={"size": "sample", "of": "population"},
    ),
    Form("shuffled", Shuffled),
    Form("answered", SometimesAnswered, short={"q": "rate"}),
    Form("best_of", RepeatAndSelect, defaults={"runs": "negative_binomial"}),
)

KIND_WORDS: Mapping[str, Form] = MappingProxyType({form.word: form for form in _kinds})
"""The kinds of release that stand at the head of a pipeline, by their word."""

MODIFIER_WORDS: Mapping[str, Form] = MappingProxyType({form.word: form for form in _modifiers})
"""What may follow a bar, by its word."""

FORMS: Mapping[type[Event], Form] = MappingProxyType(
    {form.kind: form for form in (*_kinds, *_modifiers)}
)
"""Every form by the kind it stands for."""

LONG_NAMES: Mapping[str, str] = MappingProxyType(
    {form.kind.kind: form.word for form in FORMS.values() if form.kind.kind != form.word}
    | {
        "discrete_laplace": "geometric",
        "two_sided_geometric": "geometric",
        "normal": "gaussian",
        "matrix_factorization": "correlated_gaussian",
        "dp_ftrl": "tree_aggregation",
        "warner": "rr",
        "above_threshold": "sparse_vector",
        "svt": "sparse_vector",
        "report_noisy_max": "noisy_max",
        "expmech": "exponential",
        "poisson": "sampled",
        "balls_and_bins": "allocated",
        "subsampled": "sampled",
        "repeat": "x",
        "steps": "x",
        "times": "x",
    }
)
"""The words for kinds that have another name in JSON, or elsewhere."""

OTHER_FIELDS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (
            "laplace",
            "epsilon",
        ): "Write scale=, the sensitivity over epsilon: epsilon 1/2 is 'laplace scale=2'. A promise of which only epsilon is known is 'pure epsilon=1/2'.",
        (
            "geometric",
            "epsilon",
        ): "Write scale=, the sensitivity over epsilon: epsilon 1/2 is 'geometric scale=2'. A promise of which only epsilon is known is 'pure epsilon=1/2'.",
        (
            "gaussian",
            "epsilon",
        ): "Write sigma=. A promise of which only epsilon and delta are known is 'approx epsilon=1 delta=1e-6'.",
        (
            "gaussian",
            "noise_multiplier",
        ): "Write sigma=: a noise multiplier is sigma at sensitivity 1.",
        (
            "discrete_gaussian",
            "noise_multiplier",
        ): "Write sigma=: a noise multiplier is sigma at sensitivity 1.",
        (
            "laplace",
            "noise_multiplier",
        ): "Write scale=: a noise multiplier is the scale at sensitivity 1.",
        ("gaussian", "sample_rate"): "Write '| sampled q=...' behind the release.",
        ("gaussian", "q"): "Write '| sampled q=...' behind the release.",
        ("gaussian", "steps"): "Write '| x 1000' behind the release.",
    }
)
"""What to write for a field that a kind has elsewhere."""
