"""What one report promises the person who sends it, once its odds are known."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from shoal import events
from shoal.exact import ball, upper, whole
from shoal.measures import Pure
from shoal.noise import secret


class OneReport:
    """A report whose chances under any two values differ by a factor of at most ``odds``."""

    odds: Fraction

    @cached_property
    def epsilon(self) -> Fraction:
        """What one report costs, rounded up."""
        return upper(lambda: ball(self.odds).log())

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(self.epsilon)

    @property
    def event(self) -> events.StatedPure:
        """The description of one report."""
        return events.StatedPure(epsilon=self.epsilon, relation="change", private=secret())


def epsilon_of_changes(fresh_odds: Fraction, reports: int) -> Fraction:
    """What reports cost together that are made from kept answers, where two histories differ in so
    many of them; rounded up.

    Needs: ``fresh_odds`` bounds the ratio of the chances of one report from any two kept answers.
    Proof: repeated.md.
    """
    count = whole(reports, "reports", at_least=0)
    return upper(lambda: count * ball(fresh_odds).log())
