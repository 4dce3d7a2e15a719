"""What happened: log, show, report, verify."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from shoal.cli.analyst_commands import data_of
from shoal.cli.console import Exit, Force, answers, fresh, refusals, remarks, say, working, writable
from shoal.cli.options import Analyst, AsJson, VaultOption, only_vault, opened
from shoal.cli.printed_tables import facts_table, plain_table, show_answer
from shoal.errors import ExtraError, RangeError
from shoal.page import Page
from shoal.query.certificate import wrong_with
from shoal.query.stored_answer import Kept
from shoal.vault import Release
from shoal.vault.certificate_check import read_certificate
from shoal.vault.certificate_page import certificate_page, page_for
from shoal.vault.deployment_record import to_fill_in

LOG = """
For example:

    shoal log

    shoal log -n 5 --json
"""
SHOW = """
For example:

    shoal show 1

    shoal show 1 --certificate

    shoal show 1 --out certificate.html

    shoal show 1 --registry
"""
REPORT = """
For example:

    shoal report 1 --out report.html --title "Visits in 2026" --note "Most visits are in Aldam."

    shoal report 1

    shoal report --account visits --out account.html

    shoal report --account visits --registry
"""
VERIFY = """
For example:

    shoal verify

    shoal verify certificate.json
"""


def log(
    *,
    vault: VaultOption = None,
    n: Annotated[int, typer.Option("-n", help="How many of the last releases.")] = 20,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    analyst: Analyst = None,
    as_json: AsJson = False,
) -> None:
    """The releases of a vault, newest last."""
    with refusals(), opened(vault, analyst, only_reads=True, from_afar=True) as held:
        found = held.log(None if everything else max(1, n))
        if as_json:
            typer.echo(json.dumps([each.to_dict() for each in found], indent=2, ensure_ascii=False))
            return
        if not found:
            answers().print("Nothing was released yet.")
            return
        head = ["release", "time (UTC)", "by", "cost", "question"]
        rows = [
            [str(each.number), each.time[5:16].replace("T", " "), each.asked_by, _cost(each)]
            for each in found
        ]
        taken = sum(3 + max(map(len, column)) for column in zip(head[:-1], *rows, strict=True))
        most = max(16, answers().width - taken)
        for row, each in zip(rows, found, strict=True):
            row.append(shorten(" ".join(each.question.split()), most))
        answers().print(plain_table(head, rows, [0]))


def show(
    number: Annotated[
        int,
        typer.Argument(metavar="RELEASE", help="The number of a release; shoal log lists them."),
    ],
    *,
    vault: VaultOption = None,
    certificate: Annotated[
        bool, typer.Option("--certificate", help="Print its certificate as JSON.")
    ] = False,
    registry: Annotated[
        bool,
        typer.Option(
            "--registry", help="Print it as a record of the Deployments Registry, in JSON."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write its certificate as a page: .html or .md.")
    ] = None,
    force: Force = False,
    analyst: Analyst = None,
    as_json: AsJson = False,
) -> None:
    """One release: what was asked, what was answered, and its certificate."""
    with refusals(), opened(vault, analyst, only_reads=True, from_afar=True) as held:
        found = held.show(number)
        if certificate:
            typer.echo(json.dumps(found.certificate, indent=2, ensure_ascii=False))
        elif registry:
            _give_record(found.registry())
        elif out is not None:
            held.check_out(out)
            fresh(out, force=force)
            writable(out).write_text(
                page_for(str(out), certificate_page(found.certificate)), encoding="utf-8"
            )
            remarks().print(f"Wrote {out}.", soft_wrap=True, markup=False)
        elif as_json:
            kept = found.answer
            told = kept if kept is None or "columns" not in kept else data_of(kept, number)
            answer = {} if told is None else {"answer": told}
            typer.echo(json.dumps({**found.to_dict(), **answer}, indent=2, ensure_ascii=False))
        else:
            _show(found)


def report(
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="RELEASE...", help="The numbers of releases; shoal log lists them."),
    ] = None,
    *,
    vault: VaultOption = None,
    account: Annotated[
        str | None,
        typer.Option(metavar="DATASET", help="Report the whole account of a dataset instead."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="An .html or .md file.  [default: print Markdown]")
    ] = None,
    force: Force = False,
    title: Annotated[str | None, typer.Option(help="The title of the page.")] = None,
    heading: Annotated[
        list[str] | None,
        typer.Option(help="Your heading for a release; once for each, in their order."),
    ] = None,
    note: Annotated[
        list[str] | None,
        typer.Option(help="Your sentence on a release; once for each, in their order."),
    ] = None,
    registry: Annotated[
        bool,
        typer.Option(
            "--registry",
            help="With --account: print it as a record of the Deployments Registry, in JSON.",
        ),
    ] = False,
    analyst: Analyst = None,
) -> None:
    """A page for publication: figures with error bars, the method, and where they come from.

    With --account it is a page on everything that was released about a dataset: who spent what and
    when, what it means for one person, and a checklist for privacy officers. A page as .html
    prints to PDF from any browser.
    """
    with refusals():
        if (account is None) == (not numbers) or (registry and account is None):
            raise RangeError(
                "a report is of releases by their numbers, or of one account.",
                remedy="Type shoal report 1 --out report.html, or shoal report --account visits --out account.html.",
            )
        if out is not None:
            writable(out)
            page_for(str(out), Page("x"))
        with opened(vault, analyst, only_reads=True) as held:
            if account is not None and registry:
                _give_record(held.registry(account))
                return
            if out is not None:
                held.check_out(out)
            fresh(out, force=force)

            def made(*, pictures: bool) -> Page:
                if account is not None:
                    return held.account_report(account, title=title, pictures=pictures)
                words = {"headings": heading or [], "notes": note or []}
                return held.report(*(numbers or []), title=title, **words, pictures=pictures)

            page = (
                _drawn(made)
                if out is not None and out.suffix.lower() != ".md"
                else made(pictures=False)
            )
        if out is None:
            typer.echo(page.markdown(), nl=False)
            return
        out.write_text(page_for(str(out), page), encoding="utf-8")
        answers().print(f"Wrote {out}.", soft_wrap=True, markup=False)


def _drawn(made: Callable[..., Page]) -> Page:
    """A page with its pictures; without them where the drawing library is missing."""
    try:
        with working("Drawing"):
            return made(pictures=True)
    except ExtraError as missing:
        said = f"No pictures: {missing.problem} {missing.remedy}"
        remarks().print(said, soft_wrap=True, markup=False)
        return made(pictures=False)


def _give_record(record: Mapping[str, Any]) -> None:
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False))
    missing = to_fill_in(record)
    said = f"For you to fill in ({len(missing)} fields): {', '.join(missing)}"
    remarks().print(said, soft_wrap=True, markup=False)


def verify(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="CERTIFICATE", help="A certificate to check.  [default: check the vault itself]"
        ),
    ] = None,
    *,
    vault: VaultOption = None,
    by_itself: Annotated[
        bool, typer.Option("--by-itself", help="Check a certificate without any vault.")
    ] = False,
    heads: Annotated[
        list[str] | None,
        typer.Option(
            "--head",
            metavar="NUMBER:HASH",
            help="A head that was noted earlier: the vault must still have that entry.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a vault from its first entry to its last, or a certificate by itself or against a
    vault.

    A certificate is checked against the vault that is named or the only one here, and by itself
    where there is none or there are several. Exit code 5 says that something is wrong. What is
    wrong with a vault stops all asking until shoal accept.
    """
    with refusals():
        told = {}
        if file is None:
            with opened(vault, only_reads=True, from_afar=True) as held, working("Verifying"):
                verdict = held.verify(
                    known=heads or [],
                    progress=lambda done, total: say(f"Verifying entry {done:,} of {total:,}"),
                )
            told = {"head": str(verdict.head)}
            wrong, what = list(verdict.findings), f"{verdict}\nhead: {verdict.head}"
        else:
            certificate = read_certificate(file)
            meant = None if by_itself else vault or only_vault()
            if meant is None:
                wrong, against = wrong_with(certificate), "by itself"
            else:
                with opened(meant, only_reads=True) as held:
                    wrong = held.wrong_with(certificate)
                named = "" if "://" in meant else f" {Path(meant).name}"
                against = f"against the vault{named}"
            lines = [f"  - {each}" for each in wrong]
            what = "\n".join(
                [f"{'NOT sound' if wrong else 'sound'}: {file.name}, checked {against}", *lines]
            )
        if as_json:
            typer.echo(json.dumps({"sound": not wrong, "findings": wrong, **told}, indent=2))
        else:
            answers().print(Text(what, style="bold red" if wrong else "green"), soft_wrap=True)
    if wrong:
        raise typer.Exit(int(Exit.UNSOUND))


def _show(release: Release) -> None:
    console = answers()
    facts = [
        ("release", f"{release.number}, {release.state}"),
        ("asked", f"{release.time[:19].replace('T', ' ')} UTC by {release.asked_by}"),
        ("question", release.question),
        ("cost", release.request),
        ("charged to", ", ".join(release.accounts)),
        ("journal", f"entry {release.entry.number}, hash {release.entry.hash}"),
    ]
    console.print(facts_table(facts))
    if release.answer is None:
        return
    console.print()
    if "columns" in release.answer:
        show_answer(console, Kept(release.answer))
    elif "answers" in release.answer:  # a batch
        for each in release.answer["answers"]:
            show_answer(console, Kept(each))
    else:
        # noisy votes behind a suggestion are for its curve; --json has them
        told = {
            name: said
            for name, said in release.answer.items()
            if name not in ("certificate", "votes")
        }
        console.print(facts_table([(name, str(said)) for name, said in told.items()]))


def shorten(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _cost(release: Release) -> str:
    state = "" if release.state == "answered" else f" ({release.state})"
    return f"{release.request}{state}"
