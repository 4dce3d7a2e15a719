"""The certificate of a release: everything needed to check its price, and nothing about the data."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from importlib.metadata import version
from typing import Any

from shoal.measures import Approx, ZeroConcentrated
from shoal.plan import Table, tables_of
from shoal.query.pricing import Priced


def certificate_of(
    text: str, made: Priced, groups: int, tables: dict[str, Table]
) -> dict[str, Any]:
    """Question, plan, unit, bounds, events, cost and versions, under one hash."""
    read = tables_of(made.question.relation)
    body: dict[str, Any] = {
        "question": text,
        "plan": made.question.explain(),
        "protects": str(made.question.relation.protects),
        "relation": str(made.noised.bounded.unit.relation),
        "groups": groups,
        "noise": made.law,
        "terms": [_term(made, at) for at in range(len(made.noised.bounded.terms))],
        "events": [event.to_dict() for event in made.events(groups)],
        "cost": _cost(made),
        "tables": {name: [str(c) for c in tables[name].columns] for name in sorted(read)},
        "versions": {"shoal": version("shoal"), "duckdb": version("duckdb")},
    }
    written = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return {**body, "hash": hashlib.sha256(written.encode()).hexdigest()}


def _term(made: Priced, at: int) -> dict[str, str]:
    bounded = made.noised.bounded
    term = bounded.terms[at]
    sensitivity = bounded.sensitivity(term)
    return {
        "total": str(term),
        "unit": str(bounded.worth(term)),
        "sensitivity": str(sensitivity.value),
        "norm": str(sensitivity.norm),
    }


def _cost(made: Priced) -> dict[str, str]:
    measure, failing = made.request.measure, str(made.request.failing)
    if isinstance(measure, ZeroConcentrated):
        return {"rho": str(measure.rho), "failing": failing}
    delta = measure.delta if isinstance(measure, Approx) else Fraction(0)
    return {"epsilon": str(measure.epsilon), "delta": str(delta), "failing": failing}
