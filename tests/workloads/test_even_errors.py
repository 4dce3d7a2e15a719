"""Errors that are wanted for each table, and the least price for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import RangeError, SchemaError
from shoal.workloads import Marginals, PrefixSums, Total, Workload

DOMAIN = {"a": 12, "b": 5}


def _shares(workload: Workload, rho: Any = "0.5") -> list[float]:
    plan = workload.plan(rho=rho)
    return [plan.standard_errors(t.name).max() / float(t.within or 1) for t in plan.workload.tables]


def test_no_other_weights_make_the_worst_table_better() -> None:
    wished = Workload.of(DOMAIN, [Marginals(["a"], within=1), Marginals(["b"], within=3)])
    reached = max(_shares(wished))
    others = []
    for ratio in np.geomspace(1e-4, 1e4, 161):
        lines = [Marginals(["a"], weight=str(ratio)), Marginals(["b"])]
        plan = Workload.of(DOMAIN, lines).plan(rho="0.5")
        others.append(max(plan.standard_errors("a").max(), plan.standard_errors("b").max() / 3))
    assert reached <= min(others) * 1.001


def test_the_worst_tables_are_equally_bad_and_others_may_be_better() -> None:
    lines = [Marginals(["a", "b"], up_to=2, within=10), PrefixSums("b", by=["a"], within=10)]
    shares = _shares(Workload.of(DOMAIN, lines))
    plain = Workload.of(DOMAIN, [Marginals(["a", "b"], up_to=2), PrefixSums("b", by=["a"])])
    assert (
        max(shares)
        < max(plain.plan(rho="0.5").standard_errors(t.name).max() for t in plain.tables) / 10
    )
    assert max(shares) < 1.05 * sorted(shares)[-2]


def test_without_wishes_the_largest_error_of_all_is_made_least() -> None:
    workload = Workload.of(DOMAIN, [Marginals(["a", "b"], up_to=2)])
    worst = max(_shares(workload.evened()))
    assert worst <= max(_shares(workload)) * (1 + 1e-9)
    assert max(_shares(workload.evened().evened())) == pytest.approx(worst, rel=2e-3)


def _people() -> Any:
    rows = pa.table({"sex": ["f", "m"] * 50, "region": ["N", "S", "E", "W"] * 25})
    facts = {"sex": shoal.Choices(["f", "m"]), "region": shoal.Choices(["N", "S", "E", "W"])}
    return shoal.private(
        rows, protects=shoal.Row(), columns=facts, required=list(facts),
        budget=shoal.ZeroConcentrated(1),
    )  # fmt: skip


def test_the_least_price_for_all_wishes_is_found() -> None:
    asked = _people().workload(
        [
            Marginals(["region"], within=20),
            Marginals(["sex", "region"], within=25),
            Total(within=90),
        ]
    )
    plan = asked.preview(rho=asked.for_error())
    shares = [plan.widest(t.name) / float(t.within or 1) for t in plan.workload.tables]
    assert 0.999 < max(shares) <= 1
    plain = _people().workload([Marginals(["region"]), Marginals(["sex", "region"]), Total()])
    dear = [plain.for_error(20, table="region"), plain.for_error(25, table="sex,region")]
    assert asked.for_error() < max(dear)


def test_wishes_for_some_tables_alone_are_refused() -> None:
    with pytest.raises(SchemaError, match="others have none"):
        Workload.of(DOMAIN, [Marginals(["a"], within=3), Total()])
    with pytest.raises(RangeError, match="within"):
        Total(within=0)
    with pytest.raises(SchemaError, match="no error is wanted"):
        _people().workload([Total()]).for_error()
    assert repr(Total(within=3)) == "Total(within='3')"
