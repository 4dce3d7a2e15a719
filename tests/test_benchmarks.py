from __future__ import annotations

import numpy as np
from benchmarks.questions import data
from benchmarks.sections import merged

ROWS = 20_000


def test_the_table_has_exactly_the_rows_and_persons_asked_for() -> None:
    persons = data._columns(ROWS)["user_id"]
    each = np.unique(persons, return_counts=True)[1]
    assert len(persons) == ROWS
    assert len(each) == ROWS // data.ROWS_PER_PERSON
    assert each.max() <= data.MOST_ROWS


def test_half_of_the_persons_have_at_most_three_rows_and_some_have_over_a_hundred() -> None:
    each = np.unique(data._columns(ROWS)["user_id"], return_counts=True)[1]
    assert np.median(each) <= 3
    assert each.max() > 100


def test_the_same_seed_makes_the_same_table() -> None:
    one, two = data._columns(ROWS), data._columns(ROWS)
    assert all(np.array_equal(one[name], two[name]) for name in one)


def test_every_value_is_one_that_is_told_to_all_contestants() -> None:
    columns = data._columns(ROWS)
    assert set(columns["city"].to_pylist()) <= set(data.CITIES)
    assert set(columns["category"].to_pylist()) == set(data.CATEGORIES)
    assert (
        data.ALL_SPEND[0] <= columns["spend"].min() <= columns["spend"].max() <= data.ALL_SPEND[1]
    )
    assert data.ALL_AGES[0] <= columns["age"].min() <= columns["age"].max() <= data.ALL_AGES[1]


def test_every_region_has_cities() -> None:
    assert {data.region_of(city) for city in data.CITIES} == set(data.REGIONS)


def test_rows_that_were_not_run_keep_their_sections() -> None:
    page = "# Results\n\nold head\n\n## One\n\n| a |\n\n## Two\n\n| b |\n"
    found = merged(page, "# Results\n\nnew head", ["## Two\n\n| c |"], ["One", "Two", "Three"])
    assert found == "# Results\n\nnew head\n\n## One\n\n| a |\n\n## Two\n\n| c |\n"


def test_new_sections_stand_in_the_order_of_the_rows() -> None:
    found = merged("## Two\n\nx\n", "head", ["## One\n\ny"], ["One", "Two"])
    assert found == "head\n\n## One\n\ny\n\n## Two\n\nx\n"
