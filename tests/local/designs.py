"""Every survey design of two answers with its odds as the literature has them, and what its reply
costs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from shoal.local import (
    Design,
    coins,
    crosswise,
    for_epsilon,
    forced,
    kary,
    kuk,
    mangat,
    triangular,
    unrelated,
    warner,
)


@dataclass(frozen=True)
class Case:
    design: Design
    floor: Fraction
    lean: Fraction
    epsilon: float


def _case(design: Design, floor: str, lean: str, ratio: float) -> Case:
    return Case(design, Fraction(floor), Fraction(lean), math.log(ratio))


CASES: Mapping[str, Case] = {
    "warner": _case(warner("3/4"), "1/4", "1/2", 3),
    "warner, mostly lies": _case(warner("1/5"), "4/5", "-3/5", 4),
    "coins": _case(coins(), "1/4", "1/2", 3),
    "forced": _case(forced("3/4", yes="1/6"), "1/6", "3/4", 10),
    "forced, even": _case(forced("2/3"), "1/6", "2/3", 5),
    "unrelated": _case(unrelated("2/3", prevalence="1/4"), "1/12", "2/3", 9),
    "kuk": _case(kuk("7/10", "1/5"), "1/5", "1/2", 3.5),
    "crosswise": _case(crosswise("1/4"), "3/4", "-1/2", 3),
    "triangular": _case(triangular("1/4"), "1/4", "3/4", math.inf),
    "mangat": _case(mangat("2/3"), "1/3", "2/3", math.inf),
    "k-ary of two": _case(kary(["no", "yes"], truth="4/5"), "1/5", "3/5", 4),
    "for epsilon": Case(
        for_epsilon(2),
        1 - for_epsilon(2).matrix.chance(1, 1),
        2 * for_epsilon(2).matrix.chance(1, 1) - 1,
        2.0,
    ),
}
