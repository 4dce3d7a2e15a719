"""All experiments as one page, or as a page each, with the places where the sources are wrong
marked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.noise.seam import seeded
from shoal.page import Heading, Page, PageTable, Part, Words
from shoal.reproduce.corrections import CORRECTIONS, Correction
from shoal.reproduce.experiment import Effort, Experiment

Told = Callable[[Experiment, int, int], None]
"""Called before each experiment with it, how many are done, and how many there are."""


@dataclass(frozen=True)
class ExperimentOutcome:
    """What running an experiment gave, and how long it took."""

    experiment: Experiment
    parts: Sequence[Part]
    seconds: float

    @property
    def page(self) -> Page:
        """The experiment as a page by itself."""
        return Page(
            self.experiment.title,
            [Words(f"Source: {self.experiment.source}."), *self.parts, *_marked(self.experiment)],
        )


def run(
    experiments: Sequence[Experiment],
    *,
    effort: Effort,
    seed: int | str = 2026,
    told: Told | None = None,
) -> list[ExperimentOutcome]:
    """Run them, one after another, each from the same seed whichever others are run."""
    outcomes = []
    for done, experiment in enumerate(experiments):
        if told is not None:
            told(experiment, done, len(experiments))
        began = time.perf_counter()
        with seeded(f"{seed}/{experiment.name}"):
            parts = experiment.run(effort)
        outcomes.append(ExperimentOutcome(experiment, parts, time.perf_counter() - began))
    return outcomes


def report(outcomes: Sequence[ExperimentOutcome], *, effort: Effort) -> Page:
    """One page with everything, and every correction at its end."""
    parts: list[Part] = [
        Words(
            "Every experiment, table, figure and worked example of the five sources, done again with Shoal's own mechanisms on made-up people. "
            "Where a source has a single draw there are many here; where it is wrong, the correction stands below the experiment."
        ),
    ]
    if effort.quick:
        parts.append(
            Words("This was a quick run: a twentieth of the repetitions, so figures scatter.")
        )
    for outcome in outcomes:
        experiment = outcome.experiment
        parts += [
            Heading(experiment.title),
            Words(f"Source: {experiment.source}. Run in {outcome.seconds:.1f} s."),
        ]
        parts += [*outcome.parts, *_marked(experiment)]
    parts += [
        Heading("Everything that is corrected"),
        _table(list(CORRECTIONS.values()), sources=True),
    ]
    return Page("The sources, reproduced", parts)


def _marked(experiment: Experiment) -> list[Part]:
    found = [CORRECTIONS[number] for number in experiment.corrections]
    return [Heading("Corrected", 3), _table(found, sources=False)] if found else []


def _table(found: Sequence[Correction], *, sources: bool) -> PageTable:
    head = ["no.", *(["source"] if sources else []), "printed", "holds", "as printed, it"]
    rows = [
        [
            str(each.number),
            *([each.source] if sources else []),
            each.printed,
            each.holds,
            str(each.weight),
        ]
        for each in found
    ]
    return PageTable(head, rows, frozenset((0,)))
