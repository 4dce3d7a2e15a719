"""``shoal account``: what releases cost together."""

from __future__ import annotations

import json
from enum import StrEnum
from errno import ENOTDIR
from pathlib import Path
from typing import Annotated

import typer

from shoal.accounting import OWN, Account
from shoal.accounting import account as add_up
from shoal.cli.account_view import AccountView
from shoal.cli.answer_output import explain, show
from shoal.cli.console import answers, refusals, working
from shoal.cli.typed_events import OtherTool, events_from
from shoal.exact import Number
from shoal.plots.charts import every_curve, profile, renyi_curve, trade_off
from shoal.plots.extra import drawing
from shoal.plots.saving import check_ending, save
from shoal.sensitivity import Relation

DELTA = "1e-6"
"""The delta of the answer when neither delta nor epsilon is given; the answer says so."""


EXAMPLES = """
For example:

    shoal account "laplace scale=10 | x 100 + gaussian sigma=20 | x 50"

    shoal account "gaussian sigma=1 | sampled q=0.01 | x 1000" --plot p.png

    cat events.json | shoal account - --epsilon 2 --json

    shoal account "noise_multiplier=1.1 sample_rate=0.004 steps=14100" --from opacus
"""


class AccountPicture(StrEnum):
    """The pictures of an account."""

    PROFILE = "profile"
    TRADE_OFF = "trade-off"
    RENYI = "renyi"
    ALL = "all"


_DRAWN_BY = {
    AccountPicture.PROFILE: profile,
    AccountPicture.TRADE_OFF: trade_off,
    AccountPicture.RENYI: renyi_curve,
    AccountPicture.ALL: every_curve,
}


def account(
    events: Annotated[
        str,
        typer.Argument(
            metavar="TEXT_OR_FILE",
            help="Compact text, the path of a file of it or of JSON, or - for standard input.",
        ),
    ],
    *,
    delta: Annotated[
        str | None, typer.Option(help=f"Find epsilon at this delta.  [default: {DELTA}]")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="Find delta at this epsilon.")] = None,
    relation: Annotated[
        Relation | None,
        typer.Option(
            help="Who is a neighbour of whom: rows that come and go, or rows that change."
        ),
    ] = None,
    tool: Annotated[
        OtherTool | None,
        typer.Option(
            "--from",
            help="Read what another tool prints: settings of Opacus, an event of dp-accounting.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="Leave out what the number means.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw it, too: a .png, .svg, .html or .json file.", dir_okay=False),
    ] = None,
    curve: Annotated[AccountPicture, typer.Option(help="What to draw.")] = AccountPicture.PROFILE,
) -> None:
    """What releases cost together: epsilon at a delta, in every measure, and which is the one to
    quote.

    Releases are joined by `+`; what is done to one stands behind bars, from left to right.

    * `gaussian sigma=` `laplace scale=` `geometric scale=` `truncated_laplace scale= bound=`
      `discrete_gaussian sigma=` `skellam variance=` `staircase epsilon= gamma=`
    * `correlated_gaussian sigma= coefficients=(1, 1/2) steps=` `tree_aggregation sigma= steps=`
      `mixture_of_gaussians sigma= shifts=(0, 1) weights=(0.9, 0.1)`
    * `rr p=` or `rr epsilon=`, `exponential epsilon= candidates=`, `noisy_max`, `gaussian_noisy_max
      sigma= candidates=`, `permute_and_flip`, `top_k`, `sparse_vector`
    * `pure epsilon=` `approx epsilon= delta=` `zcdp rho=` `gdp mu=` `renyi orders=(2, 4)
      epsilons=(0.1, 0.2)` `profile epsilons=(0.1, 1) deltas=(1e-3, 1e-6)`
    * `| x 1000` `| sampled q=0.01` `| allocated steps=1000` `| sampled_up_to q=0.01 batch=120
      of=10000` `| sampled_without_replacement size=10 of=1000` `| sampled_with_replacement size=10
      of=1000` `| shuffled people=1000` `| answered q=0.3` `| best_of eta=1 gamma=0.01` `| group 3`

    Sensitivity is 1 unless it is given. Numbers are exact: 0.1 is 1/10.
    """
    with refusals():
        if delta is None and epsilon is None:
            delta = DELTA
        if plot is not None:
            _check_place(plot)
            drawing()
        added = add_up(events_from(events, tool), relation=relation or OWN)
        with working("Adding up"):
            answer = AccountView.of(added, delta=delta, epsilon=epsilon)
            meaning = () if brief or as_json else answer.sentences()
        _print(answer, meaning, as_json=as_json)
        if plot is not None:
            _draw(added, answer.comparison.best.delta, plot, curve, quiet=as_json)


def _check_place(plot: Path) -> None:
    """Refuse a picture that could not be written, before anything is computed for it."""
    check_ending(plot)
    if not plot.parent.is_dir():
        raise NotADirectoryError(ENOTDIR, "there is no such folder", str(plot.parent))


def _print(answer: AccountView, meaning: tuple[str, ...], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(answer.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
        return
    console = answers()
    show(answer, console)
    if meaning:
        explain(meaning, console)


def _draw(
    account: Account, delta: Number, plot: Path, curve: AccountPicture, *, quiet: bool
) -> None:
    with working("Drawing"):
        save(_DRAWN_BY[curve](account, delta=delta), plot)
    if not quiet:
        answers().print(f"\nDrawn: {plot}", markup=False, soft_wrap=True)
