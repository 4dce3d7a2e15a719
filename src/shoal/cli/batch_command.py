"""The command that releases several counting questions together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli.console import Force, answers, fresh, refusals, remarks, working, writable
from shoal.cli.options import Analyst, AsJson, Epsilon, Rho, VaultOption, opened
from shoal.cli.printed_tables import plain_table, show_answer
from shoal.query import Answer, BatchPlan
from shoal.query.stored_answer import stored

BATCH = """
For example:

    shoal batch "SELECT city, COUNT(*) AS n FROM visits GROUP BY city" "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1 --preview

    shoal batch "SELECT city, COUNT(*) AS n FROM visits GROUP BY ROLLUP (city)" --epsilon 0.1 --out tables
"""


def batch(
    questions: Annotated[
        list[str],
        typer.Argument(metavar="SQL...", help="SELECTs that count the same rows, each in quotes."),
    ],
    *,
    vault: VaultOption = None,
    epsilon: Epsilon = None,
    rho: Rho = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only show the error of every question. Free.")
    ] = False,
    analyst: Analyst = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="IDEMPOTENCY", help="A name of your own for this act."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="A folder for 1.csv, 2.csv, ... and the certificate."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Release several counts of the same rows together, for one charge.

    Where it has less error, they are measured together, so that the answers agree.
    Releasing the same again is free and gives the same answers.
    """
    with refusals(), opened(vault, analyst, only_reads=preview) as held:
        asked = held.batch(questions)
        found = asked.preview(epsilon=epsilon, rho=rho)
        if preview:
            _show(found, as_json=as_json)
            return
        files = [] if out is None else [out / f"{at + 1}.csv" for at in range(len(questions))]
        for each in files if out is None else [*files, out / "certificate.json"]:
            held.check_out(each)
            fresh(each, force=force)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            writable(out / "certificate.json")
        with working("Asking"):
            released = asked.release(epsilon=epsilon, rho=rho, key=key)
        for answer, file in zip(released, files, strict=False):
            answer.to_csv(file)
        if out is not None:
            told = json.dumps(released[0].certificate, indent=1, ensure_ascii=False)
            (out / "certificate.json").write_text(told, encoding="utf-8")
        _give(released, questions, found, as_json=as_json)


def _show(found: BatchPlan, *, as_json: bool) -> None:
    told = found.to_dict()
    if as_json:
        typer.echo(json.dumps(told, indent=2))
        return
    console = answers()
    fits = "" if found.fits else ", more than is left of the budget"
    console.print(
        Text.assemble(
            "Would cost ",
            (str(found.request), "bold"),
            (fits, "bold red"),
            ". Each count within, at 95% confidence:",
        ),
        soft_wrap=True,
    )
    rows = [(f"{each['within']:,.1f}", each["question"]) for each in told["questions"]]
    console.print(plain_table(["within", "question"], rows))
    console.print(Text(f"note: {found.note}", style="yellow"))


def _give(released: list[Answer], questions: list[str], found: BatchPlan, *, as_json: bool) -> None:
    if as_json:
        told = [
            {name: said for name, said in stored(each).items() if name != "certificate"}
            for each in released
        ]
        typer.echo(json.dumps({"answers": told, "certificate": released[0].certificate}, indent=2))
        return
    console = answers()
    for text, answer in zip(questions, released, strict=True):
        console.print(Text(text, style="dim"), soft_wrap=True)
        show_answer(console, answer)
        console.print()
    remarks().print(
        f"Cost {found.request} for all together. {found.note}", soft_wrap=True, markup=False
    )
