"""RAPPOR for texts: the bits of a Bloom filter, flipped twice, and the shares of candidates that
explain them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import CalibrationError, DataError, RangeError, ShapeError
from shoal.exact import Number, ball, open_unit, upper, whole
from shoal.local.indices import read_indices
from shoal.local.protocols.oracles.oracle import read_bits
from shoal.local.protocols.oracles.unary import Bytes, count_bits, flip_again, flip_bits, fresh_odds
from shoal.local.protocols.promise import epsilon_of_changes
from shoal.measures import Pure
from shoal.noise import uniform_below

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BloomRappor:
    """A text sets ``hashes`` of ``bits`` bits, by a rule of its cohort; bits are flipped for ever,
    and again for each report.

    A permanent bit is the true one except with chance ``noise``, when it is 0 or 1 alike; a report
    shows 1 with chance ``one`` where it is 1 and ``zero`` where it is 0.

    Guarantee: one report costs ln ``odds``.  For a person whose text never changes, all reports
        together, however many, cost ln ``lifetime_odds``.  For any two histories of texts that
        differ in r reports they cost `epsilon_if_changed(r)`, which grows with r without end.
    Needs: noise, one and zero strictly between 0 and 1, one above zero; the permanent bits of a
        text are never drawn again for that text.
    Edges: a person keeps one cohort, drawn without looking at the text; the cohort is told with the
        report.
    Reference: Erlingsson, Pihur and Korolova 2014.  Proof: bloom.md.

    >>> made = BloomRappor.of(bits=32, hashes=2, cohorts=8, noise="1/2", one="3/4", zero="1/2")
    >>> made.lifetime_odds, made.report(["a", "b", "a"], cohorts=made.draw_cohorts(3)).shape
    (Fraction(81, 1), (3, 4))
    """

    bits: int
    hashes: int
    cohorts: int
    noise: Fraction
    one: Fraction
    zero: Fraction

    @classmethod
    def of(
        cls, *, bits: int, hashes: int, cohorts: int, noise: Number, one: Number, zero: Number
    ) -> Self:
        """From the sizes of the filter and the three chances of the paper, f, q and p."""
        made = cls(
            whole(bits, "bits", at_least=2),
            whole(hashes, "hashes", at_least=1),
            whole(cohorts, "cohorts", at_least=1),
            open_unit(noise, "noise"),
            open_unit(one, "one"),
            open_unit(zero, "zero"),
        )
        if made.one <= made.zero or made.hashes >= made.bits:
            raise RangeError(
                "one must be above zero, and fewer hashes than bits are needed.",
                remedy="Show a permanent 1 as 1 more often than a permanent 0.",
            )
        return made

    @property
    def shown(self) -> tuple[Fraction, Fraction]:
        """The chance that a bit of a report is 1 if the text sets it, and if it does not."""
        middle = self.noise * (self.one + self.zero) / 2
        return middle + (1 - self.noise) * self.one, middle + (1 - self.noise) * self.zero

    @property
    def odds(self) -> Fraction:
        """The largest ratio of the chances of one report: all bits of one text are shown and none
        of the other's.
        """
        own, other = self.shown
        return _power(own * (1 - other) / (other * (1 - own)), self.hashes)

    @property
    def lifetime_odds(self) -> Fraction:
        """The same of all reports of a person whose text never changes: that of the permanent
        bits.
        """
        return _power((2 - self.noise) / self.noise, 2 * self.hashes)

    @property
    def epsilon(self) -> Fraction:
        """What one report costs, rounded up."""
        return upper(lambda: ball(self.odds).log())

    @property
    def lifetime_epsilon(self) -> Fraction:
        """What all reports of a person cost together whose text never changes, rounded up."""
        return upper(lambda: ball(self.lifetime_odds).log())

    def epsilon_if_changed(self, reports: int) -> Fraction:
        """What all reports cost together for two histories that differ in so many of them, rounded
        up.
        """
        return epsilon_of_changes(fresh_odds(self.one, self.zero, self.bits), reports)

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(self.epsilon)

    @property
    def width(self) -> int:
        """Bytes of a report."""
        return -(-self.bits // 8)

    def places(self, text: str, cohort: int) -> tuple[int, ...]:
        """The bits that a text sets: anyone can compute them."""
        return _places(text, cohort, self.bits, self.hashes)

    def chance(self, text: str, cohort: int, report: Any) -> Fraction:
        """The exact chance of a report of a text in a cohort."""
        told = np.unpackbits(np.asarray(report, dtype=np.uint8), count=self.bits).tolist()
        own, other = self.shown
        held = set(self.places(text, cohort))
        chances = [own if place in held else other for place in range(self.bits)]
        return math.prod(
            (c if bit else 1 - c for c, bit in zip(chances, told, strict=True)), start=Fraction(1)
        )

    # sending

    def draw_cohorts(self, people: int) -> NDArray[np.int64]:
        """A cohort for each person, kept for ever."""
        return uniform_below(self.cohorts, people).astype(np.int64, copy=False)

    def permanent(self, texts: Sequence[str], *, cohorts: NDArray[np.int64]) -> Bytes:
        """The permanent bits of each text, which the client keeps and never draws anew."""
        return flip_bits(self._filters(texts, cohorts), 1 - self.noise / 2, self.noise / 2)

    def report_again(self, permanent: Bytes) -> Bytes:
        """A fresh report from each permanent row."""
        return flip_again(read_bits(permanent, self.bits), self.bits, self.one, self.zero)

    def report(self, texts: Sequence[str], *, cohorts: NDArray[np.int64]) -> Bytes:
        """A single report of each text."""
        return flip_bits(self._filters(texts, cohorts), *self.shown)

    def _filters(self, texts: Sequence[str], cohorts: NDArray[np.int64]) -> NDArray[np.bool_]:
        known = self._cohorts(cohorts, len(_read_texts(texts)))
        filters = np.zeros((len(texts), self.bits), dtype=bool)
        for row, (text, cohort) in enumerate(zip(texts, known.tolist(), strict=True)):
            filters[row, list(self.places(text, cohort))] = True
        return filters

    # counting

    def count(self, reports: Bytes, *, cohorts: NDArray[np.int64]) -> BloomCounts:
        """How many reports of each cohort there are, and how many show each bit; such counts add
        up.
        """
        told = read_bits(reports, self.bits)
        known = self._cohorts(cohorts, len(told))
        shown = [count_bits(told[known == c], self.bits) for c in range(self.cohorts)]
        return BloomCounts(np.bincount(known, minlength=self.cohorts), np.stack(shown))

    def _cohorts(self, cohorts: Any, people: int) -> NDArray[np.int64]:
        """One cohort for each person."""
        known = read_indices(cohorts, self.cohorts, what="cohorts")
        if known.shape != (people,):
            raise ShapeError(
                "one text or report and one cohort for each person are needed.",
                remedy="Draw the cohorts with draw_cohorts, once for each person, and send them with the reports.",
            )
        return np.asarray(known, dtype=np.int64)

    def estimate(self, counts: BloomCounts, candidates: Sequence[str]) -> BloomShares:
        """The shares of candidates that explain the bits best, by least squares weighed with the
        variance of every bit.

        They are unbiased if every text that anyone has is among the candidates; what is left
        unexplained is otherwise shared out among them.
        """
        own, other = (float(chance) for chance in self.shown)
        heard = np.flatnonzero(counts.people)
        people = counts.people[heard][:, None]
        told = counts.shown[heard] / people
        seen = ((told - other) / (own - other)).reshape(-1)
        safe = np.clip(told, 0.5 / people, 1 - 0.5 / people)
        weight = (np.sqrt(people / (safe * (1 - safe))) * (own - other)).reshape(-1)
        design = np.zeros((len(heard), self.bits, len(candidates)))
        for row, cohort in enumerate(heard.tolist()):
            for column, text in enumerate(candidates):
                design[row, list(self.places(text, cohort)), column] = 1
        scaled = design.reshape(-1, len(candidates)) * weight[:, None]
        if not len(candidates) or np.linalg.matrix_rank(scaled) < len(candidates):
            raise CalibrationError(
                "these bits do not tell the candidates apart.",
                remedy="Use more bits or cohorts, or fewer and different candidates.",
            )
        spread = np.linalg.inv(scaled.T @ scaled)
        shares = spread @ (scaled.T @ (seen * weight))
        return BloomShares(tuple(candidates), shares, np.sqrt(np.diag(spread)))


@dataclass(frozen=True, eq=False)
class BloomCounts:
    """Reports of each cohort, and how many of them show each bit."""

    people: NDArray[np.int64]
    shown: NDArray[np.int64]

    def __add__(self, other: BloomCounts) -> BloomCounts:
        return BloomCounts(self.people + other.people, self.shown + other.shown)


@dataclass(frozen=True, eq=False)
class BloomShares:
    """The estimated share of each candidate and its standard error."""

    candidates: tuple[str, ...]
    shares: Floats
    standard_errors: Floats


def _read_texts(texts: Sequence[str]) -> Sequence[str]:
    """Texts that have bytes, one for each person; nothing of another one is quoted."""
    listed = isinstance(texts, Sequence | np.ndarray) and not isinstance(texts, str | bytes)
    if not listed or not all(isinstance(text, str) for text in texts):
        raise ShapeError("a list of texts is needed.", remedy="Give one text for each person.")
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError:
        raise DataError(
            "one of the texts holds half of a pair of surrogates and has no bytes.",
            remedy="Map such texts to another one by a public rule first, such as text.encode(errors='replace').decode().",
        ) from None
    return texts


@lru_cache(maxsize=1 << 16)
def _places(text: str, cohort: int, bits: int, hashes: int) -> tuple[int, ...]:
    """The first different numbers that SHAKE-256 of cohort and text gives, 64 bits each, modulo the
    bits.
    """
    wanted, length = list[int](), 8 * hashes
    while len(wanted) < hashes:
        length *= 4
        stream = hashlib.shake_256(f"shoal bloom {cohort} {text}".encode()).digest(length)
        words = [int.from_bytes(stream[at : at + 8]) % bits for at in range(0, length, 8)]
        wanted = list(dict.fromkeys(words))[:hashes]
    return tuple(wanted)


def _power(number: Fraction, exponent: int) -> Fraction:
    return math.prod([number] * exponent, start=Fraction(1))
