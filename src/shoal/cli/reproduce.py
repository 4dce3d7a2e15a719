"""``shoal reproduce``: every experiment, table and figure of the sources, done again, as one
report.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from shoal.cli.console import Force, answers, fresh, refusals, remarks
from shoal.cli.options import AsJson
from shoal.errors import RangeError
from shoal.page import PageTable
from shoal.reproduce import (
    CORRECTIONS,
    EXPERIMENTS,
    Effort,
    Experiment,
    ExperimentOutcome,
    report,
    run,
)

EXAMPLES = """
For example:

    shoal reproduce

    shoal reproduce polls choices --out polls.html

    shoal reproduce --quick --out report.md
"""


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help=f"Some of: {', '.join(EXPERIMENTS)}. All, if none is named."
        ),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="Where to write the report; .html or .md.")] = Path(
        "reproduced.html"
    ),
    force: Force = False,
    quick: Annotated[bool, typer.Option("--quick", help="A twentieth of the repetitions.")] = False,
    seed: Annotated[
        int, typer.Option(help="The seed of every draw; the same seed gives the same report.")
    ] = 2026,
    as_json: AsJson = False,
) -> None:
    """Run the experiments of the sources again, and write what they give beside what was
    printed.
    """
    with refusals():
        chosen = _chosen(names or [])
        if out.suffix.lower() not in (".html", ".md"):
            raise RangeError(
                f"a report is a page; got {out.name!r}.", remedy="End its name with .html or .md."
            )
        fresh(out, force=force)
        effort = Effort(quick=quick)
        outcomes = _run(chosen, effort, seed)
        page = report(outcomes, effort=effort)
        out.write_text(
            page.html() if out.suffix.lower() == ".html" else page.markdown(), encoding="utf-8"
        )
        if as_json:
            typer.echo(json.dumps([_data(outcome) for outcome in outcomes], ensure_ascii=False))
            return
        console = answers()
        for outcome in outcomes:
            console.print(
                f"{outcome.experiment.name:12} {outcome.seconds:6.1f} s  {outcome.experiment.title}",
                markup=False,
                soft_wrap=True,
            )
        console.print(f"{len(CORRECTIONS)} corrections; report in {out}", markup=False)


def _chosen(names: list[str]) -> list[Experiment]:
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown:
        raise RangeError(
            f"there is no experiment {unknown[0]!r}.",
            remedy=f"The experiments are: {', '.join(EXPERIMENTS)}.",
        )
    return [each for each in EXPERIMENTS.values() if not names or each.name in names]


def _run(chosen: list[Experiment], effort: Effort, seed: int) -> list[ExperimentOutcome]:
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        console=remarks(),
        transient=True,
        disable=not remarks().is_terminal,
    )
    with bar:
        task = bar.add_task("experiments", total=len(chosen))

        def told(experiment: Experiment, done: int, total: int) -> None:
            bar.update(task, description=experiment.name, completed=done, total=total)

        return run(chosen, effort=effort, seed=seed, told=told)


def _data(outcome: ExperimentOutcome) -> dict[str, object]:
    tables = [
        {"head": list(part.head), "rows": [list(row) for row in part.rows]}
        for part in outcome.parts
        if isinstance(part, PageTable)
    ]
    experiment = outcome.experiment
    return {
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "seconds": round(outcome.seconds, 2),
        "tables": tables,
        "corrections": list(experiment.corrections),
    }
