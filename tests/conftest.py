"""The same in every run: one profile for all property tests, noise that is known by the name of the test; and one process for all tests of Spark."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

from shoal.noise import source

settings.register_profile(
    "house",
    derandomize=True,
    deadline=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


FRESH = {"noise", "laws_of_noise"}
"""Folders whose tests look at the source itself: there noise is as fresh as anywhere outside tests."""


@pytest.fixture(autouse=True)
def _known_noise(request: pytest.FixtureRequest) -> Iterator[None]:
    """The thread of a test draws the same noise each time, so a claim that chance may break breaks always or never.

    It is the secret stream under a known key: questions are charged as they are outside tests. Other threads and processes draw afresh,
    and so do long audits: each run of them says something new.
    """
    is_audit = request.node.get_closest_marker("audit") is not None
    if is_audit or FRESH & set(PurePath(request.node.nodeid.partition("::")[0]).parts):
        yield
        return
    known = source.Keystream(hashlib.sha256(request.node.nodeid.encode()).digest())
    known._fixed = False  # what it hands out is counted as what is secret
    with patch.object(source._of_thread, "keystream", known):
        yield


@pytest.fixture(autouse=True, scope="session")
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a user's programs keep for good is kept in a folder of the tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests go wherever there is room, but those of Spark to one process: each would start a Java of its own."""
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 - not there without the plugin

    class SparkTogether(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            is_spark = PurePath(nodeid.partition("::")[0]).name.startswith("test_spark")
            return "spark" if is_spark else nodeid

    return SparkTogether(config, log)
