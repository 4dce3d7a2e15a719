"""The row *noise*: exact draws per CPU second, beside the peers."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from benchmarks.measure import (
    Act,
    Cells,
    Goal,
    Row,
    cpu_seconds,
    first_cpu_seconds,
    ratios,
    smallest,
    table,
)
from benchmarks.peers import EPSILON, LAWS, Sampler, Scalar, has, samplers, scalars

OURS = "**Shoal**"
SCALES = {
    "1/3": Fraction(1, 3),
    "1": Fraction(1),
    "10": Fraction(10),
    "1000": Fraction(1000),
    "10^6": Fraction(10**6),
    "2^40": Fraction(2**40),
}
SMALL = ["1/3", "1", "10"]
LARGE = ["1000", "10^6", "2^40"]
SIZES = {"10^6": 10**6, "10^3": 10**3}
NEW_SCALES = [Fraction(97 + k, 101) for k in range(5)]
"""A scale times one of these has not been used before."""

Rates = dict[str, dict[str, float]]
"""Contestant -> scale -> draws per CPU second."""


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it times the peers alone."""
    with_ours = with_ours and has("shoal.noise")
    row = Row("Noise")
    for law in LAWS:
        contestants = [*our_samplers(with_ours), *samplers()]
        for size, draws in SIZES.items():
            rates = _rates([c for c in contestants if c.law == law], draws)
            row.tables.append(table(_title(law, size), list(SCALES), rates))
            _add_ratios(row, rates, law, size)
    _add_first_use(row, with_ours=with_ours)
    _add_scalars(row, with_ours=with_ours)
    return row


def our_samplers(with_ours: bool) -> Iterator[Sampler]:  # noqa: FBT001
    if not with_ours:
        return
    from shoal import noise

    ours: Any = noise

    def laplace(scale: Fraction, size: int) -> Act:
        return lambda: ours.discrete_laplace(scale).many(size)

    def gaussian(scale: Fraction, size: int) -> Act:
        return lambda: ours.discrete_gaussian(scale * scale).many(size)

    yield Sampler(OURS, "Laplace", laplace)
    yield Sampler(OURS, "Gaussian", gaussian)


def our_scalars(with_ours: bool) -> Iterator[Scalar]:  # noqa: FBT001
    if not with_ours:
        return
    import shoal

    ours: Any = shoal

    def laplace() -> Act:
        mechanism = ours.Laplace.for_epsilon(EPSILON, sensitivity=1)
        return lambda: mechanism.release(42)

    yield Scalar(f"{OURS} Laplace", laplace)


def _rates(contestants: list[Sampler], size: int) -> Rates:
    rates: Rates = {}
    for contestant in contestants:
        draws = min(size, contestant.most)
        print(f"noise: {contestant.law}, {draws} draws at once, {contestant.name.strip('*')}")
        rates[contestant.name] = {
            name: draws / cpu_seconds(contestant.prepare(scale, draws))
            for name, scale in SCALES.items()
        }
    return rates


def _title(law: str, size: str) -> str:
    return f"{law}: draws per CPU second, {size} at once; scale"


def _add_ratios(row: Row, rates: Rates, law: str, size: str) -> None:
    ours = rates.get(OURS, {})
    times = {name: ratios(ours, cells) for name, cells in rates.items() if name != OURS}
    if ours:
        title = f"{law}, {size} at once: Shoal is so many times as fast as; scale"
        row.tables.append(table(title, list(SCALES), times))
    if size == "10^6":
        row.goals += _speed_goals(law, times)


def _speed_goals(law: str, times: dict[str, dict[str, float]]) -> Iterator[Goal]:
    promises: list[tuple[str, str, float, list[str]]] = [
        ("numpy at scales up to 10", "numpy, unsafe", 2, SMALL),
        ("numpy at larger scales", "numpy, unsafe", 1, LARGE),
        ("OpenDP's integers", "OpenDP, integers", 300, list(SCALES)),
        ("OpenDP's floats", "OpenDP, floats", 1000, list(SCALES)),
    ]
    for words, peer, bound, columns in promises:
        measured, where = smallest(times.get(peer, {}), columns)
        promise = f"{law}, 10^6 at once, at least {bound:g} times {words}"
        yield Goal(promise, bound, measured, where=f"at scale {where}, its worst")


def _add_first_use(row: Row, *, with_ours: bool) -> None:
    rows: dict[str, Cells] = {}
    for contestant in our_samplers(with_ours):
        contestant.prepare(Fraction(22, 7), 10**6)()  # what the process builds once is not counted
        for words, first in (("10^3 draws", _first_few), ("10^6 draws, beyond later ones", _extra)):
            print(f"noise: {contestant.law}, first use, {words}")
            rows[f"{contestant.law}, {words}"] = {
                name: 1000 * statistics.median(first(contestant, scale * new) for new in NEW_SCALES)
                for name, scale in SCALES.items()
            }
    if rows:
        row.tables.append(table("First use of a new scale: CPU ms; scale", list(SCALES), rows))
    slowest = max((max(cells.values()) for cells in rows.values()), default=None)
    promise = "a new scale costs less than 50 ms of CPU at first use"
    row.goals.append(Goal(promise, 50, slowest, unit=" ms", where="its worst", at_most=True))


def _first_few(contestant: Sampler, scale: Fraction) -> float:
    return first_cpu_seconds(contestant.prepare(scale, 10**3))


def _extra(contestant: Sampler, scale: Fraction) -> float:
    scale *= Fraction(103, 107)  # not the one whose tables the smaller draw may have built
    act = contestant.prepare(scale, 10**6)
    first = first_cpu_seconds(act)
    return max(0.0, first - statistics.median(first_cpu_seconds(act) for _ in range(3)))


def _add_scalars(row: Row, *, with_ours: bool) -> None:
    rates: dict[str, Cells] = {}
    for contestant in [*our_scalars(with_ours and _has_front("Laplace")), *scalars()]:
        print(f"noise: one number at a time, {contestant.name.replace('*', '')}")
        rates[contestant.name] = {"calls": 1 / cpu_seconds(contestant.prepare())}
    row.tables.append(table("One number at a time: per CPU second", ["calls"], rates))
    measured = rates.get(f"{OURS} Laplace", {}).get("calls")
    promise = "at least 250 k scalar releases per CPU second"
    row.goals.append(Goal(promise, 250_000, measured, unit="/s"))


def _has_front(name: str) -> bool:
    import shoal

    if hasattr(shoal, name):
        return True
    print(f"skipped: shoal.{name} (not there)")
    return False
