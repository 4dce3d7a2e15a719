"""What a test of a privacy claim found: one frozen value for every kind of test, as text, data and
page.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from shoal.auditing.bound_texts import figure_text, percent_down, text_up
from shoal.page import Page, PageTable, Part, Words

if TYPE_CHECKING:
    from shoal.auditing.verdict_pictures import Drawing

Figure = float | int | str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a claim was refuted, how sure that is, and what was seen.

    A claim that is not refuted is not proven: the test found nothing against it.

    >>> print(Verdict(
    ...     test="events", claim="epsilon 1", refuted=True, confidence=0.99, p_value=1e-6,
    ...     found="epsilon is at least 1.9.", figures=(("samples", 1000),),
    ... ))
    refuted: epsilon 1 (events, confidence 99 %)
        epsilon is at least 1.9.
    """

    test: str
    """What was tried: events, lattice, timing, one-run, exact, record-play."""
    claim: str
    """What is claimed, in words."""
    refuted: bool
    confidence: float | None
    """If the claim is true, a refutation happens with at most 1 minus this; None where no chance is
    involved.
    """
    p_value: float | None
    found: str
    """What was seen, in one plain sentence."""
    figures: tuple[tuple[str, Figure], ...] = ()
    """Names and values, for tables."""
    drawings: tuple[Drawing, ...] = field(default=(), repr=False, compare=False)
    """What a page shows as pictures."""

    def __str__(self) -> str:
        return f"{self.verdict}: {self.claim} ({self.test}{self._sure()})\n    {self.found}"

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return "refuted" if self.refuted else "not refuted"

    def to_dict(self) -> dict[str, Any]:
        """As plain data: every field by its name."""
        return {
            each.name: _plain(getattr(self, each.name)) for each in fields(self) if each.repr
        } | {"figures": {name: _plain(value) for name, value in self.figures}}

    def to_page(self) -> Page:
        """As a page for people, with pictures where they can be drawn."""
        from shoal.auditing.verdict_pictures import drawn  # noqa: PLC0415 - it draws, and is needed for pages only

        return Page(
            f"{self.verdict.capitalize()}: {self.claim}", [*self.parts(), *drawn(self.drawings)]
        )

    def parts(self) -> list[Part]:
        """What the page shows below its title."""
        rows = [
            ["tried", self.test],
            ["claim", self.claim],
            ["verdict", self.verdict],
            [
                "confidence",
                "no chance involved" if self.confidence is None else percent_down(self.confidence),
            ],
        ]
        if self.p_value is not None:
            rows.append(["p-value, at most", text_up(self.p_value, 3)])
        shown = [[name, figure_text(name, value)] for name, value in self.figures]
        return [Words(self.found), PageTable(["", ""], rows + shown), Words(CAUTION)]

    def _sure(self) -> str:
        return "" if self.confidence is None else f", confidence {percent_down(self.confidence)}"


CAUTION = (
    "A refutation is evidence against the claim at the confidence stated. "
    "A claim that is not refuted is not proven; only a proof does that."
)


def _plain(value: Any) -> Any:
    """A value as JSON has it; what JSON lacks becomes text."""
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    return value if isinstance(value, bool | int | float | str | None) else str(value)
