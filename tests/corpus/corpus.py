"""The questions of this folder, the tables they are asked of, and how each one fares.

``python -m scripts.corpus`` prints the share answered per class and what planning takes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

import shoal
from shoal.query.ask import Ask
from shoal.query.keys import selects
from shoal.query.private_tables import Private

_INSTEAD = "-- instead: "
HERE = Path(__file__).parent
WARDS = ["cardiology", "surgery", "children"]
KINDS = ["inpatient", "outpatient", "emergency"]
CITIES = ["Aden", "Brno", "Cork", "Delft", "Evora"]
CODES = ["I21.9", "I25", "E11.9", "J45", "S72.0"]


@dataclass(frozen=True)
class CorpusQuestion:
    """A question, its class, whether it is to be answered, what it is about, and, of a refused one,
    what its remedy leads to.
    """

    kind: str
    answered: bool
    about: str
    sql: str
    instead: str = ""


def questions() -> list[CorpusQuestion]:
    """Every question, in the order of the files."""
    return [each for path in sorted(HERE.glob("*.sql")) for each in _read(path)]


def _read(path: Path) -> Iterator[CorpusQuestion]:
    head, lines = "", list[str]()
    for line in [*path.read_text().splitlines(), "-- answers: the end"]:
        if not line.startswith(("-- answers: ", "-- refused: ")):
            lines.append(line)
            continue
        if head:
            verdict, _, about = head.removeprefix("-- ").partition(": ")
            told = [line for line in lines if line.startswith(_INSTEAD)]
            sql = "\n".join(line for line in lines if line not in told).strip().removesuffix(";")
            instead = "".join(told).removeprefix(_INSTEAD)
            yield CorpusQuestion(path.stem, verdict == "answers", about, sql, instead)
        head, lines = line, []


def hospital() -> Private:
    """A small made-up hospital: patients, their visits, and three public tables."""
    people = range(120)
    patients = pa.table(
        {
            "patient_id": list(people),
            "sex": ["FM"[n % 2] for n in people],
            "age": [n * 37 % 100 for n in people],
            "born": [dt.date(2024 - n * 37 % 100, 1 + n % 12, 1 + n % 28) for n in people],
            "city": [CITIES[n % 5] for n in people],
            "income": [None if n % 11 == 0 else n * 997 % 90_000 / 1.0 for n in people],
            "joined": [dt.date(2020, 1, 1) + dt.timedelta(days=n * 13 % 1600) for n in people],
        }
    )
    events = range(400)
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=n * 7 % 366) for n in events]
    visits = pa.table(
        {
            "patient_id": [n * 31 % 120 for n in events],
            "ward": [WARDS[n % 7 % 3] for n in events],
            "kind": [KINDS[n % 5 % 3] for n in events],
            "day": days,
            "at": [
                dt.datetime.combine(day, dt.time(n % 24, n % 60, n * 7 % 60))
                for n, day in zip(events, days, strict=True)
            ],
            "written": [f"{day:%d/%m/%Y}" for day in days],
            "cost": [n * 53 % 3000 / 1.0 for n in events],
            "stay": [n % 15 for n in events],
            "diagnosis": [CODES[n % 5] for n in events],
            "doctor": [f"Dr. {'ABCDEFG'[n % 7]}" for n in events],
        }
    )
    days_of_2024 = shoal.Range("2024-01-01", "2024-12-31")
    return shoal.private(
        {"patients": patients, "visits": visits},
        protects=shoal.Person("patient_id", groups=5, rows_per_group=4),
        columns={
            "patients.sex": shoal.Choices(["F", "M"]),
            "patients.age": shoal.Range(0, 110),
            "patients.born": shoal.Range("1914-01-01", "2024-12-31"),
            "patients.city": shoal.Choices(CITIES),
            "patients.income": shoal.Range(0, 500_000),
            "patients.joined": shoal.Range("2020-01-01", "2024-12-31"),
            "visits.ward": shoal.Choices(WARDS),
            "visits.kind": shoal.Choices(KINDS),
            "visits.day": days_of_2024,
            "visits.at": shoal.Range("2024-01-01", "2024-12-31 23:59:59"),
            "visits.cost": shoal.Range(0, 5000),
            "visits.stay": shoal.Range(0, 60),
        },
        keys={"patients.patient_id": 1},
        public={
            "towns": pa.table(
                {
                    "city": CITIES,
                    "region": ["north", "north", "south", "south", "south"],
                    "population": [90_000, 380_000, 210_000, 104_000, 53_000],
                }
            ),
            "tariffs": pa.table({"kind": KINDS, "price": [900.0, 80.0, 450.0]}),
            "holidays": pa.table({"day": [dt.date(2024, 1, 1), dt.date(2024, 12, 25)]}),
        },
        budget=shoal.Approx(10**6, "1e-4"),
    )


def planned(held: Private, question: CorpusQuestion) -> Ask | shoal.errors.ShoalError:
    """The question ready to be released, or why it is refused."""
    try:
        ask = held.sql(question.sql)
        ask.preview(epsilon=1, delta="1e-9" if selects(ask.question) else None)
    except shoal.errors.ShoalError as refusal:
        return refusal
    return ask
