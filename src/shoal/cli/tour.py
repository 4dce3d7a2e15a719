"""``shoal tour``: a guided walk through a vault, on generated data, in a folder that is gone
afterwards.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.rule import Rule
from rich.text import Text

from shoal.cli.console import answers, refusals
from shoal.noise import discrete_laplace, uniform_below

EXAMPLES = """
For example:

    shoal tour

    shoal tour --rows 2000 --keep office
"""

_CITIES = ("Aldam", "Brook", "Corve")
_BY_CITY = "SELECT city, COUNT(*) AS n, AVG(spend) AS spend FROM visits WHERE city IS NOT NULL GROUP BY city"
_STEPS: tuple[tuple[str, str], ...] = (
    (
        "A vault is one file. It remembers where data lie, whom they protect, what may be spent, and what was released.",
        "init office.shoal",
    ),
    (
        "A table of visits is declared: everyone is protected with all their visits, and epsilon 1 is all that may ever be spent. No row is copied.",
        "add visits visits.parquet --person user_id --groups 2 --rows-per-group 3 --range spend=0:500 --choices city=Aldam,Brook,Corve --budget 1",
    ),
    (
        "How far will an answer be off? That is known before anything is spent.",
        f'preview "{_BY_CITY}" --epsilon 0.5',
    ),
    (
        "Good enough. Now for the answer: charged first, then drawn.",
        f'ask "{_BY_CITY}" --epsilon 0.5',
    ),
    (
        "The same question again is the same answer, free of charge: asking often does not wear the noise away.",
        f'ask "{_BY_CITY} ORDER BY n DESC LIMIT 1" --epsilon 0.5',
    ),
    (
        "A question that costs more than is left is refused (exit code 4), and nothing is spent.",
        'ask "SELECT AVG(spend) AS spend FROM visits" --epsilon 0.75',
    ),
    ("What happened so far:", "log"),
    ("What that means for one person:", "budget"),
    (
        "A page for publication, with error bars and a paragraph on the method:",
        "report 1 --out report.html",
    ),
    (
        "The certificate of the release can be checked by anyone, without the vault:",
        "verify certificate.json",
    ),
    ("And the vault checks itself, from its first entry to its last:", "verify"),
)


def tour(
    *,
    rows: Annotated[
        int, typer.Option(min=100, max=1_000_000, help="How many visits to make up.")
    ] = 20_000,
    keep: Annotated[
        Path | None, typer.Option(help="Do it in this new folder, and leave it there.")
    ] = None,
) -> None:
    """A guided walk through a vault on generated data: nobody in it exists."""
    with refusals(), _folder(keep):
        _write_visits(rows)
        console = answers()
        console.print(
            Text(
                f"{rows:,} visits of people who do not exist were made up in visits.parquet.",
                style="dim",
            )
        )
        for words, command in _STEPS:
            console.print()
            console.print(Rule(style="dim"))
            console.print(words)
            _run(command)
        console.print()
        console.print(Rule(style="dim"))
        where = (
            f"The folder {keep} is yours to look at."
            if keep
            else "The folder of this tour is gone; shoal tour --keep office leaves one."
        )
        console.print(f"{where} Next: shoal --help, and docs/vault.md.", soft_wrap=True)


def _run(command: str) -> None:
    """One command, shown as it is typed and done as it would be."""
    from shoal.cli.app import app  # noqa: PLC0415 - which holds this command

    if command.startswith("verify certificate"):
        _save_certificate()
    answers().print(Text(f"\n$ shoal {command}", style="bold cyan"), soft_wrap=True)
    ended = app(shlex.split(command), standalone_mode=False, prog_name="shoal")
    if ended:
        answers().print(Text(f"(exit code {ended})", style="dim"))


def _save_certificate() -> None:
    import json  # noqa: PLC0415 - beside its use

    from shoal.vault import open as open_vault  # noqa: PLC0415 - the tour's own vault

    with open_vault("office.shoal") as vault:
        kept = vault.log()[0].certificate
    Path("certificate.json").write_text(json.dumps(kept), encoding="utf-8")


def _write_visits(rows: int) -> None:
    """Visits that are made up: up to five a person, spending that goes with the city."""
    from shoal.engines.held_rows import HeldRows  # noqa: PLC0415 - beside its use
    from shoal.plan import INTEGER, REAL, TEXT  # noqa: PLC0415 - as above

    cities = [(0, 0, 0, 1, 1, 2)[at] for at in uniform_below(6, rows)]
    noise = discrete_laplace(Fraction(20)).many(rows)
    spend = [
        max(0.0, 60.0 + 25.0 * city + float(each)) for city, each in zip(cities, noise, strict=True)
    ]
    table = HeldRows(
        {
            "user_id": (INTEGER, uniform_below(max(1, rows // 3), rows).tolist()),
            "city": (TEXT, [_CITIES[city] for city in cities]),
            "spend": (REAL, spend),
        }
    )
    table.write_parquet(Path("visits.parquet"))


@contextmanager
def _folder(keep: Path | None) -> Iterator[None]:
    """Work in a folder of its own, without the caller's vault."""
    before, vault = Path.cwd(), os.environ.pop("SHOAL_VAULT", None)
    with TemporaryDirectory() as made:
        place = Path(made)
        if keep is not None:
            keep.mkdir(parents=True)
            place = keep
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir(before)
            if vault is not None:
                os.environ["SHOAL_VAULT"] = vault
