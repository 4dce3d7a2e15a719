"""People who sign in through their organisation, against a provider that really runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc.jwk import RSAKey
from tests.server.office.desk import Desk, desk_with_everybody
from tests.server.sign_in import provider
from tests.server.sign_in.provider import CLIENT, SECRET, Provider

import shoal
from shoal.errors import SchemaError, VaultError
from shoal.server.sign_in.arriving import SignIn
from shoal.server.sign_in.sign_in_settings import read_settings
from shoal.vault.people.office_facts import GROUPS, PERSON

ANALYSTS = """
[openid]
issuer = "{issuer}"
client_id = "shoal"
client_secret_file = "secret.txt"

[[roles]]
group = "statisticians"
role = "analyst"
dataset = "visits"
allowance = "0.5"

[[roles]]
group = "board"
role = "auditor"
"""
PROXY_SECRET = "p" * 40
PROXIED = '[forwarded]\nheader = "X-Forwarded-User"\nsecret_file = "secret.txt"\n'
PEOPLE: dict[str, dict[str, Any]] = {
    "7": {"preferred_username": "mia@example.org", "groups": ["statisticians", "runners"]},
    "8": {"preferred_username": "noa", "groups": ["runners"]},
    "9": {"preferred_username": "owner", "groups": ["statisticians"]},
    "10": {"preferred_username": "mia@example.org", "groups": ["statisticians"]},
}


def written(folder: Path, text: str, secret: str = SECRET) -> Path:
    (folder / "secret.txt").write_text(secret)
    (folder / "secret.txt").chmod(0o600)
    path = folder / "sign-in.toml"
    path.write_text(text)
    return path


@pytest.fixture
def here() -> Iterator[Provider]:
    with provider.running({key: dict(each) for key, each in PEOPLE.items()}) as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path, here: Provider) -> Iterator[Desk]:
    made = desk_with_everybody(tmp_path, budget=shoal.Pure(2))
    with made.vault as vault:
        settings = read_settings(written(tmp_path, ANALYSTS.format(issuer=here.issuer)), vault)
        object.__setattr__(made.host, "sign_in", SignIn(vault, settings))
        here.client.back = f"{made.door.address.origin}/office/sign-in/back"
        yield made


def opened(desk: Desk, path: str, **more: Any) -> httpx.Response:
    """A page of the console, in this desk's browser; `Desk.send` adds the place of the API."""
    return desk.send(more.pop("method", "GET"), f"/../../office{path}", **more)


def sent_away(desk: Desk) -> str:
    found = opened(desk, "/sign-in/organisation")
    assert found.status_code == 303
    return found.headers["location"]


def signed_at_provider(place: str, who: str) -> str:
    """The address to which the provider sends a browser back."""
    found = httpx.post(place, data={"who": who})
    assert found.status_code == 302, found.text
    return found.headers["location"]


def come_back(desk: Desk, place: str) -> httpx.Response:
    parts = urlsplit(place)
    return opened(desk, f"/sign-in/back?{parts.query}")


def signed_in(desk: Desk, who: str) -> httpx.Response:
    return come_back(desk, signed_at_provider(sent_away(desk), who))


def test_a_group_gives_its_role_and_an_allowance(desk: Desk) -> None:
    found = signed_in(desk, "7")
    assert found.status_code == 200
    assert "mia.example.org" in found.text
    me = desk.send("GET", "/me").json()
    assert me["person"] == "mia.example.org"
    assert me["roles"] == [{"role": "analyst", "dataset": "visits"}]
    assert str(desk.vault.budget("visits").allowances[-1].budget) == "epsilon 0.5"


def test_pkce_state_and_nonce_are_sent(desk: Desk) -> None:
    asked = parse_qs(urlsplit(sent_away(desk)).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["client_id"] == [CLIENT]
    assert {"state", "nonce", "code_challenge"} <= set(asked)
    assert "HttpOnly" in str(desk.cookies.jar) or desk.cookies


def test_who_has_no_group_with_a_role_stays_out(desk: Desk) -> None:
    found = signed_in(desk, "8")
    assert found.status_code == 403
    assert desk.send("GET", "/me").status_code == 401
    assert "noa" not in {each.name for each in desk.vault.people}


def test_a_name_that_is_taken_opens_nothing(desk: Desk) -> None:
    found = signed_in(desk, "9")
    assert found.status_code == 403
    assert "taken" in found.text
    assert desk.send("GET", "/me").status_code == 401


def test_the_allowance_of_somebody_without_a_role_is_not_taken_over(
    desk: Desk, here: Provider
) -> None:
    desk.vault.grant("noa", "visits", "0.2")
    here.people["8"]["groups"] = ["statisticians"]
    assert signed_in(desk, "8").status_code == 403
    assert desk.send("GET", "/me").status_code == 401


def test_of_two_who_come_at_once_under_one_name_the_first_has_it(
    desk: Desk, here: Provider
) -> None:
    assert signed_in(desk, "7").status_code == 200
    said = {"act": "link", "by": GROUPS, "person": "mia.example.org"}
    desk.vault._ledger.record(PERSON, {**said, "issuer": here.issuer, "subject": "10"})
    desk.cookies = httpx.Cookies()
    assert signed_in(desk, "10").status_code == 403
    assert desk.send("GET", "/me").status_code == 401


def test_another_person_of_the_same_name_is_not_the_first(desk: Desk) -> None:
    assert signed_in(desk, "7").status_code == 200
    desk.cookies = httpx.Cookies()
    assert signed_in(desk, "10").status_code == 403
    assert desk.send("GET", "/me").status_code == 401


def test_an_owner_links_somebody_who_has_a_name_already(desk: Desk, here: Provider) -> None:
    desk.vault.people.link("owner", issuer=here.issuer, subject="9")
    assert signed_in(desk, "9").status_code == 200
    roles = {each["role"] for each in desk.send("GET", "/me").json()["roles"]}
    assert roles == {"owner", "analyst"}


def test_groups_count_as_they_are_at_the_next_sign_in(desk: Desk, here: Provider) -> None:
    signed_in(desk, "7")
    here.people["7"]["groups"] = ["board"]
    signed_in(desk, "7")
    roles = desk.send("GET", "/me").json()["roles"]
    assert roles == [{"role": "auditor", "dataset": None}]
    here.people["7"]["groups"] = []
    assert signed_in(desk, "7").status_code == 403
    assert desk.send("GET", "/me").status_code == 401  # nor does the session of before go on
    here.people["7"]["groups"] = ["statisticians"]
    assert signed_in(desk, "7").status_code == 200


def test_what_an_owner_gave_no_group_takes_away(desk: Desk, here: Provider) -> None:
    signed_in(desk, "7")
    desk.vault.people.add("mia.example.org", role="steward", dataset="visits")
    here.people["7"]["groups"] = []
    assert signed_in(desk, "7").status_code == 200
    assert desk.send("GET", "/me").json()["roles"] == [{"role": "steward", "dataset": "visits"}]


def test_an_allowance_that_an_owner_changed_stays(desk: Desk, here: Provider) -> None:
    signed_in(desk, "7")
    desk.vault.grant("mia.example.org", "visits", "0.1")
    for groups in (["board"], ["statisticians"]):
        here.people["7"]["groups"] = groups
        signed_in(desk, "7")
    assert str(desk.vault.budget("visits").allowances[-1].budget) == "epsilon 0.1"


def test_whom_an_owner_removed_no_group_lets_in(desk: Desk) -> None:
    signed_in(desk, "7")
    desk.vault.people.remove("mia.example.org")
    assert desk.send("GET", "/me").status_code == 401
    assert signed_in(desk, "7").status_code == 403
    desk.vault.people.add("mia.example.org", role="auditor")
    assert signed_in(desk, "7").status_code == 403  # who was added may be somebody else
    assert desk.send("GET", "/me").status_code == 401


BENT: list[tuple[str, Callable[[Provider], None]]] = [
    ("issuer", lambda here: here.bent.update(iss="http://127.0.0.1:1")),
    ("audience", lambda here: here.bent.update(aud=["another"])),
    ("service", lambda here: here.bent.update(aud=["another"], azp=CLIENT)),
    ("party", lambda here: here.bent.update(aud=[CLIENT, "another"])),
    ("expired", lambda here: here.bent.update(exp=1)),
    ("nonce", lambda here: here.bent.update(nonce="another")),
    ("key", lambda here: setattr(here, "signs_with", RSAKey.generate_key(2048))),
]


@pytest.mark.parametrize(("what", "bend"), BENT, ids=[name for name, _ in BENT])
def test_a_token_with_a_wrong(
    desk: Desk, here: Provider, what: str, bend: Callable[[Provider], None]
) -> None:
    bend(here)
    assert signed_in(desk, "7").status_code == 401, what
    assert desk.send("GET", "/me").status_code == 401
    assert len(list(desk.vault.people)) == 5


def test_a_link_that_somebody_else_made_signs_nobody_in(desk: Desk) -> None:
    place = signed_at_provider(sent_away(desk), "7")
    desk.cookies = httpx.Cookies()  # the browser of a victim, who follows the link
    assert come_back(desk, place).status_code == 401
    sent_away(desk)  # nor one who began a sign-in of their own
    assert come_back(desk, place).status_code == 401


def test_who_comes_back_with_another_state_is_not_the_one_who_was_sent(desk: Desk) -> None:
    parts = urlsplit(signed_at_provider(sent_away(desk), "7"))
    (code,) = parse_qs(parts.query)["code"]
    assert opened(desk, f"/sign-in/back?code={code}&state={'0' * 32}").status_code == 401


def test_a_code_works_once(desk: Desk) -> None:
    place = signed_at_provider(sent_away(desk), "7")
    assert come_back(desk, place).status_code == 200
    assert come_back(desk, place).status_code == 401


@pytest.mark.parametrize("query", ["", "code=x", "state=x", "code=a&code=b&state=c", "error=no"])
def test_nobody_comes_back_without_a_code(desk: Desk, query: str) -> None:
    sent_away(desk)
    assert opened(desk, f"/sign-in/back?{query}").status_code == 401


def test_a_provider_that_is_away_is_said_to_be(desk: Desk, tmp_path: Path) -> None:
    settings = read_settings(
        written(tmp_path, ANALYSTS.format(issuer="http://127.0.0.1:1")), desk.vault
    )
    object.__setattr__(desk.host, "sign_in", SignIn(desk.vault, settings))
    found = opened(desk, "/sign-in/organisation")
    assert found.status_code == 503
    assert "127.0.0.1:1" not in found.text


# a command


def test_a_device_gets_a_token_when_its_code_is_confirmed(desk: Desk) -> None:
    begun = desk.send("POST", "/sign-in/device").json()
    asked = {"handle": begun["handle"]}
    assert desk.send("POST", "/sign-in/device/token", json=asked).status_code == 202
    httpx.post(begun["place"], data={"code": begun["code"], "who": "7"})
    found = desk.send("POST", "/sign-in/device/token", json=asked)
    assert found.status_code == 200
    desk.tokens["mia"] = found.json()["token"]
    assert desk.send("GET", "/me", "mia").json()["person"] == "mia.example.org"


def test_a_device_that_is_denied_or_made_up_gets_nothing(desk: Desk) -> None:
    begun = desk.send("POST", "/sign-in/device").json()
    httpx.post(begun["place"], data={"code": begun["code"], "who": "7", "may": "no"})
    for handle in (begun["handle"], "x", begun["handle"][:-1] + "0"):
        found = desk.send("POST", "/sign-in/device/token", json={"handle": handle})
        assert found.status_code == 401


def test_a_server_without_a_provider_says_so(tmp_path: Path) -> None:
    made = desk_with_everybody(tmp_path)
    with made.vault:
        assert made.send("POST", "/sign-in/device").status_code == 404
        assert opened(made, "/sign-in/organisation").status_code == 404
        assert opened(made, "/sign-in/back?code=a&state=b").status_code == 404
        page = opened(made, "/sign-in")
        assert "organisation" not in page.text


# a proxy


def by_proxy(desk: Desk, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return opened(
        desk,
        "/sign-in/forwarded",
        method="POST",
        headers={"Sec-Fetch-Site": "same-origin", **named},
    )


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[Desk]:
    made = desk_with_everybody(tmp_path)
    with made.vault as vault:
        settings = read_settings(written(tmp_path, PROXIED, PROXY_SECRET), vault)
        object.__setattr__(made.host, "sign_in", SignIn(vault, settings))
        yield made


def test_a_proxy_signs_people_in_by_its_secret(proxied: Desk) -> None:
    found = by_proxy(proxied, X_Forwarded_User="analyst", X_Shoal_Proxy=PROXY_SECRET)
    assert found.status_code == 200
    assert proxied.send("GET", "/me").json()["person"] == "analyst"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X_Forwarded_User": "owner"}, 401),
        ({"X_Forwarded_User": "owner", "X_Shoal_Proxy": "q" * 40}, 401),
        ({"X_Forwarded_User": "owner", "X_Shoal_Proxy": ""}, 401),
        ({"X_Shoal_Proxy": PROXY_SECRET}, 401),
        ({"X_Forwarded_User": "stranger", "X_Shoal_Proxy": PROXY_SECRET}, 403),
        (
            {
                "X_Forwarded_User": "owner",
                "X_Shoal_Proxy": PROXY_SECRET,
                "Sec-Fetch-Site": "cross-site",
            },
            403,
        ),
    ],
)
def test_without_the_secret_the_header_is_worth_nothing(
    proxied: Desk, headers: dict[str, str], status: int
) -> None:
    assert by_proxy(proxied, **headers).status_code == status
    assert proxied.send("GET", "/me").status_code == 401


def test_the_header_counts_at_no_other_door(proxied: Desk) -> None:
    told = {"X-Forwarded-User": "owner", "X-Shoal-Proxy": PROXY_SECRET}
    assert proxied.send("GET", "/me", headers=told).status_code == 401
    assert opened(proxied, "/people", headers=told).status_code == 303


# settings


@pytest.mark.parametrize(
    "text",
    [
        "openid = 3",
        "[openid]\nissuer = 'https://a.example'",
        "[openid]\nissuer = 'http://a.example'\nclient_id = 'x'",
        "[openid]\nissuer = 'https://a.example'\nclient_id = 'x'\nsecret = 'in the open'",
        "[forwarded]\nheader = 'X-User'",
        "[[roles]]\ngroup = 'a'\nrole = 'owner'",
        "not toml",
    ],
)
def test_settings_that_say_too_little_or_too_much_are_refused(tmp_path: Path, text: str) -> None:
    with (
        shoal.open(tmp_path / "office.shoal") as vault,
        pytest.raises(SchemaError, match="settings"),
    ):
        read_settings(written(tmp_path, text), vault)


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, PROXIED, PROXY_SECRET)
    (tmp_path / "secret.txt").chmod(0o644)
    with (
        shoal.open(tmp_path / "office.shoal") as vault,
        pytest.raises(SchemaError, match="chmod 600"),
    ):
        read_settings(path, vault)
    written(tmp_path, PROXIED, "short")
    with shoal.open(tmp_path / "office.shoal") as vault, pytest.raises(SchemaError, match="32"):
        read_settings(path, vault)


@pytest.mark.parametrize(
    "role",
    [
        "role = 'analyst'\ndataset = 'visits'",
        "role = 'analyst'\nallowance = '1'",
        "role = 'auditor'\nallowance = '1'",
        "role = 'king'",
        "role = 'steward'\ndataset = 'nothing'",
        "role = 'researcher'\ndataset = 'visits'",
    ],
)
def test_a_role_that_nobody_could_have_is_refused(tmp_path: Path, role: str) -> None:
    made = desk_with_everybody(tmp_path)
    text = (
        f"[openid]\nissuer = 'https://a.example'\nclient_id = 'x'\n[[roles]]\ngroup = 'g'\n{role}"
    )
    with made.vault as vault, pytest.raises(VaultError):
        read_settings(written(tmp_path, text), vault)
