"""Tables with Laplace noise: weighted marginals, each paid for by its share of epsilon.

One person is in one cell of every marginal, so marginals with noise of epsilon_T each cost the sum
of the epsilon_T.  Every marginal also tells all coarser ones, so which of them are measured, and
how well, is chosen for the least error of all tables together.
Proof: workloads.md, *Laplace noise*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from shoal.workloads.column_parts import CountParts
from shoal.workloads.column_queries import ColumnQuery, Floats
from shoal.workloads.measurement import Measurement
from shoal.workloads.projected_descent import descend
from shoal.workloads.strategy import subsets
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery

Part = tuple[tuple[str, int], ...]
"""Columns and a step of each."""

MOST_MARGINALS = 1500
"""Among so many marginals those to be measured are chosen; where there are more, the wanted tables
are."""

_FAN_OUTS = (None, 4, 8, 16)
_TINY = 1e-6
"""Marginals with a smaller share of epsilon are not measured."""


@dataclass(frozen=True, eq=False)
class PureStrategy:
    """Marginals of wanted tables and of what they contain, with a share of epsilon for each.

    Guarantee: estimates are unbiased and agree with each other.  They are those of least squares up
        to the rounding of weights (where groups of a level differ in size) and of shares.
    Edges: no bound tells how good it is; `shares` are a local optimum.
    Reference: the weighted marginals of McKenna, Miklau, Hay and Machanavajjhala 2018 (HDMM, OPT_M).
    """

    domain: TableDomain
    tables: tuple[TableQuery, ...]
    fan_out: int | None = None

    @classmethod
    def best(cls, domain: TableDomain, tables: tuple[TableQuery, ...]) -> PureStrategy:
        """With the levels for ordered columns that have the least expected error."""
        if not any(query.is_ordered for table in tables for query in table.queries):
            return cls(domain, tables)
        return min((cls(domain, tables, each) for each in _FAN_OUTS), key=lambda each: each.error)

    @cached_property
    def _columns(self) -> Mapping[str, CountParts]:
        asked: dict[str, dict[ColumnQuery, float]] = {}
        for table in self.tables:
            for column, query in zip(table.columns, table.queries, strict=True):
                asked.setdefault(column, {})[query] = 1.0
        return {
            column: CountParts(self.domain.size(column), queries, self.fan_out)
            for column, queries in asked.items()
        }

    def _top(self, table: TableQuery) -> Part:
        """The marginal that tells a table."""
        pairs = zip(table.columns, table.queries, strict=True)
        found = ((column, self._columns[column].needed(query)) for column, query in pairs)
        return tuple((column, step) for column, step in found if step)

    @staticmethod
    def _below(top: Part) -> Iterator[Part]:
        """Everything that a marginal tells."""
        for chosen in subsets([column for column, _ in top]):
            held = dict(top)
            for steps in product(*(range(1, held[column] + 1) for column in chosen)):
                yield tuple(zip(chosen, steps, strict=True))

    @cached_property
    def _pull_by_part(self) -> dict[Part, float]:
        """The weighted sum of variances that each part adds if its directions have variance 1."""
        found: dict[Part, float] = {}
        sums: dict[tuple[str, ColumnQuery, int], float] = {}
        for table in self.tables:
            pairs = list(zip(table.columns, table.queries, strict=True))
            for part in self._below(self._top(table)):
                steps, pull = dict(part), float(table.weight)
                for column, query in pairs:
                    key = column, query, steps.get(column, 0)
                    if key not in sums:
                        sums[key] = self._columns[column].pull(query, key[2])
                    pull *= sums[key]
                found[part] = found.get(part, 0.0) + pull
        return found

    @cached_property
    def _chosen(self) -> tuple[list[Part], Floats, float]:
        """The marginals that are measured, the share of epsilon of each, and the weighted sum of
        variances at epsilon 1.
        """
        parts = list(self._pull_by_part)
        marginals = parts
        if len(parts) > MOST_MARGINALS:
            marginals = list(dict.fromkeys(self._top(table) for table in self.tables))
        if not marginals:
            return [], np.zeros(0), 0.0
        place = {part: at for at, part in enumerate(parts)}
        tells = np.zeros((len(parts), len(marginals)))
        for at, marginal in enumerate(marginals):
            for part in self._below(marginal):
                tells[place[part], at] = self._strength(marginal)
        pulls = np.array([self._pull_by_part[part] for part in parts])

        def both(theta: Floats) -> tuple[float, Floats]:
            known, total = tells @ theta**2, theta.sum()
            if not (known > 0).all():
                return np.inf, np.zeros_like(theta)
            error = float((pulls / known).sum())
            slope = -2 * theta * (tells.T @ (pulls / known**2))
            return error * total**2, slope * total**2 + 2 * error * total

        theta = descend(np.full(len(marginals), 1 / len(marginals)), both)
        theta = np.where(theta > _TINY * theta.sum(), theta, 0.0) / theta.sum()
        kept = np.flatnonzero(theta)
        return [marginals[at] for at in kept], theta[kept], 2 * both(theta)[0]

    def _strength(self, marginal: Part) -> float:
        """1 over the variance of a direction, where noise that moves by at most 1 has variance 1."""
        return prod(float(self._columns[c].tree.shares[step].min()) for c, step in marginal)

    @property
    def error(self) -> float:
        """The weighted sum of variances, for epsilon 1 and one count for each person."""
        return self._chosen[2]

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of epsilon of every measurement."""
        return tuple(self._chosen[1].tolist())

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(
            Measurement(
                tuple(column for column, _ in marginal),
                tuple(self._columns[column].factor(step) for column, step in marginal),
            )
            for marginal in self._chosen[0]
        )

    @cached_property
    def _trust(self) -> dict[Part, list[tuple[int, float]]]:
        """For each part the measurements that tell it, with how much each counts."""
        found: dict[Part, list[tuple[int, float]]] = {part: [] for part in self._pull_by_part}
        for at, (marginal, share) in enumerate(zip(*self._chosen[:2], strict=True)):
            for part in self._below(marginal):
                found[part].append((at, float(share) ** 2 * self._strength(marginal)))
        for part, listed in found.items():
            total = sum(weight for _, weight in listed)
            found[part] = [(at, weight / total) for at, weight in listed]
        return found

    def estimates(self, tables: Sequence[TableQuery], answers: Sequence[Floats]) -> list[Floats]:
        counts = []
        for measurement, answer in zip(self.measurements, answers, strict=True):
            found = answer
            for axis, factor in enumerate(measurement.factors):
                found = factor.undo(found, axis)
            counts.append(found)
        parts = {part: self._rest(part, counts) for part in self._pull_by_part}
        return [self._sum(table, parts) for table in tables]

    def _rest(self, part: Part, counts: Sequence[Floats]) -> Floats:
        """What all measurements say about a part, with one axis for each column of the domain that
        the part has.
        """
        steps, total = dict(part), np.zeros(())
        for at, weight in self._trust[part]:
            found, away = counts[at], []
            for axis, (column, level) in enumerate(self._chosen[0][at]):
                found = self._columns[column].rests(found, axis, level, steps.get(column, 0))
                if column not in steps:
                    away.append(axis)
            total = total + weight * np.squeeze(found, axis=tuple(away))
        return np.asarray(total)

    def _sum(self, table: TableQuery, parts: Mapping[Part, Floats]) -> Floats:
        total = np.zeros(table.shape(self.domain))
        for chosen in self._below(self._top(table)):
            found, steps = parts[chosen], dict(chosen)
            for axis, (column, query) in enumerate(zip(table.columns, table.queries, strict=True)):
                step = steps.get(column, 0)
                if not step:
                    found = np.expand_dims(found, axis)
                found = self._columns[column].rows(query, found, axis, step)
            total += found
        return total

    def variances(self, table: TableQuery, noise: Sequence[float]) -> Floats:
        """The variance of each cell of a table, up to the rounding of weights."""
        total = np.zeros(table.shape(self.domain))
        for chosen in self._below(self._top(table)):
            steps, own = dict(chosen), 0.0
            for at, weight in self._trust[chosen]:
                widest = prod(factor.widest for factor in self.measurements[at].factors)
                own += weight**2 * noise[at] / (widest**2 * self._strength(self._chosen[0][at]))
            found = np.array(own)
            for column, query in zip(table.columns, table.queries, strict=True):
                part = self._columns[column].variances(query, steps.get(column, 0))
                found = np.multiply.outer(found, part)
            total += found
        return total

    @property
    def pulls(self) -> tuple[float, ...]:
        """Not used: shares are chosen here."""
        return self.shares

    @property
    def bound(self) -> float | None:
        return None
