"""A case: two neighbouring inputs, a face that runs both, and what an adversary sees of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from shoal.errors import ShoalError


@dataclass(frozen=True)
class Finding:
    """One way in which the two sides of a case differ and must not, or an ending that nobody should
    see.

    ``rule`` is the kind of difference, in a word or two, by which findings are counted; ``said``
    tells what was found.
    """

    rule: str
    said: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.said}"


@dataclass(frozen=True)
class Seen:
    """The outcome of a case: its findings, and how its first side ended; the report counts how many
    cases were answered.
    """

    findings: tuple[Finding, ...]
    outcome: str = "answered"

    @classmethod
    def refused(cls, refusal: Ending, at: str = "") -> Seen:
        """A case that was refused before rows were read, so that both sides are the same; a bare
        error is still a finding.
        """
        return cls(tuple(endings_apart(refusal, refusal, at=at)), refusal.outcome)


class Case(ABC):
    """One test, made from a number: it can be checked, made smaller while it fails, and written as
    Python.
    """

    @abstractmethod
    def check(self) -> Seen:
        """Run both sides and compare; no findings where all is as claimed."""

    def smaller(self) -> Iterator[Case]:
        """Cases with a little less in them; the first that still fails is used in place of this
        one.
        """
        return iter(())

    @abstractmethod
    def written(self) -> str:
        """The case in Python, to paste."""


@dataclass(frozen=True)
class Ending:
    """How a run ended, as the caller sees it: a result, or the class and the text of an error."""

    outcome: str
    text: str = ""
    result: Any = None

    @property
    def seen(self) -> tuple[str, str]:
        return self.outcome, self.text

    @property
    def answered(self) -> bool:
        return self.outcome == "answered"


def ending(act: Callable[[], Any]) -> Ending:
    """Run something, whatever comes of it."""
    try:
        return Ending("answered", "", act())
    except ShoalError as refusal:
        return Ending(f"refused ({type(refusal).__name__})", str(refusal))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - what a caller sees is what is compared
        return Ending(f"failed ({type(error).__name__})", str(error)[:200])


def endings_apart(one: Ending, two: Ending, *, at: str = "") -> list[Finding]:
    """The differences of two endings, to the letter; a bare error is a finding on either side."""
    place = f" {at}" if at else ""
    found = [
        Finding("bare error", f"{each.outcome}{place}: {each.text[:120]}")
        for each in (one, two)
        if each.outcome.startswith("failed")
    ][:1]
    if one.outcome != two.outcome:
        found.append(
            Finding("outcome", f"{one.outcome} on one side, {two.outcome} on the other{place}")
        )
    elif one.text != two.text:
        found.append(Finding("error text", f"{one.text[:160]!r} and {two.text[:160]!r}{place}"))
    return found
