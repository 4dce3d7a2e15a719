"""``shoal audit``: tests of privacy claims, ours and anybody's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from shoal.auditing import Verdict, audit_samples
from shoal.auditing.bound_texts import figure_text, text_above, text_near
from shoal.auditing.claimed_curves import Promise
from shoal.auditing.programs import Program
from shoal.cli.console import Exit, Force, answers, fresh, refusals, remarks, writable
from shoal.cli.options import AsJson
from shoal.errors import RangeError
from shoal.exact import rational, whole
from shoal.interpret import Polygon
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated
from shoal.page import Page

EXAMPLES = """
For example:

    shoal audit run "python their_mech.py {d}" --d0 a.csv --d1 b.csv --epsilon 1

    shoal audit suite --quick

Exit codes: 0 not refuted, 2 wrong use, 5 refuted.
"""
RUN = """
For example:

    shoal audit run "python their_mech.py {d}" --d0 a.csv --d1 b.csv --epsilon 1 --samples 20000 --per-run 1000

    shoal audit run "./noisy {d} {n}" --d0 10 --d1 11 --mu 0.5 --per-run 10000 --samples 100000 --out page.html

    shoal audit run "./noisy {d} {n}" --d0 10 --d1 11 --renyi 2:0.5,16:4 --per-run 10000 --samples 100000

    shoal audit run "python keys.py {d}" --d0 a.csv --d1 b.csv --epsilon 1 --delta 1e-6 --json

The program prints one output a line: a number, JSON, or text. {d} becomes the dataset, {n} the outputs wanted of one run; those of one run must be as independent as those of
several. A run that fails or takes too long gives no answer, and that is an output like others; with more than one output a run it is refused. Exit codes: 0 not refuted, 2 wrong use, 5 refuted.
"""
SUITE = """
For example:

    shoal audit suite --quick

    shoal audit suite --out suite.html

    shoal audit suite laplace gaussian --json
"""

audit = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    epilog=EXAMPLES,
    help="Try to refute a claim of privacy: ours or anybody's.",
)

Out = Annotated[
    Path | None, typer.Option(help="Where to write the page with pictures; .html or .md.")
]


RenyiClaim = Annotated[
    str | None,
    typer.Option("--renyi", help="The claim: Rényi epsilons at orders, such as 2:1,8:4."),
]
CurveClaim = Annotated[
    str | None,
    typer.Option(
        "--curve", help="The claim: points of a trade-off curve, such as 0:1,0.2:0.3,1:0."
    ),
]


@audit.command("run", epilog=RUN)
def run(
    command: Annotated[
        str, typer.Argument(help='The program, such as "python their_mech.py {d}".')
    ],
    *,
    d0: Annotated[
        str, typer.Option(help="What {d} becomes first: a file, or anything the program takes.")
    ],
    d1: Annotated[str, typer.Option(help="Its neighbour.")],
    epsilon: Annotated[str | None, typer.Option(help="The claim: epsilon.")] = None,
    delta: Annotated[str | None, typer.Option(help="The claim: delta, beside epsilon.")] = None,
    rho: Annotated[str | None, typer.Option(help="The claim: rho, zero-concentrated.")] = None,
    mu: Annotated[str | None, typer.Option(help="The claim: mu, Gaussian.")] = None,
    renyi: RenyiClaim = None,
    curve: CurveClaim = None,
    samples: Annotated[int, typer.Option(help="Outputs on each dataset.")] = 2000,
    per_run: Annotated[int, typer.Option("--per-run", help="Outputs that one run prints.")] = 1,
    confidence: Annotated[str, typer.Option(help="How sure a refutation is.")] = "0.99",
    seconds: Annotated[
        float, typer.Option("--timeout", help="Seconds that a run may take.")
    ] = 60.0,
    jobs: Annotated[int, typer.Option(help="Runs at the same time.")] = 2,
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Audit a program: sample it on two neighbouring datasets, and try to refute what it claims."""
    with refusals():
        claim = promise_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu, renyi=renyi, curve=curve)
        page_path(out, force=force)
        wanted = whole(samples, "samples", at_least=100)
        program = Program(command, per_run=per_run, seconds=seconds, jobs=jobs)
        program.check(d0, d1)
        with bar("samples", 2 * wanted) as told:
            first, second = program.sample(d0, d1, wanted, progress=lambda done, _: told(done))
        for failure in program.failures[:1]:
            remarks().print(
                f"A run gave no answer: {failure}", style="yellow", markup=False, soft_wrap=True
            )
        verdict = audit_samples(first, second, claim=claim, confidence=confidence)
        finish([verdict], out, as_json=as_json)


def promise_of(
    *,
    epsilon: str | None,
    delta: str | None,
    rho: str | None,
    mu: str | None,
    renyi: str | None,
    curve: str | None,
) -> Promise:
    """The claim as it is typed: a measure, or a trade-off curve."""
    if curve is None or any(each is not None for each in (epsilon, delta, rho, mu, renyi)):
        return claim_of(
            epsilon=epsilon, delta=delta, rho=rho, mu=mu, renyi=renyi, more=curve is not None
        )
    return Polygon(_pairs(curve, "--curve", "0:1,0.2:0.3,1:0"))


def claim_of(
    *,
    epsilon: str | None,
    delta: str | None,
    rho: str | None,
    mu: str | None,
    renyi: str | None = None,
    more: bool = False,
) -> Measure:
    """The claim as it is typed: a measure; ``more`` says that there is a curve as well."""
    typed = {"--epsilon": epsilon, "--rho": rho, "--mu": mu, "--renyi": renyi}
    given = [name for name, value in typed.items() if value is not None] + ["--curve"] * more
    if len(given) != 1 or (delta is not None and epsilon is None):
        raise RangeError(
            f"one claim is tested; got {' and '.join(given) or 'none'}{' with --delta' if delta is not None else ''}.",
            remedy="Give --epsilon, perhaps with --delta, or another claim; --help lists them.",
        )
    if rho is not None:
        return ZeroConcentrated(rational(rho, "rho"))
    if mu is not None:
        return GaussianDP(rational(mu, "mu"))
    if renyi is not None:
        return Renyi(dict(_pairs(renyi, "--renyi", "2:1,8:4")))
    assert epsilon is not None
    if delta is None:
        return Pure(rational(epsilon, "epsilon"))
    return Approx(rational(epsilon, "epsilon"), rational(delta, "delta"))


def _pairs(text: str, option: str, example: str) -> list[tuple[Fraction, Fraction]]:
    """Pairs of numbers, as typed."""
    pairs = [each.split(":") for each in text.replace(" ", ",").split(",") if each]
    if not pairs or any(len(each) != 2 for each in pairs):
        raise RangeError(f"{option} takes pairs of numbers.", remedy=f"Give {option} {example}.")
    return [(rational(one, option), rational(other, option)) for one, other in pairs]


def page_path(out: Path | None, *, force: bool) -> None:
    """Refuse a page that cannot be written before anything is run."""
    if out is None:
        return
    if out.suffix.lower() not in (".html", ".md"):
        raise RangeError(
            f"a report is a page; got {out.name!r}.", remedy="End its name with .html or .md."
        )
    writable(out)
    fresh(out, force=force)


@contextmanager
def bar(words: str, total: int) -> Iterator[Callable[[int], None]]:
    """How far it is, where a terminal shows it."""
    shown = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
        console=remarks(),
        transient=True,
        disable=not remarks().is_terminal,
    )
    with shown:
        task = shown.add_task(words, total=total)
        yield lambda done: shown.update(task, completed=done)


def finish(
    verdicts: Sequence[Verdict],
    out: Path | None,
    *,
    as_json: bool,
    page: Page | None = None,
    listed: list[dict[str, Any]] | None = None,
) -> None:
    """Print verdicts, write their page, and end with code 5 if a claim is refuted."""
    if out is not None:
        made = page or verdicts[0].to_page()
        out.write_text(
            made.html() if out.suffix.lower() == ".html" else made.markdown(), encoding="utf-8"
        )
    if as_json:
        typer.echo(json.dumps(listed or verdicts[0].to_dict(), ensure_ascii=False))
    else:
        for each in verdicts if page is None else ():
            answers().print(str(each), markup=False, soft_wrap=True)
            for name, value in each.figures:
                answers().print(
                    f"    {name}: {figure_text(name, value)}", markup=False, soft_wrap=True
                )
        if out is not None:
            answers().print(f"The page is in {out}.", markup=False)
    if any(each.refuted for each in verdicts):
        raise typer.Exit(int(Exit.UNSOUND))


@audit.command("suite", epilog=SUITE)
def suite(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Some of the cases.  [default: all]"),
    ] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the samples.")] = False,
    seed: Annotated[
        int | None, typer.Option(help="Repeat the same draws where that is allowed.")
    ] = None,
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Audit every mechanism, local protocol, release of a function and kind of question of Shoal
    against its own claim.
    """
    from shoal.auditing.suite import SUITE as CASES  # noqa: PLC0415 - it loads every floor
    from shoal.auditing.suite import run_cases, suite_page  # noqa: PLC0415 - it loads every floor

    with refusals():
        unknown = [name for name in names or [] if name not in CASES]
        if unknown:
            raise RangeError(
                f"there is no case {unknown[0]!r}.",
                remedy=f"The cases are: {', '.join(map(repr, CASES))}.",
            )
        page_path(out, force=force)
        chosen = [case for name, case in CASES.items() if not names or name in names]
        with bar("audits", len(chosen)) as told:
            outcomes = run_cases(
                chosen, quick=quick, seed=seed, told=lambda _, done, __: told(done)
            )
        if not as_json:
            for each in outcomes:
                answers().print(
                    f"{each.case.name:28} {each.verdict.verdict:12} {each.verdict.parameter}: at least {text_above(each.verdict.lower, each.verdict.claimed)}, {text_near(each.verdict.claimed)} claimed",
                    markup=False,
                    soft_wrap=True,
                )
        finish(
            [each.verdict for each in outcomes],
            out,
            as_json=as_json,
            page=suite_page(outcomes),
            listed=[each.to_dict() for each in outcomes],
        )
