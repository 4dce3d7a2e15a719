"""Nothing public is left out of the suite, and what it says is what its audits found."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import shoal
from shoal.auditing.suite import SUITE, Case, run_cases, suite_page
from shoal.measures import Pure
from shoal.mechanisms import Laplace
from shoal.plan.question import Statistic

COVERED = {name for case in SUITE.values() for name in case.covers}
NO_PROMISE_OF_THEIR_OWN = {
    "Oracle",
    "NumericReport",
    "OneReport",
    "Smooth",
    "SmoothApproximate",
    "Summed",
}
"""What others are derived from."""


def priced(module: object) -> set[str]:
    """The classes of a module that state what they cost."""
    return {
        name
        for name, kind in vars(module).items()
        if inspect.isclass(kind)
        and not name.startswith("_")
        and "cost" in dir(kind)
        and kind.__module__.startswith("shoal.")
        and not inspect.isabstract(kind)
    } - NO_PROMISE_OF_THEIR_OWN


def test_every_mechanism_at_the_front_is_audited() -> None:
    kinds = {
        name
        for name in shoal.__all__
        if inspect.isclass(getattr(shoal, name)) and ("cost" in dir(getattr(shoal, name)))
    }
    assert {"Laplace", "SparseVector"} <= kinds
    assert kinds - COVERED - {"Answer"} == set()


def test_every_local_protocol_is_audited() -> None:
    found: set[str] = set()
    package = importlib.import_module("shoal.local")
    for each in pkgutil.walk_packages(package.__path__, "shoal.local."):
        found |= {
            name for name in priced(importlib.import_module(each.name)) if not hasattr(shoal, name)
        }
    assert {"KaryResponse", "BloomRappor", "SquareWave", "Design"} <= found
    assert found - COVERED == set()


def test_every_release_of_a_function_is_audited() -> None:
    found = priced(importlib.import_module("shoal.functions"))
    assert {"Bernstein", "StableMode", "Privatized"} <= found
    assert found - COVERED == set()


def test_every_statistic_of_a_question_is_audited() -> None:
    asked = " ".join(name for name in SUITE if name.startswith("question"))
    words = {
        Statistic.COUNT_ROWS: "question: count", Statistic.COUNT: "count of a column", Statistic.COUNT_PERSONS: "count of people",
        Statistic.COUNT_DISTINCT: "count of values", Statistic.SUM: "sum", Statistic.MEAN: "mean", Statistic.VARIANCE: "sample variance",
        Statistic.VARIANCE_POPULATION: "variance", Statistic.DEVIATION: "sample deviation", Statistic.DEVIATION_POPULATION: "deviation",
        Statistic.QUANTILE: "quantile", Statistic.LEAST: "least", Statistic.GREATEST: "largest",
        Statistic.SKEWNESS: "skewness", Statistic.KURTOSIS: "kurtosis", Statistic.COVARIANCE: "sample covariance",
        Statistic.COVARIANCE_POPULATION: "covariance", Statistic.CORRELATION: "correlation", Statistic.SLOPE: "slope",
        Statistic.INTERCEPT: "intercept", Statistic.DETERMINATION: "determination",
    }  # fmt: skip
    assert set(words) == set(Statistic)
    assert all(word in asked for word in words.values())


@pytest.mark.parametrize("name", ["laplace", "k-ary response", "stable mode"])
def test_a_quick_audit_of_a_true_claim_does_not_refute_it(name: str) -> None:
    (found,) = run_cases([SUITE[name]], quick=True, risk=1e-4, seed=5)
    assert not found.verdict.refuted
    assert found.verdict.lower > 0


@pytest.mark.slow
def test_a_case_that_claims_too_much_is_refuted_and_the_page_tells_of_it() -> None:
    planted = Case(
        "planted", (), lambda: Laplace(scale="0.5", sensitivity=1), 0, 1, claim=lambda _: Pure(1)
    )
    outcomes = run_cases([planted, SUITE["laplace"]], quick=True, seed=5)
    assert [each.verdict.refuted for each in outcomes] == [True, False]
    page = suite_page(outcomes).markdown()
    assert "2 audits" in page
    assert "1 refuted" in page
    assert "## planted" in page
    assert outcomes[0].to_dict()["name"] == "planted"
