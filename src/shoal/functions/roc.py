"""The ROC curve of a score: how many positives it finds for how many false alarms."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ShapeError
from shoal.events import Event
from shoal.exact import whole
from shoal.functions.density import rising_shares
from shoal.functions.kernel_sums import read_points
from shoal.functions.operator import Reals
from shoal.functions.released import read_domain, read_object, unreadable
from shoal.functions.summed_release import Summed, apart_up
from shoal.measures import Measure
from shoal.mechanisms.total_functions import each_row, number_of
from shoal.mechanisms.values import plain
from shoal.plots import Picture
from shoal.sensitivity import Norm, Relation

KIND, VERSION = "released_roc", 1


@dataclass(frozen=True, init=False, repr=False)
class RocCurve(Summed):
    """The ROC curve of rows with a score and a label, from two noisy histograms of the score.

    Guarantee: the budget's, for scores clamped to public ends; label and score of every row are
        protected.  A row lies in one cell of one of the two histograms, so all counts together move
        by 1 in L1 when it comes or goes, by 2 when it changes.
    Needs: public ends of the score and a public number of cells; labels True (positive) and False.
    Edges: the curve rises from (0, 0) to (1, 1) whatever the noise.  A score that is no number
        counts as the low end, a label that is neither True nor 1 as negative.
    Reference: Dwork, McSherry, Nissim and Smith 2006.  Proof: kernel_sums.md.

    >>> import numpy as np
    >>> scores = np.linspace(0, 1, 4000)
    >>> roc = RocCurve.for_epsilon(1, relation="change", cells=40).release(scores, scores > 0.5)
    >>> roc.area > 0.9, roc(0.2) > 0.9
    (True, True)
    """

    cells: int
    low: float
    high: float

    def __init__(
        self,
        *,
        budget: Measure,
        relation: Relation | str,
        cells: int,
        low: float = 0.0,
        high: float = 1.0,
    ) -> None:
        ((low, high),) = read_domain([(low, high)], 1)
        self._keep(budget, relation, cells=whole(cells, "cells", at_least=1), low=low, high=high)

    @property
    def size(self) -> int:
        return 2 * self.cells

    def _moved_up(self, norm: Norm) -> Fraction:
        return apart_up(Fraction(1), self.relation, norm, signed=False)

    def release(self, scores: NDArray[Any], labels: NDArray[Any]) -> ReleasedRoc:
        """The curve; a high score stands for a positive label."""
        noisy = self._noisy(self.sums(scores, labels)).reshape(2, -1)
        return ReleasedRoc(
            negatives=tuple(noisy[0].tolist()),
            positives=tuple(noisy[1].tolist()),
            deviation=self._deviation(1.0),
            event=self.event,
        )

    def sums(self, scores: Any, labels: Any) -> NDArray[np.int64]:
        """The counts before their noise; they are private."""
        places = read_points(scores, ((self.low, self.high),))[:, 0]
        positive = _truths(labels)
        if positive is None or positive.shape != places.shape:
            raise ShapeError(
                "labels must be truth values, one for each score.",
                remedy="Give labels as an array of True and False: labels == 'sick', for example.",
            )
        at = np.clip(np.floor(places * self.cells), 0, self.cells - 1).astype(np.int64)
        at = at + self.cells * positive
        return np.bincount(at, minlength=2 * self.cells).astype(np.int64)


def _truths(labels: Any) -> NDArray[np.bool_] | None:
    """Labels as truth values, None for an array of another kind; of objects each is read by
    itself.
    """
    given = labels if isinstance(labels, np.ndarray) else list(each_row(labels, of="label"))
    if isinstance(given, np.ndarray) and plain(given).dtype.kind != "O":
        return plain(given) if given.dtype.kind == "b" else None
    listed = given if isinstance(given, list) else given.reshape(-1).tolist()
    return np.array([_is_true(label) for label in listed], dtype=np.bool_)


def _is_true(label: Any) -> bool:
    known = label is True or type(label) is np.bool_ or number_of(label) is not None
    return known and bool(label == 1)


@dataclass(frozen=True)
class ReleasedRoc:
    """Noisy counts of negatives and of positives by score, and the curve they make; no data."""

    negatives: tuple[float, ...]
    positives: tuple[float, ...]
    deviation: float
    event: Event

    def __post_init__(self) -> None:
        same = len(self.negatives) == len(self.positives) > 0
        if not same or not np.isfinite((*self.negatives, *self.positives, self.deviation)).all():
            raise ShapeError(
                "a ROC curve has as many finite counts of negatives as of positives.",
                remedy="Let RocCurve make it, or read it from text that it wrote.",
            )

    def __call__(self, alarms: ArrayLike) -> Any:
        """The share of positives found, at a share of negatives that are taken for positives."""
        asked = np.asarray(alarms, dtype=np.float64)
        found = np.interp(asked, *self._corners)
        return float(found) if not asked.shape else found

    @property
    def area(self) -> float:
        """The area under the curve: the chance that a positive scores above a negative, ties
        counted half.
        """
        alarms, found = self._corners
        return float((np.diff(alarms) * (found[1:] + found[:-1]) / 2).sum())

    @property
    def _corners(self) -> tuple[Reals, Reals]:
        """Thresholds from the highest score down: the shares of negatives and of positives above
        each.
        """
        both = (
            1 - rising_shares(np.array(counts), None)[::-1]
            for counts in (self.negatives, self.positives)
        )
        alarms, found = both
        return alarms, found

    def to_json(self) -> str:
        """The curve as text; `from_json` reads an equal one."""
        written = {
            "kind": KIND,
            "version": VERSION,
            "negatives": list(self.negatives),
            "positives": list(self.positives),
            "deviation": self.deviation,
            "event": self.event.to_dict(),
        }
        return json.dumps(written, allow_nan=False)

    @classmethod
    def from_json(cls, written: str) -> ReleasedRoc:
        """The curve that `to_json` wrote; anything else is refused."""
        data = read_object(written, "a released ROC curve")
        try:
            if data["kind"] != KIND or data["version"] != VERSION:
                raise unreadable("a released ROC curve")
            return cls(
                negatives=tuple(map(float, data["negatives"])),
                positives=tuple(map(float, data["positives"])),
                deviation=float(data["deviation"]),
                event=Event.from_dict(data["event"]),
            )
        except (KeyError, TypeError):
            raise unreadable("a released ROC curve") from None

    def plot(self) -> Picture:
        """A picture of the curve."""
        from shoal.plots import curve  # noqa: PLC0415 - loaded with the first picture

        return curve(*self._corners, x="false alarms", y="positives found")
