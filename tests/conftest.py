"""The same in every run: one profile for all property tests, and noise that is known by the name of
the test.

Tests that need Spark, a browser or PostgreSQL are marked here, by what they use; `make quick`
leaves them out with those marked slow, and `quick.py` chooses among the others.  `order.py` says
what runs first.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator
from pathlib import PurePath
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from tests import order, quick

from shoal.noise import source

settings.register_profile(
    "house",
    derandomize=True,
    deadline=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
quick.register()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("shoal")
    group.addoption("--quick", action="store_true", help="what `make quick` runs: see quick.py")
    group.addoption("--quick-all", action="store_true", help="with those that take too long")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("quick" if config.getoption("--quick") else "house")


FRESH = {"noise", "laws_of_noise"}
"""Folders whose tests look at the source itself: there noise is as fresh as anywhere outside tests.
"""


@pytest.fixture(autouse=True)
def _known_noise(request: pytest.FixtureRequest) -> Iterator[None]:
    """The thread of a test draws the same noise each time, so a claim that chance may break breaks
    always or never.

    It is the secret stream under a known key: questions are charged as they are outside tests.
    Other threads and processes draw afresh, and so do long audits: each run of them says something
    new.
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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """No garbage is looked for while tests are listed: all of it stays, and a sixth of the time
    would go there.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Mark items by what they use, before `-m` chooses among them; then arrange them."""
    for item in items:
        _mark(item)
    yield
    if config.getoption("--quick"):
        every = config.getoption("--quick-all")
        kept, dropped = quick.chosen(items, frozenset() if every else quick.left_out())
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept
    items[:] = order.arranged(items, order.processes(config))


def _mark(item: pytest.Item) -> None:
    used = getattr(item, "fixturenames", ())
    if "browser" in used:
        item.add_marker("browser")
    if "postgres" in {*used, *_texts(item)}:
        item.add_marker("postgres")
    if item.get_closest_marker("spark") is not None:
        from tests.engines.spark_session import NO_JAVA, is_left_out  # noqa: PLC0415 - loads the engine

        item.add_marker(pytest.mark.skipif(is_left_out(), reason=NO_JAVA))


def _texts(item: pytest.Item) -> set[str]:
    """The parameters of an item that are texts: a store is named by one."""
    spec = getattr(item, "callspec", None)
    return {value for value in spec.params.values() if isinstance(value, str)} if spec else set()
