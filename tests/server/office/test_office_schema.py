"""The OpenAPI document, walked by schemathesis: no request that it allows ends in an error of ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from tests.server.office.desk import Desk, desk_with_everybody
from tests.server.office.running import office_in_thread
from tests.vault.office import COUNT

from shoal.vault.people.rights import GIVEN

SPARED = {("DELETE", "/sessions"), ("DELETE", "/tokens/{token}"), ("DELETE", "/people/{person}")}
"""Acts that end what the walk needs; the other tests have them."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("walked")
    made = desk_with_everybody(folder, data=folder)
    with made.vault as vault:
        for role in GIVEN:
            dataset = "visits" if role in {"steward", "analyst"} else None
            vault.people.add(
                "all", role=role, dataset=dataset, allowance="0.5" if role == "analyst" else None
            )
        made.tokens["all"] = vault.people.token("all")
        made.send("POST", "/releases", "analyst", json={"sql": COUNT, "epsilon": "0.1"}, key="k")
        made.send("POST", "/public/releases", "owner", json={"release": 1})
        yield made


def walked(desk: Desk, examples: int) -> dict[int, int]:
    """Statuses of many requests that the document allows, and of some that it does not."""
    data = desk.host.data
    assert data is not None
    with office_in_thread(desk.vault, data=data.root) as origin:
        return _walked(origin, desk.tokens["all"], examples)


def _walked(origin: str, token: str, examples: int) -> dict[int, int]:
    schema: Any = schemathesis.openapi.from_url(f"{origin}/api/v1/openapi.json")
    headers = {"Authorization": f"Bearer {token}"}
    statuses: dict[int, int] = {}
    for result in schema.get_all_operations():
        operation = result.ok()
        if (operation.method.upper(), operation.path) in SPARED:
            continue

        @given(case=operation.as_strategy())
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        def one(case: Any) -> None:
            found = case.call(headers=headers)
            statuses[found.status_code] = statuses.get(found.status_code, 0) + 1
            assert found.status_code < 500, (case.method, case.path, found.text)
            assert "X-Request-Id".lower() in {name.lower() for name in found.headers}

        one()
    return statuses


@pytest.mark.slow
def test_no_request_that_the_document_allows_ends_in_an_error_of_ours(desk: Desk) -> None:
    found = walked(desk, 5)
    assert found.get(200, 0) + found.get(201, 0) > 20
    assert desk.vault.verify().is_sound


@pytest.mark.audit
def test_no_request_of_very_many_ends_in_an_error_of_ours(desk: Desk) -> None:
    walked(desk, 200)


def test_the_document_says_where_it_is_served(desk: Desk) -> None:
    document = desk.send("GET", "/openapi.json").json()
    assert document["servers"] == [{"url": "/api/v1"}]
    assert document["openapi"].startswith("3.")
