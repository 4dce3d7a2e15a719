"""The pictures of the documentation, and the numbers in them; `make figures` writes both anew.

The numbers lie beside the pictures so that a test can compute them again, whoever draws.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts import (
    answer_figure,
    attack_figures,
    explanation_figures,
    guide_figure,
    house_figure,
    survey_figures,
)
from shoal import account, plots
from shoal.accounting import Account

FOLDER = Path(__file__).parent.parent / "docs" / "figures"
NUMBERS = FOLDER / "numbers.json"
ANSWER = FOLDER / "answer.json"
SURVEYS = FOLDER / "surveys.json"
ATTACKS = FOLDER / "attacks.json"
EXPLANATION = FOLDER / "explanation.json"
DELTA = "1e-6"


@dataclass(frozen=True)
class Figure:
    """A picture: of which events, which curve, and which of its numbers are kept."""

    events: str
    draw: Callable[..., Any]
    numbers: Callable[[Account], dict[str, Any]]


def _profile(of: Account) -> dict[str, Any]:
    data = plots.ProfileData.of(of, delta=DELTA)
    return {**data.lines, "lower": data.lower}


def _trade_off(of: Account) -> dict[str, Any]:
    return {"missed": plots.TradeOffData.of(of, delta=DELTA).line}


def _renyi(of: Account) -> dict[str, Any]:
    data = plots.RenyiData.of(of, delta=DELTA)
    return {"divergence": data.line, "mark": [data.mark]}


FIGURES = {
    "profile-laplace": Figure("laplace scale=10 | x 100", plots.profile, _profile),
    "profile-sampled": Figure(
        "gaussian sigma=0.8 | sampled q=0.01 | x 1000", plots.profile, _profile
    ),
    "trade-off-gaussian": Figure("gaussian sigma=30 | x 1000", plots.trade_off, _trade_off),
    "renyi-sampled": Figure(
        "gaussian sigma=0.8 | sampled q=0.01 | x 1000", plots.renyi_curve, _renyi
    ),
}


def numbers(name: str) -> dict[str, list[list[float]]]:
    """The points in a picture, each with seven digits."""
    figure = FIGURES[name]
    found = figure.numbers(account(figure.events))
    return {
        line: [[float(f"{each:.7g}") for each in point] for point in points]
        for line, points in found.items()
    }


def attacks() -> None:
    """The pictures of the attacks and their figures; a few minutes."""
    found = attack_figures.outcomes()
    for name, svg in attack_figures.drawn(found).items():
        place = FOLDER / f"{name}.svg"
        place.write_text(svg, encoding="utf-8")
        print(place.relative_to(FOLDER.parent.parent))
    figures = attack_figures.kept(found)
    lines = [f" {json.dumps(name)}: {json.dumps(each)}" for name, each in figures.items()]
    ATTACKS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(attack_figures.table(figures))


def explanation() -> None:
    """The pictures that explain differential privacy, and the numbers in them."""
    for name in explanation_figures.NUMBERS:
        place = explanation_figures.picture(name).save(FOLDER / f"{name}.svg")
        print(place.relative_to(FOLDER.parent.parent))
    kept = {name: made() for name, made in explanation_figures.NUMBERS.items()}
    lines = [f" {json.dumps(name)}: {json.dumps(each)}" for name, each in kept.items()]
    EXPLANATION.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    house_figure.write()
    for name, figure in FIGURES.items():
        chart = figure.draw(account(figure.events), delta=DELTA)
        print(plots.save(chart, FOLDER / f"{name}.svg").relative_to(FOLDER.parent.parent))
    picture, kept = answer_figure.drawn()
    print(picture.save(FOLDER / f"{answer_figure.NAME}.svg").relative_to(FOLDER.parent.parent))
    error = guide_figure.drawn().save(FOLDER / f"{guide_figure.NAME}.svg")
    print(error.relative_to(FOLDER.parent.parent))
    for name, draw in survey_figures.PICTURES.items():
        print(draw().save(FOLDER / f"{name}.svg").relative_to(FOLDER.parent.parent))
    attacks()
    explanation()
    surveys = {name: made() for name, made in survey_figures.NUMBERS.items()}
    SURVEYS.write_text(json.dumps(surveys, indent=1) + "\n", encoding="utf-8")
    ANSWER.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    lines = [f" {json.dumps(name)}: {json.dumps(numbers(name))}" for name in FIGURES]
    NUMBERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
