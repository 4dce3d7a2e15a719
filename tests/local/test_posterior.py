from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy import stats
from tests.local.designs import CASES, Case

from shoal.errors import RangeError
from shoal.local import Posterior, forced, warner


def exact_moments(case: Case, no: int, yes: int, prior: tuple[int, int]) -> list[Fraction]:
    """Mean and second moment of the share as a mixture of beta laws, in fractions."""
    floor, top, (a, b) = case.floor, case.floor + case.lean, prior
    weights = [Fraction(0)] * (no + yes + 1)
    for i in range(yes + 1):
        for j in range(no + 1):
            from_yes = math.comb(yes, i) * top**i * floor ** (yes - i)
            from_no = math.comb(no, j) * (1 - top) ** j * (1 - floor) ** (no - j)
            weights[i + j] += from_yes * from_no
    n = no + yes
    mass = [
        weight * math.factorial(a + s - 1) * math.factorial(b + n - s - 1)
        for s, weight in enumerate(weights)
    ]
    size = a + b + n
    first = sum((m * Fraction(a + s, size) for s, m in enumerate(mass)), Fraction(0))
    pairs = [((a + s) * (a + s + 1), m) for s, m in enumerate(mass)]
    second = sum((m * Fraction(two, size * (size + 1)) for two, m in pairs), Fraction(0))
    return [first / sum(mass), second / sum(mass)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("no", "yes"), [(20, 10), (0, 12), (30, 0)])
@pytest.mark.parametrize("prior", [(1, 1), (2, 5)])
def test_the_posterior_is_the_exact_mixture_of_beta_laws(
    name: str, no: int, yes: int, prior: tuple[int, int]
) -> None:
    case = CASES[name]
    found = Posterior(case.design, [no, yes], prior=prior)
    first, second = exact_moments(case, no, yes, prior)
    assert found.mean == pytest.approx(float(first), rel=1e-7)
    assert found.deviation == pytest.approx(math.sqrt(second - first**2), rel=1e-6)


@pytest.mark.parametrize(("no", "yes"), [(97, 3), (40, 60), (100, 0)])
def test_nearly_true_answers_leave_the_beta_posterior(no: int, yes: int) -> None:
    found = Posterior(warner(1 - Fraction(1, 10**9)), [no, yes])
    law = stats.beta(yes + 0.5, no + 0.5)
    assert found.mean == pytest.approx(law.mean(), abs=1e-6)
    for level in ("0.025", "0.5", "0.975"):
        assert found.quantile(level) == pytest.approx(law.ppf(float(level)), abs=1e-5)
    assert found.chance_above("0.1") == pytest.approx(law.sf(0.1), abs=1e-5)


def test_with_many_replies_the_posterior_is_about_the_estimate() -> None:
    found = Posterior(warner(), [600_000, 400_000])
    estimate = warner().estimate_from_counts([600_000, 400_000])["yes"]
    assert found.mean == pytest.approx(float(estimate.value), abs=1e-4)
    assert found.deviation == pytest.approx(estimate.error, rel=1e-3)
    assert found.interval() == pytest.approx(estimate.interval(method="wald"), abs=1e-4)


def test_a_respondent_is_as_likely_as_bayes_rule_says() -> None:
    design = forced("2/3")
    found = Posterior(design, [600_000, 400_000])
    share = Fraction(found.mean).limit_denominator(10**6)
    known = design.matrix.posterior(1, [1 - share, share])[1]
    assert found.respondent(1) == pytest.approx(float(known), abs=1e-4)
    assert found.respondent(0) < found.mean < found.respondent(1)


def test_a_prior_with_poles_is_refused() -> None:
    with pytest.raises(RangeError):
        Posterior(warner(), [1, 1], prior=("1/3", 1))
