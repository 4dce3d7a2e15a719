"""A stream: one count a day, for as many days as were declared, paid for once.

The budget of all days is charged when a stream is opened, before any row is read.  Each day is
measured once: its noisy number is written to the journal under a key of its own, durably, before
anybody sees it.  Whoever comes second, or again after a crash, finds it there.
Proof: src/shoal/workloads/streams.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from shoal.errors import KeyReusedError, UnknownNameError, VaultError
from shoal.exact import Number
from shoal.ledger import Ledger
from shoal.ledger.book import budget_from, budget_to
from shoal.noise import one_below
from shoal.query.certificate import certified
from shoal.query.payment import PaymentRequest, QuestionCharge, read_for
from shoal.sensitivity import Relation
from shoal.vault.daily_counts import DailyCounts
from shoal.vault.dataset import Dataset
from shoal.vault.released_days import ReleasedDays
from shoal.vault.sources.lineage import MORE_ROWS, SAME_ROWS
from shoal.workloads import StreamPlan

STREAM = "stream"
"""The kind of fact that an open stream is."""

_NOT_TERMS = ("entry", "name", "accounts", "declaration")


@dataclass(frozen=True)
class StreamPlace:
    """The vault as a stream needs it: its journal, who asks, and what was declared of a dataset."""

    ledger: Ledger
    asker: str
    versions: Callable[[str], Sequence[Dataset]]
    counts: Callable[[str, str, int | None], DailyCounts]

    def key(self, name: str) -> str:
        """Under which key a stream of this asker is filed."""
        return f"{self.asker}@{name}"

    def known(self, name: str) -> Stream | None:
        """The open stream of a name; None if there is none."""
        found = self.ledger.filed(STREAM, self.key(name))
        return Stream(self, found[0].fact) if found else None


@dataclass(frozen=True, eq=False)
class AskedStream:
    """A stream that is not open yet.  Only `open` spends, and nothing is read by it."""

    place: StreamPlace
    name: str
    counts: DailyCounts

    def _plan(self, measure: Any) -> StreamPlan:
        relation = Relation.read(self.counts.source.payer.relation, "relation")
        return StreamPlan.of(len(self.counts.days), measure, relation, self.counts.reach)

    def preview(self, *, epsilon: Number | None = None, rho: Number | None = None) -> StreamPlan:
        """The error of every day's count and total.  Free: no private row is read."""
        payer = self.counts.source.payer
        return self._plan(payer.request(epsilon=epsilon, rho=rho).measure)

    def open(self, *, epsilon: Number | None = None, rho: Number | None = None) -> Stream:
        """Pay for all days, once.  The same stream opened again costs nothing.

        Guarantee: all days together cost what the request says, whatever happens on the way.
        """
        source = self.counts.source
        request = source.payer.request(epsilon=epsilon, rho=rho)
        plan = self._plan(request.measure)
        said = self._said(plan)
        known = self.place.known(self.name)
        if known is not None:
            if known.terms != said:
                raise VaultError(
                    f"there is a stream {self.name[:40]!r} with other terms.",
                    remedy="Go on with it: vault.stream(name). For another one, choose another name.",
                )
            return known
        if self.place.versions(self.counts.dataset)[-1].entry != _read_by(self.counts).entry:
            raise VaultError(
                f"{self.counts.dataset!r} was updated since this stream was asked for.",
                remedy="Ask again: vault.daily(name, dataset, by).",
            )
        source.engine.check(self.counts.bounded.relation)
        text = f"daily counts of {self.counts.dataset} by {self.counts.by}"
        body = {"stream": said, "event": plan.event.to_dict(), "request": str(request)}
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
        charge = source.payer.charge(
            plan.event, PaymentRequest(text, canonical, str(request), None)
        )
        if isinstance(charge, QuestionCharge):
            certificate = self._certificate(text, plan, request, charge.facts)
            charge.answered({"stream": self.name, "certificate": certificate})
        else:  # paid before, by someone who died before the stream was filed
            certificate = charge["certificate"]
        paid = certificate["ledger"]
        fact = {
            **said,
            "entry": paid["entry"],
            "name": self.name,
            "accounts": paid["accounts"],
            "declaration": _read_by(self.counts).entry,
        }
        self.place.ledger.record(STREAM, fact, key=self.place.key(self.name))
        found = self.place.known(self.name)
        assert found is not None
        return found

    def _said(self, plan: StreamPlan) -> dict[str, Any]:
        return {
            "dataset": self.counts.dataset,
            "by": self.counts.by,
            "days": [str(each) for each in self.counts.labels],
            "reach": plan.reach,
            "relation": str(plan.relation),
            "measure": budget_to(plan.measure),
            "sensitivity": str(plan.mechanism.sensitivity.value),
            "sigma": str(plan.mechanism.spread),
        }

    def _certificate(
        self, text: str, plan: StreamPlan, request: Any, facts: Mapping[str, Any]
    ) -> dict[str, Any]:
        moved = plan.mechanism.sensitivity
        said = {
            "question": text,
            "plan": self.counts.explained(),
            "protects": str(self.counts.held.tables[self.counts.dataset].protects),
            "groups": plan.days,
            "noise": "gaussian",
            "terms": [
                {
                    "total": f"each of {plan.days} days with all days before it",
                    "unit": "1",
                    "sensitivity": str(moved.value),
                    "norm": str(moved.norm),
                    "noise": f"sigma {plan.mechanism.spread} units",
                }
            ],
            "rests_on": "rows of the dataset are only added, as every new version declares "
            "(more rows); rows may come late",
        }
        return certified(
            said, (plan.mechanism.event_for(size=plan.days),), str(plan.relation), request, facts
        )


@dataclass(frozen=True, eq=False)
class Stream:
    """An open stream, as the journal has it."""

    place: StreamPlace
    fact: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.fact["name"])

    @property
    def terms(self) -> dict[str, Any]:
        """What was agreed when it was opened."""
        return {name: each for name, each in self.fact.items() if name not in _NOT_TERMS}

    @cached_property
    def plan(self) -> StreamPlan:
        """Its noise, which is that of the charge, and the error of every day."""
        relation = Relation.read(self.fact["relation"], "relation")
        measure = budget_from(self.fact["measure"])
        made = StreamPlan.of(len(self.fact["days"]), measure, relation, self.fact["reach"])
        if str(made.mechanism.sensitivity.value) != self.fact["sensitivity"]:
            raise VaultError(
                "this version of Shoal measures days otherwise than the one that opened the stream.",
                remedy="Go on with that version, or open another stream.",
            )
        return made.with_sigma(Fraction(self.fact["sigma"]))

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The certificate of the whole stream."""
        outcome = self.place.ledger.outcome(self.fact["entry"])
        assert outcome is not None
        found: Mapping[str, Any] = outcome.body["answer"]["certificate"]
        return found

    @property
    def _kind(self) -> str:
        return f"{STREAM} {self.fact['entry']}"

    def _measured(self) -> list[int]:
        found = sorted(
            (each.fact["day"], each.fact["value"]) for each in self.place.ledger.facts(self._kind)
        )
        return [int(value) for _, value in found]

    def released(self) -> ReleasedDays:
        """Every day that was released; free."""
        return self._shown(self._measured(), self._counts())

    def _counts(self) -> DailyCounts:
        """What is counted: of each person as many rows as the noise was made for."""
        return self.place.counts(self.fact["dataset"], self.fact["by"], self.fact["reach"])

    def _shown(self, measured: Sequence[int], counts: DailyCounts) -> ReleasedDays:
        labels = counts.labels[: len(measured)]
        return ReleasedDays(self.fact["by"], labels, self.plan, tuple(measured))

    def release(self, until: Any = None) -> ReleasedDays:
        """Release every day up to one, or the next day alone.  Nothing more is charged: the stream
        is paid for.

        Guarantee: each day is measured once, in whatever process.  If rows cannot be read the error
            is the same whatever the data, and the days can be released later.
        Edges: days that were released are given again as they are.  Refused if the dataset was
            updated in another way than by `more rows` or `same rows`, or its days are declared
            otherwise now, or another account pays for it now.
        """
        # Before the rows are chosen: days that were measured saw no newer ones than these then are.
        measured = self._measured()
        counts = self._counts()
        if [str(each) for each in counts.labels] != self.fact["days"]:
            raise VaultError(
                f"the days of {self.fact['by'][:40]!r} are declared otherwise than when the stream "
                "was opened.",
                remedy="State them as before, or open another stream.",
            )
        last = self._place_of(until, len(measured))
        if last < len(measured):
            return self._shown(measured, counts)
        self._check_versions(_read_by(counts))
        exact = self._read(counts)
        for day in range(len(measured), last + 1):
            value = self.plan.noisy(exact[: day + 1])
            if not self._kept(day, value):
                # Someone else was quicker, who may have seen more rows: the days after it must not
                # be measured with fewer.
                return self.release(until)
            measured.append(value)
        return self._shown(measured, counts)

    def _place_of(self, until: Any, done: int) -> int:
        days = self.fact["days"]
        if until is None:
            return min(done, len(days) - 1)
        if str(until) not in days:
            raise UnknownNameError(
                f"{str(until)[:40]!r} is no day of this stream.",
                remedy=f"Give one from {days[0]} to {days[-1]}.",
            )
        return int(days.index(str(until)))

    def _check_versions(self, read: Dataset) -> None:
        """Refuse rows that may have been taken away or changed since those that the stream was paid
        for, and rows of people whose account did not pay.
        """
        if not set(read.accounts) <= set(self.fact["accounts"]):
            raise VaultError(
                f"{read.name!r} now holds rows of people whose account did not pay for the stream.",
                remedy="Open another stream, which is charged to all accounts.",
            )
        since = self.fact["declaration"]
        for each in self.place.versions(self.fact["dataset"]):
            if each.entry > since and each.declared not in (MORE_ROWS, SAME_ROWS):
                raise VaultError(
                    f"{each.name!r} was updated as {each.declared!r}; a stream goes on only while "
                    "rows are added and none is changed or taken away.",
                    remedy="Open another stream, which is charged anew. Declare additions with "
                    "relation='more rows'.",
                )

    def _read(self, counts: DailyCounts) -> list[int]:
        engine: Any = counts.source.engine  # that of a vault, which knows its files

        def read() -> list[int]:
            found = counts.read()
            engine.check_content(after_reading=True)
            return found

        engine.check_content()
        engine.open()
        return read_for(QuestionCharge(), read)

    def _kept(self, day: int, value: int) -> bool:
        """Write a day's noisy number down, durably; whether it is the one that counts now.

        Two who draw the same number are told apart by chance: the second must read rows again.
        """
        try:
            fact = {"day": day, "value": str(value), "drawn": f"{one_below(1 << 64):016x}"}
            self.place.ledger.record(self._kind, fact, key=str(day))
        except KeyReusedError:
            return False
        return True

    def __repr__(self) -> str:
        days = len(self._measured())
        return f"<stream {self.name!r}: {days} of {len(self.fact['days'])} days released>"


def _read_by(counts: DailyCounts) -> Dataset:
    """The version of the dataset that is charged and read for these counts."""
    payer: Any = counts.source.payer  # that of a vault, which knows its datasets
    (found,) = payer.datasets
    dataset: Dataset = found
    return dataset
