"""The outcomes as a table for people, and as JSON for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from scripts.mutations.running import Judged, Outcome


def score(judged: Sequence[Judged]) -> dict[str, int]:
    """How many mutations there were of each outcome."""
    found = Counter(each.outcome for each in judged)
    return {str(outcome): found[outcome] for outcome in Outcome}


def as_json(judged: Sequence[Judged]) -> str:
    """All outcomes and their numbers."""
    return json.dumps(
        {"score": score(judged), "mutations": [each.to_dict() for each in judged]}, indent=2
    )


def print_report(console: Console, judged: Sequence[Judged]) -> None:
    """How many were killed in each folder, then every mutation that was not."""
    table = Table("folder", "mutations", "killed", box=None, pad_edge=False)
    folders = dict.fromkeys(_folder(each) for each in judged)
    for folder in folders:
        inside = [each for each in judged if _folder(each) == folder]
        killed = sum(each.outcome is Outcome.KILLED for each in inside)
        table.add_row(folder, str(len(inside)), str(killed))
    killed = sum(each.outcome is Outcome.KILLED for each in judged)
    table.add_row("all", str(len(judged)), str(killed))
    console.print(table)
    for each in judged:
        if each.outcome is not Outcome.KILLED:
            words = (
                f"{each.outcome}: {each.mutation.name} ({each.mutation.file}): {each.mutation.harm}"
            )
            console.print(words, markup=False, soft_wrap=True)
            if each.said:
                console.print(each.said, markup=False, soft_wrap=True)


def _folder(judged: Judged) -> str:
    parts = judged.mutation.file.split("/")
    return f"{parts[2]}/" if len(parts) > 3 else parts[-1]
