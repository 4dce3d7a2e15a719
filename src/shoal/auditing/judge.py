"""`audit`: is a claim of privacy refuted by what a mechanism does on two neighbouring datasets?"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from shoal.auditing.bound_texts import text_above, text_near
from shoal.auditing.claimed_curves import ClaimedCurve, Promise, claims_of, read_claim
from shoal.auditing.event_search import Judge, Proposal, fixed, search
from shoal.auditing.histogram_data import HistogramData, seen_in
from shoal.auditing.intervals import METHODS, Counts, p_value_up, strength_down
from shoal.auditing.output_events import OutputEvent, read_event
from shoal.auditing.output_samples import Failing, Progress, claim_of, sample_both
from shoal.auditing.outputs import Outputs, alike, read_outputs
from shoal.auditing.verdict import Verdict
from shoal.errors import RangeError
from shoal.exact import Number, open_unit, whole
from shoal.noise.seam import seeded
from shoal.page import Page, Part

LEAST = 100
"""Fewer samples a side prove nothing that is worth the while."""


@dataclass(frozen=True, kw_only=True)
class EpsilonVerdict(Verdict):
    """What samples on two neighbours say about a claim: the parameter they prove, and by which
    event.
    """

    measure: Promise
    parameter: str
    """Which number of the claim was tested: epsilon, epsilon at a delta, mu, rho, a Rényi epsilon,
    the fall below a trade-off curve.
    """
    claimed: float
    lower: float
    """The parameter is at least this, at the confidence stated; rounded down."""
    event: str
    likely_on: str
    """The dataset on which the event is the likely one: d0 or d1."""
    sight: HistogramData | None = field(default=None, repr=False, compare=False)
    """What a picture of the samples needs."""

    def parts(self) -> list[Part]:
        """What the page shows below its title, with pictures where they can be drawn."""
        from shoal.auditing.report import parts_of  # noqa: PLC0415 - it draws, and is needed for pages only

        return parts_of(self, super().parts())

    def to_page(self) -> Page:
        """As a page for people, with pictures."""
        return super().to_page()


def audit(
    mechanism: Any,
    d0: Any,
    d1: Any,
    *,
    claim: Promise | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    samples: int = 100_000,
    confidence: Number = "0.99",
    event: Any = None,
    batch: bool = False,
    seed: int | str | None = None,
    method: str = "joint",
    progress: Progress | None = None,
) -> EpsilonVerdict:
    """Try to refute a claim of privacy by sampling a mechanism on two neighbouring datasets.

    ``mechanism`` is a mechanism of Shoal, which brings its own claim, or a function of a dataset
    that returns one output: a number, a text, a tuple, a dict, or None for no answer.  With
    ``batch`` it is a function of a dataset and a number that returns so many outputs at once.  The
    claim is any measure, a trade-off curve of `shoal.interpret`, or an epsilon with perhaps a
    delta.

    Guarantee: if the claim holds for these two datasets, it is called refuted with probability at
        most 1 - confidence; and the parameter is at least ``lower`` with probability at least
        confidence.  Nothing is proven of other datasets, and a claim that is not refuted is not
        proven.
    Needs: outputs are independent of each other; d0 and d1 are neighbours.  They take turns in an
        order of coins.
    Edges: an output may be missing, which is an event like others.  With ``seed`` the draws of
        Shoal's own mechanisms are repeatable (and must not be published as private).
    Reference: proofs in auditing/intervals.md; Bichsel and others 2021; Jagielski, Ullman and Oprea
        2020.

    >>> import shoal
    >>> verdict = shoal.audit(shoal.Laplace.for_epsilon(1, sensitivity=1), 0, 1, samples=20_000, seed=2)
    >>> verdict.refuted, 0.9 < verdict.lower <= 1
    (False, True)
    >>> half_noise = shoal.Laplace(scale="0.5", sensitivity=1)
    >>> print(shoal.audit(half_noise.release, 0, 1, epsilon=1, samples=20_000, seed=1).verdict)
    refuted
    """
    brought = claim_of(mechanism) if claim is None and epsilon is None and delta is None else None
    measure = brought if brought is not None else read_claim(claim, epsilon=epsilon, delta=delta)
    claims_of(measure)  # refused before anything is drawn
    wanted = whole(samples, "samples", at_least=LEAST)
    failing = Failing()
    with nullcontext() if seed is None else seeded(f"audit {seed}"):
        drawn = sample_both(
            mechanism, (d0, d1), wanted, batch=batch, progress=progress, failing=failing
        )
    failing.check()
    return audit_samples(*drawn, claim=measure, confidence=confidence, event=event, method=method)


def audit_samples(
    first: Any,
    second: Any,
    *,
    claim: Promise,
    confidence: Number = "0.99",
    event: Any = None,
    method: str = "joint",
) -> EpsilonVerdict:
    """Try to refute a claim with outputs that were drawn elsewhere: those on d0, and those on d1.

    They must be in the order they were drawn, or in random order: the first part proposes an event,
    the rest tests it.
    """
    risk = 1 - float(open_unit(confidence, "confidence"))
    if method not in METHODS:
        raise RangeError(
            f"method must be one of {', '.join(METHODS)}; got {str(method)[:40]!r}.",
            remedy="Choose 'joint', which proves more.",
        )
    given = None if event is None else read_event(event)
    one, other = read_outputs(first), read_outputs(second)
    if min(len(one), len(other)) < LEAST:
        raise RangeError(
            f"{min(len(one), len(other))} samples are too few to say anything.",
            remedy=f"Draw at least {LEAST} on each dataset.",
        )
    least = [training(len(each), searched=given is None, numbers=True) for each in (one, other)]
    one, other = alike(one, other, looked_at=(least[0], least[1]))
    numbers = one.numbers is not None
    split = [training(len(each), searched=given is None, numbers=numbers) for each in (one, other)]
    proposal = _propose(one, other, split, claims_of(claim), given)
    counts = _counts(one, other, split, proposal)
    return _verdict(one, other, claim, proposal, counts, risk=risk, method=method)


def training(samples: int, *, searched: bool, numbers: bool) -> int:
    """How many of the first samples propose an event: half of few; of many a twentieth, or a fifth
    where a scorer must learn.
    """
    least = 10_000 if searched else 500
    return min(samples // 2, max(least, samples // (5 if searched and not numbers else 20)))


def _propose(
    one: Outputs, other: Outputs, split: list[int], claims: Any, given: OutputEvent | None
) -> Proposal:
    tests = len(one) - split[0], len(other) - split[1]
    seer = Judge(claims, (split[0], split[1]), tests)
    first, second = one.part(0, split[0]), other.part(0, split[1])
    return search(first, second, seer) if given is None else fixed(given, first, second, seer)


def _counts(one: Outputs, other: Outputs, split: list[int], proposal: Proposal) -> Counts:
    parts = [one.part(split[0], len(one)), other.part(split[1], len(other))]
    found = [int(proposal.event.happens(each).sum()) for each in parts]
    likely, rare = (0, 1) if proposal.on_first else (1, 0)
    return Counts(found[likely], len(parts[likely]), found[rare], len(parts[rare]))


def _verdict(
    one: Outputs,
    other: Outputs,
    measure: Promise,
    proposal: Proposal,
    counts: Counts,
    *,
    risk: float,
    method: str,
) -> EpsilonVerdict:
    claim: ClaimedCurve = proposal.claim
    chance = p_value_up(counts, claim.curve, claim.claimed, method=method, risk=risk)
    lower = strength_down(counts, claim.curve, risk=risk, method=method)
    likely, rare = ("d0", "d1") if proposal.on_first else ("d1", "d0")
    refuted = lower > claim.claimed
    name = claim.curve.name
    return EpsilonVerdict(
        test="events",
        claim=claim.text,
        refuted=refuted,
        confidence=1 - risk,
        p_value=chance,
        found=_sentence(
            name, lower, claim.claimed, refuted=refuted, counts=counts, on=(likely, rare)
        ),
        figures=(
            (f"{name}, claimed", claim.claimed),
            (f"{name}, proven at least", lower),
            ("event", proposal.event.text),
            ("found by", proposal.how),
            (f"happened on {likely}", f"{counts.hits} of {counts.trials}"),
            (f"happened on {rare}", f"{counts.misses} of {counts.others}"),
            ("samples on d0", len(one)),
            ("samples on d1", len(other)),
            ("interval", method),
        ),
        measure=measure,
        parameter=name,
        claimed=claim.claimed,
        lower=lower,
        event=proposal.event.text,
        likely_on=likely,
        sight=seen_in(one, other, proposal.event),
    )


def _sentence(
    name: str, lower: float, claimed: float, *, refuted: bool, counts: Counts, on: tuple[str, str]
) -> str:
    shares = f"{counts.hits / counts.trials:.4g} of outputs on {on[0]} and {counts.misses / counts.others:.4g} on {on[1]}"
    verb = "which the claim does not allow" if refuted else "which the claim allows"
    return f"An event with {shares} proves that {name} is at least {text_above(lower, claimed)}, {verb} ({text_near(claimed)} is claimed)."
