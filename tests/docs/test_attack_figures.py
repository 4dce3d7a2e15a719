"""The pictures and the figures of docs/attacks.md are those of a full run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripts import attack_figures
from scripts.figures import ATTACKS as KEPT
from scripts.figures import FOLDER

from shoal.auditing.attacks import ATTACKS, run

PAGE = Path(__file__).parent.parent.parent / "docs" / "attacks.md"


def figures() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def test_the_table_on_the_page_has_the_figures_that_are_kept() -> None:
    assert attack_figures.table(figures()) in PAGE.read_text(encoding="utf-8")
    assert list(figures()) == list(ATTACKS)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_kept_figure_is_above_95_percent_without_shoal_and_below_the_ceiling_with_it(
    name: str,
) -> None:
    found = figures()[name]
    assert found["without"] > 0.95
    assert found["shoal"] - 3 * found["error"] <= found["ceiling"]


@pytest.mark.parametrize("name", attack_figures.PICTURES)
def test_a_picture_of_an_attack_is_there_and_names_its_lines(name: str) -> None:
    drawn = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "ceiling" in drawn
    assert "guesses that are right" in drawn


@pytest.mark.audit
@pytest.mark.parametrize("name", ATTACKS)
def test_a_full_run_gives_the_figures_that_are_kept(name: str) -> None:
    (outcome,) = run([ATTACKS[name]])
    fresh, before = attack_figures.kept([outcome])[name], figures()[name]
    for column, value in fresh.items():
        assert value == pytest.approx(before[column], abs=0.02)
    assert outcome.result.works
    assert outcome.result.held
