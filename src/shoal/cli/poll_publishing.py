"""From an idea to a poll that people can answer: shoal poll new, preview, publish and link."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli.console import Force, answers, fresh, refusals, writable
from shoal.cli.options import AsJson, VaultOption, opened
from shoal.cli.poll_results import Name
from shoal.cli.poll_view import show_poll
from shoal.cli.typed_poll import odds_of, poll_in, poll_of
from shoal.errors import PollError
from shoal.polls import Poll
from shoal.polls.protocol import AFTER
from shoal.server.extra import check_extra
from shoal.server.qr_code import qr_svg, qr_text, respondent_link

NEW = """
For example:

    shoal poll new commute "Have you ever travelled without a ticket?" --odds 3:1

    shoal poll new mode "How do you come?" --answers foot,bicycle,bus,train,car --odds 3:1

    shoal poll new hours "How many hours a week?" --range 0:40:1 --unit hours --epsilon 2

    shoal poll new dice "Have you ever travelled without a ticket?" --design "crosswise probability=1/4 harmless='Was your mother born in January, February or March?'" --once invitation

    shoal poll new arms "Have you ever travelled without a ticket?" --arm "phone device odds=3:1 share=3" --arm "dice own crosswise probability=1/4 harmless='Was your mother born in January, February or March?'" --arm "open direct"
"""
PREVIEW = """
For example:

    shoal poll preview commute.toml

    shoal poll preview commute.toml --out commute.html
"""
PUBLISH = """
For example:

    shoal poll publish commute.toml --yes
"""
LINK = """
For example:

    shoal poll link commute

    shoal poll link commute --url https://polls.example.org --qr commute.svg

    shoal poll link commute --qr terminal
"""
Draft = Annotated[
    Path, typer.Argument(metavar="POLL.TOML", help="The file of a poll, as poll new writes it.")
]


def new(
    name: Annotated[str, typer.Argument(help="The name; it stands in the address.")],
    question: Annotated[str, typer.Argument(help="What is asked.")],
    *,
    answers_: Annotated[
        str | None,
        typer.Option("--answers", metavar="A,B,C", help="The answers.  [default: no,yes]"),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option("--range", metavar="LO:HI:STEP", help="Ask for a number on a scale."),
    ] = None,
    unit: Annotated[str, typer.Option(help="The unit of the numbers.")] = "",
    bins: Annotated[
        str | None, typer.Option(metavar="A,B", help="Where each interval but the first begins.")
    ] = None,
    odds: Annotated[
        str | None,
        typer.Option(metavar="3:1", help="3:1 sends 3 of 4 answers as they are; epsilon is ln 3."),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="The same as an epsilon: what a report may cost at most.")
    ] = None,
    design: Annotated[
        str | None,
        typer.Option(
            metavar="DESIGN",
            help="subset or kary by the device; warner, coins, forced, unrelated, kuk, crosswise, triangular or mangat by hand, with parameters.",
        ),
    ] = None,
    arm: Annotated[
        list[str] | None,
        typer.Option(
            "--arm", metavar="'NAME WAY ...'", help="One of several ways of asking, by chance."
        ),
    ] = None,
    instructions: Annotated[
        str, typer.Option(help="What to do by hand, in place of the design's own words.")
    ] = "",
    once: Annotated[str, typer.Option(help="browser, or invitation.")] = "browser",
    show_sent: Annotated[
        str, typer.Option(help="When the page shows what is sent: after sending, or before.")
    ] = AFTER,
    title: Annotated[str, typer.Option(help="What stands above.  [default: the question]")] = "",
    intro: Annotated[str, typer.Option(help="What is said first.")] = "",
    language: Annotated[str, typer.Option(help="The language of the page.")] = "en",
    people: Annotated[int | None, typer.Option(help="How many are planned for.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it.  [default: NAME.toml]")
    ] = None,
    force: Force = False,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the file instead of writing it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a poll as a file to read, change and preview; nothing is published yet."""
    with refusals():
        more = {
            "once": once,
            "show_sent": show_sent,
            "title": title,
            "intro": intro,
            "language": language,
            "people": people,
        }
        made = poll_of(
            name,
            question,
            answers=answers_,
            scale=scale,
            unit=unit,
            bins=bins,
            epsilon=epsilon,
            odds=None if odds is None else odds_of(odds),
            design=design,
            instructions=instructions,
            arms=arm or (),
            more=more,
        )
        if toml:
            typer.echo(made.to_toml(), nl=False)
            return
        path = out or Path(f"{made.name}.toml")
        fresh(writable(path), force=force)
        path.write_text(made.to_toml(), encoding="utf-8")
        show_poll(made, as_json=as_json, next_=_next(path))


def _next(path: Path) -> str:
    return f"Wrote {path}. Next: shoal poll preview {path}, then shoal poll publish {path}."


def preview(
    file: Draft,
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE.HTML", help="Write the page itself, to open or send; it sends nothing."
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Show the respondent's page before anything is published."""
    with refusals():
        made = poll_in(file)
        if out is None:
            typer.echo(made.preview(), nl=False)
            return
        check_extra()
        from shoal.server.respondent_page import preview_file  # noqa: PLC0415 - the extra is loaded only here

        fresh(writable(out), force=force)
        out.write_text(preview_file(made), encoding="utf-8")
        answers().print(Text(f"Wrote {out}. Open it in a browser: it sends and counts nothing."))


def publish(
    file: Draft,
    *,
    vault: VaultOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Publish without being asked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Publish a poll: people can answer it, and its definition never changes after that."""
    with refusals():
        made = poll_in(file)
        if not yes:
            _ask(made, file)
        with opened(vault) as held:
            held.publish(made)
        words = f"Published. Next: shoal serve; shoal poll link {made.name}."
        if made.once == "invitation":
            words = f"Published. Next: shoal serve; shoal poll invite {made.name} 100."
        show_poll(made, as_json=as_json, next_=words)


def _somebody_is_here() -> bool:
    return sys.stdin.isatty()


def _ask(made: Poll, file: Path) -> None:
    """Publishing cannot be taken back: whoever sits at a terminal is asked, a script must say so."""
    if not _somebody_is_here():
        raise PollError(
            f"publishing {made.name!r} cannot be taken back, and nobody is here to be asked.",
            remedy=f"Look at it with shoal poll preview {file}, then say shoal poll publish {file} --yes.",
        )
    typer.echo(made.preview(), err=True)
    if not typer.confirm(f"Publish {made.name!r}? It can never be changed after that.", err=True):
        raise PollError("nothing was published.", remedy=f"Change {file}, and look again.")


def link(
    name: Name,
    *,
    vault: VaultOption = None,
    url: Annotated[
        str, typer.Option(metavar="URL", help="Where the poll is served, as respondents see it.")
    ] = "http://127.0.0.1:8000",
    code: Annotated[
        str | None,
        typer.Option("--qr", metavar="FILE.svg|terminal", help="Draw the link as a QR code."),
    ] = None,
    force: Force = False,
) -> None:
    """Print the link that everybody can be given, or draw it as a QR code."""
    with refusals(), opened(vault, only_reads=True) as held:
        address = respondent_link(url, held.poll(name).poll)
        if code == "terminal":
            typer.echo(qr_text(address))
        elif code is not None:
            path = Path(code)
            if path.suffix != ".svg":
                raise PollError(
                    f"a QR code is written as .svg; got {path.name[:40]!r}.",
                    remedy=f"Write --qr {name}.svg, or --qr terminal.",
                )
            held.check_out(writable(path))
            fresh(path, force=force)
            path.write_text(qr_svg(address), encoding="utf-8")
        typer.echo(address)
