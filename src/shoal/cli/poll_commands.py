"""The survey researcher's commands: shoal poll list, show, plan, invite, close, reopen and answer;
those that make and publish a poll, and its results, have files of their own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli import poll_publishing, poll_results
from shoal.cli.console import answers, refusals
from shoal.cli.options import AsJson, VaultOption, opened, pair
from shoal.cli.poll_results import Name
from shoal.cli.poll_view import show_poll
from shoal.cli.printed_tables import facts_table, plain_table
from shoal.cli.typed_poll import poll_in
from shoal.errors import AnsweredError, PollError
from shoal.exact import shown_up
from shoal.polls import Need, Poll, PublishedPoll, needs, once_number, read_replies
from shoal.polls.written_poll import epsilon_text

EXAMPLES = """
For example:

    shoal poll new commute "Have you ever travelled without a ticket?" --odds 3:1

    shoal poll preview commute.toml

    shoal poll publish commute.toml --yes

    shoal poll link commute

    shoal poll plan commute --margin 0.05 --guess 0.1

    shoal poll answer commute commute=yes

    shoal poll results commute
"""
LIST = """
For example:

    shoal poll list
"""
SHOW = """
For example:

    shoal poll show commute

    shoal poll show commute --toml
"""
PLAN = """
For example:

    shoal poll plan commute --margin 0.05 --guess 0.1
"""
INVITE = """
For example:

    shoal poll invite dice 200

    shoal poll invite dice 3 --url https://survey.example.org
"""
CLOSE = """
For example:

    shoal poll close commute
"""
REOPEN = """
For example:

    shoal poll reopen commute
"""
ANSWER = """
For example:

    shoal poll answer commute commute=yes

    shoal poll answer calls --replies calls.csv --count
"""

poll = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    epilog=EXAMPLES,
    help="Ask a sensitive question whose answers are randomised before they are sent.",
)
poll.command("new", epilog=poll_publishing.NEW)(poll_publishing.new)
poll.command("preview", epilog=poll_publishing.PREVIEW)(poll_publishing.preview)
poll.command("publish", epilog=poll_publishing.PUBLISH)(poll_publishing.publish)
poll.command("link", epilog=poll_publishing.LINK)(poll_publishing.link)
poll.command("results", epilog=poll_results.RESULTS)(poll_results.results)
poll.command("export", epilog=poll_results.EXPORT)(poll_results.export)


@poll.command("list", epilog=LIST)
def list_(*, vault: VaultOption = None, as_json: AsJson = False) -> None:
    """List the polls of a vault."""
    with refusals(), opened(vault, only_reads=True) as held:
        rows = [
            {
                "name": each.name,
                "title": each.poll.title,
                "open": each.is_open,
                "people": each.people,
                "epsilon": epsilon_text(each.poll.epsilon),
                "once": each.poll.once,
                "mark": each.poll.mark,
            }
            for each in held.polls.values()
        ]
        if as_json:
            typer.echo(json.dumps(rows))
            return
        cells = [
            [
                str(row["name"]),
                "open" if row["open"] else "closed",
                str(row["people"]),
                str(row["epsilon"]),
                str(row["title"]),
            ]
            for row in rows
        ]
        answers().print(
            plain_table(["poll", "state", "reports", "epsilon", "title"], cells, (2, 3))
        )


@poll.command("show", epilog=SHOW)
def show(
    name: Name,
    *,
    vault: VaultOption = None,
    toml: Annotated[bool, typer.Option("--toml", help="Print it as a file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a poll: what is asked, how, and what the respondents are told."""
    with refusals(), opened(vault, only_reads=True) as held:
        found = held.poll(name)
        if toml:
            typer.echo(found.poll.to_toml(), nl=False)
            return
        show_poll(found.poll, as_json=as_json)


@poll.command("plan", epilog=PLAN)
def plan(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="POLL", help="A poll of the vault, or the file of one that is not published."
        ),
    ] = None,
    *,
    vault: VaultOption = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="POLL.TOML", help="The same, whatever the file is called."),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(help="How far the interval may reach.  [default: 0.05, of a range 5 % of it]"),
    ] = None,
    guess: Annotated[str, typer.Option(help="The expected share.")] = "1/2",
    confidence: Annotated[str, typer.Option(help="How sure.")] = "0.95",
    as_json: AsJson = False,
) -> None:
    """Say how many people a margin needs, for each question and arm."""
    with refusals():
        if (name is None) == (file is None):
            raise PollError("one poll is needed.", remedy="Name one of the vault, or a POLL.TOML.")
        if name is not None and name.endswith(".toml"):  # no name of a poll has a dot
            file = Path(name)
        if file is not None:
            found = poll_in(file)
        else:
            assert name is not None
            with opened(vault) as held:
                found = held.poll(name).poll
        rows = needs(found, margin=margin, guess=guess, confidence=confidence)
        if as_json:
            typer.echo(json.dumps([row.to_dict() for row in rows]))
            return
        cells = [
            [
                row.question,
                row.arm,
                row.epsilon,
                _reach(found, row),
                f"{row.people:,}",
                f"{row.in_all:,}",
            ]
            for row in rows
        ]
        answers().print(
            plain_table(
                ["question", "arm", "epsilon", "margin", "people", "in all"], cells, (2, 3, 4, 5)
            )
        )


def _reach(found: Poll, row: Need) -> str:
    scale = found.question(row.question).scale
    return f"{shown_up(row.margin)} {scale.unit if scale else ''}".strip()


@poll.command("invite", epilog=INVITE)
def invite(
    name: Name,
    people: Annotated[int, typer.Argument(help="How many.")],
    *,
    vault: VaultOption = None,
    url: Annotated[
        str, typer.Option(metavar="URL", help="Where the poll is served; links are printed.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Print new invitations, one a line; they are not kept and cannot be printed again."""
    with refusals(), opened(vault) as held:
        numbers = held.poll(name).invite(people)
        root = url.rstrip("/")
        lines = [f"{root}/p/{name}#{number}" if url else number for number in numbers]
        typer.echo(json.dumps(lines) if as_json else "\n".join(lines))


@poll.command("close", epilog=CLOSE)
def close(name: Name, *, vault: VaultOption = None) -> None:
    """Count no more reports."""
    with refusals(), opened(vault) as held:
        held.poll(name).close()
        answers().print(Text(f"{name} is closed with {held.poll(name).people} reports."))


@poll.command("reopen", epilog=REOPEN)
def reopen(name: Name, *, vault: VaultOption = None) -> None:
    """Count reports again."""
    with refusals(), opened(vault) as held:
        held.poll(name).reopen()
        answers().print(Text(f"{name} is open."))


@poll.command("answer", epilog=ANSWER)
def answer(
    name: Name,
    given: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION=ANSWER...", help="Your true answers.")
    ] = None,
    *,
    vault: VaultOption = None,
    replies: Annotated[
        Path | None,
        typer.Option(
            metavar="CALLS.CSV",
            help="What people said who randomised by themselves: a column 'call', and one for each question.",
        ),
    ] = None,
    invitation: Annotated[str | None, typer.Option(help="The number of an invitation.")] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Count the report, for good; else it is only shown.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answer a poll from here, to try it: chance is drawn on this machine, and the report is shown;
    with --count it is counted, for good.  With --replies, enter what people said in interviews.
    """
    with refusals(), opened(vault) as held:
        found = held.poll(name)
        if replies is not None:
            _enter(found, replies, given, invitation, count=count, as_json=as_json)
            return
        if not given:
            raise PollError(
                "no answer was given.",
                remedy=f"Write shoal poll answer {name} {found.poll.questions[0].name}=ANSWER.",
            )
        said = dict(pair(each, "an answer", "fare=yes") for each in given)
        _answer(found, said, invitation, count=count, as_json=as_json)


def _enter(
    found: PublishedPoll,
    file: Path,
    given: list[str] | None,
    invitation: str | None,
    *,
    count: bool,
    as_json: bool,
) -> None:
    """Enter the replies of a file; all of them are read before the first is counted."""
    if given or invitation:
        raise PollError("--replies says it all.", remedy="Give the file alone.")
    entered = read_replies(found.poll, file.read_text(encoding="utf-8-sig"))
    done = before = 0
    if count:
        for each in entered:
            try:
                found.add(each.report, once=each.once, mark=found.poll.mark)
                done += 1
            except AnsweredError:
                before += 1
    if as_json:
        typer.echo(json.dumps({"calls": len(entered), "counted": done, "before": before}))
        return
    words = f"{len(entered):,} calls read; "
    words += (
        f"{done:,} counted, {before:,} counted before." if count else "none counted: add --count."
    )
    answers().print(Text(words))


def _answer(
    found: PublishedPoll,
    said: dict[str, str],
    invitation: str | None,
    *,
    count: bool,
    as_json: bool,
) -> None:
    client = found.poll.client()
    report = client.rehearse(said)
    if count:
        found.add(report, once=invitation or once_number(), mark=found.poll.mark)
    _, told = found.poll.read(report)
    sent = {
        design.question: design.law.told(each)
        for design, each in zip(client.arm.designs, told, strict=True)
    }
    if as_json:
        typer.echo(
            json.dumps({"arm": client.arm.name, "report": report, "sent": sent, "counted": count})
        )
        return
    rows = [(question, f"{said[question]}; sent: {words}") for question, words in sent.items()]
    answers().print(
        facts_table(
            [
                ("arm", client.arm.name),
                *rows,
                ("report", report),
                ("counted", "yes" if count else "no"),
            ]
        )
    )
