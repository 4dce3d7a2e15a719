from __future__ import annotations

import ast
import math
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.accountants import Release, releases
from benchmarks.accounting_goals import goals, looser, speed
from benchmarks.accounting_table import wide_table
from benchmarks.learning import problems
from benchmarks.learning import row as learning
from benchmarks.learning.contestants import ours, plain
from benchmarks.peers_audit import row as audit
from benchmarks.peers_audit.subjects import PACKAGES, SUBJECTS
from benchmarks.peers_audit.worker import MAKERS
from benchmarks.questions import data
from benchmarks.sections import merged
from benchmarks.workloads import COMPOSITIONS, REFERENCE

from shoal.events import Event, PoissonSampled, Repeated, read_events

ROWS = 20_000
ROOT = Path(__file__).parent.parent
OF_PEERS = {"contestants", "worker.py"}
"""What runs in the environments of peers."""
CALLED = {"sklearn": "scikit-learn"}
"""Packages that are imported under another name."""


def _distributions(lines: Iterable[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9_-]+", line) for line in lines)
    return {each[0].lower().replace("_", "-") for each in found if each}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_what_the_benchmarks_import_is_installed_for_them() -> None:
    """The extras of Shoal that they need are asked for, too: the core has no pyarrow."""
    listed = (ROOT / "benchmarks" / "requirements.txt").read_text().splitlines()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (extras,) = re.findall(r"^-e \.\[(.*)\]", "\n".join(listed), re.MULTILINE)
    asked = [project["optional-dependencies"][each] for each in extras.split(",")]
    installed = _distributions([*listed, *project["dependencies"], *chain(*asked)])
    paths = [path for path in (ROOT / "benchmarks").rglob("*.py") if not OF_PEERS & set(path.parts)]
    needed = {CALLED.get(name, name) for path in paths for name in _imported(path)}
    ours = {*sys.stdlib_module_names, "benchmarks", "shoal"}
    assert len(paths) > 30
    assert {name.replace("_", "-") for name in needed - ours} <= installed


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
    written = {
        each.stem for each in (audit.ROOT / "benchmarks/peers_audit/requirements").glob("*.txt")
    }
    assert written == set(PACKAGES) - {"shoal"} == {each.peer for each in SUBJECTS} - {"shoal"}
    assert set(MAKERS) == set(PACKAGES)
    assert (
        f"AUDITED := {' '.join(each for each in PACKAGES if each != 'shoal')}\n"
        in (audit.ROOT / "Makefile").read_text()
    )


def test_every_claim_of_an_audited_mechanism_can_be_read() -> None:
    assert all(str(audit.claim_of(each.claim)) for each in SUBJECTS)
    assert len({each.title for each in SUBJECTS}) == len(SUBJECTS)


def test_our_own_mechanisms_are_asked_like_the_others() -> None:
    for each in SUBJECTS:
        if each.peer == "shoal":
            act = MAKERS["shoal"](each.name, 1.0)
            assert all(act(value) is not None for value in each.data)


def test_sixty_different_compositions_are_asked_and_the_reference_workloads_come_first() -> None:
    assert len(COMPOSITIONS) == 60
    assert list(COMPOSITIONS)[:7] == [each.title for each in REFERENCE]
    assert all(isinstance(read_events(each.events), Event) for each in COMPOSITIONS.values())


def test_compositions_are_spread_over_rates_numbers_sigmas_and_deltas() -> None:
    every = [part for each in COMPOSITIONS.values() for part in releases(each.events)]
    rates, copies = {part.rate for part in every}, {part.copies for part in every}
    sigmas = {part.numbers["sigma"] for part in every if part.kind == "gaussian"}
    assert (min(rates), max(rates)) == (1e-7, 1)
    assert (min(copies), max(copies)) == (1, 10**7)
    assert (min(sigmas), max(sigmas)) == (0.3, 1000)
    assert {"1e-3", "1e-15"} <= {each.delta for each in COMPOSITIONS.values()}


def test_peers_are_asked_about_the_releases_that_shoal_reads() -> None:
    """The peers' own reading of the text, beside Shoal's, wherever the text is one repeated
    sample.
    """
    compared = 0
    for each in COMPOSITIONS.values():
        event = read_events(each.events)
        if isinstance(event, Repeated) and isinstance(event.event, PoissonSampled):
            (part,) = releases(each.events)
            inner = event.event.event
            rates = [event.event.rate, *([inner.rate] if isinstance(inner, PoissonSampled) else [])]
            assert part.copies == event.count
            assert math.isclose(part.rate, math.prod(rates))
            compared += 1
    assert compared > 20


def test_a_release_is_read_with_all_that_is_done_to_it() -> None:
    text = (
        "geometric scale=4 sensitivity=2 | group 3 | sampled q=0.1 | sampled q=0.5 | x 6 + rr p=0.5"
    )
    assert releases(text) == [
        Release("geometric", {"scale": 4, "sensitivity": 2}, rate=0.05, group=3, copies=6),
        Release("rr", {"p": 0.5}),
    ]
    assert releases("rr epsilon=1 | shuffled people=9")[0].unknown == ["shuffled"]


OURS = {
    "fine": {"epsilon": 1.0, "gap": 1e-9, "seconds": 0.1, "megabytes": 70.0},
    "slow": {"epsilon": 2.0, "gap": 1e-3, "seconds": 0.5, "megabytes": 70.0},
    "alone": {"epsilon": 3.0, "seconds": 0.1, "megabytes": 170.0},
}
THEIRS = {
    "fine": {"epsilon": 0.9, "seconds": 1.0, "megabytes": 300.0},
    "slow": {"epsilon": 1.9995, "seconds": 0.1, "megabytes": 300.0},
    "alone": {"over": 60.0},
}


def test_a_peers_number_below_the_certified_end_is_marked_and_not_compared() -> None:
    assert list(looser(OURS, THEIRS)) == ["slow"]
    assert "| 0.9 † |" in wide_table(OURS, THEIRS)


def test_a_peer_that_was_ended_counts_with_the_time_it_had() -> None:
    assert math.isclose(speed(OURS, THEIRS)["alone"], 600)
    assert "| over 60 |" in wide_table(OURS, THEIRS)


def test_a_number_below_the_narrower_lower_end_is_not_compared() -> None:
    ours = {"one": {"epsilon": 2.0, "gap": 1e-4}, "two": {"epsilon": 2.0, "gap": 1e-4}}
    theirs = {"one": {"epsilon": 1.99995}, "two": {"epsilon": 1.99995}}
    assert set(looser(ours, theirs)) == {"one", "two"}
    ours["two"]["lower"] = 1.99999
    assert set(looser(ours, theirs)) == {"one"}


def test_goals_of_accounting_name_the_worst_composition_and_how_many_miss_them() -> None:
    found = goals(OURS, THEIRS)
    assert [goal.is_met for goal in found] == [False, False, False, False, True, False]
    assert "(`slow`; 1 of 2 miss it)" in found[0].line()
    assert "(`alone`; 1 of 3 miss it)" in found[2].line()
    assert math.isclose(found[4].measured or 0, 10)


def test_what_misses_a_goal_is_bold_in_the_table() -> None:
    fine, slow, alone = wide_table(OURS, THEIRS).splitlines()[2:]
    assert "**" not in fine
    assert slow == "| `slow` | **2** | 1.9995 | **0.001** | **0.5** | 0.1 | 70.0 | 300 |"
    assert alone == "| `alone` | 3 | – | – | 0.1 | over 60 | **170** | – |"


def test_every_peer_that_trains_models_has_an_environment_of_its_own() -> None:
    folder = learning.ROOT / "benchmarks/learning"
    modules = {each.module for each in learning.PEERS}
    assert {each.stem for each in (folder / "requirements").glob("*.txt")} == modules
    assert all((folder / "contestants" / f"{each}.py").exists() for each in modules)
    listed = f"LEARNERS := {' '.join(each.module for each in learning.PEERS)}\n"
    assert listed in (learning.ROOT / "Makefile").read_text()
    assert {task for task, *_ in learning.GOALS} <= set(problems.TASKS)


@pytest.mark.slow
def test_models_of_the_row_learning_are_trained_on_stated_facts_and_scored() -> None:
    task = "generated, 12 clusters"
    whole = problems.clusters()
    few = problems.Problem(whole.train[:2000], whole.test[:2000], whole.ranges)
    found = [problems.scored(task, few, _trained(each, task, few)) for each in (plain, ours)]
    assert 0 < found[0] < found[1] < 20 * found[0]
    stones = problems.diamonds()
    assert all(
        stones.train[name].between(*ends).mean() > 0.99 for name, ends in stones.ranges.items()
    )
    line = _trained(plain, "diamonds-like, linear", stones)
    assert 0.975 < problems.scored("diamonds-like, linear", stones, line) < 0.985


def _trained(contestant: Any, task: str, problem: problems.Problem) -> Any:
    return contestant.train(task, problems.TASKS[task].kind, problem, 1.0, 0)
