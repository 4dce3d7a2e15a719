"""The survey researcher's commands: shoal poll new, list, show, plan, invite, close, reopen,
results, export, answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli import poll_results
from shoal.cli.console import answers, refusals
from shoal.cli.options import AsJson, VaultOption, opened, pair
from shoal.cli.poll_results import Name
from shoal.cli.printed_tables import facts_table, plain_table
from shoal.cli.typed_poll import odds_of, poll_in, poll_of
from shoal.errors import PollError
from shoal.exact import shown_up
from shoal.polls import Need, Poll, PublishedPoll, needs, once_number
from shoal.polls.written_poll import epsilon_text

EXAMPLES = """
For example:

    shoal poll new commute "Have you ever travelled without a ticket?" --epsilon 1

    shoal poll plan commute --margin 0.05 --guess 0.1

    shoal poll answer commute commute=yes

    shoal poll results commute
"""
NEW = """
For example:

    shoal poll new commute "Have you ever travelled without a ticket?" --epsilon 1

    shoal poll new mode "How do you come?" --answers foot,bicycle,bus,train,car --odds 3:1

    shoal poll new hours "How many hours a week?" --range 0:40:1 --unit hours --epsilon 2

    shoal poll new dice "Have you ever travelled without a ticket?" --design "crosswise probability=1/4 harmless='Was your mother born in January, February or March?'" --once invitation

    shoal poll new arms "Have you ever travelled without a ticket?" --arm "phone device epsilon=1 share=3" --arm "dice own crosswise probability=1/4 harmless='Was your mother born in January, February or March?'" --arm "open direct"
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
"""

poll = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    epilog=EXAMPLES,
    help="Ask a sensitive question whose answers are randomised before they are sent.",
)
poll.command("results", epilog=poll_results.RESULTS)(poll_results.results)
poll.command("export", epilog=poll_results.EXPORT)(poll_results.export)


@poll.command("new", epilog=NEW)
def new(
    name: Annotated[str | None, typer.Argument(help="The name; it stands in the address.")] = None,
    question: Annotated[str | None, typer.Argument(help="What is asked.")] = None,
    *,
    vault: VaultOption = None,
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
    epsilon: Annotated[
        str | None, typer.Option(help="What a report may cost who sends it.")
    ] = None,
    odds: Annotated[
        str | None,
        typer.Option(metavar="3:1", help="The same as odds: 3:1 costs ln 3, about 1.1."),
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
    title: Annotated[str, typer.Option(help="What stands above.  [default: the question]")] = "",
    intro: Annotated[str, typer.Option(help="What is said first.")] = "",
    language: Annotated[str, typer.Option(help="The language of the page.")] = "en",
    people: Annotated[int | None, typer.Option(help="How many are planned for.")] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="POLL.TOML", help="Read the whole poll from a file.")
    ] = None,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print it as a file, and publish nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make a poll and publish it; its definition never changes after that."""
    with refusals():
        if file is not None:
            if name is not None or question is not None:
                raise PollError("--file says it all.", remedy="Give the file alone.")
            made = poll_in(file)
        else:
            more = {
                "once": once,
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
        with opened(vault) as held:
            held.publish(made)
        _show_poll(
            made, as_json=as_json, next_="Next: shoal serve; shoal poll answer tries it out."
        )


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
        _show_poll(found.poll, as_json=as_json, next_="")


def _show_poll(found: Poll, *, as_json: bool, next_: str) -> None:
    if as_json:
        typer.echo(found.to_json())
        return
    console = answers()
    console.print(Text(found.title, style="bold"))
    facts = [("poll", found.name), ("once", found.once), ("mark", found.mark)]
    console.print(facts_table(facts))
    for arm in found.arms:
        console.print()
        share = f", {arm.share} of {found.shares}" if len(found.arms) > 1 else ""
        hidden = len(arm.direct) < len(arm.designs)
        price = epsilon_text(arm.hidden_epsilon if hidden else arm.epsilon)
        console.print(Text(f"{arm.name}{share}: epsilon {price}"))
        for design in arm.designs:
            console.print(Text(f"  {design.question}: {design.words}."), soft_wrap=True)
            if design.way != "device":
                console.print(Text(f"    {design.instructions}"), soft_wrap=True)
            if design.law.note and design.way == "own":
                console.print(Text(f"    epsilon is infinite: {design.law.note}", style="yellow"))
        if hidden and arm.hidden_ratio is not None and arm.hides_little:
            words = "  This hides little: a report tells a lot about its sender. An epsilon below 3 hides more."
            console.print(Text(words, style="yellow"), soft_wrap=True)
        if arm.direct:
            words = f"  asked directly, epsilon infinite: {', '.join(arm.direct)}"
            console.print(Text(words, style="yellow"))
    if next_:
        console.print(Text(next_, style="dim"))


@poll.command("plan", epilog=PLAN)
def plan(
    name: Annotated[str | None, typer.Argument(metavar="POLL", help="A poll of the vault.")] = None,
    *,
    vault: VaultOption = None,
    file: Annotated[
        Path | None, typer.Option(metavar="POLL.TOML", help="A poll that is not published.")
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
            raise PollError(
                "one poll is needed.", remedy="Name one of the vault, or give --file POLL.TOML."
            )
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
        list[str], typer.Argument(metavar="QUESTION=ANSWER...", help="Your true answers.")
    ],
    *,
    vault: VaultOption = None,
    invitation: Annotated[str | None, typer.Option(help="The number of an invitation.")] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Count the report, for good; else it is only shown.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answer a poll from here, to try it: chance is drawn on this machine, and the report is shown;
    with --count it is counted, for good.
    """
    with refusals(), opened(vault) as held:
        found = held.poll(name)
        said = dict(pair(each, "an answer", "fare=yes") for each in given)
        _answer(found, said, invitation, count=count, as_json=as_json)


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
