"""``shoal audit lattice``, ``timing``, ``repeats`` and ``one-run``: traces of floats, time and
seeds in programs, and learners in one run.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.auditing.lattice import FORMULAS, Formula, lattice
from shoal.auditing.one_run import one_run
from shoal.auditing.programs import Program
from shoal.auditing.repeats import DRAWS, repeats
from shoal.auditing.timing import RESOLUTION, time_runs, timing
from shoal.cli.audit import (
    CurveClaim,
    Out,
    RenyiClaim,
    audit,
    bar,
    finish,
    page_path,
    promise_of,
)
from shoal.cli.console import Force, refusals
from shoal.cli.options import AsJson
from shoal.errors import RangeError, SourceError
from shoal.exact import rational, whole

LATTICE = """
For example:

    shoal audit lattice "python their_mech.py {d} {n}" --d0 0 --d1 1 --epsilon 1 --per-run 1000 --samples 4000

    shoal audit lattice "./noisy {d}" --d0 41 --d1 42 --epsilon 1 --formula numpy-laplace --scale 1 --truths 41,42

The program prints one number a line, with all its digits. Exit codes: 0 not refuted, 2 wrong use, 5 refuted.
"""
TIMING = """
For example:

    shoal audit timing "python their_mech.py {d}" --d0 a.csv --d1 b.csv --runs 200

Each run is a process of its own, and all of it is timed. Nothing found proves nothing: a function is timed more finely by `shoal.auditing.timing`.
"""
REPEATS = """
For example:

    shoal audit repeats "python their_mech.py {d}" --d0 a.csv --d1 b.csv --epsilon 1

    shoal audit repeats "python count.py {d}" --other "python sum.py {d}" --d0 a.csv --d1 b.csv

Each run is a process of its own; two are started at the same time, as noise that is seeded by the clock would show.
"""
ONE_RUN = """
For example:

    shoal audit one-run scores.csv --delta 1e-5

    shoal audit one-run scores.csv --epsilon 2 --delta 1e-5 --guesses 100

The file has a line for each canary: included (1 if a fair coin put it in, else 0) and score (how much what was released speaks for it). Exit codes: 0 not refuted, 2 wrong use, 5 refuted.
"""

Command = Annotated[str, typer.Argument(help='The program, such as "python their_mech.py {d}".')]
First = Annotated[
    str, typer.Option("--d0", help="What {d} becomes first: a file, or anything the program takes.")
]
Second = Annotated[str, typer.Option("--d1", help="Its neighbour.")]
Epsilon = Annotated[str | None, typer.Option(help="The claim: epsilon.")]
Delta = Annotated[str | None, typer.Option(help="The claim: delta, beside epsilon.")]
Confidence = Annotated[str, typer.Option(help="How sure a refutation is.")]
Seconds = Annotated[float, typer.Option("--timeout", help="Seconds that a run may take.")]


@audit.command("lattice", epilog=LATTICE)
def audit_lattice(
    command: Command,
    *,
    d0: First,
    d1: Second,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Annotated[str | None, typer.Option(help="The claim: rho, zero-concentrated.")] = None,
    mu: Annotated[str | None, typer.Option(help="The claim: mu, Gaussian.")] = None,
    renyi: RenyiClaim = None,
    curve: CurveClaim = None,
    samples: Annotated[int, typer.Option(help="Outputs on each dataset.")] = 2000,
    per_run: Annotated[int, typer.Option("--per-run", help="Outputs that one run prints.")] = 1,
    formula: Annotated[
        str | None,
        typer.Option(help=f"How the noise is computed, if that is known: {', '.join(FORMULAS)}."),
    ] = None,
    scale: Annotated[float | None, typer.Option(help="The scale of that noise.")] = None,
    truths: Annotated[
        str | None, typer.Option(help="The two numbers it is added to, such as 0,1.")
    ] = None,
    confidence: Confidence = "0.99",
    seconds: Seconds = 60.0,
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Look at the last bits of a program's numbers: noise in floating point leaves traces there."""
    with refusals():
        claim = promise_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu, renyi=renyi, curve=curve)
        known = _formula(formula, scale, truths)
        page_path(out, force=force)
        wanted = whole(samples, "samples", at_least=100)
        program = Program(command, per_run=per_run, seconds=seconds)
        program.check(d0, d1)
        with bar("samples", 2 * wanted) as told:
            first, second = program.sample(d0, d1, wanted, progress=lambda done, _: told(done))
        verdict = lattice(first.listed, second.listed, claim, formula=known, confidence=confidence)
        finish([verdict], out, as_json=as_json)


@audit.command("timing", epilog=TIMING)
def audit_timing(
    command: Command,
    *,
    d0: First,
    d1: Second,
    runs: Annotated[int, typer.Option(help="Runs on each dataset.")] = 200,
    warm: Annotated[int, typer.Option(help="Pairs of runs before, which are not counted.")] = 5,
    resolution: Annotated[
        float, typer.Option(help="Seconds; smaller differences are not looked for.")
    ] = RESOLUTION,
    confidence: Confidence = "0.99",
    seconds: Seconds = 60.0,
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Time a program on two datasets: does it take longer on one, or the longer the larger its
    noise?
    """
    with refusals():
        page_path(out, force=force)
        program = Program(command, seconds=seconds)
        program.check(d0, d1)
        timed = time_runs(_once(program), d0, d1, runs=runs, warm=warm)
        finish([timing(timed, resolution=resolution, confidence=confidence)], out, as_json=as_json)


@audit.command("repeats", epilog=REPEATS)
def audit_repeats(
    command: Command,
    *,
    d0: First,
    d1: Second,
    other: Annotated[
        str | None, typer.Option(help="Another program: a second question to the same data.")
    ] = None,
    draws: Annotated[int, typer.Option(help="Runs in each place.")] = DRAWS,
    epsilon: Epsilon = None,
    delta: Delta = None,
    confidence: Confidence = "0.99",
    seconds: Seconds = 60.0,
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run a program side by side with itself: is the same noise drawn twice?"""
    with refusals():
        page_path(out, force=force)
        program = Program(command, seconds=seconds)
        program.check(d0, d1)
        second = None if other is None else _once(Program(other, seconds=seconds))
        verdict = repeats(
            _once(program),
            d0,
            d1,
            other=second,
            draws=draws,
            program=True,
            epsilon=epsilon,
            delta=delta or 0,
            confidence=confidence,
        )
        finish([verdict], out, as_json=as_json)


@audit.command("one-run", epilog=ONE_RUN)
def audit_one_run(
    scores: Annotated[Path, typer.Argument(help="A table with the columns included and score.")],
    *,
    epsilon: Epsilon = None,
    delta: Annotated[str, typer.Option(help="The delta at which epsilon is bounded.")] = "0",
    guesses: Annotated[
        int | None,
        typer.Option(
            help="How many canaries are guessed; several numbers are tried if none is given."
        ),
    ] = None,
    confidence: Confidence = "0.95",
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Bound the epsilon of a learner from one run: canaries that were in or out by a coin, and a
    score for each.
    """
    with refusals():
        page_path(out, force=force)
        included, spoken = _table(scores)
        verdict = one_run(
            included, spoken, epsilon=epsilon, delta=delta, guesses=guesses, confidence=confidence
        )
        finish([verdict], out, as_json=as_json)


def _formula(name: str | None, scale: float | None, truths: str | None) -> Formula | None:
    if name is None and scale is None and truths is None:
        return None
    try:
        one, two = (float(rational(each, "--truths")) for each in (truths or "").split(","))
    except (ValueError, OverflowError):
        raise RangeError(
            "a formula is added to two numbers.", remedy="Give --formula, --scale and --truths 0,1."
        ) from None
    if name is None or scale is None:
        raise RangeError(
            "a formula has a name and a scale.", remedy="Give --formula, --scale and --truths 0,1."
        )
    return Formula(name, scale, (one, two))


def _once(program: Program) -> Callable[[str], Any]:
    """A program as a function: one run, one answer."""
    return lambda data: program.run(data, 1).outputs[0]


def _table(path: Path) -> tuple[list[float], list[float]]:
    """The two columns, as numbers."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(
            f"the table of canaries {path.name!r} cannot be read ({type(error).__name__}).",
            remedy="Give a file of text in UTF-8, with commas and a first line: included,score.",
        ) from None
    try:
        included, spoken = (
            [float(rational(row[column], column)) for row in rows]
            for column in ("included", "score")
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        raise SourceError(
            "the table of canaries must have numbers in the columns included and score.",
            remedy="Write a line for each canary: 1 or 0, and its score.",
        ) from None
    return included, spoken
