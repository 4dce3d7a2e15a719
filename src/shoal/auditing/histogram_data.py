"""What a picture of two samples needs: how often outputs fell where, and what of it is in the
event.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from shoal.auditing.output_events import OutputEvent, key_of
from shoal.auditing.outputs import Outputs

_BINS = 48
_BARS = 14
_WIDTHS = 5
_LOOKED_AT = 20_000


@dataclass(frozen=True)
class HistogramData:
    """Shares of outputs on d0 and d1 by place, and the share of each place that is in the event."""

    places: tuple[tuple[float, float], ...]
    """Bins of numbers, from and to; empty where outputs are no numbers.  The outermost few lie in
    none of them.
    """
    names: tuple[str, ...]
    """Outputs in words, where they are no numbers."""
    first: tuple[float, ...]
    second: tuple[float, ...]
    inside: tuple[tuple[float, float], ...]


def seen_in(one: Outputs, other: Outputs, event: OutputEvent) -> HistogramData:
    """Where outputs fell, from the last of them, which tested the event."""
    one, other = (each.part(max(0, len(each) - _LOOKED_AT), len(each)) for each in (one, other))
    happens = [event.happens(each) for each in (one, other)]
    if one.numbers is not None and other.numbers is not None:
        return _numbers(one.numbers, other.numbers, happens)
    return _names(one, other, happens)


def _numbers(one: np.ndarray, other: np.ndarray, happens: list[np.ndarray]) -> HistogramData:
    both, truths = np.concatenate([one, other]), np.concatenate(happens)
    known = ~np.isnan(both)
    if not known.any():
        held = (float(happens[0].mean()), float(happens[1].mean()))
        return HistogramData((), ("no answer",), (1.0,), (1.0,), (held,))
    edges = _edges(both[known], both[known & truths])
    places = tuple(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))

    def counted(numbers: np.ndarray) -> np.ndarray:
        return np.histogram(numbers[(numbers >= edges[0]) & (numbers <= edges[-1])], edges)[0]

    totals = [counted(each) for each in (one, other)]
    within = [counted(each[truth]) for each, truth in zip((one, other), happens, strict=True)]
    shares = [
        np.divide(part, total, out=np.zeros(len(total)), where=total > 0)
        for part, total in zip(within, totals, strict=True)
    ]
    first, second = (
        tuple((total / len(each)).tolist())
        for total, each in zip(totals, (one, other), strict=True)
    )
    return HistogramData(
        places, (), first, second, tuple(zip(*(each.tolist() for each in shares), strict=True))
    )


def _edges(known: np.ndarray, inside: np.ndarray) -> np.ndarray:
    low, high = _range(known, inside)
    values = np.unique(known)
    inner = values[(values >= low) & (values <= high)]
    if 1 < len(inner) <= _BINS and np.ptp(np.diff(inner)) < 1e-9 * max(1.0, float(np.ptp(inner))):
        step = float(inner[1] - inner[0])
        return np.append(inner, inner[-1] + step) - step / 2
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, _BINS + 1)


def _range(known: np.ndarray, inside: np.ndarray) -> tuple[float, float]:
    """Nearly all outputs; of long tails no more than a few widths of their middle half, and most of
    the event.
    """
    known = known[np.isfinite(known)] if np.isfinite(known).any() else np.zeros(1)
    low, lower, upper, high = np.quantile(known, [0.002, 0.25, 0.75, 0.998]).tolist()
    wide = _WIDTHS * (upper - lower)
    if not wide:
        return low, high
    seen = inside[np.isfinite(inside)]
    ends = np.quantile(seen, [0.05, 0.95]).tolist() if len(seen) else [lower, upper]
    return max(low, min(lower - wide, ends[0])), min(high, max(upper + wide, ends[1]))


def _names(one: Outputs, other: Outputs, happens: list[np.ndarray]) -> HistogramData:
    keys = [[key_of(each) for each in outputs.listed] for outputs in (one, other)]
    counters = [Counter(each) for each in keys]
    within = [
        Counter(key for key, inside in zip(each, truths.tolist(), strict=True) if inside)
        for each, truths in zip(keys, happens, strict=True)
    ]
    together = counters[0] + counters[1]
    listed = [key for key, _ in together.most_common(_BARS)]
    rest = [key for key in together if key not in set(listed)]
    groups = [[key] for key in listed] + ([rest] if rest else [])
    names = [_short(key) for key in listed] + ([f"{len(rest)} other outputs"] if rest else [])
    shares = [
        tuple(sum(counter[key] for key in group) / len(outputs) for group in groups)
        for counter, outputs in zip(counters, (one, other), strict=True)
    ]
    inside = [
        (_share(within[0], counters[0], group), _share(within[1], counters[1], group))
        for group in groups
    ]
    return HistogramData((), tuple(names), shares[0], shares[1], tuple(inside))


def _share(part: Counter[str], whole: Counter[str], group: list[str]) -> float:
    total = sum(whole[key] for key in group)
    return sum(part[key] for key in group) / total if total else 0.0


def _short(key: str) -> str:
    return key if len(key) <= 40 else key[:37] + "..."
