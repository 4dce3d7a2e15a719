from __future__ import annotations

import numpy as np
from benchmarks.peers_audit import row as audit
from benchmarks.peers_audit.subjects import PACKAGES, SUBJECTS
from benchmarks.peers_audit.worker import MAKERS
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


def test_every_audited_peer_has_an_environment_of_its_own() -> None:
    written = {each.stem for each in (audit.ROOT / "benchmarks/peers_audit/requirements").glob("*.txt")}  # fmt: skip
    assert written == set(PACKAGES) - {"shoal"} == {each.peer for each in SUBJECTS} - {"shoal"}
    assert set(MAKERS) == set(PACKAGES)
    assert f"AUDITED := {' '.join(each for each in PACKAGES if each != 'shoal')}\n" in (audit.ROOT / "Makefile").read_text()  # fmt: skip


def test_every_claim_of_an_audited_mechanism_can_be_read() -> None:
    assert all(str(audit.claim_of(each.claim)) for each in SUBJECTS)
    assert len({each.title for each in SUBJECTS}) == len(SUBJECTS)


def test_our_own_mechanisms_are_asked_like_the_others() -> None:
    for each in SUBJECTS:
        if each.peer == "shoal":
            act = MAKERS["shoal"](each.name, 1.0)
            assert all(act(value) is not None for value in each.data)
