"""A text that was read once is not read again, and nobody is told what no longer holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.vault.office import BY_KIND, COUNT, office, write

import shoal
from shoal.query import Ask
from shoal.sql import question
from shoal.vault import Vault, question_cache
from shoal.vault.question_cache import MOST_QUESTIONS


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with office(tmp_path, shoal.Pure(1), towns=True) as made:
        for name in ("ana", "bo"):
            made.grant(name, "visits", "0.5")
        yield made


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were really read."""
    texts: list[str] = []

    def noted(text: str, *more: Any, **named: Any) -> Any:
        texts.append(text)
        return question(text, *more, **named)

    monkeypatch.setattr(question_cache, "question", noted)
    return texts


def shown(ask: Ask, **terms: Any) -> dict[str, Any]:
    return ask.preview(**(terms or {"epsilon": "0.1"})).to_dict()


def test_the_same_text_of_the_same_person_is_read_once(vault: Vault, read: list[str]) -> None:
    first, again = (vault.as_("ana").sql(BY_KIND) for _ in range(2))
    assert read == [BY_KIND]
    assert shown(first) == shown(again)
    assert first.digest == again.digest


def test_nobody_meets_what_another_worked_out(vault: Vault, read: list[str]) -> None:
    for name in ("ana", "bo"):
        vault.as_(name).sql(COUNT)
    vault.sql(COUNT)
    assert read == [COUNT] * 3


def test_a_new_declaration_is_a_new_question(vault: Vault, read: list[str]) -> None:
    text = "SELECT SUM(spend) AS total FROM visits"
    before = shown(vault.as_("ana").sql(text))["columns"][0]["error"]
    vault.update("visits", columns={"spend": shoal.Range(0, 5)})
    after = shown(vault.as_("ana").sql(text))["columns"][0]["error"]
    assert read == [text] * 2
    assert 0 < after < before / 50


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) AS n FROM visits WHERE town IN (SELECT town FROM towns)",
        "SELECT t.region, COUNT(*) AS n FROM visits v JOIN towns t ON v.town = t.town GROUP BY t.region",
    ],
)
def test_what_reads_public_rows_is_read_again(vault: Vault, read: list[str], text: str) -> None:
    for _ in range(2):
        vault.as_("ana").sql(text)
    assert read == [text] * 2


def test_public_rows_that_changed_change_the_groups(vault: Vault, tmp_path: Path) -> None:
    text = (
        "SELECT t.region, COUNT(*) AS n FROM visits v JOIN towns t ON v.town = t.town "
        "GROUP BY t.region"
    )
    ask = vault.as_("ana").sql(text)
    shown(ask)
    table = pa.table({"town": ["Aldam", "Brook"], "region": ["west", "east"]})
    write(tmp_path, "towns.csv", table)
    vault.update("towns", relation="same people")
    found = vault.as_("ana").sql(text).release(epsilon="0.1")
    assert {"east", "west"} <= set(found.to_pandas()["region"])


def test_a_known_preview_still_says_whether_it_fits_now(vault: Vault, tmp_path: Path) -> None:
    with shoal.open(tmp_path / "office.shoal") as elsewhere:
        ask = vault.as_("ana").sql(COUNT)
        assert shown(ask, epsilon="0.4")["fits"]
        elsewhere.as_("ana").sql(BY_KIND).release(epsilon="0.4")
        assert not shown(ask, epsilon="0.4")["fits"]
        assert not shown(vault.as_("ana").sql(COUNT), epsilon="0.4")["fits"]
        elsewhere.grant("ana", "visits", "0.9")
        assert shown(vault.as_("ana").sql(COUNT), epsilon="0.4")["fits"]


@pytest.mark.parametrize(
    ("options", "terms"),
    [
        ({}, {"epsilon": "0.2"}),
        ({}, {"epsilon": "0.1", "confidence": "0.5"}),
        ({}, {"epsilon": "0.1", "show_clipped": True}),
        ({"weights": {"n": 9}}, {"epsilon": "0.1"}),
        ({"intervals": "0.8"}, {"epsilon": "0.1"}),
    ],
)
def test_other_terms_have_another_preview(
    vault: Vault, options: dict[str, Any], terms: dict[str, Any]
) -> None:
    plain = shown(vault.as_("ana").sql(BY_KIND))
    known = shown(vault.as_("ana").sql(BY_KIND, **options), **terms)
    fresh = shown(vault.as_("bo").sql(BY_KIND, **options), **terms)
    assert known == fresh
    assert known != plain


def test_no_more_texts_are_kept_than_there_is_room_for(vault: Vault, read: list[str]) -> None:
    analyst = vault.as_("ana")
    texts = [f"{COUNT} WHERE spend > {at}" for at in range(MOST_QUESTIONS + 1)]
    for each in texts:
        analyst.sql(each)
    analyst.sql(texts[-1])
    assert len(read) == MOST_QUESTIONS + 1
    analyst.sql(texts[0])
    assert len(read) == MOST_QUESTIONS + 2


def test_a_text_that_cannot_be_read_is_refused_each_time(vault: Vault, read: list[str]) -> None:
    for _ in range(2):
        with pytest.raises(shoal.errors.ShoalError):
            vault.as_("ana").sql("SELECT nothing FROM visits")
    assert len(read) == 2
