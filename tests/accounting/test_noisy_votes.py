"""The label with the most noisy votes: against its own law, and against the published curve."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.accounting.samples import Floats, hockey_stick

from shoal.accounting import account
from shoal.accounting.pricing import total
from shoal.accounting.quantities import CONCENTRATED, SQUARED_MU
from shoal.accounting.quantities import divergence as at
from shoal.errors import EventError, PriceError
from shoal.events import GaussianNoisyMax, Group, Repeated
from shoal.measures import GaussianDP


def label_law(votes: list[int], sigma: float) -> Floats:
    """The probability of each label, by the density of its noisy count times the others'
    distribution functions.
    """
    x = np.linspace(min(votes) - 12 * sigma, max(votes) + 12 * sigma, 20_001)
    erf = np.vectorize(math.erf)
    below = [(1 + erf((x - count) / (sigma * math.sqrt(2)))) / 2 for count in votes]
    found = []
    for label, count in enumerate(votes):
        density = np.exp(-((x - count) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
        others = np.prod([each for place, each in enumerate(below) if place != label], axis=0)
        found.append(float(np.sum(density * others) * (x[1] - x[0])))
    return np.array(found)


def two_label_law(lead: int, sigma: float) -> Floats:
    """The first label wins where its lead plus normal noise of variance 2 sigma² is above 0."""
    wins = math.erfc(-lead / (2 * sigma)) / 2
    return np.array([wins, math.erfc(lead / (2 * sigma)) / 2])


def test_both_ways_to_the_law_of_two_labels_agree() -> None:
    assert np.allclose(two_label_law(3, 2.0), label_law([7, 4], 2.0), atol=1e-9)


@pytest.mark.parametrize("sigma", [1.0, 4.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_two_labels_need_at_most_what_is_charged_and_hardly_less(
    sigma: float, epsilon: float
) -> None:
    charged = float(account(GaussianNoisyMax(sigma, candidates=2)).delta(epsilon=epsilon).delta)
    leads = range(-300, 301)
    lead = [
        hockey_stick(two_label_law(ahead, sigma), two_label_law(ahead - 2, sigma), epsilon)
        for ahead in leads
    ]
    assert max(lead) <= charged * (1 + 1e-9)
    assert max(lead) >= 0.8 * charged  # the best lead of all real ones is near a whole one


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_three_labels_need_at_most_what_is_charged(epsilon: float) -> None:
    charged = float(account(GaussianNoisyMax(2, candidates=3)).delta(epsilon=epsilon).delta)
    for votes in ([5, 5, 5], [9, 4, 2], [0, 7, 8], [3, 20, 3]):
        moved = [votes[0] + 1, votes[1] - 1, votes[2]]
        assert hockey_stick(label_law(votes, 2), label_law(moved, 2), epsilon) <= charged


def test_the_curve_is_the_published_one() -> None:
    # Papernot and others 2018, Proposition 8: order / sigma² at every order
    for sigma in (40, 100, 150):
        event = GaussianNoisyMax(sigma, candidates=10)
        for order in (Fraction(3, 2), Fraction(8), Fraction(100)):
            assert total(event, "change", at(order)) == order / sigma**2
        assert total(event, "change", CONCENTRATED) == Fraction(1, sigma**2)


def test_many_labels_cost_what_their_gaussians_cost_and_claim_no_lower_end() -> None:
    labels = account(Repeated(GaussianNoisyMax(40, candidates=10), 1000))
    exact = GaussianDP(Fraction(math.sqrt(2000) / 40)).to_approx(delta="1e-5").epsilon
    found = labels.epsilon(delta="1e-5")
    assert abs(found.epsilon - exact) < 1e-9
    assert found.lower is None


def test_a_group_of_voters_moves_the_counts_so_much_further() -> None:
    event = GaussianNoisyMax(10, candidates=3)
    assert total(Group(event, 3), "change", SQUARED_MU) == 9 * Fraction(2, 100)
    assert account(Group(event, 3)).epsilon(delta="1e-3").lower is None


def test_one_label_tells_nothing_and_voters_do_not_come_and_go() -> None:
    assert account(GaussianNoisyMax(1, candidates=1)).epsilon(delta="1e-9").epsilon == 0
    with pytest.raises(EventError, match="not in the number of voters"):
        GaussianNoisyMax(1, candidates=2, relation="add_remove")
    with pytest.raises(PriceError):
        account(GaussianNoisyMax(1, candidates=2), relation="add_remove").epsilon(delta="1e-3")
