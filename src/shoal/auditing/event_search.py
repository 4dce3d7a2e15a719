"""Which event tells two datasets apart best: proposed on training samples, never on those that test
it.

Every search sorts outputs by how strongly they speak for one dataset and tries the prefixes of that
order.  The order comes from half-lines, from the ratios of a histogram, from the ratios of whole
outputs, or from a learnt scorer.  Of all prefixes the one is taken whose bound, predicted for the
test samples, is largest against the claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.claimed_curves import ClaimedCurve
from shoal.auditing.classifier import Scorer
from shoal.auditing.output_columns import OutputColumn, columns_of
from shoal.auditing.output_events import (
    Bins,
    Kinds,
    Opposite,
    OutputEvent,
    Part,
    keys_of,
    place_numbers,
)
from shoal.auditing.outputs import Array, Outputs

_FINE = 512
"""Numbers with at most so many values are told apart one by one."""
_RESOLUTIONS = (8, 24, 96)
_ATOM = 0.004
"""A value that so large a share of outputs has is a bin of its own."""
_LISTED = 400
"""So many whole outputs are told apart."""
_REPEATED = 2_000
"""Whole outputs are told apart where some of the first so many come again."""
_COORDINATES = 24
_TRAINING, _TEST = 3.0, 1.65
"""Predictions are lowered by so many standard errors of both parts on each side, so that rare
events must earn their place.
"""
_FITTED = 10_000
"""So many examples a side are enough for the scorer."""

Counted = NDArray[np.float64]


@dataclass(frozen=True)
class Proposal:
    """An event, on which dataset it is likely, against which claim, and what it is predicted to
    prove.
    """

    event: OutputEvent
    on_first: bool
    claim: ClaimedCurve
    predicted: float
    """The parameter that is predicted to be proven, less the claimed one."""
    how: str


@dataclass(frozen=True)
class Judge:
    """Predicts what an event will prove."""

    claims: Sequence[ClaimedCurve]
    train: tuple[int, int]
    tests: tuple[int, int]

    def fewer(self, counted: tuple[Counted, Counted]) -> Judge:
        """The same with fewer training samples: those that were counted."""
        return replace(self, train=(int(counted[0].sum()), int(counted[1].sum())))

    def best(
        self, hits: Counted, misses: Counted, *, on_first: bool
    ) -> tuple[float, int, ClaimedCurve]:
        """The best of many events, by how often each happened in training on its likely dataset and
        on the other.
        """
        one, other = (0, 1) if on_first else (1, 0)
        p = _share(hits, self.train[one], self.tests[one], -1)
        q = _share(misses, self.train[other], self.tests[other], 1)
        found: tuple[float, int, ClaimedCurve] | None = None
        for claim in self.claims:
            gains = claim.curve.strength(p, q) - claim.claimed
            gains = gains / max(claim.claimed, 1e-3) if len(self.claims) > 1 else gains
            place = int(np.argmax(gains))
            if found is None or gains[place] > found[0]:
                found = float(gains[place]), place, claim
        assert found is not None
        return found


def _share(counts: Counted, trained: int, tested: int, side: int) -> Array:
    """A chance seen in training, moved to one side by what training and test may be off."""
    share = (counts + 0.5) / (trained + 1)
    errors = _TRAINING / np.sqrt(trained) + _TEST / np.sqrt(tested)
    moved = share + side * errors * np.sqrt(share * (1 - share))
    return np.asarray(np.clip(moved, 1e-12, 1 - 1e-12), dtype=np.float64)


def search(first: Outputs, second: Outputs, judge: Judge) -> Proposal:
    """The best event that the training samples propose."""
    proposals = list(_searched(first, second, judge))
    return max(proposals, key=lambda each: each.predicted)


def fixed(event: OutputEvent, first: Outputs, second: Outputs, judge: Judge) -> Proposal:
    """A given event: the training samples only say on which dataset it, or its opposite, is the
    likely one.
    """
    ours, theirs = float(event.happens(first).sum()), float(event.happens(second).sum())
    return max(_ways(event, (ours, theirs), judge), key=lambda each: each.predicted)


def _ways(event: OutputEvent, happened: tuple[float, float], judge: Judge) -> Iterator[Proposal]:
    """The event and its opposite, in both orders of the datasets."""
    (ours, theirs), (n, m) = happened, judge.train
    for each, a, b in ((event, ours, theirs), (Opposite(event), n - ours, m - theirs)):
        for on_first in (True, False):
            hits, misses = (a, b) if on_first else (b, a)
            predicted, _, claim = judge.best(
                np.array([hits]), np.array([misses]), on_first=on_first
            )
            yield Proposal(each, on_first, claim, predicted, "given")


def _searched(first: Outputs, second: Outputs, judge: Judge) -> Iterator[Proposal]:
    if first.numbers is not None and second.numbers is not None:
        yield from _numbers(first, second, judge)
        return
    yield from _kinds(first, second, judge)
    yield from _coordinates(first, second, judge)
    yield from _classified(first, second, judge)


def _numbers(first: Outputs, second: Outputs, judge: Judge) -> Iterator[Proposal]:
    """Half-lines, and histograms of several widths."""
    assert first.numbers is not None
    assert second.numbers is not None
    together = np.concatenate([first.numbers, second.numbers])
    together = together[~np.isnan(together)]
    for edges in _edges(together):
        made, some = _binned(edges), len(together) < len(first) + len(second)
        bins = np.arange(
            len(edges) + (2 if some else 1)
        )  # without the bin of no answer where there is an answer always
        ours, theirs = (_tally(each, edges) for each in (first, second))
        yield from _prefixes(ours, theirs, bins, judge, made, how="half-lines")
        halves = [each.part(0, len(each) // 2) for each in (first, second)]
        sorted_by = [_tally(each, edges) for each in halves]
        order = bins[np.argsort(-_ratios(*sorted_by)[bins], kind="stable")]
        rest = ours - sorted_by[0], theirs - sorted_by[1]
        yield from _prefixes(*rest, order, judge.fewer(rest), made, how="histogram")


def _binned(edges: Array) -> Callable[[NDArray[np.intp]], OutputEvent]:
    def made(places: NDArray[np.intp]) -> OutputEvent:
        inside = np.zeros(len(edges) + 2, dtype=np.bool_)
        inside[places] = True
        return Bins(edges, inside)

    return made


def _edges(numbers: Array) -> Iterator[Array]:
    """Edges of bins: between all values where these are few, else at quantiles, and around frequent
    values.
    """
    values, counts = np.unique(numbers, return_counts=True)
    if len(values) <= _FINE:
        yield _between(values)
        return
    frequent = values[counts >= max(3, _ATOM * len(numbers))][: _FINE // 2]
    atoms = np.concatenate([frequent, np.nextafter(frequent, np.inf)])
    for bins in _RESOLUTIONS:
        shares = np.arange(1, bins) / bins
        tails = [0.001, 0.005, 0.02, 0.98, 0.995, 0.999] if bins == max(_RESOLUTIONS) else []
        quantiles = np.quantile(numbers, np.concatenate([shares, tails]))
        yield np.unique(np.concatenate([quantiles, atoms]))


def _between(values: Array) -> Array:
    """Edges between neighbouring values: at the value above, so that every value has a bin that
    begins with it.
    """
    return np.asarray(values[1:])


def _tally(outputs: Outputs, edges: Array) -> Counted:
    return np.bincount(place_numbers(outputs, edges), minlength=len(edges) + 2).astype(np.float64)


def _ratios(ours: Counted, theirs: Counted) -> Array:
    """How strongly each bin speaks for the first dataset, with one imagined output more on both
    sides.
    """
    return np.asarray(
        np.log((ours + 1) / (ours.sum() + 1)) - np.log((theirs + 1) / (theirs.sum() + 1))
    )


def _prefixes(
    ours: Counted,
    theirs: Counted,
    order: NDArray[np.intp],
    judge: Judge,
    made: Callable[[NDArray[np.intp]], OutputEvent],
    *,
    how: str,
) -> Iterator[Proposal]:
    """The best beginning of an order for the first dataset, and the best ending for the second; and
    the other way round.
    """
    for on_first in (True, False):
        for turned in (order, order[::-1]):
            a, b = (ours, theirs) if on_first else (theirs, ours)
            hits, misses = np.cumsum(a[turned]), np.cumsum(b[turned])
            predicted, place, claim = judge.best(hits, misses, on_first=on_first)
            yield Proposal(made(turned[: place + 1]), on_first, claim, predicted, how)


def _kinds(first: Outputs, second: Outputs, judge: Judge) -> Iterator[Proposal]:
    """Whole outputs, sorted by the ratio of how often they came."""
    few = keys_of(first.part(0, _REPEATED))
    if len(set(few)) > 0.9 * len(few):
        return  # hardly any output comes twice
    keys = [keys_of(each) for each in (first, second)]
    listed = [key for key, _ in Counter([*keys[0], *keys[1]]).most_common(_LISTED)]
    place = {key: at for at, key in enumerate(listed)}
    ours, theirs = (_kinds_of(each, place) for each in keys)

    def made(places: NDArray[np.intp]) -> OutputEvent:
        inside = frozenset(listed[at] for at in places.tolist() if at < len(place))
        return Kinds(inside, frozenset(place), bool((places == len(place)).any()))

    halves = [_kinds_of(each[: len(each) // 2], place) for each in keys]
    order = np.argsort(-_ratios(halves[0], halves[1]), kind="stable")
    rest = ours - halves[0], theirs - halves[1]
    yield from _prefixes(*rest, order, judge.fewer(rest), made, how="whole outputs")


def _kinds_of(keys: Sequence[str], place: dict[str, int]) -> Counted:
    """How often each listed output came, and in the end all others."""
    found = [place.get(key, len(place)) for key in keys]
    return np.bincount(found, minlength=len(place) + 1).astype(np.float64)


def _coordinates(first: Outputs, second: Outputs, judge: Judge) -> Iterator[Proposal]:
    """Each number in the outputs by itself."""
    columns = columns_of(Outputs(items=[*first.listed, *second.listed]))
    for column in columns[:_COORDINATES]:
        if np.isnan(column.numbers).all():
            continue
        read = _reader(column.name)
        ours, theirs = column.numbers[: len(first)], column.numbers[len(first) :]
        for each in _numbers(Outputs(numbers=ours), Outputs(numbers=theirs), judge):
            event = Part(f"output{column.name}", read, each.event)
            yield Proposal(event, each.on_first, each.claim, each.predicted, each.how)


def _reader(name: str) -> Callable[[Outputs], Outputs]:
    def read(outputs: Outputs) -> Outputs:
        column: OutputColumn = columns_of(outputs, [name])[0]
        return Outputs(numbers=column.numbers)

    return read


def _classified(first: Outputs, second: Outputs, judge: Judge) -> Iterator[Proposal]:
    """A scorer, fitted on half of the training samples; its threshold is chosen on the other
    half.
    """
    half, other_half = min(len(first) // 2, _FITTED), min(len(second) // 2, _FITTED)
    scorer = Scorer.fit(first.part(0, half), second.part(0, other_half))

    def read(outputs: Outputs) -> Outputs:
        return Outputs(numbers=scorer.scores(outputs))

    ours, theirs = read(first.part(half, len(first))), read(second.part(other_half, len(second)))
    fewer = Judge(judge.claims, (len(ours), len(theirs)), judge.tests)
    assert ours.numbers is not None
    assert theirs.numbers is not None
    together = np.concatenate([ours.numbers, theirs.numbers])
    edges = np.unique(np.quantile(together, np.arange(1, 200) / 200))
    tally = _tally(ours, edges), _tally(theirs, edges)
    for each in _prefixes(*tally, np.arange(len(edges) + 1), fewer, _binned(edges), how="scorer"):
        yield Proposal(
            Part("learnt score", read, each.event),
            each.on_first,
            each.claim,
            each.predicted,
            each.how,
        )
