"""The gradient of each row by itself, in arrays of one fixed shape.

torch rounds the same row differently in batches of different sizes: measured, a gradient computed
alone and in a batch of 32 differ in their last digits.  So the shape is always the same, empty
places are filled up, and nothing is taken from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.errors import FactsError
from shoal.learning.exact_sums import Floats, Integers
from shoal.learning.nets.gradient_grid import on_grid, torch_of
from shoal.learning.nets.module_snapshot import snapshot
from shoal.learning.nets.secret_batches import Places, chunks_of

MOST_SIZE = 1 << 24
"""A network has at most so many parameters that are trained."""

_MOST_SLOTS = 64
_MOST_ENTRIES = 1 << 23

_TRIED, _TRIES = (0.0, 0.5), 4
"""A network is tried on rows of these numbers, so often on each."""

Loss = Callable[[Any, Any], Any]
"""From a network's output and the target, each for one row, to a number."""


class RowGradients:
    """Exact sums over rows of the clipped gradient of each, for a network and a loss.

    ``slots`` rows are differentiated at once; by default as many as memory suits, up to 64.

    Guarantee: what a row adds is a vector of whole numbers of length at most
        `gradient_grid.LENGTH`.  It depends on the row, its place in the chunk, and the parameters
        alone: `torch.func` differentiates every row by itself, in arrays whose shape is fixed.
    Needs: torch computes each row of such arrays from that row; with ``slots=1`` there is no other
        row.  Neither network nor loss keeps anything from one call to the next: `check` looks into
        what they hold, and cannot look into global variables and closures.
    Edges: a row whose gradient is not finite, or on which the network fails, adds zeros.
    Proof: nets.md, *One row, one gradient*.
    """

    def __init__(self, network: Any, loss: Loss, *, clip: Fraction, slots: int | None) -> None:
        torch = torch_of("training a network")
        self._torch, self._network, self._loss, self._clip = torch, network, loss, clip
        self.parameters = {
            name: each for name, each in network.named_parameters() if each.requires_grad
        }
        _check_parameters(torch, self.parameters)
        self.size = sum(each.numel() for each in self.parameters.values())
        if self.size > MOST_SIZE:
            raise FactsError(
                f"the network has {self.size} parameters; at most {MOST_SIZE} can be trained.",
                remedy="Train a smaller one, or freeze a part with requires_grad_(False).",
            )
        self.slots = _default_slots(self.size) if slots is None else slots

        def one(parameters: Any, row: Any, target: Any) -> Any:
            output = torch.func.functional_call(network, parameters, (row.unsqueeze(0),))
            return loss(output, target.unsqueeze(0)).sum()

        by_row = torch.func.grad(one)
        self._gradients = torch.func.vmap(by_row, in_dims=(None, 0, 0), randomness="error")

    def check(self, row: Any, target: Any) -> None:
        """Try the network on rows of zeros like these, and on others that nobody has, and refuse it
        if a row would not stand alone.  Only shapes and types are read.
        """
        before = snapshot(self._torch, self._network, self._loss)
        if before is None:
            raise FactsError(
                "the network or its loss holds something that cannot be compared with a copy, so "
                "whether it remembers rows cannot be checked.",
                remedy="Leave out attributes such as open files, locks and generators.",
            )
        try:
            with _one_thread(self._torch):
                found = [
                    [self._tried(row, target, with_) for _ in range(_TRIES)] for with_ in _TRIED
                ]
            fits = all(each.shape == (self.slots, self.size) for line in found for each in line)
        except Exception:  # noqa: BLE001 - a network may fail in any way; no private row was read
            fits = False
        if not fits:
            raise FactsError(
                "the network and its loss cannot be differentiated row by row.",
                remedy="Use layers that treat each row by itself, without chance: LayerNorm or "
                "GroupNorm for BatchNorm, and no Dropout. loss(output, target) gets one row.",
            )
        is_kept = before == snapshot(self._torch, self._network, self._loss)
        if not is_kept or any(len({each.tobytes() for each in line}) > 1 for line in found):
            raise FactsError(
                "the network or its loss remembers something when it is called, so rows would not "
                "stand alone.",
                remedy="Leave out layers that keep running figures, such as BatchNorm in training, "
                "and counters of calls.",
            )

    def _tried(self, row: Any, target: Any, number: float) -> Any:
        """The gradients of rows that are this number everywhere."""
        made = self._torch.full((self.slots, *row.shape[1:]), number).to(row.dtype)
        wanted = self._torch.zeros((self.slots, *target.shape[1:]), dtype=target.dtype)
        return self._by_row(made, wanted).numpy()

    def total(self, rows: Any, targets: Any, chosen: Places) -> Integers:
        """The sum over the chosen rows, exactly; zeros if none is."""
        total = np.zeros(self.size, dtype=np.int64)
        with _one_thread(self._torch):
            for line in chunks_of(chosen, self.slots):
                total += self._chunk(rows, targets, line)
        return total

    def _chunk(self, rows: Any, targets: Any, line: Places) -> Integers:
        """The sum over the rows of one chunk."""
        torch = self._torch
        places, empty = torch.from_numpy(np.maximum(line, 0)), torch.from_numpy(line < 0)
        held, wanted = rows[places], targets[places]
        held[empty], wanted[empty] = 0, 0
        try:
            found = self._by_row(held, wanted)
        except Exception:  # noqa: BLE001 - a network may fail on a single row, in any way
            found = self._one_by_one(held, wanted)
        steps = on_grid(found, self._clip)
        steps[empty] = 0.0
        return np.asarray(steps.sum(dim=0).numpy().astype(np.int64))  # exact, below 2^53

    def _one_by_one(self, rows: Any, targets: Any) -> Any:
        """The same with nothing but zeros beside each row; one on which the network fails has a
        gradient of zeros.  That it fails would tell that somebody has such a row.
        """
        torch = self._torch
        kind = next(iter(self.parameters.values())).dtype
        found = torch.zeros((self.slots, self.size), dtype=kind)
        for place in range(self.slots):
            alone, wanted = torch.zeros_like(rows), torch.zeros_like(targets)
            alone[place], wanted[place] = rows[place], targets[place]
            with suppress(Exception):
                found[place] = self._by_row(alone, wanted)[place]
        return found

    def set_parameters(self, vector: Floats) -> None:
        """Put numbers, one after another, into the parameters."""
        with self._torch.no_grad():
            for each, part in self._parts(vector):
                each.copy_(part)

    def set_gradient(self, vector: Floats) -> None:
        """Put numbers, one after another, into ``grad`` of the parameters."""
        for each, part in self._parts(vector):
            each.grad = part.to(each.dtype)

    def _parts(self, vector: Floats) -> Iterator[tuple[Any, Any]]:
        at = 0
        for each in self.parameters.values():
            part = vector[at : at + each.numel()].reshape(tuple(each.shape))
            yield each, self._torch.from_numpy(np.ascontiguousarray(part))
            at += each.numel()

    def _by_row(self, rows: Any, targets: Any) -> Any:
        """One line for each row: all entries of its gradient."""
        held = {name: each.detach() for name, each in self.parameters.items()}
        found = self._gradients(held, rows, targets)
        lines = [found[name].detach().reshape(self.slots, -1) for name in held]
        return self._torch.cat(lines, dim=1)


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    """Meanwhile torch uses one thread: small arrays gain nothing from more, and threads that wait
    for each other take time from everybody.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _default_slots(size: int) -> int:
    found = _MOST_SLOTS
    while found > 1 and found * size > _MOST_ENTRIES:
        found //= 2
    return found


def _check_parameters(torch: Any, parameters: dict[str, Any]) -> None:
    kinds = {each.dtype for each in parameters.values()}
    if not parameters or len(kinds) != 1 or not kinds <= {torch.float32, torch.float64}:
        raise FactsError(
            "the parameters of the network must be floats of 32 bits, or all of 64.",
            remedy="Write network.float() before the training.",
        )
    if any(each.device.type != "cpu" for each in parameters.values()):
        raise FactsError(
            "the network is not on the processor, and how other devices round is not known.",
            remedy="Write network.cpu() before the training.",
        )
