"""The core works without the packages of the extras, and each extra that is missing is asked for by
name.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

EXTRAS = (
    "altair",
    "authlib",
    "fastapi",
    "jinja2",
    "pandas",
    "polars",
    "psycopg",
    "pyarrow",
    "pyspark",
    "requests",
    "scipy",
    "sklearn",
    "statsmodels",
    "torch",
    "uvicorn",
    "vl_convert",
)

BLOCKED = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from pathlib import Path
import shoal
"""

CSV = """
rows = [f"u{n % 97},{'ABC'[n % 3]},{n % 50}" for n in range(3000)]
Path("visits.csv").write_text("\\n".join(["user,city,spend", *rows, ""]))
visits = shoal.CsvFile("visits.csv", {"user": "text", "city": "text", "spend": "integer"})
facts = {"spend": shoal.Range(0, 50), "city": shoal.Choices(["A", "B", "C"])}
whom = shoal.Person("user", groups=3, rows_per_group=20)
"""

ASKED = "SELECT region, COUNT(*) AS n, AVG(spend) AS m FROM visits JOIN regions ON visits.city = regions.city GROUP BY region"

ACTS = {
    "a question to a CSV file and a public table, and its answer as CSV and Parquet": CSV
    + f"""
Path("regions.csv").write_text("city,region\\nA,north\\nB,south\\nC,north\\n")
data = shoal.private(visits, name="visits", protects=whom, columns=facts, budget=shoal.Pure(100), public={{"regions": "regions.csv"}})
answer = data.sql("{ASKED}").release(epsilon=100)
assert len(answer.rows) >= 2
answer.to_csv("answer.csv")
answer.to_rows().write_parquet(Path("answer.parquet"))
assert Path("answer.csv").read_text().startswith('"region","n","n_low","n_high"')
again = shoal.private("answer.parquet", name="answer", protects=shoal.Row(), budget=shoal.Pure(1))
assert str(again.sql("SELECT COUNT(*) AS n FROM answer").release(epsilon=1))
""",
    "a vault with its question, its certificate and its checks": CSV
    + """
from shoal.query.certificate import wrong_with
vault = shoal.open("office.shoal")
vault.add("visits", visits, protects=whom, columns=facts, budget=shoal.Pure(1))
assert vault.sql("SELECT city, COUNT(*) AS n FROM visits GROUP BY city").release(epsilon=1).rows
assert not wrong_with(vault.log()[0].certificate)
assert vault.verify().is_sound
""",
    "the tour": """
from shoal.cli import app
app(["tour", "--rows", "500"], standalone_mode=False)
""",
    "made-up rows as CSV": CSV
    + """
vault = shoal.open("office.shoal")
vault.add("visits", visits, protects=whom, columns=facts, budget=shoal.Pure(1))
assert str(vault.rehearse(100).sql("SELECT COUNT(*) AS n FROM visits").release(epsilon=1))
""",
    "accounts": """
for line in ("gaussian sigma=30 | x 1000", "gaussian sigma=1 | sampled q=0.01 | x 500", "laplace scale=10 | x 50"):
    assert 0 < shoal.account(line).epsilon(delta=1e-6).epsilon < 20
from shoal.accounting import bounded_range_epsilon_up, shuffled_epsilon_up
assert bounded_range_epsilon_up("0.1", count=100, delta="1e-6") < 10
assert shuffled_epsilon_up(1, people=10_000, delta="1e-6") < 1
""",
    "a report of a poll": """
poll = shoal.Poll("commute", "Have you ever travelled without a ticket?", epsilon=1)
vault = shoal.open("office.shoal")
live = vault.publish(poll)
for _ in range(20):
    live.add(poll.client().respond({"commute": "yes"}), once=shoal.polls.once_number(), mark=poll.mark)
live.close()
assert live.results().to_csv()
""",
}

REFUSED = {
    "frames": CSV
    + "shoal.private(visits, name='v', protects=whom, columns=facts, budget=shoal.Pure(1)).sql('SELECT COUNT(*) AS n FROM v').release(epsilon=1).to_arrow()",
    "audit": "from shoal.auditing.intervals import chance_down; chance_down(5, 50, 0.01)",
    "learning": "shoal.learning.LogisticRegression",
    "torch": "Missing.find_spec = lambda self, name, *more, find=Missing.find_spec: find(self, name) if name.startswith('torch') else None\n"
    "shoal.learning.NeuralNetClassifier(epsilon=1, delta='1e-6', columns=shoal.Range(0, 1), classes=[0, 1]).fit([[0.0]], [0])",
    "plots": "from shoal import plots; plots.profile(shoal.account('gaussian sigma=30'))",
    "server": "from shoal.cli import app; shoal.open('office.shoal').close(); app(['serve'], standalone_mode=False)",
    "sign-in": "from shoal.server.extra import check_sign_in; check_sign_in()",
    "spark": "shoal.open('office.shoal').add('t', 'sc://localhost', table='t', protects=shoal.Row(), budget=shoal.Pure(1))",
    "postgres": "shoal.open('postgresql://somebody@localhost/office')",
}


def run(act: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + act],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
def test_the_core_does_without_any_extra(act: str, tmp_path: Path) -> None:
    done = run(ACTS[act], tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("extra", REFUSED)
def test_a_missing_extra_is_asked_for_by_name(extra: str, tmp_path: Path) -> None:
    done = run(REFUSED[extra], tmp_path)
    assert re.search(rf'pip install "shoal\[(\w+,)?{extra}\]"', done.stderr)


def test_every_extra_is_asked_for_by_one_of_these() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert set(REFUSED) == set(extras) - {"dev", "docs"}  # these two are for those who build Shoal


def test_a_report_without_the_drawing_library_names_the_extra(tmp_path: Path) -> None:
    act = """
vault = shoal.open("office.shoal")
vault.add("visits", visits, protects=whom, columns=facts, budget=shoal.Pure(1))
vault.sql("SELECT city, COUNT(*) AS n FROM visits GROUP BY city").release(epsilon=1)
vault.close()
from shoal.cli import app
app(["report", "1", "--out", "report.html"], standalone_mode=False)
app(["report", "--account", "visits", "--out", "account.html"], standalone_mode=False)
"""
    ended = run(CSV + act, tmp_path)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert ended.stderr.count('pip install "shoal[plots]"') == 2
    assert "<table>" in (tmp_path / "report.html").read_text()
    assert "<table>" in (tmp_path / "account.html").read_text()


def test_the_extra_for_developers_holds_every_other_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    needed = {need for needs in extras.values() for need in needs}
    pinned = {need.partition("==")[0] for need in extras["dev"] if "==" in need}
    assert {need for need in needed if not need.startswith(tuple(pinned))} | {
        need for need in extras["dev"] if "==" in need
    } == set(extras["dev"])
