"""What is computed for a question, step by step: text that a notebook shows line by line."""

from __future__ import annotations

from shoal.query.notebook_html import block, preformatted


class ExplainedPlan(str):
    """The text of a plan; everything that takes text takes it.

    >>> print(ExplainedPlan("release count rows AS n"))
    release count rows AS n
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return block(preformatted(self))
