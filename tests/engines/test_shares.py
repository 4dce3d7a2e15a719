"""How persons spread over groups: the same on both engines, and one person is one vote."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.test_relations import Data, arrow, datasets, refs, relations
from tests.engines.test_totals import UNITS, fewer
from tests.examples import examples

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.plan import Bounded, Person, Unit, explain
from shoal.sensitivity import Norm

OF_PERSONS = [units for units in UNITS if all(isinstance(unit, Person) for unit in units)]


@st.composite
def spread_over(draw: st.DrawFn, units: tuple[Unit, Unit]) -> Bounded:
    relation = draw(relations(units))
    held = refs(relation)
    keys = draw(st.sampled_from([(), ("k",), ("k", "u")]))
    return Bounded(relation, tuple(held[name] for name in keys), (), Norm.L1)


@pytest.mark.slow
@pytest.mark.parametrize("units", OF_PERSONS, ids=str)
@examples(10, many=40)
@given(data=datasets(), draw=st.data())
def test_duckdb_gives_the_shares_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    bounded = draw.draw(spread_over(units))
    engine = DuckDB(arrow(data), threads=1)
    assert engine.shares(bounded) == Reference(data).shares(bounded), explain(bounded.relation)
    assert engine.shares(bounded) == Reference(data).shares(bounded), "a second time"


@pytest.mark.slow
@pytest.mark.parametrize("units", OF_PERSONS, ids=str)
@settings(max_examples=40)
@given(data=datasets(), draw=st.data())
def test_one_person_is_one_vote(units: tuple[Unit, Unit], data: Data, draw: st.DataObject) -> None:
    bounded = draw.draw(spread_over(units))
    before = Reference(data).shares(bounded)
    for other in fewer(data, units):
        after = Reference(other).shares(bounded)
        moved = sum(abs(before.get(at, 0) - after.get(at, 0)) for at in {**before, **after})
        assert moved <= 1
