"""Histograms and modes over categories that nobody listed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import pytest
from flint import arb
from tests.mechanisms.laws import discrete_laplace, hockey_stick, laplace_at_most
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value_of_choices

from shoal import Approx, account
from shoal.errors import RangeError, ShapeError
from shoal.exact import at_precision
from shoal.functions import StableHistogram, StableMode
from shoal.noise import seam

FAR = 30
Pairs = Sequence[tuple[tuple[int, ...], tuple[int, ...]]]


def cell(mechanism: StableHistogram, count: int) -> dict[int | None, arb]:
    """What is told of a category with so many rows: nothing, or a noisy count."""
    if count == 0:
        return {None: arb(1)}
    scale = (2 if mechanism.relation == "change" else 1) / mechanism.epsilon
    least = mechanism.threshold
    noise = discrete_laplace(scale)
    told: dict[int | None, arb] = {n: noise(n - count) for n in range(least, least + FAR)}
    told[least + FAR] = 1 - laplace_at_most(scale, least + FAR - 1 - count)
    return {None: laplace_at_most(scale, least - 1 - count), **told}


def table(mechanism: StableHistogram, counts: tuple[int, ...]) -> dict[tuple[int | None, ...], arb]:
    cells = [cell(mechanism, count) for count in counts]
    return {
        told: reduce(lambda a, b: a * b, (one[part] for one, part in zip(cells, told, strict=True)))
        for told in itertools.product(*cells)
    }


def worst(mechanism: StableHistogram, pairs: Pairs) -> float:
    def delta() -> float:
        found = []
        for one, other in pairs:
            here, there = table(mechanism, one), table(mechanism, other)
            every = here.keys() | there.keys()
            both = [(here.get(told, arb(0)), there.get(told, arb(0))) for told in every]
            found.append(float(hockey_stick(both, mechanism.epsilon).upper()))
        return max(found)

    return at_precision(128, delta)


def test_a_histogram_is_private_for_every_row_that_comes_or_goes() -> None:
    mechanism = StableHistogram(epsilon=1, delta="0.01")
    ups = [((n,), (n + 1,)) for n in range(8)]
    found = worst(mechanism, ups + [(b, a) for a, b in ups])
    assert 0.003 < found <= 0.01


def test_a_histogram_is_private_for_every_row_that_changes() -> None:
    mechanism = StableHistogram(epsilon=1, delta="0.05", relation="change")
    pairs = [((a + 1, b), (a, b + 1)) for a in range(4) for b in range(4)]
    assert 0.01 < worst(mechanism, pairs) <= 0.05


def test_the_noise_of_the_other_relation_would_not_do() -> None:
    """Noise for rows that come and go, where a row moves from one category to another."""
    mechanism = StableHistogram(epsilon=1, delta="0.01")
    assert worst(mechanism, [((4, 4), (3, 5)), ((1, 1), (0, 2))]) > 0.01


def test_told_counts_have_their_law_and_no_other() -> None:
    mechanism = StableHistogram(epsilon="0.5", delta="0.01")
    with seam.seeded("stable histogram"):
        drawn = [mechanism.release(["a"] * 9).get("a") for _ in range(30_000)]

    def floats(made: StableHistogram) -> dict[int | None, float]:
        found = at_precision(128, lambda: {k: float(v) for k, v in cell(made, 9).items()})
        return {
            told: chance
            for told, chance in found.items()
            if told is None or told >= mechanism.threshold
        }

    kept = [told if told is None else min(told, mechanism.threshold + FAR) for told in drawn]
    assert p_value_of_choices(kept, floats(mechanism)) > ACCEPT
    sizes = Counter(told is None for told in kept)
    assert sizes[True] > 0
    for factor in (Fraction(13, 10), Fraction(7, 10)):
        wrong = StableHistogram(epsilon=mechanism.epsilon * factor, delta="0.01")
        object.__setattr__(wrong, "threshold", mechanism.threshold)
        assert p_value_of_choices(kept, floats(wrong)) < REJECT


def test_a_mode_is_private_for_all_small_tables() -> None:
    for relation in ("add_remove", "change"):
        mechanism = StableMode(epsilon=1, delta="0.02", relation=relation)

        def law(
            counts: tuple[int, ...], mechanism: StableMode = mechanism
        ) -> dict[int | None, arb]:
            order = sorted(range(3), key=lambda place: (-counts[place], place))
            lead = counts[order[0]] - counts[order[1]]
            silent = laplace_at_most(
                1 / mechanism.epsilon, mechanism.threshold - 1 - mechanism.safe_changes(lead)
            )
            return {**dict.fromkeys([None, 0, 1, 2], arb(0)), None: silent, order[0]: 1 - silent}

        def lost(relation: str = relation) -> float:
            every = list(itertools.product(range(9), range(4), range(3)))
            found = 0.0
            for counts in every:
                for other in _near(counts, relation):
                    here, there = law(counts), law(other)
                    pairs = [(here[each], there[each]) for each in here]
                    found = max(found, float(hockey_stick(pairs, Fraction(1)).upper()))
            return found

        assert 0.005 < at_precision(128, lost) <= 0.02


def _near(counts: tuple[int, ...], relation: str) -> list[tuple[int, ...]]:
    ups = [tuple(n + (k == i) for k, n in enumerate(counts)) for i in range(3)]
    if relation == "add_remove":
        return ups
    return [
        tuple(n - (k == i) for k, n in enumerate(up)) for up in ups for i in range(3) if up[i] > 0
    ]


def test_a_mode_that_leads_is_told_and_one_that_does_not_is_not() -> None:
    mechanism = StableMode(epsilon=1, delta="1e-6")
    with seam.seeded("mode"):
        assert {mechanism.release(["a"] * 80 + ["b"] * 20) for _ in range(50)} == {"a"}
        assert {mechanism.release(["a"] * 20 + ["b"] * 20) for _ in range(50)} == {None}
        assert {mechanism.release([]) for _ in range(50)} == {None}


def test_how_often_a_mode_is_told_follows_its_lead() -> None:
    mechanism = StableMode(epsilon="0.5", delta="0.01")
    lead = mechanism.threshold
    with seam.seeded("lead"):
        told = [mechanism.release(["a"] * lead) is not None for _ in range(20_000)]

    def chances(epsilon: float) -> dict[bool, float]:
        silent = at_precision(
            128,
            lambda: float(
                laplace_at_most(Fraction(1 / epsilon), mechanism.threshold - 1 - (lead - 1))
            ),
        )
        return {True: 1 - silent, False: silent}

    assert p_value_of_choices(told, chances(0.5)) > ACCEPT
    assert p_value_of_choices(told, chances(0.65)) < 1e-3


def test_rows_that_cannot_be_keys_are_in_no_category() -> None:
    rows: list[Any] = [["x"], *["y"] * 40, {"z"}]
    with seam.seeded("keys"):
        table = StableHistogram(epsilon=5, delta="1e-3").release(rows)
    assert list(table) == ["y"]


def test_the_account_charges_noise_and_a_failing_mass() -> None:
    for kind in (StableHistogram, StableMode):
        mechanism = kind(epsilon=1, delta="1e-6", relation="change")
        assert mechanism.cost == Approx(1, "1e-6")
        bill = account([mechanism.event], relation="change")
        assert bill.epsilon(delta="1e-6").epsilon <= 1
        assert bill.epsilon(delta="1e-6").epsilon > Fraction(99, 100)


def test_what_is_no_list_of_rows_and_too_large_a_delta_are_refused() -> None:
    with pytest.raises(ShapeError):
        StableHistogram(epsilon=1, delta="1e-6").release("abc")
    with pytest.raises(RangeError):
        StableMode(epsilon=1, delta="0.7")


def test_texts_that_cannot_be_written_are_in_no_category() -> None:
    rows = ["\ud800"] * 500 + ["tea"] * 90
    assert list(StableHistogram(epsilon=1, delta="1e-6").release(rows)) == ["tea"]
    assert StableMode(epsilon=1, delta="1e-6").release(rows) == "tea"
