"""A vault that an earlier version wrote opens unchanged; `fixtures/before_0_1/make.py` says how it
was written.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.vault.fixtures.before_0_1 import make

import shoal
from shoal.errors import VaultError
from shoal.polls import read_export
from shoal.query.certificate import wrong_with
from shoal.query.stored_answer import stored
from shoal.vault import Vault

HERE = Path(make.__file__).parent
EXPECTED: dict[str, Any] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
ENTRIES = [int(entry) for entry in EXPECTED["answers"]]
"""Releases were called by their place in the journal then; now they are numbered from 1."""
NUMBERS = range(1, len(ENTRIES) + 1)
EXPECTED["log"] = [
    {**said, "release": number, "entry": said["release"]}
    for number, said in enumerate(EXPECTED["log"], 1)
]
EXPECTED["answers"] = dict(zip(map(str, NUMBERS), EXPECTED["answers"].values(), strict=True))
PLACES = {"visits": "visits.csv", "shifts": "staff.duckdb"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy, so that nothing is ever written to the fixture itself."""
    return Path(shutil.copytree(HERE, tmp_path / "copy"))


@pytest.fixture
def vault(folder: Path) -> Iterator[Vault]:
    with shoal.open(folder / "office.shoal", create=False) as found:
        yield found


@pytest.fixture
def moved(vault: Vault, folder: Path) -> Vault:
    """The vault, told where its sources are now."""
    for name, file in PLACES.items():
        vault.update(name, path=folder / file)
    return vault


LATER = {"least", "enough"}
"""What results say since then; all that they said before they still say."""


def in_json(said: Any) -> Any:
    return json.loads(json.dumps(said), object_pairs_hook=_as_then)


def _as_then(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in pairs if name not in LATER}


def test_it_verifies_with_the_head_that_was_noted_then(vault: Vault) -> None:
    verdict = vault.verify(known=[EXPECTED["head"]])
    assert verdict.findings == ()
    assert str(verdict.head) == EXPECTED["head"]


def test_everything_that_is_read_out_of_it_is_the_same(vault: Vault) -> None:
    found = in_json(make.stated(vault, list(NUMBERS)))
    for name, said in found.items():
        assert said == EXPECTED[name], name
    assert found.keys() | {"refusal"} == EXPECTED.keys()


def test_a_copy_that_is_read_only_says_the_same(folder: Path) -> None:
    with shoal.open(folder / "office.shoal", create=False, read_only=True) as found:
        assert in_json([each.to_dict() for each in found.log(None)]) == EXPECTED["log"]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_certificate_as_a_file_verifies_by_itself_and_beside_the_vault(
    vault: Vault, folder: Path, entry: int
) -> None:
    certificate = json.loads((folder / f"certificate_{entry}.json").read_text(encoding="utf-8"))
    assert wrong_with(certificate) == []
    assert vault.wrong_with(certificate) == []
    assert vault.release_number(certificate) == 1 + ENTRIES.index(entry)
    changed = {**certificate, "question": certificate["question"] + " "}
    assert vault.wrong_with(changed) != []


@pytest.mark.parametrize("at", range(len(make.QUESTIONS)))
def test_a_question_asked_again_is_free_and_has_the_stored_answer(moved: Vault, at: int) -> None:
    who, text, words, request = make.QUESTIONS[at]
    held = moved if who is None else moved.as_(who)
    before = {name: moved.budget(name).to_dict() for name in PLACES}
    answer = held.sql(text, **words).release(**request)
    kept = EXPECTED["answers"][str(NUMBERS[at])]
    assert in_json(stored(answer)) == kept
    assert answer.certificate == kept["certificate"]
    assert {name: moved.budget(name).to_dict() for name in PLACES} == before
    assert in_json(before) == EXPECTED["budgets"]


def test_the_old_name_of_a_release_is_told_its_number(vault: Vault) -> None:
    with pytest.raises(VaultError, match="Entry 10 of the journal is release 1"):
        vault.show(10)


def test_what_was_refused_is_refused_in_the_same_numbers(moved: Vault) -> None:
    assert make.refusal(moved) == EXPECTED["refusal"]


def test_a_new_question_is_charged_to_the_accounts_as_they_were_left(moved: Vault) -> None:
    ((before,), left) = moved.budget("visits").accounts, moved.budget("visits").left
    moved.sql("SELECT COUNT(*) AS fresh FROM visits WHERE kind = 'work'").release(epsilon="1/8")
    after = moved.budget("visits")
    assert after.accounts[0].events == before.events + 1
    assert isinstance(left, shoal.Pure)
    assert after.left == shoal.Pure(left.epsilon - shoal.Pure("1/8").epsilon)
    assert moved.verify(known=[EXPECTED["head"]]).findings == ()


def test_sources_that_were_moved_keep_version_and_accounts(moved: Vault) -> None:
    assert (
        in_json({name: each.stated for name, each in moved.datasets.items()})
        == (EXPECTED["datasets"])
    )


def test_the_exported_poll_reads_as_the_poll_in_the_vault(vault: Vault, folder: Path) -> None:
    text = (folder / "commute.json").read_text(encoding="utf-8")
    assert in_json(read_export(text).to_dict()) == EXPECTED["poll"]
    assert vault.poll("commute").to_json() + "\n" == text


def test_a_poll_of_then_goes_on_showing_what_will_be_sent(vault: Vault) -> None:
    assert vault.poll("commute").poll.show_sent == "before"
