"""The people of a vault: people, token, requests, gallery."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli.console import answers, refusals, remarks
from shoal.cli.options import AsJson, Epsilon, Rho, Sql, VaultOption, opened
from shoal.cli.printed_tables import plain_table, show_answer, shown
from shoal.measures import budget_of
from shoal.server.address import public_origin, sign_in_link
from shoal.vault.people.approval_request import ApprovalRequest
from shoal.vault.people.rights import GIVEN, RIGHTS

PEOPLE = """
For example:

    shoal people add ana --role analyst --dataset visits --allowance 1

    shoal people add olga --role owner

    shoal people

    shoal people remove ana
"""
MAKE = """
For example:

    shoal token ana --days 90

    shoal token ana --days 7 --read-only

    shoal token ana --link https://office.example.org

    shoal token --revoke 665cd761f734
"""
REQUESTS = """
For example:

    shoal requests

    shoal requests ask "SELECT COUNT(*) AS n FROM visits" --epsilon 2 --purpose "Yearly report" --as ana

    shoal requests approve 1 --by stu --word "Once a year is fine."

    shoal requests release 1 --as ana
"""
GALLERY = """
For example:

    shoal gallery add 3 --title "Visits in 2026"

    shoal gallery

    shoal gallery remove 3
"""
Role = Annotated[str | None, typer.Option("--role", help=f"One of {', '.join(GIVEN)}.")]
OfDataset = Annotated[
    str | None, typer.Option("--dataset", help="For this dataset.  [default: the whole vault]")
]
Word = Annotated[str, typer.Option("--word", help="A word to whoever asked.")]
By = Annotated[str, typer.Option("--by", metavar="PERSON", help="Who decides.")]
Number = Annotated[int, typer.Argument(metavar="REQUEST", help="The number of a request.")]
ReleaseNumber = Annotated[
    int, typer.Argument(metavar="RELEASE", help="The number of a release; shoal log lists them.")
]

people = typer.Typer(help="Who may do what through a server.", epilog=PEOPLE)
requests = typer.Typer(
    help="Releases that analysts request beyond their allowance.", epilog=REQUESTS
)
gallery = typer.Typer(help="Releases that everybody may see.", epilog=GALLERY)


@people.callback(invoke_without_command=True)
def list_people(
    context: typer.Context,
    *,
    vault: VaultOption = None,
    roles: Annotated[bool, typer.Option("--roles", help="What each role may do.")] = False,
    as_json: AsJson = False,
) -> None:
    """Who may do what through a server, and their tokens."""
    if context.invoked_subcommand is not None:
        return
    console = answers()
    if roles:
        rows = [(role, ", ".join(sorted(rights))) for role, rights in RIGHTS.items()]
        console.print(plain_table(["role", "may"], rows))
        return
    with refusals(), opened(vault, only_reads=True) as held:
        found, tokens = list(held.people), held.people.tokens
        if as_json:
            told = {
                "people": [each.to_dict() for each in found],
                "tokens": [each.to_dict() for each in tokens],
            }
            typer.echo(json.dumps(told, indent=2))
            return
        if not found:
            console.print("Nobody yet. Add somebody: shoal people add olga --role owner")
            return
        listed = [(each.name, ", ".join(map(str, each.roles))) for each in found]
        console.print(plain_table(["person", "roles"], listed))
        now = datetime.now(UTC)
        valid = [each for each in tokens if each.may_be_in_use(now)]
        if valid:
            made = [
                (each.name, each.person, each.expires[:10], each.used or "never") for each in valid
            ]
            console.print(plain_table(["token", "person", "expires", "last used"], made))


@people.command(epilog=PEOPLE)
def add(
    name: Annotated[str, typer.Argument(help="Who.")],
    *,
    role: Annotated[str, typer.Option("--role", help=f"One of {', '.join(GIVEN)}.")],
    dataset: OfDataset = None,
    allowance: Annotated[
        str | None,
        typer.Option(metavar="EPS[,DELTA]|rho=RHO", help="How much an analyst may spend on it."),
    ] = None,
    vault: VaultOption = None,
) -> None:
    """Give somebody a role."""
    with refusals(), opened(vault) as held:
        given = None if allowance is None else budget_of(allowance)
        made = held.people.add(name, role=role, dataset=dataset, allowance=given)
        answers().print(str(made), markup=False)


@people.command(epilog=PEOPLE)
def link(
    name: Annotated[str, typer.Argument(help="Who.")],
    *,
    issuer: Annotated[str, typer.Option(metavar="URL", help="The provider, as it calls itself.")],
    subject: Annotated[str, typer.Option(help="The number that the provider has for them.")],
    vault: VaultOption = None,
) -> None:
    """Tie a person here to their account at the organisation's sign-in."""
    with refusals(), opened(vault) as held:
        held.people.link(name, issuer=issuer, subject=subject)
        answers().print(f"{name} signs in as {subject} of {issuer}.", markup=False)


@people.command(epilog=PEOPLE)
def remove(
    name: Annotated[str, typer.Argument(help="Who.")],
    *,
    role: Role = None,
    dataset: OfDataset = None,
    vault: VaultOption = None,
) -> None:
    """Take roles away; whoever has none left is gone, and their tokens are revoked."""
    with refusals(), opened(vault) as held:
        held.people.remove(name, role=role, dataset=dataset)
        left = next((each for each in held.people if each.name == name), None)
        answers().print(str(left) if left else f"{name} has no role any more.", markup=False)


def token(
    name: Annotated[str | None, typer.Argument(help="The person who gets the token.")] = None,
    *,
    vault: VaultOption = None,
    days: Annotated[int, typer.Option(min=1, help="How long it is good for.")] = 90,
    dataset: Annotated[
        list[str] | None,
        typer.Option("--dataset", help="Only for this dataset; may be repeated.  [default: all]"),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="It spends and changes nothing.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="For one sign-in in a browser.")] = False,
    link: Annotated[
        str | None,
        typer.Option(
            "--link",
            metavar="URL",
            help="A link for one sign-in in a browser within a day, at the server with this address.",
        ),
    ] = None,
    revoke: Annotated[
        str | None,
        typer.Option("--revoke", metavar="TOKEN", help="End a token, by its twelve digits."),
    ] = None,
) -> None:
    """Make a token for somebody, which is printed once, or end one."""
    with refusals(), opened(vault) as held:
        if revoke is not None:
            ended = held.people.revoke(revoke)
            answers().print(f"Revoked: {ended.name} of {ended.person}.", markup=False)
            return
        if name is None:
            raise typer.BadParameter("say for whom: shoal token ana --days 90.")
        origin = None if link is None else public_origin(link)
        made = held.people.token(
            name,
            days=days if origin is None else 1,
            datasets=dataset or (),
            read_only=read_only,
            once=once or origin is not None,
        )
        if origin is not None:
            typer.echo(sign_in_link(origin, made))
            remarks().print("It works once, within a day. Give it to them on a safe way.")
            return
        typer.echo(made)
        remarks().print(
            "Shown once, and kept nowhere. Give it to them on a safe way; they set SHOAL_TOKEN to it.",
            soft_wrap=True,
        )


@requests.callback(invoke_without_command=True)
def list_requests(
    context: typer.Context, *, vault: VaultOption = None, as_json: AsJson = False
) -> None:
    """What analysts request, oldest first."""
    if context.invoked_subcommand is not None:
        return
    with refusals(), opened(vault, only_reads=True) as held:
        found = list(held.requests)
        if as_json:
            typer.echo(json.dumps([each.to_dict() for each in found], indent=2, ensure_ascii=False))
            return
        rows = [
            (str(each.number), each.state, each.by, each.price, " ".join(each.question.split()))
            for each in found
        ]
        console = answers()
        console.print(
            plain_table(["request", "state", "by", "cost", "question"], rows, [0])
            if rows
            else "No requests yet."
        )


@requests.command(epilog=REQUESTS)
def ask(
    sql: Sql,
    *,
    purpose: Annotated[str, typer.Option(help="What the answer is for.")],
    analyst: Annotated[str, typer.Option("--as", metavar="ANALYST", help="Who asks.")],
    epsilon: Epsilon = None,
    rho: Rho = None,
    vault: VaultOption = None,
) -> None:
    """Request a release beyond an allowance; nothing is spent."""
    with refusals(), opened(vault, analyst) as held:
        _say(held.requests.ask(sql, purpose=purpose, epsilon=epsilon, rho=rho))


@requests.command(epilog=REQUESTS)
def approve(number: Number, *, by: By, word: Word = "", vault: VaultOption = None) -> None:
    """Approve a request: its asker may release it once, from the budget of the dataset."""
    with refusals(), opened(vault) as held:
        _say(held.requests_for(by).approve(number, word))


@requests.command(epilog=REQUESTS)
def deny(number: Number, *, by: By, word: Word = "", vault: VaultOption = None) -> None:
    """Deny a request."""
    with refusals(), opened(vault) as held:
        _say(held.requests_for(by).deny(number, word))


@requests.command(epilog=REQUESTS)
def release(
    number: Number,
    *,
    analyst: Annotated[str, typer.Option("--as", metavar="ANALYST", help="Who asked.")],
    vault: VaultOption = None,
) -> None:
    """Release what was approved."""
    with refusals(), opened(vault, analyst) as held:
        show_answer(answers(), held.requests.release(number))


def _say(request: ApprovalRequest) -> None:
    console = answers()
    console.print(
        Text(f"Request {request.number} is {request.state}: {request.price}.", style="bold")
    )
    risk = [f"For one person, by itself: {request.risk}"] if request.risk else []
    for each in (*risk, *request.expected, f"Purpose: {request.purpose}"):
        console.print(shown(each), markup=False, soft_wrap=True)


@gallery.callback(invoke_without_command=True)
def list_gallery(context: typer.Context, *, vault: VaultOption = None) -> None:
    """Releases that everybody may see."""
    if context.invoked_subcommand is not None:
        return
    with refusals(), opened(vault, only_reads=True) as held:
        rows = [(str(each), held.gallery.title(each)) for each in held.gallery]
        answers().print(plain_table(["release", "title"], rows, [0]) if rows else "Nothing yet.")


@gallery.command("add", epilog=GALLERY)
def publish(
    number: ReleaseNumber,
    *,
    title: Annotated[str, typer.Option(help="What readers see above it.")] = "",
    vault: VaultOption = None,
) -> None:
    """Let everybody see a release; it costs nothing."""
    with refusals(), opened(vault) as held:
        held.gallery.add(number, title=title)
        answers().print(f"Release {number} is public.")


@gallery.command("remove", epilog=GALLERY)
def withdraw(number: ReleaseNumber, *, vault: VaultOption = None) -> None:
    """Publish a release no longer."""
    with refusals(), opened(vault) as held:
        held.gallery.remove(number)
        answers().print(f"Release {number} is not public.")
