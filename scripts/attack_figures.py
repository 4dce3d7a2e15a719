"""The pictures and the figures of docs/attacks.md, from one full run of every attack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.auditing.attacks import ATTACKS, AttackOutcome, run
from shoal.auditing.attacks.report import share
from shoal.page import PagePicture

PICTURES = {"attack-averaging": ("averaging", 0), "attack-bayes": ("bayes", 2)}
"""Name of the file -> the attack, and which of its pictures it is."""


def outcomes() -> list[AttackOutcome]:
    """Every attack, in full."""
    return run(list(ATTACKS.values()))


def drawn(found: Sequence[AttackOutcome]) -> dict[str, str]:
    """The pictures as SVG."""
    by_name = {each.attack.name: each for each in found}
    return {name: _pictures(by_name[attack])[at] for name, (attack, at) in PICTURES.items()}


def _pictures(outcome: AttackOutcome) -> list[str]:
    return [part.svg for part in outcome.parts() if isinstance(part, PagePicture)]


def kept(found: Sequence[AttackOutcome]) -> dict[str, dict[str, Any]]:
    """The figures of each attack, with six digits."""
    return {each.attack.name: _figures(each) for each in found}


def _figures(outcome: AttackOutcome) -> dict[str, Any]:
    result = outcome.result
    told = {
        "chance": result.chance,
        "without": result.without.rate,
        "shoal": result.shoal.rate,
        "error": result.shoal.error,
        "ceiling": result.ceiling,
    }
    return {name: float(f"{value:.6g}") for name, value in told.items()}


def table(figures: dict[str, dict[str, Any]]) -> str:
    """The table of docs/attacks.md."""
    head = [
        "| attack | blind guess | without Shoal | with Shoal | standard error | ceiling |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    columns = ("chance", "without", "shoal", "error", "ceiling")
    rows = [
        f"| `{name}` | {' | '.join(share(each[column]) for column in columns)} |"
        for name, each in figures.items()
    ]
    return "\n".join([*head, *rows])
