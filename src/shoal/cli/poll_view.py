"""A poll on a terminal: what is asked, the odds in words, and the exact epsilon behind them."""

from __future__ import annotations

import typer
from rich.text import Text

from shoal.cli.console import answers
from shoal.cli.printed_tables import facts_table
from shoal.polls import Poll
from shoal.polls.protocol import BEFORE, DEVICE, OWN
from shoal.polls.sayable_odds import epsilon_in_few_digits, in_few_words
from shoal.polls.written_poll import epsilon_text


def show_poll(found: Poll, *, as_json: bool, next_: str = "") -> None:
    """Print a poll, odds first."""
    if as_json:
        typer.echo(found.to_json())
        return
    console = answers()
    console.print(Text(found.title, style="bold"))
    facts = [("poll", found.name), ("answers", f"one per {found.once}"), ("mark", found.mark)]
    if any(each.way == DEVICE for arm in found.arms for each in arm.designs):
        facts.insert(2, ("what is sent is shown", f"{found.show_sent} sending"))
    console.print(facts_table(facts))
    for arm in found.arms:
        console.print()
        share = f", {arm.share} of {found.shares}" if len(found.arms) > 1 else ""
        console.print(Text(f"{arm.name}{share}"))
        for design in arm.designs:
            few = in_few_words(design)
            console.print(Text(f"  {design.question}: {few}."), soft_wrap=True)
            if design.way != DEVICE:
                console.print(Text(f"    {design.instructions}"), soft_wrap=True)
            if design.words.startswith("your true answer") is False:
                console.print(Text(f"    exactly: {design.words}.", style="dim"), soft_wrap=True)
            if design.law.note and design.way == OWN:
                console.print(Text(f"    epsilon is infinite: {design.law.note}", style="yellow"))
        if len(arm.direct) < len(arm.designs):
            exact = f"  {epsilon_in_few_digits(arm)}, at most {epsilon_text(arm.hidden_epsilon)}"
            console.print(
                Text(exact if arm.hidden_ratio is not None else "  epsilon infinite", style="dim")
            )
            if arm.hidden_ratio is not None and arm.hides_little:
                words = "  This hides little: a report tells a lot about its sender. Odds of 19:1 or less hide more."
                console.print(Text(words, style="yellow"), soft_wrap=True)
        if arm.direct:
            words = f"  asked directly, epsilon infinite: {', '.join(arm.direct)}"
            console.print(Text(words, style="yellow"))
    if found.show_sent == BEFORE:
        words = "People see what will be sent before they send it, and can choose their answer by it; no estimate undoes that."
        console.print(Text(words, style="yellow"), soft_wrap=True)
    if next_:
        console.print(Text(next_, style="dim"))
