"""The page that an audit leaves: what was tried, how sure it is, the verdict, and two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.auditing.bound_texts import risk_text, text_above, text_near
from shoal.auditing.histogram_data import HistogramData
from shoal.errors import ExtraError
from shoal.page import Heading, PagePicture, Part, Words
from shoal.plots.bars import Bar, bound_against_claim, two_histograms

if TYPE_CHECKING:
    from shoal.auditing.judge import EpsilonVerdict


def parts_of(verdict: EpsilonVerdict, told: Sequence[Part]) -> list[Part]:
    """What the page shows: the words of the verdict, how it was reached, and the pictures."""
    return [
        *told,
        Heading("What was tried"),
        Words(
            f"Outputs were drawn on both datasets. The first of them proposed the event: {verdict.event}. The others, which played no part in the choice, "
            f"tested it, once, in one order of the datasets: it is the likely event on {verdict.likely_on}. If the claim were true, such a refutation "
            f"would happen with probability at most {risk_text(verdict.confidence or 0)}."
        ),
        *_pictures(verdict),
    ]


def _pictures(verdict: EpsilonVerdict) -> list[Part]:
    try:
        drawn = [
            PagePicture(
                bound_against_claim(verdict.parameter, verdict.lower, verdict.claimed),
                _bound_caption(verdict),
            )
        ]
        if verdict.sight is not None:
            drawn.append(
                PagePicture(
                    two_histograms(_bars(verdict.sight)),
                    f"Outputs on d0 and on d1; what is dark is in the event ({verdict.event}).",
                )
            )
    except ExtraError as missing:
        return [Words(f"The pictures are left out. {missing.remedy}")]
    return [Heading("Pictures"), *drawn]


def _bound_caption(verdict: EpsilonVerdict) -> str:
    return f"What the samples prove about {verdict.parameter}, {text_above(verdict.lower, verdict.claimed)}, against what is claimed, {text_near(verdict.claimed)}."


def _bars(sight: HistogramData) -> list[Bar]:
    if sight.names:
        return [
            Bar(name, None, *shares)
            for name, shares in zip(
                sight.names, zip(sight.first, sight.second, sight.inside, strict=True), strict=True
            )
        ]
    return [
        Bar("", place, *shares)
        for place, shares in zip(
            sight.places, zip(sight.first, sight.second, sight.inside, strict=True), strict=True
        )
    ]
