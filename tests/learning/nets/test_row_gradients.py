"""What a row adds depends on that row alone, to the last bit, and is never too long."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from shoal.errors import FactsError
from shoal.learning.nets import secret_batches
from shoal.learning.nets.full_layers import FullLayers
from shoal.learning.nets.gradient_grid import LENGTH
from shoal.learning.nets.row_gradients import RowGradients
from shoal.noise.seam import seeded

LAYERS = FullLayers((5, 7, 3))
LOSS = torch.nn.functional.cross_entropy
COUNT = 12


def gradients(slots: int | None = 8, clip: int = 1) -> RowGradients:
    made = RowGradients(LAYERS.network(), LOSS, clip=Fraction(clip), slots=slots)
    made.set_parameters(np.random.default_rng(5).normal(size=LAYERS.size))
    return made


def strange_rows(count: int, seed: int) -> tuple[Any, Any]:
    """Rows of every size, with NaN and infinities among them."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, 5)) * 10.0 ** rng.integers(-30, 30, (count, 1))
    rows[::7, 2], rows[3::11, 0] = np.nan, np.inf
    return torch.from_numpy(rows.astype(np.float32)), torch.from_numpy(rng.integers(0, 3, count))


def fixed_places(monkeypatch: pytest.MonkeyPatch, drawn: Any) -> None:
    monkeypatch.setattr(secret_batches, "uniform_below", lambda _slots, count: drawn[:count])


@pytest.mark.slow
@pytest.mark.parametrize("slots", [1, 4])
def test_one_row_more_adds_its_own_short_vector_and_moves_no_other(
    slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row is taken out of the sample; the coins of all others stay as they are."""
    rows, targets = strange_rows(COUNT, 1)
    found = gradients(slots)
    drawn = np.random.default_rng(2).integers(0, slots, COUNT)

    def total(kept: list[int]) -> Any:
        fixed_places(monkeypatch, drawn[kept])
        return found.total(rows, targets, np.array(kept, dtype=np.int64))

    whole, added = total(list(range(COUNT))), 0
    for row in range(COUNT):
        moved = whole - total([at for at in range(COUNT) if at != row])
        assert moved.tolist() == total([row]).tolist()
        squares = sum(int(each) ** 2 for each in moved)
        assert squares <= LENGTH**2
        added += squares > 0.99 * LENGTH**2
    assert added >= 3  # some were clipped
    finite = torch.isfinite(rows).all(dim=1)
    assert not total([int(at) for at in torch.nonzero(~finite)]).any()


def test_a_row_has_the_same_gradient_whoever_is_beside_it() -> None:
    found = gradients(8)
    rows, targets = strange_rows(8, 3)
    rows[2] = torch.tensor([0.3, -1.7, 0.2, 5.0, 1e-3])
    first = found._by_row(rows, targets)[2]
    for seed in range(20):
        others, wanted = strange_rows(8, 100 + seed)
        others[2], wanted[2] = rows[2], targets[2]
        assert torch.equal(found._by_row(others, wanted)[2], first)


def test_gradients_are_those_of_ordinary_differentiation() -> None:
    network = LAYERS.network()
    made = RowGradients(network, LOSS, clip=Fraction(1000), slots=4)
    made.set_parameters(LAYERS.start())
    rng = np.random.default_rng(0)
    rows = torch.from_numpy(rng.normal(size=(9, 5)).astype(np.float32))
    targets = torch.from_numpy(rng.integers(0, 3, 9))
    LOSS(network(rows), targets, reduction="sum").backward()
    usual = np.concatenate([each.grad.numpy().reshape(-1) for each in network.parameters()])
    found = made.total(rows, targets, np.arange(9)) * (1000 / LENGTH)
    assert np.abs(found - usual).max() < 0.02


def test_a_sample_of_nobody_adds_nothing() -> None:
    rows, targets = strange_rows(3, 0)
    assert not gradients().total(rows, targets, np.array([], dtype=np.int64)).any()


class Remembering(torch.nn.Linear):  # type: ignore[misc]
    """Keeps the last row that it saw."""

    def forward(self, row: Any) -> Any:
        self.seen = [row]
        return super().forward(row)


class Counting(torch.nn.Linear):  # type: ignore[misc]
    """Counts how often it was called."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, row: Any) -> Any:
        self.calls += 1
        return super().forward(row)


class Listing(Counting):
    """Keeps a list of all calls."""

    def __init__(self, *sizes: int) -> None:
        torch.nn.Linear.__init__(self, *sizes)
        self.calls: list[int] = []

    def forward(self, row: Any) -> Any:
        self.calls.append(1)
        return torch.nn.Linear.forward(self, row)


class Changing(torch.nn.Linear):  # type: ignore[misc]
    """Counts calls within an object that stays the same."""

    def __init__(self, held: Any) -> None:
        super().__init__(5, 3)
        self.held = held

    def forward(self, row: Any) -> Any:
        (self.held["deep"] if isinstance(self.held, dict) else self.held)[0] += 1
        return super().forward(row)


class Thawing(torch.nn.Linear):  # type: ignore[misc]
    """Counts calls in a parameter that is not trained."""

    def __init__(self) -> None:
        super().__init__(5, 3)
        self.calls = torch.nn.Parameter(torch.zeros(()), requires_grad=False)

    def forward(self, row: Any) -> Any:
        self.calls += 1
        return super().forward(row)


class Unreadable(torch.nn.Linear):  # type: ignore[misc]
    """Holds something that cannot be looked into."""

    def __init__(self) -> None:
        super().__init__(5, 3)
        self.calls = (each for each in range(10))


class Branching(torch.nn.Linear):  # type: ignore[misc]
    """Looks at a row to decide what to do."""

    def forward(self, row: Any) -> Any:
        return super().forward(row if bool(row.sum() > 0) else -row)


REFUSED: dict[str, Any] = {
    "batch norm": lambda: torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.BatchNorm1d(3)),
    "dropout": lambda: torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Dropout()),
    "chance that seldom shows": lambda: torch.nn.Sequential(
        torch.nn.Linear(5, 3), torch.nn.Dropout(1e-9)
    ),
    "remembers": lambda: Remembering(5, 3),
    "counts": lambda: Counting(5, 3),
    "lists": lambda: Listing(5, 3),
    "counts in a list": lambda: Changing([0]),
    "counts in a list within a dictionary": lambda: Changing({"deep": [0]}),
    "counts in a part that is frozen": Thawing,
    "holds what cannot be compared": Unreadable,
    "branches": lambda: Branching(5, 3),
    "another width": lambda: torch.nn.Linear(4, 3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_network_in_which_rows_do_not_stand_alone_is_refused(name: str) -> None:
    rows, targets = strange_rows(2, 0)
    with pytest.raises(FactsError):
        RowGradients(REFUSED[name](), LOSS, clip=Fraction(1), slots=4).check(rows, targets)


class CountingLoss(torch.nn.Module):  # type: ignore[misc]
    """Counts calls, and what it says does not depend on that yet."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, output: Any, target: Any) -> Any:
        self.calls += 1
        return LOSS(output, target) * (1 if self.calls < 1000 else 0)


class Schedule:
    """A loss that is a method of something else."""

    def __init__(self) -> None:
        self.calls = [0]

    def loss(self, output: Any, target: Any) -> Any:
        self.calls[0] += 1
        return LOSS(output, target)


def counting_loss(output: Any, target: Any) -> Any:
    counting_loss.calls += 1  # type: ignore[attr-defined]
    return LOSS(output, target)


counting_loss.calls = 0  # type: ignore[attr-defined]


def closed_over(period: int) -> Any:
    calls = 0

    def loss(output: Any, target: Any) -> Any:
        nonlocal calls
        calls += 1
        return LOSS(output, target) * (100 if calls % period else 0)

    return loss


LOSSES: dict[str, Any] = {
    "a module": CountingLoss,
    "a method": lambda: Schedule().loss,
    "a function with an attribute": lambda: counting_loss,
    "every second call": lambda: closed_over(2),
    "every third call": lambda: closed_over(3),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_that_remembers_calls_is_refused(name: str) -> None:
    rows, targets = strange_rows(2, 0)
    for slots in (1, 4):
        made = RowGradients(torch.nn.Linear(5, 3), LOSSES[name](), clip=Fraction(1), slots=slots)
        with pytest.raises(FactsError, match="remembers something"):
            made.check(rows, targets)


TAKEN: dict[str, Any] = {
    "a module": lambda: torch.nn.CrossEntropyLoss(weight=torch.ones(3)),
    "a part": lambda: partial(LOSS, label_smoothing=0.1),
    "a function": lambda: lambda output, target: 2 * LOSS(output, target),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_loss_that_remembers_nothing_is_taken(name: str) -> None:
    rows, targets = strange_rows(2, 0)
    RowGradients(torch.nn.Linear(5, 3), TAKEN[name](), clip=Fraction(1), slots=4).check(
        rows, targets
    )


def test_layers_without_chance_or_memory_are_taken() -> None:
    network = torch.nn.Sequential(
        torch.nn.Linear(5, 4), torch.nn.LayerNorm(4), torch.nn.BatchNorm1d(4).eval(),
        torch.nn.GELU(), torch.nn.Dropout().eval(), torch.nn.Linear(4, 3),
    )  # fmt: skip
    rows, targets = strange_rows(2, 0)
    RowGradients(network, LOSS, clip=Fraction(1), slots=4).check(rows, targets)


@pytest.mark.parametrize(
    "network",
    [torch.nn.ReLU(), torch.nn.Linear(2, 2).half(), torch.nn.Linear(2, 2).requires_grad_(False),
     torch.nn.Linear(2, 2, device="meta")],
)  # fmt: skip
def test_parameters_that_cannot_be_trained_are_refused(network: Any) -> None:
    with pytest.raises(FactsError):
        RowGradients(network, LOSS, clip=Fraction(1), slots=4)


@pytest.mark.parametrize("slots", [1, 4])
def test_a_row_on_which_the_network_fails_adds_zeros_and_changes_no_other(slots: int) -> None:
    """77 is no class: torch raises an error for it, which would tell that somebody has it."""
    rows = torch.linspace(-2, 2, 30).reshape(6, 5)
    targets = torch.tensor([0, 77, 1, 2, 77, 0])
    made = gradients(slots)
    with seeded("places"):
        found = made.total(rows, targets, np.arange(6))
    alone = sum(made.total(rows, targets, np.array([at])) for at in (1, 4))
    assert not np.any(alone)
    with seeded("places"):  # the same places, with fitting targets in the rows that failed
        fitting = torch.where(targets == 77, 0, targets)
        both = made.total(rows, fitting, np.arange(6))
    with seeded("places"):
        rows[[1, 4]] = float("nan")  # these add zeros, too
        others = made.total(rows, fitting, np.arange(6))
    assert np.array_equal(found, others)
    assert not np.array_equal(found, both)
