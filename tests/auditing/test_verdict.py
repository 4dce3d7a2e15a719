from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError

import pytest

from shoal.auditing import Verdict


def verdict(*, refuted: bool = True, confidence: float | None = 0.99) -> Verdict:
    return Verdict(
        test="events",
        claim="epsilon 1",
        refuted=refuted,
        confidence=confidence,
        p_value=None if confidence is None else 1e-6,
        found="epsilon is at least 1.9.",
        figures=(("samples", 1000), ("bound", float("inf")), ("event", "x < 1")),
    )


def test_a_verdict_says_what_was_claimed_tried_and_found() -> None:
    assert str(verdict()) == (
        "refuted: epsilon 1 (events, confidence 99 %)\n    epsilon is at least 1.9."
    )
    assert str(verdict(refuted=False, confidence=None)).startswith(
        "not refuted: epsilon 1 (events)"
    )


def test_a_verdict_as_data_is_json_with_every_field_and_no_infinity() -> None:
    data = json.loads(json.dumps(verdict().to_dict(), allow_nan=False))
    assert data == {
        "test": "events",
        "claim": "epsilon 1",
        "refuted": True,
        "confidence": 0.99,
        "p_value": 1e-6,
        "found": "epsilon is at least 1.9.",
        "figures": {"samples": 1000, "bound": "inf", "event": "x < 1"},
    }


def test_the_page_of_a_verdict_has_its_figures_and_says_what_it_does_not_prove() -> None:
    page = verdict(refuted=False).to_page()
    written = page.markdown()
    assert page.title == "Not refuted: epsilon 1"
    assert "| samples | 1000 |" in written
    assert "| confidence | 99 % |" in written
    assert "is not proven" in written


def test_the_page_of_an_exact_check_has_no_p_value() -> None:
    written = verdict(confidence=None).to_page().markdown()
    assert "p-value" not in written
    assert "no chance involved" in written


def test_a_verdict_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        verdict().refuted = False  # type: ignore[misc]


def test_a_figure_is_rounded_to_the_side_that_it_states() -> None:
    two = math.log(2)
    told = Verdict(
        test="exact", claim="epsilon 1", refuted=False, confidence=0.999888889, p_value=0.0123456, found="",
        figures=(("epsilon, at most", two), ("epsilon, at least", 0.9999999)),
    ).to_page().markdown()  # fmt: skip
    rows = {
        cells[1].strip(): cells[2].strip()
        for line in told.splitlines()
        if len(cells := line.split("|")) == 4
    }
    assert float(rows["epsilon, at most"]) >= two
    assert float(rows["epsilon, at least"]) <= 0.9999999
    assert float(rows["p-value, at most"]) >= 0.0123456
    assert float(rows["confidence"].removesuffix(" %")) <= 99.9888889
