"""``shoal mechanism``: one mechanism, its cost, its error and the text of its event; and a release
of a number.
"""

from __future__ import annotations

import json
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any

import typer

from shoal.cli.console import answers, refusals
from shoal.cli.options import AsJson
from shoal.cli.printed_tables import facts_table
from shoal.errors import RangeError
from shoal.events import write_events
from shoal.exact import float_up, positive, rational, short, short_up, whole_numeral
from shoal.interpret import risk_of
from shoal.measures import budget_of
from shoal.mechanisms import DiscreteGaussian, Gaussian, Geometric, Laplace

EXAMPLES = """
For example:

    shoal mechanism laplace --budget 0.5 --sensitivity 1

    shoal mechanism gaussian --budget 1,1e-6 --sensitivity 10 --release 4021
"""


class NoiseKind(StrEnum):
    """The mechanisms that add noise to a number."""

    LAPLACE = "laplace"
    GEOMETRIC = "geometric"
    GAUSSIAN = "gaussian"
    DISCRETE_GAUSSIAN = "discrete-gaussian"


_MADE_BY: dict[NoiseKind, Any] = {
    NoiseKind.LAPLACE: Laplace,
    NoiseKind.GEOMETRIC: Geometric,
    NoiseKind.GAUSSIAN: Gaussian,
    NoiseKind.DISCRETE_GAUSSIAN: DiscreteGaussian,
}


def mechanism(
    kind: Annotated[NoiseKind, typer.Argument(help="Which noise.")],
    *,
    budget: Annotated[
        str, typer.Option(metavar="EPS[,DELTA]|rho=RHO", help="What a release may cost.")
    ],
    sensitivity: Annotated[str, typer.Option(help="How far one unit can move the number.")] = "1",
    confidence: Annotated[str, typer.Option(help="How sure the error is.")] = "0.95",
    release: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Release this number, once.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """One mechanism for a budget: its noise, its error, what it promises, and a release if wanted.

    Nothing is charged anywhere: what is spent here is for you to count, with shoal account.
    """
    with refusals():
        made = _MADE_BY[kind].for_budget(
            budget_of(budget), sensitivity=positive(sensitivity, "sensitivity")
        )
        error = Fraction(made.error(confidence))
        told = None if release is None else made.release(_number(release, kind))
        text = write_events(made.event)
        if as_json:
            said = {
                "cost": str(made.cost),
                "error": float_up(error),
                "confidence": confidence,
                "event": text,
            }
            typer.echo(
                json.dumps(
                    {**said, **({} if told is None else {"released": told})},
                    indent=2,
                    default=float,
                )
            )
            return
        rows = [
            ("event", text),
            ("cost", str(made.cost)),
            ("error", f"within {short_up(error)} with confidence {confidence}"),
            ("risk", risk_of(made.cost)),
        ]
        if told is not None:
            rows.append(
                ("released", f"{told:,}" if isinstance(told, int) else short(Fraction(told)))
            )
        answers().print(facts_table(rows))


def _number(text: str, kind: NoiseKind) -> int | float:
    try:
        plain = whole_numeral(text)
        if plain is not None:
            return plain
        if kind not in (NoiseKind.GEOMETRIC, NoiseKind.DISCRETE_GAUSSIAN):
            return float(rational(text, "value"))
    except (ValueError, OverflowError):  # no number, or beyond the largest float
        pass
    raise RangeError(
        f"{kind} cannot release {text[:40]!r}.",
        remedy="Give a number; a whole one for geometric and discrete noise.",
    )
