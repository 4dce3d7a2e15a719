"""Compact text: what it says, what it refuses and where it points, and the way there and back."""

from __future__ import annotations

import contextlib
import pickle
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.events.samples import SAMPLES, STRATEGIES

from shoal.accounting import account
from shoal.errors import EventError, EventTextError
from shoal.events import (
    KINDS,
    Composed,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    GaussianNoisyMax,
    Geometric,
    Group,
    Laplace,
    MixtureOfGaussians,
    NonPrivate,
    Parallel,
    PoissonSampled,
    RandomizedResponse,
    RepeatAndSelect,
    Repeated,
    SampledWithoutReplacement,
    SampledWithReplacement,
    Shuffled,
    Skellam,
    SometimesAnswered,
    SparseVector,
    StatedApprox,
    StatedGaussian,
    StatedProfile,
    StatedPure,
    StatedRandom,
    StatedRenyi,
    StatedZeroConcentrated,
    TruncatedLaplace,
    TruncatedPoissonSampled,
    read_events,
    write_events,
)
from shoal.events.vocabulary import FORMS

WORKLOAD = (
    "gaussian sigma=0.8 | sampled q=0.01 | x 10000 + laplace scale=10 | x 50 "
    "+ rr p=0.55 | x 50 + pure epsilon=0.1 | x 500"
)

MEANINGS: dict[str, Event] = {
    "gaussian sigma=0.8": Gaussian("0.8", 1),
    "gaussian sigma=3 sensitivity=1/3 size=4": Gaussian(3, "1/3", size=4),
    "laplace scale=10": Laplace(10, 1, steps=2**40),
    "laplace scale=10 steps=none": Laplace(10, 1),
    "laplace scale=10 sensitivity=0": Laplace(10, 0, steps=0),
    "geometric scale=2 sensitivity=3": Geometric(2, 3),
    "truncated_laplace scale=2 bound=40": TruncatedLaplace(2, 1, bound=40),
    "skellam variance=10": Skellam(10, 1),
    "skellam variance=10 sensitivity=3 sensitivity_squared=5 size=2": Skellam(
        10, 3, size=2, sensitivity_squared=5
    ),
    "discrete_gaussian sigma=1.5": DiscreteGaussian("2.25", 1),
    "discrete_gaussian sigma_squared=2 sensitivity=3": DiscreteGaussian(2, 9),
    "mixture_of_gaussians sigma=2 shifts=(0, 1) weights=(0.99, 0.01)": MixtureOfGaussians(
        2, [0, 1], ["0.99", "0.01"]
    ),
    "rr p=0.55": RandomizedResponse(2, "0.55"),
    "rr epsilon=1 categories=5": RandomizedResponse(5, epsilon=1),
    "exponential epsilon=0.1 candidates=4 monotone=yes": Exponential("0.1", 1, 4, monotone=True),
    "sparse_vector epsilon_threshold=0.1 epsilon_queries=0.2 positives=3": SparseVector(
        "0.1", "0.2", 0, 1, positives=3, monotone=False
    ),
    "gaussian_noisy_max sigma=40 candidates=10": GaussianNoisyMax(40, 10),
    "pure epsilon=0.1": StatedPure("0.1"),
    "approx epsilon=1 delta=1e-6": StatedApprox(1, "1e-6"),
    "zcdp rho=0.5": StatedZeroConcentrated("0.5"),
    "gdp mu=1": StatedGaussian(1),
    "profile epsilons=(0.1, 1) deltas=(1e-3, 1e-6)": StatedProfile(["0.1", 1], ["1e-3", "1e-6"]),
    "renyi orders=(2, 4) epsilons=(0.1, 1/5)": StatedRenyi([2, 4], ["0.1", "0.2"]),
    "random epsilon=1 delta=0 gamma=0.05": StatedRandom(1, 0, "0.05"),
    "non_private": NonPrivate(),
    "nothing": Composed([]),
    "pure epsilon=1 | x 3": Repeated(StatedPure(1), 3),
    "pure epsilon=1 | x3": Repeated(StatedPure(1), 3),
    "pure epsilon=1 | x 10000": Repeated(StatedPure(1), 10_000),
    "pure epsilon=1 | group 3": Group(StatedPure(1), 3),
    "gaussian sigma=2 | best_of eta=1 gamma=0.01": RepeatAndSelect(
        Gaussian(2, 1), "negative_binomial", eta=1, gamma="0.01"
    ),
    "pure epsilon=1 | best_of runs=poisson mean=10": RepeatAndSelect(
        StatedPure(1), "poisson", mean=10
    ),
    "pure epsilon=1 | sampled_with_replacement size=10 of=1000": SampledWithReplacement(
        StatedPure(1), 10, 1000
    ),
    "pure epsilon=1 | sampled_without_replacement size=10 of=1000": SampledWithoutReplacement(
        StatedPure(1), 10, 1000
    ),
    "rr epsilon=1 | answered q=0.3": SometimesAnswered(RandomizedResponse(2, epsilon=1), "0.3"),
    "pure epsilon=1 | sampled_up_to q=0.01 batch=120 of=10000": TruncatedPoissonSampled(
        StatedPure(1), "0.01", batch=120, population=10_000
    ),
    "rr epsilon=1 | shuffled people=100": Shuffled(RandomizedResponse(2, epsilon=1), 100),
    "gaussian sigma=1 | x 2 | sampled q=0.1": PoissonSampled(
        Repeated(Gaussian(1, 1), 2), Fraction(1, 10)
    ),
    "(pure epsilon=1 + gdp mu=1) | x 2": Repeated(Composed([StatedPure(1), StatedGaussian(1)]), 2),
    "(pure epsilon=1)": StatedPure(1),
    "(pure epsilon=1 + gdp mu=1) + zcdp rho=1": Composed(
        [Composed([StatedPure(1), StatedGaussian(1)]), StatedZeroConcentrated(1)]
    ),
    "parallel (pure epsilon=1, pure epsilon=2 | x 3)": Parallel(
        [StatedPure(1), Repeated(StatedPure(2), 3)]
    ),
    "parallel ()": Parallel([]),
    "pure epsilon=1 relation=change": StatedPure(1, relation="change"),
    "pure epsilon=1 private=no": StatedPure(1, private=False),
    "# two\n pure epsilon = 1  # the first\n + gdp mu=.5\n": Composed(
        [StatedPure(1), StatedGaussian("0.5")]
    ),
}


@pytest.mark.parametrize(("text", "event"), MEANINGS.items(), ids=list(MEANINGS))
def test_a_text_means(text: str, event: Event) -> None:
    assert read_events(text) == event


@pytest.mark.parametrize("event", MEANINGS.values(), ids=list(MEANINGS))
def test_what_a_text_means_is_written_so_that_it_means_the_same(event: Event) -> None:
    assert read_events(write_events(event)) == event


def test_the_example_of_the_documentation_is_read_and_written_as_it_stands() -> None:
    assert write_events(read_events(WORKLOAD)) == WORKLOAD


def test_every_kind_of_event_has_a_form_or_a_mark() -> None:
    assert {*FORMS, Composed, Parallel} == set(KINDS.values())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_sample_of_every_kind_comes_back_from_its_compact_text(kind: str) -> None:
    assert read_events(write_events(SAMPLES[kind])) == SAMPLES[kind]


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=25)
@given(data=st.data())
def test_any_event_comes_back_or_is_refused(kind: str, data: st.DataObject) -> None:
    event = data.draw(STRATEGIES[kind])
    if kind in {"composed", "repeated", "group", "parallel"}:
        with contextlib.suppress(EventError):
            assert read_events(write_events(event)) == event
    else:
        assert read_events(write_events(event)) == event


@pytest.mark.parametrize(
    "event",
    [
        Composed([StatedPure(1)]),
        Composed([StatedPure(1), StatedPure(2)], relation="change"),
        Repeated(Composed([StatedPure(1)]), 2),
    ],
)
def test_a_list_of_one_or_with_a_relation_of_its_own_has_no_compact_text(event: Event) -> None:
    with pytest.raises(EventError, match="no compact text"):
        write_events(event)


def test_an_account_reads_compact_text() -> None:
    assert account("pure epsilon=0.1 | x 500") == account(Repeated(StatedPure("0.1"), 500))


REFUSALS: dict[str, tuple[str, str, str]] = {
    "a kind nobody knows": ("gausian sigma=1", "gausian", "Did you mean 'gaussian'?"),
    "a kind in capitals": ("pure epsilon=1 + Laplace scale=1", "Laplace", "'laplace'"),
    "a kind by its long name": ("randomized_response p=1", "randomized_response", "'rr'"),
    "a modifier by its long name": ("gdp mu=1 | repeated 3", "repeated", "'x'"),
    "a name nobody knows": ("gaussian sigm=1", "sigm", "Did you mean 'sigma'?"),
    "a name of the field": ("rr truth=0.5", "truth", "Did you mean 'p'?"),
    "a name given twice": ("pure epsilon=1 epsilon=2", "epsilon=2", "Give it once"),
    "a square given twice": ("discrete_gaussian sigma=1 sigma_squared=1", "sigma_squared", "once"),
    "a name that is missing": ("pure epsilon=1 + approx epsilon=1", "approx", "delta=..."),
    "a value that is missing": ("gaussian sigma=", "", "Write 0.1"),
    "a value that is no number": ("gaussian sigma=big", "big", "Write 0.1"),
    "a number that is out of range": ("gaussian sigma=-1", "sigma", "above 0"),
    "a probability above 1": ("gaussian sigma=1 | sampled q=2", "q=", "Choose q from 0 to 1"),
    "a number beyond reach": ("pure epsilon=1e9999", "1e9999", "of a size"),
    "nothing squared": ("discrete_gaussian sigma=none", "", "sigma"),
    "a truth value": ("top_k k=1 epsilon=1 candidates=2 monotone=2", "2", "yes or no"),
    "a word": ("noisy_max noise=cauchy epsilon=1 candidates=2", "noise", "gumbel"),
    "two of which one": ("rr p=0.5 epsilon=1", "rr", "Give p"),
    "a count with underscores": ("gdp mu=1 | x 10_000", "10_000", "10000"),
    "a count in words": ("gdp mu=1 | x ten", "ten", "| x 3"),
    "a modifier first": ("x 10", "x", "gaussian sigma=1 | x 10"),
    "a kind after a bar": ("gdp mu=1 | gdp mu=2", "gdp mu=2", "'+'"),
    "no bar": ("gdp mu=1 x 3", "x 3", "| x 10"),
    "no plus": ("gdp mu=1 gdp mu=2", "gdp mu=2", "'+'"),
    "a plus at the end": ("gdp mu=1 +", "", "Kinds: "),
    "no text": ("", "", "Kinds: "),
    "a parenthesis left open": ("gdp mu=1 + (gdp mu=2", "(", "Add ')'"),
    "a parenthesis too many": ("gdp mu=1)", ")", "Open a parenthesis"),
    "a comma": ("gdp mu=1, gdp mu=2", ",", "'+'"),
    "a strange mark": ("gdp mu=1 ; gdp mu=2", ";", "marks"),
    "JSON": ('{"kind": "gaussian"}', "{", "from_json"),
    "parts for other neighbours": (
        "pure epsilon=1 relation=change | sampled q=0.1",
        "sampled",
        "add_remove",
    ),
    "too deep": ("(" * 30 + "gdp mu=1" + ")" * 30, "(" * 10 + "gdp", "'| x'"),
}


@pytest.mark.parametrize(("text", "at", "remedy"), REFUSALS.values(), ids=list(REFUSALS))
def test_a_refusal_points_at_the_place_and_says_what_to_do(text: str, at: str, remedy: str) -> None:
    with pytest.raises(EventTextError) as caught:
        read_events(text)
    error = caught.value
    assert error.position is not None
    assert text[error.position :].startswith(at)
    assert remedy in error.remedy
    *_, line, carets = error.problem.splitlines()
    assert set(carets) <= {" ", "^"}
    assert line[carets.index("^") :].startswith(text[error.position : error.position + 1])


def test_a_refusal_on_a_later_line_shows_that_line_and_its_number() -> None:
    with pytest.raises(EventTextError) as caught:
        read_events("gdp mu=1\n+ laplce scale=2\n+ gdp mu=3")
    first, line, carets = caught.value.problem.splitlines()
    assert first.startswith("line 2: ")
    assert line.strip() == "+ laplce scale=2"
    assert carets.index("^") == line.index("laplce")


def test_a_long_line_is_shown_in_part_with_the_carets_under_the_word() -> None:
    many = "gdp mu=1 + " * 50
    with pytest.raises(EventTextError) as caught:
        read_events(f"{many}laplce scale=2 + {many}gdp mu=1")
    _, line, carets = caught.value.problem.splitlines()
    assert len(line) < 90
    assert line[carets.index("^") : carets.rindex("^") + 1] == "laplce"


def test_what_is_not_text_and_what_is_too_long_are_refused_unread() -> None:
    with pytest.raises(EventTextError, match="got int"):
        read_events(3)  # type: ignore[arg-type]
    with pytest.raises(EventTextError, match="at most"):
        read_events(" " * 10_000_001)


def test_the_position_survives_the_way_between_processes() -> None:
    with pytest.raises(EventTextError) as caught:
        read_events("gdp mu=1 + y")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.position == caught.value.position == 11
    assert str(copy) == str(caught.value)


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from([*"+|()=,x1 ", "gaussian ", "sigma=", "0.5", "sampled ", "q=", "none"])
    ).map("".join)
    | st.text(max_size=30)
)
def test_any_text_is_read_or_refused_in_the_house_form(text: str) -> None:
    with contextlib.suppress(EventTextError):
        assert isinstance(read_events(text), Event)
