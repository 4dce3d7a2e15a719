"""The Fourier transform of masses at arbitrary places, at equally spaced frequencies, by one fast
transform of a lattice.

Masses near 0 enter by their moments.  All others are spread over a lattice by splines; dividing by
the transform of the spline gives theirs back, but for what repeats at multiples of the lattice's
own frequency.  Proof: loss.md, *Places off the lattice*.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.floats import quick_length
from shoal.loss.cells import UNIT, Complexes, Floats, dot, product_of_tables

FINER = 8
"""The lattice has at least so many points for each frequency asked for."""
ORDER = 20
"""The order of the splines; even, so that they are centred on lattice points."""
# What a Taylor series of this order leaves out is below 1.1 * 2^-56 where |w x| <= 1 (loss.md).
MOMENTS = 18
_FEW, _LOWER = 64, 8
_NEAR_UNITS = 600
_FAR_UNITS = 400
"""What moments and splines can be off by, in units of round-off: loss.md counts fewer."""
_FEW_PLACES, _MANY_TURNS = 64, 1 << 14
"""So few places at so many turns are rotated one by one: a fast transform takes longer."""
_ROTATED = 64
_LEAST_SPLINE = 0.6
"""The transform of the spline is above it at all frequencies asked for."""


def nodes_away(weights: Floats, losses: Floats, arc: float, count: int) -> tuple[Complexes, Floats]:
    """The sum of weights times (exp(i turn loss) - 1) at the turns 2 pi k / arc, and how far each
    value can be off.

    Weights are at least 0.  Low turns are done again by themselves: more of the masses are near 0
    for them, and what is left is small where the turn is.
    """
    away, off = nodes_up_to(weights, losses, arc, count)
    while count > _FEW:
        count = -(-count // _LOWER)
        away[:count], off[:count] = nodes_up_to(weights, losses, arc, count)
    return away, off


def nodes_up_to(
    weights: Floats, losses: Floats, arc: float, count: int
) -> tuple[Complexes, Floats]:
    """`nodes_away` in one go: as exact at high turns, less so at low ones."""
    turns = 2 * math.pi / arc * np.arange(count)
    sizes = np.abs(losses)
    near = sizes * turns[-1] <= 1
    away = _by_moments(weights[near], losses[near] * turns[-1], count)
    off = _NEAR_UNITS * UNIT * turns * dot(weights[near], sizes[near])
    if not near.all():
        far, places = weights[~near], losses[~near]
        few = len(far) <= _FEW_PLACES and count > _MANY_TURNS
        found, doubt = (_by_products if few else _by_splines)(far, places, arc, count)
        away += found
        off += doubt + 8 * UNIT * turns * dot(far, sizes[~near])
    away[0] = off[0] = 0.0
    return away, off


def _by_moments(weights: Floats, places: Floats, count: int) -> Complexes:
    """The Taylor series of exp(i s place) - 1 for s from 0 to 1; places are within ±1."""
    shares = np.linspace(0.0, 1.0, count)
    powers, moments = weights.copy(), []
    for k in range(1, MOMENTS + 1):
        powers = powers * (places / k)
        moments.append(float(powers.sum()))
    squares = shares * shares
    real, imaginary = np.zeros(count), np.zeros(count)
    for k in range(MOMENTS, 0, -2):  # alternating signs, even powers and odd ones
        real = squares * (moments[k - 1] - real)
        imaginary = moments[k - 2] - squares * imaginary
    found: Complexes = np.empty(count, dtype=np.complex128)
    found.real, found.imag = -real, shares * imaginary
    return found


def _by_products(
    weights: Floats, losses: Floats, arc: float, count: int
) -> tuple[Complexes, float]:
    """The same for few places and many turns: as the product of two tables of rotations."""
    spacing, inner = 2 * math.pi / arc, math.isqrt(count - 1) + 1
    outer = -(-count // inner)
    fast = np.exp(1j * spacing * np.outer(np.arange(inner), losses))
    slow = np.exp(1j * (spacing * inner) * np.outer(np.arange(outer), losses))
    total = float(weights.sum())
    found = product_of_tables(weights * slow, fast).ravel()[:count] - total
    return found, UNIT * (4 * len(weights) + _ROTATED) * total


def _by_splines(weights: Floats, losses: Floats, arc: float, count: int) -> tuple[Complexes, float]:
    """The same for places anywhere, off by at most the number beside it."""
    size = quick_length(FINER * count)
    where = losses * (size / arc)
    below = np.floor(where)
    points, point_of = np.unique(below.astype(np.int64) % size, return_inverse=True)
    lattice = np.zeros(size)
    for k, spline in enumerate(_splines(where - below)):
        lattice[(points + ORDER // 2 - k) % size] += np.bincount(point_of, weights * spline)
    half_turns = math.pi / size * np.arange(count)
    fading = np.sinc(half_turns / math.pi) ** ORDER
    total = float(weights.sum())
    found = np.conj(np.fft.rfft(lattice)[:count]) / fading - total
    most = int(np.bincount(point_of).max())
    units = _FAR_UNITS + most + 8 * math.log2(size)
    return found, units * UNIT * total / _LEAST_SPLINE


def _splines(offsets: Floats) -> Floats:
    """The uniform spline of the order at offset + 0, + 1, ...: every step of the recurrence adds
    what is positive.
    """
    values = np.ones((1, len(offsets)))
    for order in range(2, ORDER + 1):
        steps = np.arange(order - 1)[:, None] + offsets
        raised = np.zeros((order, len(offsets)))
        raised[:-1] = steps * values
        raised[1:] += (order - 1 - steps) * values
        values = raised / (order - 1)
    return values
