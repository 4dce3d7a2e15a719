"""A release or an account as a record of the Differential Privacy Deployments Registry.

The fields are those of the registry's own schema, `schemas/deployments-schema.yaml` of
opendp/deployments-registry-data at commit 057e5d81, which follows Nanayakkara, Ghazi and Vadhan,
"Practitioners' Perspectives on a Differential Privacy Deployment Registry" (arXiv 2509.13509).
What only the curator knows is left empty, and `to_fill_in` lists it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.exact import float_up
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.vault.certificate_page import neighbours, noise_lines, promise_of

REGISTRY_SCHEMA = "opendp/deployments-registry-data 057e5d81, schemas/deployments-schema.yaml"
"""Which version of the schema a record is written in."""

_VARIANTS: dict[type[Measure], str] = {
    Pure: "Pure DP",
    Approx: "Approximate DP",
    ZeroConcentrated: "Zero-concentrated DP",
}
_EXACT_NOISE = (
    "Totals are exact integers and noise is drawn exactly, in integers, from secret bits of the "
    "operating system; the result is rounded once, after the noise. No floating-point number lies "
    "between the data and the noise."
)
_TIMING = (
    "Functions on rows are total, plans bound the work for a row, and errors do not depend on rows. "
    "The running time of the engine is not hidden."
)
_ACTORS = (
    "The curator holds the rows and declares truthfully which people they are about. Analysts and "
    "readers see released numbers only, and are not trusted: they may know anything else and put "
    "their answers together. Whoever runs the machine can do what the curator can."
)
_BOUNDING = (
    "Ranges, choices and limits for each person are declared by the curator and count as public. "
    "Values outside a range count as its nearer end; people with more rows or groups than declared "
    "count for less. Shoal does not know what the curator looked at before declaring them."
)
_POST = (
    "Estimates and confidence intervals are computed from the released totals alone. Numbers are "
    "not made non-negative or consistent unless the question says so."
)


def record_of_release(certificate: Mapping[str, Any], *, date: str) -> dict[str, Any]:
    """One release, from what its certificate says."""
    promise = promise_of(certificate)
    names = [each["name"] for each in certificate.get("datasets", [])]
    basic = {
        "description": f"The answer to one question, with noise: {certificate['question']}",
        "data_product_type": "Summary statistics",
        "publication_date": date[:10],
    }
    accounts = ", ".join(certificate.get("ledger", {}).get("accounts", ()))
    model = {
        "release_type": "One release",
        "release_type_details": "Every release about these people is charged to the same "
        f"account{f' ({accounts})' if accounts else ''}, which refuses what exceeds its budget.",
        "data_source_type": "Static",
        "data_source_type_details": "Computed on one version of the data: "
        + ", ".join(
            f"{each['name']} version {each['version']}" for each in certificate.get("datasets", [])
        )
        + ".",
        "access_type": "Non-interactive",
        "access_type_details": "Readers see the released table and cannot query the data.",
    }
    made = ", ".join(f"{name} {number}" for name, number in certificate["versions"].items())
    implementation = {
        "mechanisms": f"{_noise(certificate)} Made by {made}. {_EXACT_NOISE} {_TIMING}",
        "composition": "The noise of all totals is composed by Shoal's accountant; the events are "
        "listed in the certificate, and their price can be checked without the data.",
        "additional_information": f"Certificate {certificate['hash']}.",
    }
    return _record(_slug(names, date), basic, _loss(certificate, promise), model, implementation)


def record_of_account(
    certificates: Sequence[Mapping[str, Any]],
    *,
    dataset: str,
    spent: Measure,
    budget: Measure,
    first: str,
    versions: int,
    analysts: Sequence[str],
) -> dict[str, Any]:
    """A whole account: all releases about the people of a dataset, and what they cost together."""
    newest = certificates[-1]
    basic = {
        "description": f"{len(certificates)} answered questions about {dataset}.",
        "data_product_type": "SQL queries",
        "publication_date": first[:10],
    }
    model = {
        "release_type": "Many releases",
        "release_type_details": f"All releases are charged to one account with the budget {budget}, "
        "which does not grow with time; only the curator can change it, and the journal says so. "
        "A question that does not fit is refused.",
        "data_source_type": "Dynamic" if versions > 1 else "Static",
        "data_source_type_details": f"The data are in version {versions}.",
        "access_type": "Interactive",
        "access_type_details": _access(analysts),
    }
    noises = dict.fromkeys(word for each in certificates for word in _laws(each))
    made = ", ".join(f"{name} {number}" for name, number in newest["versions"].items())
    implementation = {
        "mechanisms": f"{_laws_text(noises)} Made by {made}. {_EXACT_NOISE} {_TIMING}",
        "composition": "A privacy filter adds up every release before it is made, across analysts "
        "and adaptively chosen questions, for the same people.",
    }
    details = f"Spent so far: {spent}. The whole budget is {budget}."
    loss = _loss(newest, spent, details)
    return _record(_slug([dataset], first), basic, loss, model, implementation)


def to_fill_in(record: Mapping[str, Any]) -> list[str]:
    """The fields of a record that are empty: what the curator has to add."""
    return list(_empty(record, ""))


def _empty(part: Any, path: str) -> Iterator[str]:
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from _empty(value, f"{path}.{name}" if path else name)
    elif isinstance(part, list):
        for each in part:
            yield from _empty(each, path)
    elif part == "":
        yield path


def _record(
    slug: str,
    basic: Mapping[str, str],
    loss: tuple[dict[str, Any], dict[str, Any]],
    model: Mapping[str, str],
    implementation: Mapping[str, str],
) -> dict[str, Any]:
    variant, privacy_loss = loss
    return {
        "url_slug": slug,
        "deployment": {
            "basic": {
                "name": "",
                "data_curators": [{"data_curator_name": "", "data_curator_type": ""}],
                "description": basic["description"],
                "intended_use": "",
                "data_product_type": basic["data_product_type"],
                "data_product_region": "",
                "publication_date": basic["publication_date"],
            },
            "dp_variant": variant,
            "privacy_loss": privacy_loss,
            "deployment_model": {
                "model_name": "Central",
                "model_name_details": "A vault is asked; the rows stay where they are.",
                "trust_assumptions": _ACTORS,
                **model,
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": _BOUNDING,
                "post_processing": _POST,
                **implementation,
                "justification": "",
            },
            "administrative": {"status": "Draft", "registry_authors": [""], "tier": 2},
        },
    }


def _loss(
    certificate: Mapping[str, Any], promise: Measure, details: str = ""
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The variant and the privacy loss, whose numbers are rounded up."""
    columns = "; ".join(
        f"{name} ({', '.join(said)})" for name, said in certificate.get("tables", {}).items()
    )
    public = [e["name"] for e in certificate.get("datasets", []) if e["protects"] is None]
    unprotected = "What was declared: columns, types, ranges, choices, limits for each person."
    if certificate["relation"] == "change":
        unprotected += " The number of rows."
    if public:
        unprotected += f" The public tables {', '.join(public)}."
    by_row = certificate["protects"] == "each row"
    variant = {
        "variant_name": _VARIANTS[type(promise)],
        "data_domain": f"Tables with these columns: {columns}." if columns else "",
        "unprotected_quantities": unprotected,
    }
    return variant, {
        "privacy_unit": "Row-level" if by_row else "Person-level",
        "privacy_unit_details": f"Protects {certificate['protects']}. Adjacent datasets differ by "
        f"{neighbours(certificate)}.",
        "privacy_parameters": _parameters(promise),
        "privacy_parameters_details": details or f"Exactly: {_exactly(promise)}.",
    }


def _parameters(promise: Measure) -> dict[str, float]:
    if isinstance(promise, ZeroConcentrated):
        return {"rho": float_up(promise.rho)}
    if isinstance(promise, Approx):
        return {"epsilon": float_up(promise.epsilon), "delta": float_up(promise.delta)}
    assert isinstance(promise, Pure)
    return {"epsilon": float_up(promise.epsilon)}


def _exactly(promise: Measure) -> str:
    if isinstance(promise, ZeroConcentrated):
        return f"rho {promise.rho}"
    if isinstance(promise, Approx):
        return f"epsilon {promise.epsilon}, delta {promise.delta}"
    assert isinstance(promise, Pure)
    return f"epsilon {promise.epsilon}"


def _noise(certificate: Mapping[str, Any]) -> str:
    lines = [f"{law} on {total}" for total, _, law, _ in noise_lines(certificate) if law != "none"]
    return f"Noise: {'; '.join(lines)}." if lines else _laws_text(_laws(certificate))


def _laws(certificate: Mapping[str, Any]) -> list[str]:
    """The kinds of noise of a release, from its events."""
    return list(dict.fromkeys(str(event.get("kind", "")) for event in certificate["events"]))


def _laws_text(laws: Sequence[str] | Mapping[str, None]) -> str:
    return f"Mechanisms, as kinds of events: {', '.join(laws)}."


def _access(analysts: Sequence[str]) -> str:
    if not analysts:
        return "The curator asks; no analyst has an allowance."
    count = f"{len(analysts)} analyst{'' if len(analysts) == 1 else 's'}"
    return (
        f"{count} may ask in SQL, each within an allowance. Every question is charged to the "
        "account of the data as well, so nothing is assumed about whether analysts collude."
    )


def _slug(names: Sequence[str], date: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", " ".join(names).lower()).strip("-")
    return f"{words or 'release'}-{date[:4]}"
