"""The experiments of the sources: each runs, gives what the sources' corrected statements say, and
can be repeated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache

import pytest

from shoal.page import Page, PageCell, PagePicture, PageTable, Part
from shoal.reproduce import CORRECTIONS, EXPERIMENTS, Effort, Experiment, report, run

QUICK = Effort(quick=True)
every_experiment = pytest.mark.parametrize(
    "experiment", EXPERIMENTS.values(), ids=list(EXPERIMENTS)
)


@cache
def parts_of(name: str) -> Sequence[Part]:
    return run([EXPERIMENTS[name]], effort=QUICK)[0].parts


def tables(name: str) -> list[PageTable]:
    return [part for part in parts_of(name) if isinstance(part, PageTable)]


def number(cell: str | PageCell) -> float:
    text = str(cell)
    return float(text.replace(",", "").removesuffix(" %"))


@pytest.mark.slow
@every_experiment
def test_an_experiment_has_a_table_with_as_many_cells_in_every_row(experiment: Experiment) -> None:
    found = tables(experiment.name)
    assert found
    for grid in found:
        assert grid.rows
        assert all(len(row) == len(grid.head) for row in grid.rows)


@pytest.mark.slow
@every_experiment
def test_the_same_seed_gives_the_same_page(
    experiment: Experiment,
) -> None:
    again = run([experiment], effort=QUICK)[0].parts
    assert Page("", parts_of(experiment.name)).html() == Page("", again).html()


def test_every_correction_stands_at_an_experiment_or_in_the_table_at_the_end() -> None:
    outcomes = run([EXPERIMENTS["polls"]], effort=QUICK)
    text = report(outcomes, effort=QUICK).markdown()
    assert len(CORRECTIONS) == 58
    assert all(f"| {each} | " in text for each in CORRECTIONS)
    assert "quick run" in text


def test_an_experiment_names_only_corrections_there_are() -> None:
    named = [number for each in EXPERIMENTS.values() for number in each.corrections]
    assert set(named) <= set(CORRECTIONS)


@pytest.mark.slow
@every_experiment
def test_pictures_are_drawn_and_have_words(experiment: Experiment) -> None:
    for part in parts_of(experiment.name):
        if isinstance(part, PagePicture):
            assert part.svg.startswith("<svg")
            assert part.caption


def test_exact_intervals_of_a_poll_cover_at_least_as_often_as_they_say() -> None:
    coverage = tables("polls")[0]
    assert all(number(row[-1]) >= 95 for row in coverage.rows)
    assert any(number(row[2]) < 94 for row in coverage.rows)  # the normal one does not


def test_hair_colour_is_told_with_the_chances_of_the_corrected_slides() -> None:
    theorem, monotone = tables("choices")[0].rows
    assert [theorem[1], theorem[2]] == ["0.97305", "0.98113"]
    assert monotone[2] == "0.99988"


def test_noisy_max_with_half_the_noise_costs_twice_as_much() -> None:
    three, ten, hundred = tables("choices")[-1].rows
    assert [three[1], ten[1]] == ["0.856", "1.61"]
    assert hundred[1:] == ["2", "1"]


def test_renyi_formulas_of_the_thesis_are_what_the_accountant_says() -> None:
    for row in tables("renyi")[1].rows:
        for cell in row[2:]:
            formula, accountant = map(float, str(cell).split(" / "))
            assert formula <= accountant * (1 + 1e-4)
            assert accountant <= formula * (1 + 1e-4)


def test_advanced_composition_without_the_mean_is_false_where_the_corrections_say() -> None:
    verdicts = {(row[0], row[1]): (row[3], row[-1]) for row in tables("composing")[0].rows}
    assert verdicts["1000", "1"][0] == verdicts["1000", "0.5"][0] == "false"
    assert verdicts["1000", "0.01"] == ("true", "1.365")


def test_errors_of_laplace_releases_have_the_mean_they_must_have() -> None:
    for row in tables("laplace")[1].rows:
        assert math.isclose(number(row[4]), number(row[5]), rel_tol=0.35)
        assert 0.02 < number(row[3]) < 0.98


def test_a_local_histogram_loses_a_factor_that_grows_with_the_people() -> None:
    ratios = [number(row[-1]) for row in tables("histograms")[0].rows]
    assert all(later > 4 * earlier for earlier, later in itertools.pairwise(ratios))


def test_gaussian_noise_wins_from_some_columns_on() -> None:
    ratios = [number(row[-1]) for row in tables("means")[0].rows]
    assert ratios[0] < 0.5
    assert ratios[-1] > 4


@pytest.mark.slow
def test_the_largest_noisy_number_runs_away_and_the_mean_of_reports_does_not() -> None:
    errors, printed = tables("uniform")
    assert number(printed.rows[-1][3]) > 2 * number(printed.rows[0][3])
    assert number(errors.rows[-1][3]) < number(errors.rows[0][3]) / 5


@pytest.mark.slow
def test_the_pure_release_of_a_curve_is_nearer_to_the_truth_than_the_published_random_one() -> None:
    for row in tables("bernstein")[1].rows:
        theirs, random, pure = (number(cell) for cell in row[2:5])
        assert random < theirs / 5
        assert pure < theirs or row[0] == "100"


@pytest.mark.slow
def test_the_misprints_of_the_last_table_lie_outside_all_draws() -> None:
    shares = {(row[0], row[1]): row[3] for row in tables("bernstein")[0].rows}
    assert shares["3", "5,000"] == "0.00"
    assert shares["3", "100"] == "1.00"
