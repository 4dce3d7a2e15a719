"""One minute of Shoal: a count, a mean, a histogram, a choice and a poll from a generated table.

Run it with ``python -m shoal.demo``; ``--json`` prints the same as data, ``--rows`` sets the
table's size.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal import (
    Exponential,
    Geometric,
    Histogram,
    Laplace,
    Pure,
    RandomizedResponse,
    ShoalError,
    sensitivity,
)
from shoal.exact import shown_up, whole

TOWNS = ["Aldam", "Brook", "Corve", "Dunmere", "Elsing"]
LARGEST_INCOME = 200_000
CONFIDENCE = "0.95"
BAR = 30


@dataclass(frozen=True)
class DemoPopulation:
    """A generated population: nobody in it exists, so the true answers may be shown."""

    age: NDArray[np.int64]
    income: NDArray[np.float64]
    town: NDArray[np.int64]
    smokes: NDArray[np.int64]

    @classmethod
    def generate(cls, rows: int) -> DemoPopulation:
        draw = np.random.default_rng(2026)
        return cls(
            age=draw.integers(0, 100, rows),
            income=np.clip(draw.lognormal(10.4, 0.5, rows), 0, LARGEST_INCOME),
            town=draw.choice(len(TOWNS), rows, p=[0.34, 0.3, 0.2, 0.12, 0.04]),
            smokes=(draw.random(rows) < 0.23).astype(np.int64),
        )


@dataclass(frozen=True)
class DemoRelease:
    """One release: for each thing asked about, what is released and the truth it stands for."""

    question: str
    cost: Pure
    within: float
    released: dict[str, float | str]
    truth: dict[str, float | str]


def count(table: DemoPopulation) -> DemoRelease:
    mechanism = Geometric.for_epsilon("0.5", sensitivity=sensitivity.count("change"))
    older = int((table.age >= 65).sum())
    return DemoRelease(
        "How many are 65 or older?",
        mechanism.cost,
        mechanism.error(CONFIDENCE),
        {"people": mechanism.release(older)},
        {"people": older},
    )


def mean(table: DemoPopulation) -> DemoRelease:
    moved = sensitivity.bounded_mean(
        low=0, high=LARGEST_INCOME, size=len(table.income), relation="change"
    )
    mechanism = Laplace.for_epsilon("0.5", sensitivity=moved)
    income = float(table.income.mean())
    return DemoRelease(
        "What is the mean income?",
        mechanism.cost,
        mechanism.error(CONFIDENCE),
        {"a year": mechanism.release(income)},
        {"a year": income},
    )


def histogram(table: DemoPopulation) -> DemoRelease:
    mechanism = Histogram.for_epsilon("0.5", relation="change")
    tally = np.bincount(table.town, minlength=len(TOWNS))
    noisy = mechanism.release_counts(tally)
    return DemoRelease(
        "How many live in each town?",
        mechanism.cost,
        mechanism.error(CONFIDENCE, cells=len(TOWNS)),
        dict(zip(TOWNS, noisy.tolist(), strict=True)),
        dict(zip(TOWNS, tally.tolist(), strict=True)),
    )


def choice(table: DemoPopulation) -> DemoRelease:
    mechanism = Exponential(epsilon="0.5", sensitivity=1)
    children = np.bincount(table.town[table.age < 18], minlength=len(TOWNS))
    return DemoRelease(
        "Which town has the most children?",
        mechanism.cost,
        mechanism.error(CONFIDENCE, candidates=len(TOWNS)),
        {"town": str(mechanism.release(children, candidates=TOWNS))},
        {"town": TOWNS[int(children.argmax())]},
    )


def poll(table: DemoPopulation) -> DemoRelease:
    coins = RandomizedResponse.coins()
    estimate = coins.estimate(coins.release(table.smokes))
    return DemoRelease(
        "Who smokes?",
        coins.cost,
        100 * coins.error(CONFIDENCE, answers=len(table.smokes)),
        {"per cent": 100 * estimate.frequencies[1]},
        {"per cent": 100 * float(table.smokes.mean())},
    )


def show(table: DemoPopulation, answers: Sequence[DemoRelease]) -> str:
    """The tour as text."""
    lines = [
        f"Shoal answers five questions about a generated table of {len(table.age):,} people.",
        'Protected: everything in the row of any one person (relation "change").',
        "Nobody in the table exists, so the truth can stand beside what is released.",
    ]
    for answer in answers:
        lines += ["", f"{answer.question}  [{answer.cost}]"]
        longest = max((_size(value) for value in answer.truth.values()), default=0)
        for what, released in answer.released.items():
            bar = _bar(released, longest) if len(answer.released) > 1 else ""
            lines.append(
                f"  {what:<9}{_shown(released):>12}  {_range(answer):<18}"
                f"truth {_shown(answer.truth[what]):>10}  {bar}".rstrip()
            )
    spent = sum((answer.cost.epsilon for answer in answers[:-1]), Fraction(0))
    lines += [
        "",
        f"The first four cost the table {Pure(spent)} together: an exact sum.  The poll costs each person",
        f"ln 3, {answers[-1].cost}, and trusts nobody: answers are randomised before they are sent.",
        f"Ranges hold with {float(CONFIDENCE):.0%} probability and were known before anything was asked.",
        'What many releases cost together: shoal account "laplace scale=10 | x 100 + gaussian sigma=20"',
    ]
    return "\n".join(lines)


def _range(answer: DemoRelease) -> str:
    if isinstance(next(iter(answer.truth.values())), str):
        return f"within {shown_up(answer.within, digits=3)}"
    return f"± {shown_up(answer.within, digits=3)}"


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _size(value: float | str) -> float:
    return 0 if isinstance(value, str) else abs(value)


def _bar(value: float | str, longest: float) -> str:
    return "█" * round(BAR * max(0.0, _size(value)) / longest) if longest else ""


def as_data(answers: Sequence[DemoRelease]) -> str:
    """The tour as JSON."""
    return json.dumps(
        [
            {
                "question": answer.question,
                "epsilon": float(answer.cost.epsilon),
                "within": answer.within,
                "confidence": float(CONFIDENCE),
                "released": answer.released,
                "truth": answer.truth,
            }
            for answer in answers
        ],
        indent=2,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m shoal.demo",
        description="Answer five questions about a generated table, with error bars and costs.",
        epilog="example: python -m shoal.demo --rows 1000 --json",
    )
    parser.add_argument("--rows", default="10000", help="people in the table (default 10000)")
    parser.add_argument("--json", action="store_true", help="print data instead of text")
    chosen = parser.parse_args(arguments)
    try:
        rows = whole(chosen.rows, "rows", at_least=1)
    except ShoalError as refusal:
        parser.error(refusal.problem)
    table = DemoPopulation.generate(rows)
    answers = [ask(table) for ask in (count, mean, histogram, choice, poll)]
    print(as_data(answers) if chosen.json else show(table, answers))  # noqa: T201 - its purpose


if __name__ == "__main__":
    main()
