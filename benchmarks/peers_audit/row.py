"""The row *audit*: what the kit sees in the mechanisms of peers, and in ours.

Every mechanism is asked in the peer's own environment and judged here, by four tests at 99 % each:
events on answers, low bits, running time with a thousandfold noise, and noise that comes again
after a fork or in a fresh process.  What is seen is told as it is; a test that finds nothing proves
nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Goal, Row
from benchmarks.peers_audit.subjects import PACKAGES, SUBJECTS, Subject
from shoal.auditing import Verdict, audit_samples
from shoal.auditing.lattice import lattice
from shoal.auditing.repeats import sharing
from shoal.auditing.timing import Timed, timing
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated

ROOT = Path(__file__).parents[2]
PAGE = Path(__file__).parents[1] / "PEERS.md"
PATIENCE = 900
PAIRS = 1000
CONFIDENCE = "0.99"
TESTS = ("events", "low bits", "time", "seeds")


@dataclass
class Seen:
    """What was seen of one mechanism."""

    subject: Subject
    version: str = ""
    problem: str = ""
    verdicts: dict[str, Verdict] = field(default_factory=dict)


def run(*, with_ours: bool) -> Row:
    """Audit every mechanism that can be asked, and write the page."""
    row = Row("Audit")
    subjects = [each for each in SUBJECTS if with_ours or each.peer != "shoal"]
    seen = [looked_at(each) for each in subjects]
    row.tables += [_table(seen), _legend()]
    ours = [each for each in seen if each.subject.peer == "shoal"]
    alarms = sum(verdict.refuted for each in ours for verdict in each.verdicts.values())
    refused = sum(verdict.refuted for each in seen if each.subject.title == "numpy, laplace" for verdict in each.verdicts.values())  # fmt: skip
    row.goals += [
        Goal("claims of Shoal refuted: none", 0, float(alarms) if ours else None, "", at_most=True),
        Goal("textbook Laplace noise in doubles is refuted", 1, float(refused), ""),
    ]
    PAGE.write_text(_page(seen))
    return row


def looked_at(subject: Subject) -> Seen:
    """Ask the worker, twice, and judge what it wrote."""
    found = asked(subject, subject.samples, PAIRS)
    if isinstance(found, str):
        print(f"audit: {subject.title}: {found}")
        return Seen(subject, problem=found)
    again = asked(subject, 0, 0)
    seen = Seen(subject, found["version"])
    first, second = (_read(each) for each in found["answers"])
    claim = claim_of(subject.claim)
    seen.verdicts["events"] = audit_samples(first, second, claim=claim, confidence=CONFIDENCE)
    if type(subject.data[0]) in (int, float):
        seen.verdicts["low bits"] = lattice(first, second, claim, confidence=CONFIDENCE)
    if "times" in found:
        timed = Timed(np.array(found["times"], dtype=np.float64), np.array(found["loud"], dtype=np.float64))  # fmt: skip
        seen.verdicts["time"] = timing(timed, confidence=CONFIDENCE)
    seen.verdicts["seeds"] = _seeds(found, again)
    print(f"audit: {subject.title}: {', '.join(name for name, each in seen.verdicts.items() if each.refuted) or 'nothing'}")  # fmt: skip
    return seen


def asked(subject: Subject, samples: int, pairs: int) -> Any:
    """What the worker wrote; in words why it did not."""
    python = Path(sys.executable) if subject.peer == "shoal" else ROOT / ".venv-peers" / f"audit-{subject.peer}" / "bin" / "python"  # fmt: skip
    if not python.exists():
        return "its environment is not there"
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "found.json"
        words = ["-m", "benchmarks.peers_audit.worker", subject.peer, subject.name, str(samples), str(pairs), str(where)]  # fmt: skip
        try:
            done = subprocess.run([python, *words], cwd=ROOT, check=False, capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"it took longer than {PATIENCE} seconds"
        if done.returncode or not where.exists():
            return (done.stderr.strip().splitlines() or ["it wrote nothing"])[-1][:200]
        return json.loads(where.read_text())


def _read(answers: list[Any]) -> list[Any]:
    """Lists become tuples, so that they can be counted."""
    return [tuple(each) if isinstance(each, list) else each for each in answers]


def claim_of(words: str) -> Measure:
    """The claim that is written as a kind and its numbers."""
    kind, *numbers = words.split()
    kinds = {"pure": Pure, "approx": Approx, "gdp": GaussianDP, "zcdp": ZeroConcentrated}
    return kinds[kind](*numbers)  # type: ignore[no-any-return]


def _seeds(found: dict[str, Any], again: Any) -> Verdict:
    """Whether two children, a child on the neighbour, or two fresh processes shared noise."""
    rows = [[(each,) for each in told] for told in (*found["children"], found["fresh"])]
    pairs = [("two children of a process", rows[0], rows[1]), ("two datasets, in children", rows[0], rows[2])]  # fmt: skip
    if isinstance(again, dict):
        pairs.append(("two fresh processes", rows[3], [(each,) for each in again["fresh"]]))
    shared = [sharing(one, two, where=where) for where, one, two in pairs]
    p_value = min(1.0, len(shared) * min(each.p_value for each in shared))
    told = [f"{each.where} ({each.same} of {each.draws})" for each in shared if each.p_value * len(shared) <= 0.01]  # fmt: skip
    return Verdict(
        test="repeats", claim="noise is drawn afresh each time", refuted=p_value <= 0.01, confidence=0.99, p_value=p_value,
        found=f"The noise came again: {'; '.join(told)}." if told else "No noise was seen to come again.",
    )  # fmt: skip


def _table(seen: list[Seen]) -> str:
    head = "| What was seen | version | claim | events: proven | low bits: proven | time | seeds |"
    body = [
        f"| {each.subject.title} | {each.version} | {_claim(each.subject)} | " + " | ".join(_cell(each, test) for test in TESTS) + " |"
        for each in seen if not each.problem
    ]  # fmt: skip
    missing = [f"\n{each.subject.title} could not be asked: {each.problem}." for each in seen if each.problem]  # fmt: skip
    return "\n".join([head, "|---|---|---|---:|---:|---|---|", *body, *missing])


def _cell(seen: Seen, test: str) -> str:
    verdict = seen.verdicts.get(test)
    if verdict is None:
        return "–"
    if test in {"events", "low bits"}:
        bound = next(value for name, value in verdict.figures if "at least" in name)
        return f"**{bound:.3g}**, refuted" if verdict.refuted else f"{bound:.3g}"
    return "**seen**" if verdict.refuted else "nothing"


def _claim(subject: Subject) -> str:
    kind, *numbers = subject.claim.split()
    words = {"pure": "epsilon", "approx": "epsilon, delta", "gdp": "mu", "zcdp": "rho"}
    return f"{words[kind]} {', '.join(numbers)}"


def _legend() -> str:
    return (
        f"20,000 answers on each of two neighbouring inputs (0 and 1, or utilities that move by 1), {PAIRS} pairs of timed runs with a thousandfold noise, 24 answers in each of four processes. "
        "Each test alone at 99 %. *Proven* is a lower bound on the parameter that is claimed; refuted is what lies above the claim. *Seen* is a trace that PEERS.md describes; *nothing* proves nothing."
    )


def _page(seen: list[Seen]) -> str:
    lines = [
        "# What the audit kit sees in peers", "",
        ("Written by `make bench`, row *audit*. Each mechanism was asked as its documentation shows, with the claim it makes in that call, on two neighbouring inputs. "
        "A finding is what the test showed on this machine with these versions, and no more: a refuted claim is refuted at 99 % confidence for each test, and where nothing was found, nothing is proven."),
        "",
        ("Low bits: an event of lowest bits that one of two neighbouring inputs never shows. Time: a difference of more than a microsecond that goes with the size of the noise or with the data, seen from inside the process. "
        "Seeds: the state of a generator is copied by a fork, so that two children draw the same noise; a program that never forks has no harm from it."),
    ]  # fmt: skip
    for peer in PACKAGES:
        here = [each for each in seen if each.subject.peer == peer]
        versions = sorted({each.version for each in here if each.version})
        lines += ["", f"## {peer} {', '.join(versions)}", ""]
        for each in here:
            lines += _told(each)
    return "\n".join([*lines, "", "## All in one table", "", _table(seen), "", _legend()]) + "\n"


def _told(seen: Seen) -> list[str]:
    if seen.problem:
        return [f"* **{seen.subject.name}** could not be asked: {seen.problem}."]
    refuted = {test: each for test, each in seen.verdicts.items() if each.refuted}
    if not refuted:
        return [f"* **{seen.subject.name}** ({_claim(seen.subject)}): nothing found by {', '.join(seen.verdicts)}."]  # fmt: skip
    return [f"* **{seen.subject.name}** ({_claim(seen.subject)})", *(f"    * {test}: {each.found}" for test, each in refuted.items())]  # fmt: skip
