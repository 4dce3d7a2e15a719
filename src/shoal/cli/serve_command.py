"""The command that hosts polls: `shoal serve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from shoal.cli.console import answers, refusals
from shoal.cli.options import VaultOption, opened
from shoal.server.address import Address
from shoal.server.extra import check_extra

if TYPE_CHECKING:
    from shoal.server.door import Door

SERVE = """
For example:

    shoal serve

    shoal serve --port 9000 --vault office.shoal

    shoal serve --public https://polls.example.org

The first line it prints is a link with a key, for the researcher alone. Respondents get links without it. Stop it with Ctrl-C; nothing is lost.
"""


def serve(
    *,
    vault: VaultOption = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 8000,
    public: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The https:// address that respondents see, where a reverse proxy with TLS stands in front.",
        ),
    ] = None,
    behind_tls: Annotated[
        bool,
        typer.Option(
            "--behind-tls",
            help="Listen for other machines, too: a proxy with TLS stands between them and this one.",
        ),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A further host that requests may name, beside those of --host and --public; may be repeated.",
        ),
    ] = None,
) -> None:
    """Host the polls of a vault: pages that randomise in the respondent's browser, and yours to
    design and look.

    It listens to this machine only, unless told otherwise, and writes down no address, time or
    browser of anyone.
    """
    with refusals():
        also = allow_host or ()
        Address.of(host, port, public=public, behind_tls=behind_tls, also=also)
        check_extra()
        from shoal.server.door import Door  # noqa: PLC0415 - the extra is loaded only here
        from shoal.server.server_process import listening, server_of  # noqa: PLC0415 - as above

        with opened(vault) as held, listening(host, port) as place:
            found = place.getsockname()[1]
            door = Door(Address.of(host, found, public=public, behind_tls=behind_tls, also=also))
            server = server_of(held, door)
            with server.capture_signals():  # whoever reads the link may stop it at once
                _say(door)
                server.run(sockets=[place])
            answers().print("Stopped; everything that was counted is kept.")


def _say(door: Door) -> None:
    console = answers()
    console.print(Text.assemble("For you, and nobody else: ", (door.link, "bold")), soft_wrap=True)
    words = f"For respondents: {door.address.origin}/p/NAME. Stop with Ctrl-C."
    console.print(words, soft_wrap=True, markup=False)
