"""Training of any torch module, in the caller's own loop."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.accounting import PrivacyFilter
from shoal.errors import ExhaustedError, ShapeError
from shoal.events import Composed
from shoal.exact import Number, positive, whole
from shoal.learning.estimator import stated_measure
from shoal.learning.nets.gradient_grid import LENGTH, read_clip
from shoal.learning.nets.noise_kinds import INDEPENDENT, steps_with
from shoal.learning.nets.row_gradients import Loss, RowGradients
from shoal.learning.nets.step_plan import planned_steps
from shoal.learning.nets.step_sums import StepSums
from shoal.learning.persons import one_column, owner_numbers, person_keys, rows_within
from shoal.measures import Measure
from shoal.owned import Owned
from shoal.sensitivity import Relation


class NetworkTraining(Owned):
    """Noisy gradients for a torch module, one for each of a fixed number of steps.

    Every step samples rows by secret coins of chance ``rate``, takes the gradient of ``loss(output,
    target)`` of each by itself, clips it to a length of ``clip``, adds them up exactly, and adds
    rounded Gaussian noise.  The sum divided by ``batch`` is put into ``grad`` of the parameters,
    for any optimizer.  ``batch`` is a public number: never the number of rows that were sampled.
    With ``noise="correlated"`` rows are dealt to 1 / ``rate`` batches by secret draws, once, and
    steps go through the batches in turn; the noise of later steps takes back a part of that of
    earlier ones.

    Guarantee: everything that the loop learns from rows costs the stated price, by `event`.  It is
        taken from ``budget``, where one is given, before a row is read.  Each step is released
        once: a training cannot be copied, pickled, forked or begun again, so no checkpoint of the
        network can draw a step a second time.
    Needs: the network treats each row by itself, which is tried on made-up rows first, and neither
        it nor the loss keeps anything from call to call in global variables or closures, which
        nobody can look into; only `steps_over` reads private rows, and the loop uses what it put
        into ``grad``.  Without a budget nobody keeps an account.
    Edges: an empty sample gives noise alone.  A row with a gradient that is not finite adds zeros.
        If the loop stops early, what was charged for the steps that are left stays spent.
    Proof: nets.md.
    """

    called = "the training of a network"
    harm = "each copy would release every step again."
    way_out = (
        "Train in one process. To go on from saved weights, begin a new training, and pay for it."
    )

    def __init__(
        self,
        network: Any,
        loss: Loss,
        *,
        steps: int,
        rate: Number,
        batch: Number,
        clip: Number = 1,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        rows_per_person: int = 1,
        budget: PrivacyFilter | None = None,
        rows_at_once: int | None = None,
        noise: str = INDEPENDENT,
    ) -> None:
        self.cost: Measure = stated_measure(epsilon, delta, rho)
        self._clip, self._batch = read_clip(clip), positive(batch, "batch")
        self._reach = whole(rows_per_person, "rows_per_person", at_least=1)
        slots = None if rows_at_once is None else whole(rows_at_once, "rows_at_once", at_least=1)
        self._gradients = RowGradients(network, loss, clip=self._clip, slots=slots)
        self._plan = steps_with(
            noise,
            planned_steps(steps, self._gradients.size),
            rate,
            self.cost,
            reach=self._reach,
            relation=Relation.ADD_REMOVE,
        )
        self._budget, self._is_begun, self._turn = budget, False, Lock()
        self.steps_done = 0

    @property
    def event(self) -> Composed:
        """What all steps together release."""
        return self._plan.event

    @property
    def noise_multiplier(self) -> float:
        """The standard deviation of the noise of a step, over the length of one clipped gradient;
        of the last step, where noise is correlated.
        """
        return self._plan.step_noise / LENGTH

    def steps_over(self, rows: Any, targets: Any, *, persons: Any = None) -> Iterator[int]:
        """The steps, one after another; before each is given, its noisy gradient is in ``grad``.

        ``rows`` and ``targets`` are tensors with one line per row.  With ``persons``, which names
        the person of each row, every person enters a sample or not, with all the rows that count.
        """
        self._check_owner()
        persons = None if persons is None else one_column(persons)
        if len(rows) != len(targets) or (persons is not None and len(persons) != len(rows)):
            raise ShapeError(
                "rows, targets and persons have different lengths.",
                remedy="Give one target, and one person, for each row.",
            )
        self._gradients.check(rows, targets)
        with self._turn:
            if self._is_begun:
                raise ExhaustedError(
                    "this training was begun before; its steps were paid for once.",
                    remedy="Make a new NetworkTraining, which costs its own price.",
                )
            if self._budget is not None:
                self._budget.spend(self.event)
            self._is_begun = True
        return self._steps(rows, targets, persons, self._plan.begin())

    def _steps(self, rows: Any, targets: Any, persons: Any, sums: StepSums) -> Iterator[int]:
        owners = np.arange(len(rows))
        if persons is not None:
            named = person_keys(persons)
            chosen = rows_within(named, self._reach)
            owners, rows, targets = owner_numbers(named)[chosen], rows[chosen], targets[chosen]
        for planned in self._plan.sums:
            taken = sampled_rows(sums, owners)
            total = self._gradients.total(rows, targets, taken)
            noisy, _ = sums.release(planned.name, total)
            scale = float(self._clip) / LENGTH / float(self._batch)
            self._gradients.set_gradient(noisy * scale)
            self.steps_done += 1
            yield self.steps_done


def sampled_rows(sums: StepSums, owners: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of a fresh sample of owners."""
    taken = sums.sample(int(owners.max(initial=-1)) + 1)
    return np.flatnonzero(taken[owners]).astype(np.int64)
