"""The examples of the documentation run as printed."""

from __future__ import annotations

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

from shoal import sensitivity

PAGE = Path(__file__).parents[2] / "docs" / "sensitivity.md"


def test_the_examples_of_the_sensitivity_page_run_as_printed() -> None:
    outcome = doctest.testfile(str(PAGE), module_relative=False)
    assert outcome.attempted > 5
    assert outcome.failed == 0


@pytest.mark.parametrize("module", ["sensitivity", "counting", "exhaustive"])
def test_the_examples_of_docstrings_run_as_printed(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"shoal.sensitivity.{module}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0


@pytest.mark.parametrize("name", sensitivity.__all__)
def test_every_public_name_is_on_the_sensitivity_page(name: str) -> None:
    assert f"`{name}" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", [name for name in sensitivity.__all__ if name[0].islower() and name != "of"]
)
def test_every_known_sensitivity_states_its_guarantee_and_proof(name: str) -> None:
    written = inspect.getdoc(getattr(sensitivity, name)) or ""
    assert "\nGuarantee: " in written
    assert "\nProof: " in written
