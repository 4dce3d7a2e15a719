"""The trusted curator: datasets, budgets, analysts, releases and their certificates, over
`ledger`.
"""

from shoal.vault.accounts.budgets import Standing
from shoal.vault.dataset import Dataset
from shoal.vault.releases import Release
from shoal.vault.vault import (
    Vault,
    open,  # noqa: A004 - the word for it
)

__all__ = ["Dataset", "Release", "Standing", "Vault", "open"]
