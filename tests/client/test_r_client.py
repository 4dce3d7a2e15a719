"""The R package in `clients/r`, installed and run against an office that really listens."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.server.office.running import office_in_thread
from tests.vault.office import BY_KIND, COUNT, office

import shoal

PACKAGE = Path(__file__).parents[2] / "clients" / "r"
NO_R = "there is no R with httr2 and jsonlite: sh scripts/r.sh installs them"


def _has_r() -> bool:
    if shutil.which("Rscript") is None:
        return False
    asked = "quit(status = !all(c('httr2', 'jsonlite') %in% rownames(installed.packages())))"
    return (
        subprocess.run(["Rscript", "-e", asked], capture_output=True, check=False).returncode == 0
    )


pytestmark = [pytest.mark.slow, pytest.mark.skipif(not _has_r(), reason=NO_R)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package is installed, with its help pages."""
    place = tmp_path_factory.mktemp("library")
    found = subprocess.run(
        ["R", "CMD", "INSTALL", f"--library={place}", str(PACKAGE)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert "Warning" not in found.stderr, found.stderr
    return place


def run_r(script: str, library: Path, **environment: str) -> str:
    """What a script prints."""
    env = {**os.environ, "R_LIBS": str(library), "SHOAL_TOKEN": "", **environment}
    found = subprocess.run(
        ["Rscript", "--vanilla", "-"],
        input=script,
        capture_output=True,
        text=True,
        env=env,
        check=False,
        timeout=600,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


STORY = """
library(shoal)
office <- shoal_connect(Sys.getenv("ORIGIN"))
refused <- function(act) {
  found <- tryCatch(act, shoal_error = function(cond) cond)
  list(code = found$code, line = found$position$line, words = conditionMessage(found))
}
exact <- function(frame) {
  frame[] <- lapply(frame, function(some) if (is.numeric(some)) sprintf("%.17g", some) else some)
  frame
}
sql <- Sys.getenv("BY_KIND")
preview <- shoal_preview(office, sql, epsilon = 0.1)
printed <- paste(capture.output(print(preview), print(office)), collapse = "\\n")
before <- shoal_budget(office, "visits")
first <- shoal_ask(office, sql, epsilon = 0.1, key = "from R")
again <- shoal_ask(office, sql, epsilon = 0.1, key = "from R")
other <- shoal_ask(office, sql, epsilon = "1/10")
cat(jsonlite::toJSON(auto_unbox = TRUE, na = "null", list(
  printed = printed,
  price = preview$price, fits = preview$fits, errors = preview$columns$error,
  first = exact(first), again = exact(again), other = exact(other),
  free = c(attr(first, "free"), attr(again, "free"), attr(other, "free")),
  confidence = attr(first, "confidence"),
  release = attr(first, "release"),
  certificate = attr(first, "certificate")$hash,
  before = before, after = shoal_budget(office, "visits"),
  datasets = shoal_datasets(office), log = shoal_log(office),
  wrong = refused(shoal_preview(office, "SELECT COUNT(*) AS n FROM vists", epsilon = 0.1)),
  much = refused(shoal_ask(office, sql, epsilon = 5)),
  none = refused(shoal_budget(office, "nothing")),
  elsewhere = refused(shoal_budget(office, "../people")),
  stranger = refused(shoal_log(shoal_connect(Sys.getenv("ORIGIN"), token = "shoal_0_x"))),
  reused = refused(shoal_ask(office, sql, epsilon = 0.2, key = "from R"))
)))
"""


@pytest.fixture(scope="module")
def told(library: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the story prints, and what the vault has of it."""
    folder = tmp_path_factory.mktemp("office")
    with office(folder, shoal.Pure(2)) as vault, office_in_thread(vault) as origin:
        vault.people.add("ana", role="analyst", dataset="visits", allowance=1)
        token = vault.people.token("ana")
        # without TLS the token goes through no proxy: at this one nobody answers
        proxy = {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""}
        said = run_r(STORY, library, ORIGIN=origin, BY_KIND=BY_KIND, SHOAL_TOKEN=token, **proxy)
        assert token not in said
        found: dict[str, Any] = json.loads(said)
        found["released"] = [each.answer for each in vault.log(None)]
        found["spent"] = str(vault.budget("visits").spent)
        return found


def test_an_answer_is_a_data_frame_with_its_intervals(told: dict[str, Any]) -> None:
    (answer,) = told["released"]  # one was charged, of three that were asked
    assert answer is not None
    frame = told["first"]
    rows = [[each["kind"], float(each["n"]), float(each["spend"])] for each in frame]
    assert rows == answer["rows"]
    for name in ("n", "spend"):
        ends = [[float(each[f"{name}_low"]), float(each[f"{name}_high"])] for each in frame]
        assert ends == answer["intervals"][name]
    assert told["confidence"] == 0.95
    assert told["certificate"] == answer["certificate"]["hash"]
    assert told["release"] == 1


def test_a_repeat_is_free_under_the_same_key_and_under_another(told: dict[str, Any]) -> None:
    assert told["first"] == told["again"] == told["other"]
    assert told["free"] == [False, True, True]
    assert told["spent"] == "epsilon 0.1"
    assert told["after"][-1] | {"spent": "epsilon 0.1", "left": "epsilon 0.9"} == told["after"][-1]
    assert told["before"][-1]["spent"] == "epsilon 0"


def test_what_there_is_comes_as_data_frames(told: dict[str, Any]) -> None:
    assert told["price"] == "epsilon 0.1"
    assert told["fits"] is True
    assert told["errors"][0] > 100
    assert told["errors"][1] is None
    known = {each["column"]: each["known"] for each in told["datasets"]}
    assert (known["kind"], known["spend"]) == ("work, leisure", "0 to 500")
    assert [(each["state"], each["asked_by"]) for each in told["log"]] == [("answered", "ana")]
    assert "It costs epsilon 0.1." in told["printed"]
    assert "shoal_" not in told["printed"]


def test_errors_have_their_code_their_words_and_their_caret(told: dict[str, Any]) -> None:
    wrong = told["wrong"]
    assert (wrong["code"], wrong["line"]) == ("sql-3", 1)
    assert "FROM vists\n" in wrong["words"]
    assert "^\n    Did you mean visits?" in wrong["words"]
    codes = [told[each]["code"] for each in ("much", "none", "elsewhere", "stranger", "reused")]
    assert codes == ["budget-1", "vault-1", "http-1", "token-1", "ledger-3"]


def test_what_needs_no_office_holds(library: Path) -> None:
    run_r((PACKAGE / "tests" / "offline.R").read_text(), library)


def test_an_office_that_is_gone_is_said_to_be(library: Path) -> None:
    script = f"""
library(shoal)
assignInNamespace("tries", 2, "shoal")
office <- shoal_connect("http://127.0.0.1:9")
cat(conditionMessage(tryCatch(shoal_ask(office, "{COUNT}", 0.1, key = "k"), error = identity)))
"""
    said = run_r(script, library, SHOAL_TOKEN="shoal_secret_token")
    assert "[office-1] the office cannot be reached" in said
    assert 'with the same key, "k"' in said
    assert "secret" not in said
