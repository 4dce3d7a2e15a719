"""Many equal Laplace losses: sums in which at most one loss lies between the atoms in closed form,
the rest by a contour.

One loss is epsilon with probability 1/2, -epsilon with probability e^-epsilon / 2, and has density
e^((l - epsilon) / 2) / 4 between.  With A the transform of the two atoms and C that of the density,
the transform of n losses is (A + C)^n.  Its first two terms, A^n and n A^(n-1) C, hardly fade, but
their deltas are finite sums; what is left fades like the square of C, so that a short line tells
it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np

from shoal.exact import float_down, float_up
from shoal.loss.bracket import Bracket
from shoal.loss.cells import RELATIVE_ERROR, UNIT, Floats, dot
from shoal.loss.fourier_sum import power
from shoal.loss.loss_sources import LaplaceLoss, Sources
from shoal.loss.saddle_point import LossSum, SaddleLine
from shoal.loss.single_release import POSITION_ERROR, at_floats, enclosed_root
from shoal.loss.tilt_ladder import spacing_of, tilt_of
from shoal.loss.two_point_sums import binomial

_LEFT_OUT = 1e-6
_MOST_FREQUENCIES = 1 << 17
_MOST_COPIES = 1 << 17
_STEPS = 60
_CLOSE = 1e-12
_LIKELY = 1e-8


class EqualLaplaces:
    """The sum of ``copies`` Laplace losses of one size.

    Guarantee: as `saddle_point`; the two finite sums pay for their floats by a relative error of
        each term.
    Needs: more than one copy.
    """

    def __init__(self, loss: LaplaceLoss, copies: int) -> None:
        self._loss, self._copies = loss, copies
        self._losses = LossSum([(LaplaceLoss(loss.epsilon), copies)])
        self._aside = copies * (loss.blur + POSITION_ERROR * loss.epsilon)
        atoms = ((loss.epsilon, 0.5), (-loss.epsilon, math.exp(-loss.epsilon) / 2))
        self._none = binomial(atoms, copies)
        self._one = binomial(atoms, copies - 1)

    @classmethod
    def of(cls, sources: Sources) -> EqualLaplaces | None:
        """The sum, or None where there are other losses or too many."""
        (source, copies), *others = sources
        fits = isinstance(source, LaplaceLoss) and 1 < copies <= _MOST_COPIES and not others
        return cls(source, copies) if fits and isinstance(source, LaplaceLoss) else None

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        wanted = math.log(delta)
        index = self._losses.best_for_delta(wanted)
        high = max(0.0, self._losses.renyi(index, wanted))
        line, low, near = self._line(index, high, wanted), 0.0, high
        slope = tilt_of(index)
        before: tuple[float, float] | None = None
        # delta is nearly exponential in epsilon: secants of its logarithm
        for _ in range(_STEPS):
            value = self._finite_sums(near)[0] + line.delta(near, up=True)
            off = math.log(max(value, 1e-320)) - wanted
            if before is not None and before[0] != near:
                slope = max((before[1] - off) / (near - before[0]), slope / 4)
            if abs(off) < _CLOSE:
                break
            before = near, off
            low, high = (near, high) if off > 0 else (low, near)
            step = near + off / slope
            near = step if low < step < high else (low + high) / 2
        unit = math.exp(self._losses.cumulant(index) - tilt_of(index) * near)
        off = unit * line.round_off / (float(delta) * tilt_of(index))
        return enclosed_root(
            near,
            at_floats(partial(self._enclosed, line)),
            delta,
            off=min(4 * off, _LIKELY) + self._aside,
        )

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        return self._enclosed(self._line_at(float_up(high)), low, high)

    def _enclosed(self, line: SaddleLine, low: Fraction, high: Fraction) -> Bracket:
        """Delta between two epsilons for which the line is a good one."""
        above, below = float_up(high) + self._aside, float_down(low) - self._aside
        sums, slack = self._finite_sums(above)
        least = sums - slack + line.delta(above, up=False)
        sums, slack = self._finite_sums(below)
        most = sums + slack + line.delta(below, up=True)
        return Bracket(max(0.0, least), min(1.0, most))

    def _finite_sums(self, epsilon: float) -> tuple[float, float]:
        """Delta from sums with no loss, or one, between the atoms, and what it can be off by."""
        total = slack = 0.0
        sums, chances, off = self._none
        over = sums > epsilon
        gains = -np.expm1(epsilon - sums[over])
        total += dot(chances[over], gains)
        slack += (off + RELATIVE_ERROR) * total
        sums, chances, off = self._one
        share, doubt = _between(epsilon - sums, self._loss.epsilon)
        one = self._copies * dot(chances, share)
        slack += (off + RELATIVE_ERROR) * one + self._copies * dot(chances, doubt)
        return total + one, slack

    def _line_at(self, epsilon: float) -> SaddleLine:
        index = self._losses.best_for_epsilon(epsilon)
        return self._line(index, epsilon, self._losses.chernoff(index, epsilon))

    def _line(self, index: int, epsilon: float, wanted: float) -> SaddleLine:
        """The line of sums with two losses or more between the atoms."""
        tilt, n = tilt_of(index), self._copies
        wave = LaplaceLoss(self._loss.epsilon).wave(tilt)
        atoms, steepest = wave.atoms, wave.steepest
        bulk = math.exp(min(0.0, wanted - self._losses.cumulant(index) + tilt * epsilon)) / 100
        octave = self._losses.octave_for(index, epsilon, bulk)
        spacing, count = spacing_of(octave), 64
        while count < _MOST_FREQUENCIES:
            last = spacing * (count - 1)
            most = (n - 2) * math.log(min(1.0, atoms + steepest / last))
            left_out = n * (n - 1) / 2 * steepest**2 * math.exp(most) / (3 * math.pi * last**3)
            if left_out <= _LEFT_OUT * bulk:
                break
            count += count // 3
        turns = spacing * np.arange(count)
        fixed, moving = wave.parts(turns)
        fewer = power(fixed, n - 1)
        whole = power(fixed + moving, n)
        rest = whole - fewer * (fixed + n * moving)
        payoff = (spacing / math.pi / ((tilt + 1j * turns) * (1 + tilt + 1j * turns))).astype(
            np.complex128
        )
        payoff[0] /= 2
        shares = np.abs(payoff)
        sizes = np.abs(whole) + np.abs(fewer) * (np.abs(fixed) + n * np.abs(moving))
        angles = 8 + self._loss.epsilon * (turns + tilt)
        return SaddleLine(
            losses=self._losses,
            index=index,
            octave=octave,
            turns=turns,
            terms=rest * payoff,
            round_off=left_out + 8 * UNIT * n * dot(shares, sizes * angles),
            turning=8 * UNIT * dot(shares * sizes, turns),
        )


def _between(gaps: Floats, epsilon: float) -> tuple[Floats, Floats]:
    """The mean of (1 - e^(gap - l))_+ over the density between the atoms, and what it can be off
    by.
    """
    gap = np.minimum(gaps, epsilon)
    start = np.maximum(gap, -epsilon)
    over = -np.expm1((start - epsilon) / 2) / 2
    under = np.exp(gap - (epsilon + start) / 2) * -np.expm1((start - epsilon) / 2) / 2
    return np.maximum(0.0, over - under), RELATIVE_ERROR * (over + under)
