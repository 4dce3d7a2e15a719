"""``shoal guide``: from how many people, how accurate and how many questions to a budget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import Force, answers, fresh, refusals, writable
from shoal.cli.options import AsJson
from shoal.page import Page, PagePicture, Words
from shoal.plots.saving import check_ending
from shoal.query.guide import Guide
from shoal.query.guide import guide as guide_to

EXAMPLES = """
For example:

    shoal guide --people 5000 --within 20 --questions 10

    shoal guide --people 5000 --within 20 --questions 200 --delta 1e-6 --json

    shoal guide --people 5000 --within 20 --questions 10 --out guide.html
"""


def guide(
    *,
    people: Annotated[
        str | None, typer.Option(metavar="N", help="How many people are in the data, roughly.")
    ] = None,
    within: Annotated[
        str | None, typer.Option(metavar="N", help="How many people a count may be off by.")
    ] = None,
    questions: Annotated[
        str | None,
        typer.Option(metavar="N", help="How many tables or numbers will be published in all."),
    ] = None,
    confidence: Annotated[str, typer.Option(help="How sure the error is.")] = "0.95",
    rows_per_person: Annotated[
        int, typer.Option(help="How many rows of one person count in a table.")
    ] = 1,
    delta: Annotated[
        str | None,
        typer.Option(
            help="Accept this delta: Gaussian noise and a budget in rho where they promise more."
        ),
    ] = None,
    as_json: AsJson = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a picture, or a page: .svg, .png, .json or .html."
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Which epsilon? From how many people, how accurate and how many questions to a budget.

    On a terminal, what is not given is asked for. No data are read. The error is exact; which risk
    is acceptable is a judgement.
    """
    with refusals():
        if out is not None:
            fresh(writable(check_ending(out)), force=force)
        found = guide_to(
            people=people,
            within=within,
            questions=questions,
            confidence=confidence,
            rows_per_person=rows_per_person,
            delta=delta,
        )
        if out is not None:
            _write(found, out)
        if as_json:
            typer.echo(json.dumps(found.to_dict(), indent=2))
            return
        answers().print(str(found), soft_wrap=True, markup=False)
        if out is not None:
            answers().print(f"Wrote {out}.", soft_wrap=True, markup=False)


def _write(found: Guide, out: Path) -> None:
    picture = found.plot()
    if out.suffix.lower() != ".html":
        picture.save(out)
        return
    caption = "How far a count may be off, for every budget around this choice."
    words = [Words(each) for each in found.lines]
    page = Page("Which epsilon?", [*words, PagePicture(picture.svg(), caption)])
    out.write_text(page.html(), encoding="utf-8")
