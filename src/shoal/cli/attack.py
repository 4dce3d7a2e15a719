"""``shoal attack``: the classic attacks, with and without Shoal in front, each with a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from shoal.auditing.attacks import ATTACKS, Attack, AttackOutcome, Effort, report, run
from shoal.auditing.attacks.report import share
from shoal.cli.console import Exit, Force, answers, fresh, refusals, remarks
from shoal.cli.options import AsJson
from shoal.errors import RangeError

EXAMPLES = """
For example:

    shoal attack

    shoal attack differencing --out page.html

    shoal attack reconstruction tables --quick --json

    shoal attack all --out attacks.html
"""

ALL = "all"


def attack(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help=f"Some of: {', '.join(ATTACKS)}; or {ALL}. Without a name they are listed.",
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option(help="Where to write the page with pictures; .html or .md.")
    ] = None,
    force: Force = False,
    quick: Annotated[bool, typer.Option("--quick", help="A twentieth of the runs.")] = False,
    seed: Annotated[
        int, typer.Option(help="The seed of every draw; the same seed gives the same page.")
    ] = 2026,
    as_json: AsJson = False,
) -> None:
    """Stage the classic attacks on made-up people, with and without Shoal in front.

    The exit code is 5 if one passes its ceiling by more than chance explains.
    """
    with refusals():
        chosen = _chosen(names or [])
        if out is not None and out.suffix.lower() not in (".html", ".md"):
            raise RangeError(
                f"a report is a page; got {out.name!r}.", remedy="End its name with .html or .md."
            )
        fresh(out, force=force)
        if not names:
            _list(chosen, as_json=as_json)
            return
        outcomes = _run(chosen, Effort(quick=quick), seed)
        if out is not None:
            page = report(outcomes)
            out.write_text(
                page.html() if out.suffix.lower() == ".html" else page.markdown(), encoding="utf-8"
            )
        _print(outcomes, out, as_json=as_json)
        if not all(each.result.held for each in outcomes):
            raise typer.Exit(int(Exit.UNSOUND))


def _chosen(names: list[str]) -> list[Attack]:
    unknown = [name for name in names if name not in ATTACKS and name != ALL]
    if unknown:
        raise RangeError(
            f"there is no attack {unknown[0]!r}.",
            remedy=f"The attacks are: {', '.join(ATTACKS)}; or {ALL}.",
        )
    everything = not names or ALL in names
    return [each for each in ATTACKS.values() if everything or each.name in names]


def _list(attacks: list[Attack], *, as_json: bool) -> None:
    if as_json:
        listed = [
            {"name": each.name, "title": each.title, "aim": each.aim, "source": each.source}
            for each in attacks
        ]
        typer.echo(json.dumps(listed, ensure_ascii=False))
        return
    for each in attacks:
        answers().print(f"{each.name:15} {each.title}", markup=False, soft_wrap=True)


def _run(chosen: list[Attack], effort: Effort, seed: int) -> list[AttackOutcome]:
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
        task = bar.add_task("attacks", total=len(chosen))

        def told(each: Attack, done: int, total: int) -> None:
            bar.update(task, description=each.name, completed=done, total=total)

        return run(chosen, effort=effort, seed=seed, told=told)


def _print(outcomes: list[AttackOutcome], out: Path | None, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([each.to_dict() for each in outcomes], ensure_ascii=False))
        return
    console = answers()
    console.print(
        f"{'attack':15} {'without Shoal':>14} {'with Shoal':>11} {'error':>7} {'ceiling':>9}",
        markup=False,
    )
    for each in outcomes:
        found = each.result
        console.print(
            f"{each.attack.name:15} {share(found.without.rate):>14} {share(found.shoal.rate):>11} {share(found.shoal.error):>7} {share(found.ceiling):>9}",
            markup=False,
            soft_wrap=True,
        )
    console.print(
        "Guesses that are right; with Shoal, where all that is seen costs epsilon 0.1, with their standard error.",
        markup=False,
    )
    if out is not None:
        console.print(f"The page is in {out}.", markup=False)
