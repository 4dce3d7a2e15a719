"""Groups of a sampled Gaussian, and rows of a sample that change: against published numbers, and
against each other.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from shoal.accounting import account
from shoal.accounting.pricing import BillLine, bill
from shoal.errors import EventError, RangeError
from shoal.events import (
    Composed,
    Event,
    Gaussian,
    Group,
    Laplace,
    MixtureOfGaussians,
    PoissonSampled,
    Repeated,
    StatedGaussian,
    StatedPure,
)
from shoal.loss import MixtureNormalLoss
from shoal.measures import GaussianDP


def sampled(rate: float = 0.05, sigma: float = 1.5) -> PoissonSampled:
    return PoissonSampled(Gaussian(sigma, 1), rate)


def epsilon(event: Event, relation: str | None = None, delta: str = "1e-5") -> tuple[float, float]:
    found = account(event, relation=relation).epsilon(delta=delta)
    assert found.measure == "LossDistribution"
    assert found.lower is not None
    return float(found.lower), float(found.epsilon)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "relation", "delta", "published"),
    [
        # dp-accounting 0.6.0: from_mixture_gaussian_mechanism(1, [0, 1, ...], binomial weights),
        # 1000 times, interval 1e-4
        ("gaussian sigma=1 | sampled q=0.01 | x 1000 | group 2", None, "1e-5", 3.97909),
        ("gaussian sigma=1 | sampled q=0.01 | x 1000 | group 3", None, "1e-5", 6.34294),
        # and PLDAccountant(REPLACE_ONE) with PoissonSampledDpEvent(0.01, GaussianDpEvent(1))
        ("gaussian sigma=1 | sampled q=0.01 | x 100", "change", "1e-6", 1.11043),
        ("gaussian sigma=1 | sampled q=0.01 | x 1000", "change", "1e-6", 3.21424),
    ],
)
def test_groups_and_changes_cost_what_dp_accounting_prints(
    text: str, relation: str | None, delta: str, published: float
) -> None:
    found = account(text, relation=relation).epsilon(delta=delta)
    assert found.lower is not None
    assert found.lower - Fraction(1, 10**5) <= published <= found.epsilon + Fraction(1, 10**4)
    assert found.epsilon - found.lower <= Fraction(1, 10**4)


def test_larger_groups_cost_more_and_a_group_of_one_what_one_person_costs() -> None:
    training = Repeated(sampled(), 20)
    assert epsilon(Group(training, 1)) == epsilon(training)
    lows, highs = zip(*(epsilon(Group(training, size)) for size in (1, 2, 3)), strict=True)
    assert highs[0] < lows[1]
    assert highs[1] < lows[2]


def test_a_change_costs_more_than_a_row_that_goes_and_at_most_a_group_of_two() -> None:
    training = Repeated(sampled(), 20)
    low, high = epsilon(training, "change")
    assert epsilon(training)[1] < low
    assert high <= epsilon(Group(training, 2))[1]
    assert epsilon(Group(training, 2), "change")[0] > high


def test_a_change_is_a_row_that_goes_and_one_that_comes() -> None:
    for event, rows in ((sampled(), 1), (Group(sampled(), 3), 3)):
        assert list(bill(event, "change")) == [BillLine(sampled(), 2 * rows, "change")]
        losses = account(event, relation="change").losses
        assert losses is not None
        [(case, [(source, copies)])] = losses.cases
        assert (case, copies) == ((), 1)
        assert isinstance(source, MixtureNormalLoss)
        assert source.right == source.left
        assert len(source.right) == rows + 1


def test_of_a_group_any_number_may_go_while_the_others_come() -> None:
    losses = account(Group(sampled(), 3)).losses
    assert losses is not None
    counts = {}
    for [(size, removed)], [(source, _)] in losses.cases:
        assert size == 3
        assert isinstance(source, MixtureNormalLoss)
        counts[removed] = len(source.right) - 1, len(source.left) - 1
    assert counts == {removed: (removed, 3 - removed) for removed in range(4)}


def test_everyone_in_the_sample_is_no_sample() -> None:
    whole, plain = PoissonSampled(Gaussian(2, 1), 1), Gaussian(2, 1)
    for relation, size in ((None, 3), ("change", 1), ("change", 2)):
        found = account(Group(whole, size), relation=relation).epsilon(delta="1e-6")
        rows = 2 * size if relation else size
        known = account(Group(plain, rows)).epsilon(delta="1e-6")
        assert abs(found.epsilon - known.epsilon) < 1e-8


def test_nobody_in_the_sample_costs_nothing() -> None:
    for relation in (None, "change"):
        assert (
            account(Group(sampled(rate=0), 3), relation=relation).epsilon(delta="1e-6").epsilon == 0
        )


@pytest.mark.slow
def test_several_gaussians_from_one_sample_are_one() -> None:
    several = PoissonSampled(Composed([Gaussian(5, 3), StatedGaussian("0.8")]), 0.1)
    one = PoissonSampled(StatedGaussian(1), 0.1)
    for relation in (None, "change"):
        low, high = epsilon(Group(several, 2), relation)
        known = epsilon(Group(one, 2), relation)
        assert low <= known[1]
        assert known[0] <= high


@pytest.mark.slow
def test_a_promise_beside_the_noise_claims_no_lower_end() -> None:
    beside = PoissonSampled(Composed([Gaussian(2, 1), StatedPure("0.1")]), 0.1)
    found = account(Group(beside, 2)).epsilon(delta="1e-5")
    assert found.lower is None
    assert found.epsilon >= epsilon(Group(sampled(0.1, 2), 2))[0]


@pytest.mark.slow
def test_groups_of_two_sizes_are_in_all_their_cases_and_claim_no_lower_end() -> None:
    both = account(Composed([Group(sampled(), 2), sampled()]))
    assert both.losses is not None
    assert len(both.losses.cases) == 6
    found = both.epsilon(delta="1e-5")
    assert found.lower is None
    assert epsilon(Group(sampled(), 2))[0] < found.epsilon
    assert found.epsilon <= epsilon(Repeated(Group(sampled(), 2), 2))[1]


@pytest.mark.slow
def test_groups_with_too_many_cases_are_left_to_the_other_measures() -> None:
    many = Composed([Group(sampled(sigma=20), size) for size in (2, 3, 5)])
    assert account(many).losses is None
    assert account(many).epsilon(delta="1e-5").measure == "Renyi"
    grown = account(Group(sampled(sigma=20), 2))
    for size in (3, 5):
        assert grown.epsilon(delta="1e-5").epsilon > 0
        grown = grown.plus(Group(sampled(sigma=20), size))
    assert grown.losses is None


def test_a_group_so_unlikely_that_floats_lose_it_is_left_to_the_other_measures() -> None:
    assert account(Group(sampled(rate=1e-150), 2)).losses is None


def test_an_account_that_grows_is_the_one_made_at_once() -> None:
    parts: list[Event] = [Group(sampled(), 2), Laplace(8, 1, steps=2**40), Group(sampled(0.1), 2)]
    grown = account(parts[0])
    for part in parts[1:]:
        grown = grown.plus(part)
    assert grown.losses == account(parts).losses
    assert grown.laws_are_known


# mixtures of Gaussians


def test_a_mixture_of_gaussians_costs_what_the_group_it_describes_costs() -> None:
    weights = [Fraction(361, 400), Fraction(38, 400), Fraction(1, 400)]
    mixed = MixtureOfGaussians("1.5", [0, 1, 2], weights)
    losses, group = account(mixed).losses, account(Group(sampled(), 2)).losses
    assert losses is not None
    assert group is not None
    both = [sources[0][0] for _, sources in losses.cases]
    cases = {case: sources[0][0] for case, sources in group.cases}
    for found, known in zip(both, (cases[((2, 2),)], cases[((2, 0),)]), strict=True):
        assert isinstance(found, MixtureNormalLoss)
        assert isinstance(known, MixtureNormalLoss)
        for one, other in ((found.right, known.right), (found.left, known.left)):
            for (shift, weight), (mu, chance) in zip(one, other, strict=True):
                assert mu == shift
                assert abs(weight - chance) <= 1e-15
    low, high = epsilon(Repeated(mixed, 10))
    assert high <= epsilon(Repeated(Group(sampled(), 2), 10))[1] + 1e-4
    assert low > 0


def test_a_mixture_of_two_gaussians_is_a_sample() -> None:
    mixed = MixtureOfGaussians(1, [1, 0, 1], ["0.005", "0.99", "0.005"])
    training = PoissonSampled(Gaussian(1, 1), "0.01")
    for delta in ("1e-5", "1e-9"):
        assert epsilon(Repeated(mixed, 100), delta=delta) == epsilon(
            Repeated(training, 100), delta=delta
        )


def test_a_mixture_of_gaussians_costs_no_more_than_its_longest_shift() -> None:
    mixed = MixtureOfGaussians(2, [0, 1, 3], ["0.5", "0.3", "0.2"])
    for size in (1, 2):
        found = account(Group(mixed, size)).epsilon(delta="1e-5")
        longest = account(Gaussian(2, 3 * size)).epsilon(delta="1e-5")
        assert found.epsilon <= longest.epsilon * (1 + Fraction(1, 10**9))
    assert account(Group(mixed, 2)).epsilon(delta="1e-5").lower is None
    assert account(mixed).cost(GaussianDP).mu == Fraction(3, 2)  # type: ignore[attr-defined]


def test_a_change_under_a_mixture_is_a_mixture_on_either_side() -> None:
    mixed = MixtureOfGaussians(1, [0, 1], ["0.99", "0.01"])
    training = PoissonSampled(Gaussian(1, 1), "0.01")
    low, high = epsilon(Repeated(mixed, 100), "change")
    known = epsilon(Repeated(training, 100), "change")
    assert low <= known[1]
    assert known[0] <= high
    assert account(Group(mixed, 2), relation="change").epsilon(delta="1e-5").lower is None


def test_shifts_that_have_no_weight_or_no_length_cost_nothing() -> None:
    for mixed in (
        MixtureOfGaussians(1, [0, 5], [1, 0]),
        MixtureOfGaussians(1, [0, 0], ["0.5", "0.5"]),
    ):
        assert account(mixed).epsilon(delta="1e-6").epsilon == 0


@pytest.mark.parametrize(
    ("shifts", "weights", "words"),
    [
        ([0, 1], ["0.5", "0.4"], "add up to 1"),
        ([0, 1], [1], "shifts has 2 numbers and weights has 1"),
        ([0, -1], ["0.5", "0.5"], "each of shifts"),
    ],
)
def test_a_mixture_that_is_none_is_refused(
    shifts: list[int], weights: list[str | int], words: str
) -> None:
    with pytest.raises((EventError, RangeError)) as refusal:
        MixtureOfGaussians(1, shifts, weights)
    assert words in refusal.value.problem
