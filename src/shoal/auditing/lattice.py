"""Traces of floating point: do the last bits of the answers tell two datasets apart?

An answer is put into a cell by something that a promise in real numbers knows nothing of: which is
the lowest bit that is set (`lowest`), that with the size and the sign of the answer (`bits`),
whether the very same number was seen before (`values`), and, where the formula of the noise is
known, whether it can reach the answer from the one truth and from the other (`reach`).  On the
first half of the answers the cells are chosen that speak most against the claim; the second half is
counted in them.

Level: an event chosen on one half is a fixed event for the other, so its counts there are binomial,
and `intervals.md` bounds the chance that they prove more than is true.  Two directions and all
kinds of cells share the risk (a union bound).  Box and Muller's formula makes two answers at a
time; a cell of two is tested against what the claim says of two.  So a mechanism that keeps its
promise is refuted with at most 1 - confidence, whatever its answers look like: integers, multiples
of a grid, or doubles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.bound_texts import text_above
from shoal.auditing.claimed_curves import ClaimedCurve, Promise, claims_of, read_claim
from shoal.auditing.intervals import Counts, p_value_up, strength_down
from shoal.auditing.outputs import numbers_of
from shoal.auditing.reachable_doubles import (
    Found,
    Numbers,
    gaussian_can,
    laplace_can,
    numpy_laplace_can,
)
from shoal.auditing.verdict import Figure, Verdict
from shoal.auditing.verdict_pictures import low_bits
from shoal.errors import DataError, RangeError
from shoal.exact import Number, open_unit, root_up
from shoal.interpret import TradeOff
from shoal.measures import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated

FORMULAS: dict[str, Callable[[Numbers, float, float], Found]] = {
    "laplace": laplace_can,
    "numpy-laplace": numpy_laplace_can,
    "box-muller": gaussian_can,
}
"""Formulas of noise that can be undone: which answers can they give to a truth, at a scale?"""
LEAST_SEEN = 5
"""A cell is chosen only if so many of the first half fall into it."""
FEWEST = 100
_ERRORS = 3.0
_NOTHING, _NO_NUMBER, _NUMBERS = -(1 << 40), -(1 << 41), -(1 << 39)
"""Cells for 0 and for what is not finite; those of all other numbers are larger than the last."""
_METHOD = "clopper-pearson"

_NONE = -math.inf
"""What stands for no answer among whole numbers; it can be sorted with them."""
_NEGATIVE = 1 << 38
"""Added to the cells of negative numbers."""

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Formula:
    """A formula of noise, its scale and the two truths it is added to."""

    name: str
    scale: float
    truths: tuple[float, float]

    def __post_init__(self) -> None:
        if self.name not in FORMULAS:
            raise RangeError(
                f"there is no formula {self.name[:40]!r}.",
                remedy=f"The formulas are: {', '.join(FORMULAS)}.",
            )
        if not (math.isfinite(self.scale) and self.scale > 0):
            raise RangeError(
                "the scale of a formula must be above 0.", remedy="Give the scale of the noise."
            )


@dataclass(frozen=True)
class _Found:
    """What one kind of cells says, in one direction."""

    kind: str
    counts: Counts
    swapped: bool
    claim: ClaimedCurve
    strength: float
    p_value: float


def lattice(
    zeros: Any,
    ones: Any,
    claim: Promise | None = None,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    formula: Formula | None = None,
    confidence: Number = "0.99",
) -> Verdict:
    """Judge a claim by the low bits of answers on two neighbours; ``zeros`` and ``ones`` are one
    number per run.

    >>> import shoal
    >>> noise = shoal.Laplace.for_epsilon(1, sensitivity=1)
    >>> zeros, ones = ([noise.release(truth) for _ in range(400)] for truth in (0.0, 1.0))
    >>> lattice(zeros, ones, epsilon=1, confidence="0.999999").refuted
    False
    """
    measure = read_claim(claim, epsilon=epsilon, delta=delta)
    alpha = float(1 - open_unit(confidence, "confidence"))
    one, two = _alike(_numbers(zeros), _numbers(ones))
    kinds = _kinds(one, two, formula)
    claims = {kind: _claims(measure, paired=_paired(kind, formula)) for kind in kinds}
    risk = alpha / (2 * sum(map(len, claims.values())))
    found = [
        _judged(kind, cells, claim, risk, swapped=swapped)
        for kind, cells in kinds.items()
        for claim in claims[kind]
        for swapped in (False, True)
    ]
    best = max(
        found, key=lambda each: (each.strength / max(each.claim.claimed, 1e-9), -each.p_value)
    )
    p_value = min(1.0, len(found) * min(each.p_value for each in found))
    return Verdict(
        test="lattice",
        claim=str(measure),
        refuted=any(each.strength > each.claim.claimed for each in found),
        confidence=1 - alpha,
        p_value=p_value,
        found=_sentence(best, paired=_paired(best.kind, formula)),
        figures=(*_figures(best), *_looks(one, two)),
        drawings=(low_bits(*kinds["lowest"]),),
    )


def _paired(kind: str, formula: Formula | None) -> bool:
    """Whether a cell is of two answers together: Box and Muller's formula makes two at a time."""
    return kind == "reach" and formula is not None and formula.name == "box-muller"


def _claims(measure: Promise, *, paired: bool) -> Sequence[ClaimedCurve]:
    """The claim about one answer, or what it says of two; none where that is nothing."""
    if not paired:
        return claims_of(measure)
    of_two = _of_two(measure)
    return [] if isinstance(of_two, Approx) and of_two.delta == 1 else claims_of(of_two)


def _of_two(measure: Promise) -> Promise:
    """What a claim about one answer says of two: the sums, rounded up, by basic composition."""
    match measure:
        case Pure():
            return Pure(2 * measure.epsilon)
        case Approx():
            return Approx(2 * measure.epsilon, min(Fraction(1), 2 * measure.delta))
        case ZeroConcentrated():
            return ZeroConcentrated(2 * measure.rho)
        case Renyi():
            return Renyi({order: 2 * epsilon for order, epsilon in measure.curve})
        case GaussianDP():
            return GaussianDP(root_up(2 * measure.mu**2))
        case TradeOff():
            raise RangeError(
                "a trade-off curve of one answer is not that of the two which Box and Muller's formula makes.",
                remedy="Leave the formula out, or claim a measure.",
            )
    return measure  # no pair can refute it, and `claims_of` says so


def _numbers(answers: Any) -> Any:
    """Answers as an array: of doubles, or of whole numbers of any size."""
    given = np.asarray(answers)
    if given.ndim != 1 or given.size < FEWEST:
        raise DataError(
            f"the low bits of at least {FEWEST} single numbers are looked at; got {given.shape}.",
            remedy="Give one number per run, of many runs.",
        )
    if given.dtype.kind in "iub":
        return given.astype(object) if given.dtype.itemsize == 8 else given.astype(np.float64)
    if given.dtype.kind == "O" and all(
        each is None or isinstance(each, int) for each in given.tolist()
    ):
        return np.array([_NONE if each is None else each for each in given.tolist()], dtype=object)
    try:
        return given.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(
            "low bits are those of numbers.", remedy="Give integers or floats."
        ) from None


def _alike(one: Any, two: Any) -> tuple[Any, Any]:
    """Both as doubles where one of them is, so that a number has one cell, whichever side it is
    on.
    """
    if one.dtype == two.dtype:
        return one, two
    return _doubles(one), _doubles(two)


def _doubles(answers: Any) -> Any:
    if answers.dtype == np.float64:
        return answers
    return numbers_of([None if each == _NONE else each for each in answers.tolist()])


def _kinds(one: Any, two: Any, formula: Formula | None) -> dict[str, tuple[Cells, Cells]]:
    both = np.concatenate([one, two])
    bits = _bits(both)
    kinds = {
        "lowest": _lowest(bits),
        "bits": bits,
        "values": np.unique(_plain(both), return_inverse=True)[1],
    }
    cut = {name: (cells[: len(one)], cells[len(one) :]) for name, cells in kinds.items()}
    if formula is not None:
        cut["reach"] = (_reach(one, formula), _reach(two, formula))
    return cut


def _plain(answers: Any) -> Any:
    """Something that can be sorted: doubles by their bits, so that NaN equals NaN and 0 is not
    -0.
    """
    return answers.view(np.int64) if answers.dtype == np.float64 else answers


def _bits(answers: Any) -> Cells:
    """A number for each size (the highest bit that is set), lowest bit and sign; others for 0 and
    what is no number.
    """
    if answers.dtype == np.float64:
        finite = np.isfinite(answers) & (answers != 0)
        fraction, highest = np.frexp(np.where(finite, answers, 1.0))
        whole = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
        lowest = highest - 53 + np.frexp((whole & -whole).astype(np.float64))[1]
        cells = highest.astype(np.int64) * 4096 + lowest + _NEGATIVE * (answers < 0)
        return np.where(finite, cells, np.where(answers == 0, _NOTHING, _NO_NUMBER)).astype(
            np.int64
        )
    return np.array([_bits_of(each) for each in answers.tolist()], dtype=np.int64)


def _bits_of(answer: Any) -> int:
    """The same of one whole number, or of none."""
    if answer == _NONE:
        return _NO_NUMBER
    if not answer:
        return _NOTHING
    return int(
        abs(answer).bit_length() * 4096 + (answer & -answer).bit_length() + _NEGATIVE * (answer < 0)
    )


def _reach(answers: Any, formula: Formula) -> Cells:
    can = FORMULAS[formula.name]
    numbers = _doubles(answers)
    if formula.name == "box-muller":
        numbers = numbers[: len(numbers) // 2 * 2]
    first, second = (
        can(numbers, truth, formula.scale).astype(np.int64) for truth in formula.truths
    )
    return first + 2 * second


def _judged(
    kind: str, cells: tuple[Cells, Cells], claim: ClaimedCurve, risk: float, *, swapped: bool
) -> _Found:
    """Choose cells on the first halves, and count the second halves in them."""
    likely, other = cells[::-1] if swapped else cells
    event = _event(likely[: len(likely) // 2], other[: len(other) // 2], claim)
    hits, misses = (np.isin(each[len(each) // 2 :], event) for each in (likely, other))
    counts = Counts(int(hits.sum()), hits.size, int(misses.sum()), misses.size)
    strength = strength_down(counts, claim.curve, risk=risk, method=_METHOD)
    p_value = p_value_up(counts, claim.curve, claim.claimed, method=_METHOD, risk=risk)
    return _Found(kind, counts, swapped, claim, strength, p_value)


def _event(likely: Cells, other: Cells, claim: ClaimedCurve) -> Cells:
    """The cells whose ratio is largest, as many as speak loudest together."""
    names, where = np.unique(np.concatenate([likely, other]), return_inverse=True)
    hits = np.bincount(where[: likely.size], minlength=names.size)
    misses = np.bincount(where[likely.size :], minlength=names.size)
    seen = hits + misses >= LEAST_SEEN
    names, hits, misses = names[seen], hits[seen], misses[seen]
    order = np.argsort(-(hits + 0.5) / (misses + 0.5), kind="stable")
    if not order.size:
        return names
    p, q = np.cumsum(hits[order]) / likely.size, np.cumsum(misses[order]) / other.size
    low = np.maximum(0, p - _ERRORS * np.sqrt(p * (1 - p) / likely.size))
    high = np.minimum(1, q + _ERRORS * np.sqrt(q * (1 - q) / other.size) + _ERRORS**2 / other.size)
    loud = np.asarray(claim.curve.strength(low, high))
    return np.asarray(names[order[: int(np.argmax(loud)) + 1]])


_SAYS = {
    "lowest": "lowest bits",
    "bits": "sizes, signs and lowest bits",
    "values": "numbers that were seen before",
    "reach": "answers that the formula can or cannot reach",
}


def _sentence(best: _Found, *, paired: bool) -> str:
    counts = best.counts
    names = ("second", "first") if best.swapped else ("first", "second")
    return (
        f"An event of {_SAYS[best.kind]} happened {counts.hits} times of {counts.trials}{' pairs' if paired else ''} on the {names[0]} dataset "
        f"and {counts.misses} of {counts.others} on the {names[1]}: {best.claim.curve.name}{' of two answers' if paired else ''} is at least {text_above(best.strength, best.claim.claimed)}."
    )


def _figures(best: _Found) -> Sequence[tuple[str, Figure]]:
    return (
        (f"{best.claim.curve.name}, at least", best.strength),
        ("claimed", best.claim.claimed),
        ("kind of event", best.kind),
        ("hits", best.counts.hits),
        ("of", best.counts.trials),
        ("misses", best.counts.misses),
        ("of others", best.counts.others),
    )


def _looks(one: Any, two: Any) -> Sequence[tuple[str, Figure]]:
    """What the answers look like; shown, and no part of the verdict."""
    found: list[tuple[str, Figure]] = []
    for name, answers in (("first", one), ("second", two)):
        again = 1 - np.unique(_plain(answers)).size / answers.size
        found += [
            (f"repeated answers, {name}", again),
            (f"lowest bit of all, {name}", _lowest_of(answers)),
        ]
    return found


def _lowest(bits: Cells) -> Cells:
    """The lowest bit alone, of cells of sizes and lowest bits."""
    return np.where(bits > _NUMBERS, (bits + 2048) % 4096 - 2048, bits)


def _lowest_of(answers: Any) -> str:
    low = _lowest(_bits(answers))
    low = low[low > _NUMBERS]
    return f"2^{int(low.min()) - 1}" if low.size else "none"
