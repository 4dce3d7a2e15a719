"""``shoal audit exact``: a table of chances against a claim, without samples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.auditing.exact import judge, read_table
from shoal.cli.audit import Out, RenyiClaim, audit, claim_of, finish, page_path
from shoal.cli.console import Force, refusals
from shoal.cli.options import AsJson

EXACT = """
For example:

    shoal audit exact coins.json --epsilon 1

    shoal audit exact coins.json --epsilon 1 --delta 0.1 --out page.html

    shoal audit exact coins.json --rho 0.5 --json

The file has the chance of every output under every dataset, as fractions, decimals or [low, high]: {"laws": {"yes": {"told yes": "3/4", "told no": "1/4"}, "no": {"told yes": "1/4", "told no": "3/4"}}}.
With "pairs": [["yes", "no"]] only those are neighbours. Exit codes: 0 not refuted, 2 wrong use, 5 refuted.
"""


@audit.command("exact", epilog=EXACT)
def exact(
    table: Annotated[Path, typer.Argument(help="A JSON file with the chances of all outputs.")],
    *,
    epsilon: Annotated[str | None, typer.Option(help="The claim: epsilon.")] = None,
    delta: Annotated[str | None, typer.Option(help="The claim: delta, beside epsilon.")] = None,
    rho: Annotated[str | None, typer.Option(help="The claim: rho, zero-concentrated.")] = None,
    mu: Annotated[str | None, typer.Option(help="The claim: mu, Gaussian.")] = None,
    renyi: RenyiClaim = None,
    out: Out = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Check a table of chances: its worst-case epsilon, delta profile and Rényi curve, exactly,
    against a claim.
    """
    with refusals():
        claim = claim_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu, renyi=renyi)
        page_path(out, force=force)
        finish([judge(read_table(table), claim)], out, as_json=as_json)
