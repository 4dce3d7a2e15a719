"""The report of an account, its record for the Deployments Registry, and its checklist: each says
what the vault knows, and nothing else.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.vault.office import BY_KIND, COUNT, office
from tests.vault.registry_schema import wrong_fields

import shoal
from shoal.errors import VaultError
from shoal.vault import Vault
from shoal.vault.accounts.spending import spending_of
from shoal.vault.deployment_record import to_fill_in

BUDGETS = (shoal.Pure(2), shoal.ZeroConcentrated("0.5"), shoal.Approx(3, "1e-6"))


def asked(folder: Path, budget: shoal.Measure | None = None) -> Vault:
    """Three releases by two askers."""
    vault = office(folder, budget or shoal.Pure(2))
    word = "rho" if isinstance(budget, shoal.ZeroConcentrated) else "epsilon"
    vault.grant("ana", "visits", budget or shoal.Pure(1))
    vault.sql(BY_KIND).release(**{word: "0.1"})
    vault.as_("ana").sql(COUNT).release(**{word: "0.05"})
    vault.sql(f"{COUNT} WHERE spend > 9").release(**{word: "0.02"})
    return vault


# spending


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_what_was_spent_after_the_last_release_is_what_the_account_says(
    budget: shoal.Measure, tmp_path: Path
) -> None:
    vault = asked(tmp_path, budget)
    (account,) = vault.budget("visits").accounts
    found = spending_of(account, vault.log(None))
    assert found.points[-1].spent == account.spent
    assert [each.by for each in found.points] == ["curator", "ana", "curator"]
    totals = {each.by: each for each in found.askers}
    assert (totals["curator"].releases, totals["ana"].releases) == (2, 1)
    (allowance,) = vault.budget("visits").allowances
    assert totals["ana"].spent == allowance.spent


def test_a_charge_that_was_given_back_was_not_spent(tmp_path: Path) -> None:
    vault = asked(tmp_path)
    charge = vault._ledger.charge("visits", shoal.events.StatedPure("0.5"), caller="ben")
    assert isinstance(charge, shoal.ledger.Charge)
    charge.failed_before_data("a reason")
    (account,) = vault.budget("visits").accounts
    found = spending_of(account, vault.log(None))
    assert found.points[-1].spent == shoal.Pure("0.17")
    assert {each.by for each in found.askers} == {"curator", "ana"}


# the page


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_the_report_of_an_account_says_what_was_spent_by_whom_and_what_it_means(
    budget: shoal.Measure, tmp_path: Path
) -> None:
    vault = asked(tmp_path, budget)
    page = vault.account_report("visits")
    text = page.markdown()
    standing = vault.budget("visits")
    for words in (
        "3 releases were made about visits.",
        f"Of the budget, {standing.whole}, {standing.spent} is spent",
        *standing.risk(),
        f"| ana | 1 | {standing.allowances[0].spent} |",
        "sound, verified 20",
        str(vault.verify().head),
        "Checklist by NIST SP 800-226",
        BY_KIND,
    ):
        assert words in text, words
    assert "<svg" in page.html()
    assert "<svg" not in vault.account_report("visits", pictures=False).html()


def test_an_account_without_releases_has_a_report(tmp_path: Path) -> None:
    vault = office(tmp_path)
    text = vault.account_report("visits").markdown()
    assert text.count("Nothing was released yet.") == 3
    with pytest.raises(VaultError, match="nothing to register"):
        vault.registry("visits")


def test_a_damaged_journal_is_said_on_the_report(tmp_path: Path) -> None:
    vault = asked(tmp_path)
    vault._ledger._store.head.path.write_text("0" * 200)  # type: ignore[union-attr]
    text = vault.account_report("visits", pictures=False).markdown()
    assert "NOT SOUND" in text
    assert "The journal is NOT sound" in text


def test_an_analyst_does_not_see_the_account(tmp_path: Path) -> None:
    ana = asked(tmp_path).as_("ana")
    for act in (ana.account_report, ana.registry):
        with pytest.raises(VaultError, match="for the curator"):
            act("visits")


# the registry


def releases(folder: Path, budget: shoal.Measure) -> list[Any]:
    vault = asked(folder, budget)
    word = "rho" if isinstance(budget, shoal.ZeroConcentrated) else "epsilon"
    vault.suggest_bounds("visits", "spend", **{word: "0.01"})
    return vault.log(None)


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_record_has_the_fields_of_the_registry_and_no_other(
    budget: shoal.Measure, tmp_path: Path
) -> None:
    found = [each.registry() for each in releases(tmp_path, budget)]
    found.append(shoal.open(tmp_path / "office.shoal").registry("visits"))
    for record in found:
        assert list(wrong_fields(record)) == []
        assert json.loads(json.dumps(record)) == record


def test_the_schema_of_this_test_refuses_what_the_registry_refuses(tmp_path: Path) -> None:
    record = asked(tmp_path).show(1).registry()
    record["deployment"]["basic"]["surprise"] = "x"
    record["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"] = "1"
    record["deployment"]["deployment_model"]["model_name"] = "Middle"
    del record["deployment"]["administrative"]["status"]
    assert len(list(wrong_fields(record))) == 4


def test_the_numbers_of_a_record_are_never_below_what_was_promised(tmp_path: Path) -> None:
    vault = office(tmp_path, shoal.Pure(2))
    vault.sql(COUNT).release(epsilon="1/3")
    release = vault.show(1)
    loss = release.registry()["deployment"]["privacy_loss"]
    assert Fraction(loss["privacy_parameters"]["epsilon"]) >= Fraction(1, 3)
    assert loss["privacy_parameters"]["epsilon"] == pytest.approx(1 / 3)
    assert "epsilon 1/3" in loss["privacy_parameters_details"]
    whole = vault.registry("visits")["deployment"]["privacy_loss"]
    assert Fraction(whole["privacy_parameters"]["epsilon"]) >= Fraction(1, 3)


def test_what_only_the_curator_knows_is_empty_and_listed(tmp_path: Path) -> None:
    record = asked(tmp_path).show(1).registry()
    assert to_fill_in(record) == [
        "deployment.basic.name",
        "deployment.basic.data_curators.data_curator_name",
        "deployment.basic.data_curators.data_curator_type",
        "deployment.basic.intended_use",
        "deployment.basic.data_product_region",
        "deployment.implementation.justification",
        "deployment.administrative.registry_authors",
    ]


# the checklist


def points(vault: Vault) -> dict[str, str]:
    text = vault.account_report("visits", pictures=False).markdown()
    table = text.partition("| point | this vault |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return {row[0]: " | ".join(row[1:]) for row in rows}


def test_the_checklist_says_what_is_so_in_this_vault(tmp_path: Path) -> None:
    vault = asked(tmp_path)
    found = points(vault)
    assert "spent epsilon 0.17" in found["Epsilon and delta"]
    assert "each person by user_id (2 groups, 3 rows per group)" in found["Unit of privacy"]
    assert "adding or removing one" in found["Unit of privacy"]
    assert "3 releases" in found["Composition"]
    assert "1 analyst with an allowance: ana" in found["Query access"]
    assert "nobody else can (mode 600)" in found["Access to the vault"]
    for open_point in ("Utility", "Bias", "Access to the rows", "Data collection"):
        assert found[open_point].endswith("for the curator to answer")


def test_a_file_that_others_can_read_is_not_called_closed(tmp_path: Path) -> None:
    vault = asked(tmp_path)
    place = vault._ledger.place
    assert place is not None
    place.chmod(0o640)
    assert "other users of the machine can, too (mode 640)" in points(vault)["Access to the vault"]
