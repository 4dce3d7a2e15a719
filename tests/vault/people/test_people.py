from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time

import pytest
from tests.vault.office import BY_KIND, COUNT, FACTS, PLANTED, UNIT, office, rows, write

import shoal
from shoal.errors import (
    BudgetExceeded,
    RightsError,
    SchemaError,
    ShoalError,
    TokenError,
    UnknownNameError,
    VaultError,
)
from shoal.interpret import risk_of
from shoal.ledger.entry import Entry, hash_of
from shoal.vault import Vault
from shoal.vault.certificate_page import promise_of
from shoal.vault.people.access_token import AccessToken
from shoal.vault.people.approval_request import ApprovalRequest
from shoal.vault.people.member import GivenRole, Member
from shoal.vault.people.office_facts import OfficeState
from shoal.vault.people.rights import CHANGES, GIVEN, RIGHTS, Right
from shoal.vault.people.sessions import IDLE, LONGEST, BrowserSession, read_session


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with office(tmp_path, towns=True) as held:
        held.people.add("ana", role="analyst", dataset="visits", allowance="0.5")
        yield held


def refused(act: object, error: type[ShoalError] = TokenError) -> str:
    with pytest.raises(error) as caught:
        act()  # type: ignore[operator]
    return str(caught.value)


# roles


def test_a_role_gives_its_rights_for_its_dataset_and_for_no_other() -> None:
    for role in GIVEN:
        there, everywhere = (Member("p", (GivenRole(role, of),)) for of in ("visits", None))
        for right in Right:
            has = right in RIGHTS[role]
            assert there.may(right, "visits") == everywhere.may(right, "visits") == has
            assert everywhere.may_everywhere(right) == everywhere.may(right, "other") == has
            assert not there.may(right, "other")
            assert not there.may_everywhere(right)


def test_a_read_only_token_leaves_no_right_that_spends_or_changes() -> None:
    whole = Member("p", tuple(GivenRole(role) for role in GIVEN))
    kept = {right for right in Right if whole.narrowed((), read_only=True).may(right)}
    assert kept == set(Right) - CHANGES


def test_narrowing_never_adds_a_right() -> None:
    some = Member("p", (GivenRole("analyst", "visits"), GivenRole("auditor")))
    for datasets in ((), ("visits",), ("other",), ("visits", "other")):
        less = some.narrowed(datasets, read_only=False)
        for right in Right:
            for name in ("visits", "other"):
                assert some.may(right, name) or not less.may(right, name)


def test_who_decides_may_not_ask_and_who_audits_sees_no_answer() -> None:
    assert Right.ASK not in RIGHTS["steward"]
    assert not RIGHTS["auditor"] & {Right.READ, Right.ASK, Right.TRY, Right.MANAGE}
    assert RIGHTS["public"] == frozenset()


def test_people_are_facts_of_the_journal_and_stay_when_it_is_opened_again(
    vault: Vault, tmp_path: Path
) -> None:
    vault.people.add("olga", role="owner")
    with shoal.open(tmp_path / "office.shoal") as again:
        assert [str(each) for each in again.people] == [
            "ana: analyst of visits",
            "olga: owner of everything",
        ]
        again.people.remove("ana")
    assert [each.name for each in vault.people] == ["olga"]
    assert vault.verify().is_sound


@pytest.mark.parametrize(
    "asked",
    [
        {"name": "bo", "role": "king"},
        {"name": "bo", "role": "analyst"},
        {"name": "bo", "role": "analyst", "dataset": "visits"},
        {"name": "bo", "role": "analyst", "dataset": "nothing", "allowance": 1},
        {
            "name": "bo",
            "role": "analyst",
            "dataset": "visits",
            "allowance": shoal.Approx(1, "1e-9"),
        },
        {"name": "bo", "role": "auditor", "allowance": 1},
        {"name": "bo", "role": "researcher", "dataset": "visits"},
        {"name": "curator", "role": "owner"},
        {"name": "a@b", "role": "owner"},
    ],
)
def test_a_role_that_makes_no_sense_is_refused_and_nothing_is_written(
    vault: Vault, asked: dict[str, object]
) -> None:
    before = vault.position
    with pytest.raises(ShoalError):
        vault.people.add(**asked)  # type: ignore[arg-type]
    assert vault.position == before


def test_an_analyst_cannot_see_or_change_people(vault: Vault) -> None:
    with pytest.raises(VaultError, match="only the curator"):
        vault.as_("ana").people  # noqa: B018 - looking is the act


# tokens


def test_a_token_lets_its_person_in_until_it_is_revoked_in_any_process(
    vault: Vault, tmp_path: Path
) -> None:
    text = vault.people.token("ana")
    assert vault.enter(text).member.name == "ana"
    with shoal.open(tmp_path / "office.shoal") as elsewhere:
        assert elsewhere.enter(text).member.name == "ana"
        elsewhere.people.revoke(elsewhere.people.tokens[0].name)
    refused(lambda: vault.enter(text))


def test_unknown_wrong_expired_revoked_and_orphaned_tokens_get_one_answer(vault: Vault) -> None:
    text = vault.people.token("ana", days=1)
    wrong = text[:-1] + ("0" if text[-1] != "0" else "1")
    revoked = vault.people.token("ana")
    vault.people.revoke(vault.people.tokens[-1].name)
    once = vault.people.token("ana", once=True)
    said = {
        refused(lambda shown=shown: vault.enter(shown))
        for shown in ("", " ", "shoal", "shoal__", wrong, revoked, once, f"{text} ", "é" * 9)
    }
    vault.people.remove("ana")
    said.add(refused(lambda: vault.enter(text)))
    assert len(said) == 1


def test_a_token_ends_at_its_hour() -> None:
    now = datetime.now(UTC)
    token = AccessToken("a", "ana", now.isoformat(), (now + timedelta(days=1)).isoformat(), "x")
    assert token.is_valid(now)
    assert not token.is_valid(now + timedelta(days=1))
    assert not replace(token, revoked=True).is_valid(now)


def test_the_secret_of_a_token_is_nowhere_in_the_vault(vault: Vault, tmp_path: Path) -> None:
    text = vault.people.token("ana")
    vault.enter(text)
    secret = text.rsplit("_", 1)[1]
    for path in tmp_path.iterdir():
        assert secret.encode() not in path.read_bytes()
    assert secret not in repr(vault.people.tokens)


def test_the_last_use_of_a_token_is_noted_once_a_day(vault: Vault) -> None:
    text = vault.people.token("ana")
    assert vault.people.tokens[0].used is None
    vault.enter(text)
    after = vault.position
    vault.enter(text)
    assert vault.position == after
    assert vault.people.tokens[0].used == datetime.now(UTC).date().isoformat()


def test_a_token_for_one_sign_in_is_good_once(vault: Vault) -> None:
    text = vault.people.token("ana", once=True)
    cookie = vault.sign_in(text)
    assert vault.resume(cookie)[0].member.name == "ana"
    refused(lambda: vault.sign_in(text))


# browser sessions


def test_a_session_ends_with_its_token_and_with_a_sign_out_everywhere(vault: Vault) -> None:
    first = vault.sign_in(vault.people.token("ana"))
    vault.people.revoke(vault.people.tokens[0].name)
    refused(lambda: vault.resume(first))
    second = vault.sign_in(vault.people.token("ana"))
    vault.people.sign_out("ana")
    refused(lambda: vault.resume(second))
    third = vault.sign_in(vault.people.token("ana"))
    assert vault.resume(third)[0].member.name == "ana"


@pytest.mark.parametrize("once", [False, True])
def test_no_session_outlives_its_token_or_the_removal_of_its_person(
    vault: Vault, once: bool
) -> None:
    first = vault.sign_in(vault.people.token("ana", once=once))
    vault.people.revoke(vault.people.tokens[-1].name)
    refused(lambda: vault.resume(first))
    second = vault.sign_in(vault.people.token("ana", once=once))
    assert vault.resume(second)[0].member.name == "ana"
    vault.people.remove("ana")
    vault.people.add("ana", role="owner")
    refused(lambda: vault.resume(second))
    third = vault.sign_in(vault.people.token("ana", once=once))
    assert vault.resume(third)[0].member.name == "ana"


def test_whoever_has_no_role_left_is_signed_out(vault: Vault) -> None:
    before = BrowserSession.begin("ana", "t").began
    vault.people.remove("ana", dataset="visits")
    assert datetime.fromisoformat(vault._facts.state.signed_out["ana"]) > before


def test_a_session_of_a_link_goes_on_when_the_link_expires() -> None:
    now = datetime.now(UTC)
    link = AccessToken("a", "ana", now.isoformat(), now.isoformat(), "x", once=True)
    used = replace(link, redeemed=now.isoformat())
    assert (used.keeps_session(now), used.is_valid(now - timedelta(days=1))) == (True, False)
    assert not link.keeps_session(now)
    assert not replace(used, revoked=True).keeps_session(now)


def test_a_session_ends_when_it_is_idle_or_old() -> None:
    now = datetime.now(UTC)
    session = BrowserSession.begin("ana", "t", now=now)
    assert session.at(now + IDLE * 0.9).is_alive(now + IDLE * 1.5)
    assert not session.is_alive(now + IDLE)
    assert not session.at(now + LONGEST).is_alive(now + LONGEST)


def test_a_cookie_that_was_changed_or_signed_elsewhere_is_no_session() -> None:
    secret = bytes(32)
    text = BrowserSession.begin("ana~b", "t", datasets=("visits",), read_only=True).text(secret)
    found = read_session(secret, text)
    assert found is not None
    assert (found.person, found.token, found.datasets, found.read_only) == (
        *("ana~b", "t", ("visits",), True),
    )
    assert read_session(bytes([1]) * 32, text) is None
    for at in range(len(text)):
        assert (
            read_session(secret, text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :])
            is None
        )
    assert not found.csrf_fits(secret, "")
    assert found.csrf_fits(secret, found.csrf(secret))


# requests


def test_an_approved_request_is_charged_to_the_dataset_once_and_not_to_the_allowance(
    vault: Vault,
) -> None:
    ana = vault.as_("ana")
    with pytest.raises(BudgetExceeded):
        ana.sql(COUNT).release(epsilon="0.7")
    asked = ana.requests.ask(COUNT, purpose="Yearly report", epsilon="0.7")
    refused(lambda: ana.requests.release(asked.number), VaultError)
    refused(lambda: ana.requests.approve(asked.number), RightsError)
    vault.requests_for("stu").approve(asked.number, "Once a year.")
    refused(lambda: vault.requests_for("eva").deny(asked.number), VaultError)
    first, second = (ana.requests.release(asked.number).value for _ in range(2))
    assert first == second
    standing = vault.budget("visits")
    assert str(standing.spent) == "epsilon 0.7"
    assert str(standing.allowances[0].spent) == "epsilon 0"
    assert vault.log()[-1].asked_by == "ana"
    assert vault.verify().is_sound


def test_a_request_tells_the_risk_that_its_certificate_will_tell(vault: Vault) -> None:
    asked = vault.as_("ana").requests.ask(COUNT, purpose="Yearly report", epsilon="0.7")
    vault.requests_for("stu").approve(asked.number)
    answer = vault.as_("ana").requests.release(asked.number)
    assert asked.risk == risk_of(promise_of(answer.certificate))
    assert asked.risk != risk_of(shoal.Pure("0.6"))


def test_a_request_of_an_earlier_version_tells_no_risk(vault: Vault) -> None:
    asked = vault.as_("ana").requests.ask(COUNT, purpose="Yearly report", epsilon="0.7")
    older = {name: each for name, each in asked.to_fact().items() if name != "risk"}
    assert ApprovalRequest.from_fact(1, older, asked.time, asked.entry) == replace(asked, risk="")


def test_a_denied_request_and_one_of_somebody_else_cannot_be_released(vault: Vault) -> None:
    vault.people.add("bo", role="analyst", dataset="visits", allowance="0.1")
    vault.as_("ana").requests.ask(COUNT, purpose="a", epsilon="0.7")
    vault.as_("ana").requests.ask(COUNT, purpose="b", epsilon="0.6")
    vault.requests_for("stu").deny(1)
    vault.requests_for("stu").approve(2)
    refused(lambda: vault.as_("ana").requests.release(1), VaultError)
    refused(lambda: vault.as_("bo").requests.release(2), RightsError)
    assert [each.state for each in vault.requests] == ["denied", "approved"]


# what one person may do


def test_a_dataset_that_somebody_may_not_look_at_is_not_there(vault: Vault, tmp_path: Path) -> None:
    other = write(tmp_path, "other.parquet", rows(50, first=9000))
    vault.add("other", other, protects=UNIT, columns=FACTS, budget=1)
    vault.people.add("eva", role="researcher")
    ana = vault.enter(vault.people.token("ana"))
    assert set(ana.datasets()) == {"visits", "towns"}
    eva = vault.enter(vault.people.token("eva"))
    refused(eva.datasets, RightsError)
    for name in ("other", "nothing"):
        assert f"no dataset {name!r}" in refused(lambda name=name: ana.dataset(name), VaultError)
        asked = COUNT.replace("visits", name)
        refused(lambda asked=asked: ana.sql(asked), UnknownNameError)


def test_an_analyst_who_lost_the_role_cannot_spend_what_is_left_of_the_allowance(
    vault: Vault,
) -> None:
    vault.people.add("ana", role="auditor")
    text = vault.people.token("ana")
    assert len(vault.enter(text).release(COUNT, key="a", epsilon="0.1")) == 1
    vault.people.remove("ana", role="analyst")
    refused(lambda: vault.enter(text).release(COUNT, key="b", epsilon="0.1"), RightsError)


def test_an_auditor_sees_the_log_and_no_answer(vault: Vault) -> None:
    vault.enter(vault.people.token("ana")).release(COUNT, key="a", epsilon="0.1")
    vault.people.add("aud", role="auditor", dataset="visits")
    aud = vault.enter(vault.people.token("aud"))
    assert [each.number for each in aud.releases()] == [1]
    assert aud.release_at(1, answer=False).certificate["release"] == 1
    refused(lambda: aud.release_at(1, answer=True), RightsError)
    refused(lambda: aud.sql(COUNT), RightsError)
    assert aud.verify().is_sound


def test_a_release_is_found_by_the_key_of_its_asker_alone(vault: Vault) -> None:
    vault.people.add("bo", role="analyst", dataset="visits", allowance="0.1")
    ana, bo = (vault.enter(vault.people.token(each)) for each in ("ana", "bo"))
    ana.release(COUNT, key="monday", epsilon="0.1")
    bo.release(COUNT, key="tuesday", epsilon="0.1")  # the same answer, free
    assert [ana.release_by_key(key) is None for key in ("monday", "tuesday")] == [False, True]
    found = bo.release_by_key("tuesday")
    assert found is not None
    assert found.number == 1
    assert str(vault.budget("visits").spent) == "epsilon 0.1"


def test_a_token_for_one_dataset_shows_nothing_of_another(vault: Vault, tmp_path: Path) -> None:
    other = write(tmp_path, "other.parquet", rows(50, first=9000))
    vault.add("other", other, protects=UNIT, columns=FACTS, budget=1)
    vault.people.add("ana", role="analyst", dataset="other", allowance=1)
    whole = vault.enter(vault.people.token("ana"))
    whole.release(COUNT, key="monday", epsilon="0.1")
    whole.ask_for(COUNT, purpose="more", epsilon="0.7")
    less = vault.enter(vault.people.token("ana", datasets="other"))
    assert (len(whole.releases()), len(whole.requests())) == (1, 1)
    assert (less.releases(), less.requests()) == ([], [])
    assert less.release_by_key("monday") is None
    refused(lambda: less.release_at(1, answer=False), VaultError)
    refused(lambda: less.request(1), VaultError)


def test_what_people_say_is_kept_and_no_row_is(vault: Vault, tmp_path: Path) -> None:
    vault.as_("ana").requests.ask(COUNT, purpose="<b>why</b>", epsilon="0.7")
    vault.requests_for("stu").comment(1, "Say more.")
    assert vault.requests[1].remarks[0].word == "Say more."
    assert PLANTED.encode() not in (tmp_path / "office.shoal").read_bytes()


def test_only_answered_releases_are_published(vault: Vault) -> None:
    refused(lambda: vault.gallery.add(1), VaultError)
    vault.sql(COUNT).release(epsilon="0.1")
    vault.gallery.add(1, title="Visits")
    assert [(each, vault.gallery.title(each)) for each in vault.gallery] == [(1, "Visits")]
    vault.gallery.remove(1)
    refused(lambda: vault.gallery[1], VaultError)


def test_nobody_floods_the_queue_with_requests_or_comments(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.vault.people.requests.MOST_OPEN", 2)
    monkeypatch.setattr("shoal.vault.people.requests.MOST_COMMENTS", 2)
    asking, deciding = vault.as_("ana").requests, vault.requests_for("stu")
    for _ in range(2):
        asking.ask(COUNT, purpose="p", epsilon="0.7")
        deciding.comment(1, "Why?")
    before = vault.position
    said = refused(lambda: asking.ask(COUNT, purpose="p", epsilon="0.7"), VaultError)
    assert "2 open requests" in said
    assert "2 comments" in refused(lambda: asking.comment(1, "Because."), VaultError)
    assert vault.position == before
    deciding.deny(1)
    assert asking.ask(COUNT, purpose="p", epsilon="0.7").number == 3


def test_a_read_only_analyst_previews_and_releases_nothing(vault: Vault) -> None:
    reading = vault.enter(vault.people.token("ana", read_only=True))
    whole = vault.enter(vault.people.token("ana"))
    asked, same = (each.sql(COUNT).preview(epsilon="0.1") for each in (reading, whole))
    assert str(asked) == str(same)
    refused(lambda: reading.release(COUNT, key="a", epsilon="0.1"), RightsError)


def test_what_is_not_there_and_what_is_not_ones_own_get_one_answer(vault: Vault) -> None:
    vault.people.add("bo", role="analyst", dataset="visits", allowance="0.1")
    vault.as_("ana").sql(COUNT).release(epsilon="0.1")
    vault.as_("ana").requests.ask(COUNT, purpose="p", epsilon="0.7")
    bo = vault.enter(vault.people.token("bo"))
    for look in (lambda at: bo.release_at(at, answer=False), bo.request):
        said = {
            refused(lambda at=at, look=look: look(at), VaultError).replace(f" {at}.", "")
            for at in (1, 2, 99)
        }
        assert len(said) == 1


def test_the_weights_of_a_request_are_kept_and_checked(vault: Vault) -> None:
    asking = vault.as_("ana").requests
    weights = {"n": "9", "spend": "1"}
    made = asking.ask(BY_KIND, purpose="p", epsilon="0.7", weights=weights)
    assert made.terms["weights"] == weights
    refused(
        lambda: asking.ask(BY_KIND, purpose="p", epsilon="0.7", weights={"no": "9"}), ShoalError
    )
    vault.requests_for("stu").approve(1)
    assert asking.release(1)
    same = vault.as_("ana").sql(BY_KIND, weights=weights).preview(epsilon="0.7")
    assert made.expected == tuple(map(str, same.columns))


@pytest.mark.parametrize(
    ("question", "purpose"),
    [
        (f"{COUNT} -- \u202ehidden", "why"),
        (f"{COUNT} -- \x1b[2J", "why"),
        (COUNT, "why\u2066"),
        (COUNT, "why\x9b2J"),
        (COUNT, "why\u2028"),
    ],
)
def test_a_steward_sees_every_character_of_a_request(
    vault: Vault, question: str, purpose: str
) -> None:
    asks = vault.as_("ana").requests
    with pytest.raises(SchemaError, match="cannot be seen"):
        asks.ask(question, purpose=purpose, epsilon="0.5")
    assert not len(vault.requests)
    asks.ask(
        f"{COUNT}\n\t-- caf\u00e9",
        purpose="\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        epsilon="0.5",
    )
    with pytest.raises(SchemaError, match="cannot be seen"):
        vault.requests.comment(1, "yes\x1b[1A")


@pytest.mark.slow
def test_many_sign_ins_are_read_in_a_moment_and_change_no_earlier_look() -> None:
    """Every sign-in through an organisation makes a token; copying all for each was quadratic."""
    made = OfficeState()
    before, facts = made.after([_token(0)]), [_token(at) for at in range(1, 40_000)]
    began = process_time()
    after = before.after(facts)
    assert process_time() - began < 1.5
    assert (len(made.tokens), len(before.tokens), len(after.tokens)) == (0, 1, 40_000)
    used = {"act": "use", "token": f"{0:012x}", "day": "2026-11-18"}
    later = after.after([_entry(9, used)])
    assert later.tokens[f"{0:012x}"].used == "2026-11-18"
    assert after.tokens[f"{0:012x}"].used is None


NOW = "2026-11-18T00:00:00+00:00"


def _token(at: int) -> Entry:
    fact = {
        "act": "make",
        "by": "curator",
        "token": f"{at:012x}",
        "person": "ana",
        "digest": "0" * 64,
        "expires": NOW,
        "datasets": [],
        "read_only": False,
        "once": True,
    }
    return _entry(at + 1, fact)


def _entry(number: int, fact: Mapping[str, object]) -> Entry:
    text = json.dumps({"fact": fact, "key": None})
    return Entry(number, "", "token", NOW, text, hash_of(number, "", "token", NOW, text))
