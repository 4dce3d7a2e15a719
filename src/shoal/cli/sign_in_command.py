"""The command that signs in at an office through the organisation, `shoal sign-in`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import Force, fresh, refusals, remarks
from shoal.client.device_sign_in import sign_in as signed_in

SIGN_IN = """
For example:

    shoal sign-in https://office.example.org

    export SHOAL_TOKEN_FILE=$(shoal sign-in https://office.example.org)

It prints the name of a file with a token for a day, which only you can read.
"""


def sign_in(
    address: Annotated[str, typer.Argument(metavar="URL", help="The address of the office.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to keep the token.  [default: in your state]"),
    ] = None,
    force: Force = False,
) -> None:
    """Sign in at an office through your organisation, by a code that you confirm in a browser."""
    with refusals():
        if out is not None:
            fresh(out, force=force)

        def say(words: str) -> None:
            remarks().print(words, soft_wrap=True, markup=False)

        typer.echo(str(signed_in(address, out=out, say=say)))
