"""Questions in a vault: charged before rows are read, answered once, refused when the budget is
spent.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from tests.vault.office import BY_KIND, COUNT, FACTS, PLANTED, UNIT, office, rows, write

import shoal
from shoal.engines.duckdb import DuckDB
from shoal.errors import (
    BudgetExceeded,
    ChangedError,
    KeyReusedError,
    ShoalError,
    SourceError,
    UnansweredError,
    VaultError,
)
from shoal.interpret import risk_of
from shoal.query.certificate import wrong_with
from shoal.vault.accounts.budgets import together
from shoal.vault.board_report import report_page
from shoal.vault.certificate_page import certificate_page


def test_an_answer_is_charged_and_the_same_question_again_is_the_same_answer_free_of_charge(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    first = vault.sql(BY_KIND).release(epsilon="0.25")
    again = vault.sql(BY_KIND.replace(" AS n", " AS many")).release(epsilon="0.25")
    assert [row[1:] for row in again.rows] == [row[1:] for row in first.rows]
    assert again.interval("many") == first.interval("n")
    assert vault.budget("visits").spent == shoal.Pure("0.25")
    assert len(vault.log()) == 1


def test_what_comes_after_the_draws_is_free(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.sql(BY_KIND).release(epsilon="0.25")
    best = vault.sql(f"{BY_KIND} ORDER BY n DESC LIMIT 1").release(epsilon="0.25")
    assert len(best) == 1
    assert vault.budget("visits").spent == shoal.Pure("0.25")


def test_the_same_question_at_another_request_or_by_other_facts_is_drawn_anew(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    for epsilon in ("0.25", "0.125"):
        vault.sql(COUNT).release(epsilon=epsilon)
    vault.update("visits", columns={"spend": shoal.Range(0, 400)})
    vault.sql(COUNT).release(epsilon="0.25")
    assert vault.budget("visits").spent == shoal.Pure("0.625")


def test_a_vault_that_is_opened_again_has_the_same_answers_and_the_same_account(
    tmp_path: Path,
) -> None:
    with office(tmp_path) as vault:
        first = vault.sql(BY_KIND).release(epsilon="0.25")
    with shoal.open(tmp_path / "office.shoal") as vault:
        assert vault.sql(BY_KIND).release(epsilon="0.25").rows == first.rows
        assert vault.budget("visits").left == shoal.Pure("0.75")


@pytest.mark.slow
def test_ten_tenths_fit_and_nothing_more_does(tmp_path: Path) -> None:
    vault = office(tmp_path)
    for at in range(10):
        vault.sql(f"{COUNT} WHERE spend > {at}").release(epsilon="0.1")
    with pytest.raises(BudgetExceeded, match="Nothing was spent"):
        vault.sql(COUNT).release(epsilon="1e-9")
    assert vault.budget("visits").left == shoal.Pure(0)


def test_a_refused_question_says_what_would_fit_and_spends_nothing(tmp_path: Path) -> None:
    vault = office(tmp_path)
    with pytest.raises(BudgetExceeded, match=r"Ask with epsilon=\S+, which fits"):
        vault.sql(COUNT).release(epsilon=2)
    assert vault.budget("visits").spent == shoal.Pure(0)
    assert vault.log() == []


def test_questions_are_charged_before_rows_are_read(tmp_path: Path) -> None:
    vault = office(tmp_path)
    seen: list[shoal.Measure] = []
    totals = DuckDB.totals

    def watched(engine: DuckDB, bounded: Any, **more: Any) -> Any:
        seen.append(vault.budget("visits").spent)
        return totals(engine, bounded, **more)

    with patch.object(DuckDB, "totals", watched):
        vault.sql(COUNT).release(epsilon="0.5")
    assert seen == [shoal.Pure("0.5")]


def test_nothing_is_given_back_once_rows_were_read(tmp_path: Path) -> None:
    vault = office(tmp_path)

    def broken(*_: object, **__: object) -> None:
        raise SourceError("the disk is gone.", remedy="Find it.")

    with patch.object(DuckDB, "totals", broken), pytest.raises(UnansweredError):
        vault.sql(COUNT).release(epsilon="0.5")
    assert vault.budget("visits").spent == shoal.Pure("0.5")
    assert [each.state for each in vault.log()] == ["unanswered"]


def test_what_fails_before_rows_are_opened_is_given_back(tmp_path: Path) -> None:
    vault = office(tmp_path)
    ask = vault.sql(COUNT)
    gone = SourceError("the file is gone.", remedy="Find it.")
    with patch.object(DuckDB, "columns", side_effect=gone), pytest.raises(SourceError):
        ask.release(epsilon="0.5")
    assert vault.budget("visits").spent == shoal.Pure(0)
    assert [each.state for each in vault.log()] == ["given back"]
    assert len(ask.release(epsilon="0.5")) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "told"),
    [("totals", UnansweredError), ("columns", RuntimeError)],
    ids=["while reading", "while opening"],
)
def test_the_words_of_an_error_that_may_quote_a_row_are_not_kept(
    place: str, told: type[Exception], tmp_path: Path
) -> None:
    vault = office(tmp_path)
    quoting = RuntimeError(f"cannot convert {PLANTED}")
    with patch.object(DuckDB, place, side_effect=quoting), pytest.raises(told):
        vault.sql(COUNT).release(epsilon="0.5")
    (left,) = vault.log()
    assert left.outcome is not None
    assert left.outcome.body["reason"] == told.__name__
    vault.close()
    for file in tmp_path.glob("office.shoal*"):
        assert PLANTED.encode() not in file.read_bytes()


def test_rows_that_are_written_while_they_are_read_give_no_answer(tmp_path: Path) -> None:
    vault = office(tmp_path)
    totals = DuckDB.totals

    def racing(engine: DuckDB, bounded: Any, **more: Any) -> Any:
        found = totals(engine, bounded, **more)
        write(tmp_path, table=rows(700))
        return found

    with patch.object(DuckDB, "totals", racing), pytest.raises(ChangedError):
        vault.sql(COUNT).release(epsilon="0.5")
    assert [each.state for each in vault.log()] == ["unanswered"]


# keys


def test_a_key_answers_once_and_gives_the_same_answer_to_whoever_comes_back(tmp_path: Path) -> None:
    vault = office(tmp_path)
    first = vault.sql(COUNT).release(epsilon="0.5", key="monday")
    assert vault.sql(COUNT).release(epsilon="0.5", key="monday").rows == first.rows
    with pytest.raises(KeyReusedError):
        vault.sql(BY_KIND).release(epsilon="0.25", key="monday")
    assert vault.budget("visits").spent == shoal.Pure("0.5")


# several datasets, and measures


@pytest.mark.slow
def test_a_question_over_several_datasets_is_charged_to_each(tmp_path: Path) -> None:
    vault = office(tmp_path, keys={"user_id": 2})
    people = pa.table({"user_id": list(range(600)), "age": [at % 90 for at in range(600)]})
    vault.add(
        "people",
        write(tmp_path, "people.parquet", people),
        protects=shoal.Person("user_id"),
        columns={"age": shoal.Range(0, 120)},
        keys={"user_id": 1},
        budget=shoal.Pure("0.5"),
        relation="new people",
    )
    sql = "SELECT COUNT(*) AS n FROM (SELECT user_id FROM visits UNION ALL SELECT user_id FROM people WHERE age > 30)"
    vault.sql(sql).release(epsilon="0.5")
    assert vault.budget("visits").left == shoal.Pure("0.5")
    assert vault.budget("people").left == shoal.Pure(0)
    with pytest.raises(BudgetExceeded, match="'people'"):
        vault.sql(sql).release(epsilon="0.25")
    assert vault.budget("visits").left == shoal.Pure("0.5")


def test_a_public_table_is_joined_and_costs_nothing(tmp_path: Path) -> None:
    vault = office(tmp_path, towns=True)
    answer = vault.sql(
        "SELECT region, COUNT(*) AS n FROM visits JOIN towns USING (town) GROUP BY region"
    ).release(epsilon="0.5")
    assert {row[0] for row in answer.rows} == {"north", "south", None}
    with pytest.raises(VaultError, match="public"):
        vault.budget("towns")
    built = vault.table("visits").join("towns", using="town").group_by("region").agg(n="count(*)")
    assert built.release(epsilon="0.5").rows == answer.rows  # the same question, in other words
    assert vault.budget("visits").left == shoal.Pure("0.5")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "size"),
    [
        (shoal.Approx(3, "1e-6"), {"epsilon": "0.5"}),
        (shoal.ZeroConcentrated("0.5"), {"rho": "0.1"}),
    ],
)
def test_budgets_in_every_measure_are_charged_and_kept(
    tmp_path: Path, budget: shoal.Measure, size: dict[str, Any]
) -> None:
    vault = office(tmp_path, budget)
    answer = vault.sql(BY_KIND).release(**size)
    assert vault.budget("visits").accounts[0].events == 1
    assert wrong_with(answer.certificate) == []
    with pytest.raises(BudgetExceeded):
        vault.sql(COUNT).release(**dict.fromkeys(size, 40))  # type: ignore[arg-type]


def test_budgets_in_different_measures_cannot_pay_for_one_question(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.add(
        "more",
        write(tmp_path, "more.parquet", rows(20)),
        protects=UNIT,
        columns=FACTS,
        budget=shoal.ZeroConcentrated(1),
        relation="new people",
    )
    both = "SELECT COUNT(*) AS n FROM (SELECT spend FROM visits UNION ALL SELECT spend FROM more)"
    with pytest.raises(VaultError, match="different measures"):
        vault.sql(both).release(epsilon="0.1")


# analysts


@pytest.mark.slow
def test_allowances_may_exceed_the_budget_and_spending_never_does(tmp_path: Path) -> None:
    vault = office(tmp_path)
    for name in ("ana", "ben"):
        vault.grant(name, "visits", shoal.Pure("0.75"))
    vault.as_("ana").sql(COUNT).release(epsilon="0.75")
    with pytest.raises(BudgetExceeded, match="'visits'"):
        vault.as_("ben").sql(BY_KIND).release(epsilon="0.5")
    with pytest.raises(BudgetExceeded, match="'visits@ana'"):
        vault.as_("ana").sql(BY_KIND).release(epsilon="0.125")
    vault.as_("ben").sql(BY_KIND).release(epsilon="0.25")
    standing = vault.budget("visits")
    assert standing.left == shoal.Pure(0)
    assert [each.spent for each in standing.allowances] == [shoal.Pure("0.75"), shoal.Pure("0.25")]


def test_an_answer_that_someone_paid_for_is_free_for_everyone_who_may_ask(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.grant("ana", "visits", shoal.Pure(1))
    first = vault.sql(COUNT).release(epsilon="0.5")
    assert vault.as_("ana").sql(COUNT).release(epsilon="0.5").rows == first.rows
    assert vault.as_("ana").budget("visits").allowances[0].spent == shoal.Pure(0)


def test_an_analyst_without_an_allowance_may_not_ask(tmp_path: Path) -> None:
    vault = office(tmp_path)
    with pytest.raises(VaultError, match="'ana' has no allowance for 'visits'"):
        vault.as_("ana").sql(COUNT).release(epsilon="0.1")


def test_an_analyst_sees_their_own_releases_only(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.grant("ana", "visits", shoal.Pure(1))
    vault.sql(COUNT).release(epsilon="0.1")
    vault.as_("ana").sql(BY_KIND).release(epsilon="0.1")
    assert [each.asked_by for each in vault.log()] == ["curator", "ana"]
    assert [each.asked_by for each in vault.as_("ana").log()] == ["ana"]
    with pytest.raises(VaultError, match="not one of 'ana'"):
        vault.as_("ana").show(vault.log()[0].number)


ACTS = {
    "add": lambda vault: vault.add("x", "x.csv", public=True),
    "update": lambda vault: vault.update("visits", relation="same rows"),
    "grant": lambda vault: vault.grant("ana", "visits", shoal.Pure(9)),
    "set_budget": lambda vault: vault.set_budget("visits", shoal.Pure(9)),
    "add_from": lambda vault: vault.add_from("x.toml"),
    "accept": lambda vault: vault.accept("because"),
}


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
def test_an_analyst_may_not_change_the_vault(act: str, tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.grant("ana", "visits", shoal.Pure(1))
    with pytest.raises(VaultError, match="only the curator"):
        ACTS[act](vault.as_("ana"))


@pytest.mark.parametrize("name", ["", "a@b", "curator", "  "])
def test_a_name_that_could_be_mistaken_is_refused_to_an_analyst(name: str, tmp_path: Path) -> None:
    with pytest.raises(VaultError):
        office(tmp_path).grant(name, "visits", shoal.Pure(1))


def test_an_allowance_is_counted_in_the_measure_of_the_budget(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="same measure"):
        office(tmp_path).grant("ana", "visits", shoal.ZeroConcentrated(1))


def test_a_budget_can_be_raised_and_never_falls_below_what_was_spent(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.sql(COUNT).release(epsilon="0.5")
    assert vault.set_budget("visits", shoal.Pure(2)).left == shoal.Pure("1.5")
    with pytest.raises(ShoalError, match="below what was spent"):
        vault.set_budget("visits", shoal.Pure("0.25"))


# what is kept, and what it means


def test_the_certificate_of_a_release_is_kept_and_stands_in_the_chain(tmp_path: Path) -> None:
    vault = office(tmp_path)
    answer = vault.sql(COUNT).release(epsilon="0.5")
    kept = vault.show(vault.log()[-1].number)
    assert dict(kept.certificate) == dict(answer.certificate)
    assert kept.certificate["ledger"]["hash"] == kept.entry.hash
    assert vault.wrong_with(answer.certificate) == []


def test_a_certificate_tells_nothing_of_the_files_that_were_read(tmp_path: Path) -> None:
    vault = office(tmp_path)
    told = json.dumps(dict(vault.sql(COUNT).release(epsilon="0.5").certificate))
    (named,) = json.loads(told)["datasets"]
    assert set(named) == {"name", "version", "protects", "columns"}
    assert vault.dataset("visits").digest not in told
    assert "visits.parquet" not in told


def test_a_certificate_of_another_vault_is_not_one_of_this(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    foreign = office(tmp_path / "one").sql(COUNT).release(epsilon="0.5").certificate
    vault = office(tmp_path / "other")
    assert "no release" in " ".join(vault.wrong_with(foreign))
    vault.sql(COUNT).release(epsilon="0.5")
    assert "another one" in " ".join(vault.wrong_with(foreign))
    assert "no place" in " ".join(vault.wrong_with({**foreign, "ledger": None}))


def test_a_vault_verifies_itself(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.sql(COUNT).release(epsilon="0.5")
    assert vault.verify().is_sound


def test_the_log_can_be_cut_and_holds_the_newest(tmp_path: Path) -> None:
    vault = office(tmp_path)
    for at in range(5):
        vault.sql(f"{COUNT} WHERE spend > {at}").release(epsilon="0.01")
    assert [each.question[-1] for each in vault.log(2)] == ["3", "4"]
    assert len(vault.log(None)) == 5
    assert [each.number for each in vault.log(2)] == [4, 5]
    with pytest.raises(VaultError, match="no release 6"):
        vault.show(6)


def test_beside_every_budget_stands_what_an_attacker_can_learn(tmp_path: Path) -> None:
    vault = office(tmp_path)
    whole, so_far = vault.budget("visits").risk()
    assert "a suspicion of 50 % rises to at most 73.2 %" in whole
    assert "nothing was released" in so_far
    vault.sql(COUNT).release(epsilon="0.5")
    assert "rises to at most 62.3 %" in vault.budget("visits").risk()[1]


def test_of_several_accounts_the_risk_is_told_for_a_person_in_one_and_in_both(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path, budget=shoal.Pure("0.5"))
    vault.sql(COUNT).release(epsilon="0.4")
    write(tmp_path, table=rows(300, first=600))
    vault.update("visits", relation="new people", budget=shoal.Pure(3))
    vault.sql(COUNT).release(epsilon=2)
    write(tmp_path, table=rows(900))
    assert vault.update("visits", relation="all people").accounts == ("visits", "visits#2")
    one_whole, both_whole, one_so_far, both_so_far = vault.budget("visits").risk()
    assert "in the data of one account, a suspicion of 50 % rises to at most 95.3 %" in one_whole
    assert f"in the data of both, {risk_of(shoal.Pure('3.5'))}" in both_whole
    assert "rises to at most 88.1 %" in one_so_far
    assert both_so_far.endswith(risk_of(shoal.Pure("2.4")))


def test_promises_about_one_person_add_up() -> None:
    approx = shoal.Approx(1, "1e-6")
    assert together(
        [shoal.ZeroConcentrated(1), shoal.ZeroConcentrated(2)]
    ) == shoal.ZeroConcentrated(3)
    assert together([approx, shoal.Pure(2), approx]) == shoal.Approx(4, "2e-6")
    assert together([approx, shoal.ZeroConcentrated(1)]) is None


def test_an_analyst_sees_as_many_releases_of_their_own_as_they_asked_for(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.grant("ana", "visits", shoal.Pure(1))
    ana = vault.as_("ana")
    for at in range(3):
        ana.sql(f"{COUNT} WHERE spend > {at}").release(epsilon="0.01")
    for at in range(3, 9):
        vault.sql(f"{COUNT} WHERE spend > {at}").release(epsilon="0.01")
    assert [each.question[-1] for each in ana.log(2)] == ["1", "2"]
    assert len(ana.log(9)) == 3


def test_after_rows_were_read_a_change_is_not_said_to_have_cost_nothing(tmp_path: Path) -> None:
    vault = office(tmp_path)
    shelf = vault._payer(["visits"]).engine
    write(tmp_path, table=rows(700))
    with pytest.raises(ChangedError, match="Nothing was read or spent"):
        shelf.check_content()
    with pytest.raises(ChangedError, match="what was charged stays spent"):
        shelf.check_content(after_reading=True)


def test_a_preview_of_a_question_in_a_vault_is_free_and_says_whether_it_fits(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    assert vault.sql(COUNT).preview(epsilon=1).fits
    assert not vault.sql(COUNT).preview(epsilon=2).fits
    assert vault.sql(COUNT).for_error(50) <= Fraction(1)
    assert vault.log() == []


# what questions over tables in memory can, questions in a vault can


def test_bounds_can_be_suggested_for_a_part_of_the_budget(tmp_path: Path) -> None:
    vault = office(tmp_path, shoal.Pure(9), columns={}, towns=True)
    found = vault.suggest_bounds("visits", "spend", epsilon=8)
    assert found.range is not None
    assert vault.budget("visits").left == shoal.Pure(1)
    assert vault.log()[-1].question == "suggest_bounds('spend')"


def test_suggested_groups_have_a_certificate_that_the_vault_keeps(tmp_path: Path) -> None:
    vault = office(tmp_path, shoal.Pure(9))
    found = vault.suggest_groups("visits", "kind", epsilon=8)
    kept = vault.show(vault.log()[-1].number)
    assert found.certificate == kept.certificate
    assert vault.wrong_with(kept.certificate) == []
    assert "persons by groups" in certificate_page(kept.certificate).markdown()
    with pytest.raises(VaultError, match="no table to report"):
        report_page([kept])
    again = vault.suggest_groups("visits", "kind", epsilon=8)
    assert again == found
    assert vault.budget("visits").left == shoal.Pure(1)


def test_several_questions_are_planned_as_one_budget(tmp_path: Path) -> None:
    vault = office(tmp_path)
    plan = shoal.plan_budget(
        [vault.sql(COUNT).within(100), vault.sql(BY_KIND).within(100, column="n")]
    )
    assert plan.fits
    assert vault.log() == []


def test_quantiles_with_intervals_come_back_as_they_were_drawn(tmp_path: Path) -> None:
    vault = office(tmp_path)
    sql = "SELECT MEDIAN(spend) AS half FROM visits"
    first = vault.sql(sql, intervals="0.9").release(epsilon="0.25")
    again = vault.sql(sql, intervals="0.9").release(epsilon="0.25")
    assert (again.rows, again.interval("half")) == (first.rows, first.interval("half"))
    vault.sql(sql, intervals="0.8").release(epsilon="0.25")
    assert vault.budget("visits").spent == shoal.Pure("0.5")
