"""The certificate of a release: everything needed to check its price, and nothing about the data.

It stands by itself: its hash is that of its other fields, and its costs follow from its events.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from typing import Any

from shoal.accounting import Account, account
from shoal.errors import ConversionError, PriceError, ShoalError
from shoal.events import Composed, Event
from shoal.exact import short
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated
from shoal.plan import Table, tables_of
from shoal.query.clipped_people import Clipping
from shoal.query.joint_noise import JointNoised
from shoal.query.paired_noise import PairedNoise
from shoal.query.payment import CostRequest
from shoal.query.pricing import Priced

FORM = 1
"""The version of the form in which certificates are written."""

_version = cache(version)  # without it, looking for packages takes half of a small release
_HAIR = 1 + Fraction(1, 1 << 20)
_NUMBERS: dict[type[Measure], tuple[str, ...]] = {
    Pure: ("epsilon",),
    Approx: ("epsilon", "delta"),
    ZeroConcentrated: ("rho",),
    GaussianDP: ("mu",),
}


def certificate_of(
    text: str,
    made: Priced,
    groups: int,
    tables: Mapping[str, Table],
    facts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Question, plan, unit, bounds, events, costs and versions, under one hash.

    ``facts`` are what a vault adds: its datasets, and the place of the charge in its ledger.
    """
    read = tables_of(made.question.relation)
    said = {
        "question": text,
        "plan": made.question.explain(),
        "protects": str(made.question.relation.protects),
        "groups": groups,
        "noise": made.law,
        **measured_terms_of(made),
        "tables": {name: [str(c) for c in tables[name].columns] for name in sorted(read)},
    }
    relation = str(made.noised.bounded.unit.relation)
    return certified(said, made.events(groups), relation, made.request, facts)


def certified(
    said: Mapping[str, Any],
    events: Sequence[Event],
    relation: str,
    request: CostRequest,
    facts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What is said of a release, with its events, what they cost for a relation and a request, and
    versions, under one hash.
    """
    cost = _cost(request)
    body: dict[str, Any] = {
        "shoal_certificate": FORM,
        **said,
        "relation": relation,
        "events": [event.to_dict() for event in events],
        "cost": cost,
        "costs": costs_of(account(Composed(tuple(events)), relation=relation), _delta(cost)),
        "versions": {"shoal": _version("shoal"), "duckdb": _version("duckdb")},
        **(facts or {}),
    }
    return {**body, "hash": hash_of(body)}


def hash_of(body: Mapping[str, Any]) -> str:
    """The hash of every field but ``hash``, as canonical JSON."""
    rest = {name: value for name, value in body.items() if name != "hash"}
    written = json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def costs_of(added: Account, delta: Fraction = Fraction(0)) -> dict[str, dict[str, str]]:
    """What events cost together in each measure that has a price for them, exact or rounded up.

    Where no plain sum of epsilons exists, the approximate cost is the least epsilon at a ``delta``.
    """
    found = {}
    for measure, numbers in _NUMBERS.items():
        with suppress(PriceError):
            cost = added.cost(measure)
            found[measure.__name__] = {name: str(getattr(cost, name)) for name in numbers}
    if Approx.__name__ not in found and delta:
        with suppress(PriceError):
            least = added.epsilon(delta=delta)
            found[Approx.__name__] = {"epsilon": str(least.epsilon), "delta": str(delta)}
    return found


def wrong_with(certificate: Mapping[str, Any]) -> list[str]:
    """What a certificate contradicts itself in; nothing if its hash and all its prices hold.

    Guarantee: if nothing is found, the events it lists cost no more than it says, in every measure
    it names.
    """
    if certificate.get("shoal_certificate") != FORM:
        return ["it is not a certificate of a form this Shoal knows."]
    found = []
    if certificate.get("hash") != hash_of(certificate):
        found.append("its hash is not that of its fields: something was changed.")
    try:
        events = [Event.from_dict(event) for event in certificate["events"]]
        added = account(Composed(events), relation=certificate["relation"])
        asked = certificate["cost"]
        found += _wrong_costs(certificate["costs"], costs_of(added, _delta(asked)))
        found += _wrong_request(asked, added)
    except (ShoalError, KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError):
        found.append("its events or costs cannot be read.")
    return found


def _wrong_costs(said: Mapping[str, Any], priced: Mapping[str, Any]) -> list[str]:
    found = []
    for measure, numbers in said.items():
        for name, number in numbers.items():
            due = priced.get(measure, {}).get(name)
            if due is None or Fraction(due) > Fraction(number):
                found.append(f"its events cost more than the {name} it says under {measure}.")
    return found


def _wrong_request(said: Mapping[str, str], added: Account) -> list[str]:
    """Whether the events keep to what was asked for, up to the rounding of roots."""
    cost = {name: Fraction(number) for name, number in said.items()}
    try:
        if "rho" in cost:
            kept = _rho(added) <= cost["rho"] * _HAIR
        else:
            kept = _keeps(added, cost["epsilon"] * _HAIR, _delta(said))
    except (PriceError, ConversionError):
        kept = False
    asked = ", ".join(f"{name} {short(number)}" for name, number in cost.items() if number)
    return [] if kept else [f"its events cost more than the {asked} that were asked for."]


def _delta(cost: Mapping[str, str]) -> Fraction:
    """All the delta of a request: that of its noise, and that of its keys."""
    return Fraction(cost.get("delta", 0)) + Fraction(cost["failing"])


def _keeps(added: Account, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether events keep to an epsilon at a delta: by the plain sum, which is quick, or by the
    least epsilon.
    """
    with suppress(PriceError):
        plain = added.cost(Approx)
        assert isinstance(plain, Approx)
        if plain.epsilon <= epsilon and plain.delta <= delta:
            return True
    return added.epsilon(delta=delta).epsilon <= epsilon


def _rho(added: Account) -> Fraction:
    cost = added.cost(ZeroConcentrated)
    assert isinstance(cost, ZeroConcentrated)
    return cost.rho


def measured_terms_of(made: Priced) -> dict[str, Any]:
    """What gets noise, and how much; where levels are measured together also which, and by what."""
    if isinstance(made.noised, JointNoised):
        plan = made.noised.plan
        return {
            "published": [table.name for table in plan.workload.tables],
            "strategy": plan.strategy_hash,
            "terms": plan.measured_terms(),
        }
    terms = [_term(made, at) for at in range(len(made.noised.bounded.terms))]
    return {"terms": terms if made.clipping is None else [*terms, _cut(made, made.clipping)]}


def _term(made: Priced, at: int) -> dict[str, str]:
    bounded = made.noised.bounded
    term = bounded.terms[at]
    sensitivity = bounded.sensitivity(term)
    mechanism = made.noised.mechanisms[at]
    if isinstance(mechanism, PairedNoise):
        return _pair(made, mechanism, first=term == mechanism.pair.terms[0])
    return {
        "total": str(term),
        "unit": str(bounded.worth(term)),
        "sensitivity": str(sensitivity.value),
        "norm": str(sensitivity.norm),
        "noise": "none" if mechanism is None else _law(made.law, mechanism.spread),
    }


def _pair(made: Priced, noise: PairedNoise, *, first: bool) -> dict[str, str]:
    """The sum of a pair of totals in the place of the first, its difference in that of the second,
    both in units of the first total; their sensitivity is that of both together.
    """
    (one, other), (a, b) = noise.pair.terms, noise.pair.factors
    worth = [made.noised.bounded.worth(term) for term in (one, other)]
    unit = worth[0] / a
    moved = noise.pair.sensitivity
    return {
        "total": f"{one} {'plus' if first else 'less'} {unit * b / worth[1]} times {other}",
        "unit": str(unit),
        "sensitivity": str(moved.value),
        "norm": str(moved.norm),
        "noise": _law(made.law, noise.spread),
    }


def _cut(made: Priced, clipping: Clipping) -> dict[str, str]:
    moved = clipping.noise.sensitivity
    return {
        "total": "number of persons beyond their share, and within it",
        "unit": "1",
        "sensitivity": str(moved.value),
        "norm": str(moved.norm),
        "noise": _law(made.law, clipping.noise.spread),
    }


def _law(law: str, spread: Fraction) -> str:
    word = "discrete Laplace, scale" if law == "laplace" else "rounded Gaussian, sigma"
    return f"{word} {spread} units"


def _cost(request: CostRequest) -> dict[str, str]:
    measure, failing = request.measure, str(request.failing)
    if isinstance(measure, ZeroConcentrated):
        return {"rho": str(measure.rho), "failing": failing}
    delta = measure.delta if isinstance(measure, Approx) else Fraction(0)
    return {"epsilon": str(measure.epsilon), "delta": str(delta), "failing": failing}
