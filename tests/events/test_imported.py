"""What Opacus is set to and dp-accounting prints is read as the events it describes."""

from __future__ import annotations

import pytest

from shoal.errors import EventTextError, InputError
from shoal.events import Event, read_dp_accounting, read_events, read_opacus

TRAINING = "gaussian sigma=1.1 | sampled q=0.004 | x 14100"


@pytest.mark.parametrize(
    "text",
    [
        "noise_multiplier=1.1 sample_rate=0.004 steps=14100",
        "steps=14100, sample_rate=0.004, noise_multiplier=1.1",
        "noise_multiplier=1.1 sample_rate=0.004 epochs=56.4",
        "noise_multiplier=1.1 sample_rate=0.004 epochs=56.397",
    ],
)
def test_settings_of_opacus_are_steps_from_poisson_samples(text: str) -> None:
    assert read_opacus(text) == read_events(TRAINING)


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        ("GaussianDpEvent(noise_multiplier=2.0)", "gaussian sigma=2"),
        ("dp_accounting.GaussianDpEvent(0.1)", "gaussian sigma=0.1"),
        ("LaplaceDpEvent(noise_multiplier=3)", "laplace scale=3"),
        ("DiscreteLaplaceDpEvent(noise_parameter=0.25, sensitivity=2)", "geometric scale=4 sensitivity=2"),
        ("DiscreteGaussianDpEvent(sigma=3.0, sensitivity=1.0, dimension=1)", "discrete_gaussian sigma=3"),
        ("DiscreteGaussianDpEvent(sigma=2.0)", "zcdp rho=1/8"),
        ("RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=4)", "rr p=5/8 categories=4"),
        ("EpsilonDeltaDpEvent(epsilon=0.5, delta=1e-08)", "approx epsilon=0.5 delta=1e-8"),
        ("EpsilonDeltaDpEvent(epsilon=0.5, delta=0.0)", "pure epsilon=0.5"),
        ("ZCDpEvent(rho=0.25, xi=0.0)", "zcdp rho=0.25"),
        ("NoOpDpEvent()", "nothing"),
        ("NonPrivateDpEvent()", "non_private"),
        (
            "SelfComposedDpEvent(event=PoissonSampledDpEvent(sampling_probability=0.004, event=GaussianDpEvent(noise_multiplier=1.1)), count=14100)",
            TRAINING,
        ),
        (
            "ComposedDpEvent(events=[GaussianDpEvent(noise_multiplier=1.0), LaplaceDpEvent(noise_multiplier=2.0)])",
            "gaussian sigma=1 + laplace scale=2",
        ),
        ("SingleEpochTreeAggregationDpEvent(noise_multiplier=1.13, step_counts=1600)", "tree_aggregation sigma=1.13 steps=1600"),
        ("SingleEpochTreeAggregationDpEvent(1.0, [5, 10])", "tree_aggregation sigma=1 steps=10"),
        (
            "SampledWithoutReplacementDpEvent(source_dataset_size=1000, sample_size=10, event=GaussianDpEvent(noise_multiplier=1.0))",
            "gaussian sigma=1 | sampled_without_replacement size=10 of=1000",
        ),
    ],
)  # fmt: skip
def test_events_of_dp_accounting_are_read_as_they_are_printed(printed: str, meant: str) -> None:
    assert read_dp_accounting(printed) == read_events(meant)


@pytest.mark.parametrize(
    "text",
    [
        "", "noise_multiplier=1", "noise_multiplier=1 sample_rate=0.1", "steps=3 epochs=3 noise_multiplier=1 sample_rate=0.1",
        "sigma=1", "noise_multiplier", "noise_multiplier=1 noise_multiplier=2 sample_rate=0.1 steps=3", "noise_multiplier=1 sample_rate=0 epochs=1",
    ],
)  # fmt: skip
def test_settings_that_are_not_complete_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_opacus(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "3", "None", "[GaussianDpEvent(1.0)]", "GaussianDpEvent", "GaussianDpEvent(", "GaussianDpEvent()",
        "GaussianDpEvent(1.0, 2.0)", "GaussianDpEvent(sigma=1.0)", "GaussianDpEvent(noise_multiplier=-1)", "SingleEpochTreeAggregationDpEvent(1.0, [])", "SingleEpochTreeAggregationDpEvent(1.0, [3, 0])",
        "GaussianDpEvent(1.0, noise_multiplier=1.0)", "UnsupportedDpEvent()", "__import__('os').getcwd()",
        "GaussianDpEvent(open('x'))", "GaussianDpEvent(noise_multiplier='1')", "GaussianDpEvent(**{})", "ZCDpEvent(1.0, 1.0)",
        "ComposedDpEvent([1])", "DiscreteLaplaceDpEvent(0.0, 1)", "RandomizedResponseDpEvent(0.5, 0)", "DiscreteGaussianDpEvent(0.0)", "(" * 5000, "SelfComposedDpEvent(GaussianDpEvent(1.0), 1.5)",
    ],
)  # fmt: skip
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(EventTextError):
        read_dp_accounting(text)


def test_what_is_read_is_an_event() -> None:
    assert isinstance(read_dp_accounting("NoOpDpEvent()"), Event)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("discrete_laplace scale=1", "'geometric'"),
        ("laplace epsilon=1", "Write scale="),
        ("gaussian noise_multiplier=1.1", "Write sigma="),
        ("gaussian(sigma=1)", "without parentheses"),
        ("gaussian sigma=1 sample_rate=0.01", "sampled q="),
        ("gaussian sigma=1 | repeat 3", "'x'"),
        ("gaussian sigma=1 | subsampled q=0.1", "'sampled'"),
    ],
)
def test_what_people_type_gets_the_word_that_is_meant(typed: str, hint: str) -> None:
    with pytest.raises(EventTextError) as refused:
        read_events(typed)
    assert hint in refused.value.remedy
