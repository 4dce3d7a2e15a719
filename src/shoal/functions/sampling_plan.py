"""How many neighbours to draw, and which of their distances to take: by order statistics, or by the
published rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from flint import arb

from shoal.errors import CalibrationError, RangeError
from shoal.exact import Number, Real, ball, floor_of, is_below, open_unit, short, upper, whole

RULES = ("exact", "published")
_FEW = 4096
"""Powers of rationals are computed exactly up to here."""


@dataclass(frozen=True)
class SamplingPlan:
    """The sensitivity is the ``rank``-th smallest of ``samples`` measured distances; it fails a
    share ``gamma`` of neighbours.

    Guarantee: by the exact rule without ``confidence``, a further pair from the same law is further
        apart than that with probability at most gamma, over the pair and the sample together.  With
        confidence, the share of pairs that are further apart is at most gamma, except with
        probability 1 - confidence over the sample.
    Reference: Wilks 1942 for the ranks; Rubinstein and Aldà 2017 for the published rule.
    Proof: sampler.md.
    """

    samples: int
    rank: int
    gamma: Fraction
    rule: str
    confidence: Fraction | None = None


def plan_sampling(
    *,
    gamma: Number | None = None,
    samples: int | None = None,
    rule: str = "exact",
    confidence: Number | None = None,
) -> SamplingPlan:
    """The plan for a share that may fail, for a number of samples, or for both.

    With ``gamma`` alone the fewest samples are taken; with ``samples`` alone the largest distance,
    for the smallest gamma; with both the smallest rank.  ``confidence`` asks for it over the
    sampler, by the exact rule.

    >>> plan_sampling(gamma="0.2"), plan_sampling(gamma="0.2", samples=500).rank
    (SamplingPlan(samples=4, rank=4, gamma=Fraction(1, 5), rule='exact', confidence=None), 401)
    >>> plan_sampling(gamma="0.2", samples=500, rule="published").rank
    439
    >>> plan_sampling(gamma="0.05", confidence="0.999").samples
    135
    """
    share = None if gamma is None else open_unit(gamma, "gamma")
    number = None if samples is None else whole(samples, "samples", at_least=1)
    sure = None if confidence is None else open_unit(confidence, "confidence")
    if share is None and number is None:
        raise RangeError(
            "gamma, samples or both must be given.",
            remedy="Give gamma=0.05, the share of neighbours that may be left out, for example.",
        )
    if rule not in RULES or (rule == "published" and sure is not None):
        raise RangeError(
            f"rule must be 'exact', or 'published' without a confidence; got {str(rule)[:40]!r}.",
            remedy="Leave rule out: the exact rule needs far fewer samples.",
        )
    if rule == "published":
        return _published(share, number)
    return _exact(share, number) if sure is None else _confident(share, number, sure)


def _exact(share: Fraction | None, samples: int | None) -> SamplingPlan:
    """The chance that a new distance is above the k-th of m is at most 1 - k / (m + 1)."""
    if samples is None:
        assert share is not None
        samples = max(1, math.ceil(1 / share) - 1)
    rank = samples if share is None else math.ceil((samples + 1) * (1 - share))
    if rank > samples:
        assert share is not None
        raise _too_few(share, samples, math.ceil(1 / share) - 1)
    rank = max(1, rank)
    return SamplingPlan(samples, rank, 1 - Fraction(rank, samples + 1), "exact")


def _confident(share: Fraction | None, samples: int | None, sure: Fraction) -> SamplingPlan:
    """The k-th of m distances is at or above a quantile 1 - gamma unless k or more of them are
    below it.
    """
    risk = 1 - sure

    def fewest(left: Fraction) -> int:
        near = int(math.log(float(risk)) / math.log1p(-float(left)))
        return next(
            number
            for number in count(max(1, near - 1))
            if _rarely_below(number, number, left, risk)
        )

    if share is None:
        assert samples is not None
        number = samples
        share = min(Fraction(1), upper(lambda: -((ball(risk).log() / number).expm1())))
        share = max(share, Fraction(1, number + 1))
        return SamplingPlan(number, number, share, "exact", sure)
    if samples is None:
        samples = fewest(share)
    left, number = share, samples
    if not _rarely_below(number, number, left, risk):
        raise _too_few(left, number, fewest(left))
    low, high = 0, number
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _rarely_below(middle, number, left, risk) else (middle, high)
    gamma = max(left, 1 - Fraction(high, number + 1))
    return SamplingPlan(number, high, gamma, "exact", sure)


def _rarely_below(rank: int, samples: int, share: Fraction, risk: Fraction) -> bool:
    """Whether P(Bin(samples, 1 - share) >= rank) <= risk, by an upper bound: where both are equal
    it may say no, which is safe.
    """
    if rank == samples and samples <= _FEW:  # (1 - share)^samples, which may well equal the risk
        return bool((1 - share) ** samples <= risk)

    def chance() -> arb:
        kept = ball(1 - share)
        return kept.beta_lower(arb(rank), arb(samples - rank + 1), regularized=True)

    return bool(upper(chance) <= risk)


def _published(share: Fraction | None, samples: int | None) -> SamplingPlan:
    """By the inequality of Dvoretzky, Kiefer and Wolfowitz; for comparison."""
    if samples is None:
        assert share is not None
        samples = _published_samples(share)
        rho = _published_rho_by_share(share)
    else:
        rho = _published_rho_by_samples(samples)
    number = samples

    def least() -> arb:
        return rho() + (-rho().log() / (2 * number)).sqrt()

    if share is None:
        smallest = upper(least)
        if smallest >= 1:
            raise _too_few(Fraction(99, 100), number, 2)
        return SamplingPlan(number, number, smallest, "published")
    if is_below(lambda: ball(share), least):
        raise _too_few(share, number, _published_samples(share))
    rank = -floor_of(lambda: -(number * (1 - ball(share) + least())))
    return SamplingPlan(number, min(rank, number), share, "published")


def _published_samples(share: Fraction) -> int:
    rho = _published_rho_by_share(share)
    return -floor_of(lambda: rho().log() / (2 * (ball(share) - rho()) ** 2))


def _published_rho_by_share(share: Fraction) -> Real:
    def rho() -> arb:
        half = arb("0.5")
        return ((-ball(share) / (2 * half.exp())).lambertw(branch=-1) + half).exp()

    return rho


def _published_rho_by_samples(samples: int) -> Real:
    def rho() -> arb:
        return (ball(Fraction(-1, 4 * samples)).lambertw(branch=-1) / 2).exp()

    return rho


def _too_few(share: Fraction, samples: int, needed: int) -> CalibrationError:
    return CalibrationError(
        f"{samples} samples cannot show that only a share {short(share)} of neighbours fails.",
        remedy=f"Draw {needed} or more, or allow a larger gamma.",
    )
