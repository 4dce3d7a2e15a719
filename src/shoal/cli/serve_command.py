"""The command that hosts a vault: its office and its polls, `shoal serve`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from shoal.cli.console import answers, refusals
from shoal.cli.options import VaultOption, opened
from shoal.errors import SchemaError
from shoal.server.address import CONSOLE, Address
from shoal.server.extra import check_extra, check_sign_in
from shoal.vault.sources.data_folder import DataFolder

if TYPE_CHECKING:
    from shoal.server.access_check import Door
    from shoal.server.sign_in.arriving import SignIn
    from shoal.vault import Vault

SERVE = """
For example:

    shoal serve

    shoal serve --port 9000 --vault office.shoal

    shoal serve --public https://polls.example.org

    shoal serve --access-log access.jsonl --rate 20

    shoal serve --data data

People with tokens (shoal token) use http://127.0.0.1:8000/api/v1, by shoal.connect in Python. The first line it prints is a link with a key, for the researcher alone. Respondents get links without it. Stop it with Ctrl-C; nothing is lost.
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
    tls_certificate: Annotated[
        str | None, typer.Option(metavar="FILE", help="A certificate, to speak TLS itself.")
    ] = None,
    tls_key: Annotated[
        str | None, typer.Option(metavar="FILE", help="The private key of the certificate.")
    ] = None,
    rate: Annotated[
        float,
        typer.Option(min=0, help="Requests a second that one token may send; 0 for no limit."),
    ] = 50,
    pad: Annotated[
        bool,
        typer.Option(
            "--pad/--no-pad",
            help="Hold releases back to public moments, so that their time tells nothing of rows.",
        ),
    ] = True,
    sign_in: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="How people sign in beside tokens: the organisation's OpenID Connect, or a proxy in front.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Let owners register files below this folder, and see what declarations cut off.",
        ),
    ] = None,
    access_log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write who asked what, as hashes, and for how much: a line for each request to the office.",
        ),
    ] = None,
) -> None:
    """Host a vault: its office for people with tokens, and its polls, with pages that randomise in
    the respondent's browser.

    It listens to this machine only, unless told otherwise, and writes down no address, time or
    browser of anyone.
    """
    with refusals():
        also = allow_host or ()
        tls = _tls(tls_certificate, tls_key)

        def address(at: int) -> Address:
            return Address.of(
                host, at, public=public, behind_tls=behind_tls, tls=tls is not None, also=also
            )

        address(port)
        folder = None if data is None else DataFolder.at(data)
        check_extra()
        from shoal.server.access_check import Door  # noqa: PLC0415 - the extra is loaded only here
        from shoal.server.office.access_log import write_to  # noqa: PLC0415 - as above
        from shoal.server.office.office_state import OfficeHost  # noqa: PLC0415 - as above
        from shoal.server.office.request_limits import RequestLimits  # noqa: PLC0415 - as above
        from shoal.server.office.work import ReleaseWork  # noqa: PLC0415 - as above
        from shoal.server.server_process import listening, server_of  # noqa: PLC0415 - as above

        if access_log is not None:
            write_to(access_log)

        with opened(vault) as held, listening(host, port) as place:
            found = place.getsockname()[1]
            door = Door(address(found))
            limits, work = RequestLimits(rate, 2 * rate), ReleaseWork(pad=pad)
            ways = None if sign_in is None else _ways(held, sign_in)
            office = OfficeHost(held, door, limits, work, ways, folder)
            server = server_of(held, door, office, tls)
            with server.capture_signals():  # whoever reads the link may stop it at once
                _say(door)
                server.run(sockets=[place])
                if not work.finish(lambda: server.force_exit):
                    answers().print("Stopped; releases under way stay charged, without an answer.")
                    os._exit(1)  # their threads would keep it here; the journal bears any end
            answers().print("Stopped; everything that was counted is kept.")


def _ways(vault: Vault, path: Path) -> SignIn:
    check_sign_in()
    from shoal.server.sign_in.arriving import SignIn  # noqa: PLC0415 - the extra is loaded only here
    from shoal.server.sign_in.sign_in_settings import read_settings  # noqa: PLC0415 - as above

    return SignIn(vault, read_settings(path, vault))


def _tls(certificate: str | None, key: str | None) -> tuple[str, str] | None:
    if (certificate is None) != (key is None):
        raise SchemaError(
            "TLS needs a certificate and its private key.",
            remedy="Give both: --tls-certificate office.pem --tls-key office.key.",
        )
    return None if certificate is None or key is None else (certificate, key)


def _say(door: Door) -> None:
    console = answers()
    console.print(Text.assemble("For you, and nobody else: ", (door.link, "bold")), soft_wrap=True)
    words = f"For people with a token: {door.address.origin}{CONSOLE} in a browser, and /api/v1 for programs."
    console.print(words, soft_wrap=True, markup=False)
    words = f"For respondents: {door.address.origin}/p/NAME. Stop with Ctrl-C."
    console.print(words, soft_wrap=True, markup=False)
