"""The fields of a record of the Deployments Registry, with their types and words.

Read off `schemas/deployments-schema.yaml` of opendp/deployments-registry-data at commit 057e5d81;
only names, types and allowed words are kept here, and the names of fields that must be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

TEXT, NUMBER = (str,), (int, float)

BASIC = {
    "name": TEXT,
    "data_curators": [
        {"data_curator_name": TEXT, "data_curator_type": {"Government", "Industry", "Nonprofit"}}
    ],
    "description": TEXT,
    "intended_use": TEXT,
    "data_product_type": {
        *("Summary statistics", "Machine learning model", "Dataset", "Synthetic data"),
        *("Interactive API", "SQL queries"),
    },
    "data_product_region": TEXT,
    "data_product_sector": {
        *("Technology", "Healthcare", "Education", "Government", "Energy", "Finance"),
    },
    "publication_date": TEXT,
}
SCHEMA: dict[str, Any] = {
    "url_slug": TEXT,
    "deployment": {
        "basic": BASIC,
        "dp_variant": {
            "variant_name": {
                *("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"),
            },
            "data_domain": TEXT,
            "unprotected_quantities": TEXT,
        },
        "privacy_loss": {
            "privacy_unit": TEXT,
            "privacy_unit_details": TEXT,
            "number_of_privacy_units": (int,),
            "privacy_parameters": {"epsilon": NUMBER, "delta": (*NUMBER, str), "rho": NUMBER},
            "privacy_parameters_details": TEXT,
        },
        "deployment_model": {
            "model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
            "model_name_details": TEXT,
            "trust_assumptions": TEXT,
            "actors": TEXT,
            "release_type": {"One release", "Many releases"},
            "release_type_details": TEXT,
            "data_source_type": {"Static", "Dynamic"},
            "data_source_type_details": TEXT,
            "access_type": {"Interactive", "Non-interactive"},
            "access_type_details": TEXT,
        },
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": TEXT,
            "mechanisms": TEXT,
            "composition": TEXT,
            "post_processing": TEXT,
            "justification": TEXT,
            "utility": TEXT,
            "additional_information": TEXT,
        },
        "administrative": {
            "evidence_sources": {},
            "status": {
                *("Converted", "Draft", "Pending", "Changes Required", "Approved"),
                *("Approved (Update Requested)", "Approved (Pending)"),
            },
            "registry_authors": [TEXT],
            "tier": {1, 2, 3},
        },
    },
}
REQUIRED = {
    "": {"url_slug", "deployment"},
    "deployment": {"basic", "administrative"},
    "deployment.basic": set(BASIC) - {"data_product_sector"},
    "deployment.basic.data_curators": {"data_curator_name", "data_curator_type"},
    "deployment.administrative": {"status", "registry_authors", "tier"},
}


def wrong_fields(record: Any, schema: Any = SCHEMA, path: str = "") -> Iterator[str]:
    """What the schema refuses, field by field; an empty text is a word that is missing."""
    match schema:
        case dict():
            assert isinstance(record, Mapping)
            yield from (f"{path}.{name} is unknown" for name in record.keys() - schema.keys())
            yield from (f"{path}.{n} is missing" for n in REQUIRED.get(path, set()) - record.keys())
            for name in record.keys() & schema.keys():
                inner = f"{path}.{name}" if path else name
                yield from wrong_fields(record[name], schema[name], inner)
        case tuple():
            if not isinstance(record, schema) or isinstance(record, bool):
                yield f"{path} is of type {type(record).__name__}"
        case set():
            if record not in schema and record != "":
                yield f"{path} is {record!r}, which is not allowed"
        case [inside]:
            if not isinstance(record, list) or not record:
                yield f"{path} is not a list of one or more"
            else:
                for each in record:
                    yield from wrong_fields(each, inside, path)
