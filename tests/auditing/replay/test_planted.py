"""Programs with one fault each: record and play finds it, says where, and leaves the right ones
alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.auditing.replay import primitive, replay
from shoal.errors import PriceError

Rows = list[dict[str, Any]]
ROWS: Rows = [
    {"town": town, "age": age} for town, age in [("A", 3), ("A", 80), ("B", 40), ("C", 7)]
]
WITHOUT = [(ROWS, ROWS[:at] + ROWS[at + 1 :]) for at in range(len(ROWS))]
TOWNS = ["A", "B", "C"]

ONE = shoal.Laplace.for_epsilon(1, sensitivity=1)
AGES = shoal.Geometric.for_epsilon(1, sensitivity=60)
CELLS = shoal.Gaussian.for_budget(shoal.Approx(1, "1e-6"), sensitivity=1)


def cut(age: int) -> int:
    return min(max(age, 0), 60)


def counts(rows: Rows, towns: list[str]) -> Any:
    tally = Counter(row["town"] for row in rows)
    return np.array([tally[town] for town in towns])


def clamp_before_sum(rows: Rows) -> Any:
    return AGES.release(sum(cut(row["age"]) for row in rows))


def clamp_after_sum(rows: Rows) -> Any:
    return AGES.release(cut(0) + sum(row["age"] for row in rows))


def one_norm(rows: Rows) -> Any:
    return CELLS.release(counts(rows, TOWNS))


def wrong_norm(rows: Rows) -> Any:
    """Each person stands in two sums of which each moves by 1: 1 in LINF, more in L2."""
    here = counts(rows, TOWNS)
    return CELLS.release(np.concatenate([here, here]))


def listed_keys(rows: Rows) -> Any:
    return dict(zip(TOWNS, ONE.release(counts(rows, TOWNS)).tolist(), strict=True))


def leaked_keys(rows: Rows) -> Any:
    """The towns are read off the rows."""
    towns = sorted({row["town"] for row in rows})
    return dict(zip(towns, ONE.release(counts(rows, towns)).tolist(), strict=True))


def leaked_order(rows: Rows) -> Any:
    """All towns are told, those with most people first."""
    here = counts(rows, TOWNS)
    noisy = ONE.release(here)
    return [TOWNS[at] for at in np.argsort(-here, kind="stable")], noisy.tolist()


def extra_draw(rows: Rows) -> Any:
    first = ONE.release(len(rows))
    return first, ONE.release(len(rows)) if any(row["age"] > 70 for row in rows) else 0


def wider_noise(rows: Rows) -> Any:
    return shoal.Laplace.for_epsilon(1, sensitivity=max(row["age"] for row in rows)).release(1)


def naming_error(rows: Rows) -> Any:
    total = ONE.release(len(rows))
    for row in rows:
        if row["age"] == 40:
            message = f"the age {row['age']} of {row['town']} is not allowed"
            raise ValueError(message)
    return total


def telling_error(rows: Rows) -> Any:
    """Both sides end in an error, whose words tell the number of rows."""
    message = f"{len(rows)} rows are too few"
    raise ValueError(message)


def told_type(rows: Rows) -> Any:
    noisy = ONE.release(len(rows))
    return float(noisy) if any(row["age"] == 3 for row in rows) else noisy


def own_draws(rows: Rows) -> Any:
    """Every row draws for itself, outside any noise."""
    from shoal.noise import uniform_below  # noqa: PLC0415 - only here

    return ONE.release(len(rows)) + 0 * int(uniform_below(2, 1000 * len(rows)).sum())


def scores_apart(rows: Rows) -> Any:
    chooser = shoal.Exponential(epsilon=1, sensitivity=1)
    return chooser.release(
        {town: sum(r["age"] for r in rows if r["town"] == town) for town in TOWNS}
    )


def two_ways(rows: Rows) -> Any:
    """Shares of one whole move both ways, though they are said to move one way."""
    chooser = shoal.Exponential(epsilon=1, sensitivity=1, monotone=True)
    here = counts(rows, TOWNS)
    return chooser.release({"A": int(here[0]), "not A": -int(here[0])})


def two_ways_in_a_run(rows: Rows) -> Any:
    run = shoal.SparseVector(epsilon=1, sensitivity=1, positives=2, monotone=True).start(
        threshold=99
    )
    return run.ask(len(rows)), run.ask(-len(rows))


def one_way_in_a_run(rows: Rows) -> Any:
    run = shoal.SparseVector(epsilon=1, sensitivity=1, positives=2, monotone=True).start(
        threshold=2
    )
    return [run.ask(len(rows)) for _ in range(1)]


def data_as_threshold(rows: Rows) -> Any:
    run = shoal.AboveThreshold(epsilon=1, sensitivity=1).start(threshold=len(rows))
    return run.ask(2)


def foreign(scale: float) -> Callable[[Rows], Any]:
    noise = primitive(lambda value: value + scale, sensitivity=60, name="their noise")
    return lambda rows: noise(float(sum(cut(row["age"]) for row in rows)))


def foreign_without_clamp(rows: Rows) -> Any:
    noise = primitive(lambda value: value + 0.5, sensitivity=60, name="their noise")
    return noise(float(sum(row["age"] for row in rows)))


def not_a_number(rows: Rows) -> Any:
    noise = primitive(lambda _: 0.5, sensitivity=60, name="their noise")
    return noise(float("nan") if len(rows) == 4 else 1.0)


HONEST = [clamp_before_sum, one_norm, listed_keys, one_way_in_a_run, foreign(0.5)]
FAULTS = {
    clamp_after_sum: "moved",
    wrong_norm: "moved",
    leaked_keys: "moved",
    leaked_order: "result",
    extra_draw: "noise",
    wider_noise: "noise",
    naming_error: "error",
    telling_error: "error",
    told_type: "result",
    own_draws: "draws",
    scores_apart: "moved",
    two_ways: "moved",
    two_ways_in_a_run: "moved",
    data_as_threshold: "moved",
    foreign_without_clamp: "moved",
    not_a_number: "moved",
}


@pytest.mark.parametrize("run", HONEST)
def test_an_honest_program_shows_no_difference(run: Callable[[Rows], Any]) -> None:
    found = replay(run, WITHOUT, relation="add_remove", repeats=3)
    assert found.differences == ()
    assert not found.verdict.refuted
    assert found.noises >= 3 * len(WITHOUT)
    assert 0 < found.worst <= 1


@pytest.mark.parametrize(
    ("run", "kind"), FAULTS.items(), ids=lambda each: getattr(each, "__name__", each)
)
def test_a_planted_fault_is_found_by_its_kind(run: Callable[[Rows], Any], kind: str) -> None:
    found = replay(run, WITHOUT)
    assert kind in {each.kind for each in found.differences}
    assert found.verdict.refuted == (kind != "draws")
    assert found.verdict.confidence is None


def test_a_difference_says_where_what_was_declared_and_how_far_it_moved() -> None:
    (found,) = replay(clamp_after_sum, [(ROWS, ROWS[:1] + ROWS[2:])]).differences
    assert (found.declared, found.found) == ("at most 60", "the input in l1 moved by 80")
    assert "Geometric(scale=60, sensitivity=60)" in found.place
    assert "test_planted.py:" in found.place
    assert found.share == Fraction(4, 3)


def test_no_error_of_a_run_is_quoted() -> None:
    (found,) = replay(naming_error, [(ROWS, ROWS[:2] + ROWS[3:])]).differences
    assert "40" not in found.found


def test_a_noise_for_changes_is_not_one_for_coming_and_going() -> None:
    changing = shoal.Histogram.for_epsilon(1, relation="change")
    pairs = [(["A", "B"], ["A"]), (["A"], ["A"])]
    found = replay(
        lambda rows: changing.release(rows, categories=TOWNS), pairs, relation="add_remove"
    )
    assert [each.kind for each in found.differences] == ["relation"]


def test_under_change_a_noise_for_coming_and_going_may_move_twice_as_far() -> None:
    table = shoal.Histogram.for_epsilon(1)
    pairs = [(["A", "B"], ["A", "C"])]

    def run(rows: list[str]) -> Any:
        return table.release(rows, categories=TOWNS)

    assert replay(run, pairs, relation="change").worst == 1
    assert replay(run, pairs).worst == 2


def test_a_group_of_two_may_move_twice_as_far() -> None:
    pairs = [(ROWS, ROWS[2:])]
    assert replay(listed_keys, pairs).verdict.refuted
    assert not replay(listed_keys, pairs, group=2).verdict.refuted


def test_what_is_released_in_a_replay_is_not_private() -> None:
    marks = []

    def run(rows: Rows) -> Any:
        marks.append(ONE.event.private)
        return ONE.release(len(rows))

    replay(run, WITHOUT[:1])
    assert marks == [False, False]
    assert ONE.event.private


def test_a_question_is_rehearsed_in_a_replay_and_nowhere_else() -> None:
    held = shoal.private(pa.table({"x": [1, 2]}), protects=shoal.Row(), budget=shoal.Pure(1))
    ask = held.sql("SELECT COUNT(*) AS n FROM data")
    with pytest.raises(PriceError, match="rehearsal"):
        ask.rehearse(epsilon=1)
    found = replay(lambda _: ask.rehearse(epsilon=1), [(0, 1)])
    assert found.noises == 1
    assert held.budget.spent == shoal.Pure(0)
    assert replay(lambda _: ask.release(epsilon=1), [(0, 1)]).errors == 1


def test_no_noise_at_all_is_told() -> None:
    found = replay(lambda _: 3, [(1, 2)])
    assert found.verdict.found == "no noise was drawn on 1 pairs, and nothing differed."
