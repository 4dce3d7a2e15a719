from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.vault.office import FACTS, UNIT, office, rows, write

import shoal
from shoal.errors import RightsError, VaultError
from shoal.vault import Vault
from shoal.vault.people.owner_access import OwnerAccess


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with office(tmp_path, towns=True) as held:
        yield held


def enter(vault: Vault, name: str, **terms: object) -> OwnerAccess:
    return vault.enter(vault.people.token(name, **terms))  # type: ignore[arg-type]


def test_a_budget_that_datasets_share_is_set_by_who_manages_them_all(
    vault: Vault, tmp_path: Path
) -> None:
    more = write(tmp_path, "followup.parquet", rows(100))
    vault.add("followup", more, shares="visits", protects=UNIT, columns=FACTS)
    vault.people.add("fred", role="owner", dataset="followup")
    for name in ("followup", "visits"):
        with pytest.raises(RightsError):
            enter(vault, "fred").set_budget(name, shoal.Pure(50))
    assert str(vault.budget("visits").whole) == "epsilon 1"
    vault.people.add("fred", role="owner", dataset="visits")
    enter(vault, "fred").set_budget("followup", shoal.Pure(3))
    vault.people.add("olga", role="owner")
    enter(vault, "olga").set_budget("followup", shoal.Pure(2))
    assert str(vault.budget("visits").whole) == "epsilon 2"


def test_a_lesser_token_ends_neither_other_tokens_nor_sessions(vault: Vault) -> None:
    vault.people.add("olga", role="owner")
    whole = vault.people.token("olga")
    name, cookie = whole.split("_")[1], vault.sign_in(whole)
    reading = enter(vault, "olga", read_only=True)
    narrow = enter(vault, "olga", datasets="visits")
    assert narrow.token is not None
    assert [each.name for each in narrow.tokens()] == [narrow.token.name]
    shown = vault.people.token("olga", datasets="visits", once=True)
    browser, _ = vault.resume(vault.sign_in(shown))
    for lesser in (reading, narrow, browser):
        before = vault.position
        with pytest.raises(RightsError):
            lesser.sign_out()
        with pytest.raises(RightsError):
            lesser.revoke(name)
        assert vault.position == before
    assert vault.resume(cookie)[0].member.name == vault.enter(whole).member.name == "olga"
    assert narrow.revoke(narrow.token.name).revoked
    assert vault.enter(whole).revoke(name).revoked


def test_an_owner_of_one_dataset_learns_nothing_of_other_people(
    vault: Vault, tmp_path: Path
) -> None:
    other = write(tmp_path, "salaries.parquet", rows(50, first=9000))
    vault.add("salaries", other, protects=UNIT, columns=FACTS, budget=1)
    vault.people.add("olga", role="owner")
    vault.people.add("vera", role="owner", dataset="visits")
    vault.people.add("sam", role="auditor", dataset="salaries")
    vera, said = enter(vault, "vera"), set()
    for name in ("sam", "olga", "nobody"):
        with pytest.raises(VaultError) as caught:
            vera.remove_person(name, role=None, dataset="visits")
        said.add(str(caught.value).replace(name, "X"))
    assert len(said) == 1
    assert not any(word in min(said) for word in ("sam", "olga", "salaries"))
    added = vera.add_person("sam", role="steward", dataset="visits", allowance=None)
    assert str(added) == "sam: steward of visits"
    vera.remove_person("sam", role="steward", dataset="visits")
    assert str(vault.people["sam"]) == "sam: auditor of salaries"


def test_the_journal_has_the_name_of_who_set_budgets_and_allowances(vault: Vault) -> None:
    vault.people.add("vera", role="owner", dataset="visits")
    vera = enter(vault, "vera")
    before = vault.position
    vera.set_budget("visits", shoal.Pure(2))
    vera.grant("ana", "visits", shoal.Pure(1))
    vera.grant("ana", "visits", shoal.Pure("0.5"))
    vera.add_person("bo", role="analyst", dataset="visits", allowance=shoal.Pure(1))
    found = (vault._ledger.entry(at) for at in range(before + 1, vault.position + 1))
    entries = [each for each in found if each is not None]
    assert [(each.kind, (each.body.get("fact") or each.body)["by"]) for each in entries] == [
        (kind, "vera") for kind in ("budget", "account", "budget", "account", "person")
    ]
    assert vault.verify().is_sound


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "ana ", "an a", "x\nolga: owner of everything", "\x1b[2Jx", "a/b", ".", ".."),
        *(".a", "a.", "a@b", "<b>", "fact request", "an\u200ba", "\u202eana", "\u3164", "\ud800"),
        *("Ana", "ANA", "curator", "Curator", "\uff23urator", "an\u0430", "x" * 101, "\ufdfa" * 99),
    ],
)
def test_a_name_that_could_deceive_is_refused_and_nothing_is_written(
    vault: Vault, name: str
) -> None:
    vault.people.add("ana", role="owner")
    owner = enter(vault, "ana")
    before = vault.position
    with pytest.raises(VaultError):
        vault.people.add(name, role="auditor")
    with pytest.raises(VaultError):
        owner.grant(name, "visits", shoal.Pure(1))
    assert vault.position == before


def test_plain_names_of_any_alphabet_are_taken_and_old_names_stay(vault: Vault) -> None:
    plain = ["ana.lopez", "b-2_c", "Jos\u00e9", "\u041e\u043b\u044c\u0433\u0430", "\u674e\u96f7"]
    for name in plain:
        assert vault.people.add(name, role="auditor").name == name
    assert vault.people.add("Jose\u0301", role="steward").name == "Jos\u00e9"
    old = {"act": "add", "by": "curator", "person": "a b\n", "role": "auditor", "dataset": None}
    vault._ledger.record("person", old)
    assert vault.people.add("a b\n", role="steward").name == "a b\n"
    vault.people.remove("a b\n")
    assert [each.name for each in vault.people] == plain
