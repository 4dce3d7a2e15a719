"""Attacks run one after another, and the page that each of them leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.auditing.attacks.attack import EPSILON, Attack, Result
from shoal.exact import short
from shoal.noise.seam import seeded
from shoal.page import Heading, Page, PageTable, Part, Words
from shoal.reproduce import Effort
from shoal.reproduce.number_format import percent

Told = Callable[[Attack, int, int], None]
"""Called before each attack with it, how many are done, and how many there are."""


@dataclass(frozen=True)
class AttackOutcome:
    """What running an attack gave, and how long it took."""

    attack: Attack
    result: Result
    seconds: float

    @property
    def page(self) -> Page:
        """The attack as a page by itself."""
        return Page(self.attack.title, self.parts())

    def parts(self) -> list[Part]:
        """What the page shows below its title."""
        attack, result = self.attack, self.result
        return [
            Words(attack.aim),
            _summary(result),
            *result.parts,
            Words(f"Source: {attack.source}."),
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the page."""
        about = {"name": self.attack.name, "title": self.attack.title}
        return {**about, **self.result.to_dict(), "seconds": round(self.seconds, 2)}


def run(
    attacks: Sequence[Attack],
    *,
    effort: Effort | None = None,
    seed: int | str = 2026,
    told: Told | None = None,
) -> list[AttackOutcome]:
    """Run them, one after another, each from the same seed whichever others are run."""
    outcomes = []
    for done, attack in enumerate(attacks):
        if told is not None:
            told(attack, done, len(attacks))
        began = time.perf_counter()
        with seeded(f"{seed}/attack/{attack.name}"):
            result = attack.run(effort or Effort())
        outcomes.append(AttackOutcome(attack, result, time.perf_counter() - began))
    return outcomes


def report(outcomes: Sequence[AttackOutcome]) -> Page:
    """One page with all of them; of a single one, its own."""
    if len(outcomes) == 1:
        return outcomes[0].page
    parts: list[Part] = [
        Words(
            "Each attack is run twice on made-up people: on what is released without Shoal, and on what Shoal releases when all that the attacker sees may cost "
            f"epsilon {short(EPSILON)}. The ceiling is what the promise allows to anyone, whatever they know and compute."
        ),
        PageTable(
            ["attack", "blind", "without Shoal", "with Shoal", "ceiling"],
            [[each.attack.name, *_figures(each.result)] for each in outcomes],
            frozenset(range(1, 5)),
        ),
    ]
    for each in outcomes:
        parts += [Heading(each.attack.title), *each.parts()]
    return Page("Attacks, with and without Shoal in front", parts)


def _figures(result: Result) -> list[str]:
    rates = [result.chance, result.without.rate, result.shoal.rate, result.ceiling]
    return [share(rate) for rate in rates]


def share(rate: float) -> str:
    """A share in per cent, with two digits if it is very small."""
    return percent(rate) if rate == 0 or rate >= 0.005 else f"{100 * rate:.2g} %"


def _summary(result: Result) -> PageTable:
    said = [
        "a guess that sees nothing",
        "the attack without Shoal",
        f"the attack with Shoal, epsilon {short(EPSILON)}",
        f"ceiling at epsilon {short(EPSILON)}",
    ]
    errors = ["", _error(result.without.error), _error(result.shoal.error), ""]
    rows = zip(said, _figures(result), errors, strict=True)
    return PageTable(
        ["", "right", "standard error"], [list(row) for row in rows], frozenset((1, 2))
    )


def _error(error: float) -> str:
    return percent(error) if error else "none seen"
