"""Tables: published margins, small cells left out, and the integers behind them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import by_epsilon, epsilons, pure_coin_up
from shoal.auditing.extra import audit_module
from shoal.mechanisms import Geometric
from shoal.noise import uniform_below
from shoal.page import Heading, PageTable, Part, Words
from shoal.reproduce import Effort
from shoal.reproduce.number_format import percent

_optimize, _sparse = audit_module("scipy.optimize"), audit_module("scipy.sparse")

TRAITS = {"sex": 2, "age": 6, "street": 5, "work": 5, "household": 3}
"""What a public register says of everybody, and how many values it has."""

PEOPLE = 80
LEAST = 3
"""Cells with fewer people than this are not published."""

PAIRS = tuple(itertools.combinations(range(len(TRAITS)), 2))
"""One table for each two traits."""

NODES = 200
"""Where the search for the nearest integers stops."""

Places = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class CensusBlock:
    """The people of a block: who shares all traits, who is ill, and which published cells they
    count in.
    """

    group: Places
    """For each person, the number of those who have the same traits."""
    ill: Places
    cells: Any  # a sparse matrix
    """A row for each published cell, a column for each group: 1 where the group counts."""
    sizes: Places
    """How many people are in each published cell."""

    def counts(self) -> Places:
        """How many are ill in each published cell."""
        inside = np.bincount(self.group, weights=self.ill, minlength=self.cells.shape[1])
        return np.asarray(np.rint(self.cells @ inside), dtype=np.int64)

    def published(self, least: int) -> NDArray[np.bool_]:
        """The cells with enough people."""
        return self.sizes >= least


def made_up() -> CensusBlock:
    """People with traits at random, half of them ill."""
    traits = np.stack([uniform_below(size, PEOPLE) for size in TRAITS.values()], axis=1)
    kinds, group = np.unique(traits, axis=0, return_inverse=True)
    rows = [
        (kinds[:, one] == a) & (kinds[:, two] == b)
        for one, two in PAIRS
        for a in range(list(TRAITS.values())[one])
        for b in range(list(TRAITS.values())[two])
    ]
    cells = _sparse.csr_matrix(np.array(rows, dtype=np.float64))
    many = np.bincount(group.ravel(), minlength=len(kinds)).astype(np.float64)
    ill = uniform_below(2, PEOPLE).astype(np.int64)
    return CensusBlock(
        group.ravel().astype(np.int64), ill, cells, np.rint(cells @ many).astype(np.int64)
    )


def solved(block: CensusBlock, told: Numbers, shown: NDArray[np.bool_]) -> Numbers:
    """The whole numbers of ill people in each group whose sums are least off from what was told."""
    groups, cells = block.cells.shape[1], int(shown.sum())
    many = np.bincount(block.group, minlength=groups).astype(np.float64)
    off = _sparse.eye_array(cells)
    sums = _sparse.hstack([block.cells[shown], off, -off], format="csr")
    cost = np.concatenate([np.zeros(groups), np.ones(2 * cells)])
    found = _optimize.milp(
        cost,
        constraints=_optimize.LinearConstraint(sums, told[shown], told[shown]),
        bounds=_optimize.Bounds(
            np.zeros(groups + 2 * cells), np.concatenate([many, np.full(2 * cells, np.inf)])
        ),
        integrality=np.concatenate([np.ones(groups), np.zeros(2 * cells)]),
        options={"node_limit": NODES},
    )
    return np.zeros(groups) if found.x is None else np.asarray(found.x[:groups])


def _right(block: CensusBlock, found: Numbers) -> float:
    """The share of people who are told rightly: ill if most of their group are; a coin where half
    are.
    """
    many = np.bincount(block.group)
    share = (found / many)[block.group]
    coin = uniform_below(2, PEOPLE)
    says = np.where(np.abs(share - 0.5) < 1e-6, coin, share > 0.5)
    return float((says == block.ill).mean())


def _exactly(blocks: list[CensusBlock]) -> Score:
    return Score.of(
        [
            _right(each, solved(each, each.counts().astype(np.float64), each.published(LEAST)))
            for each in blocks
        ]
    )


def _with_shoal(epsilon: Fraction, blocks: list[CensusBlock]) -> Score:
    """Every cell is published, however small; a person is in one cell of each table, and can leave
    it for another.
    """
    mechanism = Geometric.for_epsilon(epsilon, sensitivity=2 * len(PAIRS))
    shares = []
    for block in blocks:
        told = np.asarray(mechanism.release(block.counts()), dtype=np.float64)
        shares.append(_right(block, solved(block, told, block.published(0))))
    return Score.of(shares)


def _run(effort: Effort) -> Result:
    blocks = [made_up() for _ in range(effort.times(80, least=10))]
    without = _exactly(blocks)
    prices = epsilons(10, 1000) if effort.quick else epsilons(1, 10, 100, 1000)
    scores = {each: _with_shoal(each, blocks) for each in prices}
    hidden = float(np.mean([1 - each.published(LEAST).mean() for each in blocks]))
    rows = [
        ["exact, small cells left out", percent(without.rate), ""],
        *(
            [
                f"Shoal, epsilon {float(each):g}",
                percent(scores[each].rate),
                percent(pure_coin_up(float(each))),
            ]
            for each in scores
        ),
    ]
    parts: list[Part] = [
        Words(
            f"A block of {PEOPLE} people. A public register knows {', '.join(TRAITS)} of each; the office publishes how many are ill by each two of them, {len(PAIRS)} tables, and leaves out cells of fewer than {LEAST} people "
            f"({percent(hidden)} of all). Each table by itself is harmless. Together they are equations for whole numbers, and an integer program finds the numbers: who is ill, name by name."
        ),
        Heading("People told rightly", 3),
        PageTable(["tables", "people told rightly", "ceiling"], rows, frozenset((1, 2))),
        Words(
            "With Shoal all cells are published, small ones too, with noise that pays for all tables at once. The program then finds the whole numbers that fit the noise best."
        ),
        by_epsilon(
            scores,
            without=without.rate,
            y="people told rightly",
            caption="Tables: people whose illness is told rightly by integer programming.",
        ),
    ]
    return Result(0.5, without, scores[EPSILON], pure_coin_up(float(EPSILON)), parts)


TABLES = Attack(
    "tables",
    "Tables: whole numbers behind the margins",
    "A reader of published tables and of a public register wants to know who is ill. The success is the share of people told rightly; half of them are ill.",
    "Garfinkel, Abowd and Martindale 2018, on the census; Dobra and Fienberg 2000 on bounds for cells",
    _run,
)
