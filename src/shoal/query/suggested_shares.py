"""Suggested shares: how many groups persons are in and how many rows they have there, by private
histograms.

Every person has one vote in each of two histograms, whatever their rows, so noise for a sensitivity
of 1 hides anyone; under *change* one vote goes and another comes, and it is 2.  The suggestion
follows from noisy votes.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from shoal.engines.engine import Engine
from shoal.errors import SchemaError
from shoal.events import Composed
from shoal.exact import Number, positive
from shoal.mechanisms import Geometric
from shoal.plan import Bounded, Expression, Person, Rows, explain, tables_of, text_of, values_of
from shoal.query.answer import CONFIDENCE
from shoal.query.canonical import canonical_expression, canonical_rows, columns_called
from shoal.query.certificate import certified
from shoal.query.noise_choice import Means
from shoal.query.payment import CostRequest, Payer, PaymentRequest, QuestionCharge, read_for
from shoal.query.share_curve import ShareCurve, share_curve, voted_in
from shoal.sensitivity import Norm, Relation, Sensitivity

EDGES: tuple[int, ...] = (
    *range(1, 11),
    12,
    15,
    20,
    25,
    30,
    40,
    50,
    75,
    100,
    150,
    200,
    300,
    500,
    750,
    1000,
    2000,
    5000,
    10_000,
    100_000,
    1_000_000,
)
"""Buckets end at these numbers; what is more counts as the last."""


@dataclass(frozen=True, repr=False)
class SuggestedShares:
    """Numbers for `Person`, found for a price; everything here follows from noisy votes.

    Each is the least that is enough for about the share asked for of all persons, or None if nobody
    stood out of the noise.  ``unit`` is the person with these numbers.  ``certificate`` says what
    was drawn and what it cost; one that was kept by an earlier Shoal has none.
    """

    unit: Person
    groups: int | None
    rows_per_group: int | None
    price: str
    certificate: Mapping[str, Any] | None = None
    votes: tuple[Mapping[int, int], Mapping[int, int]] = ({}, {})
    cells: int = 1

    def curve(self, epsilon: Number = 1) -> ShareCurve:
        """What other shares would clip, and what noise they would need, for counts by these keys at
        this epsilon; an estimate from the votes that were released, so it is free.
        """
        price = float(positive(epsilon, "epsilon"))
        return share_curve(*self.votes, cells=self.cells, epsilon=price, edges=EDGES)

    def __str__(self) -> str:
        if self.groups is None or self.rows_per_group is None:
            return f"too few persons stood out of the noise ({self.price}). Ask with more."
        who = ", ".join(map(repr, self.unit.columns))
        return (
            f"Person({who}, groups={self.groups}, rows_per_group={self.rows_per_group}) ({self.price}). "
            f"State it: sharing(groups={self.groups}, rows_per_group={self.rows_per_group})"
        )

    __repr__ = __str__


@dataclass(frozen=True)
class Votes:
    """Two histograms of persons and the noise each gets, priced.

    Guarantee: both together cost the request.
    Needs: an engine in which one person changes one number of `Engine.shares` by one.
    """

    bounded: Bounded
    request: CostRequest
    noise: Geometric

    @classmethod
    def of(cls, rows: Rows, keys: Sequence[Expression], request: CostRequest) -> Votes:
        bounded = Bounded(rows, tuple(keys), (), Norm.L1)
        if not isinstance(bounded.unit, Person):
            raise SchemaError(
                "shares are suggested for persons; each row is protected by itself.",
                remedy="Protect shoal.Person('user_id').",
            )
        relation = bounded.unit.relation
        votes = Fraction(2 if relation is Relation.CHANGE else 1)
        moved = Sensitivity(votes, Norm.L1, relation)
        # Half for each of the two histograms.
        epsilon = Means(request).epsilon(Fraction(1, 2))
        return cls(bounded, request, Geometric(scale=moved.value / epsilon, sensitivity=moved))

    @property
    def event(self) -> Composed:
        """What both histograms cost."""
        one = self.noise.event_for(size=len(EDGES))
        return Composed((one, one))

    def release(self, engine: Engine, payer: Payer, share: Fraction) -> SuggestedShares:
        """Charge, read, draw, and read off the least numbers that are enough."""
        asked = self._asked(share)
        engine.check(self.bounded.relation)
        charge = payer.charge(self.event, asked)
        if not isinstance(charge, QuestionCharge):  # it was answered before
            return self._suggested(charge)
        charge.begin()
        votes = read_for(charge, lambda: self._read(engine))
        groups, most = (_enough(each, self._error, share) for each in votes)
        told = {
            "groups": groups,
            "rows_per_group": most,
            "votes": votes,
            "certificate": self._certificate(asked.text, charge.facts),
        }
        charge.answered(told)
        return self._suggested(told)

    def _read(self, engine: Engine) -> list[list[int]]:
        found = engine.shares(self.bounded)
        return [self._noisy(found, at) for at in range(2)]

    def _asked(self, share: Fraction) -> PaymentRequest:
        by = [text_of(key) for key in self.bounded.keys]
        called = columns_called(self.bounded.relation)
        body = {
            "suggest": "shares",
            "rows": canonical_rows(self.bounded.relation),
            "by": [canonical_expression(key, called) for key in self.bounded.keys],
            "share": str(share),
            "event": self.event.to_dict(),
        }
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return PaymentRequest(
            f"suggest_groups({', '.join(map(repr, by))})", canonical, str(self.request)
        )

    def _certificate(self, text: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        rows = self.bounded.relation
        moved = self.noise.sensitivity
        term = {
            "unit": "1",
            "sensitivity": str(moved.value),
            "norm": str(moved.norm),
            "noise": f"discrete Laplace, scale {self.noise.scale} units",
        }
        said = {
            "question": text,
            "plan": explain(rows),
            "protects": str(rows.protects),
            "groups": len(EDGES),
            "noise": "laplace",
            "terms": [
                {"total": f"persons by {what}", **term} for what in ("groups", "rows in a group")
            ],
            "tables": {
                name: [str(column) for column in table.columns]
                for name, table in sorted(tables_of(rows).items())
            },
        }
        return certified(said, [self.event], str(moved.relation), self.request, facts)

    def _suggested(self, told: Mapping[str, Any]) -> SuggestedShares:
        groups, most = told["groups"], told["rows_per_group"]
        unit = self.bounded.relation.protects
        assert isinstance(unit, Person)
        enough = unit.with_shares(groups or unit.groups, most or unit.rows_per_group)
        kept = told.get("votes") or [[0] * len(EDGES)] * 2  # an earlier Shoal kept none
        by_groups, by_rows = (voted_in(each, EDGES, self._error) for each in kept)
        cells = self._known_cells() or max(by_groups, default=1)
        return SuggestedShares(
            enough,
            groups,
            most,
            str(self.request),
            told.get("certificate"),
            (by_groups, by_rows),
            cells,
        )

    def _known_cells(self) -> int | None:
        """How many groups there are, where their values are known."""
        listed = [values_of(key) for key in self.bounded.keys]
        known = [len(values) for values in listed if values is not None]
        return prod(known) if len(known) == len(listed) else None

    def _noisy(self, found: Mapping[tuple[int, int], int], at: int) -> list[int]:
        votes = [0] * len(EDGES)
        for numbers, persons in found.items():
            votes[min(bisect_left(EDGES, numbers[at]), len(EDGES) - 1)] += persons
        return [int(vote) for vote in self.noise.release(np.array(votes, dtype=object))]

    @property
    def _error(self) -> float:
        return float(self.noise.error(CONFIDENCE, size=len(EDGES), integers=True))


def _enough(votes: Sequence[int], error: float, share: Fraction) -> int | None:
    """The least edge up to which this share of the votes lies, counting buckets that stand out of
    the noise.
    """
    # Empty buckets hold noise alone; a far one that seemed full would suggest a number that
    # nobody needs.
    seen = {at: vote for at, vote in enumerate(votes) if vote > error}
    spare = (1 - share) * sum(seen.values())
    for at in sorted(seen, reverse=True):
        if seen[at] > spare:
            return EDGES[at]
        spare -= seen[at]
    return None
