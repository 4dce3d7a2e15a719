from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from shoal.errors import DataError, ShapeError
from shoal.local.protocols.attributes import FakedAttributes, SampledAttributes, SplitAttributes
from shoal.noise.seam import seeded

KINDS = [SplitAttributes, SampledAttributes, FakedAttributes]


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (3, 2, 2)])
def test_a_report_among_fakes_costs_what_all_pairs_of_records_say(sizes: tuple[int, ...]) -> None:
    made = FakedAttributes(sizes, Fraction(7, 2))
    rows = list(product(*(range(size) for size in sizes)))
    assert all(sum(made.chance(row, report) for report in rows) == 1 for row in rows)
    record = attribute = Fraction(0)
    for one, two, report in product(rows, rows, rows):
        ratio = made.chance(one, report) / made.chance(two, report)
        record = max(record, ratio)
        if sum(a != b for a, b in zip(one, two, strict=True)) == 1:
            attribute = max(attribute, ratio)
    assert record == made.odds
    assert attribute == made.attribute_odds


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_published_price_of_fakes_is_that_of_one_attribute_only(count: int) -> None:
    wanted = Fraction(3)
    made = FakedAttributes((4,) * count, count * (wanted - 1) + 1)
    assert made.attribute_odds == wanted
    assert made.odds > wanted


@pytest.mark.parametrize("kind", KINDS)
def test_shares_of_every_attribute_are_unbiased_with_the_variance_they_say(
    kind: type[SplitAttributes],
) -> None:
    made, people = kind.for_epsilon(3, sizes=[3, 8, 40]), 60_000
    rows = np.stack([np.arange(people) % 2, np.arange(people) % 5, np.arange(people) % 37], axis=1)
    with seeded(kind.__name__):
        found = made.estimate(made.report(rows))
    for place, (shares, size) in enumerate(zip(found, (3, 8, 40), strict=True)):
        truth = np.bincount(rows[:, place], minlength=size) / people
        off = (shares.frequencies - truth) / shares.standard_errors
        assert np.abs(off).max() < 5
        assert 0.4 < (off**2).mean() < 2 or size < 40
    assert float(made.cost.epsilon) <= 3


def test_one_attribute_sampled_has_less_error_than_all_of_them_split() -> None:
    split = SplitAttributes.for_epsilon(2, sizes=[20] * 4).parts[0].variance(0)
    sampled = SampledAttributes.for_epsilon(2, sizes=[20] * 4).parts[0].variance(0) * 4
    assert sampled < split


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_do_not_fit_are_refused(kind: type[SplitAttributes]) -> None:
    made = kind.for_epsilon(1, sizes=[3, 4])
    with pytest.raises(ShapeError):
        made.report([1, 2])
    with pytest.raises(DataError):
        made.report([[0, 4]])
    with pytest.raises(ShapeError):
        kind.for_epsilon(1, sizes=[])
