"""One audit of the suite: what is audited, on which neighbours, and what of Shoal it covers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.auditing.bound_texts import text_above, text_near
from shoal.auditing.judge import EpsilonVerdict, audit
from shoal.auditing.output_samples import claim_of
from shoal.errors import InternalError
from shoal.measures import Measure
from shoal.page import Heading, Page, PageTable, Part, Words

LEAST = 200
"""A quick run draws a tenth of the samples, and not fewer than this."""

Told = Callable[[str, int, int], None]
"""Called before each case with its name, how many are done, and how many there are."""


@dataclass(frozen=True)
class Case:
    """A mechanism with its own claim, or a function with a stated one, on two neighbours."""

    name: str
    covers: tuple[str, ...]
    """The public names that are audited by it."""
    make: Callable[[], Any]
    """Makes the mechanism."""
    d0: Any
    d1: Any
    act: Callable[[Any, Any], Any] | None = None
    """One output of the mechanism on a dataset, where that is not ``mechanism.release(dataset)``.
    """
    many: Callable[[Any, Any, int], Any] | None = None
    """Many outputs at once."""
    claim: Callable[[Any], Measure] | None = None
    """The claim, where it is not the mechanism's own cost."""
    samples: int = 20_000
    repeatable: bool = True
    """Whether its draws may come from a seed; what is charged to a budget must be secret."""

    def run(
        self, *, quick: bool = False, confidence: Any = "0.99", seed: Any = None
    ) -> EpsilonVerdict:
        """Audit it."""
        made = self.make()
        claim = claim_of(made) if self.claim is None else self.claim(made)
        if claim is None:
            raise InternalError(f"the case {self.name} has no claim.", remedy="Please report it.")
        subject: Any = made
        if self.many is not None:
            many = self.many
            subject = lambda data, wanted: many(made, data, wanted)  # noqa: E731 - a function of two arguments, no more
        elif self.act is not None:
            act = self.act
            subject = lambda data: act(made, data)  # noqa: E731 - a function of one argument, no more
        samples = max(min(LEAST, self.samples), self.samples // 10) if quick else self.samples
        return audit(
            subject,
            self.d0,
            self.d1,
            claim=claim,
            samples=samples,
            batch=self.many is not None,
            confidence=confidence,
            seed=seed if self.repeatable else None,
        )


@dataclass(frozen=True)
class CaseOutcome:
    """A case, what its audit found, and how long it took."""

    case: Case
    verdict: EpsilonVerdict
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.case.name,
            "covers": list(self.case.covers),
            **self.verdict.to_dict(),
            "seconds": round(self.seconds, 2),
        }


def run_cases(
    cases: Sequence[Case],
    *,
    quick: bool = False,
    risk: float = 0.01,
    seed: int | str | None = None,
    told: Told | None = None,
) -> list[CaseOutcome]:
    """Audit one after another; if all claims hold, any at all is refuted with probability at most
    ``risk``: each has its share.
    """
    outcomes = []
    for done, case in enumerate(cases):
        if told is not None:
            told(case.name, done, len(cases))
        began = time.perf_counter()
        own = None if seed is None else f"{seed}/{case.name}"
        verdict = case.run(quick=quick, confidence=1 - risk / len(cases), seed=own)
        outcomes.append(CaseOutcome(case, verdict, time.perf_counter() - began))
    return outcomes


def suite_page(outcomes: Sequence[CaseOutcome]) -> Page:
    """One page about all of them."""
    refuted = [each for each in outcomes if each.verdict.refuted]
    parts: list[Part] = [
        Words(
            f"{len(outcomes)} audits, each with its own claim on two neighbours that nearly exhaust it. {len(refuted)} refuted. "
            "If all claims hold, a page with any refutation at all has probability at most 0.01."
        ),
        PageTable(
            ["audit", "claim", "proven at least", "claimed", "samples", "seconds", "verdict"],
            [_row(each) for each in outcomes],
            frozenset((2, 3, 4, 5)),
        ),
    ]
    for each in refuted:
        parts += [Heading(each.case.name), *each.verdict.parts()]
    return Page("Every mechanism and question, audited", parts)


def _row(outcome: CaseOutcome) -> list[str]:
    verdict = outcome.verdict
    samples = dict(verdict.figures)["samples on d0"]
    return [
        outcome.case.name,
        verdict.claim,
        text_above(verdict.lower, verdict.claimed),
        text_near(verdict.claimed),
        f"{samples}",
        f"{outcome.seconds:.1f}",
        verdict.verdict,
    ]
