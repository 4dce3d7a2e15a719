"""Datasets through the office: who may declare what, and which files are read for whom."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from tests.server.console.console_visit import visit_as
from tests.server.office.desk import Desk, desk_with_everybody
from tests.vault.office import COUNT, rows, write

import shoal
from shoal.plan import Range

pytestmark = pytest.mark.slow
OUTSIDE = "is not below the data folder"
BODY = ("declaration", "relation", "budget")


def made_in(folder: Path) -> Desk:
    (folder / "data").mkdir()
    return desk_with_everybody(folder / "data", data=folder / "data")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = made_in(tmp_path)
    with made.vault:
        yield made


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk where nothing is ever written."""
    made = made_in(tmp_path_factory.mktemp("still"))
    with made.vault:
        yield made


def written(desk: Desk) -> tuple[int, int]:
    """How many declarations and charges there are."""
    return len(desk.vault._registry.history), len(desk.vault.log(None))


def declared(desk: Desk, name: str = "visits") -> dict[str, Any]:
    found: dict[str, Any] = desk.send("GET", f"/datasets/{name}/declaration", "owner").json()
    return found


def refusal(desk: Desk, path: str, body: dict[str, Any], who: str = "owner") -> tuple[int, str]:
    found = desk.send("POST", path, who, json=body)
    return found.status_code, found.json()["error"]["message"]


def new(path: str, name: str = "more") -> str:
    return f'name = "{name}"\npath = {path}\n[protects]\nunit = "row"\n[budget]\nepsilon = "1"\n'


def test_a_change_is_reviewed_first_and_saved_once(desk: Desk) -> None:
    held, before = declared(desk), written(desk)
    text = held["declaration"].replace('"500"', '"400"').replace("rows_per_group = 3", "")
    text = text.replace("groups = 2", "groups = 4\nrows_per_group = 1")
    review = desk.send("POST", "/datasets/visits/review", "owner", json={"declaration": text})
    told = review.json()
    assert (review.status_code, told["follows"]) == (200, held["entry"])
    assert '+range = ["0", "400"]' in told["lines"]
    assert any("4 groups, 1 row per group" in each for each in told["notes"])
    assert written(desk) == before
    body = {"declaration": text, "follows": told["follows"]}
    saved = desk.send("POST", "/datasets/visits/versions", "owner", json=body)
    assert (saved.status_code, saved.json()["version"]) == (201, 1)
    facts = {each.name: each.fact for each in desk.vault.dataset("visits").columns}
    assert facts["spend"] == Range(0, 400)
    status, words = refusal(desk, "/datasets/visits/versions", body)
    assert (status, "was changed since you read it" in words) == (409, True)
    last = desk.vault._ledger.facts("dataset")[-1]
    assert last.fact["by"] == "owner"


def test_what_is_not_stated_any_more_does_not_hold_any_more(desk: Desk) -> None:
    held = declared(desk)
    text = held["declaration"].replace('range = ["0", "500"]\n', "")
    body = {"declaration": text, "follows": held["entry"]}
    assert desk.send("POST", "/datasets/visits/versions", "owner", json=body).status_code == 201
    assert {each.name: each.fact for each in desk.vault.dataset("visits").columns}["spend"] is None


@pytest.mark.parametrize(
    ("old", "new_text", "words"),
    [
        ('name = "visits"', 'name = "visit"', "not of 'visits'"),
        ("epsilon = ", 'epsilon = "9" #', "a declaration does not change it"),
        ('columns = ["user_id"]', 'columns = ["town"]', "and that stays"),
        ('relation = "add_remove"', 'relation = "change"', "and that stays"),
        ('name = "visits"', 'name = "visits"\nshares = "towns"', "and that stays"),
        ("[columns.spend]", "[columns.spent]", "which is not there"),
        ('type = "real"', 'type = "integer"', "the source has real"),
        ('name = "visits"', "name = [", "is not TOML"),
        ('name = "visits"', "[" * 5000, "is not TOML"),
        ('name = "visits"', "name = " + "9" * 5000, "is not TOML"),
        ("groups = 2", "groups = 0", "groups"),
        ("groups = 2", "grups = 2", "which means nothing here"),
    ],
)
def test_what_a_declaration_may_not_change_is_refused_in_words(
    still: Desk, old: str, new_text: str, words: str
) -> None:
    before, held = written(still), declared(still)
    assert old in held["declaration"]
    body = {"declaration": held["declaration"].replace(old, new_text, 1)}
    for path in ("review", "versions"):
        status, said = refusal(still, f"/datasets/visits/{path}", body)
        assert status in {400, 409}
        assert words in said
        body["follows"] = held["entry"]
    assert written(still) == before


def test_a_new_version_says_who_is_in_it(desk: Desk, tmp_path: Path) -> None:
    desk.send("POST", "/releases", "analyst", json={"sql": COUNT, "epsilon": "0.5"}, key="before")
    write(tmp_path / "data", table=rows(100, first=5000))
    held = declared(desk)
    body = {"declaration": held["declaration"], "follows": held["entry"]}
    status, words = refusal(desk, "/datasets/visits/versions", body)
    assert (status, "must know who is in them" in words) == (409, True)
    body["relation"] = "new people"
    assert refusal(desk, "/datasets/visits/versions", body)[1] == "new people need a budget."
    body["budget"] = "3"
    made = desk.send("POST", "/datasets/visits/versions", "owner", json=body).json()
    assert (made["version"], made["accounts"]) == (2, ["visits#2"])
    assert desk.vault.budget("visits").spent == shoal.Pure(0)
    write(tmp_path / "data", table=rows(120, first=5000))
    held = declared(desk)
    body = {"declaration": held["declaration"], "follows": held["entry"], "relation": "all people"}
    made = desk.send("POST", "/datasets/visits/versions", "owner", json=body).json()
    assert (made["version"], made["accounts"]) == (3, ["visits", "visits#2"])
    assert desk.vault.budget("visits").spent == shoal.Pure("0.5")


def test_a_file_is_proposed_reviewed_and_registered(desk: Desk, tmp_path: Path) -> None:
    write(tmp_path / "data", "stays.csv", rows(60, first=70_000))
    assert "stays.csv" in desk.send("GET", "/files", "owner").json()["files"]
    before = written(desk)
    found = desk.send("POST", "/datasets/proposal", "owner", json={"path": "stays.csv"})
    text = found.json()["declaration"]
    review = desk.send("POST", "/datasets/review", "owner", json={"declaration": text}).json()
    assert review["follows"] is None
    assert written(desk) == before
    made = desk.send("POST", "/datasets", "owner", json={"declaration": text})
    assert (made.status_code, made.json()["name"]) == (201, "stays")
    assert refusal(desk, "/datasets", {"declaration": text})[0] == 409
    assert str(tmp_path) not in text + str(review) + made.text


# which files are read


def test_nothing_outside_the_folder_is_read(desk: Desk, tmp_path: Path) -> None:
    data, secret = tmp_path / "data", write(tmp_path, "secret.csv", rows(10))
    (data / "link.csv").symlink_to(secret)
    (data / "up").symlink_to(tmp_path)
    (data / "loop.csv").symlink_to(data / "loop.csv")
    ways = [
        str(secret),
        "../secret.csv",
        "../data/../secret.csv",
        "link.csv",
        "up/secret.csv",
        "up",
        "loop.csv",
        "..",
        "/etc/passwd",
        "/etc/nothing-there.csv",
        "/proc/self/environ",
        "~root/x.csv",
        f"~{os.environ.get('USER', 'root')}/x.csv",
        "a\\u0000b.csv",
        "x" * 900 + ".csv",
        "file:///etc/passwd",
        "https://example.org/x.csv",
        "s3://bucket/x.csv",
        "*.csv",
    ]
    before = written(desk)
    for way in ways:
        for path, body in (
            ("/datasets/review", {"declaration": new(f'"{way}"')}),
            ("/datasets", {"declaration": new(f'"{way}"')}),
            ("/datasets/proposal", {"path": way.replace("\\u0000", "\0")}),
        ):
            status, words = refusal(desk, path, body)
            assert status == 400, (way, path)
            assert "Aldam" not in words
    assert written(desk) == before
    assert not [
        each for each in desk.send("GET", "/files", "owner").json()["files"] if "up/" in each
    ]
    there, gone = (
        refusal(desk, "/datasets/proposal", {"path": each})[1].replace(each, "")
        for each in (str(secret), str(secret) + "x")
    )
    assert there == gone  # whether there is something outside is not told
    assert OUTSIDE in there
    moved = declared(desk)["declaration"].replace('path = "visits.parquet"', f'path = "{secret}"')
    assert OUTSIDE in refusal(desk, "/datasets/visits/review", {"declaration": moved})[1]


def test_no_address_is_opened_for_an_owner(desk: Desk) -> None:
    text = 'name = "x"\nspark = "sc://127.0.0.1:1"\ntable = "t"\n[protects]\nunit = "row"\n'
    for path in ("/datasets", "/datasets/review"):
        status, words = refusal(desk, path, {"declaration": text + '[budget]\nepsilon = "1"\n'})
        assert (status, "nothing that Spark reads" in words) == (400, True)


def test_a_dataset_outside_the_folder_shows_neither_its_path_nor_its_rows(
    desk: Desk, tmp_path: Path
) -> None:
    place = write(tmp_path, "far.parquet", rows(30, first=80_000))
    desk.vault.add("far", place, protects=shoal.Row(), budget=shoal.Pure(1), relation="new people")
    held = declared(desk, "far")
    assert held["editable"] is False
    assert str(tmp_path) not in held["declaration"]
    assert refusal(desk, "/datasets/far/check", {})[0] == 400
    body = {"declaration": held["declaration"]}
    assert refusal(desk, "/datasets/far/review", body)[0] == 400


def test_without_a_folder_nothing_is_read(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path)
    with desk.vault:
        held = declared(desk)
        assert held["editable"] is False
        for path, body in (
            ("/datasets", {"declaration": new('"visits.parquet"')}),
            ("/datasets/proposal", {"path": "visits.parquet"}),
            ("/datasets/visits/check", {}),
            ("/datasets/visits/review", {"declaration": held["declaration"]}),
        ):
            assert refusal(desk, path, body)[1] == "this office reads no files for its owners."


def test_a_folder_of_files_with_a_link_that_leads_outside_is_not_read(
    desk: Desk, tmp_path: Path
) -> None:
    secret = write(tmp_path, "secret.parquet", rows(10))
    year = tmp_path / "data" / "year"
    year.mkdir()
    write(year, "own.parquet", rows(10, first=90_000))
    body = {"declaration": new('"year"')}
    assert desk.send("POST", "/datasets/review", "owner", json=body).status_code == 200
    (year / "link.parquet").symlink_to(secret)
    before = written(desk)
    for path in ("/datasets/review", "/datasets"):
        status, words = refusal(desk, path, body)
        assert (status, OUTSIDE in words) == (400, True)
    assert written(desk) == before


def test_a_pattern_tells_nothing_of_what_is_behind_a_link(desk: Desk, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    write(away, "secret.csv", rows(10))
    (away / "broken.csv").write_text('a,b\n"1')
    (tmp_path / "data" / "away").symlink_to(away)
    told = {
        refusal(desk, "/datasets/proposal", {"path": f"awa*/{name}.csv"})[1].replace(f"/{name}", "")
        for name in ("secret", "broken", "nothing")
    }
    assert len(told) == 1


@pytest.mark.parametrize("who", ["root", "nobody-of-this-name"])
def test_nobodys_home_is_looked_for(desk: Desk, who: str, tmp_path: Path) -> None:
    text = declared(desk)["declaration"].replace("visits.parquet", f"~{who}/x.parquet")
    status, words = refusal(desk, "/datasets/visits/review", {"declaration": text})
    assert status == 400
    assert "/root" not in words
    assert str(tmp_path) not in words


def test_a_file_whose_name_is_no_text_is_not_listed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "data" / os.fsdecode(b"bad\xff.csv")).write_text("a\n1\n")
    assert desk.send("GET", "/files", "owner").json()["files"] == ["towns.csv", "visits.parquet"]
    assert visit_as(desk, "owner").open("/register").status_code == 200


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 29_000 + " = 1",
        "x = {a" + " . a" * 14_000 + " = 1}",
        '"=".' + "a." * 20_000 + 'a = "\\""',
        "\n".join(f"a.b.c{at}=1" for at in range(6000)),
        'path = "visits.parquet"\n[columns.spend]\nrange = [0x' + "f" * 20_000 + ", 1]",
        '[protects]\nunit = "person"\ngroups = 0x' + "f" * 20_000,
        "[budget]\nepsilon = 0x" + "f" * 20_000,
    ],
    ids=["parts", "inline", "quoted", "keys", "range", "groups", "budget"],
)
def test_a_text_made_to_take_long_is_refused_at_once(still: Desk, text: str) -> None:
    began = process_time()
    assert refusal(still, "/datasets/visits/review", {"declaration": text})[0] == 400
    owner, entry = visit_as(still, "owner"), str(declared(still)["entry"])
    for act in ("show", "fill", "review"):
        found = owner.submit("/datasets/visits", do=act, text=text, follows=entry)
        assert found.status_code in {200, 400}, act
    assert process_time() - began < 20  # it took minutes


# who may


def with_dora(desk: Desk) -> None:
    """An owner of one dataset."""
    desk.vault.people.add("dora", role="owner", dataset="visits")
    desk.tokens["dora"] = desk.vault.people.token("dora")


def test_new_people_of_a_shared_budget_take_an_owner_of_all_who_share_it(
    desk: Desk, tmp_path: Path
) -> None:
    with_dora(desk)
    stays = write(tmp_path / "data", "stays.parquet", rows(300))
    desk.vault.add("stays", stays, protects=desk.vault.dataset("visits").protects, shares="visits")
    write(tmp_path / "data", table=rows(100, first=5000))
    held = declared(desk)
    body = {"declaration": held["declaration"], "relation": "new people", "budget": "50"}
    for path, more in (("review", {}), ("versions", {"follows": held["entry"]})):
        status, words = refusal(desk, f"/datasets/visits/{path}", {**body, **more}, "dora")
        assert (status, "share the budget" in words) == (403, True)
    assert desk.vault.dataset("visits").accounts == ("visits",)


def test_what_concerns_a_dataset_that_an_owner_does_not_manage_is_told_in_one_sentence(
    desk: Desk, tmp_path: Path
) -> None:
    with_dora(desk)
    data = tmp_path / "data"
    clinic = write(data, "clinic.parquet", rows(300, first=20_000))
    unit = desk.vault.dataset("visits").protects
    desk.vault.add("clinic", clinic, protects=unit, budget=shoal.Pure(1))
    told = set()
    for table in (rows(299, first=20_000), rows(300, first=20_000)):  # the people, and the content
        write(data, table=table)
        body = {"declaration": declared(desk)["declaration"], "relation": "same people"}
        told.add(refusal(desk, "/datasets/visits/review", body, "dora"))
    [(status, words)] = told
    assert (status, "clinic" in words) == (409, False)
    write(data, table=rows(600, first=1))
    body = {"declaration": declared(desk)["declaration"], "relation": "same people"}
    assert desk.send("POST", "/datasets/visits/review", "dora", json=body).status_code == 200


# what was reviewed is what is saved


def test_rows_that_were_not_reviewed_are_not_saved(desk: Desk, tmp_path: Path) -> None:
    data, owner = tmp_path / "data", visit_as(desk, "owner")
    write(data, table=rows(100, first=5000))
    held = declared(desk)
    body = {"declaration": held["declaration"], "relation": "new people", "budget": "7"}
    review = desk.send("POST", "/datasets/visits/review", "owner", json=body).json()
    assert not any("second budget" in each for each in review["notes"])
    write(data, table=rows(601))  # the people of before, and one more
    body |= {"follows": held["entry"], "content": review["content"]}
    status, words = refusal(desk, "/datasets/visits/versions", body)
    assert (status, "was written since you reviewed it" in words) == (409, True)
    page = {"do": "save", "text": held["declaration"], "follows": str(held["entry"])}
    page |= {"relation": "new people", "budget": "7", "content": review["content"]}
    assert owner.submit("/datasets/visits", **page).status_code == 409
    assert owner.submit("/datasets/visits", **{**page, "content": ""}).status_code == 409
    assert desk.vault.dataset("visits").version == 1
    again = desk.send("POST", "/datasets/visits/review", "owner", json={k: body[k] for k in BODY})
    assert any("second budget" in each for each in again.json()["notes"])


def test_a_file_that_is_registered_is_the_one_that_was_reviewed(desk: Desk, tmp_path: Path) -> None:
    data, text = tmp_path / "data", new('"more.parquet"')
    write(data, "more.parquet", rows(50, first=5000))
    body = {"declaration": text, "relation": "new people"}
    review = desk.send("POST", "/datasets/review", "owner", json=body).json()
    write(data, "more.parquet", rows(599))
    again = desk.send("POST", "/datasets/review", "owner", json=body).json()
    assert any("'visits' already: they would get a second" in each for each in again["notes"])
    assert refusal(desk, "/datasets", body | {"content": review["content"]})[0] == 409
    saved = desk.send("POST", "/datasets", "owner", json=body | {"content": again["content"]})
    assert saved.status_code == 201


def test_an_owner_of_one_dataset_moves_it_nowhere_and_registers_nothing(
    desk: Desk, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    write(data, "salaries.parquet", rows(50, first=60_000))
    with_dora(desk)
    text = declared(desk)["declaration"]
    moved = text.replace("visits.parquet", "salaries.parquet")
    for path, body in (
        ("/datasets/visits/review", {"declaration": moved, "relation": "same people"}),
        ("/datasets/review", {"declaration": new('"salaries.parquet"')}),
        ("/datasets", {"declaration": new('"salaries.parquet"')}),
        ("/datasets/proposal", {"path": "salaries.parquet"}),
    ):
        assert refusal(desk, path, body, "dora")[0] == 403, path
    assert desk.send("GET", "/files", "dora").status_code == 403
    assert desk.send("GET", "/datasets/towns/declaration", "dora").status_code == 403
    changed = {"declaration": text.replace('"500"', '"300"')}
    assert desk.send("POST", "/datasets/visits/review", "dora", json=changed).status_code == 200
    assert desk.send("POST", "/datasets/visits/check", "dora").status_code == 200
    assert not visit_as_owner_of_one(desk).submit("/register", do="propose").is_success


def visit_as_owner_of_one(desk: Desk) -> Any:
    visit = visit_as(desk, "dora")
    assert "Register a dataset" not in visit.open("/datasets").text
    return visit


def test_the_check_is_exact_for_owners_and_closed_to_everybody_else(desk: Desk) -> None:
    before = written(desk)
    found = desk.send("POST", "/datasets/visits/check", "owner").json()
    assert (found["rows"], found["warning"][:11]) == (1200, "Not private")
    desk.tokens["looks"] = desk.vault.people.token("owner", read_only=True)
    assert desk.send("POST", "/datasets/visits/check", "looks").status_code == 403
    for role in ("steward", "analyst", "auditor", "researcher"):
        assert desk.send("POST", "/datasets/visits/check", role).status_code == 403
        assert visit_as(desk, role).submit("/datasets/visits/check").status_code == 403
    assert "visits: 1,200 rows" in visit_as(desk, "owner").submit("/datasets/visits/check").text
    assert written(desk) == before
