"""A vault as notebooks show it: its datasets, whom they protect, and what is left of each budget."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.query.notebook_html import block, quiet, table, title
from shoal.query.payment import budget_bar
from shoal.vault.accounts.budgets import Standing
from shoal.vault.dataset import Dataset


def vault_html(
    datasets: Mapping[str, Dataset], standings: Mapping[str, Standing], analyst: str | None
) -> str:
    """One line for each dataset.  An analyst's line shows their allowance, where they have one."""
    rows = [
        [
            each.name,
            "nobody: it is public" if each.protects is None else str(each.protects),
            "none needed" if each.public else _bar(standings[each.name], analyst),
        ]
        for each in datasets.values()
    ]
    shown = table(["dataset", "protects", "budget"], rows) if rows else quiet(["no datasets yet"])
    return block(title("vault", "" if analyst is None else f"as {analyst}"), shown)


def _bar(standing: Standing, analyst: str | None) -> str:
    shown = standing.tightest
    if analyst is not None and standing.allowances:
        shown = standing.allowances[0]
    return budget_bar(shown.budget, shown.spent, shown.left)
